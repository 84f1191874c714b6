"""Uploads of entries on disk, apart from data sets; no page serves them to another team."""

import hashlib
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from django.conf import settings
from django.utils.translation import gettext as _

from annotate.imports.staging import Rows

from .errors import ChallengeRefused
from .models import Entry, new_key

_CHUNK: Final = 1024 * 1024
_MB: Final = 1024 * 1024
_A_DAY_SECONDS: Final = 24 * 3600


@dataclass(frozen=True, slots=True)
class Kept:
    key: str
    sha256: str
    n_bytes: int


def folder() -> Path:
    return Path(settings.DATA_DIR) / "entries"


def upload_of(key: str) -> Path:
    return folder() / key / "upload"


def rows_of(key: str) -> Rows:
    """Return the detections read from an upload, one row an image."""
    return Rows(folder() / key / "rows.jsonl.gz")


def keep(stream: BinaryIO, max_mb: int) -> Kept:
    """Store an upload. Raises ChallengeRefused if it is larger than allowed."""
    key, digest, size = new_key(), hashlib.sha256(), 0
    path = upload_of(key)
    path.parent.mkdir(parents=True)
    try:
        with path.open("wb") as file:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                if size > max_mb * _MB:
                    raise ChallengeRefused(
                        _("The file is larger than {n} MB, the limit of this challenge.").format(
                            n=max_mb
                        )
                    )
                digest.update(chunk)
                file.write(chunk)
    except BaseException:
        erase(key)
        raise
    return Kept(key, digest.hexdigest(), size)


def erase(key: str) -> None:
    shutil.rmtree(folder() / key, ignore_errors=True)


def sweep() -> None:
    """Erase files older than a day that belong to no entry."""
    if not folder().exists():
        return
    known = set(Entry.objects.filter(erased=None).values_list("key", flat=True))
    limit = time.time() - _A_DAY_SECONDS
    for path in folder().iterdir():
        with suppress(FileNotFoundError):
            if path.name not in known and path.stat().st_mtime < limit:
                erase(path.name)
