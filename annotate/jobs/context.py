"""How the work of the person who reads a page ended, for the page's top."""

from collections.abc import Callable

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from .models import Job
from .notices import sentence

_MAX_TOLD = 5


def work(request: HttpRequest) -> dict[str, object]:
    """Give the ended jobs that the person has not seen; asked for only where a page shows them."""
    find: Callable[[], object] = lambda: _told_to(request)  # noqa: E731
    return {"ended_work": SimpleLazyObject(find)}


def _told_to(request: HttpRequest) -> list[tuple[Job, str]]:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return []
    jobs = Job.objects.filter(person=user).unseen().order_by("-finished")[:_MAX_TOLD]
    return [(job, sentence(job)) for job in jobs]
