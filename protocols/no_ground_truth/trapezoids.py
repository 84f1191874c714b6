"""Polygons of any shape, cut into trapezoids on each of which all votes are constant."""

from dataclasses import dataclass

import numpy as np
import shapely

from ..core.geometry import Floats, Indices, overlapping_pairs
from .drawn import MAX_CELLS, Drawn, Parts, added_up, polygons_in


def trapezoids(drawn: Drawn) -> Parts:
    """Return the parts between the sides of all polygons, each with the ranks that cover it.

    Every end of a side and every crossing of two cuts its cluster into bands. No sides cross within
    a band, so all votes are constant on the trapezoid between two neighbours.
    """
    if not len(drawn.boxes):
        return []
    sides = _sides_of(drawn)
    # Borders of bands, cluster by cluster from the top: first the ends of all sides, then their
    # crossings. ``place`` is the index of the border for each end and crossing.
    crossing, at = _crossings(sides)
    cluster = np.concatenate([sides.cluster, sides.cluster, crossing])
    heights = np.concatenate([sides.top, sides.bottom, at])
    order = np.lexsort((heights, cluster))
    cluster, heights = cluster[order], heights[order]
    differs = np.ones(len(order), dtype=bool)
    differs[1:] = (np.diff(cluster) > 0) | (np.diff(heights) > 0)
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.cumsum(differs) - 1
    borders = heights[differs]
    # A row for each side and each band that it passes through, in bands from left to right.
    first, last = place[: len(sides)], place[len(sides) : 2 * len(sides)]
    n_bands = last - first
    side = np.repeat(np.arange(len(sides)), n_bands)
    band = np.arange(len(side)) - np.repeat(np.cumsum(n_bands) - n_bands - first, n_bands)
    middle = (borders[band] + borders[band + 1]) / 2
    x = sides.start[side] + sides.slope[side] * (middle - sides.top[side])
    order = np.lexsort((x, band))
    side, band, x = side[order], band[order], x[order]
    # The last side of a band has nothing to its right; the area of a trapezoid is exact.
    widths = np.append(np.where(band[1:] == band[:-1], np.diff(x), 0.0), 0.0)
    areas = widths * (borders[band + 1] - borders[band])
    return _covered(drawn, sides.owner[side], sides.enters[side], areas)


@dataclass(frozen=True, slots=True)
class _Sides:
    """The sides of polygons that are not horizontal, by cluster.

    ``start`` is the x of the upper end at ``top``, ``slope`` the change of x per pixel downwards;
    ``enters`` is 1 if the polygon is to the right of the side, else -1.
    """

    owner: Indices
    cluster: Indices
    top: Floats
    bottom: Floats
    start: Floats
    slope: Floats
    enters: Indices
    boxes: Floats

    def __len__(self) -> int:
        return len(self.owner)


def _sides_of(drawn: Drawn) -> _Sides:
    missing = np.flatnonzero(drawn.rectangular)
    polygons = drawn.polygons
    polygons[missing] = shapely.box(*drawn.boxes[missing].T)
    parts, owner = polygons_in(polygons)
    rings, part = shapely.get_rings(parts, return_index=True)
    points, ring = shapely.get_coordinates(rings, return_index=True)
    # For each side: its ring and its ends; no side starts at the last point of a ring.
    begins = np.flatnonzero(ring[1:] == ring[:-1])
    ring, (x1, y1), (x2, y2) = ring[begins], points[begins].T, points[begins + 1].T
    # Twice the area of each ring, above 0 if it runs clockwise on screen; relative to one of its
    # points, so that products stay small. All rings of a polygon except the first are holes.
    x0, y0 = points[np.searchsorted(ring, np.arange(len(rings)))[ring] + ring].T
    turn = np.bincount(ring, (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0), minlength=len(rings))
    is_hole = np.append(False, part[1:] == part[:-1])
    way = np.where((turn > 0) != is_hole, 1, -1)[ring]
    slanted = y1 != y2
    of = owner[part[ring]]
    kept = np.flatnonzero(slanted)[np.argsort(drawn.cluster[of[slanted]], kind="stable")]
    of, way, x1, y1, x2, y2 = (array[kept] for array in (of, way, x1, y1, x2, y2))
    down = y2 > y1
    top, bottom = np.where(down, y1, y2), np.where(down, y2, y1)
    boxes = np.stack([np.minimum(x1, x2), top, np.maximum(x1, x2), bottom], axis=1)
    return _Sides(
        of,
        drawn.cluster[of],
        top,
        bottom,
        np.where(down, x1, x2),
        (x2 - x1) / (y2 - y1),
        np.where(down, -way, way),
        boxes,
    )


def _crossings(sides: _Sides) -> tuple[Indices, Floats]:
    """Return the crossings of two sides of a cluster: the cluster, and y."""
    n = np.bincount(sides.cluster)
    pairs = overlapping_pairs(sides.boxes, sides.boxes, n, n)
    pairs = pairs.where(pairs.truth < pairs.detection)
    a, b = pairs.truth, pairs.detection
    gap = sides.start[b] + sides.slope[b] * (sides.top[a] - sides.top[b]) - sides.start[a]
    steepness = sides.slope[a] - sides.slope[b]
    y = sides.top[a] + np.divide(gap, steepness, out=np.zeros_like(gap), where=steepness != 0)
    inside = (y > np.maximum(sides.top[a], sides.top[b])) & (
        y < np.minimum(sides.bottom[a], sides.bottom[b])
    )
    crosses = inside & (steepness != 0)
    return sides.cluster[a[crosses]], y[crosses]


def _covered(drawn: Drawn, owner: Indices, enters: Indices, areas: Floats) -> Parts:
    """Return the ranks that cover the area to the right of each side, band by band."""
    # A column for each vote of a method: the number of its polygons with this vote around a place.
    votes, column = np.unique(
        drawn.method[owner] * (int(drawn.ranks.max()) + 1) + drawn.ranks[owner],
        return_inverse=True,
    )
    methods, ranks = np.divmod(votes, int(drawn.ranks.max()) + 1)
    parts = []
    before = np.zeros(len(votes), dtype=np.intp)
    step = max(1, MAX_CELLS // len(votes))
    for start in range(0, len(owner), step):
        rows = slice(start, start + step)
        inside = np.zeros((len(owner[rows]), len(votes)), dtype=np.intp)
        inside[np.arange(len(inside)), column[rows]] = enters[rows]
        inside[0] += before
        # Every band is left as it was entered, so no state has to be reset.
        np.cumsum(inside, axis=0, out=inside)
        before = inside[-1].copy()
        wide = areas[rows] > 0
        covering = np.zeros((drawn.n_methods, int(wide.sum())), dtype=np.intp)
        for at, (method, rank) in enumerate(zip(methods.tolist(), ranks.tolist(), strict=True)):
            np.maximum(covering[method], rank * (inside[wide, at] > 0), out=covering[method])
        parts.append(added_up(covering, areas[rows][wide], drawn.levels))
    return parts
