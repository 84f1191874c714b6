"""Pairs of a reference and the prediction that it takes, by extent and labels ([BB13]_)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from ..core import overlays
from ..core.geometry import shares
from .documents import Document, Item, Span
from .ontology import WangSimilarity

_TIE: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Pair:
    """The prediction a reference takes, with their boundary (J) and label (W) scores."""

    prediction: int
    boundaries: float
    labels: float

    def score(self, view: str) -> float:
        """Return the pair's score in a view: J times W, J, or W."""
        if view == "boundaries":
            return self.boundaries
        return self.labels if view == "labels" else self.boundaries * self.labels


Paired = tuple[Pair | None, ...]


def pair_items(document: Document, similarity: WangSimilarity) -> Paired:
    """Return the pair of each reference: the prediction with the greatest J times W above 0.

    References choose independently, so a prediction may serve several. Of predictions that are
    equal within 1e-12, the first is taken.
    """
    candidates: defaultdict[int, list[Pair]] = defaultdict(list)
    for i, j, jaccard in _overlaps(document):
        labels = document.references[i].labels, document.predictions[j].labels
        candidates[i].append(Pair(j, jaccard, similarity.of_sets(*labels)))
    return tuple(best_pair(candidates[i]) for i in range(len(document.references)))


def best_pair(candidates: Sequence[Pair]) -> Pair | None:
    """Return the best of a reference's candidates, given in file order, or None."""
    scores = [pair.score("combined") for pair in candidates]
    greatest = max(scores, default=0.0)
    if greatest <= 0:
        return None
    return next(
        pair
        for pair, score in zip(candidates, scores, strict=True)
        if score > 0 and score >= greatest - _TIE
    )


def _overlaps(document: Document) -> Iterator[tuple[int, int, float]]:
    """Yield reference, prediction and Jaccard index of the pairs whose extents overlap."""
    items = (*document.references, *document.predictions)
    measured = _polygon_overlaps if any(item.polygons for item in items) else _span_overlaps
    return measured(document)


def _span_overlaps(document: Document) -> Iterator[tuple[int, int, float]]:
    references = [_joined(item.spans) for item in document.references]
    predictions = [_joined(item.spans) for item in document.predictions]
    first, last = _bounds(references), _bounds(predictions)
    # A row for each reference, a column for each prediction: whether their outermost bounds meet.
    close = (first[:, None, 0] < last[None, :, 1]) & (last[None, :, 0] < first[:, None, 1])
    for i, j in np.argwhere(close).tolist():
        a, b = references[i], predictions[j]
        shared = sum(max(0, min(e, f) - max(s, t)) for s, e in a for t, f in b)
        if shared:
            union = sum(e - s for s, e in a) + sum(f - t for t, f in b) - shared
            yield i, j, shared / union


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Return the union of spans as disjoint spans."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _bounds(extents: Sequence[Sequence[Span]]) -> NDArray[np.int64]:
    bounds = [(spans[0][0], spans[-1][1]) if spans else (0, 0) for spans in extents]
    return np.array(bounds, dtype=np.int64).reshape(-1, 2)


def _polygon_overlaps(document: Document) -> Iterator[tuple[int, int, float]]:
    references, predictions = _extents(document.references), _extents(document.predictions)
    tree = shapely.STRtree(predictions)
    i, j = tree.query(references)
    # The tree guarantees no order; equal candidates are taken in file order.
    order = np.lexsort((j, i))
    i, j = i[order], j[order]
    shared = shapely.area(overlays.intersection(references[i], predictions[j]))
    union = shapely.area(references)[i] + shapely.area(predictions)[j] - shared
    jaccard = shares(shared, union)
    positive = shared > 0
    yield from zip(
        i[positive].tolist(), j[positive].tolist(), jaccard[positive].tolist(), strict=True
    )


def _extents(items: Sequence[Item]) -> NDArray[np.object_]:
    """Return the union of each item's polygons.

    A self-intersecting one is made valid by a zero-width buffer, as in the reference values: only
    one wing of a bow tie may remain.
    """
    extents = np.empty(len(items), dtype=object)
    for at, item in enumerate(items):
        rings = [np.reshape(region.points, (-1, 2)) for region in item.polygons]
        polygons = np.array([shapely.Polygon(ring) for ring in rings], dtype=object)
        invalid = ~shapely.is_valid(polygons)
        polygons[invalid] = overlays.buffered(polygons[invalid])
        [extents[at]] = polygons if len(polygons) == 1 else overlays.union_of_rows(polygons[None])
    return extents
