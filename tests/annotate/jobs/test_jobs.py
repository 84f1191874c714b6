"""Jobs in this process: nothing runs twice, cancel stops them, faults are reported, results are complete."""

import errno
import threading
import time
from datetime import timedelta

import pytest
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.utils import timezone

from annotate.audit.models import AuditEntry
from annotate.errors import Refusal
from annotate.jobs import files, queue, registry, running, services
from annotate.jobs.errors import TryLater
from annotate.jobs.models import LOST_AFTER, Job
from tests.support.processes import forget_queue, wait_for
from tests.support.work import make_follower, work_for_followers


@pytest.fixture
def kind(monkeypatch):
    """Registers work for the test alone; returns its kind."""

    def register(work):
        monkeypatch.setitem(registry._KINDS, "test", work_for_followers(work))
        return "test"

    return register


def make_job(**fields):
    return Job.objects.create(**{"kind": "test"} | fields)


def a_running_job(since, **fields):
    return make_job(state=Job.State.RUNNING, worker="another", heartbeat=since, **fields)


LONG_AGO = LOST_AFTER + timedelta(seconds=1)


@pytest.mark.django_db
class TestRunning:
    def test_a_job_does_its_work_and_keeps_what_it_told(self, kind):
        seen = []

        def work(arguments, progress):
            seen.append(arguments)
            progress.tell(3, 3, "Reading a.zip")

        person = make_follower()
        job = services.start(kind=kind(work), person=person, draft=7)
        assert seen == [{"draft": 7}]
        assert (job.state, job.done, job.total, job.doing) == ("done", 3, 3, "Reading a.zip")
        assert job.started <= job.finished
        assert job.person == person

    def test_a_refusal_is_told_as_it_is(self, kind):
        def work(arguments, progress):
            raise Refusal("a.zip is no longer here. Add it again.")

        job = services.start(kind=kind(work))
        assert (job.state, job.failure) == ("failed", "a.zip is no longer here. Add it again.")

    def test_an_unexpected_fault_is_told_without_its_insides(self, kind, caplog):
        def work(arguments, progress):
            raise KeyError("secret-of-the-machine")

        job = services.start(kind=kind(work))
        assert job.state == "failed"
        assert "secret-of-the-machine" not in job.failure
        assert "Traceback" not in job.failure
        assert "secret-of-the-machine" in caplog.text

    def test_a_kind_that_nobody_knows_fails_and_the_worker_goes_on(self):
        job = services.start(kind="of-another-program")
        assert job.state == "failed"

    def test_a_job_that_ended_is_not_run_again(self, kind):
        ran = []
        kind(lambda arguments, progress: ran.append(1))
        job = make_job(state=Job.State.DONE, finished=timezone.now())
        assert not running.run_one(job.pk, beats_beside=False)
        assert ran == []

    def test_what_work_does_is_the_act_of_who_asked_for_it(self, kind):
        from annotate.audit.services import Act, record

        person = make_follower()
        services.start(kind=kind(lambda a, r: record(Act.SCORED)), person=person)
        assert AuditEntry.objects.get(act=Act.SCORED).actor == person

    def test_what_is_away_for_a_while_is_tried_three_times(self, kind):
        tried = []

        def work(arguments, progress):
            tried.append(1)
            raise TryLater("The mail server did not accept it.")

        job = services.start(kind=kind(work))
        assert (job.state, len(tried)) == ("waiting", 1)
        assert not running.run_one(job.pk, beats_beside=False), "before its time"
        for _ in range(2):
            Job.objects.update(not_before=timezone.now())
            running.run_one(job.pk, beats_beside=False)
        job.refresh_from_db()
        assert (job.state, len(tried)) == ("failed", 3)
        assert job.failure == "The mail server did not accept it."

    @pytest.mark.parametrize(("is_usable", "state"), [(False, "waiting"), (True, "failed")])
    def test_an_error_without_a_code_is_of_the_connection_if_that_is_gone(
        self, kind, monkeypatch, is_usable, state
    ):
        """As psycopg raises when the server's answer breaks off."""

        def work(arguments, progress):
            raise DatabaseError("server closed the connection unexpectedly")

        monkeypatch.setattr(connection, "is_usable", lambda: is_usable)
        assert services.start(kind=kind(work)).state == state

    def test_a_job_whose_database_was_away_is_done_later(self, kind):
        faults = [OperationalError("server closed the connection"), InterfaceError("closed"), None]

        def work(arguments, progress):
            if fault := faults.pop(0):
                raise fault

        job = services.start(kind=kind(work))
        for state in ("waiting", "done"):
            assert (job.state, job.failure) == ("waiting", "")
            Job.objects.update(not_before=timezone.now())
            running.run_one(job.pk, beats_beside=False)
            job.refresh_from_db()
            assert job.state == state
        assert job.n_attempts == 3


