"""EVALTEX and its variants: coverage and accuracy of each object, after EvaLTex ([C16]_, [C15]_)."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from .core.base import (
    ImageScore,
    Kind,
    Match,
    OverallScore,
    Scene,
    Tally,
    Unmatched,
    choice,
    f_score,
    parameter,
)
from .core.credits import CreditProtocol
from .core.geometry import Floats, Indices, Pairs, Shapes, intersection_areas, overlapping_pairs
from .core.matching import IGNORED, INSIDE_IGNORED, Flat, flatten, summed
from .core.regions import Region
from .core.unions import Piece, overlapping_groups, union_areas

# A common edge, or the noise of an intersection, is no match.
_NOISE: Final = 1e-9
_NO_AREA: Final = "it has no area"


@dataclass(frozen=True)
class Evaltex(CreditProtocol):
    """Credit each object with its coverage for recall and with its accuracy for precision.

    An object (a counted truth) and a detection match if they share area; nothing is exclusive and
    no threshold of quality exists. Coverage is the share of the object that its detections cover,
    lowered by 1 / (1 + ln s) when s of them do. Accuracy is the share of its detections that is
    text, the gaps of a line that a detection spans counting neither as text nor as background.
    R = sum of coverages / objects, P = sum of accuracies / (matched objects + false positives).

    The sources leave parts of the original tool open; this is a protocol *after* EvaLTex, and
    agrees with the figures printed in [D18]_ (figure 5).

    Without objects R = 1; P is then 1 without false positives and 0 with some. Objects and no
    detection that counts: R = P = 0. Regions without area are left out on both sides.
    """

    slug: ClassVar[str] = "evaltex"
    name: ClassVar[str] = "EVALTEX"
    reference: ClassVar[str] = "C16"
    summary: ClassVar[str] = (
        "How much of each text is covered, and how much of what covers it is text."
    )
    # What the variants differ in.
    penalises_splits: ClassVar[bool] = True

    min_overlap: float = parameter(
        0.0, says="a pair matches only if it shares this part of the truth or of the detection"
    )
    dont_care_overlap: float = parameter(
        0.5, says="an unmatched detection with a larger share in ignored truths is ignored"
    )
    regions: str = choice(
        "given",
        "none",
        "lines",
        says="lines whose gaps are neutral: those of the ground truth, none, or derived from the boxes",
    )
    bins: int = parameter(100, low=1, high=10000, says="bins of the histograms")

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        return self.conclude(self.measure(scenes))

    @property
    def measurement(self) -> tuple[float, float, str]:
        """Variants that are equal in this share what ``measure`` returns."""
        return self.min_overlap, self.dont_care_overlap, self.regions

    def measure(self, scenes: Sequence[Scene]) -> "Measured":
        """Return every coverage and accuracy, which all variants share."""
        return Measured(self, scenes)

    def conclude(self, measured: "Measured") -> list[ImageScore]:
        """Return this variant's scores."""
        objects, found = measured.objects, measured.false_positives
        coverage, accuracy = self._values(measured)
        coverages = _histograms(coverage, objects.image, len(measured.scenes), self.bins)
        hits = np.concatenate([accuracy[objects.hit], np.zeros(len(found))])
        image_of_hit = np.concatenate([objects.image[objects.hit], found.image])
        accuracies = _histograms(hits, image_of_hit, len(measured.scenes), self.bins)
        recall_credit, precision_credit = self.credit(coverage), self.credit(accuracy)
        scores = []
        for at, scene in enumerate(measured.scenes):
            tally = self._tally(measured, at, scene, recall_credit, precision_credit)
            counts = measured.counts(at)
            recall, precision = self._divided(tally, counts)
            scores.append(
                ImageScore(
                    recall,
                    precision,
                    f_score(recall, precision),
                    tally,
                    measured.matches(at, recall_credit, precision_credit),
                    measured.unmatched(at),
                    {**counts, **_qualities(measured.sums(at), counts)},
                    histograms={"coverage": coverages[at], "accuracy": accuracies[at]},
                )
            )
        return scores

    def _values(self, measured: "Measured") -> tuple[Floats, Floats]:
        objects = measured.objects
        if self.penalises_splits:
            return objects.raw * objects.fragmentation, objects.accuracy
        return objects.raw, objects.accuracy

    def credit(self, values: Floats) -> Floats:
        """Return what a coverage or an accuracy is worth."""
        return values

    def _tally(
        self,
        measured: "Measured",
        at: int,
        scene: Scene,
        recall_credit: Floats,
        precision_credit: Floats,
    ) -> Tally:
        objects, found = measured.objects.at(at), measured.false_positives.at(at)
        hit = measured.objects.hit[objects]
        recall, precision = recall_credit[objects], precision_credit[objects][hit]
        missed = float(self.credit(np.zeros(1))[0])
        if self.weight == "regions":
            n_objects, n_found = len(recall), found.stop - found.start
            return Tally(
                math.fsum(recall),
                n_objects,
                math.fsum(precision) + missed * n_found,
                len(precision) + n_found,
            )
        truth = np.array(self.weights(scene.truth))[measured.objects.index[objects]]
        weights = np.array(self.weights(scene.detections or ()))
        extra = float(weights[measured.false_positives.index[found]].sum()) if len(weights) else 0.0
        return Tally(
            float(truth @ recall),
            float(truth.sum()),
            float(truth[hit] @ precision) + missed * extra,
            float(truth[hit].sum()) + extra,
        )

    def _divided(self, tally: Tally, counts: Mapping[str, float]) -> tuple[float, float | None]:
        recall = tally.recalled / tally.n_truth if tally.n_truth else 1.0
        if tally.n_detections:
            return recall, tally.precise / tally.n_detections
        if not counts["gt"]:
            return recall, 1.0
        return recall, self._without_hits()

    def _without_hits(self) -> float | None:
        if self.empty_precision == "undefined":
            return None
        return {"published": self.published_empty_precision, "zero": 0.0, "one": 1.0}[
            self.empty_precision
        ]

    @property
    def published_empty_precision(self) -> float:
        return 0.0

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        found = super().overall(scores)
        pooled = Tally(
            math.fsum(score.tally.recalled for score in scores),
            math.fsum(score.tally.n_truth for score in scores),
            math.fsum(score.tally.precise for score in scores),
            math.fsum(score.tally.n_detections for score in scores),
        )
        counts = {
            name: sum(score.indicators[name] or 0 for score in scores)
            for name in ("gt", "detections", "tp", "fp", "missed", "ignored")
        }
        sums = Counter[str]()
        for score in scores:
            for name, value in _sums_of(score.indicators).items():
                sums[name] += value  # type: ignore[assignment]
        recall, precision = self._divided(pooled, counts)
        return replace(
            found,
            recall=recall,
            precision=precision,
            f_score=f_score(recall, precision),
            indicators={**counts, **_qualities(sums, counts)},
        )


