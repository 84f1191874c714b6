"""Placement of a truth's characters, and the characters inside each detection ([LB19]_, [B20]_)."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from . import overlays
from .geometry import (
    Floats,
    Indices,
    Pairs,
    Shapes,
    intersection_areas,
    overlapping_pairs,
)
from .lazy_shapely import shapely
from .matching import Flat
from .overlays import Polygons
from .unions import overlapping_groups, union_of_each

# Clipped shapes have sides that are parallel up to rounding, and the polygon library sometimes
# takes the wrong side: it finds an area where there is none, or none where there is one. So areas
# are computed in two ways, and on a grid (which is slow) if the two disagree.
_GRID: Final = 1e-10
_SUSPICIOUS: Final = 1e-6
# A point on a left or top edge is inside, one on a right or bottom edge is not: test it a little
# to the right and below.
_NUDGE: Final = np.array([1e-7, 1e-9])


@dataclass(frozen=True, slots=True)
class Characters:
    """The characters of all truths one after the other.

    ``points`` of shape (k, 2) are their centres; ``n`` and ``first``, one for each truth, say how
    many it has and where they start.
    """

    points: Floats
    n: Indices
    first: Indices

    def of(self, truths: Indices) -> tuple[Indices, Indices]:
        """Return, for each character of these truths, its place in ``truths`` and in ``points``."""
        # A truth may be given several times, each time with all its characters, which ``within``
        # counts from 0.
        n = self.n[truths]
        rows = np.repeat(np.arange(len(truths)), n)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(n) - n, n)
        return rows, np.repeat(self.first[truths], n) + within


def characters_of(
    shapes: Shapes, n: Indices, *, downwards: NDArray[np.bool_], curved: NDArray[np.bool_]
) -> Characters:
    """Return the positions of n characters of each region.

    On a straight line: the segment from the middle of the left side (corners 1 and 4) to that of
    the right side (corners 2 and 3), cut into n equal parts, the middle of each. Where the text
    runs ``downwards`` the corners are taken as (4, 1, 2, 3) first, as published: from the bottom
    up. The corners of a polygon are the ends of the first half of its points and of the second. A
    ``curved`` region has its characters along its top and its bottom instead: see ``_curved``.
    ``n`` has the shape (m,), one for each region, as the two that follow.
    """
    corners = shapes.corners()
    corners[downwards] = np.roll(corners[downwards], 1, axis=1)
    # Start of the middle line of each text, and the step from a character to the next.
    start = (corners[:, 0] + corners[:, 3]) / 2
    unit = ((corners[:, 1] + corners[:, 2]) / 2 - start) / np.maximum(n, 1)[:, None]
    # A row for each character: which region, and its number in the text.
    first = np.cumsum(n) - n
    rows = np.repeat(np.arange(len(n)), n)
    step = np.arange(len(rows)) - np.repeat(first, n)
    points = start[rows] + unit[rows] / 2 + unit[rows] * step[:, None]
    for i in np.flatnonzero(curved & (n > 0)).tolist():
        points[first[i] : first[i] + n[i]] = _curved(shapes.points(i), int(n[i]))
    return Characters(points, n, first)


def _curved(corners: Floats, n: int) -> Floats:
    """Return the characters of a region whose first half of points is the top of the text.

    Each section of the top and of the bottom is cut into n parts (cuts truncated to whole numbers,
    as published); a character spans as many parts as there are sections, and its centre is the
    mean of its four corners.
    """
    if len(corners) == 3:
        corners = np.vstack([corners, [corners[0, 0], corners[2, 1]]])
    half = len(corners) // 2
    below = corners[half:][::-1]
    top, bottom = _refined(corners[:half], n), _refined(below[:half], n)
    # With an odd number of points the bottom has one more; as published only its end is that one.
    bottom[-1] = below[-1]
    share = (len(top) - 1) / n
    ends = [int(at * share) for at in range(n + 1)]
    return np.array([(top[a] + top[b] + bottom[a] + bottom[b]) / 4 for a, b in pairwise(ends)])


def _refined(line: Floats, n: int) -> Floats:
    points = []
    for start, end in pairwise(line):
        cuts = start + (end - start) / n * np.arange(n)[:, None]
        cuts[1:] = np.trunc(cuts[1:])
        points.append(cuts)
    return np.concatenate([*points, line[-1:]])


def inside(
    points: Floats, shapes: Shapes, at: Indices, *, open_edges: bool = False
) -> NDArray[np.bool_]:
    """Return, for each point, whether it is inside the region of its row.

    Left and top edges are inside, right and bottom edges are not; with ``open_edges`` no edge is.
    ``at`` has the region of each point, by its index in ``shapes``; points have the shape (k, 2),
    both others (k,).
    """
    # Cheapest first: the bounding box of all, the four sides of quadrilaterals, the library.
    moved = points if open_edges else points + _NUDGE
    boxes = shapes.boxes[at]
    after, before = moved - boxes[:, :2], boxes[:, 2:] - moved
    inside_now: NDArray[np.bool_] = _positive(np.hstack([after, before]), open_edges)
    slanted = np.flatnonzero(inside_now & ~shapes.rectangular[at])
    simple = slanted[shapes.simple[at[slanted]]]
    if len(simple):
        # Axes: point, side of its quadrilateral, x and y. Inside is right of all four sides.
        corners = shapes.quads(at[simple])
        sides = np.roll(corners, -1, axis=1) - corners
        to = moved[simple, None] - corners
        right = sides[..., 0] * to[..., 1] - sides[..., 1] * to[..., 0]
        inside_now[simple] = _positive(right, open_edges)
    other = slanted[~shapes.simple[at[slanted]]]
    if len(other):
        polygons = shapes.polygons(at[other])
        inside_now[other] = shapely.contains_xy(polygons, moved[other, 0], moved[other, 1])
    return inside_now


def _positive(values: Floats, strictly: bool) -> NDArray[np.bool_]:
    """Return the rows whose values are all positive, or at least not negative."""
    return np.asarray((values > 0 if strictly else values >= 0).all(axis=1))


class IgnoredParts:
    """Ignored truths minus the area of counted truths, and the share of detections inside them.

    ``shared``, one for each pair, and ``areas``, one for each truth, have the remainder of ignored
    truths.
    """

    def __init__(
        self, flat: Flat, truth: Shapes, detections: Shapes, pairs: Pairs, shared: Floats
    ) -> None:
        self._truth, self._detections = truth, detections
        self._remains: dict[int, shapely.Geometry] = {}
        self._covers: dict[int, shapely.Geometry] = {}
        self.shared, self.areas = shared.copy(), truth.areas.copy()
        if not flat.ignored_truth.any() or flat.ignored_truth.all():
            return
        # Pairs of two truths: an ignored one, and a counted one that covers a part of it.
        beside = overlapping_pairs(truth.boxes, truth.boxes, flat.n_truth, flat.n_truth)
        beside = beside.where(
            flat.ignored_truth[beside.truth] & ~flat.ignored_truth[beside.detection]
        )
        beside = beside.where(intersection_areas(truth, truth, beside) > 0)
        covered_by: dict[int, list[int]] = {}
        for i, k in zip(beside.truth.tolist(), beside.detection.tolist(), strict=True):
            covered_by.setdefault(i, []).append(k)
        if covered_by:
            at = np.array(list(covered_by))
            # Creates all their polygons in one call; below they are only looked up.
            truth.polygons(np.unique(np.concatenate([at, *map(np.array, covered_by.values())])))
            covers = union_of_each(
                [truth.polygons(np.array(counted)) for counted in covered_by.values()]
            )
            remains = _differences(truth.polygons(at), truth.areas[at], covers)
            self._remains = dict(zip(at.tolist(), remains, strict=True))
            self._covers = dict(zip(at.tolist(), covers, strict=True))
            self.areas[at] = shapely.area(remains)
        changed = np.flatnonzero(np.isin(pairs.truth, list(covered_by)) & (shared > 0))
        if len(changed):
            polygons = detections.polygons(pairs.detection[changed])
            self.shared[changed] = self._shared(pairs.truth[changed], polygons)

    def _shared(self, truths: Indices, detections: Polygons) -> Floats:
        """Return the shared areas of detections and the remainders of truths."""
        remains = self.polygons(truths)
        areas = shapely.area(overlays.intersection(remains, detections))
        # The other way: the area inside the whole ignored truth, minus its part in the counted
        # ones.
        inside = overlays.intersection(self._truth.polygons(truths), detections)
        covers = np.array([self._covers[i] for i in truths.tolist()], dtype=object)
        whole = shapely.area(inside)
        other_way = whole - shapely.area(overlays.intersection(inside, covers))
        return _on_a_grid_where(areas, other_way, whole, remains, detections)

    def polygons(self, at: Indices) -> Polygons:
        """Return the remainders of ignored truths."""
        polygons = self._truth.polygons(at).copy()
        for row, i in enumerate(at.tolist()):
            if i in self._remains:
                polygons[row] = self._remains[i]
        return polygons

    def taken(self, pairs: Pairs, shared: Floats, n_detections: int) -> Floats:
        """Return the area of each detection in the ignored truths of these pairs together."""
        # The areas add up, except where ignored truths of a detection overlap each other: only
        # those need a union.
        taken = np.bincount(pairs.detection, shared, minlength=n_detections).astype(np.float64)
        members: dict[int, list[int]] = {}
        for i, j in zip(pairs.truth.tolist(), pairs.detection.tolist(), strict=True):
            members.setdefault(j, []).append(i)
        crowded = overlapping_groups(self._truth, members)
        if crowded:
            cut_out = union_of_each([self.polygons(np.array(members[j])) for j in crowded])
            frames = self._detections.polygons(np.array(crowded))
            areas = shapely.area(overlays.intersection(frames, cut_out))
            whole = shapely.area(frames)
            other_way = whole - shapely.area(overlays.difference(frames, cut_out))
            taken[crowded] = _on_a_grid_where(areas, other_way, whole, frames, cut_out)
        return taken


def _differences(whole: Polygons, areas: Floats, covers: Polygons) -> Polygons:
    remains = overlays.difference(whole, covers)
    other_way = areas - shapely.area(overlays.intersection(whole, covers))
    wrong = np.abs(shapely.area(remains) - other_way) > _SUSPICIOUS * (1.0 + areas)
    if wrong.any():
        remains[wrong] = shapely.difference(whole[wrong], covers[wrong], grid_size=_GRID)
    return np.asarray(remains, dtype=object)


def _on_a_grid_where(
    areas: Floats, other_way: Floats, whole: Floats, a: Polygons, b: Polygons
) -> Floats:
    """Return areas; where two computations disagree, those of intersections on a grid."""
    wrong = np.abs(areas - other_way) > _SUSPICIOUS * (1.0 + whole)
    if wrong.any():
        areas[wrong] = shapely.area(shapely.intersection(a[wrong], b[wrong], grid_size=_GRID))
    return areas
