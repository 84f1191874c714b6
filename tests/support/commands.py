"""A pure package's command line, in this process or in an interpreter that cannot import Django."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

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
            timeout=300,
            env={**os.environ, "PYTHONPATH": path},
        )


def run_here(
    main: Callable[[list[str]], int], *arguments: object, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Call a command's main() in this process, which avoids starting an interpreter."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch("sys.stdin", io.StringIO(stdin)),
    ):
        try:
            code = main([*map(str, arguments)])
        except SystemExit as stop:
            code = stop.code
    return subprocess.CompletedProcess([*arguments], code, out.getvalue(), err.getvalue())
