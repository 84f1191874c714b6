"""Areas of many regions at once: simple shapes by arithmetic, the rest in one call.

Rectangles never touch a polygon library, nor do convex quadrilaterals with whole coordinates, the
usual content of result sets. Everything else goes to shapely, all pairs in one vectorised call.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from . import overlays
from .lazy_shapely import shapely
from .overlays import Polygons
from .regions import Region

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Above this many pairs of an image a spatial index is faster than comparing all.
_MAX_COMPARED = 20_000
# Products of coordinates below this are exact in double precision.
_MAX_EXACT = 2.0**24
# The corner after each of four, and the one before it.
_NEXT, _BEFORE = [1, 2, 3, 0], [3, 0, 1, 2]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of a truth and a detection of the same image, whose bounding boxes overlap.

    Indices of shape (m,) into the flat lists of all images, ordered by truth, then detection.
    """

    truth: Indices
    detection: Indices

    def __len__(self) -> int:
        return len(self.truth)

    def where(self, keep: NDArray[np.bool_]) -> "Pairs":
        return Pairs(self.truth[keep], self.detection[keep])


def boxes_of(regions: Sequence[Region]) -> Floats:
    """Return left, top, right, bottom of each region's bounding box; shape (n, 4)."""
    coordinates, n_points = _coordinates(regions)
    return _boxes(coordinates, n_points)


def _coordinates(regions: Sequence[Region]) -> tuple[Floats, Indices]:
    """Return the points of all regions one after the other, and how many each has."""
    points = list(map(attrgetter("points"), regions))
    n_points = np.fromiter(map(len, points), np.intp, len(points)) // 2
    values = np.fromiter(chain.from_iterable(points), np.float64, 2 * n_points.sum())
    return values.reshape(-1, 2), n_points


def _boxes(coordinates: Floats, n_points: Indices) -> Floats:
    if not len(n_points):
        return np.zeros((0, 4))
    if (n_points == 4).all():
        # Four arrays (n, 2), one for each corner: three minima of whole columns are several times
        # as fast as a reduction over an axis of length four.
        first, second, third, fourth = coordinates.reshape(-1, 4, 2).transpose(1, 0, 2)
        low = np.minimum(np.minimum(first, second), np.minimum(third, fourth))
        high = np.maximum(np.maximum(first, second), np.maximum(third, fourth))
        return np.concatenate([low, high], axis=1)
    # reduceat() takes the minimum from each start to the next, that is, for each ring.
    starts = np.cumsum(n_points) - n_points
    low = np.minimum.reduceat(coordinates, starts)
    return np.concatenate([low, np.maximum.reduceat(coordinates, starts)], axis=1)


def overlapping_pairs(
    truth_boxes: Floats, detection_boxes: Floats, n_truth: Indices, n_detections: Indices
) -> Pairs:
    """Return the pairs of each image whose boxes share a point.

    Boxes of all images come one after the other, in the shapes (n, 4) and (m, 4), and the numbers
    of regions have the shape (number of images,). Pairs are ordered by truth, then detection; boxes
    that only touch are a pair, too.
    """
    crowded = n_truth * n_detections > _MAX_COMPARED
    parts = [_compared_pairs(truth_boxes, detection_boxes, n_truth, n_detections, ~crowded)]
    for image in np.flatnonzero(crowded).tolist():
        i, j = int(n_truth[:image].sum()), int(n_detections[:image].sum())
        truth, detection = _indexed_pairs(
            truth_boxes[i : i + n_truth[image]], detection_boxes[j : j + n_detections[image]]
        )
        parts.append((truth + i, detection + j))
    if len(parts) == 1:
        return Pairs(*parts[0])
    truth = np.concatenate([pairs[0] for pairs in parts])
    detection = np.concatenate([pairs[1] for pairs in parts])
    order = np.lexsort((detection, truth))
    return Pairs(truth[order], detection[order])


