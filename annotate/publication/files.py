"""The files that public pages offer, kept as long as their pages, apart from other files."""

import os
from collections.abc import Callable
from hashlib import file_digest
from pathlib import Path
from typing import IO, Final
from uuid import uuid4

from django.conf import settings

from annotate.jobs.files import remove_unnamed

from .models import PublicPage

_UNFINISHED: Final = ".part"


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
        with part.open("rb") as stream:
            digest = file_digest(stream, "sha256").hexdigest()
        part.rename(folder() / name)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return name, digest, (folder() / name).stat().st_size


def remove(name: str) -> None:
    """Remove a page's file, if it has one."""
    if name:
        (folder() / name).unlink(missing_ok=True)


def sweep() -> int:
    """Remove files that no page offers, such as those of aborted attempts; return how many."""
    named = PublicPage.objects.exclude(file="").values_list("file", flat=True)
    return remove_unnamed(folder(), named)