@dataclass(frozen=True)
class EvaltexNoSplit(Evaltex):
    """EVALTEX without the penalty for objects covered in several pieces."""

    slug: ClassVar[str] = "evaltex-no-split"
    name: ClassVar[str] = "EVALTEX (no split)"
    summary: ClassVar[str] = "EVALTEX without the penalty for texts covered in pieces."
    penalises_splits: ClassVar[bool] = False


@dataclass(frozen=True)
class EvaltexEmd(Evaltex):
    """EVALTEX with scores from histograms: 1 - the earth mover's distance to the perfect one.

    Since the perfect histogram has all its mass in the last bin, each value counts as the upper
    edge of its bin: a missed object or a false positive counts 1 / bins, not 0. Without any value
    nothing has to be moved, so that precision is 1 where nothing is detected, as [D18]_ reports.
    """

    slug: ClassVar[str] = "evaltex-emd"
    name: ClassVar[str] = "EVALTEX EMD"
    reference: ClassVar[str] = "C15"
    summary: ClassVar[str] = "EVALTEX from histograms, by their distance from the perfect one."

    def credit(self, values: Floats) -> Floats:
        return np.asarray((_bins(values, self.bins) + 1) / self.bins)

    @property
    def published_empty_precision(self) -> float:
        return 1.0


