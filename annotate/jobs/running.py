"""Doing the work of jobs: taking them up, telling how far they are, hearing whether to stop."""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final
from uuid import uuid4

from django.db import DatabaseError, connection
from django.db.models import F, Q
from django.utils import timezone

from annotate.errors import Refusal

from .errors import Cancelled, Stopped, Superseded
from .models import LOST_AFTER, Job
from .registry import work_of

_log = logging.getLogger(__name__)
_BEAT_SECONDS: Final = 0.7
# A job whose worker dies each time is given up, or it would run for ever.
_MAX_ATTEMPTS: Final = 3


def run_one(pk: int, *, beats_beside: bool = True) -> bool:
    """Take a job up and do its work; return whether it was there to take up.

    ``beats_beside`` lets a thread keep the row up to date while the work is in a transaction.
    """
    worker = uuid4().hex
    if not _take_up(pk, worker):
        return False
    job = Job.objects.get(pk=pk)
    pulse = _Pulse(job, beats_beside)
    try:
        with pulse.beating():
            work_of(job.kind)(job.arguments, pulse)
    except Cancelled:
        _end(job, Job.State.CANCELLED)
    except Superseded:
        _log.warning("Job %s was taken up by another worker.", pk)
    except Refusal as refusal:
        _end(job, Job.State.FAILED, str(refusal))
    except Exception:
        _log.exception("Job %s failed.", pk)
        _end(
            job,
            Job.State.FAILED,
            "Something unexpected went wrong, and nothing was changed. "
            f"The server's log says what it was, under job {pk}.",
        )
    else:
        _end(job, Job.State.DONE)
    return True


def run_waiting(*, first: int | None = None) -> int:
    """Run this job and then whatever else waits, one after the other; return how many were run.

    Where every core has a job already this does nothing: whoever ends next takes up what waits.
    """
    n_run = 0
    if first is not None and not _is_full():
        n_run += run_one(first)
    while not _is_full():
        waiting = Job.objects.to_take_up().values_list("pk", flat=True).first()
        if waiting is None:
            break
        n_run += run_one(waiting)
    return n_run


def _is_full() -> bool:
    heard_of = timezone.now() - LOST_AFTER
    at_work = Job.objects.filter(state=Job.State.RUNNING, heartbeat__gte=heard_of)
    return at_work.count() >= max(2, os.cpu_count() or 1)


def _take_up(pk: int, worker: str) -> bool:
    """Make this worker the job's; of several who try at once one succeeds."""
    now = timezone.now()
    given_up = Job.objects.to_take_up().filter(pk=pk, n_attempts__gte=_MAX_ATTEMPTS)
    given_up.update(
        state=Job.State.FAILED,
        finished=now,
        failure=f"It was begun {_MAX_ATTEMPTS} times and never came to an end, "
        "perhaps for want of memory. Nothing was changed.",
    )
    return bool(
        Job.objects.to_take_up()
        .filter(pk=pk)
        .update(
            state=Job.State.RUNNING,
            worker=worker,
            started=now,
            heartbeat=now,
            n_attempts=F("n_attempts") + 1,
        )
    )


def _end(job: Job, state: str, failure: str = "") -> None:
    """Write how the work ended, unless another worker has the job now."""
    mine = Job.objects.filter(pk=job.pk, worker=job.worker, state=Job.State.RUNNING)
    mine.update(state=state, failure=failure, finished=timezone.now())


class _Pulse:
    """Keeps the job's row up to date and hears from it whether to stop."""

    def __init__(self, job: Job, beats_beside: bool) -> None:
        self._job = job
        self._beside = beats_beside
        self._progress = (0, 0, "")
        self._stop: Stopped | None = None
        self._last = monotonic()
        self._over = threading.Event()

    def tell(self, done: int, total: int, doing: str = "") -> None:
        self._progress = (done, total, doing[:200])
        if not self._beside and (done >= total or monotonic() - self._last > _BEAT_SECONDS):
            self._beat()
        if self._stop is not None:
            raise self._stop

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
                    # SQLite has one writer: while the work writes, the beat waits and may not come.
                    _log.info("No heartbeat of job %s: %s", self._job.pk, fault)
        finally:
            connection.close()

    def _beat(self) -> None:
        self._last = monotonic()
        done, total, doing = self._progress
        mine = Job.objects.filter(pk=self._job.pk, worker=self._job.worker)
        n_mine = mine.filter(Q(state=Job.State.RUNNING)).update(
            done=done, total=total, doing=doing, heartbeat=timezone.now()
        )
        if not n_mine:
            self._stop = Superseded()
        elif mine.filter(cancel_requested=True).exists():
            self._stop = Cancelled()
