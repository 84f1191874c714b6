"""Average precision of IOU matches by confidence, and the precision-recall curve ([K15]_)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from .core import thresholds
from .core.base import ImageScore, Needs, OverallScore, Protocol, Scene
from .core.matching import INSIDE_IGNORED
from .iou import Iou, average_precision


@dataclass(frozen=True)
class AveragePrecision(Protocol):
    """IOU with detections by descending confidence, and how precise the surest of them are.

    Recall, precision and F-score are those of IOU with confidences. The indicator
    ``average_precision`` goes through the counted detections by descending confidence, adds up the
    precision so far at each matched one, and divides by the number of counted truths; no
    interpolation. Equal confidences keep the order of images and of lines: the published script
    leaves it undefined, so its value may differ in the last digits where many are equal. A
    detection without confidence counts as 0.

    Without counted truth average precision is 1 without counted detections and 0 with some.
    """

    slug: ClassVar[str] = "average-precision"
    name: ClassVar[str] = "Average precision"
    reference: ClassVar[str] = "K15"
    summary: ClassVar[str] = "IOU by descending confidence: are the surest detections right?"
    depends_on_order: ClassVar[bool] = True
    needs: ClassVar[Needs] = "confidences"

    min_iou: float = thresholds.min_iou()
    max_ignored_share: float = thresholds.max_ignored_share()

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        iou = Iou(
            min_iou=self.min_iou, max_ignored_share=self.max_ignored_share, use_confidences=True
        )
        return [
            _ranked(scene, score) for scene, score in zip(scenes, iou.score(scenes), strict=True)
        ]

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        ranked = [entry for score in scores for entry in score.ranked]
        n_truth = sum(score.tally.n_truth for score in scores)
        value = average_precision([c for c, _ in ranked], [m for _, m in ranked], n_truth)
        return replace(super().overall(scores), indicators={"average_precision": value})


def _ranked(scene: Scene, score: ImageScore) -> ImageScore:
    matched = {j for match in score.matches for j in match.detections}
    ignored = {
        unmatched.index
        for unmatched in score.unmatched
        if unmatched.side == "detection" and unmatched.reason == INSIDE_IGNORED
    }
    ranked = sorted(
        (
            (region.confidence or 0.0, j in matched)
            for j, region in enumerate(scene.detections or ())
            if j not in ignored
        ),
        key=lambda entry: -entry[0],
    )
    if score.tally.n_truth:
        value: float | None = average_precision(
            [c for c, _ in ranked], [m for _, m in ranked], score.tally.n_truth
        )
    else:
        value = score.precision
    indicators = {**score.indicators, "average_precision": value}
    return replace(score, ranked=tuple(ranked), indicators=indicators)


def precision_recall_curve(
    ranked: Sequence[tuple[float, bool]], n_truth: float
) -> list[tuple[float, float, float]]:
    """Return (confidence, recall, precision) after each confidence that occurs, highest first.

    Detections of equal confidence enter together. Without truth there is no curve.
    """
    if not n_truth:
        return []
    curve: list[tuple[float, float, float]] = []
    n_matches = 0
    for rank, (confidence, matched) in enumerate(sorted(ranked, key=lambda entry: -entry[0]), 1):
        n_matches += matched
        if curve and curve[-1][0] == confidence:
            curve.pop()
        curve.append((confidence, n_matches / n_truth, n_matches / rank))
    return curve
