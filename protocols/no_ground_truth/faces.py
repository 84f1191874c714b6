"""The parts of an image on which all methods vote alike ([LS11]_)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..core.geometry import Floats, Indices, box_areas
from ..core.regions import Region
from .drawn import MAX_CELLS, Drawn, Parts, added_up
from .trapezoids import trapezoids
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
