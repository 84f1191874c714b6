"""IOU: the protocol of ICDAR 2015, Challenge 4 ([K15]_)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .core import thresholds
from .core.base import ImageScore, Match, Scene, Tally, Unmatched, f_score, parameter
from .core.credits import CreditProtocol
from .core.geometry import Shapes, intersection_areas, overlapping_pairs, shares
from .core.matching import IGNORED, INSIDE_IGNORED, flatten, ignored_detections, largest

# Truth, detection and IoU of a pair.
Pair = tuple[int, int, float]


class IouMatching:
    """The matches of truths and detections by their IoU, for a list of scenes.

    Coordinates are truncated to integers and taken as points of the plane: a box from 0 to 99 is 99
    wide. A detection is ignored when a single ignored truth covers more than ``max_ignored_share``
    of it. Each counted truth in file order takes the first free counted detection that is good
    enough, not the best one. A union of zero area gives an IoU of 0.

    Attributes
    ----------
    matched : list of lists
        For each scene its pairs (truth, detection, IoU), numbered within the scene.
    shared, pairs : all pairs whose boxes meet, and the areas they share
    """

    def __init__(
        self,
        scenes: Sequence[Scene],
        *,
        min_iou: float,
        max_ignored_share: float,
        use_confidences: bool = False,
    ) -> None:
        self.flat = flat = flatten(scenes)
        self.truth = Shapes(flat.truth, truncate=True)
        self.detections = Shapes(flat.detections, truncate=True)
        self.pairs = pairs = overlapping_pairs(
            self.truth.boxes, self.detections.boxes, flat.n_truth, flat.n_detections
        )
        self.shared = intersection_areas(self.truth, self.detections, pairs)
        areas = self.detections.areas[pairs.detection]
        # One entry for each pair: the share of the detection inside the truth, then the IoU.
        share = shares(self.shared, areas)
        union = self.truth.areas[pairs.truth] + areas - self.shared
        self.ignored = ignored_detections(flat, pairs, share, max_ignored_share)
        self._counted = ~flat.ignored_truth[pairs.truth] & ~self.ignored[pairs.detection]
        self._iou = np.where(self._counted, shares(self.shared, union), 0.0)
        enough = self._counted & (self._iou > min_iou)
        good = flat.by_scene(pairs.where(enough), self._iou[enough])
        self.matched = [
            _first_come(_in_order(good.get(at, []), scene, use_confidences))
            for at, scene in enumerate(scenes)
        ]

    def images(self) -> "Iterator[_Image]":
        """Yield each scene's part."""
        best_of_truth = largest(self.pairs.truth, self._iou, len(self.flat.truth)).tolist()
        best = largest(self.pairs.detection, self._iou, len(self.flat.detections)).tolist()
        truth_ignored, ignored = self.flat.ignored_truth.tolist(), self.ignored.tolist()
        for at, matched in enumerate(self.matched):
            truths, detections = self.flat.slices(at)
            yield _Image(
                truth_ignored[truths],
                ignored[detections],
                best_of_truth[truths],
                best[detections],
                matched,
            )


def _in_order(good: list[Pair], scene: Scene, use_confidences: bool) -> list[Pair]:
    """Return the pairs in the order in which the published script goes through them."""
    if not use_confidences:
        return good
    # Equal confidences keep file order; the script leaves their order undefined.
    confidence = [region.confidence or 0.0 for region in scene.detections or ()]
    return sorted(good, key=lambda pair: (pair[0], -confidence[pair[1]]))


def _first_come(good: Sequence[Pair]) -> list[Pair]:
    matched: list[Pair] = []
    truths, taken = set(), set()
    for i, j, iou in good:
        if i not in truths and j not in taken:
            truths.add(i)
            taken.add(j)
            matched.append((i, j, iou))
    return matched


