"""Running of jobs: claiming them, reporting their progress, and stopping them on request."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from time import monotonic
from typing import Any, Final
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F
from django.urls import set_script_prefix
from django.utils import timezone, translation

from annotate.audit.services import acting
from annotate.errors import Refusal, is_disk_full

from .access import require_permission
from .engine import must_go_on
from .errors import Cancelled, Interrupted, JobFailed, NotAllowed, Stopped, Superseded, TryLater
from .models import Job
from .notifications import tell_by_mail
from .registry import Outcome, work_of
from .versions import VERSION, is_newer

_log = logging.getLogger(__name__)
_BEAT_SECONDS: Final = 0.7
# A job whose worker dies each time is given up; otherwise it would run for ever.
_MAX_ATTEMPTS: Final = 3
_LATER: Final = timedelta(minutes=1)
_UNEXPECTED: Final = (
    "Something unexpected went wrong, and nothing was changed. The server's log says what it was, "
    "under job {job}."
)
_GIVEN_UP: Final = (
    f"It was started {_MAX_ATTEMPTS} times and never finished, perhaps "
    "because memory ran out. Nothing was changed."
)
_TOO_LONG: Final = (
    "It was ended after {hours} hours, the most that one piece of work may take here. Nothing was "
    "changed. An admin can raise JOB_MAX_HOURS."
)
# Beats between looks at the permission of its person: about seven seconds.
_BEATS_BETWEEN_LOOKS: Final = 10
_DISK_FULL: Final = (
    "There is no space left on the server's disk. Nothing was changed; try again when there is."
)
# Set when this process is to end: jobs stop when they next report progress.
_stopping: Final = threading.Event()
# The jobs of this process, by the worker name under which it claimed or is claiming them.
_at_work: Final[dict[str, int]] = {}
_claiming: Final = threading.Lock()


def run_one(pk: int, *, beats_beside: bool = True, n_places: int | None = None) -> bool:
    """Claim a job and run it; return whether it could be claimed.

    With ``beats_beside`` a thread keeps the row up to date while the work is in a transaction.
    With ``n_places``, the number of jobs that this process runs at once, the job is left for later
    if it would take the places that are kept for other people.
    """
    worker = uuid4().hex
    with _claiming:
        if _stopping.is_set() or (n_places and not _has_place(pk, n_places)):
            return False
        _at_work[worker] = pk
    try:
        if not _take_up(pk, worker):
            return False
        job = Job.objects.get(pk=pk)
        pulse = Pulse(job, beats_beside)
        # Threads do not have the prefix of the main one.
        set_script_prefix(settings.FORCE_SCRIPT_NAME or "/")
        # The texts that a job stores are in English, and translated for each reader.
        with pulse.beating(), translation.override("en"):
            outside = must_go_on.set(pulse.require_going_on)
            try:
                _do(job, pulse)
            finally:
                must_go_on.reset(outside)
    finally:
        _at_work.pop(worker, None)
    return True


def _has_place(pk: int, n_places: int) -> bool:
    """Return whether a job may begin: a person's second one must leave half of the places free.

    Jobs without a person are those of the site, which counts as one.
    """
    person = Job.objects.filter(pk=pk).values_list("person", flat=True).first()
    of_person = Job.objects.filter(pk__in=list(_at_work.values()), person=person)
    return 2 * (n_places - len(_at_work) - 1) >= n_places or not of_person.exists()


def _do(job: Job, pulse: "Pulse") -> None:
    try:
        with acting(lambda: job.person):
            require_permission(job)
            work_of(job.kind)(job.arguments, pulse)
        if not pulse.is_published:
            _end(job, Job.State.DONE)
    except Cancelled:
        _end(job, Job.State.CANCELLED)
    except Interrupted:
        _put_back(job.pk, job.worker, n_attempts=F("n_attempts") - 1)
    except Superseded:
        _log.warning("Job %s was taken up by another worker.", job.pk)
    except TryLater as away:
        _try_later(job, str(away))
    except Refusal as refusal:
        _end(job, Job.State.FAILED, str(refusal))
    except Exception as fault:
        _log.exception("Job %s failed.", job.pk)
        if is_disk_full(fault):
            _end(job, Job.State.FAILED, _DISK_FULL)
        elif isinstance(fault, OperationalError | InterfaceError) or (
            isinstance(fault, DatabaseError) and not connection.is_usable()
        ):
            # The database was away. If it still is, this fails too, and the job counts as lost.
            _try_later(job, _UNEXPECTED.format(job=job.pk))
        else:
            _end(job, Job.State.FAILED, _UNEXPECTED.format(job=job.pk))


def _try_later(job: Job, failure: str) -> None:
    if job.n_attempts < _MAX_ATTEMPTS:
        _put_back(job.pk, job.worker, not_before=timezone.now() + _LATER * job.n_attempts)
    else:
        _end(job, Job.State.FAILED, failure)


def stop_all() -> None:
    """Ask the jobs of this process to stop when they next report progress."""
    _stopping.set()


def is_at_work() -> bool:
    """Return whether this process is running a job."""
    return bool(_at_work)


def put_all_back() -> None:
    """Return the unfinished jobs of this process to the queue."""
    for worker, pk in list(_at_work.items()):
        _put_back(pk, worker, n_attempts=F("n_attempts") - 1)


def _put_back(pk: int, worker: str, **changes: Any) -> None:
    mine = Job.objects.filter(pk=pk, worker=worker, state=Job.State.RUNNING)
    mine.update(state=Job.State.WAITING, worker="", **changes)


def _take_up(pk: int, worker: str) -> bool:
    """Claim a job for this worker; of several simultaneous attempts one succeeds."""
    now = timezone.now()
    waiting = Job.objects.to_take_up().filter(pk=pk)
    version = waiting.values_list("version", flat=True).first()
    if version is None or is_newer(version, VERSION):
        return False
    stopped = waiting.filter(cancel_requested=True)
    if stopped.update(state=Job.State.CANCELLED, finished=now):
        return False
    given_up = waiting.filter(n_attempts__gte=_MAX_ATTEMPTS)
    if given_up.update(state=Job.State.FAILED, finished=now, failure=_GIVEN_UP):
        tell_by_mail(Job.objects.get(pk=pk))
        return False
    return bool(
        waiting.update(
            state=Job.State.RUNNING,
            worker=worker,
            started=now,
            heartbeat=now,
            n_attempts=F("n_attempts") + 1,
        )
    )


def _end(job: Job, state: str, failure: str = "") -> None:
    """Record how the work ended, unless another worker has the job now."""
    mine = Job.objects.filter(pk=job.pk, worker=job.worker, state=Job.State.RUNNING)
    if mine.update(state=state, failure=failure, finished=timezone.now()):
        tell_by_mail(Job.objects.get(pk=job.pk))


class Pulse:
    """A running job: its progress and heartbeat, requests to stop it, and its result."""

    def __init__(self, job: Job, beats_beside: bool) -> None:
        self._job = job
        self._beside = beats_beside
        self._progress = (0, 0, "")
        self._stop: Stopped | JobFailed | NotAllowed | None = None
        self._began = self._last = monotonic()
        self._n_beats = 0
        self._over = threading.Event()
        self.is_published = False

    @property
    def pk(self) -> int:
        return self._job.pk

    @property
    def person(self) -> User | None:
        return self._job.person

    def tell(self, done: int, total: int, doing: str = "") -> None:
        self._progress = (done, total, doing)
        if not self._beside and (done >= total or monotonic() - self._last > _BEAT_SECONDS):
            self._beat()
        self.require_going_on()

    def require_going_on(self) -> None:
        """Raise the reason if the work must end now."""
        if _stopping.is_set():
            raise Interrupted
        if self._stop is not None:
            raise self._stop

    def require_permission(self) -> None:
        require_permission(self._job)

    @contextmanager
    def publishing(self) -> Iterator[Outcome]:
        """Write the result and mark the job as done in one transaction.

        The row is locked meanwhile, so of two workers that have come this far one publishes and the
        other raises Superseded.
        """
        outcome = Outcome()
        with transaction.atomic():
            locked = Job.objects.select_for_update(of=("self",)).get(pk=self._job.pk)
            if locked.worker != self._job.worker or locked.state != Job.State.RUNNING:
                raise Superseded
            if locked.cancel_requested:
                raise Cancelled
            require_permission(locked)
            yield outcome
            locked.state, locked.finished = Job.State.DONE, timezone.now()
            locked.done, locked.total, locked.doing = self._progress
            locked.outcome, locked.address = outcome.text, outcome.address
            locked.made = outcome.made
            locked.file, locked.file_name = outcome.file, outcome.file_name
            locked.save()
        self.is_published = True
        tell_by_mail(locked)

    @contextmanager
    def beating(self) -> Iterator[None]:
        if not self._beside:
            yield
            return
        thread = threading.Thread(target=self._beat_on, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _beat_on(self) -> None:
        try:
            while not self._over.wait(_BEAT_SECONDS):
                try:
                    self._beat()
                except DatabaseError as fault:
                    # SQLite has one writer: while the work writes, the beat waits and may fail.
                    _log.info("No heartbeat of job %s: %s", self._job.pk, fault)
        finally:
            connection.close()

    def _beat(self) -> None:
        self._last = monotonic()
        self._n_beats += 1
        done, total, doing = self._progress
        mine = Job.objects.filter(pk=self._job.pk, worker=self._job.worker)
        n_mine = mine.filter(state=Job.State.RUNNING).update(
            done=done, total=total, doing=doing, heartbeat=timezone.now()
        )
        if not n_mine:
            self._stop = Superseded()
        elif mine.filter(cancel_requested=True).exists():
            self._stop = Cancelled()
        elif monotonic() - self._began > 3600 * settings.JOB_MAX_HOURS > 0:
            self._stop = JobFailed(_TOO_LONG.format(hours=settings.JOB_MAX_HOURS))
        elif self._n_beats % _BEATS_BETWEEN_LOOKS == 0:
            try:
                require_permission(self._job)
            except NotAllowed as lost:
                self._stop = lost
