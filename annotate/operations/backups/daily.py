"""Daily copies of the database on the site's own disk."""

import os
from datetime import datetime
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils import timezone

from .writing import write_backup

_SUFFIX: Final = ".zip"


def folder() -> Path:
    return Path(settings.DATA_DIR) / "backups"


def back_up() -> Path | None:
    """Write every row once a day, without photographs, and keep the newest BACKUPS_KEPT copies.

    Return the archive, or None if none was due. It is complete or absent: written under a temporary
    name and moved into place. Raises OSError or DatabaseError for a full disk.
    """
    if not settings.BACKUPS_KEPT:
        return None
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    copy = folder() / f"{timezone.now():%Y-%m-%d}{_SUFFIX}"
    if copy.exists():
        return None
    part = copy.with_suffix(".part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            write_backup(stream, photographs=False)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(copy)
    finally:
        part.unlink(missing_ok=True)
    for old in _kept()[settings.BACKUPS_KEPT :]:
        old.unlink()
    return copy


def newest() -> Path | None:
    return next(iter(_kept()), None)


def _kept() -> list[Path]:
    """Return the copies, newest first."""
    return sorted(filter(_is_ours, folder().glob(f"*{_SUFFIX}")), reverse=True)


def _is_ours(path: Path) -> bool:
    try:
        datetime.strptime(path.stem, "%Y-%m-%d")
    except ValueError:
        return False
    return True
