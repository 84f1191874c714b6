"""Sizes of pictures from file headers, as stored and upright, to scale relative coordinates."""

import io
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final

from protocols.core.regions import Region
from text_rankings.base.counts import counted, some_of

from ..problems import Problems
from .archives import Limits, open_archive
from .contents import Archive, Unit
from .documents import PICTURES, image_name
from .files import Source
from .frames import PictureSize, orientation_of, turned, turned_back, with_points

Sizes = Mapping[str, tuple[int, int]]
_MIB: Final = 1024 * 1024
# Photographs are larger than lines of text.
_LIMITS: Final = Limits(entry_bytes=200 * _MIB, total_bytes=20 * 1024 * _MIB)
# Markers of JPEG frames (length, precision, height, width); C4, C8 and CC are not frames.
_FRAMES: Final = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_WITHOUT_LENGTH: Final = {0x01, *range(0xD0, 0xDA)}
_APP1: Final = 0xE1
_SCAN: Final = 0xDA
_EXIF: Final = b"Exif\0\0"
_ORIENTATION: Final = 274
_SHORT: Final = 3
# Sides whose proportions differ by less than this have the same.
_SAME_PROPORTION: Final = 0.02
# Other formats by their first bytes, for messages.
_BEGINNINGS: Final = {
    b"GIF8": "GIF",
    b"II*\0": "TIFF",
    b"MM\0*": "TIFF",
    b"BM": "BMP",
    b"\xff\x0a": "JPEG XL",
    b"\0\0\0\x0cJXL ": "JPEG XL",
    b"\0\0\0\x0cjP  ": "JPEG 2000",
}
_BRANDS: Final = {
    b"avif": "AVIF",
    b"avis": "AVIF",
    b"heic": "HEIC",
    b"heix": "HEIC",
    b"mif1": "HEIF",
}


def picture_size(picture: bytes | BinaryIO) -> PictureSize | None:
    """Return the size of a PNG, JPEG or WebP from its header; None for anything else.

    The orientation is that of the EXIF block, as browsers read it; XMP does not count.
    """
    file = io.BytesIO(picture) if isinstance(picture, bytes) else picture
    begin = file.read(12)
    if begin.startswith(b"\x89PNG\r\n\x1a\n"):
        file.seek(8)
        return _png_size(file)
    if begin.startswith(b"\xff\xd8\xff"):
        file.seek(2)
        return _jpeg_size(file)
    if begin.startswith(b"RIFF") and begin[8:] == b"WEBP":
        return _webp_size(file)
    return None


def other_format(picture: bytes) -> str | None:
    """Return the name of the format of a picture that is not read, or None."""
    if picture[4:8] == b"ftyp":
        return _BRANDS.get(picture[8:12])
    return next((name for of, name in _BEGINNINGS.items() if picture.startswith(of)), None)


def exif_orientation(block: bytes) -> int:
    """Return the orientation in an EXIF block, 1 to 8; 1 if there is none, as in browsers."""
    block = block.removeprefix(_EXIF)
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(block[:4])
    if order is None or len(block) < 8:
        return 1
    [at] = struct.unpack(f"{order}I", block[4:8])
    if at + 2 > len(block):
        return 1
    [n_entries] = struct.unpack(f"{order}H", block[at : at + 2])
    for start in range(at + 2, min(at + 2 + 12 * n_entries, len(block) - 11), 12):
        tag, kind, n, value = struct.unpack(f"{order}HHIH", block[start : start + 10])
        if tag == _ORIENTATION:
            return value if kind == _SHORT and n == 1 and 1 <= value <= 8 else 1
    return 1


def _plausible(width: int, height: int, orientation: int = 1, asked: int = 1) -> PictureSize | None:
    if 0 < width <= 1_000_000 and 0 < height <= 1_000_000:
        return PictureSize.of_stored(width, height, orientation, asked)
    return None


def _jpeg_size(file: BinaryIO) -> PictureSize | None:
    sides: tuple[int, int] | None = None
    block: bytes | None = None
    while len(head := file.read(2)) == 2 and head[0] == 0xFF and head[1] != _SCAN:
        marker = head[1]
        if marker == 0xFF:
            file.seek(-1, io.SEEK_CUR)
        elif marker not in _WITHOUT_LENGTH:
            length = int.from_bytes(file.read(2), "big")
            if length < 2:
                break
            if marker == _APP1 or marker in _FRAMES:
                content = file.read(length - 2)
                if marker in _FRAMES and sides is None and len(content) >= 5:
                    height, width = struct.unpack(">HH", content[1:5])
                    sides = width, height
                elif marker == _APP1 and block is None and content.startswith(_EXIF):
                    block = content
            else:
                file.seek(length - 2, io.SEEK_CUR)
    return None if sides is None else _plausible(*sides, exif_orientation(block or b""))


