"""IOU: the protocol of ICDAR 2015, Challenge 4 ([K15]_)."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .base import ImageScore, Match, Protocol, Scene, Tally, Unmatched, f_score, parameter
from .geometry import Shapes, intersection_areas, overlapping_pairs
from .matching import IGNORED, INSIDE_IGNORED, flatten, ignored_detections, largest

# Truth, detection and IoU of a pair.
_Pair = tuple[int, int, float]


@dataclass(frozen=True)
class Iou(Protocol):
    """Pair truths and detections whose intersection over union exceeds a threshold.

    Coordinates are truncated to integers and taken as points of the plane: a box from 0 to 99 is 99
    wide. A detection is ignored when a single ignored truth covers more than
    ``max_ignored_share`` of it. Each counted truth in file order takes the first free counted
    detection that is good enough, not the best one.

    Without counted truth recall is 1, and precision 1 without counted detections and 0 with some;
    without counted detections precision is 0. A union of zero area gives an IoU of 0.
    """

    slug: ClassVar[str] = "iou"
    name: ClassVar[str] = "IOU"
    reference: ClassVar[str] = "K15"
    summary: ClassVar[str] = (
        "A truth is found by one detection with enough intersection over union."
    )

    min_iou: float = parameter(0.5, says="a pair needs an IoU above this", rrc="IOU_CONSTRAINT")
    max_ignored_share: float = parameter(
        0.5,
        says="a detection with a larger share inside an ignored truth is ignored",
        rrc="AREA_PRECISION_CONSTRAINT",
    )
    use_confidences: bool = parameter(
        False,
        says="go through the detections by descending confidence instead of file order",
        rrc="CONFIDENCES",
    )

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        flat = flatten(scenes)
        truth = Shapes([region.truncated() for region in flat.truth])
        detections = Shapes([region.truncated() for region in flat.detections])
        pairs = overlapping_pairs(truth.boxes, detections.boxes, flat.n_truth, flat.n_detections)
        shared = intersection_areas(truth, detections, pairs)
        areas = detections.areas[pairs.detection]
        share = np.divide(shared, areas, out=np.zeros_like(shared), where=areas > 0)
        union = truth.areas[pairs.truth] + areas - shared
        iou = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)

        ignored = ignored_detections(flat, pairs, share, self.max_ignored_share)
        counted = ~flat.ignored_truth[pairs.truth] & ~ignored[pairs.detection]
        iou = np.where(counted, iou, 0.0)
        best_of_truth = largest(pairs.truth, iou, len(flat.truth))
        best_of_detection = largest(pairs.detection, iou, len(flat.detections))
        enough = counted & (iou > self.min_iou)
        good = flat.by_scene(pairs.where(enough), iou[enough])
        scores = []
        for at, scene in enumerate(scenes):
            truths, found = flat.slices(at)
            one = _Image(
                truth_ignored=flat.ignored_truth[truths].tolist(),
                ignored=ignored[found].tolist(),
                best_of_truth=best_of_truth[truths].tolist(),
                best_of_detection=best_of_detection[found].tolist(),
                good=self._in_order(good.get(at, []), scene),
            )
            scores.append(self._score(one))
        return scores

    def _in_order(self, good: list[_Pair], scene: Scene) -> list[_Pair]:
        """Return the pairs in the order in which the published script goes through them."""
        if not self.use_confidences:
            return good
        # Equal confidences keep file order; the script leaves their order undefined.
        confidence = [region.confidence or 0.0 for region in scene.detections or ()]
        return sorted(good, key=lambda pair: (pair[0], -confidence[pair[1]]))

    def _score(self, one: "_Image") -> ImageScore:
        partner: dict[int, int] = {}
        taken: set[int] = set()
        ious = []
        for i, j, iou in one.good:
            if i not in partner and j not in taken:
                partner[i] = j
                taken.add(j)
                ious.append(iou)
        n_truth = one.truth_ignored.count(False)
        n_detections = one.ignored.count(False)
        n_matches = len(partner)
        if n_truth:
            recall = n_matches / n_truth
            precision = n_matches / n_detections if n_detections else 0.0
        else:
            recall, precision = 1.0, 0.0 if n_detections else 1.0
        return ImageScore(
            recall,
            precision,
            f_score(recall, precision),
            Tally(n_matches, n_truth, n_matches, n_detections),
            tuple(Match((i,), (j,), "one-to-one", 1.0, 1.0) for i, j in partner.items()),
            tuple(self._unmatched(one, partner, taken)),
            {
                "n_ignored_truth": one.truth_ignored.count(True),
                "n_ignored_detections": one.ignored.count(True),
                "mean_iou": sum(ious) / len(ious) if ious else None,
            },
        )

    def _unmatched(
        self, one: "_Image", partner: Mapping[int, int], taken: AbstractSet[int]
    ) -> Iterator[Unmatched]:
        for i, ignored in enumerate(one.truth_ignored):
            if i not in partner:
                reason = IGNORED if ignored else self._too_far(one.best_of_truth[i])
                yield Unmatched("truth", i, reason)
        for j, ignored in enumerate(one.ignored):
            if j not in taken:
                reason = INSIDE_IGNORED if ignored else self._too_far(one.best_of_detection[j])
                yield Unmatched("detection", j, reason)

    def _too_far(self, best: float) -> str:
        if best > self.min_iou:
            return f"every partner with an IoU above {self.min_iou:g} was taken"
        return f"its best IoU, {best:.3f}, is not above {self.min_iou:g}"


@dataclass(frozen=True, slots=True)
class _Image:
    """One image's part of what was computed for all: lists by truth or by detection."""

    truth_ignored: list[bool]
    ignored: list[bool]
    best_of_truth: list[float]
    best_of_detection: list[float]
    good: list[_Pair]


def average_precision(confidences: Sequence[float], matched: Sequence[bool], n_truth: int) -> float:
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
