"""The parts of an image on which all methods vote alike ([LS11]_)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely

from ..core.geometry import Floats, Indices, box_areas, overlapping_pairs
from ..core.regions import Region
from .drawn import MAX_CELLS, Drawn, Parts, added_up, polygons_in
from .votes import Consensus, weigh_votes

# Smaller parts, in square pixels, are rounding errors.
_MIN_AREA: Final = 1e-9


@dataclass(frozen=True)
class Faces:
    """The parts of an image on which all methods vote alike, and their areas.

    This is all that a consensus needs: other weights, groups or oracles need no geometry.
    ``signatures`` of shape (n, s) are the vote of each method on each face, in lexicographic order;
    ``areas`` of shape (n,) are in square pixels, above 0.
    """

    signatures: Floats
    areas: Floats

    def __len__(self) -> int:
        return len(self.areas)

    @property
    def area(self) -> float:
        return float(self.areas.sum())

    def weigh(
        self, weights: Sequence[float] | None = None, *, leave_one_out: bool = False
    ) -> Consensus | None:
        """Return the consensus, or None if there is no area to vote on."""
        if not len(self):
            return None
        return weigh_votes(self.signatures.T, self.areas, weights, leave_one_out=leave_one_out)


def faces_of(
    methods: Sequence[Sequence[Region]],
    *,
    width: float | None = None,
    height: float | None = None,
    domain: str = "image",
    use_confidences: bool = True,
) -> Faces:
    """Return the faces into which all methods' polygons divide an image.

    Clusters of touching boxes are independent: rectangles are cut on the grid of their coordinates,
    other polygons into trapezoids between all their sides. No pixel grid is involved. Detections
    that overlap count once, with the greatest confidence; ``use_confidences`` says whether they
    vote with it, one without votes 1. Polygons are clipped to the frame of ``width`` and
    ``height``; without it the domain is the bounding box of all. A domain of "union" is the union
    of all polygons inside the frame; without area, there are no faces. Raises VoteError if a
    confidence is outside [0, 1]; the message names method and detection.
    """
    drawn = Drawn(methods, use_confidences)
    frame: tuple[float, float, float, float] | None = None
    if width is not None and height is not None:
        frame = (0.0, 0.0, width, height)
        drawn.clip(frame)
    elif len(drawn.boxes):
        frame = (*drawn.boxes[:, :2].min(axis=0).tolist(), *drawn.boxes[:, 2:].max(axis=0).tolist())
    drawn.keep((drawn.areas > 0) & (drawn.ranks > 0))
    parts = [*_parts_of_rectangles(drawn), *trapezoids(drawn)]
    ranks = np.concatenate([np.zeros((len(methods), 0), dtype=np.intp), *(r for r, _ in parts)], 1)
    areas = np.concatenate([np.zeros(0), *(a for _, a in parts)])
    voted = (areas > _MIN_AREA) & ranks.any(axis=0)
    ranks, areas = ranks[:, voted], areas[voted]
    if domain == "image" and frame is not None:
        whole = float(box_areas(np.array([frame]))[0])
        # The rest of a large frame is known only up to the rounding of its size.
        rest = whole - math.fsum(areas.tolist())
        if rest > max(_MIN_AREA, 1e-13 * whole):
            ranks = np.concatenate([np.zeros((len(methods), 1), dtype=np.intp), ranks], axis=1)
            areas = np.concatenate([[rest], areas])
    return _merged(ranks, areas, drawn.levels)


def _parts_of_rectangles(drawn: Drawn) -> Parts:
    """Return isolated polygons, and the grid cells of the clusters that have only rectangles.

    They are removed from ``drawn``, which keeps the polygons of the other clusters.
    """
    if not len(drawn.boxes):
        return []
    drawn.seek_clusters()
    alone = np.bincount(drawn.cluster)[drawn.cluster] == 1
    own = np.zeros((drawn.n_methods, int(alone.sum())), dtype=np.intp)
    own[drawn.method[alone], np.arange(own.shape[1])] = drawn.ranks[alone]
    parts = [(own, drawn.areas[alone])]
    drawn.keep(~alone)
    if not len(drawn.boxes):
        return parts
    cluster = drawn.cluster
    # For each polygon, whether its cluster has only rectangles; then these, cluster by cluster.
    straight = np.bincount(cluster, ~drawn.rectangular)[cluster] == 0
    order = np.flatnonzero(straight)[np.argsort(cluster[straight], kind="stable")]
    starts = np.flatnonzero(np.diff(cluster[order])) + 1
    for cluster_at in np.split(order, starts):
        if len(cluster_at):
            parts += _cells(drawn, cluster_at)
    drawn.keep(~straight)
    return parts


def _cells(drawn: Drawn, at: Indices) -> Parts:
    boxes, methods, ranks = drawn.boxes[at], drawn.method[at], drawn.ranks[at]
    # Every side is on the grid of all coordinates of the cluster, so all methods vote alike on a
    # whole cell: grid[method, row, column] is the greatest rank that covers the cell.
    xs, ys = np.unique(boxes[:, ::2]), np.unique(boxes[:, 1::2])
    left, right = np.searchsorted(xs, boxes[:, ::2]).T
    top, bottom = np.searchsorted(ys, boxes[:, 1::2]).T
    own, methods = np.unique(methods, return_inverse=True)
    n_rows, n_columns = len(ys) - 1, len(xs) - 1
    step = max(1, MAX_CELLS // (len(own) * n_columns))
    parts = []
    for first in range(0, n_rows, step):
        last = min(first + step, n_rows)
        grid = np.zeros((len(own), last - first, n_columns), dtype=np.intp)
        # The rows of each box within this band; a box above it has none.
        rows = np.clip(top - first, 0, None), np.clip(bottom - first, 0, None)
        for k, rank, y1, y2, x1, x2 in zip(
            *(array.tolist() for array in (methods, ranks, *rows, left, right)), strict=True
        ):
            cells = grid[k, y1:y2, x1:x2]
            np.maximum(cells, rank, out=cells)
        areas = np.outer(np.diff(ys[first : last + 1]), np.diff(xs)).ravel()
        voted = grid.reshape(len(own), -1)
        covered = voted.any(axis=0)
        # A row for each method of the image, those without a box in this cluster included.
        all_ranks = np.zeros((drawn.n_methods, int(covered.sum())), dtype=np.intp)
        all_ranks[own] = voted[:, covered]
        parts.append((all_ranks, areas[covered]))
    return parts


def _merged(ranks: Indices, areas: Floats, levels: Sequence[Floats]) -> Faces:
    """Return faces, summing the areas of those with equal ranks."""
    ranks, areas = added_up(ranks, areas, levels)
    signatures = np.empty((len(areas), len(levels)))
    for k, known in enumerate(levels):
        signatures[:, k] = known[ranks[k]]
    return Faces(signatures, areas)


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
