"""Average precision of IOU matches by confidence ([K15]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from .core import thresholds
from .core.base import Family, ImageScore, Needs, OverallScore, Protocol, Scene, Variant, choice
from .iou import IouMatching, average_precision

# Confidence of each counted detection, in descending order, and whether it is matched.
Ranked = tuple[tuple[float, bool], ...]


@dataclass(frozen=True)
class AveragePrecision(Protocol):
    """IOU with detections in descending order of confidence, and their average precision.

    Recall, precision and F-score are those of IOU with confidences. The indicator
    ``average_precision`` goes through the counted detections in descending order of confidence,
    sums the precision so far at each matched one, and divides by the number of counted truths,
    without interpolation. Equal confidences keep the order of images and of lines. The published
    script leaves this order undefined, so its value may differ in the last digits if many are
    equal. A detection without confidence counts as having confidence 0.

    By the rule of PASCAL VOC ([E10]_, [SH17]_) coordinates are not truncated, and a detection
    belongs to the truth with the largest IoU, ignored or not. It is ignored if that truth is, and a
    false positive if a more confident detection has that truth. Average precision is the area under
    the curve of the best precision at each recall or above; the rule of 2007 averages 11 recalls.

    Without counted truth, the average precision of an image is 1 if it has no counted detections,
    else 0; that of a result set is 0.
    """

    slug: ClassVar[str] = "average-precision"
    family: ClassVar[Family] = "Intersection over union"
    name: ClassVar[str] = "Average precision"
    reference: ClassVar[str] = "K15"
    summary: ClassVar[str] = (
        "IOU by descending confidence: are the most confident detections right?"
    )
    depends_on_order: ClassVar[bool] = True
    needs: ClassVar[Needs] = "confidences"

    variants: ClassVar[Mapping[str, Variant]] = {
        "rctw": Variant({"rule": "voc"}, "RCTW-17, PASCAL VOC"),
        "voc2007": Variant({"rule": "voc2007"}, "PASCAL VOC before 2010"),
    }

    min_iou: float = thresholds.min_iou()
    max_ignored_share: float = thresholds.max_ignored_share()
    rule: str = choice(
        "icdar2015",
        "voc",
        "voc2007",
        says="how matches are found and averaged: as ICDAR 2015, or as PASCAL VOC since 2010 or before",
    )

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        of_voc = self.rule != "icdar2015"
        matching = IouMatching(
            scenes,
            min_iou=self.min_iou,
            max_ignored_share=self.max_ignored_share,
            use_confidences=True,
            matching="best of all" if of_voc else "first",
            whole=not of_voc,
        )
        return [
            self._with_average(image.plain_score(self.min_iou), image.ranked(scene))
            for scene, image in zip(scenes, matching.images(), strict=True)
        ]

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        ranked = tuple(entry for score in scores for entry in score.ranked)
        n_truth = sum(score.tally.n_truth for score in scores)
        value = self._average(ranked, n_truth)
        return replace(super().overall(scores), indicators={"average_precision": value})

    def _average(self, ranked: Ranked, n_truth: float) -> float:
        if self.rule == "icdar2015":
            return average_precision(ranked, n_truth)
        return voc_average_precision(ranked, n_truth, eleven_points=self.rule == "voc2007")

    def _with_average(self, score: ImageScore, ranked: Ranked) -> ImageScore:
        n_truth = score.tally.n_truth
        value = self._average(ranked, n_truth) if n_truth else score.precision
        indicators = {**score.indicators, "average_precision": value}
        return replace(score, ranked=ranked, indicators=indicators)


def voc_average_precision(
    ranked: Sequence[tuple[float, bool]], n_truth: float, *, eleven_points: bool
) -> float:
    """Return the average precision of PASCAL VOC ([E10]_); 0 without truth.

    The precision at a recall is the best one reached at that recall or a higher one. It is averaged
    over all recalls (the area under that curve) or, with ``eleven_points``, over the recalls 0,
    0.1, ... 1. Equal confidences keep their order. ``ranked`` has the confidence of each counted
    detection, and whether it is matched.
    """
    if not n_truth:
        return 0.0
    # After each match: the number of matches, and their share of the detections so far.
    points: list[tuple[int, float]] = []
    for rank, (_, matched) in enumerate(sorted(ranked, key=lambda entry: -entry[0]), 1):
        if matched:
            points.append((len(points) + 1, (len(points) + 1) / rank))
    best, below = 0.0, []
    for n_matches, precision in reversed(points):
        best = max(best, precision)
        below.append((n_matches, best))
    if not eleven_points:
        # Each match raises the recall by one truth's share.
        return sum(precision for _, precision in below) / n_truth
    total = 0.0
    for tenth in range(11):
        # Recall n / n_truth >= tenth / 10, compared in whole numbers to avoid rounding.
        total += max((p for n, p in below if 10 * n >= tenth * n_truth), default=0.0)
    return total / 11
