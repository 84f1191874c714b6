"""Errors as problem documents (RFC 9457): what happened, and what to do."""

import logging
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.views import defaults
from rest_framework import exceptions
from rest_framework.views import set_rollback

from annotate.errors import NotThere, Refusal, is_disk_full

from .errors import ApiError, NoRoom, NotPossible, TooLarge

CONTENT_TYPE = "application/problem+json"
ROOT = "/api/"
_TYPE = "urn:problem:text-detection-rankings:"
_NOT_THERE = "There is nothing at this address, or nothing that you may see."
_FAILED = "The server failed. Nothing was changed. Try again, and tell the people who run it."
_log = logging.getLogger(__name__)
NAMES = {
    exceptions.ValidationError: ("invalid", "Not valid"),
    exceptions.ParseError: ("malformed", "Not readable"),
    exceptions.NotAuthenticated: ("not-signed-in", "Not signed in"),
    exceptions.AuthenticationFailed: ("not-signed-in", "Not signed in"),
    exceptions.PermissionDenied: ("forbidden", "Not allowed"),
    exceptions.NotFound: ("not-found", "Not found"),
    exceptions.MethodNotAllowed: ("method-not-allowed", "Method not allowed"),
    exceptions.NotAcceptable: ("not-acceptable", "Not acceptable"),
    exceptions.UnsupportedMediaType: ("unsupported-media-type", "Unsupported media type"),
    exceptions.Throttled: ("too-many-requests", "Too many requests"),
}
_DETAILS = {
    exceptions.NotAuthenticated: (
        "Send a token as “Authorization: Bearer …”. You make one on the page of your tokens."
    ),
    exceptions.NotFound: _NOT_THERE,
    exceptions.NotAcceptable: "This address answers in another media type than those accepted.",
}


def handle(fault: Exception, context: dict[str, Any]) -> HttpResponse:
    """Turn an exception of an API view into a problem document; the framework calls this."""
    set_rollback()
    request = context["request"]
    known = _known(fault)
    if known is None:
        _log.error("%s %s failed", request.method, request.path, exc_info=fault)
        return _response(document(500, "failed", "The server failed", _FAILED, request.path))
    data = document(
        _status(known), *_named(known), _detail(known), request.path, **getattr(known, "more", {})
    )
    if isinstance(known, exceptions.ValidationError):
        data["errors"] = list(_places(known.detail, "#"))
    response = _response(data)
    # The framework sets these two if they apply.
    if challenge := getattr(known, "auth_header", None):
        response["WWW-Authenticate"] = challenge
    wait = getattr(known, "wait", None)
    if wait is not None:
        response["Retry-After"] = str(max(1, round(wait + 0.5)))
    return response


def document(
    status: int, name: str, title: str, detail: str, instance: str, **more: Any
) -> dict[str, Any]:
    return {
        "type": _TYPE + name,
        "title": title,
        "status": status,
        "detail": detail,
        "instance": instance,
        **more,
    }


def _response(data: dict[str, Any]) -> JsonResponse:
    # A problem is JSON, whatever the media type of the view's responses.
    return JsonResponse(data, status=data["status"], content_type=CONTENT_TYPE)


def _known(fault: Exception) -> exceptions.APIException | None:
    if isinstance(fault, exceptions.APIException):
        return fault
    if isinstance(fault, Http404 | NotThere):
        return exceptions.NotFound()
    if isinstance(fault, PermissionDenied):
        return exceptions.PermissionDenied()
    if isinstance(fault, Refusal):
        return NotPossible(str(fault))
    if isinstance(fault, RequestDataTooBig):
        return TooLarge()
    if is_disk_full(fault):
        return NoRoom()
    if isinstance(fault, SuspiciousOperation | UnreadablePostError):
        return exceptions.ParseError("What was sent could not be read.")
    return None


def _status(known: exceptions.APIException) -> int:
    # As on the pages: 400 for unreadable requests, 422 for invalid values.
    return 422 if isinstance(known, exceptions.ValidationError) else known.status_code


def _named(known: exceptions.APIException) -> tuple[str, str]:
    if isinstance(known, ApiError):
        return known.problem, known.title
    for kind, names in NAMES.items():
        if isinstance(known, kind):
            return names
    return "error", HTTPStatus(known.status_code).phrase


def _detail(known: exceptions.APIException) -> str:
    if isinstance(known, exceptions.ValidationError):
        return "Some of what was sent does not hold; “errors” says where and why."
    return _DETAILS.get(type(known)) or str(known.detail)


def _places(detail: Any, pointer: str) -> Iterator[dict[str, str]]:
    """Yield each fault with its position, a JSON pointer into the request."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            own = name in ("non_field_errors", "__all__")
            yield from _places(inner, pointer if own else f"{pointer}/{_escaped(str(name))}")
    elif isinstance(detail, list):
        for at, inner in enumerate(detail):
            nested = isinstance(inner, dict | list)
            yield from _places(inner, f"{pointer}/{at}" if nested else pointer)
    else:
        yield {"pointer": pointer, "detail": str(detail)}


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def too_large(request: HttpRequest) -> HttpResponse:
    """Refuse a body that is larger than its address takes from this sender."""
    fault = TooLarge()
    return _response(document(413, fault.problem, fault.title, str(fault.detail), request.path))


def _outside_views(
    page: Callable[..., HttpResponse], status: int, name: str, title: str, detail: str
) -> Callable[..., HttpResponse]:
    """Return the handler of an error outside views; pages keep Django's own."""

    def handler(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
        if request.path_info.startswith(ROOT):
            return _response(document(status, name, title, detail, request.path))
        return page(request) if exception is None else page(request, exception)

    return handler


bad_request = _outside_views(
    defaults.bad_request, 400, "malformed", "Not readable", "What was sent could not be read."
)
permission_denied = _outside_views(
    defaults.permission_denied, 403, "forbidden", "Not allowed", "This is not allowed."
)
page_not_found = _outside_views(defaults.page_not_found, 404, "not-found", "Not found", _NOT_THERE)
server_error = _outside_views(defaults.server_error, 500, "failed", "The server failed", _FAILED)