def _compared_pairs(
    truth_boxes: Floats,
    detection_boxes: Floats,
    n_truth: Indices,
    n_detections: Indices,
    images: NDArray[np.bool_],
) -> tuple[Indices, Indices]:
    # Pair every truth with every detection of its image, without a loop over images: a truth is
    # repeated once for each partner, and ``step`` counts its partners from 0.
    first_detection = np.cumsum(n_detections) - n_detections
    image_of_truth = np.repeat(np.arange(len(n_truth)), n_truth)
    partners = np.where(images, n_detections, 0)[image_of_truth]
    truth = np.repeat(np.arange(len(truth_boxes)), partners)
    step = np.arange(len(truth)) - np.repeat(np.cumsum(partners) - partners, partners)
    detection = first_detection[image_of_truth[truth]] + step
    # Rows of a and b: left, top, right, bottom. Most pairs are rejected by x alone, so y is looked
    # up only for the rest.
    a, b = truth_boxes.T, detection_boxes.T
    overlap = (a[0][truth] <= b[2][detection]) & (b[0][detection] <= a[2][truth])
    truth, detection = truth[overlap], detection[overlap]
    overlap = (a[1][truth] <= b[3][detection]) & (b[1][detection] <= a[3][truth])
    return truth[overlap], detection[overlap]


def _indexed_pairs(truth_boxes: Floats, detection_boxes: Floats) -> tuple[Indices, Indices]:
    tree = shapely.STRtree(shapely.box(*detection_boxes.T))
    truth, detection = tree.query(shapely.box(*truth_boxes.T))
    return truth, detection


def shares(above: Floats, below: Floats) -> Floats:
    """Return above / below, entry by entry; 0 where below is not positive.

    Both have the same shape.
    """
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def box_areas(boxes: Floats, pixel: float = 0.0) -> Floats:
    """Return areas of boxes; ``pixel`` is 1 where the last pixel is included in a box.

    Boxes have the shape (n, 4), areas (n,), in square pixels.
    """
    return np.asarray((boxes[:, 2] - boxes[:, 0] + pixel) * (boxes[:, 3] - boxes[:, 1] + pixel))


def box_intersections(a: Floats, b: Floats, pixel: float = 0.0) -> Floats:
    """Return the area that each row of ``a`` shares with the same row of ``b``.

    Boxes have the shape (m, 4), areas (m,), in square pixels; ``pixel`` is 1 where the last pixel
    is included in a box.
    """
    width = np.minimum(a[:, 2], b[:, 2]) - np.maximum(a[:, 0], b[:, 0]) + pixel
    height = np.minimum(a[:, 3], b[:, 3]) - np.maximum(a[:, 1], b[:, 1]) + pixel
    return np.maximum(width, 0.0) * np.maximum(height, 0.0)


