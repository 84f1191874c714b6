"""The language of a user's pages: the browser's, until the user chooses one.

A cookie holds it, so pages need no query; at sign-in, the stored preference sets it in the user's
other browsers.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.utils import translation

from .models import Preferences


def of(person: User) -> str:
    """Return the language that this user chose, or an empty string."""
    return Preferences.of(person).language


@contextmanager
def writing_to(people: Iterable[int]) -> Iterator[None]:
    """Write an e-mail in a language that one of these people chose, else in the active one."""
    chosen = Preferences.objects.filter(person__in=people).exclude(language="").order_by("person")
    language = chosen.values_list("language", flat=True).first()
    with translation.override(language or translation.get_language()):
        yield


def keep(response: HttpResponse, language: str) -> None:
    """Set the language of this browser's requests; empty means the browser's own."""
    cookie = settings.LANGUAGE_COOKIE_NAME
    if not language:
        response.delete_cookie(cookie, samesite="Lax")
        return
    response.set_cookie(
        cookie,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        samesite="Lax",
        secure=settings.LANGUAGE_COOKIE_SECURE,
    )
