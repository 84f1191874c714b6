"""A worker's engine: made once, made again when it is lost, and a sentence without one."""

import os
import signal
import threading

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from annotate.errors import Refusal
from annotate.jobs import engine, registry, running, services
from annotate.jobs.engine import ClusterLost, NotComputed, computing
from annotate.jobs.errors import TryLater
from annotate.jobs.models import Job
from annotate.scoring.models import ProtocolRun
from annotate.scoring.services import NotScored, score_protocol
from annotate.studies.models import Membership
from protocols import scoring
from tests.support.chunks import Dies, Raises, Square, Waits, pid_of_waiting, until
from tests.support.clusters import started_cluster
from tests.support.factories import make_image, make_result, make_street
from tests.support.work import make_follower, work_for_followers
from text_rankings.base.chunks import answers
from text_rankings.base.errors import ChunkFailed
from text_rankings.site import env

NOWHERE = "tcp://127.0.0.1:9"


@pytest.fixture(autouse=True)
def _ended():
    """Each test makes engines of its own."""
    engine.close()
    yield
    engine.close()


@pytest.fixture
def two_processes(settings):
    settings.ENGINE_WORKERS = 2


@pytest.fixture
def no_scheduler(settings, monkeypatch):
    monkeypatch.setattr("text_rankings.base.cluster._greet", _refuse)
    settings.DASK_SCHEDULER = NOWHERE


async def _refuse(address, timeout):
    raise OSError("connection refused")


def yielded():
    with computing() as executor:
        return executor


def test_without_workers_a_job_computes_itself(settings):
    settings.ENGINE_WORKERS = 0
    assert yielded() is None


@pytest.mark.usefixtures("two_processes")
def test_processes_are_started_once_for_all_jobs_of_a_worker():
    with computing() as executor:
        list(answers(executor, [Square(n) for n in range(20)]))
        pids = executor.pids
    with computing() as again:
        list(answers(again, [Square(n) for n in range(20)]))
    assert again is executor
    assert set(pids) <= set(again.pids)
    assert len(again.pids) <= 2


@pytest.mark.usefixtures("two_processes")
def test_a_job_does_not_wait_for_the_chunks_of_another(tmp_path):
    """Those of the other job would fill the processes for ever."""

    def wait():
        with pytest.raises(NotComputed), computing() as executor:
            list(answers(executor, [Waits(tmp_path)] * 9))

    other = threading.Thread(target=wait)
    other.start()
    pid_of_waiting(tmp_path)
    with computing() as executor:
        found = [answer for _, answer in answers(executor, [Square(n) for n in range(9)])]
    assert found == [n**2 for n in range(9)]
    engine.close()
    other.join(20)
    assert not other.is_alive()


def test_all_cores_are_used_unless_a_number_is_given(settings, monkeypatch):
    monkeypatch.setattr("text_rankings.base.processes.n_cores", lambda: 7)
    settings.ENGINE_WORKERS = None
    assert yielded().n_workers == 7


@pytest.mark.usefixtures("two_processes")
def test_an_engine_that_was_closed_and_one_of_a_parent_are_made_anew(monkeypatch):
    first = yielded()
    first.close()
    second = yielded()
    assert second is not first
    monkeypatch.setattr(engine, "_pid", os.getpid() + 1)
    third = yielded()
    assert third is not second
    second.close()


@pytest.mark.usefixtures("no_scheduler")
def test_a_scheduler_that_does_not_answer_is_a_refusal_in_a_sentence():
    with pytest.raises(NotComputed, match=f"No Dask scheduler answered at '{NOWHERE}'") as refused:
        yielded()
    assert isinstance(refused.value, Refusal)
    # It never answered: its address is wrong rather than that it is away.
    assert not isinstance(refused.value, TryLater)


@pytest.mark.usefixtures("no_scheduler", "two_processes")
def test_an_admin_may_let_jobs_run_here_while_the_scheduler_does_not_answer(settings, caplog):
    settings.ENGINE_FALLBACK = "local"
    with computing() as executor:
        assert [answer for _, answer in answers(executor, [Square(3)])] == [9]
    assert "Computing on this machine instead." in caplog.text


@pytest.mark.usefixtures("two_processes")
def test_a_chunk_that_is_given_up_is_a_refusal_and_its_own_fault_stays_as_it_is(tmp_path):
    given_up = r"images 3 to 4 of a\.zip was given up"
    with pytest.raises(NotComputed, match=given_up) as refused, computing() as executor:
        list(answers(executor, [Dies(tmp_path)]))
    assert isinstance(refused.value.__cause__, ChunkFailed)
    with pytest.raises(LookupError, match="no such protocol"), computing() as executor:
        list(answers(executor, [Raises(LookupError("no such protocol"))]))


