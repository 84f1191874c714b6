"""Overlays of polygons with an answer for all finite outlines.

The polygon library computes with coordinates as they are, and refuses a few outlines that way. Only
those are computed again, one by one, on a grid of 2^-40 of their extent, and on coarser ones while
it refuses; all others have the answer that the library gives at first.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .errors import RegionError
from .lazy_shapely import shapely

Polygons = NDArray[np.object_]
# Widths of the grid as shares of the largest coordinate.
_GRIDS: Final = (2.0**-40, 2.0**-32, 2.0**-24, 2.0**-16)


def intersection(a: Polygons, b: Polygons) -> Polygons:
    """Return the intersection of each pair; arrays of one shape, or of shapes that broadcast."""
    return _overlaid(shapely.intersection, a, b)


def difference(a: Polygons, b: Polygons) -> Polygons:
    """Return what is left of each first polygon without the second; arrays of one shape."""
    return _overlaid(shapely.difference, a, b)


def union_of_rows(table: Polygons) -> Polygons:
    """Return the union of each row of a table of shape (n, m); None is no polygon."""
    try:
        return np.asarray(shapely.union_all(table, axis=1), dtype=object)
    except shapely.errors.GEOSException:
        return _made([_on_a_grid(shapely.union_all, row) for row in table])


def made_valid(polygons: Polygons) -> Polygons:
    """Return polygons of which those that cross themselves keep all their parts; shape (n,)."""
    return _repaired(shapely.make_valid, polygons)


def buffered(polygons: Polygons) -> Polygons:
    """Return polygons repaired by a buffer of width 0, which may keep one part; shape (n,)."""
    return _repaired(lambda of: shapely.buffer(of, 0.0), polygons)


def _overlaid(overlay: Callable[..., Any], a: Polygons, b: Polygons) -> Polygons:
    try:
        return np.asarray(overlay(a, b), dtype=object)
    except shapely.errors.GEOSException:
        first, second = np.broadcast_arrays(a, b)
        pairs = zip(first.ravel().tolist(), second.ravel().tolist(), strict=True)
        found = _made([_on_a_grid(overlay, one, other) for one, other in pairs])
        return found.reshape(first.shape)


def _on_a_grid(overlay: Callable[..., Any], *operands: Any) -> Any:
    """Return one overlay: as it is, or on the finest grid on which the library computes it."""
    try:
        return overlay(*operands)
    except shapely.errors.GEOSException as fault:
        refusal = str(fault)
    largest = float(np.abs(shapely.get_coordinates(np.array(operands, dtype=object))).max())
    for share in _GRIDS:
        try:
            return overlay(*operands, grid_size=largest * share)
        except shapely.errors.GEOSException as fault:
            refusal = str(fault)
    raise RegionError(f"two outlines that cannot be laid over each other: {refusal}")


def _repaired(repair: Callable[[Any], Any], polygons: Polygons) -> Polygons:
    try:
        return np.asarray(repair(polygons), dtype=object)
    except shapely.errors.GEOSException:
        return _made([_repaired_one(repair, polygon) for polygon in polygons.tolist()])


def _repaired_one(repair: Callable[[Any], Any], polygon: Any) -> Any:
    """Return one repair: of the outline as it is, or with its points on the finest possible grid.

    The last resort is its convex hull.
    """
    with suppress(shapely.errors.GEOSException):
        return repair(polygon)
    points = shapely.get_coordinates(polygon)
    for share in _GRIDS:
        width = float(np.abs(points).max()) * share
        with suppress(shapely.errors.GEOSException):
            return repair(shapely.Polygon(np.round(points / width) * width))
    return shapely.convex_hull(polygon)


def _made(geometries: list[Any]) -> Polygons:
    made = np.empty(len(geometries), dtype=object)
    made[:] = geometries
    return made