@dataclass(frozen=True)
class EvaltexEmdNoSplit(EvaltexEmd):
    """EVALTEX EMD without the penalty for objects covered in several pieces."""

    slug: ClassVar[str] = "evaltex-emd-no-split"
    name: ClassVar[str] = "EVALTEX EMD (no split)"
    summary: ClassVar[str] = "EVALTEX EMD without the penalty for texts covered in pieces."
    penalises_splits: ClassVar[bool] = False


def _bins(values: Floats, n_bins: int) -> Indices:
    # 0.29 * 100 is a little less than 29.
    found = np.floor(n_bins * np.clip(values, 0.0, 1.0) + _NOISE)
    return np.minimum(n_bins - 1, found).astype(np.intp)


def _histograms(
    values: Floats, image: Indices, n_images: int, n_bins: int
) -> list[tuple[int, ...]]:
    flat = np.bincount(image * n_bins + _bins(values, n_bins), minlength=n_images * n_bins)
    return [tuple(row) for row in flat.reshape(n_images, n_bins).tolist()]


# What the qualities of an image are means of; the pooled ones come from the same sums.
_MEANS: Final = {
    "r_quality": "tp",
    "r_quality_no_split": "tp",
    "p_quality": "tp",
    "split": "tp",
}


def _qualities(sums: Mapping[str, float], counts: Mapping[str, float]) -> dict[str, float | None]:
    """Return quantity, quality and split indicators; None where they are undefined."""
    tp, n_precise = counts["tp"], counts["tp"] + counts["fp"]
    means = {name: sums.get(name, 0.0) / tp if tp else None for name in _MEANS}
    return {
        "r_quantity": tp / counts["gt"] if counts["gt"] else 1.0,
        "r_quality": means["r_quality"],
        "r_quality_no_split": means["r_quality_no_split"],
        "p_quantity": tp / n_precise if n_precise else float(not counts["gt"]),
        "p_quality": means["p_quality"],
        "split": means["split"],
        "split_objects": int(sums.get("split_objects", 0)),
        "fragments": int(sums.get("fragments", 0)),
    }


def _sums_of(indicators: Mapping[str, float | None]) -> dict[str, float]:
    tp = indicators["tp"] or 0
    sums = {name: (indicators[name] or 0.0) * tp for name in _MEANS}
    sums["split_objects"] = indicators["split_objects"] or 0
    sums["fragments"] = indicators["fragments"] or 0
    return sums


@dataclass(frozen=True)
class _Of:
    """Some regions of all images one after the other: their image, and their index in it."""

    image: Indices
    index: Indices
    first: Indices

    def __len__(self) -> int:
        return len(self.image)

    def at(self, image: int) -> slice:
        return slice(int(self.first[image]), int(self.first[image + 1]))


def _of(image: Indices, index: Indices, n_images: int) -> tuple[Indices, Indices, Indices]:
    return image, index, np.searchsorted(image, np.arange(n_images + 1))


@dataclass(frozen=True)
class _Objects(_Of):
    """The objects of all images with what was measured of them."""

    s: Indices
    raw: Floats
    fragmentation: Floats
    accuracy: Floats
    kind: list[Kind | None]

    @property
    def hit(self) -> NDArray[np.bool_]:
        return np.asarray(self.s > 0)


