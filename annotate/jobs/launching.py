"""Launching jobs: in a process of their own on this machine, or on a Dask cluster."""

import subprocess  # nosec B404
import sys
from subprocess import DEVNULL  # nosec B404
from typing import Final

from django.conf import settings

from .cluster import submit

# Kept until they end, so that none stays behind as a zombie.
_children: Final[list[subprocess.Popen[bytes]]] = []


def launch(pk: int) -> None:
    """Have somebody run the job; return before it is done."""
    if settings.DASK_SCHEDULER:
        submit(pk)
    else:
        _start_process(pk)


def _start_process(pk: int) -> None:
    _children[:] = [child for child in _children if child.poll() is None]
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "run_jobs", str(pk)]
    # A session of its own: it outlives the web process that is restarted meanwhile.
    child = subprocess.Popen(command, stdin=DEVNULL, start_new_session=True)  # nosec B603
    _children.append(child)
