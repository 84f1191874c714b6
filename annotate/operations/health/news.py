"""Bad news by e-mail: admins get one letter when something is wrong, and one when it is over.

A worker looks every minute, and a web process that has been unable to work for five minutes, because
there may be no worker. Letters go straight to the mail server: the queue may be what is broken.
"""

import logging
import socket
import sqlite3
import time
from collections.abc import Iterable, Sequence
from smtplib import SMTPException
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage, get_connection
from django.db import DatabaseError, connections
from django.utils import translation
from django.utils.translation import gettext as _

from annotate.accounts.models import Preferences
from annotate.errors import room_bytes

from .checks import READY, SOON, Finding, run_checks
from .memory import remembered

_log = logging.getLogger(__name__)
PATIENCE_SECONDS: Final = 300
# The first copy of a new site takes up to an hour.
_PATIENCE_OF: Final = {"backups": 7200}
_SAMPLE_SECONDS, _SAMPLES_KEPT = 3600, 8 * 24


def watch(red_since: float | None = None) -> None:
    """Look at the site, and send the letters that are due; failures are logged.

    ``red_since``: seconds since 1970 for which it is known to be unable to work.
    """
    try:
        with remembered() as memory:
            _sample_room(memory)
            _renew_admins(memory)
            _look(memory, red_since)
    except (sqlite3.Error, OSError) as fault:
        # Another process is looking, or the disk is full.
        _log.info("No look at the health of the site: %s", fault)


def watch_apart(red_since: float) -> None:
    """Do `watch` in a thread of its own, whose database connections are closed."""
    try:
        watch(red_since)
    finally:
        connections.close_all()


def _sample_room(memory: dict[str, Any]) -> None:
    """Note the free bytes once an hour, for `checks.room_for_a_week`."""
    samples = memory.setdefault("room", [])
    if not samples or time.time() - samples[-1][0] >= _SAMPLE_SECONDS:
        samples.append([time.time(), room_bytes()])
        del samples[:-_SAMPLES_KEPT]


def _renew_admins(memory: dict[str, Any]) -> None:
    """Keep the addresses and languages of admins: they are needed when the database is away."""
    admins = User.objects.filter(is_active=True, is_superuser=True).exclude(email="")
    try:
        languages = dict(Preferences.objects.values_list("person", "language"))
        addresses = admins.order_by("pk").values_list("pk", "email")
        memory["admins"] = [[address, languages.get(pk, "")] for pk, address in addresses]
    except DatabaseError as fault:
        _log.warning("The addresses of admins cannot be read: %s", fault)


def _look(memory: dict[str, Any], red_since: float | None) -> None:
    now = time.time()
    troubles: dict[str, dict[str, Any]] = memory.setdefault("troubles", {})
    wrong = {finding.subject for finding in _bad(run_checks((*READY, *SOON)))}
    for subject in wrong - troubles.keys():
        troubles[subject] = {"since": now if red_since is None else red_since, "told": False}
    over = [subject for subject in troubles if subject not in wrong]
    due = [
        subject
        for subject in sorted(wrong)
        if not troubles[subject]["told"]
        and now - troubles[subject]["since"] >= _PATIENCE_OF.get(subject, PATIENCE_SECONDS)
    ]
    ended = {name: now - troubles[name]["since"] for name in over if troubles[name]["told"]}
    if (due or ended) and not _told(memory.get("admins", []), due, ended):
        return  # The next look tries again.
    for subject in due:
        troubles[subject]["told"] = True
    for subject in over:
        del troubles[subject]


def _bad(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings for the admins: faults, and warnings that a fault is near."""
    soon = {"backups", "certificate", "disk", "jobs"}
    return [
        finding
        for finding in findings
        if finding.state == "fault" or (finding.state == "warning" and finding.subject in soon)
    ]


def _told(admins: Sequence[Sequence[str]], due: Sequence[str], ended: dict[str, float]) -> bool:
    """Write to every admin; return whether a letter was sent, or none can be."""
    _log.error("Health of the site. Wrong: %s. Over: %s.", due or "-", [*ended] or "-")
    if not settings.MAIL_IS_SET_UP or not admins:
        return True
    try:
        with get_connection(settings.EMAIL_SENT_BY) as connection:
            for address, language in admins:
                with translation.override(language or settings.LANGUAGE_CODE):
                    subject, text = _letter(due, ended)
                EmailMessage(subject, text, to=[address], connection=connection).send()
    except (SMTPException, OSError) as fault:
        _log.error("The letter to the admins could not be sent: %s", type(fault).__name__)
        return False
    return True


def _letter(due: Sequence[str], ended: dict[str, float]) -> tuple[str, str]:
    findings = [finding for finding in _bad(run_checks((*READY, *SOON))) if finding.subject in due]
    lines = [f"{finding.title}: {finding.said}\n  {finding.advice}" for finding in findings]
    lines += [
        _("{subject}: over, after {n} minutes").format(
            subject=Finding(subject, "well", "").title, n=max(1, round(seconds / 60))
        )
        for subject, seconds in ended.items()
    ]
    names = ", ".join(Finding(name, "well", "").title for name in (*due, *ended))
    where = next(iter(settings.CSRF_TRUSTED_ORIGINS), socket.gethostname())
    said = _("Something is wrong: {names}") if due else _("Over: {names}")
    more = _("More: “Health of the site” on {where}, or {manage} doctor.")
    more = more.format(where=where, manage=settings.MANAGE)
    return said.format(names=names), "\n\n".join([*lines, more])
