"""The two URLs for proxies and monitoring, which work under any host name."""

import threading
import time
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from . import news
from .checks import READY, run_checks

Answer = Callable[[HttpRequest], HttpResponseBase]
# Anyone may request them, and the checks write to the database.
_SECONDS_KEPT: Final = 2.0
_SECONDS_BETWEEN_WATCHES: Final = 60.0


def health(get_response: Answer) -> Answer:
    """Answer /healthz (this process runs) and /readyz (it can do its work: 200, else 503)."""
    kept: tuple[float, list[str]] = (float("-inf"), [])
    red_since: float | None = None
    last_watch = float("-inf")

    def tell_of(faults: list[str]) -> None:
        """Start a look at the site if it has been red for long: a worker, which looks, may be away."""
        nonlocal red_since, last_watch
        if not faults:
            red_since = None
            return
        red_since = red_since or time.time()
        is_long = time.time() - red_since >= news.PATIENCE_SECONDS
        if is_long and time.monotonic() - last_watch > _SECONDS_BETWEEN_WATCHES:
            last_watch = time.monotonic()
            threading.Thread(target=news.watch_apart, args=[red_since], daemon=True).start()

    def answer(request: HttpRequest) -> HttpResponseBase:
        nonlocal kept
        if request.path_info == "/healthz":
            return _said(200, alive=True)
        if request.path_info != "/readyz":
            return get_response(request)
        if time.monotonic() - kept[0] > _SECONDS_KEPT:
            faults = [finding.subject for finding in run_checks(READY) if finding.state == "fault"]
            kept = time.monotonic(), faults
            tell_of(faults)
        return _said(503 if kept[1] else 200, ready=not kept[1], faults=kept[1])

    return answer


def _said(status: int, **said: object) -> JsonResponse:
    return JsonResponse(said, status=status, headers={"Cache-Control": "no-store"})