class Measured:
    """Every coverage and accuracy of a list of scenes."""

    def __init__(self, protocol: Evaltex, scenes: Sequence[Scene]) -> None:
        self.scenes = scenes
        self._flat = flat = flatten(scenes)
        self._truth = Shapes(flat.truth, masks=True)
        self._found = Shapes(flat.detections, masks=True)
        self._image_of_truth = np.repeat(np.arange(len(scenes)), flat.n_truth)
        self._image = np.repeat(np.arange(len(scenes)), flat.n_detections)
        self._is_object = ~flat.ignored_truth & (self._truth.areas > 0)
        self._has_area = self._found.areas > 0
        pairs = overlapping_pairs(
            self._truth.boxes, self._found.boxes, flat.n_truth, flat.n_detections
        )
        pairs = pairs.where((self._truth.areas[pairs.truth] > 0) & self._has_area[pairs.detection])
        shared = intersection_areas(self._truth, self._found, pairs)
        touches_ignored = flat.ignored_truth[pairs.truth] & (shared > 0)
        self._ignored_pairs = pairs.where(touches_ignored)
        self._ignored_shared = shared[touches_ignored]
        keep = self._matching(protocol, pairs, shared)
        self._pairs, self._shared = pairs.where(keep), shared[keep]
        self._s = np.bincount(self._pairs.truth, minlength=len(flat.truth))
        self._m = np.bincount(self._pairs.detection, minlength=len(flat.detections))
        self._partners = _grouped(self._pairs.truth, self._pairs.detection)
        self._members = _grouped(self._pairs.detection, self._pairs.truth)
        self._ignored_of = _grouped(self._ignored_pairs.detection, self._ignored_pairs.truth)
        self._lines = _Lines(protocol.regions, scenes, flat, self._truth, self._is_object)
        self._covered = self._coverages()
        self._text, self._background = self._text_and_background()
        self.objects = self._objects()
        self.ignored = self._ignored(protocol.dont_care_overlap)
        self.false_positives = self._false_positives()

    def _matching(self, protocol: Evaltex, pairs: Pairs, shared: Floats) -> NDArray[np.bool_]:
        truth, found = self._truth.areas[pairs.truth], self._found.areas[pairs.detection]
        keep = self._is_object[pairs.truth] & (shared > _NOISE * np.minimum(truth, found))
        enough = (shared >= protocol.min_overlap * truth) | (shared >= protocol.min_overlap * found)
        return np.asarray(keep & enough)

    def _coverages(self) -> Floats:
        """Return the area of each object that its detections cover."""
        covered = summed(self._pairs.truth, self._shared, len(self._s))
        overlapping = overlapping_groups(self._found, self._partners)
        pieces = [Piece((self._found, self._partners[i])) for i in overlapping]
        covered[overlapping] = union_areas(pieces, (self._truth, overlapping))
        return np.asarray(covered)

    def _text_and_background(self) -> tuple[Floats, Floats]:
        """Return of each matched detection the area of text in it, and that of background."""
        text = summed(self._pairs.detection, self._shared, len(self._m))
        overlapping = overlapping_groups(self._truth, self._members)
        pieces = [Piece((self._truth, self._members[j])) for j in overlapping]
        text[overlapping] = union_areas(pieces, (self._found, overlapping))
        background = np.where(self._m > 0, self._found.areas - text, 0.0)
        partly_neutral, pieces = [], []
        for j, members in self._members.items():
            lines = self._lines.spanned(members)
            ignored = self._ignored_of.get(j, [])
            if lines or ignored:
                partly_neutral.append(j)
                text_or_neutral = (self._truth, [*members, *ignored])
                pieces.append(Piece(text_or_neutral, (self._lines.shapes, lines)))
        covered = union_areas(pieces, (self._found, partly_neutral))
        background[partly_neutral] = self._found.areas[partly_neutral] - covered
        return np.asarray(text), np.maximum(background, 0.0)

    def _objects(self) -> _Objects:
        at = np.flatnonzero(self._is_object)
        s = self._s[at]
        flat_index = at - self._flat.first_truth[self._image_of_truth[at]]
        raw = np.minimum(self._covered[at] / self._truth.areas[at], 1.0)
        fragmentation = 1.0 / (1.0 + np.log(np.maximum(s, 1)))
        measured = [self._accuracy(i) for i in at.tolist()]
        return _Objects(
            *_of(self._image_of_truth[at], flat_index, len(self.scenes)),
            s,
            raw,
            fragmentation,
            np.array([accuracy for accuracy, _ in measured], dtype=np.float64),
            [kind for _, kind in measured],
        )

    @cached_property
    def _detection_accuracy(self) -> list[float]:
        below = self._text + self._background
        shares = np.divide(self._text, below, out=np.zeros_like(below), where=below > 0)
        return [float(share) for share in shares]

    def _accuracy(self, i: int) -> tuple[float, Kind | None]:
        partners = self._partners.get(i, [])
        if not partners:
            return 0.0, None
        alone = all(self._m[j] == 1 for j in partners)
        if len(partners) == 1:
            return self._detection_accuracy[partners[0]], "one-to-one" if alone else "merge"
        if alone:
            covered = float(self._covered[i])
            return covered / (covered + self._background_of_all(i, partners)), "split"
        start = np.searchsorted(self._pairs.truth, i)
        shared = self._shared[start : start + len(partners)]
        dealt = sum(
            share / self._detection_accuracy[j] for share, j in zip(shared, partners, strict=True)
        )
        return float(shared.sum() / dealt), "many-to-many"

    def _background_of_all(self, i: int, partners: Sequence[int]) -> float:
        """Return the area of the union of the backgrounds of an object's own detections."""
        if i not in self._overlapping_objects:
            return float(sum(self._background[j] for j in partners))
        text = [i, *sorted({at for j in partners for at in self._ignored_of.get(j, [])})]
        both = Piece((self._found, partners), (self._truth, text))
        with_text, of_text = union_areas([both, Piece((self._truth, text))])
        return max(float(with_text - of_text), 0.0)

    @cached_property
    def _overlapping_objects(self) -> set[int]:
        return set(overlapping_groups(self._found, self._partners))

    def _ignored(self, limit: float) -> NDArray[np.bool_]:
        """Say which unmatched detections lie in ignored truths."""
        inside = summed(self._ignored_pairs.detection, self._ignored_shared, len(self._m))
        share = np.divide(inside, self._found.areas, out=inside, where=self._has_area)
        # A sum over overlapping regions is too large, never too small.
        doubtful = [
            j
            for j, truths in self._ignored_of.items()
            if not self._m[j] and share[j] > limit and len(truths) > 1
        ]
        pieces = [Piece((self._truth, self._ignored_of[j])) for j in doubtful]
        exact = union_areas(pieces, (self._found, doubtful))
        share[doubtful] = exact / self._found.areas[doubtful]
        return np.asarray((self._m == 0) & (share > limit))

    def _false_positives(self) -> _Of:
        at = np.flatnonzero(self._has_area & (self._m == 0) & ~self.ignored)
        index = at - self._flat.first_detection[self._image[at]]
        return _Of(*_of(self._image[at], index, len(self.scenes)))

    def counts(self, at: int) -> dict[str, float]:
        """Return the counts of an image, named as in the published result files."""
        objects, found = self.objects.at(at), self._flat.slices(at)[1]
        n_objects, tp = objects.stop - objects.start, int(self.objects.hit[objects].sum())
        false_positives = self.false_positives.at(at)
        return {
            "gt": n_objects,
            "detections": int(self._has_area[found].sum()),
            "tp": tp,
            "fp": false_positives.stop - false_positives.start,
            "missed": n_objects - tp,
            "ignored": int(self.ignored[found].sum()),
        }

    def sums(self, at: int) -> dict[str, float]:
        objects = self.objects.at(at)
        s, hit = self.objects.s[objects], self.objects.hit[objects]
        raw, part = self.objects.raw[objects], self.objects.fragmentation[objects]
        return {
            "r_quality": float(raw @ part),
            "r_quality_no_split": float(raw.sum()),
            "p_quality": float(self.objects.accuracy[objects].sum()),
            "split": float(part[hit].sum()),
            "split_objects": int((s > 1).sum()),
            "fragments": int(s[s > 1].sum()),
        }

    def matches(self, at: int, recall: Floats, precision: Floats) -> tuple[Match, ...]:
        objects = self.objects.at(at)
        first_truth = int(self._flat.first_truth[at])
        first = int(self._flat.first_detection[at])
        found = []
        for position in range(objects.start, objects.stop):
            kind = self.objects.kind[position]
            if kind is None:
                continue
            index = int(self.objects.index[position])
            partners = self._partners[first_truth + index]
            found.append(
                Match(
                    (index,),
                    tuple(j - first for j in partners),
                    kind,
                    float(recall[position]),
                    float(precision[position]),
                )
            )
        return tuple(found)

    def unmatched(self, at: int) -> tuple[Unmatched, ...]:
        truths, found = self._flat.slices(at)
        reasons = []
        for index, i in enumerate(range(truths.start, truths.stop)):
            if self._flat.ignored_truth[i]:
                reasons.append(Unmatched("truth", index, IGNORED))
            elif not self._is_object[i]:
                reasons.append(Unmatched("truth", index, f"{_NO_AREA}, so it is left out"))
            elif not self._s[i]:
                reasons.append(Unmatched("truth", index, "no detection shares area with it"))
        for index, j in enumerate(range(found.start, found.stop)):
            if not self._has_area[j]:
                reasons.append(Unmatched("detection", index, f"{_NO_AREA}, so it is left out"))
            elif self.ignored[j]:
                reasons.append(Unmatched("detection", index, INSIDE_IGNORED))
            elif not self._m[j]:
                reasons.append(Unmatched("detection", index, "it shares area with no truth"))
        return tuple(reasons)