def _png_size(file: BinaryIO) -> PictureSize | None:
    sides: tuple[int, int] | None = None
    block = b""
    while len(head := file.read(8)) == 8 and head[4:] not in (b"IDAT", b"IEND"):
        length = int.from_bytes(head[:4], "big")
        if head[4:] == b"IHDR" and length >= 8 and len(begin := file.read(8)) == 8:
            width, height = struct.unpack(">II", begin)
            sides = width, height
            length -= 8
        elif head[4:] == b"eXIf" and length <= _MIB:
            block, length = file.read(length), 0
        file.seek(length + 4, io.SEEK_CUR)
    return None if sides is None else _plausible(*sides, exif_orientation(block))


def _webp_size(file: BinaryIO) -> PictureSize | None:
    sides: tuple[int, int] | None = None
    block = b""
    while len(head := file.read(8)) == 8:
        kind, length = head[:4], int.from_bytes(head[4:], "little")
        padded = length + length % 2
        begin = file.read(min(10, padded))
        if sides is None:
            sides = _webp_sides(kind, begin)
        if kind == b"EXIF" and length <= _MIB:
            block = (begin + file.read(padded - len(begin)))[:length]
        else:
            file.seek(padded - len(begin), io.SEEK_CUR)
    return None if sides is None else _plausible(*sides, asked=exif_orientation(block))


