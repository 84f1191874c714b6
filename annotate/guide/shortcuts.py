"""A limit on what a network has computed in the playground, whose pages are public."""

from collections.abc import Callable
from functools import wraps
from time import monotonic, thread_time
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotate.requests import network_of

# Processor time that each web process computes in a minute for one network.
SECONDS_A_MINUTE: Final = 20.0
# Networks and minutes that are remembered at most.
_MOST_KEPT: Final = 10_000
# {(minute, network): seconds}, in memory: requests of strangers write no rows.
spent: Final[dict[tuple[int, str], float]] = {}
_View = Callable[..., HttpResponse]


def within_seconds(view: _View) -> _View:
    """Answer with 429 once the client's network has used up the seconds of this minute."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        key = int(monotonic()) // 60, network_of(request.META["REMOTE_ADDR"])
        if spent.get(key, 0) >= SECONDS_A_MINUTE:
            return render(request, "429.html", status=429)
        if len(spent) >= _MOST_KEPT:
            spent.clear()
        began = thread_time()
        try:
            return view(request, *args, **kwargs)
        finally:
            spent[key] = spent.get(key, 0) + thread_time() - began

    return answer
