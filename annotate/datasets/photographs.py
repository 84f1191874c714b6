"""Photographs of a dataset, from a folder or a zip: verified before anything is kept."""

import io
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from django.core.files.base import ContentFile
from PIL import Image as Picture
from PIL import UnidentifiedImageError

from protocols.formats.archives import (
    Entry,
    Limits,
    Source,
    open_archive,
    read_entries,
    source_name,
)
from protocols.formats.problems import Problems

from .models import Image, image_storage, stored_name

# What browsers show; anything else, SVG and HTML above all, is refused whatever its name says.
CONTENT_TYPES: Final = {
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
}
# MPO, several JPEGs in one file as some cameras write them, is found by the JPEG reader.
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


class Keeper:
    """Stores photographs under their hashes, and can remove those that were new."""

    def __init__(self) -> None:
        self._storage = image_storage()
        self._new: list[str] = []

    def keep(self, photograph: Photograph, content: bytes) -> None:
        name = stored_name(photograph.sha256)
        if not self._storage.exists(name):
            self._storage.save(name, ContentFile(content))
            self._new.append(photograph.sha256)

    def take_back(self) -> None:
        """Remove what was new, unless another load has come to use it meanwhile."""
        forget_unused(self._new)
        self._new.clear()


def forget_unused(hashes: Sequence[str]) -> None:
    """Remove the photographs of these hashes that no image has."""
    used = set(Image.objects.filter(sha256__in=hashes).values_list("sha256", flat=True))
    for digest in hashes:
        if digest not in used:
            image_storage().delete(stored_name(digest))


def read_photographs(source: Source, problems: Problems) -> Iterator[tuple[Entry, Photograph]]:
    """Yield each file that is a photograph; what is none becomes a problem."""
    for entry in _files(source, problems):
        photograph = _verified(entry, problems)
        if photograph is not None:
            yield entry, photograph


def photograph_bytes(source: Source, path: str, digest: str) -> bytes | None:
    """Return one photograph of a zip that was verified before; None where it changed since."""
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
    keeper: Keeper,
    progress: Callable[[int, int], None],
) -> bool:
    """Store the photographs of these hashes, which were verified before; return whether all were there."""
    left = set(wanted)
    for entry in _files(source, Problems(source_name(source))):
        digest = sha256(entry.content).hexdigest()
        if digest in left:
            keeper.keep(wanted[digest], entry.content)
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
                problems.error("A3", "a larger file", f"{_LIMITS.entry_bytes} bytes at most", name)
                continue
            yield Entry(path.name, name, path.read_bytes())
        except OSError as fault:
            problems.error(
                "P1",
                f"a file that cannot be read ({os.strerror(fault.errno or 0)})",
                "a photograph",
                name,
            )


def _verified(entry: Entry, problems: Problems) -> Photograph | None:
    wanted = "a JPEG, PNG or WebP photograph"
    try:
        with Picture.open(io.BytesIO(entry.content), formats=_FORMATS) as picture:
            width, height = picture.size
            if width * height > _MAX_PIXELS:
                found = f"{width} x {height} pixels"
                problems.error("P1", found, f"at most {_MAX_PIXELS:,} pixels", entry.path)
                return None
            content_type = CONTENT_TYPES[picture.format or ""]
            # Reads all of it: a file that is cut short fails here and not in somebody's browser.
            picture.load()
    except (
        UnidentifiedImageError,
        Picture.DecompressionBombError,
        Picture.DecompressionBombWarning,
    ):
        problems.error("P1", "something else, or too large", wanted, entry.path)
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error) as fault:
        problems.error("P1", f"a damaged photograph ({fault})", wanted, entry.path)
    else:
        return Photograph(sha256(entry.content).hexdigest(), content_type, width, height)
    return None
