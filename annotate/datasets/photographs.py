"""Photographs of a dataset, from a folder or a zip: verified before they are stored."""

import io
import os
import struct
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from django.db import DatabaseError
from django.utils.translation import gettext as _
from PIL import Image as Picture
from PIL import UnidentifiedImageError

from protocols.formats.containers.archives import Entry, Limits, open_archive, read_entries
from protocols.formats.containers.files import Source, source_name
from protocols.formats.containers.frames import PictureSize
from protocols.formats.containers.image_sizes import other_format, picture_size
from protocols.formats.problems import Problems

from . import orphans
from .models import Image, stored_path

# Types that browsers display. All others, above all SVG and HTML, are refused whatever their names.
CONTENT_TYPES: Final = {
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
}
_MAX_PIXELS: Final = 100_000_000
_LIMITS: Final = Limits(entry_bytes=200 * 1024 * 1024, total_bytes=20 * 1024**3)


@dataclass(frozen=True, slots=True)
class Photograph:
    """Hash, type and upright size of a verified photograph; its bytes are stored under the hash.

    ``orientation`` turns the file's pixels upright; if it is not 1, upright pixels are stored, and
    ``original_sha256`` is the hash of the file. ``asked`` is the orientation of a WebP, which some
    programs apply and browsers do not.
    """

    sha256: str
    content_type: str
    width: int
    height: int
    orientation: int = 1
    original_sha256: str = ""
    asked: int = 1


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


def read_photographs(
    source: Source, problems: Problems, *, turns_webp: bool = False
) -> Iterator[tuple[Entry, Photograph]]:
    """Yield each photograph with its entry; any other file becomes a problem.

    ``turns_webp``: the orientation of a WebP counts.
    """
    for entry in _files(source, problems):
        photograph = _verified(entry, problems, turns_webp)
        if photograph is not None:
            yield entry, photograph


def photograph_bytes(
    source: Source, path: str, digest: str, *, turns_webp: bool = False
) -> bytes | None:
    """Return one photograph of a verified zip, upright, or None if it has changed since."""
    with open_archive(source, Problems(source_name(source)), _LIMITS) as archive:
        for member in archive.members:
            if member.path == path:
                content = archive.content(member)
                if content is None or sha256(content).hexdigest() != digest:
                    return None
                size = _size(content, turns_webp)
                return content if size is None else upright(content, size.orientation)
    return None


def keep_photographs(
    source: Source,
    wanted: Mapping[str, Photograph],
    progress: Callable[[int, int], None],
) -> dict[str, Photograph]:
    """Store the verified photographs with these hashes, upright; return those found, as stored."""
    kept: dict[str, Photograph] = {}
    for entry in _files(source, Problems(source_name(source))):
        digest = sha256(entry.content).hexdigest()
        if digest in wanted and digest not in kept:
            kept[digest] = _kept(entry.content, wanted[digest])
            progress(len(kept), len(wanted))
    return kept


def _kept(content: bytes, photograph: Photograph) -> Photograph:
    if photograph.orientation == 1:
        store(photograph.sha256, content)
        return photograph
    # Another release of Pillow may write other bytes for the same original.
    earlier = Image.objects.filter(
        original_sha256=photograph.sha256, orientation=photograph.orientation
    ).first()
    pixels = upright(content, photograph.orientation)
    if earlier is not None:
        with suppress(FileNotFoundError):
            pixels = stored_path(earlier.sha256).read_bytes()
    digest = sha256(pixels).hexdigest()
    store(digest, pixels)
    return replace(photograph, sha256=digest, original_sha256=photograph.sha256)


def _size(content: bytes, turns_webp: bool) -> PictureSize | None:
    size = picture_size(content)
    if size is not None and size.asked > 1 and turns_webp:
        return PictureSize.of_stored(*size, size.asked)
    return size


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


def _verified(entry: Entry, problems: Problems, turns_webp: bool) -> Photograph | None:
    wanted = _("a JPEG, PNG or WebP photograph")
    try:
        with Picture.open(io.BytesIO(entry.content), formats=FORMATS) as picture:
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
        found = _("something else, or too large")
        if (named := other_format(entry.content)) is not None:
            found = _("a picture in the format {format}").format(format=named)
            wanted = _("the same picture as JPEG or PNG, or any JPEG, PNG or WebP photograph")
        problems.error("P1", found, wanted, entry.path)
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error) as fault:
        problems.error(
            "P1", _("a damaged photograph ({why})").format(why=fault), wanted, entry.path
        )
    else:
        size = _size(entry.content, turns_webp) or PictureSize(width, height)
        digest = sha256(entry.content).hexdigest()
        return Photograph(
            digest, content_type, *size, orientation=size.orientation, asked=size.asked
        )
    return None


# Formats that browsers display. The JPEG reader also detects MPO: several JPEGs in one file, written
# by some cameras.
FORMATS: Final = ("JPEG", "PNG", "WEBP")
_TURNS: Final = {
    2: Picture.Transpose.FLIP_LEFT_RIGHT,
    3: Picture.Transpose.ROTATE_180,
    4: Picture.Transpose.FLIP_TOP_BOTTOM,
    5: Picture.Transpose.TRANSPOSE,
    6: Picture.Transpose.ROTATE_270,
    7: Picture.Transpose.TRANSVERSE,
    8: Picture.Transpose.ROTATE_90,
}
# Properties of pixels that are kept; all other tags are not.
_KEPT: Final = ("icc_profile", "transparency")
_QUALITY: Final = 95


def turned(picture: Picture.Image, orientation: int) -> Picture.Image:
    """Return the picture that browsers show for this orientation."""
    return picture if orientation == 1 else picture.transpose(_TURNS[orientation])


def upright(content: bytes, orientation: int) -> bytes:
    """Return a photograph's file as one of upright pixels; without a turn, unchanged."""
    if orientation == 1:
        return content
    out = io.BytesIO()
    with Picture.open(io.BytesIO(content), formats=FORMATS) as picture:
        options: dict[str, Any] = {"JPEG": {"quality": _QUALITY, "subsampling": 0}, "PNG": {}}.get(
            kind := "JPEG" if picture.format == "MPO" else picture.format or "",
            {"quality": _QUALITY, "lossless": b"VP8L" in content[:64]},
        )
        options |= {name: picture.info[name] for name in _KEPT if name in picture.info}
        shown = turned(picture, orientation)
    shown.info.clear()
    shown.save(out, kind, **options)
    return out.getvalue()
