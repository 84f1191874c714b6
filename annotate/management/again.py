"""Command and environment to run this program in another process."""

import os
import sys
from pathlib import Path
from typing import Final

import annotate

COMMAND: Final = (sys.executable, "-m", "django")


def environment(**variables: str) -> dict[str, str]:
    """Return this process's environment, in which COMMAND finds the packages from any folder."""
    packages = str(Path(annotate.__file__).resolve().parents[1])
    paths = [packages, *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | variables
