"""Photographs that no image uses, and images whose photograph is missing."""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from annotate.csv_tables import some_at_a_time

from . import thumbnails
from .models import Image, image_storage, stored_path

# Longer than any load takes: a newer photograph may belong to a load in progress.
GRACE: Final = 24 * 3600
# Longer than a file takes to be written: an older one was left by a process that was killed.
_PART_GRACE: Final = 600
_BATCH: Final = 500
_ASIDE: Final = ".aside"


def sweep(grace: float = GRACE) -> int:
    """Remove files that no image uses and that are older than ``grace`` seconds; return how many.

    A load or a bundle sets the modification time of each photograph that it will use to now
    (`photographs.store`), possibly between two steps of the sweep. So a file is first moved aside,
    and moved back if its time was renewed; a later load finds no file and stores it again.
    """
    before = time.time() - grace
    _put_back()
    n_removed = _remove_parts() + sum(_remove(path, before) for path in orphans(before))
    thumbnails.sweep()
    return n_removed


def give_back(stored: Mapping[Path, float]) -> None:
    """Remove files that a failed load stored, given with the time that it set on each.

    A file that another load has used since has a later time, and stays like one that an image shows.
    """
    for path in _unused(iter(stored)):
        _remove(path, stored[path] + 0.5)


def _remove_parts() -> int:
    n_removed = 0
    for part in _root().glob("*/*.part"):
        with suppress(FileNotFoundError):
            if part.stat().st_mtime < time.time() - _PART_GRACE:
                part.unlink()
                n_removed += 1
    return n_removed


def orphans(before: float | None = None) -> Iterator[Path]:
    """Yield the files that no image uses; with ``before`` (seconds since 1970), only older ones."""
    yield from _unused(_older(time.time() if before is None else before))


def _unused(paths: Iterator[Path]) -> Iterator[Path]:
    for files in some_at_a_time(paths, _BATCH):
        images = Image.objects.filter(sha256__in=[path.name for path in files])
        shown = set(images.values_list("sha256", flat=True).distinct())
        yield from (path for path in files if path.name not in shown)


def missing() -> Iterator[str]:
    """Yield the hash of each photograph that an image uses but that is not stored."""
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
