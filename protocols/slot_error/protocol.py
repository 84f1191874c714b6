"""Slot error rate with graded matches: extents and labels of items, or regions ([BB13]_)."""

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from ..core.base import (
    ImageScore,
    Match,
    OverallScore,
    Protocol,
    Scene,
    Tally,
    Unmatched,
    choice,
    f_score,
)
from ..core.errors import ProtocolError, RegionError
from ..core.geometry import Pairs, Shapes, intersection_areas, overlapping_pairs
from ..core.matching import IGNORED, INSIDE_IGNORED, flatten
from ..core.regions import Region
from .ontology import IS_A_WEIGHT, Ontology, OntologyError, WangSimilarity

VIEWS: Final = ("combined", "boundaries", "labels")
_TIE: Final = 1e-12
Span = tuple[int, int]


class DocumentError(ProtocolError, ValueError):
    """Data that are not documents of items; the message names the place."""


@dataclass(frozen=True, slots=True)
class Item:
    """An entity: where it is, and its labels.

    Attributes
    ----------
    spans : tuple of (int, int)
        Characters ``[start, end)``; several fragments are one extent, their union.
    polygons : tuple of Region
        The same on an image; an item has spans or polygons.
    labels : tuple of str
        Repeats do not count.
    """

    spans: tuple[Span, ...] = ()
    polygons: tuple[Region, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document, or an image: what should be found and what was, each in file order."""

    references: tuple[Item, ...]
    predictions: tuple[Item, ...]


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


@dataclass(frozen=True, slots=True)
class SlotCounts:
    """What the scores of one view are made of; documents add up.

    Attributes
    ----------
    n_references, n_predictions : int
        N and P.
    insertions, deletions : int
        I, predictions that serve no reference; D, references without a pair.
    n_pairs : int
    matches : float
        M, the sum of the scores of the pairs.
    """

    n_references: int = 0
    n_predictions: int = 0
    insertions: int = 0
    deletions: int = 0
    n_pairs: int = 0
    matches: float = 0.0

    @classmethod
    def total(cls, parts: Iterable["SlotCounts"]) -> "SlotCounts":
        all_parts = list(parts)
        return cls(
            sum(part.n_references for part in all_parts),
            sum(part.n_predictions for part in all_parts),
            sum(part.insertions for part in all_parts),
            sum(part.deletions for part in all_parts),
            sum(part.n_pairs for part in all_parts),
            math.fsum(part.matches for part in all_parts),
        )

    @property
    def substitutions(self) -> float:
        return self.n_pairs - self.matches

    @property
    def slot_error_rate(self) -> float | None:
        """(S + I + D) / N; 0 with nothing to find and nothing found, None if only found."""
        if not self.n_references:
            return None if self.n_predictions else 0.0
        return (self.substitutions + self.insertions + self.deletions) / self.n_references

    @property
    def recall(self) -> float:
        if not self.n_references:
            return 0.0 if self.n_predictions else 1.0
        return self.matches / self.n_references

    @property
    def precision(self) -> float:
        """M / P; above 1 where references that overlap share a prediction."""
        if not self.n_predictions:
            return 0.0 if self.n_references else 1.0
        return self.matches / self.n_predictions

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and the raw precision."""
        return f_score(self.recall, self.precision) or 0.0


Paired = tuple[Pair | None, ...]


def pair_items(document: Document, similarity: WangSimilarity) -> Paired:
    """Return the pair of each reference: the prediction with the greatest J times W above 0.

    References choose on their own, so a prediction may serve several. Of predictions that are
    equal within 1e-12 the first takes it.
    """
    candidates: defaultdict[int, list[Pair]] = defaultdict(list)
    for i, j, jaccard in _overlaps(document):
        labels = document.references[i].labels, document.predictions[j].labels
        candidates[i].append(Pair(j, jaccard, similarity.of_sets(*labels)))
    return tuple(_best(candidates[i]) for i in range(len(document.references)))


def _best(candidates: Sequence[Pair]) -> Pair | None:
    """Return the best of a reference's candidates, which stand in file order."""
    scores = [pair.score("combined") for pair in candidates]
    greatest = max(scores, default=0.0)
    if greatest <= 0:
        return None
    return next(
        pair
        for pair, score in zip(candidates, scores, strict=True)
        if score > 0 and score >= greatest - _TIE
    )


def count_slots(paired: Paired, n_predictions: int, view: str) -> SlotCounts:
    """Return the counts of one document in a view."""
    pairs = [pair for pair in paired if pair is not None]
    return SlotCounts(
        n_references=len(paired),
        n_predictions=n_predictions,
        insertions=n_predictions - len({pair.prediction for pair in pairs}),
        deletions=len(paired) - len(pairs),
        n_pairs=len(pairs),
        matches=math.fsum(pair.score(view) for pair in pairs),
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
    close = (first[:, None, 0] < last[None, :, 1]) & (last[None, :, 0] < first[:, None, 1])
    for i, j in np.argwhere(close).tolist():
        a, b = references[i], predictions[j]
        shared = sum(max(0, min(e, f) - max(s, t)) for s, e in a for t, f in b)
        if shared:
            union = sum(e - s for s, e in a) + sum(f - t for t, f in b) - shared
            yield i, j, shared / union


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Return the union of spans as disjoint ones."""
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
    order = np.lexsort((j, i))
    i, j = i[order], j[order]
    shared = shapely.area(shapely.intersection(references[i], predictions[j]))
    union = shapely.area(references)[i] + shapely.area(predictions)[j] - shared
    jaccard = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    positive = shared > 0
    yield from zip(
        i[positive].tolist(), j[positive].tolist(), jaccard[positive].tolist(), strict=True
    )


def _extents(items: Sequence[Item]) -> NDArray[np.object_]:
    """Return the union of each item's polygons.

    A self-crossing one is made valid by a zero-width buffer, as in the reference values: of a bow
    tie one wing may remain.
    """
    extents = np.empty(len(items), dtype=object)
    for at, item in enumerate(items):
        rings = [np.reshape(region.points, (-1, 2)) for region in item.polygons]
        polygons = np.array([shapely.Polygon(ring) for ring in rings], dtype=object)
        invalid = ~shapely.is_valid(polygons)
        polygons[invalid] = shapely.buffer(polygons[invalid], 0)
        extents[at] = polygons[0] if len(polygons) == 1 else shapely.union_all(polygons)
    return extents


def score_documents(
    given: Any, ontology: Ontology | None = None, is_a_weight: float = IS_A_WEIGHT
) -> Any:
    """Return the counts and scores of documents given as JSON data.

    Parameters
    ----------
    given : object
        A case ``{"name"?, "documents": [{"references": [item...], "predictions": [item...]}...],
        "ontology"?, "w"?}``, a list of cases, or ``{"cases": [case...]}``. An item is ``{"spans":
        [[start, end]...] | "polygons": [[[x, y]...]...], "labels"?: [label...]}``. ``ontology`` is
        an object from term to parents, or a name: then ``{"<name>_parents": object}`` stands beside
        the cases, or the ontology given here is meant.
    ontology : Ontology or None
        For cases that bring none of their own; without any, equal labels count 1 and others 0.
    is_a_weight : float
        For cases without ``w``.

    Returns
    -------
    dict or list
        Of a case ``{"N", "P", "I", "D", "pairings", "pairs", "views"}``, pooled over its documents:
        ``pairs`` has for each reference of each document [prediction, J, W] or None, and ``views``
        has "combined", "boundaries" and "labels" with M, S, ser, recall, precision (raw, it may
        exceed 1) and f1. Of several cases a list of ``{"name", "result"}``.

    Raises
    ------
    DocumentError
        If the data are something else; names the place.
    ParameterError
        If a weight is outside [0, 1].
    """
    cases = given.get("cases") if isinstance(given, Mapping) and "cases" in given else given
    named = given if isinstance(given, Mapping) else {}
    similarities = _Similarities(named, ontology, is_a_weight)
    if isinstance(cases, Mapping):
        return _score_case(cases, similarities, "the case")
    if not isinstance(cases, list):
        raise DocumentError('expected a case with "documents", or a list of cases')
    answers = []
    for at, case in enumerate(cases):
        place = f"case {at}"
        result = _score_case(_object(case, place), similarities, place)
        answers.append({"name": str(case.get("name", "")), "result": result})
    return answers


class _Similarities:
    """The similarity that each case asks for, made once for each ontology and weight."""

    def __init__(
        self, named: Mapping[str, Any], ontology: Ontology | None, is_a_weight: float
    ) -> None:
        self._named = named
        self._given = ontology
        self._is_a_weight = is_a_weight
        self._ontologies: dict[str, Ontology] = {}
        self._made: dict[tuple[int, float], WangSimilarity] = {}

    def of(self, case: Mapping[str, Any], place: str) -> WangSimilarity:
        ontology = self._ontology(case.get("ontology"), place)
        weight = case.get("w")
        weight = self._is_a_weight if weight is None else weight
        made = WangSimilarity(ontology, weight)
        if isinstance(case.get("ontology"), Mapping):
            return made
        return self._made.setdefault((id(ontology), weight), made)

    def _ontology(self, asked: Any, place: str) -> Ontology | None:
        if asked is None:
            return self._given
        if isinstance(asked, Mapping):
            return _given_ontology(asked, f"{place}, ontology")
        if asked in self._ontologies:
            return self._ontologies[asked]
        parents = self._named.get(f"{asked}_parents")
        if parents is not None:
            found = _given_ontology(parents, f"{asked}_parents")
            return self._ontologies.setdefault(asked, found)
        if self._given is None:
            raise DocumentError(f"{place} names the ontology {asked!r}, which was not given")
        return self._given


def _given_ontology(parents: Any, place: str) -> Ontology:
    checked = {
        term: _labels(above, f"{place}, {term}") for term, above in _object(parents, place).items()
    }
    try:
        return Ontology(checked)
    except OntologyError as refusal:
        raise DocumentError(f"{place}: {refusal}") from refusal


def _score_case(case: Mapping[str, Any], similarities: _Similarities, place: str) -> dict[str, Any]:
    similarity = similarities.of(case, place)
    documents = read_documents(case.get("documents"), place)
    paired = [pair_items(document, similarity) for document in documents]
    views = {
        view: SlotCounts.total(
            count_slots(pairs, len(document.predictions), view)
            for pairs, document in zip(paired, documents, strict=True)
        )
        for view in VIEWS
    }
    counts = views["combined"]
    return {
        "N": counts.n_references,
        "P": counts.n_predictions,
        "I": counts.insertions,
        "D": counts.deletions,
        "pairings": counts.n_pairs,
        "pairs": [
            [pair and [pair.prediction, pair.boundaries, pair.labels] for pair in pairs]
            for pairs in paired
        ],
        "views": {
            view: {
                "M": found.matches,
                "S": found.substitutions,
                "ser": found.slot_error_rate,
                "recall": found.recall,
                "precision": found.precision,
                "f1": found.f1,
            }
            for view, found in views.items()
        },
    }


def read_documents(given: Any, place: str) -> tuple[Document, ...]:
    """Return documents from JSON data; a refusal names the place below ``place``."""
    if not isinstance(given, list):
        raise DocumentError(f'{place}: expected a list "documents"')
    return tuple(_document(one, f"{place}, document {at}") for at, one in enumerate(given))


def _document(given: Any, place: str) -> Document:
    sides = []
    for side in ("references", "predictions"):
        items = _object(given, place).get(side)
        if not isinstance(items, list):
            raise DocumentError(f'{place}: expected a list "{side}"')
        sides.append(
            tuple(_item(item, f"{place}, {side[:-1]} {at}") for at, item in enumerate(items))
        )
    references, predictions = sides
    if len({bool(item.polygons) for item in (*references, *predictions)}) > 1:
        raise DocumentError(f"{place}: expected spans everywhere or polygons everywhere, got both")
    return Document(references, predictions)


def _item(given: Any, place: str) -> Item:
    item = _object(given, place)
    labels = _labels(item.get("labels") or [], f"{place}, labels")
    if ("spans" in item) == ("polygons" in item):
        raise DocumentError(f'{place}: expected either "spans" or "polygons"')
    name = "spans" if "spans" in item else "polygons"
    parts = item[name]
    if not isinstance(parts, list) or not parts:
        raise DocumentError(f'{place}: expected "{name}" as a list with something in it')
    places = [f"{place}, {name[:-1]} {at}" for at in range(len(parts))]
    if name == "spans":
        return Item(spans=tuple(map(_span, parts, places)), labels=labels)
    return Item(polygons=tuple(map(_polygon, parts, places)), labels=labels)


def _span(given: Any, place: str) -> Span:
    if (
        not isinstance(given, list)
        or len(given) != 2
        or any(isinstance(value, bool) or not isinstance(value, int) for value in given)
        or not 0 <= given[0] <= given[1] < 2**62
    ):
        raise DocumentError(f"{place}: expected [start, end], 0 <= start <= end; got {given!r}")
    return given[0], given[1]


def _polygon(given: Any, place: str) -> Region:
    try:
        return Region(tuple(float(value) for x, y in given for value in (x, y)))
    except RegionError as refusal:
        raise DocumentError(f"{place}: {refusal}") from refusal
    except (TypeError, ValueError, OverflowError) as fault:
        raise DocumentError(f"{place}: expected a list of [x, y]") from fault


def _labels(given: Any, place: str) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(label, str) for label in given):
        raise DocumentError(f"{place}: expected a list of texts, got {given!r}")
    return tuple(dict.fromkeys(given))


def _object(given: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise DocumentError(f"{place}: expected an object")
    return given


@dataclass(frozen=True)
class SlotError(Protocol):
    """Pair each truth with the detection of the greatest IoU, and count its score, not a yes.

    An item is a region, J its IoU. W is 1 for regions without labels, else 1 for equal labels and 0
    for others. Truths choose on their own: a detection over several words pairs with each, and that
    is a merge; a split word has one pair, and its other parts are insertions. There is no
    threshold. Ignored truths do not count; a detection with more than half its area in them (in
    their union) and without a pair does not either.

    Precision can exceed 1 where truths overlap each other: then 1 is stored, and the raw value is
    an indicator. Without truth and detections recall and precision are 1 and the slot error rate 0;
    without truth but with detections they are 0 and the rate is undefined; without detections 0,
    and the rate 1.
    """

    slug: ClassVar[str] = "slot-error"
    name: ClassVar[str] = "Slot error rate"
    reference: ClassVar[str] = "BB13"
    summary: ClassVar[str] = (
        "Each truth takes its best detection and earns their overlap; no threshold."
    )

    view: str = choice(
        "combined",
        "boundaries",
        "labels",
        says="what a pair earns: IoU times label similarity, the IoU, or the label similarity",
    )

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        flat = flatten(scenes)
        truth, detections = Shapes(flat.truth), Shapes(flat.detections)
        pairs = overlapping_pairs(truth.boxes, detections.boxes, flat.n_truth, flat.n_detections)
        shared = intersection_areas(truth, detections, pairs)
        pairs, shared = pairs.where(shared > 0), shared[shared > 0]
        union = truth.areas[pairs.truth] + detections.areas[pairs.detection] - shared
        # Rounding must not push an IoU over 1.
        iou = np.minimum(shared / union, 1.0)

        in_ignored = flat.ignored_truth[pairs.truth]
        inside = _inside_ignored(truth, detections, pairs.where(in_ignored), shared[in_ignored])
        candidates = flat.by_scene(pairs.where(~in_ignored), iou[~in_ignored])
        return [
            self._score(scene, candidates.get(at, []), inside[flat.slices(at)[1]].tolist())
            for at, scene in enumerate(scenes)
        ]

    def _score(
        self, scene: Scene, overlaps: list[tuple[Any, ...]], inside: list[bool]
    ) -> ImageScore:
        found = scene.detections or ()
        candidates: defaultdict[int, list[Pair]] = defaultdict(list)
        for i, j, iou in overlaps:
            same = scene.truth[i].label == found[j].label
            candidates[i].append(Pair(j, iou, 1.0 if same else 0.0))
        counted = [i for i, region in enumerate(scene.truth) if not region.ignored]
        paired = {i: _best(candidates[i]) for i in counted}
        serving = {pair.prediction for pair in paired.values() if pair}
        left = {j for j, ignored in enumerate(inside) if ignored and j not in serving}
        counts = count_slots(tuple(paired.values()), len(found) - len(left), self.view)
        precision = min(1.0, counts.precision)
        return ImageScore(
            counts.recall,
            precision,
            f_score(counts.recall, precision),
            Tally(counts.matches, counts.n_references, counts.matches, counts.n_predictions),
            tuple(self._matches(paired)),
            tuple(_unmatched(scene, paired, candidates, left, serving)),
            _indicators(counts),
        )

    def _matches(self, paired: Mapping[int, Pair | None]) -> Iterator[Match]:
        served: defaultdict[int, list[int]] = defaultdict(list)
        for i, pair in paired.items():
            if pair is not None:
                served[pair.prediction].append(i)
        for j, truths in served.items():
            credit = math.fsum(pair.score(self.view) for i in truths if (pair := paired[i]))
            kind: Any = "one-to-one" if len(truths) == 1 else "merge"
            yield Match(tuple(truths), (j,), kind, credit, credit)

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        """Return the figures of the counts added over images; the slot error rate among them."""
        counts = SlotCounts.total(_counts(score) for score in scores)
        precision = min(1.0, counts.precision)
        return dataclasses.replace(
            super().overall(scores),
            recall=counts.recall,
            precision=precision,
            f_score=f_score(counts.recall, precision),
            indicators=_indicators(counts),
        )


def _inside_ignored(
    truth: Shapes, detections: Shapes, pairs: Pairs, shared: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Say which detections have more than half their area in the union of the ignored truths."""
    half = detections.areas / 2
    n = len(half)
    largest = np.zeros(n)
    np.maximum.at(largest, pairs.detection, shared)
    inside = largest > half
    # Only where several ignored truths together could cover half is their union needed.
    total = np.bincount(pairs.detection, shared, minlength=n)
    for j in np.flatnonzero(~inside & (total > half)).tolist():
        own = pairs.truth[pairs.detection == j]
        [polygon] = detections.polygons(np.array([j], dtype=np.intp))
        cover = shapely.union_all(truth.polygons(own))
        inside[j] = shapely.area(shapely.intersection(polygon, cover)) > half[j]
    return np.asarray(inside)


def _unmatched(
    scene: Scene,
    paired: Mapping[int, Pair | None],
    candidates: Mapping[int, Sequence[Pair]],
    left: set[int],
    serving: set[int],
) -> Iterator[Unmatched]:
    for i, region in enumerate(scene.truth):
        if region.ignored:
            yield Unmatched("truth", i, IGNORED)
        elif paired[i] is None:
            overlaps = bool(candidates.get(i))
            yield Unmatched(
                "truth",
                i,
                "no detection that overlaps it has its label"
                if overlaps
                else "no detection overlaps it",
            )
    useful = {pair.prediction for pairs in candidates.values() for pair in pairs if pair.labels}
    overlapping = {pair.prediction for pairs in candidates.values() for pair in pairs}
    for j in range(len(scene.detections or ())):
        if j in left:
            yield Unmatched("detection", j, INSIDE_IGNORED)
        elif j in useful and j not in serving:
            yield Unmatched("detection", j, "every truth it overlaps has a better detection")
        elif j in overlapping and j not in serving:
            yield Unmatched("detection", j, "no truth that it overlaps has its label")
        elif j not in serving:
            yield Unmatched("detection", j, "it overlaps no counted truth")


def _indicators(counts: SlotCounts) -> dict[str, float | None]:
    rate = counts.slot_error_rate
    return {
        "n_pairs": counts.n_pairs,
        "substitutions": counts.substitutions,
        "insertions": counts.insertions,
        "deletions": counts.deletions,
        "slot_error_rate": rate,
        "inverse_slot_error": None if rate is None else 1 / (1 + rate),
        "raw_precision": counts.precision,
    }


def _counts(score: ImageScore) -> SlotCounts:
    def count(name: str) -> int:
        return int(score.indicators[name] or 0)

    return SlotCounts(
        int(score.tally.n_truth),
        int(score.tally.n_detections),
        count("insertions"),
        count("deletions"),
        count("n_pairs"),
        score.tally.recalled,
    )
