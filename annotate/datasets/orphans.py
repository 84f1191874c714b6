"""Photographs that no image shows, and images whose photograph is missing."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from . import thumbnails
from .models import Image, image_storage, stored_path

# Longer than any load takes: a newer photograph may belong to a load in progress.
GRACE: Final = 24 * 3600
_BATCH: Final = 500
_ASIDE: Final = ".aside"


def sweep(grace: float = GRACE) -> int:
    """Remove the files that no image shows and that are older than ``grace`` seconds; return how many.

    A load or a bundle makes each photograph that it is going to show as new (`photographs.store`), which
    may happen between any two steps of this. So a file is moved aside first, and moved back if it has
    become new meanwhile; a load that comes later finds none there and stores it again.
    """
    before = time.time() - grace
    _put_back()
    n_removed = sum(_remove(path, before) for path in orphans(before))
    thumbnails.sweep()
    return n_removed


def orphans(before: float | None = None) -> Iterator[Path]:
    """Yield the files that no image shows; with ``before`` (seconds since 1970) only older ones."""
    for files in _in_batches(_older(time.time() if before is None else before)):
        images = Image.objects.filter(sha256__in=[path.name for path in files])
        shown = set(images.values_list("sha256", flat=True).distinct())
        yield from (path for path in files if path.name not in shown)


def missing() -> Iterator[str]:
    """Yield the hash of each photograph that an image shows and that is not stored."""
    hashes = Image.objects.exclude(sha256="").order_by("sha256").values_list("sha256", flat=True)
    for digest in hashes.distinct().iterator(_BATCH):
        if not stored_path(digest).is_file():
            yield digest


def _put_back() -> None:
    """Undo the moves of a sweep that was killed between two steps."""
    for aside in _root().glob(f"*/*{_ASIDE}"):
        with suppress(FileNotFoundError):
            aside.rename(aside.with_suffix(""))


def _root() -> Path:
    return Path(image_storage().path(""))


def _older(before: float) -> Iterator[Path]:
    for path in _root().glob("*/*"):
        try:
            if path.is_file() and path.stat().st_mtime < before:
                yield path
        except FileNotFoundError:
            continue  # another sweep was faster


def _in_batches(paths: Iterator[Path]) -> Iterator[list[Path]]:
    batch: list[Path] = []
    for path in paths:
        batch.append(path)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _remove(path: Path, before: float) -> bool:
    aside = path.with_name(path.name + _ASIDE)
    try:
        path.rename(aside)
    except FileNotFoundError:
        return False
    if aside.stat().st_mtime >= before:
        aside.rename(path)
        return False
    aside.unlink()
    return True
