"""Paths of the site's own files, and the default folder for data.

Templates, scripts, styles and documents lie at the top of the repository, and inside this package
once it is installed.
"""

import shlex
import tempfile
from pathlib import Path
from typing import Final

from platformdirs import user_data_path

_PACKED: Final = Path(__file__).resolve().parent / "files"
# The repository, or None of what is installed.
REPOSITORY: Final = None if _PACKED.is_dir() else _PACKED.parents[2]
_FILES: Final = REPOSITORY or _PACKED
TEMPLATES: Final = _FILES / "templates"
STATIC: Final = _FILES / "static"
DOCUMENTS: Final = _FILES / "docs"


def manage(folder: Path) -> str:
    """Return what people type before the name of a management command, for the data in a folder."""
    if REPOSITORY is not None:
        return "python manage.py"
    named = "" if folder == usual_data_folder() else f" --data {shlex.quote(str(folder))}"
    return f"text-rankings manage{named}"


class UnusableFolder(Exception):
    """Data cannot be kept in this folder; the message says why and what to do."""


def usual_data_folder() -> Path:
    """Return where data are kept if neither DATA_DIR nor --data says it."""
    if REPOSITORY is not None:
        return REPOSITORY / "var"
    return user_data_path("text-rankings", appauthor=False)


def made(folder: Path) -> Path:
    """Return the folder, which is there and can be written to.

    Raises
    ------
    UnusableFolder
        If it cannot be made, or nothing can be written into it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as fault:
        raise UnusableFolder(
            f"Data cannot be kept in {folder}: {fault.strerror}. Name another folder with --data or DATA_DIR."
        ) from fault
