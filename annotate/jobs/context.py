"""Notices for the top of the page: the user's ended jobs, and jobs that wait for a worker."""

from collections.abc import Callable

from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from . import workers
from .models import LOST_AFTER, Job
from .notifications import sentence

_MAX_TOLD = 5


def work(request: HttpRequest) -> dict[str, object]:
    """Add the ended jobs that the user has not seen, and for admins a warning if no worker runs.

    Evaluated only if a page shows them.
    """
    find: Callable[[], object] = lambda: _told_to(request)  # noqa: E731
    silent: Callable[[], object] = lambda: _silence_for(request)  # noqa: E731
    return {"ended_work": SimpleLazyObject(find), "stuck_work": SimpleLazyObject(silent)}


def _told_to(request: HttpRequest) -> list[tuple[Job, str]]:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return []
    jobs = Job.objects.filter(person=user).unseen().order_by("-finished")[:_MAX_TOLD]
    return [(job, sentence(job)) for job in jobs]


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
