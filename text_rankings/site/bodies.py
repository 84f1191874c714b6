"""The size of a request's body: small for most addresses, large for those that take files.

The site decides before it reads any of a body. nginx asks it first (`may_send`), and stores no
body that the site would refuse.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.views.decorators.cache import never_cache
from rest_framework.exceptions import AuthenticationFailed

from annotate.access import Person
from annotate.api.problems import ROOT, too_large
from annotate.api.tokens.authentication import BearerToken
from annotate.requests import MayTakeFiles

# Forms hold at most this much of a file's surroundings: names, tokens, boundaries.
_AROUND_FILES: Final = 1024**2
_READS: Final = ("GET", "HEAD", "OPTIONS")


class BodyLimit:
    """Middleware that refuses a body that is too large for its address or sender, unread.

    Its place is before the protection of forms (CSRF), which reads the body.
    """

    def __init__(self, get_response: Any) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = self._get_response(request)
        return response

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        length = _number(request.META.get("CONTENT_LENGTH", ""))
        if length is None or length <= most_bytes(request, view, kwargs, length):
            return None
        if request.path_info.startswith(ROOT):
            return too_large(request)
        return render(request, "413.html", status=413)


def most_bytes(
    request: HttpRequest, view: Any, kwargs: Mapping[str, Any], length: int | None = None
) -> int:
    """Return the largest body that this sender may send to a view.

    The sender is asked for only if ``length`` is larger than any form.
    """
    small = settings.BODY_MAX_BYTES
    may_take: MayTakeFiles | None = getattr(view, "may_take_files", None) or getattr(
        getattr(view, "cls", None), "may_take_files", None
    )
    if may_take is None or (length is not None and length <= small):
        return int(small)
    large = settings.STAGED_FILE_MAX_BYTES + _AROUND_FILES
    return int(large if may_take(_sender(request), **kwargs) else small)


def _sender(request: HttpRequest) -> Person:
    """Return the sender of a request: the user of its token, else of its session."""
    if "Authorization" in request.headers:
        try:
            found = BearerToken().authenticate(request)  # type: ignore[arg-type]  # it reads META alone
        except AuthenticationFailed:
            return AnonymousUser()
        if found is not None:
            person: Person = found[0]
            return person
    return request.user


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


@never_cache
def may_send(request: HttpRequest) -> HttpResponse:
    """Tell the proxy whether to read the body of a request (nginx's `auth_request`): 204 or 403.

    Headers name the request: X-Original-URI, X-Original-Method, X-Original-Length. A length that is
    not known counts as large.
    """
    method = request.headers.get("X-Original-Method", "")
    length = _number(request.headers.get("X-Original-Length", ""))
    if method in _READS or (length is not None and length <= settings.BODY_MAX_BYTES):
        return HttpResponse(status=204)
    path = request.headers.get("X-Original-URI", "").partition("?")[0]
    try:
        match = resolve(unquote(path).removeprefix(settings.FORCE_SCRIPT_NAME or ""))
    except Resolver404:
        return HttpResponse(status=403)
    most = most_bytes(request, match.func, match.kwargs)
    is_small = most <= settings.BODY_MAX_BYTES
    return HttpResponse(status=403 if is_small or (length or 0) > most else 204)
