"""Slot error rate with graded matches: extents and labels of items, or regions ([BB13]_)."""

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import shapely
from numpy.typing import NDArray

from ..core import overlays
from ..core.base import (
    Family,
    Field,
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
from ..core.fitting import differ
from ..core.geometry import Pairs, Shapes, intersection_areas, overlapping_pairs
from ..core.matching import IGNORED, INSIDE_IGNORED, flatten, largest, summed
from .counts import SlotCounts, count_slots
from .pairing import Pair, best_pair


@dataclass(frozen=True)
class SlotError(Protocol):
    """Pair each truth with the detection that scores highest with it, and credit that score.

    The score of a pair is J times W. J is its IoU; W is 0 if both have labels and these differ, else
    1: a label on one side only does not count. ``view`` may credit J or W alone. Truths are paired
    independently: a detection over several words is paired with each of them, which is a merge; a
    split word has one pair, and its other parts are insertions. There is no threshold. Ignored
    truths do not count, nor does a detection without a pair that has more than half its area in the
    union of ignored truths.

    Precision can exceed 1 if truths overlap each other: then 1 is stored, and the raw value is an
    indicator. Without truth and detections, recall and precision are 1 and the slot error rate is
    0. Without truth but with detections, recall and precision are 0 and the rate is undefined. With
    truth but without detections, they are 0 and the rate is 1.
    """

    slug: ClassVar[str] = "slot-error"
    family: ClassVar[Family] = "Other questions"
    compares: ClassVar[tuple[Field, ...]] = ("label",)
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
        # From here an array has one entry for each pair of regions that share area.
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
        detections = scene.detections or ()
        candidates: defaultdict[int, list[Pair]] = defaultdict(list)
        for i, j, iou in overlaps:
            found = detections[j].label
            wrong = found is not None and differ(scene.truth[i].label, found)
            candidates[i].append(Pair(j, iou, 0.0 if wrong else 1.0))
        counted = [i for i, region in enumerate(scene.truth) if not region.ignored]
        paired = {i: best_pair(candidates[i]) for i in counted}
        serving = {pair.prediction for pair in paired.values() if pair}
        left = {j for j, ignored in enumerate(inside) if ignored and j not in serving}
        counts = count_slots(tuple(paired.values()), len(detections) - len(left), self.view)
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
        """Return the figures, including the slot error rate, from counts summed over images."""
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
    """Return which detections have more than half their area in the union of the ignored truths."""
    half = detections.areas / 2
    n = len(half)
    inside = largest(pairs.detection, shared, n) > half
    # The union is needed only where several ignored truths together could cover half.
    total = summed(pairs.detection, shared, n)
    for j in np.flatnonzero(~inside & (total > half)).tolist():
        own = pairs.truth[pairs.detection == j]
        [polygon] = detections.polygons(np.array([j], dtype=np.intp))
        [cover] = overlays.union_of_rows(truth.polygons(own)[None])
        part = overlays.intersection(polygon, cover)
        inside[j] = shapely.area(part) > half[j]
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