class Shapes:
    """n regions ready to be measured against each other.

    A self-crossing polygon is repaired (``shapely.make_valid``) before it is measured, so that a
    bow tie has the area of its two wings. The published scripts give it a signed area (0) but clip
    by the even-odd rule; the published result sets have no self-crossing polygon.

    ``truncate`` cuts coordinates to whole numbers first, as the RRC scripts do; ``masks`` measures
    masks by their pixels instead of their bounding box; ``buffered`` repairs by a buffer of width
    zero, which may keep only a part of a self-crossing polygon. ``boxes`` are of shape (n, 4);
    ``rectangular`` regions are upright rectangles, which their boxes describe completely.
    """

    def __init__(
        self,
        regions: Sequence[Region],
        *,
        truncate: bool = False,
        masks: bool = False,
        buffered: bool = False,
    ) -> None:
        self._buffered = buffered
        coordinates, n_points = _coordinates(regions)
        self._coordinates = np.trunc(coordinates) if truncate else coordinates
        self.n_points = n_points
        self._first = np.cumsum(n_points) - n_points
        self.boxes = _boxes(self._coordinates, n_points)
        self._four = np.flatnonzero(n_points == 4)
        self.rectangular = np.zeros(len(regions), dtype=bool)
        # For the regions with four points: shape (number of them, 4, 2).
        corners = self._coordinates[self._first[self._four, None] + np.arange(4)]
        self.rectangular[self._four] = _are_rectangles(corners)
        self.areas = box_areas(self.boxes)
        # Corners of convex quadrilaterals with whole coordinates, clockwise on screen; a triangle has
        # a corner twice, or one on a side.
        self._quads = np.zeros((len(regions), 4, 2))
        self.simple = np.zeros(len(regions), dtype=bool)
        self._find_simple(corners)
        self._polygons: Polygons = np.full(len(regions), None, dtype=object)
        if masks:
            self._take_masks(regions)
        others = np.flatnonzero(~(self.rectangular | self.simple))
        if len(others):
            self.areas[others] = shapely.area(self.polygons(others))

    def _find_simple(self, corners: Floats) -> None:
        if not len(corners):
            return
        # Shape (4, n) each: numpy is slow on so short a last axis as four corners or x and y.
        x, y = np.ascontiguousarray(corners.transpose(2, 1, 0))
        # Row k of the sides leads from corner k to the next; that of the turns says how the ring turns
        # at corner k, positive to the right on screen. A ring that turns one way everywhere is convex.
        along, down = x[_NEXT] - x, y[_NEXT] - y
        from_left, from_above = along[_BEFORE], down[_BEFORE]
        turns = from_left * down - from_above * along
        turning = turns.sum(axis=0)
        clockwise = (turns >= 0).all(axis=0)
        # A corner on a side, or the same as the next one, turns neither way; a spike turns back.
        ahead = from_left * along + from_above * down
        spiked = ((turns == 0) & (ahead < 0)).any(axis=0)
        convex = (clockwise | (turns <= 0).all(axis=0)) & ~spiked
        # Sums of products of whole numbers this small are exact, so no rounding can change a sign.
        whole = ((x == np.trunc(x)) & (y == np.trunc(y))).all(axis=0)
        small = np.maximum(np.abs(x), np.abs(y)).max(axis=0) < _MAX_EXACT
        # A box without width or height does not turn, but its area is known: 0.
        usable = convex & whole & small & (turning != 0)
        at = self._four[usable]
        chosen = corners[usable]
        backwards = ~clockwise[usable]
        chosen[backwards] = chosen[backwards, ::-1]
        self._quads[at] = chosen
        self.simple[at] = True
        # The shoelace formula, from the first corner, so that the products stay small and exact.
        x, y = np.ascontiguousarray((chosen - chosen[:, :1]).transpose(2, 1, 0))
        self.areas[at] = 0.5 * (x * y[_NEXT] - y * x[_NEXT]).sum(axis=0)

    def _take_masks(self, regions: Sequence[Region]) -> None:
        for at, region in enumerate(regions):
            if region.pixels is None:
                continue
            rows, starts, ends = np.array(region.pixels, dtype=np.float64).T
            runs = shapely.box(starts, rows, ends, rows + 1.0)
            [self._polygons[at]] = overlays.union_of_rows(runs[None])
            self.rectangular[at] = self.simple[at] = False

    def polygons(self, at: Indices) -> Polygons:
        """Return shapely polygons of the regions at these indices."""
        found = zip(at.tolist(), self._polygons[at], strict=True)
        # Not by np.unique, whose first call imports numpy.ma.
        missing = sorted({index for index, polygon in found if polygon is None})
        if missing:
            self._polygons[missing] = self._made(np.array(missing))
        return np.asarray(self._polygons[at], dtype=object)

    def _made(self, at: Indices) -> Polygons:
        # The points of all rings one after the other: which ring each belongs to, and its number
        # within the ring.
        n_points = self.n_points[at]
        rings = np.repeat(np.arange(len(at)), n_points)
        within = np.arange(len(rings)) - np.repeat(np.cumsum(n_points) - n_points, n_points)
        points = self._coordinates[np.repeat(self._first[at], n_points) + within]
        # linearrings() closes each ring itself.
        polygons = shapely.polygons(shapely.linearrings(points, indices=rings))
        doubtful = ~self.simple[at] & ~self.rectangular[at]
        invalid = np.zeros(len(at), dtype=bool)
        invalid[doubtful] = ~shapely.is_valid(polygons[doubtful])
        doubted = polygons[invalid]
        polygons[invalid] = (
            overlays.buffered(doubted) if self._buffered else overlays.made_valid(doubted)
        )
        return np.asarray(polygons, dtype=object)

    def points(self, at: int) -> Floats:
        """Return the points of a region; shape (n, 2)."""
        return self._coordinates[self._first[at] : self._first[at] + self.n_points[at]]

    def corners(self) -> Floats:
        """Return four points of each region in file order, shape (n, 4, 2).

        For a polygon with another number of points: the ends of its first half (the top of a text)
        and of its second half (the bottom).
        """
        # The four points, counted from the first, that represent each region; shape (n, 4).
        half = np.maximum(self.n_points // 2, 1)
        steps = np.stack([np.zeros_like(half), half - 1, half, self.n_points - 1], axis=1)
        steps[self._four] = np.arange(4)
        return np.asarray(self._coordinates[self._first[:, None] + steps])

    def centroids(self) -> Floats:
        """Return the centre of gravity of each region; shape (n, 2)."""
        centres = (self.boxes[:, :2] + self.boxes[:, 2:]) / 2
        # The centre of a polygon is the mean of the centres of the triangles between its first
        # corner and each side, weighted by their signed areas.
        quads = np.flatnonzero(self.simple)
        corners = self._quads[quads]
        shifted = corners - corners[:, :1]
        following = np.roll(shifted, -1, axis=1)
        weights = _cross(shifted, following)[..., None]
        moments = ((shifted + following) * weights).sum(axis=1)
        centres[quads] = corners[:, 0] + moments / (6.0 * self.areas[quads, None])
        others = np.flatnonzero(~(self.simple | self.rectangular))
        if len(others):
            centroids = shapely.centroid(self.polygons(others))
            centres[others] = shapely.get_coordinates(centroids)
        return centres

    def turns_left(self) -> NDArray[np.bool_]:
        """Return which rings run counter-clockwise on screen, as the RRC scripts test it."""
        return self.signed_areas() < 0

    def signed_areas(self) -> Floats:
        """Return the signed area of each ring as given: positive if it runs clockwise on screen."""
        if not len(self.n_points):
            return np.zeros(0)
        # For each point of all rings, the previous point; before a ring's first comes its last.
        before = np.arange(len(self._coordinates)) - 1
        before[self._first] = self._first + self.n_points - 1
        step = self._coordinates - self._coordinates[before]
        rise = (self._coordinates + self._coordinates[before])[:, 1]
        return np.asarray(-0.5 * np.add.reduceat(step[:, 0] * rise, self._first))

    def quads(self, at: Indices) -> Floats:
        """Return the corners of simple regions, clockwise on screen; shape (m, 4, 2)."""
        return np.asarray(self._quads[at])


def _are_rectangles(corners: Floats) -> NDArray[np.bool_]:
    # Shape (n, 4) each. The second point is left or right of the first, or above or below it.
    x, y = corners[:, :, 0], corners[:, :, 1]
    along = (x[:, 0] == x[:, 3]) & (x[:, 1] == x[:, 2]) & (y[:, 0] == y[:, 1])
    along &= y[:, 2] == y[:, 3]
    down = (x[:, 0] == x[:, 1]) & (x[:, 2] == x[:, 3]) & (y[:, 0] == y[:, 3])
    return np.asarray(along | (down & (y[:, 1] == y[:, 2])))


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def intersection_areas(truth: Shapes, detections: Shapes, pairs: Pairs) -> Floats:
    """Return the shared area of each pair; shape (m,).

    Pairs are indices into ``truth`` and ``detections``; areas are in square pixels.
    """
    areas = box_intersections(truth.boxes[pairs.truth], detections.boxes[pairs.detection])
    # Boxes that only touch enclose polygons that share no area.
    slanted = np.flatnonzero(
        ~(truth.rectangular[pairs.truth] & detections.rectangular[pairs.detection]) & (areas > 0)
    )
    if not len(slanted):
        return areas
    i, j = pairs.truth[slanted], pairs.detection[slanted]
    simple = truth.simple[i] & detections.simple[j]
    areas[slanted[simple]] = _convex_intersections(
        truth.quads(i[simple]), detections.quads(j[simple])
    )
    rest = ~simple
    if rest.any():
        areas[slanted[rest]] = shapely.area(
            overlays.intersection(truth.polygons(i[rest]), detections.polygons(j[rest]))
        )
    return areas


def ious(truth: Sequence[Region], detections: Sequence[Region]) -> list[tuple[int, int, float]]:
    """Return (truth, detection, IoU) of all pairs that share an area, in order of their numbers."""
    one, other = Shapes(truth), Shapes(detections)
    pairs = overlapping_pairs(
        one.boxes, other.boxes, np.array([len(truth)]), np.array([len(detections)])
    )
    shared = intersection_areas(one, other, pairs)
    both = one.areas[pairs.truth] + other.areas[pairs.detection] - shared
    columns = (pairs.truth.tolist(), pairs.detection.tolist(), shares(shared, both).tolist())
    return [row for row in zip(*columns, strict=True) if row[2] > 0]


def _convex_intersections(a: Floats, b: Floats) -> Floats:
    """Return the areas shared by pairs of convex quadrilaterals with whole coordinates.

    Green's theorem over the boundary of the intersection: the parts of a's sides inside b, and of
    b's sides inside a. Which side of a line a corner is on is exact, so a side along a side of the
    other is counted once if both run the same way, and never if they run against each other.
    Corners have the shape (m, 4, 2), clockwise on screen.
    """
    if not len(a):
        return np.zeros(0)
    # The boundary integral of x dy - y dx is twice the area; from a corner of b, to stay exact.
    origin = b[:, :1]
    # Axes: x and y, corner, pair; numpy is slow on a short last axis.
    a, b = (np.ascontiguousarray((of - origin).transpose(2, 1, 0)) for of in (a, b))
    return np.maximum(0.5 * (_inside(a, b, shared=True) + _inside(b, a, shared=False)), 0.0)


def _inside(a: Floats, b: Floats, *, shared: bool) -> Floats:
    """Return the sum of x dy - y dx over the parts of a's sides inside b."""
    sides, other = a[:, _NEXT] - a, b[:, _NEXT] - b
    # How far a's corner i is to the right of b's side k; shape (i, k, m).
    start = other[0] * (a[1, :, None] - b[1]) - other[1] * (a[0, :, None] - b[0])
    # The same for the corner where side i ends, and the point (0 to 1) where side i crosses the
    # line through b's side k.
    end = start[_NEXT]
    span = start - end
    at = np.divide(start, span, out=np.zeros_like(start), where=span != 0)
    # b is convex and clockwise, so inside is right of all its sides: side i of a is inside from the
    # last line by which it enters to the first by which it leaves.
    before, after = start < 0, end < 0
    enters = np.where(before & ~after, at, 0.0).max(axis=1)
    leaves = np.where(~before & after, at, 1.0).min(axis=1)
    outside = before & after
    along = (start == 0) & (end == 0) & (other != 0).any(axis=0)
    if shared:
        along &= sides[0, :, None] * other[0] + sides[1, :, None] * other[1] <= 0
    outside |= along
    length = np.where(outside.any(axis=1), 0.0, np.maximum(leaves - enters, 0.0))
    return np.asarray((length * (a[0] * sides[1] - a[1] * sides[0])).sum(axis=0))
