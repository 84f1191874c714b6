"""Real workers, really killed: a job is done exactly once, or failed with a sentence after three attempts."""

import subprocess

import pytest
from django.db import connection

from annotate.jobs import files, queue, services
from annotate.jobs import workers as presence
from annotate.jobs.models import Job, Worker
from tests.support.processes import wait_for, wait_for_end

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "signs"
    folder.mkdir()
    return folder


def start(kind, folder):
    return services.start(kind=kind, title="Test", folder=str(folder))


def wait_for_sign(folder, pattern, n=1):
    wait_for(lambda: len(list(folder.glob(pattern))) >= n, pattern)


def test_a_worker_killed_twice_loses_nothing_and_does_it_once(workers, folder):
    job = start("tests.slow", folder)
    for attempt in (1, 2):
        workers.start()
        wait_for_sign(folder, "began-*", attempt)
        workers.kill()
    (folder / "go").touch()
    workers.start()
    job = wait_for_end(job)
    assert (job.state, job.n_attempts) == ("done", 3)
    assert (folder / "ended").read_text() == "x"


def test_work_that_kills_its_worker_thrice_is_given_up(workers, folder):
    job = start("tests.slow", folder)
    for attempt in (1, 2, 3):
        workers.start()
        wait_for_sign(folder, "began-*", attempt)
        workers.kill()
    workers.start()
    job = wait_for_end(job)
    assert job.state == "failed"
    assert "3 times" in job.failure
    assert not (folder / "ended").exists()


def test_a_file_half_written_is_never_seen(workers, folder):
    job = start("tests.write", folder)
    workers.start()
    wait_for_sign(folder, "half")
    assert files.path_of(Job.objects.get()) is None
    workers.kill()
    (folder / "go").touch()
    workers.start()
    job = wait_for_end(job)
    assert files.path_of(job).read_bytes() == b"first half, second half"


def test_two_workers_do_each_job_once(workers, folder):
    (folder / "go").touch()
    jobs = [services.start(kind="tests.slow", n=n, folder=str(folder)) for n in range(12)]
    workers.start("--jobs", "2")
    workers.start("--jobs", "2")
    for job in jobs:
        assert wait_for_end(job).n_attempts == 1
    assert (folder / "ended").read_text() == "x" * 12


def test_a_queue_that_is_lost_is_filled_again(workers, folder):
    """Emptied before the worker comes, and once more while it works."""
    (folder / "go").touch()
    job = start("tests.slow", folder)
    queue.opened().storage.flush_queue()
    workers.start()
    assert wait_for_end(job).state == "done"
    again = start("tests.slow", folder)
    queue.opened().storage.flush_queue()
    assert wait_for_end(again).state == "done"


def test_the_queue_may_be_in_redis(workers, folder, settings, monkeypatch):
    redis = pytest.importorskip("redis")
    url = "redis://127.0.0.1:6379/15"
    try:
        redis.Redis.from_url(url).ping()
    except redis.exceptions.ConnectionError:
        pytest.skip("no Redis on this machine")
    settings.QUEUE_URL = url
    monkeypatch.setenv("QUEUE_URL", url)
    queue._opened.cache_clear()
    # A run that was killed may have left messages.
    queue.opened().storage.flush_queue()
    (folder / "go").touch()
    job = start("tests.slow", folder)
    assert [task.args for task in queue.opened().pending()] == [[job.pk]]
    workers.start()
    assert wait_for_end(job).state == "done"


def test_a_worker_that_is_told_to_end_gives_its_job_back(workers, folder):
    job = start("tests.slow", folder)
    workers.start()
    wait_for_sign(folder, "began-*")
    assert workers.end() == 0
    job.refresh_from_db()
    assert (job.state, job.n_attempts, job.worker) == ("waiting", 0, "")
    assert presence.alive() == []
    assert presence.silence().since == Worker.objects.get().ended


def test_a_worker_ends_with_who_started_it(workers):
    worker = workers.start("--until-input-ends", stdin=subprocess.PIPE)
    wait_for(lambda: bool(presence.alive()), "the worker")
    worker.stdin.close()
    assert worker.wait(timeout=300) == 0


def test_cancelling_reaches_a_worker(workers, folder):
    job = start("tests.slow", folder)
    workers.start()
    wait_for_sign(folder, "began-*")
    services.cancel(job=job)
    assert wait_for_end(job).state == "cancelled"


def test_a_queue_that_cannot_be_opened_ends_the_worker_with_a_sentence(workers, tmp_path):
    if connection.vendor != "sqlite":
        pytest.skip("the queue is a file only beside SQLite")
    queue.opened().storage.close()
    for path in tmp_path.glob("queue.sqlite3*"):
        path.unlink()
    (tmp_path / "queue.sqlite3").mkdir()
    worker = workers.start(stderr=subprocess.PIPE)
    assert "The queue cannot be opened" in worker.communicate(timeout=300)[1]
    assert worker.returncode == 2
