"""The two URLs for proxies and monitoring, which work under any host name."""

import time
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from .checks import READY, found

Answer = Callable[[HttpRequest], HttpResponseBase]
# Anyone may request them, and the checks write to the database.
_SECONDS_KEPT: Final = 2.0


def health(get_response: Answer) -> Answer:
    """Answer /healthz (this process runs) and /readyz (it can do its work: 200, else 503)."""
    kept: tuple[float, list[str]] = (float("-inf"), [])

    def answer(request: HttpRequest) -> HttpResponseBase:
        nonlocal kept
        if request.path_info == "/healthz":
            return _said(200, alive=True)
        if request.path_info != "/readyz":
            return get_response(request)
        if time.monotonic() - kept[0] > _SECONDS_KEPT:
            faults = [finding.subject for finding in found(READY) if finding.state == "fault"]
            kept = time.monotonic(), faults
        return _said(503 if kept[1] else 200, ready=not kept[1], faults=kept[1])

    return answer


def _said(status: int, **said: object) -> JsonResponse:
    return JsonResponse(said, status=status, headers={"Cache-Control": "no-store"})
