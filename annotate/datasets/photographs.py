"""Photographs of a dataset, from a folder or a zip: verified before they are stored."""

import io
import os
import struct
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final
from uuid import uuid4

from django.db import DatabaseError
from django.utils.translation import gettext as _
from PIL import Image as Picture
from PIL import UnidentifiedImageError

from protocols.formats.containers.archives import (
    Entry,
    Limits,
    Source,
    open_archive,
    read_entries,
    source_name,
)
from protocols.formats.problems import Problems

from . import orphans
from .models import stored_path

# Types that browsers display. All others, above all SVG and HTML, are refused whatever their names.
CONTENT_TYPES: Final = {
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
}
# The JPEG reader also detects MPO: several JPEGs in one file, written by some cameras.
_FORMATS: Final = ("JPEG", "PNG", "WEBP")
_MAX_PIXELS: Final = 100_000_000
_LIMITS: Final = Limits(entry_bytes=200 * 1024 * 1024, total_bytes=20 * 1024**3)


@dataclass(frozen=True, slots=True)
class Photograph:
    """Hash, type and size of a verified photograph; its bytes are stored under the hash."""

    sha256: str
    content_type: str
    width: int
    height: int


# The files that `giving_back` has to remove if its block fails, with their times.
_new: Final[ContextVar[dict[Path, float] | None]] = ContextVar("new_photographs", default=None)


@contextmanager
def giving_back() -> Iterator[None]:
    """Remove the photographs that the block stores if it fails, unless another load needs them."""
    stored: dict[Path, float] = {}
    token = _new.set(stored)
    try:
        yield
    except BaseException:
        # A database that fails, too, leaves them to the sweep.
        with suppress(DatabaseError):
            orphans.give_back(stored)
        raise
    finally:
        _new.reset(token)


def store(digest: str, content: bytes) -> None:
    """Store a photograph under its hash, completely or not at all.

    An existing file counts as new for `orphans.sweep`, so it stays until the caller has written the
    image that uses it. Only that sweep, and `giving_back` after a failure, remove a photograph.
    """
    path = stored_path(digest)
    try:
        os.utime(path)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{uuid4().hex}.part")
        try:
            with part.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            # Earlier than any use by another load, so that `giving_back` recognises one.
            at = time.time() - 1
            os.utime(part, (at, at))
            part.replace(path)
            if (new := _new.get()) is not None:
                new[path] = at
        finally:
            part.unlink(missing_ok=True)


def read_photographs(source: Source, problems: Problems) -> Iterator[tuple[Entry, Photograph]]:
    """Yield each photograph with its entry; any other file becomes a problem."""
    for entry in _files(source, problems):
        photograph = _verified(entry, problems)
        if photograph is not None:
            yield entry, photograph


def photograph_bytes(source: Source, path: str, digest: str) -> bytes | None:
    """Return one photograph of a verified zip, or None if it has changed since."""
    with open_archive(source, Problems(source_name(source)), _LIMITS) as archive:
        for member in archive.members:
            if member.path == path:
                content = archive.content(member)
                is_same = content is not None and sha256(content).hexdigest() == digest
                return content if is_same else None
    return None


def keep_photographs(
    source: Source,
    wanted: Mapping[str, Photograph],
    progress: Callable[[int, int], None],
) -> bool:
    """Store the verified photographs with these hashes; return whether all were found."""
    left = set(wanted)
    for entry in _files(source, Problems(source_name(source))):
        digest = sha256(entry.content).hexdigest()
        if digest in left:
            store(digest, entry.content)
            left.discard(digest)
            progress(len(wanted) - len(left), len(wanted))
    return not left


def _files(source: Source, problems: Problems) -> Iterator[Entry]:
    if isinstance(source, str | Path) and Path(source).is_dir():
        yield from _files_of_folder(Path(source), problems)
    else:
        yield from read_entries(source, problems, _LIMITS)


def _files_of_folder(folder: Path, problems: Problems) -> Iterator[Entry]:
    for path in sorted(folder.rglob("*")):
        if path.name.startswith(".") or not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        try:
            if path.stat().st_size > _LIMITS.entry_bytes:
                problems.error(
                    "A3",
                    _("a larger file"),
                    _("{n} bytes at most").format(n=_LIMITS.entry_bytes),
                    name,
                )
                continue
            yield Entry(path.name, name, path.read_bytes())
        except OSError as fault:
            problems.error(
                "P1",
                _("a file that cannot be read ({why})").format(why=os.strerror(fault.errno or 0)),
                _("a photograph"),
                name,
            )


def _verified(entry: Entry, problems: Problems) -> Photograph | None:
    wanted = _("a JPEG, PNG or WebP photograph")
    try:
        with Picture.open(io.BytesIO(entry.content), formats=_FORMATS) as picture:
            width, height = picture.size
            if width * height > _MAX_PIXELS:
                found = _("{width} x {height} pixels").format(width=width, height=height)
                wanted = _("at most {n} pixels").format(n=_MAX_PIXELS)
                problems.error("P1", found, wanted, entry.path)
                return None
            content_type = CONTENT_TYPES[picture.format or ""]
            # Decode all of it: a truncated file fails here and not in a user's browser.
            picture.load()
    except (
        UnidentifiedImageError,
        Picture.DecompressionBombError,
        Picture.DecompressionBombWarning,
    ):
        problems.error("P1", _("something else, or too large"), wanted, entry.path)
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error) as fault:
        problems.error(
            "P1", _("a damaged photograph ({why})").format(why=fault), wanted, entry.path
        )
    else:
        return Photograph(sha256(entry.content).hexdigest(), content_type, width, height)
    return None
