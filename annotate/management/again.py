"""Command and environment to run this program in another process."""

import os
import subprocess  # nosec B404
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from django.core.management.base import CommandError

import annotate

COMMAND: Final = (sys.executable, "-m", "django")


def environment(**variables: str) -> dict[str, str]:
    """Return this process's environment, in which COMMAND finds the packages from any folder."""
    packages = str(Path(annotate.__file__).resolve().parents[1])
    paths = [packages, *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | variables


def run_there(there: Mapping[str, str], *step: str) -> None:
    """Run a command of this program with another environment.

    Raises CommandError with the last line of what it says, if it fails.
    """
    done = subprocess.run([*COMMAND, *step], env=there, capture_output=True, text=True)  # nosec B603
    if done.returncode:
        last = (done.stderr.strip() or "no reason given").splitlines()[-1]
        last = last.removeprefix("CommandError: ").rpartition("ImproperlyConfigured: ")[2]
        raise CommandError(f"{step[0]}: {last} This site is as it was.")
