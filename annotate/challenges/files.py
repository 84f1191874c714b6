"""Uploads of entries on disk, apart from datasets; no page serves them to another team."""

import hashlib
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, Final

from django.conf import settings
from django.utils.translation import gettext as _

from annotate.imports.staging import Rows

from .errors import ChallengeRefused
from .models import Entry, new_key

_CHUNK: Final = 1024 * 1024
_MB: Final = 1024 * 1024
_A_DAY_SECONDS: Final = 24 * 3600
# The name of a file in a backup.
_IN_BACKUP: Final = re.compile(r"entries/([0-9a-f]{32})/(?:upload|rows\.jsonl\.gz)")


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
    limit = time.time() - _A_DAY_SECONDS
    for path in orphans():
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < limit:
                erase(path.name)


def orphans() -> Iterator[Path]:
    """Yield the folders of files that belong to no entry."""
    paths = list(folder().iterdir()) if folder().exists() else []
    known = set(Entry.objects.filter(erased=None).values_list("key", flat=True))
    yield from (path for path in paths if path.name not in known)


def wrong() -> Iterator[str]:
    """Name each entry whose upload is missing or another than it was."""
    for entry in Entry.objects.filter(erased=None).select_related("team").iterator():
        path = upload_of(entry.key)
        if not path.is_file():
            yield _("{name} (missing)").format(name=entry)
            continue
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != entry.sha256:
                yield _("{name} (altered)").format(name=entry)


# Backups


def stored() -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield the name in a backup and the content of every file of an entry."""
    for key in Entry.objects.filter(erased=None).order_by("pk").values_list("key", flat=True):
        for path in (upload_of(key), rows_of(key).path):
            with suppress(FileNotFoundError), path.open("rb") as file:
                yield f"entries/{key}/{path.name}", iter(partial(file.read, _CHUNK), b"")


def key_in(name: str) -> str:
    """Return the key of the upload that a file of a backup belongs to; empty for other files."""
    found = _IN_BACKUP.fullmatch(name)
    return found[1] if found else ""


def put_back(name: str, stream: IO[bytes]) -> None:
    """Store a file of a backup."""
    path = folder().parent / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        shutil.copyfileobj(stream, file, _CHUNK)
