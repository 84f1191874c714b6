"""The site's base error, and the message that two subjects share."""

import errno
import shutil
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import DatabaseError
from django.utils.translation import gettext_lazy

CHOOSE_A_VERDICT: Final = gettext_lazy("Choose left, equal or right.")


class Refusal(Exception):
    """Something that was asked for is not done; the message is for the person who asked."""


class NotThere(Exception):
    """A row does not exist, or not for this person; pages and API answer 404."""


# Below this nothing is sure to be written.
_FULL_BELOW_BYTES: Final = 1024**2


def is_disk_full(fault: Exception) -> bool:
    """Return whether a disk is full: that of files, SQLite's or PostgreSQL's."""
    if isinstance(fault, DatabaseError):
        return "disk is full" in str(fault) or "No space left" in str(fault)
    return isinstance(fault, OSError) and fault.errno in (errno.ENOSPC, errno.EDQUOT)


def room_bytes() -> int:
    """Return how much room the disk of the site's data has; its folder may still have to be made."""
    folder: Path = settings.DATA_DIR
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return shutil.disk_usage(there).free


def has_no_room() -> bool:
    """Return whether the site's own disk is full."""
    return room_bytes() < _FULL_BELOW_BYTES
