"""Alternative readings of results: common mistakes in writing a file, and their corrections."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Final

from protocols.core.errors import ProtocolError
from protocols.core.regions import MAX_COORDINATE, Region
from protocols.formats.containers.contents import Archive, LineFormat, Unit
from protocols.formats.containers.frames import PictureSize, orientation_of
from protocols.formats.containers.image_sizes import in_other_frame
from protocols.formats.containers.shapes import turned_round
from protocols.formats.readers.rrc_lines import turns_left

Sizes = Mapping[str, tuple[int, int]]
Regions = Mapping[str, Sequence[Region]]

AS_READ: Final = "as-read"
EXCHANGED: Final = "exchanged"
SIDES: Final = "sides"
COLUMNS: Final = "columns"
# Readings for which the file is read again in another format.
AS_WRITTEN: Final = {SIDES: "ltwh", COLUMNS: "quad-columns"}
# Frames of boxes on photographs with an EXIF orientation.
STORED: Final = "stored"
UPRIGHT: Final = "upright"
FRAMES: Final = (STORED, UPRIGHT)
ROWS: Final = "rows"
DIAGONALS: Final = "diagonals"
AS_NAMED: Final = "as-named"
NEXT: Final = "next"
PREVIOUS: Final = "previous"
FOLLOWING: Final = "following"
PRECEDING: Final = "preceding"
# Number of places by which files are shifted.
SHIFTS: Final = {NEXT: 1, PREVIOUS: -1, FOLLOWING: 1, PRECEDING: -1}
# Units of relative coordinates: fractions, per cent, thousandths.
UNITS: Final = {1: "fractions", 100: "per cent", 1000: "thousandths"}

_WORDS: Final = {
    AS_READ: "as read",
    EXCHANGED: "with x and y exchanged",
    SIDES: "as left,top,width,height",
    COLUMNS: "as x1,x2,x3,x4,y1,y2,y3,y4",
    STORED: "turned as the photographs say",
    UPRIGHT: "as on the upright photographs",
    ROWS: "with the last two corners exchanged",
    DIAGONALS: "with the second and third corners exchanged",
    AS_NAMED: "with the names of its files as they are",
    NEXT: "each file as that of the next number (img_1 as img_2)",
    PREVIOUS: "each file as that of the number before (img_2 as img_1)",
    FOLLOWING: "each file as that of the next image in the list",
    PRECEDING: "each file as that of the image before in the list",
}
_SCALED: Final = re.compile(
    r"scaled:(\d{1,5}(?:\.\d{1,6})?)(?::(\d{1,5}(?:\.\d{1,6})?))?\Z", re.ASCII
)
_SHARE: Final = re.compile(r"share:(\d{1,4})\Z", re.ASCII)
_NUMBER: Final = re.compile(r"(\d{1,18})(?=\D*\Z)", re.ASCII)


class ReadingError(ProtocolError, ValueError):
    """A reading that does not exist or cannot be applied to these results."""


def words_of(reading: str) -> str:
    """Return a reading as a part of a sentence, as in "with x and y exchanged"."""
    if reading in _WORDS:
        return _WORDS[reading]
    if (unit := _unit(reading)) is not None:
        return f"as {UNITS[unit]} of the image's width and height"
    x, y = _factors(reading)
    if x == y:
        return f"with coordinates times {x:g}"
    return f"with x times {x:g} and y times {y:g}"


def scaled(x: float, y: float) -> str:
    """Return the reading that multiplies coordinates."""
    return f"scaled:{x:.6g}" if x == y else f"scaled:{x:.6g}:{y:.6g}"


def is_share(reading: str) -> bool:
    """Return whether a reading takes coordinates for shares of the image's sides."""
    return _SHARE.match(reading) is not None


def share(unit: int) -> str:
    """Return the reading of coordinates relative to the image's sides."""
    return f"share:{unit}"


def _unit(reading: str) -> int | None:
    match = _SHARE.match(reading)
    return int(match[1]) if match and int(match[1]) in UNITS else None


def _factors(reading: str) -> tuple[float, float]:
    match = _SCALED.match(reading)
    factors = (float(match[1]), float(match[2] or match[1])) if match else (0.0, 0.0)
    if not all(factors):
        known = ", ".join([*_WORDS, "scaled:FACTOR", "share:UNIT"])
        raise ReadingError(f"{reading!r} is not a known reading; readings: {known}")
    return factors


@dataclass(frozen=True, slots=True)
class Notation:
    """How a file gives coordinates, for readings of photographs with an EXIF orientation.

    ``units`` are those of ``Archive``; ``with_last_pixel`` as of ``frames.turned``.
    """

    units: Mapping[str, Unit] = field(default_factory=dict)
    with_last_pixel: bool = False

    @classmethod
    def of(cls, archive: Archive) -> "Notation":
        is_box = archive.line_format == LineFormat.LTRB and archive.format != AS_WRITTEN[SIDES]
        return cls(archive.units, is_box)


