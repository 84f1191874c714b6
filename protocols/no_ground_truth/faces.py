"""The parts of an image on which all methods vote alike ([LS11]_)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from ..core.geometry import Floats, Indices, Shapes, box_areas
from ..core.regions import Region
from .votes import Consensus, VoteError, weigh_votes

# Smaller parts, in square pixels, are rounding.
_MIN_AREA: Final = 1e-9
# To which crossings of sides are rounded, in pixels.
_GRID: Final = 1e-9
# Cells of a grid that are held at once, over all methods.
_MAX_CELLS: Final = 4_000_000


@dataclass(frozen=True)
class Faces:
    """The parts of an image on which all methods vote alike, and their areas.

    This is all that a consensus needs: other weights, groups or oracles need no geometry.

    Attributes
    ----------
    signatures : ndarray of shape (n, s)
        The vote of each method on each face, in lexicographic order.
    areas : ndarray of shape (n,)
        In square pixels, above 0.
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
        """Return the consensus, None where there is no area to vote on."""
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
    """Return the faces of the arrangement of all methods' polygons on an image.

    Clusters of touching boxes stand apart: rectangles are cut on the grid of their coordinates,
    other polygons along all their sides. There is no resolution; only crossings of slanted sides
    are rounded, to 1e-9 pixels.

    Parameters
    ----------
    methods : sequence of sequences of Region
        Detections that overlap count once, with the greatest confidence.
    width, height : float or None
        The frame, to which polygons are clipped. Without it the domain is the bounding box of all
        polygons, and nothing is clipped.
    domain : str
        "image": the frame. "union": the union of all polygons inside the frame.
    use_confidences : bool
        Whether a detection votes with its confidence; one without votes 1.

    Returns
    -------
    Faces
        Without any where the domain has no area.

    Raises
    ------
    VoteError
        If a confidence is outside [0, 1]; names method and detection.
    """
    drawn = _Drawn(methods, use_confidences)
    frame: tuple[float, float, float, float] | None = None
    if width is not None and height is not None:
        frame = (0.0, 0.0, width, height)
        drawn.clip(frame)
    elif len(drawn.boxes):
        frame = (*drawn.boxes[:, :2].min(axis=0).tolist(), *drawn.boxes[:, 2:].max(axis=0).tolist())
    drawn.keep((drawn.areas > 0) & (drawn.ranks > 0))
    parts = [*_parts_of_rectangles(drawn), *_parts_of_others(drawn)]
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


class _Drawn:
    """The polygons of all methods on an image, ready to be cut into faces.

    A rank is the place of a vote among the votes of its method: 0 is no vote, and of two votes the
    greater has the greater rank. ``levels`` leads back from ranks to votes.
    """

    def __init__(self, methods: Sequence[Sequence[Region]], use_confidences: bool) -> None:
        regions = [region for detections in methods for region in detections]
        counts = [len(detections) for detections in methods]
        self.n_methods = len(methods)
        self.method: Indices = np.repeat(np.arange(len(methods)), counts)
        votes = np.ones(len(regions))
        if use_confidences:
            votes = np.array(
                [
                    _vote(region, f"method {k}, detection {at}")
                    for k, detections in enumerate(methods)
                    for at, region in enumerate(detections)
                ],
                dtype=np.float64,
            )
        self.levels = [
            np.unique(np.concatenate([[0.0], votes[self.method == k]])) for k in range(len(methods))
        ]
        self.ranks: Indices = np.zeros(len(regions), dtype=np.intp)
        for k, levels in enumerate(self.levels):
            own = self.method == k
            self.ranks[own] = np.searchsorted(levels, votes[own])
        shapes = Shapes(regions)
        self.boxes = shapes.boxes
        self.areas = shapes.areas
        self.rectangular = shapes.rectangular
        self.polygons: NDArray[np.object_] = np.full(len(regions), None, dtype=object)
        slanted = np.flatnonzero(~self.rectangular)
        if len(slanted):
            self.polygons[slanted] = _areal(shapes.polygons(slanted))

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
            inside = shapely.intersection(self.polygons[slanted], shapely.box(*frame))
            self.polygons[slanted] = _areal(inside)
            self.areas[slanted] = shapely.area(inside)

    def keep(self, kept: NDArray[np.bool_]) -> None:
        for name in ("method", "ranks", "boxes", "areas", "rectangular", "polygons"):
            setattr(self, name, getattr(self, name)[kept])

    def clusters(self) -> Indices:
        """Return the number of the cluster of each polygon: those whose boxes touch belong together."""
        # Takes longer to import than the whole package, and nothing else needs it.
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = len(self.boxes)
        boxes = shapely.box(*self.boxes.T)
        a, b = shapely.STRtree(boxes).query(boxes)
        touching = coo_array((np.ones(len(a), dtype=bool), (a, b)), shape=(n, n))
        _, cluster = connected_components(touching, directed=False)
        return np.asarray(cluster, dtype=np.intp)


