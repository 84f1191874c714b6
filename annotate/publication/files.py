"""The files that public pages offer, kept as long as their pages, apart from other files."""

import os
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import IO, Final
from uuid import uuid4

from django.conf import settings
from django.utils import timezone

from .models import PublicPage

_CHUNK: Final = 1024 * 1024
_UNFINISHED: Final = ".part"
# Files unreferenced for longer are orphaned.
_ON_ITS_WAY: Final = timedelta(days=1)


def folder() -> Path:
    path = Path(settings.DATA_DIR) / "published"
    path.mkdir(parents=True, exist_ok=True)
    return path


def path_of(page: PublicPage) -> Path | None:
    """Return the path of a page's file, or None if it is not written yet or is missing."""
    path = folder() / page.file if page.file else None
    return path if path is not None and path.is_file() else None


def written(write: Callable[[IO[bytes]], object]) -> tuple[str, str, int]:
    """Write a file; return its name, SHA-256 and size. An incomplete file is removed."""
    name = f"{uuid4().hex}.zip"
    part = folder() / f"{name}{_UNFINISHED}"
    try:
        with part.open("wb") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        digest = sha256()
        with part.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        part.rename(folder() / name)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return name, digest.hexdigest(), (folder() / name).stat().st_size


def remove(name: str) -> None:
    """Remove a page's file, if it has one."""
    if name:
        (folder() / name).unlink(missing_ok=True)


def sweep() -> int:
    """Remove files that no page offers, such as those of aborted attempts; return how many."""
    named = set(PublicPage.objects.exclude(file="").values_list("file", flat=True))
    long_ago = (timezone.now() - _ON_ITS_WAY).timestamp()
    n_removed = 0
    for path in folder().iterdir():
        if path.name not in named and path.stat().st_mtime < long_ago:
            path.unlink(missing_ok=True)
            n_removed += 1
    return n_removed
