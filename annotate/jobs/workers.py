"""The running workers, or since when there has been none."""

import os
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Max
from django.db.models.functions import Coalesce
from django.utils import timezone

from .models import Worker
from .versions import VERSION, is_newer

# A worker sends a heartbeat every few seconds.
_SILENT_AFTER: Final = timedelta(seconds=20)
_KEPT_FOR: Final = timedelta(days=7)
_NAME: Final = "{machine}, process {process}"


@dataclass(frozen=True)
class Silence:
    """No worker is running."""

    # None: no worker was ever started here.
    since: datetime | None
    # Version of a worker that is too old for the waiting jobs; else empty.
    old_version: str = ""


def name_of_this() -> str:
    return _NAME.format(machine=socket.gethostname(), process=os.getpid())


def arrive(name: str) -> None:
    """Record that a worker has started; delete workers that ended long ago."""
    now = timezone.now()
    Worker.objects.filter(heartbeat__lt=now - _KEPT_FOR).delete()
    defaults = {"version": VERSION, "heartbeat": now, "ended": None}
    Worker.objects.update_or_create(name=name, defaults=defaults)


def beat(name: str) -> None:
    if not Worker.objects.filter(name=name).update(heartbeat=timezone.now(), ended=None):
        arrive(name)


def leave(name: str) -> None:
    now = timezone.now()
    Worker.objects.filter(name=name).update(heartbeat=now, ended=now)


def alive() -> list[Worker]:
    """Return the workers with a recent heartbeat."""
    heard = Worker.objects.filter(ended=None, heartbeat__gt=timezone.now() - _SILENT_AFTER)
    return list(heard)


def is_here() -> bool:
    """Return whether a worker of this machine has a recent heartbeat."""
    mine = _NAME.format(machine=socket.gethostname(), process="")
    return any(worker.name.startswith(mine) for worker in alive())


def silence() -> Silence | None:
    """Return since when no worker has been running, or None if one is."""
    there = alive()
    if any(not is_newer(VERSION, worker.version) for worker in there):
        return None
    if there:
        return Silence(None, there[0].version)
    last = Worker.objects.aggregate(at=Max(Coalesce("ended", "heartbeat")))["at"]
    return Silence(last)
