"""Health checks, one function each, that yield findings, with advice if something is wrong."""

import socket
import ssl
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks as django_checks
from django.core.cache import caches
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from django.db.models import Max
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotate.audit.models import AuditEntry
from annotate.datasets import orphans as unused
from annotate.errors import is_disk_full, is_read_only, room_bytes
from annotate.jobs import queue
from annotate.jobs import workers as presence
from annotate.jobs.errors import QueueAway
from annotate.jobs.models import Job
from annotate.judging.models import Screen
from annotate.judging.replay import rankings_that_differ
from annotate.operations.backups import daily
from protocols import registry, score_versions
from protocols.formats.recognition import known_formats
from rankings.output.signature import TABLES_VERSION
from text_rankings.base.counts import some_of

from .memory import recalled
from .versions import misfit

State = Literal["well", "warning", "fault"]
_GIB: Final = 1024**3
_LITTLE_ROOM: Final = 2 * _GIB
_NO_ROOM: Final = _GIB // 10
_WAITS_LONG: Final = timedelta(minutes=10)
_CLOCK_MAY_DIFFER: Final = timedelta(seconds=30)
_BACKUP_IS_OLD: Final = timedelta(days=2)
_FAILED_LATELY: Final = timedelta(days=1)
_CERTIFICATE_ENDS_SOON: Final = timedelta(days=14)
_DAY_SECONDS: Final = 24 * 3600
MAX_NAMED: Final = 5
# Each takes a few milliseconds.
N_REPLAYED: Final = 50


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of a check; ``advice`` is empty if all is well."""

    subject: str
    state: State
    said: str
    advice: str = ""

    @property
    def title(self) -> str:
        return _(self.subject)

    @property
    def tone(self) -> str:
        """The kind of the state's badge."""
        return {"well": "good", "fault": "bad"}.get(self.state, "warning")

    @property
    def state_said(self) -> str:
        return _(self.state)


# For the catalogues, which have the subjects from the findings themselves.
_STATES: Final = (gettext_noop("well"), gettext_noop("warning"), gettext_noop("fault"))
# Subjects without which nothing else can be checked.
_NEEDED: Final = {"database", "migrations"}
Check = Callable[[], Iterable[Finding]]


def database() -> Iterator[Finding]:
    """Write and read a value through the cache, whose table is in the database."""
    check = _("Check the disk, the file system and the right to write the database.")
    try:
        mark = timezone.now().isoformat()
        caches["default"].set("health", mark, 60)
        if caches["default"].get("health") != mark:
            yield Finding("database", "fault", _("it can be read but not written to"), check)
            return
    except DatabaseError as fault:
        cannot_write = is_disk_full(fault) or is_read_only(fault)
        advice = check if cannot_write else _("Check that it runs, and check DATABASE_URL.")
        with suppress(DatabaseError):
            if misfit():
                yield from migrations()
                return
            advice = f"{settings.MANAGE} set_up"
        yield Finding("database", "fault", _first_line(fault), advice)
        return
    yield Finding(
        "database", "well", _("{vendor}: reads and writes").format(vendor=connection.vendor)
    )


def program() -> Iterator[Finding]:
    said = _("program {program}, scores {scores}, tables {tables}").format(
        program=settings.PROGRAM, scores=score_versions.VERSION, tables=TABLES_VERSION
    )
    yield Finding("version", "well", said)


def migrations() -> Iterator[Finding]:
    found = misfit()
    if found:
        yield Finding("migrations", "fault", found.said, found.advice)
    else:
        yield Finding("migrations", "well", _("the database is of this version"))


def disk() -> Iterator[Finding]:
    free = room_bytes()
    said = _("{n} GiB free for data").format(n=number_format(free / _GIB, 1))
    state: State = "fault" if free < _NO_ROOM else "warning" if free < _LITTLE_ROOM else "well"
    yield Finding("disk", state, said, "" if state == "well" else _("Free some space on it."))


def workers() -> Iterator[Finding]:
    try:
        queue.opened().pending_count()
    except QueueAway as fault:
        yield Finding("queue", "fault", _first_line(fault), _("Check QUEUE_URL and DATA_DIR."))
        return
    waiting = Job.objects.filter(state=Job.State.WAITING)
    late = waiting.filter(created__lt=timezone.now() - _WAITS_LONG, not_before=None).count()
    n_alive = len(presence.alive())
    said = _("workers seen: {n}; jobs waiting: {waiting}").format(
        n=n_alive, waiting=waiting.count()
    )
    if presence.silence() is not None:
        advice = _("Start one that is as new as the site: {manage} worker").format(
            manage=settings.MANAGE
        )
        yield Finding("workers", "fault" if late else "warning", said, advice)
    elif late:
        yield Finding(
            "workers", "warning", said, _("Some have waited a long time: start more workers.")
        )
    else:
        yield Finding("workers", "well", said)