@pytest.mark.django_db
class TestVersions:
    def test_a_worker_leaves_the_work_of_a_newer_site_alone(self, kind):
        kind(lambda arguments, progress: pytest.fail("done by an older program"))
        job = make_job(version="999.0.0")
        assert not running.run_one(job.pk, beats_beside=False)
        job.refresh_from_db()
        assert (job.state, job.n_attempts) == ("waiting", 0)

    def test_a_worker_does_what_an_older_site_left_behind(self, kind):
        kind(lambda arguments, progress: None)
        assert running.run_one(make_job(version="0.0.1").pk, beats_beside=False)


@pytest.mark.django_db
class TestAlike:
    def test_the_same_work_is_open_once(self, settings, kind):
        settings.JOBS = "queue"
        kind(lambda arguments, progress: None)
        one = services.start(kind="test", study=1)
        same = services.start(kind="test", study=1)
        other = services.start(kind="test", study=2)
        assert same == one
        assert other != one

    def test_it_may_be_asked_for_again_once_it_has_ended(self, kind):
        kind(lambda arguments, progress: None)
        assert services.start(kind="test") != services.start(kind="test")

    def test_of_two_people_each_has_their_own(self, settings, kind):
        settings.JOBS = "queue"
        kind(lambda arguments, progress: None)
        ann, bob = make_follower(), make_follower()
        assert services.start(kind="test", person=ann) != services.start(kind="test", person=bob)


@pytest.mark.django_db
class TestPublishing:
    def test_the_result_and_the_end_are_there_together(self, kind):
        def work(arguments, job):
            with job.publishing() as outcome:
                outcome.text, outcome.address = "Ready.", "/there/"
                assert Job.objects.get().state == "running"

        job = services.start(kind=kind(work))
        assert (job.state, job.outcome, job.address) == ("done", "Ready.", "/there/")

    def test_a_fault_while_publishing_leaves_neither(self, kind):
        def work(arguments, job):
            with job.publishing() as outcome:
                outcome.text = "Ready."
                Job.objects.create(kind="made-by-the-work")
                raise Refusal("The last line was wrong.")

        job = services.start(kind=kind(work))
        assert (job.state, job.outcome) == ("failed", "")
        assert not Job.objects.filter(kind="made-by-the-work").exists()

    def test_a_worker_that_was_superseded_publishes_nothing(self, kind):
        def work(arguments, job):
            Job.objects.update(worker="another")
            with job.publishing():
                pytest.fail("published twice")

        job = services.start(kind=kind(work))
        assert (job.state, job.worker) == ("running", "another")

    def test_cancelling_holds_until_the_result_is_there(self, kind):
        def work(arguments, job):
            services.cancel(job=Job.objects.get())
            with job.publishing():
                pytest.fail("published after it was cancelled")

        assert services.start(kind=kind(work)).state == "cancelled"