@dataclass(frozen=True, slots=True)
class _Image:
    """One image's part of what was computed for all: lists by truth or by detection."""

    truth_ignored: list[bool]
    ignored: list[bool]
    best_of_truth: list[float]
    best_of_detection: list[float]
    matched: list[Pair]

    @property
    def n_truth(self) -> int:
        return self.truth_ignored.count(False)

    @property
    def n_detections(self) -> int:
        return self.ignored.count(False)

    def divided(self, recalled: float, precise: float) -> tuple[float, float]:
        """Return recall and precision from credits."""
        n_truth, n_detections = self.n_truth, self.n_detections
        if not n_truth:
            return 1.0, 0.0 if n_detections else 1.0
        return recalled / n_truth, precise / n_detections if n_detections else 0.0

    def unmatched(self, min_iou: float) -> tuple[Unmatched, ...]:
        """Say of each region without a match why it has none."""
        truths = {i for i, _, _ in self.matched}
        taken = {j for _, j, _ in self.matched}
        reasons = []
        for i, ignored in enumerate(self.truth_ignored):
            if i not in truths:
                reason = IGNORED if ignored else _too_far(self.best_of_truth[i], min_iou)
                reasons.append(Unmatched("truth", i, reason))
        for j, ignored in enumerate(self.ignored):
            if j not in taken:
                reason = INSIDE_IGNORED if ignored else _too_far(self.best_of_detection[j], min_iou)
                reasons.append(Unmatched("detection", j, reason))
        return tuple(reasons)

    def score(
        self,
        min_iou: float,
        recall_credits: Sequence[float],
        precision_credits: Sequence[float],
        indicators: dict[str, float | None],
    ) -> ImageScore:
        """Return the score where each matched pair has these credits."""
        recalled, precise = sum(recall_credits), sum(precision_credits)
        recall, precision = self.divided(recalled, precise)
        credited = zip(self.matched, recall_credits, precision_credits, strict=True)
        return ImageScore(
            recall,
            precision,
            f_score(recall, precision),
            Tally(recalled, self.n_truth, precise, self.n_detections),
            tuple(Match((i,), (j,), "one-to-one", r, p) for (i, j, _), r, p in credited),
            self.unmatched(min_iou),
            {
                "n_ignored_truth": self.truth_ignored.count(True),
                "n_ignored_detections": self.ignored.count(True),
                **indicators,
            },
        )


def _too_far(best: float, min_iou: float) -> str:
    if best > min_iou:
        return f"every partner with an IoU above {min_iou:g} was taken"
    return f"its best IoU, {best:.3f}, is not above {min_iou:g}"


@dataclass(frozen=True)
class Iou(CreditProtocol):
    """Pair truths and detections whose intersection over union exceeds a threshold.

    Each counted truth in file order takes the first free counted detection that is good enough, not
    the best one; ``IouMatching`` says the rest. Without counted truth recall is 1, and precision 1
    without counted detections and 0 with some; without counted detections precision is 0.
    """

    slug: ClassVar[str] = "iou"
    name: ClassVar[str] = "IOU"
    reference: ClassVar[str] = "K15"
    summary: ClassVar[str] = (
        "A truth is found by one detection with enough intersection over union."
    )
    depends_on_order: ClassVar[bool] = True

    min_iou: float = thresholds.min_iou()
    max_ignored_share: float = thresholds.max_ignored_share()
    use_confidences: bool = parameter(
        False,
        says="go through the detections by descending confidence instead of file order",
        rrc="CONFIDENCES",
    )

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        matching = IouMatching(
            scenes,
            min_iou=self.min_iou,
            max_ignored_share=self.max_ignored_share,
            use_confidences=self.use_confidences,
        )
        scores = []
        for scene, image in zip(scenes, matching.images(), strict=True):
            credits = [1.0] * len(image.matched)
            mean = sum(iou for _, _, iou in image.matched) / len(credits) if credits else None
            score = image.score(self.min_iou, credits, credits, {"mean_iou": mean})
            scores.append(self.settled(scene, score, image.truth_ignored, image.ignored))
        return scores


def average_precision(
    confidences: Sequence[float], matched: Sequence[bool], n_truth: float
) -> float:
    """Return the average precision of detections against ``n_truth`` counted truths ([K15]_).

    Going through the detections by descending confidence (equal ones in the order given), the
    precision so far is added at each matched one; the sum is divided by the number of truths. No
    interpolation. 0 without truth.
    """
    order = sorted(range(len(confidences)), key=lambda at: -confidences[at])
    total, n_matches = 0.0, 0
    for rank, at in enumerate(order, 1):
        if matched[at]:
            n_matches += 1
            total += n_matches / rank
    return total / n_truth if n_truth else 0.0
