"""Paths of the site's own files, and the default folder for data.

Templates, scripts, styles and documents are at the top of the repository, or inside this package
if it is installed.
"""

import shlex
import tempfile
from pathlib import Path
from typing import Final

from platformdirs import user_data_path

_PACKED: Final = Path(__file__).resolve().parent / "files"
# The repository, or None for an installed package.
REPOSITORY: Final = None if _PACKED.is_dir() else _PACKED.parents[2]
_FILES: Final = REPOSITORY or _PACKED
TEMPLATES: Final = _FILES / "templates"
STATIC: Final = _FILES / "static"
DOCUMENTS: Final = _FILES / "docs"


def manage(folder: Path) -> str:
    """Return the command line before the name of a management command, for a data folder."""
    if REPOSITORY is not None:
        return "python manage.py"
    named = "" if folder == usual_data_folder() else f" --data {shlex.quote(str(folder))}"
    return f"text-rankings manage{named}"


class UnusableFolder(Exception):
    """Data cannot be kept in this folder; the message says why and what to do."""


def usual_data_folder() -> Path:
    """Return the default folder for data, without DATA_DIR and --data."""
    if REPOSITORY is not None:
        return REPOSITORY / "var"
    return user_data_path("text-rankings", appauthor=False)


def made(folder: Path) -> Path:
    """Create a folder if necessary, check that it is writable, and return it.

    Raises UnusableFolder if it cannot be created or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as fault:
        raise UnusableFolder(
            f"Data cannot be kept in {folder}: {fault.strerror}. Name another folder with --data or DATA_DIR."
        ) from fault


def for_us_alone(database: Path) -> None:
    """Create the file before SQLite does, because SQLite would make it readable by all users."""
    if database.is_absolute() and not database.exists():
        database.touch(mode=0o600)
