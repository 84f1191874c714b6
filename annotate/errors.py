"""The site's base errors, a message that two subjects share, and checks for a disk without room or rights."""

import errno
import os
import shutil
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils.translation import gettext_lazy

CHOOSE_A_VERDICT: Final = gettext_lazy("Choose left, equal or right.")


class Refusal(Exception):
    """A refused request; the message is for the user who made it."""


class NotThere(Exception):
    """A row that does not exist, or not for this user; pages and API answer with 404."""


# With less free space, writing may fail.
_FULL_BELOW_BYTES: Final = 1024**2


def is_disk_full(fault: Exception) -> bool:
    """Return whether an error means a full disk: of files, SQLite or PostgreSQL."""
    if isinstance(fault, DatabaseError):
        said = str(fault)
        # SQLite says the last when it has no room for the files next to the database.
        return (
            "disk is full" in said
            or "No space left" in said
            or ("disk I/O error" in said and has_no_room())
        )
    return isinstance(fault, OSError) and fault.errno in (errno.ENOSPC, errno.EDQUOT)


def is_read_only(fault: Exception) -> bool:
    """Return whether an error means a database that cannot be written to."""
    said, folder = str(fault), Path(connection.settings_dict["NAME"]).parent
    # SQLite cannot open a database in a folder where it may not create the files next to it.
    no_files_beside = "unable to open" in said and folder.exists()
    return (
        "readonly" in said
        or "read-only" in said
        or (no_files_beside and not os.access(folder, os.W_OK))
    )


def room_bytes() -> int:
    """Return the free bytes on the disk of the site's data; its folder need not exist yet."""
    folder: Path = settings.DATA_DIR
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return shutil.disk_usage(there).free


def has_no_room() -> bool:
    """Return whether the site's own disk is full."""
    return room_bytes() < _FULL_BELOW_BYTES