def _grouped(by: Indices, values: Indices) -> dict[int, list[int]]:
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for key, value in zip(by.tolist(), values.tolist(), strict=True):
        groups[key].append(value)
    return dict(groups)


class _Lines:
    """The upper level of the ground truth: which line each object belongs to, and its shape."""

    def __init__(
        self,
        mode: str,
        scenes: Sequence[Scene],
        flat: Flat,
        truth: Shapes,
        is_object: NDArray[np.bool_],
    ) -> None:
        self._of_object: dict[int, int] = {}
        found: list[Region] = []
        if mode != "none":
            for at, scene in enumerate(scenes):
                truths, _ = flat.slices(at)
                objects = [i for i in range(truths.start, truths.stop) if is_object[i]]
                groups = (
                    _given_lines(flat, objects)
                    if mode == "given"
                    else _derived_lines(truth.boxes, objects)
                )
                for tag, members in groups.items():
                    self._of_object.update(dict.fromkeys(members, len(found)))
                    given = scene.parents.get(tag) if mode == "given" else None
                    found.append(given or _hull([flat.truth[i] for i in members]))
        self.shapes = Shapes(found, masks=True)

    def spanned(self, objects: Sequence[int]) -> list[int]:
        """Return the lines of which at least two of these objects are members."""
        if not self._of_object or len(objects) < 2:
            return []
        counts = Counter(self._of_object[i] for i in objects if i in self._of_object)
        return [line for line, n in counts.items() if n > 1]


