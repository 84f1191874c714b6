"""Real workers, really killed at their loads: what they were at is there wholly or not at all."""

import time

import pytest

from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.imports import drafts
from annotate.imports.models import Import
from annotate.jobs.models import Job
from tests.support.loads import add_results, new_dataset
from tests.support.processes import wait_for, wait_for_end

pytestmark = pytest.mark.django_db(transaction=True)
N_IMAGES = 120


def large_draft():
    boxes = "0,0,99,39{}\n" * 20
    draft = new_dataset(
        truth={f"gt_img_{n}.txt": boxes.format(*[",w"] * 20) for n in range(N_IMAGES)}
    )
    add_results(draft, {f"res_img_{n}.txt": boxes.format(*[""] * 20) for n in range(N_IMAGES)})
    return draft


def is_taken_up(job):
    return Job.objects.filter(pk=job.pk).exclude(state="waiting").exists()


def kill_and_go_on(workers, job, seconds):
    """Kill the worker so long after it has begun, and let another do what is left."""
    wait_for(lambda: is_taken_up(job), "the beginning")
    time.sleep(seconds)
    workers.kill()
    counted = counts()
    workers.start()
    wait_for_end(job)
    return counted


def counts():
    return [model.objects.count() for model in (Dataset, Image, Method, Result, Import)]


@pytest.mark.parametrize("seconds", [0, 0.2])
def test_a_check_that_is_killed_is_done_by_the_next_worker(workers, seconds):
    draft = large_draft()
    job = drafts.start_check(draft=draft)
    workers.start()
    assert kill_and_go_on(workers, job, seconds) == [0] * 5
    draft = drafts.find(draft.pk)
    assert draft.state == "checked", draft.job.failure
    # Twenty equal boxes: nineteen are there again, on each image of both files; of each file the
    # first thousand are listed and all are counted.
    assert draft.findings.filter(code="L8").count() == 2 * 1000
    assert [file.counts["codes"]["L8"] for file in draft.files.all()] == [19 * N_IMAGES] * 2
    assert counts() == [0] * 5


@pytest.mark.parametrize("seconds", [0, 0.05, 0.2])
def test_a_load_that_is_killed_is_there_wholly_or_not_at_all(workers, settings, seconds):
    draft = large_draft()
    settings.JOBS = "here"
    drafts.start_check(draft=draft)
    settings.JOBS = "queue"
    draft = drafts.find(draft.pk)
    job = drafts.confirm(draft=draft)
    workers.start()
    whole = [1, N_IMAGES, 1, N_IMAGES, 2]
    assert kill_and_go_on(workers, job, seconds) in ([0] * 5, whole)
    draft = drafts.find(draft.pk)
    assert draft.state == "loaded", draft.job.failure
    assert counts() == whole
