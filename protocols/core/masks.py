"""Pixels of polygons: the scan conversion of HierText ([L22]_)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Horizontal positions of a fill, in parts of a pixel.
_PARTS = 2**16


def filled_pixels(
    points: Sequence[float], height: int, width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of the pixels of a polygon that is drawn and filled ([L22]_).

    Corners are cut to whole pixels. The outline is drawn from pixel to pixel, one step for each
    along the longer side of an edge; between two equally near pixels it takes the one on the side
    of its left end. In each row of pixels, those from an odd crossing to the next are filled. Of an
    edge that leaves the image, only the part inside is used, its ends moved to whole pixels.
    ``points`` are x1, y1, x2, y2, ... in pixels. Both answers have the shape (number of pixels,); a
    pixel may occur more than once.
    """
    corners = np.trunc(np.asarray(points, dtype=np.float64)).astype(np.int64).reshape(-1, 2)
    edges = [
        _Edge(start, end, *_clipped(start, end, height, width))
        for start, end in zip(np.roll(corners, 1, axis=0).tolist(), corners.tolist(), strict=True)
    ]
    rows, columns = _fill(edges, height, width)
    for edge in edges:
        if edge.is_seen:
            x, y = _drawn(*edge.clipped)
            rows.append(y)
            columns.append(x)
    if not rows:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing
    return np.concatenate(rows), np.concatenate(columns)


_Point = list[int]


class _Edge(NamedTuple):
    """A side of a polygon, and the part of it in the image, its new ends moved to whole pixels."""

    start: _Point
    end: _Point
    clipped: tuple[_Point, _Point]
    is_seen: bool

    def crossing(self, row: int) -> int:
        """Return where the line through the clipped ends is at a row, in parts of a pixel."""
        from_, to = self.clipped
        if from_[1] == to[1]:
            # An edge that is one row of the image keeps its own rows.
            from_, to = [from_[0], self.start[1]], [to[0], self.end[1]]
        span, rise = (to[0] - from_[0]) * _PARTS, to[1] - from_[1]
        # Towards 0, whatever the signs.
        slope = abs(span) // abs(rise) * (1 if (span > 0) == (rise > 0) else -1)
        base = from_ if self.start[1] < self.end[1] else to
        return base[0] * _PARTS + slope * (row - base[1])


def _fill(
    edges: Sequence[_Edge], height: int, width: int
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Return rows and columns between odd and even crossings, row by row."""
    crossings: dict[int, list[int]] = {}
    for edge in edges:
        top, bottom = sorted((edge.start[1], edge.end[1]))
        for row in range(max(top, 0), min(bottom, height)):
            crossings.setdefault(row, []).append(edge.crossing(row))
    rows, columns = [], []
    for row, found in crossings.items():
        found.sort()
        for left, right in zip(found[::2], found[1::2], strict=False):
            first, last = max(-(-left // _PARTS), 0), min(right // _PARTS, width - 1)
            if first <= last:
                columns.append(np.arange(first, last + 1))
                rows.append(np.full(last - first + 1, row))
    return rows, columns


def _clipped(
    start: _Point, end: _Point, height: int, width: int
) -> tuple[tuple[_Point, _Point], bool]:
    """Return an edge cut to the image, and whether a part of it is there."""
    ends = (list(start), list(end))
    for axis, last in ((1, height - 1), (0, width - 1)):
        if any(
            all(point[of] < 0 for point in ends) or all(point[of] > limit for point in ends)
            for of, limit in ((1, height - 1), (0, width - 1))
        ):
            return ends, False
        for point in ends:
            if not 0 <= point[axis] <= last:
                border = 0 if point[axis] < 0 else last
                share = (border - point[axis]) * (ends[1][1 - axis] - ends[0][1 - axis])
                point[1 - axis] += int(share / (ends[1][axis] - ends[0][axis]))
                point[axis] = border
    return ends, True


def _drawn(start: _Point, end: _Point) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return x and y of the pixels of a line from its left end to its right one."""
    (x, y), (last_x, last_y) = (start, end) if start[0] <= end[0] else (end, start)
    width, height = last_x - x, abs(last_y - y)
    down = 1 if last_y >= y else -1
    long, short = max(width, height), min(width, height)
    step = np.arange(long + 1)
    # Rounded, and down at one half.
    beside = -((long - 2 * short * step) // (2 * long)) if long else step
    along, across = (step, beside) if width >= height else (beside, step)
    return x + along, y + down * across