def clock() -> Iterator[Finding]:
    """Compare this machine's clock with the database's, and with the newest row."""
    now = timezone.now()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT now()")
            theirs: datetime = cursor.fetchone()[0]
        if abs(theirs - now) > _CLOCK_MAY_DIFFER:
            apart = round(abs(theirs - now).total_seconds())
            yield Finding(
                "clock",
                "warning",
                _("{apart} s apart from the database's").format(apart=apart),
                _("Synchronise both."),
            )
            return
    latest = [
        AuditEntry.objects.aggregate(at=Max("created"))["at"],
        Screen.objects.aggregate(at=Max("created"))["at"],
    ]
    if any(at is not None and at > now + _CLOCK_MAY_DIFFER for at in latest):
        yield Finding(
            "clock",
            "warning",
            _("the database has entries dated later than now"),
            _("Set this machine's clock: new answers are dated before old ones."),
        )
        return
    yield Finding("clock", "well", _("later than every stored entry"))


def mail() -> Iterator[Finding]:
    if not settings.MAIL_IS_SET_UP:
        yield Finding("mail", "well", _("not set up: messages are shown for copying"))
        return
    try:
        with get_connection(settings.EMAIL_SENT_BY):
            yield Finding("mail", "well", _("{host} answers").format(host=settings.EMAIL_HOST))
    except OSError as fault:  # the base of the mail library's own errors, too
        said = f"{settings.EMAIL_HOST}: {type(fault).__name__}"
        yield Finding("mail", "warning", said, _("Check EMAIL_HOST and its user."))


def photographs() -> Iterator[Finding]:
    missing = list(islice(unused.missing(), MAX_NAMED + 1))
    if missing:
        advice = _("Restore them from a backup, or load the dataset's photographs again.")
        yield Finding(
            "photographs",
            "fault",
            _("missing: {names}").format(names=some_of(missing, MAX_NAMED)),
            advice,
        )
    else:
        yield Finding("photographs", "well", _("all there"))
    orphans = sum(1 for _orphan in unused.orphans())
    if orphans:
        yield Finding(
            "photographs",
            "well",
            ngettext(
                "{n} that no image uses is deleted after a day",
                "{n} that no image uses are deleted after a day",
                orphans,
            ).format(n=orphans),
        )


def replay() -> Iterator[Finding]:
    """Replay the newest assignments and compare them with the stored rankings."""
    replayed = list(islice(rankings_that_differ(), N_REPLAYED))
    differing = [assignment for assignment, differs in replayed if differs]
    if differing:
        said = _("{n} of {all} rankings do not follow from their answers").format(
            n=len(differing), all=len(replayed)
        )
        advice = _(
            "{manage} replay --check names them all. Please report it: this should never happen."
        ).format(manage=settings.MANAGE)
        yield Finding("answers", "fault", said, advice)
    else:
        yield Finding(
            "answers",
            "well",
            ngettext(
                "{n} ranking follows from its answers",
                "{n} rankings follow from their answers",
                len(replayed),
            ).format(n=len(replayed)),
        )


def backup() -> Iterator[Finding]:
    if not settings.BACKUPS_KEPT:
        yield Finding("backups", "warning", _("daily copies are off"), _("Set BACKUPS_KEPT."))
        return
    newest = daily.newest()
    if newest is None:
        yield Finding("backups", "warning", _("none yet"), _("A worker makes one within an hour."))
        return
    age = timezone.now() - datetime.fromtimestamp(newest.stat().st_mtime, UTC)
    state: State = "warning" if age > _BACKUP_IS_OLD else "well"
    advice = _("Check that a worker runs and that the disk has room.") if state == "warning" else ""
    yield Finding("backups", state, _("the newest is {file}").format(file=newest.name), advice)


def settings_of_a_server() -> Iterator[Finding]:
    """Report settings that are unsafe on a server; a personal machine is reported as such."""
    if settings.DEBUG:
        yield Finding("settings", "well", _("for one person's machine (DEBUG); no server"))
    else:
        for message in django_checks.run_checks(include_deployment_checks=True):
            if not message.is_silenced():
                hint = message.hint or _("See {file}.").format(file=".env.example")
                yield Finding("settings", "warning", _first_line(message.msg), _first_line(hint))
    if connection.vendor == "sqlite":
        path = Path(connection.settings_dict["NAME"])
        if path.exists() and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            said = _("others on this machine can read the database")
            yield Finding("settings", "warning", said, f"chmod 600 {path}")


