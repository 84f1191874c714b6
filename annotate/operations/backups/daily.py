"""Daily copies of the database on the site's own disk."""

from datetime import datetime
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils import timezone

from .writing import write_file

_SUFFIX: Final = ".zip"


def folder() -> Path:
    return Path(settings.DATA_DIR) / "backups"


def back_up() -> Path | None:
    """Write every row once a day, without photographs, and keep the newest BACKUPS_KEPT copies.

    Return the archive, or None if none was due. Raises OSError or DatabaseError for a full disk.
    """
    if not settings.BACKUPS_KEPT:
        return None
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    copy = folder() / f"{timezone.now():%Y-%m-%d}{_SUFFIX}"
    if copy.exists():
        return None
    write_file(copy, photographs=False)
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
