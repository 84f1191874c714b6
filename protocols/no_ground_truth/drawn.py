"""The polygons of all methods on an image, to be divided into parts of constant votes."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from ..core import overlays
from ..core.geometry import Floats, Indices, Shapes, box_areas, overlapping_pairs
from ..core.regions import Region
from .votes import VoteError

# Maximum number of grid cells, or votes on trapezoids, in memory at once, over all methods.
MAX_CELLS: Final = 4_000_000
# Ranks of shape (methods, parts), and the area of each part.
Parts = list[tuple[Indices, Floats]]


class Drawn:
    """The polygons of all methods on an image, ready to be cut into faces.

    A rank is the place of a vote among the votes of its method: 0 is no vote, and a greater vote
    has a greater rank. ``levels`` maps ranks to votes.
    """

    def __init__(self, methods: Sequence[Sequence[Region]], use_confidences: bool) -> None:
        regions = [region for detections in methods for region in detections]
        counts = [len(detections) for detections in methods]
        self.n_methods = len(methods)
        self.method: Indices = np.repeat(np.arange(len(methods)), counts)
        self.levels = [np.array([0.0, 1.0] if n else [0.0]) for n in counts]
        self.ranks: Indices = np.ones(len(regions), dtype=np.intp)
        if use_confidences:
            self._rank(methods)
        shapes = Shapes(regions)
        self.boxes = shapes.boxes
        self.areas = shapes.areas
        self.rectangular = shapes.rectangular
        # The number of each polygon's cluster, after ``seek_clusters``.
        self.cluster: Indices = np.zeros(len(regions), dtype=np.intp)
        self.polygons: NDArray[np.object_] = np.full(len(regions), None, dtype=object)
        slanted = np.flatnonzero(~self.rectangular)
        if len(slanted):
            self.polygons[slanted] = _areal(shapes.polygons(slanted))

    def _rank(self, methods: Sequence[Sequence[Region]]) -> None:
        """Rank the votes of each method by their confidences."""
        votes = np.array(
            [
                _vote(region, f"method {k}, detection {at}")
                for k, detections in enumerate(methods)
                for at, region in enumerate(detections)
            ],
            dtype=np.float64,
        )
        for k in range(len(methods)):
            own = self.method == k
            self.levels[k] = np.unique(np.concatenate([[0.0], votes[own]]))
            self.ranks[own] = np.searchsorted(self.levels[k], votes[own])

    def clip(self, frame: tuple[float, float, float, float]) -> None:
        left, top, right, bottom = frame
        outside = (self.boxes[:, :2] < (left, top)) | (self.boxes[:, 2:] > (right, bottom))
        beyond = np.flatnonzero(outside.any(axis=1))
        if not len(beyond):
            return
        boxes = self.boxes.copy()
        boxes[:, ::2] = np.clip(boxes[:, ::2], left, right)
        boxes[:, 1::2] = np.clip(boxes[:, 1::2], top, bottom)
        self.boxes = boxes
        self.areas = self.areas.copy()
        straight, slanted = beyond[self.rectangular[beyond]], beyond[~self.rectangular[beyond]]
        self.areas[straight] = box_areas(boxes[straight])
        if len(slanted):
            inside = overlays.intersection(self.polygons[slanted], shapely.box(*frame))
            self.polygons[slanted] = _areal(inside)
            self.areas[slanted] = shapely.area(inside)

    def keep(self, kept: NDArray[np.bool_]) -> None:
        for name in ("method", "ranks", "boxes", "areas", "rectangular", "cluster", "polygons"):
            setattr(self, name, getattr(self, name)[kept])

    def seek_clusters(self) -> None:
        """Assign a cluster number to each polygon; polygons whose boxes touch belong together."""
        n = np.array([len(self.boxes)])
        pairs = overlapping_pairs(self.boxes, self.boxes, n, n)
        least = np.arange(len(self.boxes))
        known = None
        # Each polygon takes the smallest number among those it touches, and then the number of the
        # polygon with this number, until all of a cluster have the same.
        while known is None or (least != known).any():
            known, least = least, least.copy()
            np.minimum.at(least, pairs.truth, known[pairs.detection])
            least = least[least]
        self.cluster = least


def _areal(geometries: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return the polygons only: repair and clipping may leave loose lines and points."""
    mixed = shapely.get_type_id(geometries) == shapely.GeometryType.GEOMETRYCOLLECTION
    areal = geometries.copy()
    for at in np.flatnonzero(mixed).tolist():
        parts = polygons_in(geometries[at : at + 1])[0]
        areal[at] = shapely.multipolygons(parts)
    return areal


def polygons_in(geometries: NDArray[np.object_]) -> tuple[NDArray[np.object_], Indices]:
    """Return the polygons in geometries, and the index of the geometry that each is from.

    ``geometries`` has the shape (n,), both answers (m,).
    """
    parts, owner = shapely.get_parts(geometries, return_index=True)
    # A collection may hold multipolygons.
    parts, inner = shapely.get_parts(parts, return_index=True)
    flat = shapely.get_type_id(parts) == shapely.GeometryType.POLYGON
    return parts[flat], owner[inner][flat]


def _vote(region: Region, place: str) -> float:
    if region.confidence is None:
        return 1.0
    if not 0 <= region.confidence <= 1:
        raise VoteError(f"{place}: expected a confidence in [0, 1], got {region.confidence!r}")
    return float(region.confidence)


def added_up(ranks: Indices, areas: Floats, levels: Sequence[Floats]) -> tuple[Indices, Floats]:
    """Return the distinct columns of ranks and their total areas, in the order of the votes.

    ``ranks`` has the shape (s, n): the rank of the vote of each of s methods on each of n parts;
    ``levels`` are the votes that each method casts, by rank.
    """
    # A column of ranks is a number whose digits are the ranks, method by method: equal columns are
    # equal numbers, and their order is that of the votes. Before a number could overflow it is
    # replaced by its place among those that occur, which keeps the order.
    codes = np.zeros(len(areas), dtype=np.int64)
    n_codes = 1
    for row, known in zip(ranks, levels, strict=True):
        if n_codes * len(known) >= 2**62:
            codes = np.unique(codes, return_inverse=True)[1]
            n_codes = len(codes)
        codes = codes * len(known) + row
        n_codes *= len(known)
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return ranks[:, first], np.asarray(np.bincount(inverse, areas, len(first)), dtype=np.float64)
