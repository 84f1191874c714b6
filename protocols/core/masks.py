"""Masks of polygons, by COCO's scan conversion ([L14]_)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .geometry import Floats, Indices

Mask = NDArray[np.bool_]
# COCO draws outlines on a grid this many times as fine as the pixels.
_FINE = 5


def coco_mask(points: Sequence[float], height: int, width: int) -> Mask:
    """Return the pixels of a polygon as COCO's tools have them.

    The outline is drawn on a grid five times as fine, a point for each step along the longer side
    of an edge. Where it passes the middle of a column of pixels, the pixels of that column change
    between outside and inside from the next row on.

    Parameters
    ----------
    points : sequence of float, length 2 n
        x1, y1, x2, y2, ... in pixels.
    height, width : int
        Of the image.

    Returns
    -------
    ndarray of bool, shape (height, width)

    Examples
    --------
    >>> coco_mask([1, 1, 3, 1, 3, 3, 1, 3], 4, 5).astype(int)
    array([[0, 0, 0, 0, 0],
           [0, 1, 1, 0, 0],
           [0, 1, 1, 0, 0],
           [0, 0, 0, 0, 0]])
    """
    corners = np.trunc(_FINE * np.asarray(points, dtype=np.float64) + 0.5).reshape(-1, 2)
    drawn = [_edge(a, b) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
    x, y = np.concatenate(drawn).T
    # Steps from column to column of the fine grid, at the one further left.
    moves = np.flatnonzero(x[1:] != x[:-1])
    left = np.where(x[1:] < x[:-1], x[1:], x[1:] - 1)[moves]
    column = (left + 0.5) / _FINE - 0.5
    row = np.ceil(np.clip((np.minimum(y[1:], y[:-1])[moves] + 0.5) / _FINE - 0.5, 0, height))
    crossing = (column == np.floor(column)) & (column >= 0) & (column <= width - 1)
    at = (column[crossing] * height + row[crossing]).astype(np.int64)
    # Down the columns, one after the other; a change at the end of a column begins the next one.
    changes = np.bincount(at, minlength=height * width + 1)[: height * width]
    return np.asarray((np.cumsum(changes) % 2 == 1).reshape(width, height).T)


def _edge(start: Floats, end: Floats) -> Indices:
    """Return the points of the fine grid on an edge, from its start to its end."""
    size = np.abs(end - start)
    long = 0 if size[0] >= size[1] else 1
    backwards = start[long] > end[long]
    first, last = (end, start) if backwards else (start, end)
    steps = np.arange(size[long] + 1)
    slope = (last[1 - long] - first[1 - long]) / size[long] if size[long] else 0.0
    points = np.empty((len(steps), 2), dtype=np.int64)
    points[:, long] = first[long] + steps
    points[:, 1 - long] = np.trunc(first[1 - long] + slope * steps + 0.5)
    return points[::-1] if backwards else points