@pytest.mark.django_db
class TestFiles:
    def publish(self, write):
        def work(arguments, job):
            with files.publishing_file(job, "study.zip", write) as outcome:
                outcome.text = "study.zip is ready."

        return work

    def files(self):
        return list(files.folder().iterdir())

    def test_a_file_is_there_once_it_is_whole(self, kind):
        def write(stream):
            stream.write(b"abc")
            assert files.path_of(Job.objects.get()) is None

        job = services.start(kind=kind(self.publish(write)))
        assert files.path_of(job).read_bytes() == b"abc"
        assert job.file_name == "study.zip"

    def test_a_full_disk_is_said_and_leaves_nothing(self, kind):
        def write(stream):
            stream.write(b"abc")
            raise OSError(errno.ENOSPC, "No space left on device")

        job = services.start(kind=kind(self.publish(write)))
        assert job.state == "failed"
        assert "no space left" in job.failure
        assert self.files() == []

    def test_a_full_disk_of_the_database_is_said_too(self, kind):
        def work(arguments, progress):
            raise OperationalError("database or disk is full")

        assert "no space left" in services.start(kind=kind(work)).failure

    def test_what_an_attempt_left_that_was_killed_goes_with_the_next(self, kind):
        job = make_job()
        (files.folder() / f"{job.pk}-{'a' * 32}.zip").write_bytes(b"whole, and never published")
        (files.folder() / f"{job.pk}-{'b' * 32}.zip.part").write_bytes(b"ha")
        others = files.folder() / f"{job.pk}0-{'c' * 32}.zip"
        others.write_bytes(b"of another job")
        kind(self.publish(lambda stream: stream.write(b"abc")))
        running.run_one(job.pk, beats_beside=False)
        job.refresh_from_db()
        assert set(self.files()) == {files.path_of(job), others}

    def test_cancelled_work_leaves_no_file(self, kind):
        def write(stream):
            stream.write(b"abc")
            services.cancel(job=Job.objects.get())

        job = services.start(kind=kind(self.publish(write)))
        assert (job.state, self.files()) == ("cancelled", [])

    def test_a_file_goes_after_a_week_and_the_job_stays(self, kind):
        job = services.start(kind=kind(self.publish(lambda stream: stream.write(b"abc"))))
        files.forget_old()
        assert files.path_of(job) is not None
        Job.objects.update(finished=timezone.now() - files.KEPT_FOR - timedelta(seconds=1))
        job.refresh_from_db()
        files.forget_old()
        job.refresh_from_db()
        assert files.path_of(job) is None
        assert job.state == "done"


@pytest.mark.django_db
class TestLostWorkers:
    def test_a_job_whose_worker_is_lost_is_taken_up_again(self, kind):
        ran = []
        kind(lambda arguments, progress: ran.append(1))
        job = a_running_job(timezone.now() - LONG_AGO, n_attempts=1)
        assert running.run_one(job.pk, beats_beside=False)
        job.refresh_from_db()
        assert (job.state, job.n_attempts, ran) == ("done", 2, [1])

    def test_a_job_whose_worker_lives_is_left_to_it(self, kind):
        kind(lambda arguments, progress: pytest.fail("taken from a living worker"))
        job = a_running_job(timezone.now())
        assert not running.run_one(job.pk, beats_beside=False)

    def test_a_worker_that_was_superseded_stops_and_writes_nothing(self, kind):
        def work(arguments, progress):
            # Thought lost, and taken up by another, which is at work.
            Job.objects.update(worker="another", done=5)
            progress.tell(9, 9)
            pytest.fail("a superseded worker went on")

        job = services.start(kind=kind(work))
        assert (job.state, job.worker, job.done) == ("running", "another", 5)

    def test_a_job_that_never_comes_to_an_end_is_given_up(self, kind):
        kind(lambda arguments, progress: pytest.fail("begun once more"))
        job = a_running_job(timezone.now() - LONG_AGO, n_attempts=3)
        assert not running.run_one(job.pk, beats_beside=False)
        job.refresh_from_db()
        assert job.state == "failed"
        assert "3 times" in job.failure


