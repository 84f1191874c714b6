"""Sessions of a user, listed and ended in a fixed number of queries."""

from typing import Final

from allauth.usersessions.forms import ManageUserSessionsForm
from allauth.usersessions.models import UserSession
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

# How browsers and systems identify themselves. Many name others too, so the first match counts.
_BROWSERS: Final = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS: Final = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
_LONGEST: Final = 120


def browser_of(user_agent: str) -> str:
    """Return the names of a browser and its system, or its own description if they are unknown."""
    browser, system = (
        next((name for sign, name in names.items() if sign in user_agent), "")
        for names in (_BROWSERS, _SYSTEMS)
    )
    if browser and system:
        return _("{browser} on {system}").format(browser=browser, system=system)
    return user_agent[:_LONGEST]


def living_sessions(user: User) -> list[UserSession]:
    """Return a user's active sessions, oldest first; delete the others."""
    listed = list(UserSession.objects.filter(user=user).order_by("created_at", "pk"))
    keys = [session.session_key for session in listed]
    stored = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    living = {session.session_key for session in stored if _is_of(session, user)}
    if gone := [session.pk for session in listed if session.session_key not in living]:
        UserSession.objects.filter(pk__in=gone).delete()
    return [session for session in listed if session.session_key in living]


def _is_of(session: Session, user: User) -> bool:
    """Return whether a session is signed in as this user, with the current password."""
    data = session.get_decoded()
    given = str(data.get(HASH_SESSION_KEY, ""))
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return data.get(SESSION_KEY) == str(user.pk) and any(
        constant_time_compare(given, hash_) for hash_ in hashes
    )


@transaction.atomic
def end_other_sessions(user: User, session_key: str | None) -> None:
    """Sign a user out of all sessions except this one."""
    others = UserSession.objects.filter(user=user).exclude(session_key=session_key)
    keys = list(others.values_list("session_key", flat=True))
    Session.objects.filter(session_key__in=keys).delete()
    UserSession.objects.filter(session_key__in=keys).delete()


class SessionsForm(ManageUserSessionsForm):  # type: ignore[misc]  # the library has no types
    """A form without fields; saving it ends all other sessions."""

    def save(self, request: HttpRequest) -> None:
        if isinstance(request.user, User):
            end_other_sessions(request.user, request.session.session_key)
