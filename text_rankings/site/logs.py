"""Logging of requests by number and page name, without secrets or personal data."""

import json
import logging
import re
import secrets
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

# Token URLs: invitation, password reset, e-mail confirmation, public pages.
_WITH_TOKEN = re.compile(
    r"(/invitation/(?!join/)|/password/reset/key/(?!done/)|/confirm-email/|/public/(?:boards/)?)"
    r"[^/\s\"?]+"
)


class WithoutTokens(logging.Filter):
    """Filter that replaces the secret part of a URL by dots in every log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        clean = _WITH_TOKEN.sub(r"\1...", said)
        if clean != said:
            record.msg, record.args = clean, ()
        return True


_request_id: ContextVar[str] = ContextVar("request_id", default="-")
_FROM_A_PROXY: Final = re.compile(r"[\w-]{8,64}")
_OF_A_REQUEST: Final = ("page", "method", "status", "ms")
_log = logging.getLogger("rankings.requests")


def numbered(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Give each request a number, for its log records and its response, and log its end."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-Id", "")  # from trusted proxies only
        number = given if _FROM_A_PROXY.fullmatch(given) else secrets.token_hex(8)
        # It stays until the thread's next request: Django logs refusals after the last middleware.
        _request_id.set(number)
        began = time.monotonic()
        response = get_response(request)
        response["X-Request-Id"] = number
        # The URL may name a person; the page's name does not.
        match = request.resolver_match
        values = (
            (match and match.view_name) or "none",
            request.method,
            response.status_code,
            round(1000 * (time.monotonic() - began)),
        )
        named = dict(zip(_OF_A_REQUEST, values, strict=True))
        _log.info("%s %s: %s in %s ms", values[1], values[0], *values[2:], extra=named)
        return response

    return answer


class WithRequest(logging.Filter):
    """Filter that adds the number of the request, and the version that answers, to a record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id, record.version = _request_id.get(), settings.PROGRAM
        return True


class InUtc(logging.Formatter):
    """Formatter with times in UTC: Django gives the process the zone of the site's pages."""

    default_msec_format = "%s,%03dZ"

    @staticmethod
    def converter(seconds: float | None) -> time.struct_time:
        return time.gmtime(seconds)


class AsJson(logging.Formatter):
    """Formatter that writes one JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "request": getattr(record, "request_id", "-"),
            "version": getattr(record, "version", ""),
            "message": record.getMessage(),
        }
        if record.name == _log.name:
            said |= {name: getattr(record, name) for name in _OF_A_REQUEST}
        if record.exc_info:
            said["fault"] = self.formatException(record.exc_info)
        return json.dumps(said)
