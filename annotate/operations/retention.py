"""Retention: data are deleted when the days of the settings are over."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.utils import timezone

from annotate.accounts import services as accounts
from annotate.accounts.privacy import personal_data
from annotate.jobs import services as jobs
from annotate.judging import personal_data as judging

# By setting, the functions that delete what is older than a time.
ENFORCED: Final[dict[str, tuple[Callable[[datetime], int], ...]]] = {
    "JOBS_KEPT_DAYS": (jobs.forget_ended,),
    "DETAILS_KEPT_DAYS": (accounts.forget_addresses, judging.forget_browsers),
    "ACCOUNTS_KEPT_DAYS": (personal_data.erase_unused,),
}


def enforce() -> None:
    """Delete the data whose days are over."""
    for name, forget_all in ENFORCED.items():
        if days := getattr(settings, name):
            for forget in forget_all:
                forget(timezone.now() - timedelta(days=days))


def clear_sessions() -> None:
    """Delete expired sessions, with the addresses and browsers noted for them."""
    call_command("clearsessions")
    living = Session.objects.values("session_key")
    UserSession.objects.exclude(session_key__in=living).delete()
