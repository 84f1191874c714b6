"""Long work: a lost worker loses nothing, nothing is done twice, cancel stops it, faults are said."""

import os
import signal
import threading
import time
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from annotate.errors import Refusal
from annotate.jobs import launching, registry, running, services
from annotate.jobs.models import LOST_AFTER, Job
from tests.support.factories import make_person


@pytest.fixture
def kind(monkeypatch):
    """Registers work for the test alone; returns its kind."""

    def register(work):
        monkeypatch.setitem(registry._KINDS, "test", work)
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

        person = make_person()
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

    def test_a_job_that_ended_is_not_run_again(self, kind):
        ran = []
        kind(lambda arguments, progress: ran.append(1))
        job = make_job(state=Job.State.DONE, finished=timezone.now())
        assert not running.run_one(job.pk, beats_beside=False)
        assert ran == []

    def test_waiting_jobs_are_run_oldest_first(self, kind):
        order = []
        kind(lambda arguments, progress: order.append(arguments["n"]))
        for n in (1, 2, 3):
            make_job(arguments={"n": n})
        assert running.run_waiting() == 3
        assert order == [1, 2, 3]

    def test_no_more_jobs_run_at_once_than_there_are_cores(self, kind, monkeypatch):
        monkeypatch.setattr(os, "cpu_count", lambda: 2)
        kind(lambda arguments, progress: None)
        for _ in range(2):
            a_running_job(timezone.now())
        waiting = make_job()
        assert running.run_waiting(first=waiting.pk) == 0
        waiting.refresh_from_db()
        assert waiting.state == "waiting"


@pytest.mark.django_db
class TestLostWorkers:
    def test_a_job_whose_worker_is_lost_is_taken_up_again(self, kind):
        ran = []
        kind(lambda arguments, progress: ran.append(1))
        job = a_running_job(timezone.now() - LONG_AGO, n_attempts=1)
        assert running.run_waiting() == 1
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
        assert running.run_waiting() == 0
        job.refresh_from_db()
        assert job.state == "failed"
        assert "3 times" in job.failure

    def test_only_a_lost_job_is_launched_again_by_who_waits(self, settings, monkeypatch):
        settings.JOBS = "process"
        launched = []
        monkeypatch.setattr(launching, "launch", launched.append)
        services.revive(job=a_running_job(timezone.now()))
        services.revive(job=make_job())
        lost = a_running_job(timezone.now() - LONG_AGO)
        services.revive(job=lost)
        assert launched == [lost.pk]

    def test_a_lost_job_that_many_look_at_is_launched_once(self, settings, monkeypatch):
        settings.JOBS = "process"
        launched = []
        monkeypatch.setattr(launching, "launch", launched.append)
        first, second = (a_running_job(timezone.now() - LONG_AGO) for _ in range(2))
        for _ in range(100):
            services.revive(job=first)
            services.revive(job=second)
        assert launched == [first.pk, second.pk]


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

    def test_a_job_that_ended_stays_as_it_is(self):
        job = make_job(state=Job.State.DONE, finished=timezone.now())
        services.cancel(job=job)
        assert (job.state, job.cancel_requested) == ("done", False)


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_that_start_together_one_works(kind):
    ran = []
    kind(lambda arguments, progress: ran.append(time.sleep(0.2)))
    job = make_job()

    def run():
        try:
            running.run_one(job.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    job.refresh_from_db()
    assert (len(ran), job.state, job.n_attempts) == (1, "done", 1)


@pytest.mark.django_db(transaction=True)
def test_progress_shows_while_the_work_is_at_it(kind):
    """The thread beside the work writes the row; the work itself never stops for it."""
    shown = threading.Event()

    def work(arguments, progress):
        progress.tell(143, 233, "Reading a.zip")
        deadline = time.monotonic() + 20
        while not Job.objects.filter(done=143, total=233).exists():
            if time.monotonic() > deadline:
                return
            time.sleep(0.05)
        shown.set()

    kind(work)
    running.run_one(make_job().pk)
    assert shown.is_set()


@pytest.mark.django_db(transaction=True)
def test_a_process_of_its_own_runs_a_job_and_one_that_is_killed_is_taken_up_again(
    settings, jobs_in_processes
):
    """With SIGKILL, on real work: the check of a load whose draft is gone, which fails with a sentence."""
    job = Job.objects.create(kind="imports.check", arguments={"draft": 0, "revision": 1})
    launching.launch(job.pk)
    child = launching._children[-1]
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    # It may have got as far as taking the job up; then it is lost.
    Job.objects.filter(state="running").update(heartbeat=timezone.now() - LONG_AGO)
    launching.launch(job.pk)
    assert launching._children[-1].wait(timeout=60) == 0
    job.refresh_from_db()
    assert job.state == "failed"


@pytest.mark.django_db
def test_the_command_runs_what_waits(kind, capsys):
    kind(lambda arguments, progress: None)
    make_job()
    call_command("run_jobs")
    assert "1 job run." in capsys.readouterr().out