def _areal(geometries: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return the areal parts: repair and clipping may leave loose lines and points beside them."""
    mixed = shapely.get_type_id(geometries) == shapely.GeometryType.GEOMETRYCOLLECTION
    areal = geometries.copy()
    for at in np.flatnonzero(mixed).tolist():
        parts = _polygons_in(geometries[at : at + 1])[0]
        areal[at] = shapely.multipolygons(parts)
    return areal


def _polygons_in(geometries: NDArray[np.object_]) -> tuple[NDArray[np.object_], Indices]:
    """Return the polygons that geometries consist of, and the index of the one each is from."""
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


_Parts = list[tuple[Indices, Floats]]


def _parts_of_rectangles(drawn: _Drawn) -> _Parts:
    """Return the cells of the coordinate grids of the clusters that have only rectangles.

    What is left in ``drawn`` are the polygons of the other clusters.
    """
    if not len(drawn.boxes):
        return []
    cluster = drawn.clusters()
    # Of each polygon, whether its cluster has only rectangles; then these, cluster by cluster.
    straight = np.bincount(cluster, ~drawn.rectangular)[cluster] == 0
    order = np.flatnonzero(straight)[np.argsort(cluster[straight], kind="stable")]
    starts = np.flatnonzero(np.diff(cluster[order])) + 1
    parts = [
        part
        for cluster_at in np.split(order, starts)
        if len(cluster_at)
        for part in _cells(drawn, cluster_at)
    ]
    drawn.keep(~straight)
    return parts


def _cells(drawn: _Drawn, at: Indices) -> _Parts:
    boxes, methods, ranks = drawn.boxes[at], drawn.method[at], drawn.ranks[at]
    # Every side lies on the grid of all coordinates of the cluster, so all methods vote alike on a
    # whole cell: grid[method, row, column] is the greatest rank that covers the cell.
    xs, ys = np.unique(boxes[:, ::2]), np.unique(boxes[:, 1::2])
    left, right = np.searchsorted(xs, boxes[:, ::2]).T
    top, bottom = np.searchsorted(ys, boxes[:, 1::2]).T
    own, methods = np.unique(methods, return_inverse=True)
    n_rows, n_columns = len(ys) - 1, len(xs) - 1
    step = max(1, _MAX_CELLS // (len(own) * n_columns))
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


def _parts_of_others(drawn: _Drawn) -> _Parts:
    """Return the faces between the boundaries of all polygons, each with the ranks that cover it."""
    if not len(drawn.boxes):
        return []
    missing = np.flatnonzero(drawn.rectangular)
    polygons = drawn.polygons
    polygons[missing] = shapely.box(*drawn.boxes[missing].T)
    parts, owner = _polygons_in(polygons)
    # On a grid, noding cannot fail where sides almost coincide; doubles hold coordinates up to it.
    grid = max(_GRID, 1e-13 * float(np.abs(drawn.boxes).max()))
    lines = shapely.union_all(shapely.boundary(parts), grid_size=grid)
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
    areas = shapely.area(faces)
    faces, areas = faces[areas > _MIN_AREA], areas[areas > _MIN_AREA]
    # A point inside a face is inside the polygons that cover the face.
    covering, face = shapely.STRtree(shapely.point_on_surface(faces)).query(
        parts, predicate="contains"
    )
    ranks = np.zeros((drawn.n_methods, len(faces)), dtype=np.intp)
    np.maximum.at(ranks, (drawn.method[owner[covering]], face), drawn.ranks[owner[covering]])
    return [(ranks, areas)]


def _merged(ranks: Indices, areas: Floats, levels: Sequence[Floats]) -> Faces:
    """Return faces with the areas of equal ranks added up."""
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
    signatures = np.empty((len(first), len(levels)))
    for k, known in enumerate(levels):
        signatures[:, k] = known[ranks[k, first]]
    return Faces(signatures, np.asarray(np.bincount(inverse, areas), dtype=np.float64))


def look_alikes(
    tables: Sequence[Faces], *, min_iou: float = 0.99, min_share: float = 0.9
) -> list[tuple[int, int]]:
    """Return pairs of methods that mark the same areas: they pull the consensus to themselves.

    Two methods agree on an image where the IoU of what they mark is at least ``min_iou``. Images
    that both leave empty do not count. A pair is returned that agrees on at least ``min_share`` of
    the others; put such methods in one group (`share_weights`).
    """
    n_methods = tables[0].signatures.shape[1] if tables else 0
    agree = np.zeros((n_methods, n_methods))
    counted = np.zeros((n_methods, n_methods))
    for table in tables:
        marked = (table.signatures > 0).astype(np.float64)
        # Shape (methods, methods): the area that both mark, and on the diagonal each one's own.
        both = marked.T @ (marked * table.areas[:, None])
        own = np.diag(both)
        either = own[:, None] + own[None, :] - both
        counted += either > 0
        agree += (either > 0) & (both >= min_iou * either)
    alike = (counted > 0) & (agree >= min_share * counted)
    return [(int(i), int(j)) for i, j in np.argwhere(np.triu(alike, 1))]
