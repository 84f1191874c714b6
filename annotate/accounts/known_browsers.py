"""Browsers in which a user has signed in before, known by a signed cookie of the sign-in page."""

from typing import Final
from uuid import uuid4

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from .models import hash_of

_COOKIE: Final = "known_browser"
_SALT: Final = "annotate.accounts.known_browsers"
_SECONDS: Final = 365 * 24 * 3600
# Users remembered per browser.
_MAX_PEOPLE: Final = 8


def of(request: HttpRequest, name: str) -> str:
    """Return the browser's id if this user has signed in there, otherwise an empty string."""
    browser, people = _read(request)
    return browser if _mark(name) in people else ""


def remember(request: HttpRequest, response: HttpResponse, name: str) -> None:
    """Remember that the user has signed in in this browser."""
    browser, people = _read(request)
    kept = [_mark(name), *(mark for mark in people if mark != _mark(name))][:_MAX_PEOPLE]
    response.set_cookie(
        _COOKIE,
        signing.dumps([browser or uuid4().hex, kept], salt=_SALT),
        max_age=_SECONDS,
        path=reverse("account_login"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    try:
        browser, people = signing.loads(
            request.COOKIES.get(_COOKIE, ""), salt=_SALT, max_age=_SECONDS
        )
    except signing.BadSignature:
        return "", []
    return browser, people


def _mark(name: str) -> str:
    return hash_of(name.lower())[:32]
