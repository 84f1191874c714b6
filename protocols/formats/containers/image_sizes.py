"""Image dimensions from file headers, to scale relative coordinates."""

import struct
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from protocols.core.regions import Region
from text_rankings.base.i18n import Message, ngettext_noop

from ..problems import Problems
from .archives import Limits, Source, read_entries
from .contents import Archive, Unit
from .documents import image_name

Sizes = Mapping[str, tuple[int, int]]
PICTURES: Final = (".jpg", ".jpeg", ".png", ".webp")
_BEGINNING: Final = 256 * 1024
_MIB: Final = 1024 * 1024
# Photographs are larger than lines of text.
_LIMITS: Final = Limits(entry_bytes=200 * _MIB, total_bytes=20 * 1024 * _MIB)
# Markers of JPEG frames (length, precision, height, width); C4, C8 and CC are not frames.
_FRAMES: Final = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_WITHOUT_LENGTH: Final = {0x01, *range(0xD0, 0xDA)}


def picture_size(content: bytes) -> tuple[int, int] | None:
    """Return width and height of a PNG, JPEG or WebP; None for any other bytes."""
    if content.startswith(b"\x89PNG\r\n\x1a\n") and len(content) >= 24:
        return _plausible(*struct.unpack(">II", content[16:24]))
    if content.startswith(b"\xff\xd8\xff"):
        return _jpeg_size(content)
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP" and len(content) >= 30:
        return _webp_size(content)
    return None


def _plausible(width: int, height: int) -> tuple[int, int] | None:
    return (width, height) if 0 < width <= 1_000_000 and 0 < height <= 1_000_000 else None


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(content):
        if content[at] != 0xFF:
            return None
        marker = content[at + 1]
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return _plausible(width, height)
        if marker == 0xFF:
            at += 1
        elif marker in _WITHOUT_LENGTH:
            at += 2
        else:
            at += 2 + struct.unpack(">H", content[at + 2 : at + 4])[0]
    return None


def _webp_size(content: bytes) -> tuple[int, int] | None:
    kind = content[12:16]
    if kind == b"VP8X":
        sides = (int.from_bytes(content[at : at + 3], "little") + 1 for at in (24, 27))
        return _plausible(*sides)
    if kind == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        return _plausible((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", content[26:30])
        return _plausible(width & 0x3FFF, height & 0x3FFF)
    return None


def picture_sizes(source: Source) -> dict[str, tuple[int, int]]:
    """Return the sizes of the pictures in a zip or folder by image, except unknown ones."""
    if isinstance(source, str | Path) and Path(source).is_dir():
        files = (path for path in sorted(Path(source).rglob("*")) if path.is_file())
        found = ((path.name, _size_of_file(path)) for path in files if _is_picture(path.name))
    else:
        entries = read_entries(source, Problems(""), _LIMITS)
        found = ((of.name, picture_size(of.content)) for of in entries if _is_picture(of.name))
    return {image_name(name): size for name, size in found if size is not None}


def _size_of_file(path: Path) -> tuple[int, int] | None:
    # A photograph has its size near the beginning.
    with path.open("rb") as file:
        return picture_size(file.read(_BEGINNING))


def _is_picture(name: str) -> bool:
    return name.lower().endswith(PICTURES)


def in_pixels(archive: Archive, source: Source, sizes_known: Callable[[], Sizes] | None) -> Archive:
    """Return the archive in pixels; images of unknown size are a fault.

    Pictures in the file give the sizes of images; ``sizes_known`` is called for those of the
    others. Sizes of the archive itself come last, as those of a page of a PDF may be in points.
    """
    if not any(archive.regions.get(image) for image in archive.units):
        return archive
    found_sizes = picture_sizes(source) | dict(sizes_known() if sizes_known is not None else {})
    sizes = dict(archive.sizes) | found_sizes
    problems = Problems(archive.name, list(archive.problems), Counter(archive.counts))
    regions = dict(archive.regions)
    unknown = [image for image in regions if image in archive.units and image not in sizes]
    unknown = [image for image in unknown if regions[image]]
    for image, unit in archive.units.items():
        if image in sizes:
            regions[image] = tuple(_converted(of, unit, sizes[image]) for of in regions[image])
        else:
            regions[image] = ()
    if unknown:
        some = ", ".join(unknown[:3]) + (" …" if len(unknown) > 3 else "")
        images = ngettext_noop("{n} image", "{n} images", len(unknown))
        words = Message("shares of {value} whose size is not known ({some})")
        if archive.units[unknown[0]] == Unit.FROM_BELOW:
            words = Message("y from the lower edge of {value} whose size is not known ({some})")
        found = words.format(value=images, some=some)
        problems.error("S3", found, "the photographs, in the same load or in the zip itself")
    known = {image: size for image, size in sizes.items() if image in regions}
    lines = {image: of for image, of in archive.lines.items() if regions.get(image)}
    return replace(
        archive,
        regions=regions,
        lines=lines,
        sizes=known,
        problems=tuple(problems.found),
        counts=dict(problems.counts),
        units={},
    )


def _converted(region: Region, unit: Unit, size: tuple[int, int]) -> Region:
    xs, ys = region.points[::2], region.points[1::2]
    if unit == Unit.SHARES:
        xs, ys = tuple(x * size[0] for x in xs), tuple(y * size[1] for y in ys)
    else:
        ys = tuple(size[1] + y for y in ys)
    points = tuple(value for point in zip(xs, ys, strict=True) for value in point)
    return replace(region, points=points)