def read_so(
    results: Regions,
    reading: str,
    *,
    sizes: Sizes,
    known: Collection[str],
    notation: Notation | None = None,
) -> dict[str, tuple[Region, ...]]:
    """Return results under another reading.

    Relative coordinates and frames need the sizes of images. ``known`` are the dataset's images in counting
    order: a file shifted to an unknown image is left out if its own name is known, and is otherwise
    unchanged. Raises ReadingError if there is no such reading, or it needs an unknown size.
    """
    if reading in SHIFTS:
        return _moved(results, reading, known)
    if reading in FRAMES:
        return {
            image: _in_frame(regions, reading, sizes.get(image), notation or Notation(), image)
            for image, regions in results.items()
        }
    if (unit := _unit(reading)) is not None:
        return {image: _of_size(image, of, unit, sizes) for image, of in results.items()}
    change = _CHANGES.get(reading) or _multiplied(*_factors(reading))
    return {image: tuple(map(change, regions)) for image, regions in results.items()}


def _in_frame(
    regions: Sequence[Region],
    reading: str,
    size: tuple[int, int] | None,
    notation: Notation,
    image: str,
) -> tuple[Region, ...]:
    if not isinstance(size, PictureSize) or orientation_of(size) == 1:
        return tuple(regions)
    unit = notation.units.get(image)
    return in_other_frame(regions, reading, size, unit, with_last_pixel=notation.with_last_pixel)


def renumbered(image: str, by: int) -> str | None:
    """Return an image's name with its last number shifted, or None if it has no number."""
    match = _NUMBER.search(image)
    if match is None or int(match[1]) + by < 0:
        return None
    number = str(int(match[1]) + by).zfill(len(match[1]) if match[1][0] == "0" else 0)
    return f"{image[: match.start()]}{number}{image[match.end() :]}"


def mover(
    reading: str, known: Collection[str], *, back: bool = False
) -> Callable[[str], str | None]:
    """Return a function from a file's image to the image it would belong to under this reading.

    ``known`` are the names of all images in counting order; ``back`` asks for the inverse function.
    """
    by = -SHIFTS[reading] if back else SHIFTS[reading]
    if reading in (NEXT, PREVIOUS):
        return lambda image: renumbered(image, by)
    images = list(known)
    return dict(pairwise(images if by > 0 else reversed(images))).get


def _moved(results: Regions, reading: str, known: Collection[str]) -> dict[str, tuple[Region, ...]]:
    move = mover(reading, known)
    moved: dict[str, tuple[Region, ...]] = {}
    kept: dict[str, tuple[Region, ...]] = {}
    for image, regions in results.items():
        name = move(image)
        if name is not None and name in known:
            moved[name] = tuple(regions)
        elif image not in known:
            kept[image] = tuple(regions)
    return kept | moved


def _of_size(image: str, regions: Sequence[Region], unit: int, sizes: Sizes) -> tuple[Region, ...]:
    if not regions:
        return ()
    if image not in sizes:
        raise ReadingError(f"the size of {image} is not known, so shares of it cannot be read")
    width, height = sizes[image]
    return tuple(map(_multiplied(width / unit, height / unit), regions))


def _multiplied(x: float, y: float) -> Callable[[Region], Region]:
    def change(region: Region) -> Region:
        points = region.points
        return _with_points(
            region,
            [
                value
                for at in range(0, len(points), 2)
                for value in (points[at] * x, points[at + 1] * y)
            ],
        )

    return change


def _with_points(region: Region, points: Sequence[float]) -> Region:
    if max(map(abs, points)) > MAX_COORDINATE:
        raise ReadingError(f"coordinates beyond {MAX_COORDINATE:.0f} if they are read so")
    return replace(region, points=tuple(points), pixels=None)


def _exchanged(region: Region) -> Region:
    left, top, right, bottom = region.box
    if region.is_rectangle:
        return _with_points(region, Region.from_box(top, left, bottom, right).points)
    points = region.points
    changed = _with_points(
        region, [value for at in range(0, len(points), 2) for value in (points[at + 1], points[at])]
    )
    # Mirroring reverses rings, and readers reverse those that run the wrong way.
    return turned_round(changed) if turns_left(changed.points) else changed


def _by_sides(region: Region) -> Region:
    if not region.is_rectangle:
        raise ReadingError("only boxes can be read as left,top,width,height")
    # A box's line has four numbers; they became its first corner and the one opposite.
    left, top, _, _, width, height, *_ = region.points
    return _with_points(region, Region.from_box(left, top, left + width, top + height).points)


def _in_order(*order: int) -> Callable[[Region], Region]:
    def change(region: Region) -> Region:
        if region.n_points != 4:
            return region
        corners = [region.points[2 * at : 2 * at + 2] for at in order]
        return _clockwise(_with_points(region, [*chain.from_iterable(corners)]))

    return change


def _clockwise(region: Region) -> Region:
    return turned_round(region) if turns_left(region.points) else region


_CHANGES: Final[Mapping[str, Callable[[Region], Region]]] = {
    AS_READ: lambda region: region,
    EXCHANGED: _exchanged,
    SIDES: _by_sides,
    AS_NAMED: lambda region: region,
    ROWS: _in_order(0, 1, 3, 2),
    DIAGONALS: _in_order(0, 2, 1, 3),
}