def _given_lines(flat: Flat, objects: Sequence[int]) -> dict[str, list[int]]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for i in objects:
        tag = flat.truth[i].parent
        if tag is not None:
            groups[tag].append(i)
    return dict(groups)


def _derived_lines(boxes: Floats, objects: Sequence[int]) -> dict[str, list[int]]:
    """Return the connected components of objects that stand side by side at about one height."""
    members = {i: [i] for i in objects}
    line = {i: i for i in objects}
    for at, i in enumerate(objects):
        for k in objects[at + 1 :]:
            if line[i] != line[k] and _side_by_side(boxes[i], boxes[k]):
                joined, left = line[i], line[k]
                members[joined] += members.pop(left)
                line.update(dict.fromkeys(members[joined], joined))
    return {str(first): found for first, found in members.items() if len(found) > 1}


def _side_by_side(a: Floats, b: Floats) -> bool:
    heights = a[3] - a[1], b[3] - b[1]
    low, high = min(heights), max(heights)
    shared = min(a[3], b[3]) - max(a[1], b[1])
    gap = max(a[0], b[0]) - min(a[2], b[2])
    return bool(shared >= 0.5 * low and high <= 2.0 * low and gap <= high)


def _hull(regions: Sequence[Region]) -> Region:
    """Return the bounding box of words, or their convex hull if one of them is no upright box."""
    if all(region.is_rectangle or region.pixels is not None for region in regions):
        boxes = np.array([region.box for region in regions])
        return Region.from_box(
            *boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist()
        )
    points = [point for region in regions for point in np.reshape(region.points, (-1, 2))]
    hull = shapely.convex_hull(shapely.MultiPoint(points))
    return Region(tuple(shapely.get_coordinates(hull)[:-1].ravel().tolist()))