@pytest.mark.django_db
class TestCancelling:
    def test_work_that_is_cancelled_stops_where_it_tells(self, kind):
        def work(arguments, progress):
            services.cancel(job=Job.objects.get())
            progress.tell(1, 1)
            pytest.fail("cancelled work went on")

        assert services.start(kind=kind(work)).state == "cancelled"

    def test_a_job_nobody_works_on_ends_at_once(self):
        for job in (make_job(), a_running_job(timezone.now() - LONG_AGO)):
            services.cancel(job=job)
            assert job.state == "cancelled"

    def test_a_job_whose_worker_died_after_it_was_cancelled_is_not_begun_again(self, kind):
        kind(lambda arguments, progress: pytest.fail("begun again"))
        job = a_running_job(timezone.now() - LONG_AGO, cancel_requested=True)
        assert not running.run_one(job.pk, beats_beside=False)
        job.refresh_from_db()
        assert job.state == "cancelled"

    def test_a_job_that_ended_stays_as_it_is(self):
        job = make_job(state=Job.State.DONE, finished=timezone.now())
        services.cancel(job=job)
        assert (job.state, job.cancel_requested) == ("done", False)


@pytest.mark.django_db
class TestQueue:
    @pytest.fixture(autouse=True)
    def _through_the_queue(self, settings):
        settings.JOBS = "queue"
        queue._opened.cache_clear()
        yield
        forget_queue()

    def queued(self):
        return [task.args[0] for task in queue.opened().pending()]

    def test_a_job_is_queued_once_its_transaction_is_committed(
        self, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            job = services.start(kind="test")
            assert self.queued() == []
        assert self.queued() == [job.pk]

    def test_what_people_wait_for_comes_first(self, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            report = services.start(kind="test", n=1)
            letter = services.start(kind="test", n=2, priority=10)
        assert self.queued() == [letter.pk, report.pk]

    def test_what_waits_and_is_not_queued_is_put_back_once(self):
        job, newer = make_job(), make_job(version="999.0.0")
        a_running_job(timezone.now())
        lost = a_running_job(timezone.now() - LONG_AGO)
        later = make_job(not_before=timezone.now() + timedelta(minutes=1))
        assert queue.sweep() == 2
        assert queue.sweep() == 0
        assert set(self.queued()) == {job.pk, lost.pk}
        assert {newer.pk, later.pk}.isdisjoint(self.queued())

    def test_a_page_that_is_looked_at_often_starts_nothing(self, client, monkeypatch):
        person = make_follower()
        job = make_job(person=person, created=timezone.now())
        Job.objects.update(created=timezone.now() - timedelta(hours=1))
        client.force_login(person)
        monkeypatch.setattr("subprocess.Popen", lambda *a, **k: pytest.fail("started a process"))
        for _ in range(200):
            client.get(f"/work/{job.pk}/?as=json")
        assert self.queued() == []
        job.refresh_from_db()
        assert (job.state, job.n_attempts) == ("waiting", 0)


@pytest.mark.django_db
def test_a_queue_that_cannot_be_opened_loses_no_job(
    settings, tmp_path, caplog, django_capture_on_commit_callbacks
):
    if connection.vendor != "sqlite":
        pytest.skip("the queue is a file only beside SQLite")
    settings.JOBS = "queue"
    queue._opened.cache_clear()
    (tmp_path / "queue.sqlite3").mkdir()
    with django_capture_on_commit_callbacks(execute=True):
        job = services.start(kind="test")
    assert Job.objects.get() == job
    assert "could not be put into the queue" in caplog.text
    # As soon as it can be opened, the sweep of a worker finds the job.
    (tmp_path / "queue.sqlite3").rmdir()
    assert queue.sweep() == 1
    forget_queue()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("n_places", "taken"),
    [
        (1, ["a"]),
        (3, ["a", "b", "c"]),
        # Two of one person and one of another leave a place for a third person.
        (4, ["a", "a", "b", "c"]),
        (8, ["a", "a", "a", "a", "b", "c", "the site"]),
    ],
)
def test_jobs_of_one_person_leave_places_for_those_of_others(kind, settings, n_places, taken):
    settings.JOBS = "queue"
    people = {name: make_follower() for name in "abc"} | {"the site": None}
    names = [*"aaaaabbc", "the site", "the site"]
    jobs = [make_job(person=people[name]) for name in names]
    begun = []

    def work(arguments, progress):
        begun.append(names[jobs.index(Job.objects.get(pk=progress.pk))])
        # Those that wait begin while this one runs, if there is a place.
        if len(begun) < n_places:
            for job in jobs:
                running.run_one(job.pk, beats_beside=False, n_places=n_places)
            queue.opened().storage.flush_queue()

    kind(work)
    queue._opened.cache_clear()
    queue.run(jobs[0].pk, n_places)
    assert begun[: len(taken)] == taken
    # Those that are left are announced when another one has ended.
    left = Job.objects.filter(state="waiting").values_list("pk", flat=True)
    assert sorted(task.args[0] for task in queue.opened().pending()) == sorted(left)
    forget_queue()


def in_threads(n, do):
    def run():
        try:
            do()
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_that_start_together_one_works(kind):
    ran = []
    kind(lambda arguments, progress: ran.append(time.sleep(0.2)))
    job = make_job()
    in_threads(4, lambda: running.run_one(job.pk))
    job.refresh_from_db()
    assert (len(ran), job.state, job.n_attempts) == (1, "done", 1)


@pytest.mark.django_db(transaction=True)
def test_the_same_job_asked_for_at_the_same_moment_is_one(settings, monkeypatch):
    settings.JOBS = "queue"
    monkeypatch.setattr(queue, "put", lambda pk, priority: None)
    asked = []
    in_threads(4, lambda: asked.append(services.start(kind="test", study=1).pk))
    assert len(asked) == 4
    assert set(asked) == {Job.objects.get().pk}


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_that_publish_together_one_does(kind):
    """Both have done the work; the first was thought lost."""
    published, met = [], threading.Barrier(2)

    def work(arguments, job):
        if not published and Job.objects.get().n_attempts == 1:
            Job.objects.update(heartbeat=timezone.now() - LONG_AGO)
            thread = threading.Thread(target=second)
            thread.start()
            met.wait()
            try:
                with job.publishing():
                    published.append("first")
            finally:
                thread.join()
        else:
            with job.publishing():
                published.append("second")

    def second():
        try:
            pk = Job.objects.get().pk
            met_first = threading.Timer(0, met.wait)
            met_first.start()
            running.run_one(pk)
            met_first.join()
        finally:
            connection.close()

    kind(work)
    job = make_job()
    running.run_one(job.pk)
    job.refresh_from_db()
    assert len(published) == 1
    assert job.state == "done"


@pytest.mark.django_db(transaction=True)
def test_progress_shows_while_the_work_is_at_it(kind):
    """The thread next to the work writes the row; the work itself never stops for it."""
    shown = threading.Event()

    def work(arguments, progress):
        progress.tell(143, 233, "Reading a.zip")
        wait_for(Job.objects.filter(done=143, total=233).exists, "progress in the row")
        shown.set()

    kind(work)
    running.run_one(make_job().pk)
    assert shown.is_set()


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_the_database_while_work_computes(kind):
    def work(arguments, job):
        assert not transaction.get_connection().in_atomic_block
        with job.publishing():
            assert transaction.get_connection().in_atomic_block

    kind(work)
    job = make_job()
    running.run_one(job.pk)
    job.refresh_from_db()
    assert job.state == "done", job.failure
