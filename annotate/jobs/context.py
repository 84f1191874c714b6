"""Notices for the top of the page: the user's ended jobs, and jobs that wait for a worker."""

from functools import partial

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from . import workers
from .models import LOST_AFTER, Job
from .notifications import sentence
from .services import mark_seen
from .shortcuts import next_page

_MAX_TOLD = 50


def work(request: HttpRequest) -> dict[str, object]:
    """Add the ended jobs that the user has not seen, and for admins a warning if no worker runs.

    Evaluated only if a page shows them.
    """
    return {
        "ended_work": SimpleLazyObject(partial(_told_to, request)),
        "stuck_work": SimpleLazyObject(partial(_silence_for, request)),
    }


def _told_to(request: HttpRequest) -> dict[str, object] | None:
    """Return the number of ended jobs, and if it is one, its sentence and the page of its result.

    A job counts as seen as soon as its user opens that page.
    """
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return None
    jobs = []
    for job in Job.objects.filter(person=user).unseen().order_by("-finished")[:_MAX_TOLD]:
        if job.state == Job.State.DONE and job.address.partition("?")[0] == request.path:
            mark_seen(job=job)
        else:
            jobs.append(job)
    if not jobs:
        return None
    return {
        "n": len(jobs),
        # Of several, the bell says it on every page, and a line at the start.
        "has_line": len(jobs) == 1 or request.path == reverse("home"),
        "n_failed": sum(job.state == Job.State.FAILED for job in jobs),
        "sentence": sentence(jobs[0]),
        "address": next_page(jobs[0]),
    }


def _silence_for(request: HttpRequest) -> workers.Silence | None:
    """Return since when no worker runs, for an admin, if a job has been waiting for a while."""
    user = getattr(request, "user", None)
    if user is None or not user.has_perm("annotate.load_data"):
        return None
    if getattr(request.resolver_match, "namespace", "") == "jobs":
        return None  # these pages show it themselves
    waiting = Job.objects.filter(state=Job.State.WAITING, not_before=None)
    is_stuck = waiting.filter(created__lt=timezone.now() - LOST_AFTER).exists()
    return workers.silence() if is_stuck else None