def ended(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.usefixtures("two_processes")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ends", ["cancelled", "permission", "hours"])
def test_a_job_that_must_end_ends_its_chunks_at_once(ends, settings, monkeypatch, tmp_path):
    """The chunk would wait for ever; a neighbour's goes on, and the engine computes the next ones."""
    person = make_follower()
    monkeypatch.setattr(running, "_BEATS_BETWEEN_LOOKS", 1)

    def work(arguments, progress):
        with computing() as executor:
            list(answers(executor, [Waits(tmp_path)]))
        pytest.fail("answered")

    monkeypatch.setitem(registry._KINDS, "test", work_for_followers(work))
    job = Job.objects.create(kind="test", person=person)
    thread = threading.Thread(target=run_apart, args=[job.pk])
    thread.start()
    pid = pid_of_waiting(tmp_path)
    if ends == "cancelled":
        services.cancel(job=job)
    elif ends == "permission":
        User.objects.filter(pk=person.pk).update(is_active=False)
        Membership.objects.filter(person=person).delete()
    else:
        settings.JOB_MAX_HOURS = 1e-9
    thread.join(20)
    until(lambda: ended(pid))
    job.refresh_from_db()
    assert job.state == ("cancelled" if ends == "cancelled" else "failed")
    said = {"cancelled": "", "permission": "no longer have access", "hours": "It was ended after"}
    assert said[ends] in job.failure
    with computing() as executor:
        assert [answer for _, answer in answers(executor, [Square(3), Square(4)])] == [9, 16]


@pytest.mark.django_db
@pytest.mark.usefixtures("two_processes")
def test_a_job_whose_end_cannot_be_recorded_leaves_its_thread_the_bare_engine(monkeypatch):
    """Else the next work of this thread would end when the job before it must."""
    within = []
    work = work_for_followers(lambda arguments, progress: within.append(yielded()))
    monkeypatch.setitem(registry._KINDS, "test", work)
    bare = yielded()

    def away(*arguments):
        raise OperationalError("the database is away")

    monkeypatch.setattr(running, "_end", away)
    # Its last attempt: an earlier one is put back into the queue.
    job = Job.objects.create(kind="test", n_attempts=2)
    with pytest.raises(OperationalError, match="is away"):
        running.run_one(job.pk, beats_beside=False)
    [of_job] = within
    assert of_job is not bare
    assert yielded() is bare


def run_apart(pk):
    try:
        running.run_one(pk)
    finally:
        connection.close()


@pytest.fixture
def dataset():
    return make_street()


def stored(run):
    keys = ("result", "recall", "precision", "f_score", "indicators")
    return run.overall, list(run.scores.order_by("result").values(*keys))


@pytest.mark.django_db
@pytest.mark.usefixtures("two_processes")
@pytest.mark.parametrize("slug", ["evaltex", "no-ground-truth"])
def test_scores_are_those_of_one_process_even_if_a_process_is_killed(dataset, slug, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK_WEIGHT", 1)
    expected = score_protocol(dataset=dataset, slug=slug)
    told = []

    def progress(done, total):
        if not told:
            os.kill(executor.pids[0], signal.SIGKILL)
        told.append((done, total))

    with computing() as executor:
        run = score_protocol(dataset=dataset, slug=slug, progress=progress, executor=executor)
    assert stored(run) == stored(expected)
    assert told[-1] == (16, 16)
    assert told == sorted(told)
    assert len(told) > 2


@pytest.mark.django_db
def test_results_that_change_while_they_are_scored_are_not_published(dataset):
    def another(done, total):
        if done == total:
            image = make_image(dataset, "late", truth=[(0, 0, 9, 9)])
            make_result(image, dataset.methods.get(name="half"), [])

    with pytest.raises(NotScored, match="were changed while they were being scored"):
        score_protocol(dataset=dataset, slug="iou", progress=another)
    assert not ProtocolRun.objects.exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("no_scheduler")
def test_the_command_says_that_the_cluster_does_not_answer(dataset):
    with pytest.raises(CommandError, match="No Dask scheduler answered"):
        call_command("score_protocol", "street", "iou")
    assert not ProtocolRun.objects.exists()


@pytest.mark.django_db
@pytest.mark.release
def test_a_run_whose_scheduler_is_killed_fails_whole_and_can_be_run_again(
    dataset, settings, monkeypatch, tmp_path
):
    monkeypatch.setattr(scoring, "CHUNK_WEIGHT", 1)
    # Sixteen chunks of which four are handed out at once: most are not when the first is answered.
    monkeypatch.setattr("text_rankings.base.chunks._AHEAD", 1)
    expected = stored(score_protocol(dataset=dataset, slug="iou"))
    ProtocolRun.objects.all().delete()
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
    with started_cluster(folders[0], n_workers=1) as cluster:
        settings.DASK_SCHEDULER = cluster.address

        def kill(done, total):
            cluster.scheduler.kill()
            cluster.scheduler.wait()

        with pytest.raises(ClusterLost, match="was lost") as lost, computing() as executor:
            score_protocol(dataset=dataset, slug="iou", progress=kill, executor=executor)
        assert isinstance(lost.value, TryLater)
        # It may be started again just now.
        with pytest.raises(ClusterLost, match="No Dask scheduler answered"):
            yielded()
        assert not ProtocolRun.objects.exists()
    with started_cluster(folders[1], n_workers=1) as cluster:
        settings.DASK_SCHEDULER = cluster.address
        with computing() as executor:
            run = score_protocol(dataset=dataset, slug="iou", executor=executor)
    assert stored(run) == expected


def test_settings_of_the_engine_are_refused_by_name(monkeypatch):
    monkeypatch.setenv("ENGINE_FALLBACK", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="ENGINE_FALLBACK must be none or local"):
        env.choice("ENGINE_FALLBACK", ("none", "local"), default="none")
    monkeypatch.setenv("ENGINE_WORKERS", "many")
    with pytest.raises(ImproperlyConfigured, match="ENGINE_WORKERS must be a number"):
        env.number("ENGINE_WORKERS", default=None)
    monkeypatch.delenv("ENGINE_WORKERS")
    assert env.number("ENGINE_WORKERS", default=None) is None
