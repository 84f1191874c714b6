"""Real processes, really killed: what they were at is there wholly or not at all, and is done later."""

import os
import signal
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.imports import drafts, staging
from annotate.imports.models import Draft, Import
from annotate.jobs import launching
from annotate.jobs.models import LOST_AFTER, Job
from tests.support.loads import add_results, new_dataset

pytestmark = pytest.mark.django_db(transaction=True)
N_IMAGES = 120


def large_draft():
    boxes = "0,0,99,39{}\n" * 20
    draft = new_dataset(
        truth={f"gt_img_{n}.txt": boxes.format(*[",w"] * 20) for n in range(N_IMAGES)}
    )
    add_results(draft, {f"res_img_{n}.txt": boxes.format(*[""] * 20) for n in range(N_IMAGES)})
    return draft


def run_out(draft):
    """Let the worker that was started last come to its end; return the draft as it is then."""
    launching._children[-1].wait(timeout=120)
    return drafts.find(draft.pk)


def kill_after(seconds):
    time.sleep(seconds)
    os.kill(launching._children[-1].pid, signal.SIGKILL)
    launching._children[-1].wait()


def take_up_again(draft):
    """As when somebody looks at the page after the worker was not heard of for a while."""
    long_ago = timezone.now() - LOST_AFTER - timedelta(seconds=5)
    Job.objects.filter(state="running").update(heartbeat=long_ago)
    Job.objects.filter(state="waiting").update(created=long_ago)
    n_before = len(launching._children)
    draft = drafts.find(draft.pk)
    if len(launching._children) > n_before or draft.is_at_work:
        draft = run_out(draft)
    return draft


def counts():
    return [model.objects.count() for model in (Dataset, Image, Method, Result, Import)]


@pytest.mark.parametrize("seconds", [0.3, 1.2])
def test_a_check_that_is_killed_is_done_by_the_next_worker(jobs_in_processes, seconds):
    draft = large_draft()
    drafts.start_check(draft=draft)
    kill_after(seconds)
    draft = take_up_again(draft)
    assert draft.state == "checked", draft.job.failure
    # Twenty equal boxes: nineteen are there again, on each image of both files; of each file the
    # first thousand are listed and all are counted.
    assert draft.findings.filter(code="L8").count() == 2 * 1000
    assert [file.counts["codes"]["L8"] for file in draft.files.all()] == [19 * N_IMAGES] * 2
    assert counts() == [0] * 5


@pytest.mark.parametrize("seconds", [0.3, 0.9, 1.2])
def test_a_load_that_is_killed_is_there_wholly_or_not_at_all(jobs_in_processes, seconds):
    draft = large_draft()
    drafts.start_check(draft=draft)
    assert run_out(draft).state == "checked"
    drafts.confirm(draft=draft)
    kill_after(seconds)
    whole = [1, N_IMAGES, 1, N_IMAGES, 2]
    assert counts() in ([0] * 5, whole)
    draft = take_up_again(draft)
    assert draft.state == "loaded", draft.job.failure
    assert counts() == whole


def test_a_check_that_is_cancelled_stops_and_leaves_the_files(jobs_in_processes):
    draft = large_draft()
    drafts.start_check(draft=draft)
    drafts.cancel_work(draft=draft)
    draft = run_out(draft)
    assert Job.objects.get().state in ("cancelled", "done")
    assert draft.state == ("open" if Job.objects.get().state == "cancelled" else "checked")
    assert draft.files.count() == 2
    assert all(staging.path_of(file.sha256).exists() for file in draft.files.all())
    assert Draft.objects.count() == 1
    assert counts() == [0] * 5
