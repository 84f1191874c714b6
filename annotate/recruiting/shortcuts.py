"""The participant of a request: signed in by an entrance, for one visit."""

from typing import Final

from django.conf import settings
from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from annotate.judging.services import in_turn

from .models import Arrival

KEY: Final = "arrival"
# The secret of the browser in which a person consented, for the pages of that entrance alone.
_SECRET: Final = "consented"
_BACKEND: Final = "annotate.permissions.Permissions"


def arrival_of(request: HttpRequest) -> Arrival | None:
    """Return the arrival of the participant who is signed in; None for anybody else."""
    # Without a cookie the session is not touched, so that public pages stay public.
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or KEY not in request.session:
        return None
    arrivals = Arrival.objects.select_related("entrance", "study", "person")
    number: int = request.session[KEY]
    return arrivals.filter(pk=number, person=request.user.pk).first()


def sign_in(request: HttpRequest, arrival: Arrival) -> None:
    """Sign a participant in; another person in this browser is signed out first."""
    with in_turn():
        if request.user.is_authenticated:
            logout(request)
        login(request, arrival.person, backend=_BACKEND)
        request.session[KEY] = arrival.pk
        request.session.save()


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
