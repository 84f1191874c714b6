"""Photographs with an EXIF orientation: their two sizes, and the turn of regions between the two frames.

The stored frame has the sides of the file's pixels; the upright frame is what browsers show.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, Self

import numpy as np

from protocols.core.regions import Region, Run

from .shapes import turned_round

# By orientation: whether x and y are exchanged, then whether the new x and y run backwards.
_TURNS: Final = {
    1: (False, False, False),
    2: (False, True, False),
    3: (False, True, True),
    4: (False, False, True),
    5: (True, False, False),
    6: (True, True, False),
    7: (True, True, True),
    8: (True, False, True),
}
# Mirrored, so that outlines run the other way.
_MIRRORED: Final = (2, 4, 5, 7)
_BACK: Final = {6: 8, 8: 6}


class PictureSize(tuple[int, int]):
    """Width and height of a picture as browsers show it, and the EXIF orientation of its file.

    ``asked`` is an orientation that some programs apply and others, as browsers, do not: that of a
    WebP. Both are 1 without a turn.
    """

    orientation: int
    asked: int

    def __new__(cls, width: int, height: int, orientation: int = 1, asked: int = 1) -> Self:
        size = super().__new__(cls, (width, height))
        size.orientation, size.asked = orientation, asked
        return size

    def __reduce__(self) -> tuple[type[Self], tuple[int, int, int, int]]:
        return type(self), (*self, self.orientation, self.asked)

    @classmethod
    def of_stored(cls, width: int, height: int, orientation: int = 1, asked: int = 1) -> Self:
        """Return the size of a picture from the sides of its file."""
        sides = (height, width) if _TURNS[orientation][0] else (width, height)
        return cls(*sides, orientation, asked)

    @property
    def stored(self) -> tuple[int, int]:
        """Width and height of the file's pixels."""
        width, height = self
        return (height, width) if _TURNS[self.orientation][0] else (width, height)


def orientation_of(size: tuple[int, int] | None) -> int:
    """Return the orientation by which a picture of this size is turned; 1 if it is not known."""
    return size.orientation if isinstance(size, PictureSize) else 1


def turned_images(sizes: Mapping[str, tuple[int, int] | None]) -> list[str]:
    """Return the images whose photographs are turned."""
    return [image for image, size in sizes.items() if orientation_of(size) > 1]


def turned(region: Region, size: PictureSize, *, with_last_pixel: bool = False) -> Region:
    """Return a region of the stored frame in the upright one.

    ``with_last_pixel``: coordinates are of pixels, and a box includes its last one, as in ICDAR
    2013; otherwise they are of edges. Corners keep their order and outlines their direction.

    Examples
    --------
    >>> size = PictureSize.of_stored(400, 200, 6)
    >>> turned(Region.from_box(30, 40, 150, 80), size).box
    (120, 30, 160, 150)
    >>> turned(Region.from_box(7, 3, 7, 3), size, with_last_pixel=True).box
    (196, 7, 196, 7)
    """
    exchanged, *backwards = _TURNS[size.orientation]
    ends = [side - with_last_pixel for side in size]
    xs, ys = region.points[::2], region.points[1::2]
    sides = [
        [end - value for value in values] if is_back else list(values)
        for values, is_back, end in zip(
            (ys, xs) if exchanged else (xs, ys), backwards, ends, strict=True
        )
    ]
    moved = with_points(region, list(chain.from_iterable(zip(*sides, strict=True))))
    if region.is_rectangle and (with_last_pixel or region.pixels is not None):
        # The corners of a box of pixels have no order of their own.
        moved = with_points(region, Region.from_box(*moved.box).points)
    elif size.orientation in _MIRRORED:
        moved = turned_round(moved)
    if region.pixels is None:
        return moved
    return replace(moved, pixels=_turned_pixels(region.pixels, size))


def turned_back(region: Region, size: PictureSize) -> Region:
    """Return a region of the upright frame in the stored one; coordinates are of edges."""
    back = _BACK.get(size.orientation, size.orientation)
    return turned(region, PictureSize(*size.stored, back))


def with_points(region: Region, points: Sequence[float]) -> Region:
    """Return the region with other points."""
    return replace(region, points=tuple(points))


def _turned_pixels(pixels: Sequence[Run], size: PictureSize) -> tuple[Run, ...]:
    exchanged, x_backwards, y_backwards = _TURNS[size.orientation]
    top, left = min(row for row, _, _ in pixels), min(start for _, start, _ in pixels)
    bottom = max(row for row, _, _ in pixels) + 1
    right = max(end for _, _, end in pixels)
    mask = np.zeros((bottom - top, right - left), dtype=bool)
    for row, start, end in pixels:
        mask[row - top, start - left : end - left] = True
    if exchanged:
        mask, top, left, bottom, right = mask.T, left, top, right, bottom
    width, height = size
    if x_backwards:
        mask, left = mask[:, ::-1], width - right
    if y_backwards:
        mask, top = mask[::-1], height - bottom
    # A run starts where a pixel is set and the one before is not.
    steps = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(steps == 1)
    ends = np.nonzero(steps == -1)[1]
    return tuple(
        (row + top, start + left, end + left)
        for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True)
    )