def plug_ins() -> Iterator[Finding]:
    broken = [*registry.broken_plugins(), *known_formats.broken_plugins()]
    for plugin in broken:
        yield Finding(
            "plug-ins",
            "warning",
            str(plugin),
            _("Repair or uninstall {package}.").format(package=plugin.package),
        )
    if not broken:
        yield Finding("plug-ins", "well", _("all are loaded"))


def failed_jobs() -> Iterator[Finding]:
    """Report the jobs that were given up after three attempts, within a day."""
    since = timezone.now() - _FAILED_LATELY
    failed = Job.objects.filter(state=Job.State.FAILED, n_attempts__gte=3, finished__gt=since)
    titles = sorted({job.title or job.kind for job in failed[: MAX_NAMED + 1]})
    if not titles:
        yield Finding("jobs", "well", _("none failed three times within a day"))
        return
    said = _("failed three times: {names}").format(names=some_of(titles, MAX_NAMED, "; "))
    yield Finding("jobs", "warning", said, _("“Work” says why; the server's log says more."))


def room_for_a_week() -> Iterator[Finding]:
    """Warn if the disk is full within a week at the rate of the last days; silent otherwise."""
    samples = recalled().get("room", [])
    # Less than a day says nothing of a week.
    if not samples or time.time() - samples[0][0] < _DAY_SECONDS:
        return
    began, room = samples[0]
    used_a_day = (room - room_bytes()) / ((time.time() - began) / _DAY_SECONDS)
    if used_a_day > 0 and (n_days := room_bytes() / used_a_day) < 7:
        said = _("full in about {n} days, at the rate of the last {last} days").format(
            n=number_format(n_days, 1),
            last=number_format((time.time() - began) / _DAY_SECONDS, 1),
        )
        yield Finding("disk", "warning", said, _("Free some space on it."))


def certificate() -> Iterator[Finding]:
    """Warn two weeks before the certificate of the site's own address expires."""
    for origin in settings.CSRF_TRUSTED_ORIGINS:
        address = urlsplit(origin)
        if address.scheme != "https" or not address.hostname or "*" in address.hostname:
            continue
        try:
            ends = _end_of_certificate(address.hostname, address.port or 443)
        except OSError as fault:  # refused, not found, expired, or of another name
            said = f"{address.hostname}: {_first_line(fault)}"
            yield Finding("certificate", "warning", said, _("Check the proxy and its certificate."))
            continue
        said = _("{host}: valid until {day}").format(
            host=address.hostname, day=date_format(ends, "DATE_FORMAT")
        )
        is_near = ends - timezone.now() < _CERTIFICATE_ENDS_SOON
        advice = _("Renew it now, and check why it was not renewed.") if is_near else ""
        yield Finding("certificate", "warning" if is_near else "well", said, advice)


def _end_of_certificate(host: str, port: int) -> datetime:
    """Return when a server's certificate ends. Raises OSError if it is not valid, or no server answers."""
    context = ssl.create_default_context()
    with (
        socket.create_connection((host, port), timeout=5) as plain,
        context.wrap_socket(plain, server_hostname=host) as connection,
    ):
        ends = str((connection.getpeercert() or {})["notAfter"])
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(ends), UTC)


# Checks for a proxy (every few seconds), for the admins' page, and all with the slow ones.
READY: Final[tuple[Check, ...]] = (disk, database, migrations, workers)
# Of what will be a fault; a worker looks at them every minute.
SOON: Final[tuple[Check, ...]] = (room_for_a_week, failed_jobs, backup)
PAGE: Final[tuple[Check, ...]] = (
    program,
    *READY,
    *SOON,
    clock,
    mail,
    settings_of_a_server,
    plug_ins,
)
ALL: Final[tuple[Check, ...]] = (*PAGE, certificate, photographs, replay)


def run_checks(these: Iterable[Check]) -> list[Finding]:
    """Return the findings of checks. After a fault of the database or its tables none can run."""
    findings: list[Finding] = []
    for check in these:
        findings += check()
        if any(of.subject in _NEEDED and of.state == "fault" for of in findings):
            break
    return findings


def _first_line(said: object) -> str:
    return str(said).strip().partition("\n")[0]
