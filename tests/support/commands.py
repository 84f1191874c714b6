"""Starts a pure package's command line in an interpreter in which Django cannot be imported."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def run(package: str, *arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "django.py").write_text(
            "raise ImportError('a pure package needs no Django')\n"
        )
        path = os.pathsep.join([folder, str(_ROOT)])
        return subprocess.run(
            [sys.executable, "-m", package, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={**os.environ, "PYTHONPATH": path},
        )