def _webp_sides(kind: bytes, begin: bytes) -> tuple[int, int] | None:
    if len(begin) < 10:
        return None
    if kind == b"VP8X":
        width, height = (int.from_bytes(begin[at : at + 3], "little") + 1 for at in (4, 7))
        return width, height
    if kind == b"VP8L":
        bits = int.from_bytes(begin[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", begin[6:10])
        return width & 0x3FFF, height & 0x3FFF
    return None


def picture_sizes(source: Source) -> dict[str, PictureSize]:
    """Return the sizes of the pictures in a zip or folder by image, except unknown ones."""
    if isinstance(source, str | Path) and Path(source).is_dir():
        files = (path for path in sorted(Path(source).rglob("*")) if path.is_file())
        found: Iterable[tuple[str, PictureSize | None]] = (
            (path.name, _size_of_file(path)) for path in files if _is_picture(path.name)
        )
    else:
        found = _sizes_in_zip(source)
    return {image_name(name): size for name, size in found if size is not None}


def _sizes_in_zip(source: Source) -> Iterator[tuple[str, PictureSize | None]]:
    with open_archive(source, Problems(""), _LIMITS) as archive:
        for member in archive.members:
            content = archive.content(member) if _is_picture(member.name) else None
            if content is not None:
                yield member.name, picture_size(content)


def _size_of_file(path: Path) -> PictureSize | None:
    with path.open("rb") as file:
        return picture_size(file)


def _is_picture(name: str) -> bool:
    return name.lower().endswith(PICTURES)


def in_pixels(archive: Archive, source: Source, sizes_known: Callable[[], Sizes] | None) -> Archive:
    """Return the archive in pixels of upright images; images of unknown size are a fault.

    Pictures in the file give the sizes of images; ``sizes_known`` is called for those of the
    others. Sizes of the archive itself come last, as those of a page of a PDF may be in points, but
    their proportion decides in which frame of a photograph with an EXIF orientation its boxes are.
    Without them, shares are of the upright photograph, and y from below is of the stored one.
    """
    if not any(archive.regions.get(image) for image in archive.units):
        return archive
    found_sizes = picture_sizes(source) | dict(sizes_known() if sizes_known is not None else {})
    sizes = dict(archive.sizes) | found_sizes
    problems = archive.collected()
    regions, units = dict(archive.regions), dict[str, Unit]()
    in_frame: dict[bool, list[str]] = {}
    unknown = [image for image in regions if image in archive.units and image not in sizes]
    unknown = [image for image in unknown if regions[image]]
    for image, unit in archive.units.items():
        if image in sizes:
            units[image], is_stored = _frame_of_boxes(unit, sizes[image], archive.sizes.get(image))
            in_frame.setdefault(is_stored, []).append(image)
            regions[image] = tuple(
                _converted(of, unit, sizes[image], is_stored=is_stored) for of in regions[image]
            )
        else:
            regions[image] = ()
    if unknown:
        _tell_unknown(problems, unknown, archive.units[unknown[0]])
    _tell_frames(
        problems, in_frame, {image: of for image, of in sizes.items() if regions.get(image)}
    )
    known = {image: size for image, size in sizes.items() if image in regions}
    lines = {image: of for image, of in archive.lines.items() if regions.get(image)}
    return replace(
        archive.with_problems(problems), regions=regions, lines=lines, sizes=known, units=units
    )


def _frame_of_boxes(
    unit: Unit, size: tuple[int, int], stated: tuple[int, int] | None
) -> tuple[Unit, bool]:
    """Return the unit of a file's boxes as read, and whether they are in the stored frame."""
    if unit == Unit.SHARES and isinstance(size, PictureSize) and stated is not None:
        fits = [_is_in_proportion(stated, sides) for sides in (size, size.stored)]
        if fits[0] != fits[1]:
            return Unit.DECIDED, fits[1]
    return unit, unit == Unit.FROM_BELOW


def _is_in_proportion(sides: tuple[int, int], others: tuple[int, int]) -> bool:
    one, other = sides[0] * others[1], sides[1] * others[0]
    return abs(one - other) <= _SAME_PROPORTION * max(one, other)


def _tell_unknown(problems: Problems, unknown: Sequence[str], unit: Unit) -> None:
    what = "y from the lower edge" if unit == Unit.FROM_BELOW else "shares"
    images = counted(len(unknown), "image")
    found = f"{what} of {images} whose size is not known ({some_of(unknown)})"
    problems.error("S3", found, "the photographs, in the same load or in the zip itself")


def _tell_frames(problems: Problems, in_frame: Mapping[bool, Sequence[str]], sizes: Sizes) -> None:
    """Report coordinates that depend on the frame of a photograph."""
    asked = [of for of, size in sizes.items() if isinstance(size, PictureSize) and size.asked > 1]
    if asked:
        problems.error(
            "F8",
            f"coordinates that depend on WebP photographs with an EXIF orientation ({some_of(asked)})",
            "photographs without it: some programs turn a WebP by it, browsers do not",
        )
    for is_stored, of_frame in in_frame.items():
        images = [of for of in of_frame if orientation_of(sizes.get(of)) > 1]
        frame = "photographs as stored and turned upright" if is_stored else "upright photographs"
        if images:
            found = (
                f"coordinates that depend on the sides of {counted(len(images), 'photograph')} with an "
                f"EXIF orientation, read in the {frame}"
            )
            problems.warning("F8", found, "pixels")


def _converted(region: Region, unit: Unit, size: tuple[int, int], *, is_stored: bool) -> Region:
    """Return a region in pixels of the upright image."""
    turn = size if isinstance(size, PictureSize) and is_stored else None
    width, height = size if turn is None else turn.stored
    xs, ys = region.points[::2], region.points[1::2]
    if unit == Unit.SHARES:
        xs, ys = tuple(x * width for x in xs), tuple(y * height for y in ys)
    else:
        ys = tuple(height + y for y in ys)
    changed = with_points(region, [value for at in zip(xs, ys, strict=True) for value in at])
    return changed if turn is None else turned(changed, turn)


def in_other_frame(
    regions: Sequence[Region],
    reading: str,
    size: PictureSize,
    unit: Unit | None,
    *,
    with_last_pixel: bool = False,
) -> tuple[Region, ...]:
    """Return the regions of an image as if they had been read in the named frame.

    ``unit`` is that of ``in_pixels``, None for pixels. The frame is "stored" or "upright".
    """
    if reading == "stored" and unit == Unit.SHARES:
        x, y = (one / other for one, other in zip(size.stored, size, strict=True))
        scaled = (
            with_points(of, [value * (y if at % 2 else x) for at, value in enumerate(of.points)])
            for of in regions
        )
        return tuple(turned(of, size) for of in scaled)
    if reading == "stored" and unit is None:
        return tuple(turned(of, size, with_last_pixel=with_last_pixel) for of in regions)
    if reading == "upright" and unit == Unit.FROM_BELOW:
        down = size[1] - size.stored[1]
        back = (turned_back(of, size) for of in regions)
        return tuple(
            with_points(of, [v + down * (at % 2) for at, v in enumerate(of.points)]) for of in back
        )
    return tuple(regions)
