"""Environments of programs and libraries of others, each made once for its versions."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def python_of(
    folder: Path,
    packages: Sequence[str],
    *,
    alone: Sequence[str] = (),
    python: str | Path = sys.executable,
) -> Path:
    """Return the Python of the virtual environment in a folder, made again if the packages differ.

    ``alone`` are installed without what they depend on. Raises CalledProcessError if packages
    cannot be installed.
    """
    made, wanted = folder / "made", "\n".join((*packages, *alone))
    of_folder = folder.absolute() / "bin" / "python"
    if not made.exists() or made.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", folder], check=True)
        install = [of_folder, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if packages:
            subprocess.run([*install, *packages], check=True)
        if alone:
            subprocess.run([*install, "--no-deps", *alone], check=True)
        made.write_text(wanted)
    return of_folder
