"""Copies of the embedded database; a PostgreSQL server has tools of its own for that."""

import os
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

_SUFFIX = ".sqlite3"


def folder() -> Path:
    return Path(settings.DATA_DIR) / "backups"


def back_up() -> Path | None:
    """Copy the SQLite database once a day and keep the newest BACKUPS_KEPT copies.

    Returns the copy, or None where none was due. It is whole or not there: written beside and moved
    into place. Raises OSError and DatabaseError for a full disk.
    """
    if connection.vendor != "sqlite" or not settings.BACKUPS_KEPT:
        return None
    folder().mkdir(parents=True, exist_ok=True)
    copy = folder() / f"{timezone.now():%Y-%m-%d}{_SUFFIX}"
    if copy.exists():
        return None
    part = copy.with_suffix(".part")
    part.unlink(missing_ok=True)
    try:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(part)])
        os.replace(part, copy)
    finally:
        part.unlink(missing_ok=True)
    for old in _kept()[settings.BACKUPS_KEPT :]:
        old.unlink()
    return copy


def _kept() -> list[Path]:
    """Return the copies, newest first."""
    return sorted(filter(_is_ours, folder().glob(f"*{_SUFFIX}")), reverse=True)


def _is_ours(path: Path) -> bool:
    try:
        datetime.strptime(path.stem, "%Y-%m-%d")
    except ValueError:
        return False
    return True
