"""The participant of a request: signed in by an entrance, for one visit."""

from time import time
from typing import Final

from django.conf import settings
from django.contrib.auth import login, logout
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from annotate.accounts.models import hash_of
from annotate.judging.services import in_turn
from annotate.requests import network_of

from .models import Arrival

KEY: Final = "arrival"
# The secret of the browser in which a person consented, for the pages of that entrance alone.
_SECRET: Final = "consented"
_BACKEND: Final = "annotate.permissions.Participants"


def arrival_of(request: HttpRequest) -> Arrival | None:
    """Return the arrival of the participant who is signed in; None for anybody else."""
    # Without a cookie the session is not touched, so that public pages stay public.
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or KEY not in request.session:
        return None
    arrival: Arrival | None = getattr(request.user, "arrival", None)
    return arrival if arrival is not None and arrival.pk == request.session[KEY] else None


def sign_in(request: HttpRequest, arrival: Arrival) -> None:
    """Sign a participant in; another person in this browser is signed out first."""
    with in_turn():
        if request.user.is_authenticated:
            logout(request)
        login(request, arrival.person, backend=_BACKEND)
        request.session[KEY] = arrival.pk


def keep_secret(response: HttpResponse, arrival: Arrival, secret: str) -> None:
    """Let a browser keep the secret of the person who consented in it."""
    response.set_cookie(
        _SECRET,
        secret,
        max_age=arrival.entrance.keep_days * 24 * 3600,
        path=reverse("join:start", args=[arrival.entrance.slug]),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def secret_of(request: HttpRequest) -> str:
    """Return the secret that a browser sends; empty without one."""
    return request.COOKIES.get(_SECRET, "")


MOST_A_MINUTE: Final = 10
SECONDS_TO_WAIT: Final = 15
_A_MINUTE: Final = 60
# How long an id that came once is not counted again.
_KNOWN_SECONDS: Final = 3600


def may_try(address: str, person: str) -> bool:
    """Count an unknown id; return False if too many came from this network in the last minute.

    An empty id, of an entrance without ids, is not counted.
    """
    if not person:
        return True
    key, now = f"tried-ids:{hash_of(network_of(address))}", time()
    tried: dict[str, float] = cache.get(key, {})
    tried = {one: at for one, at in tried.items() if now - at < _KNOWN_SECONDS}
    # Eight characters tell a few hundred ids apart.
    one = hash_of(person)[:8]
    if one in tried:
        return True
    if sum(now - at < _A_MINUTE for at in tried.values()) >= MOST_A_MINUTE:
        return False
    cache.set(key, tried | {one: now}, _KNOWN_SECONDS)
    return True
