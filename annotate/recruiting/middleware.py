"""Participants in a study: their visit is followed, and no other page exists for them."""

from collections.abc import Callable
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from annotate.judging.shortcuts import Answered
from annotate.requests import wants_json

from . import services
from .models import Arrival
from .shortcuts import arrival_of

_ANSWER: Final = "judging:answer"
_ANSWERS: Final = (_ANSWER, "judging:skip")
_JUDGING: Final = (
    *_ANSWERS,
    *("judging:judge", "judging:start", "judging:undo", "judging:change"),
    *("judging:history", "judging:next_image"),
)
_LEARNING: Final = ("learning:short", "learning:finish")
# Pages of annotators that have a shorter one for participants.
_INSTEAD: Final = {
    "judging:own": "join:visit",
    "home": "join:visit",
    "learning:welcome": "learning:short",
    "learning:card": "learning:short",
    "learning:practice": "learning:short",
    "learning:keys": "learning:short",
}
_FREE: Final = ("language", "datasets:image", "datasets:small_image")
_GOES_ON: Final = 200, 302


class Participants:
    """Middleware that leads a participant through the visit, and answers 404 to all else."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        arrival: Arrival | None = getattr(request, "arrival", None)
        if arrival is None or _name(request) not in _ANSWERS:
            return response
        if response.status_code not in _GOES_ON or arrival.outcome:
            return response
        services.see(arrival, has_answered=_name(request) == _ANSWER)
        outcome = response.outcome if isinstance(response, Answered) else None
        return _instead(request, services.follow(arrival, outcome)) or response

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        arrival = arrival_of(request)
        if arrival is None:
            return None
        request.arrival = arrival  # type: ignore[attr-defined]  # for this middleware and the views
        request.must_practise = True  # type: ignore[attr-defined]  # for the end of the introduction
        name = _name(request)
        if name not in _ANSWERS:
            services.see(arrival)
        if name in _INSTEAD:
            slug = arrival.entrance.slug if name in ("judging:own", "home") else arrival.study.slug
            return redirect(_INSTEAD[name], slug=slug)
        if name.startswith("join:") or name in (*_FREE, *_LEARNING):
            return None
        if name not in _JUDGING:
            raise Http404
        if name == "judging:judge":
            arrival = services.follow(arrival)
        elif name in _ANSWERS and not arrival.outcome:
            # A pair on screen may be answered, whatever follows.
            return None
        return _instead(request, arrival)


def _name(request: HttpRequest) -> str:
    match = request.resolver_match
    return match.view_name if match else ""


def _instead(request: HttpRequest, arrival: Arrival) -> HttpResponse | None:
    """Return the way to the end of the visit, or to a page that must be read first, if it is due."""
    if not (arrival.outcome or arrival.is_paused or arrival.withdraws):
        return None
    url = reverse("join:done" if arrival.outcome else "join:visit", args=[arrival.entrance.slug])
    return JsonResponse({"done": {"url": url}}) if wants_json(request) else redirect(url)
