"""Counts at four IoU thresholds and their weighted averages, for both table protocols ([G19]_)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..core.base import ImageScore, OverallScore, Protocol, Tally, choice, f_score, parameter


@dataclass(frozen=True)
class AtThresholds(Protocol):
    """Counts at four IoU thresholds; the averages over them are weighted by the thresholds."""

    threshold_1: float = parameter(
        0.6, says="the lowest IoU that is enough, and its weight", low=0.01
    )
    threshold_2: float = parameter(0.7, says="the second IoU, and its weight", low=0.01)
    threshold_3: float = parameter(0.8, says="the third IoU, and its weight", low=0.01)
    threshold_4: float = parameter(0.9, says="the highest IoU, and its weight", low=0.01)
    variant: str = choice(
        "page", "tool", says="the definition on the competition's page, or its released program"
    )

    @property
    def thresholds(self) -> tuple[float, ...]:
        return self.threshold_1, self.threshold_2, self.threshold_3, self.threshold_4

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        """Return the figures of a result set, from counts summed over images.

        Indicators are those of an image, from the summed counts; without any image there are none.
        """
        means = super().overall(scores)
        if not scores:
            return means
        n_correct = [
            round(math.fsum(score.indicators[f"n_correct_at_{at}"] or 0.0 for score in scores))
            for at in self.thresholds
        ]
        figures = self._figures(
            n_correct,
            round(sum(score.tally.n_truth for score in scores)),
            round(sum(score.tally.n_detections for score in scores)),
        )
        return replace(
            means,
            recall=figures.recall,
            precision=figures.precision,
            f_score=figures.f_score,
            indicators=figures.indicators,
        )

    def _figures(self, n_correct: Sequence[int], n_truth: int, n_detections: int) -> ImageScore:
        """Return the score from these counts, with one count of correct items per threshold."""
        indicators: dict[str, float | None] = {"n_truth": n_truth, "n_detections": n_detections}
        shares = [_shares(correct, n_truth, n_detections) for correct in n_correct]
        for at, correct, (recall, precision, harmonic) in zip(
            self.thresholds, n_correct, shares, strict=True
        ):
            indicators[f"n_correct_at_{at}"] = correct
            indicators[f"recall_at_{at}"] = recall
            indicators[f"precision_at_{at}"] = precision
            indicators[f"f_score_at_{at}"] = harmonic
        recall, precision, harmonic = (
            self._average(column) for column in zip(*shares, strict=True)
        )
        indicators["weighted_average_f1"] = harmonic
        earned = self._average(n_correct)
        return ImageScore(
            recall,
            precision,
            harmonic,
            Tally(earned, n_truth, earned, n_detections),
            indicators=indicators,
        )

    def _average(self, values: Sequence[float]) -> float:
        """Return the average of one value for each threshold, weighted by the thresholds."""
        weighted = (at * value for at, value in zip(self.thresholds, values, strict=True))
        return math.fsum(weighted) / math.fsum(self.thresholds)


def _shares(n_correct: int, n_truth: int, n_detections: int) -> tuple[float, float, float]:
    """Return recall, precision and their harmonic mean."""
    if not n_truth and not n_detections:
        return 1.0, 1.0, 1.0
    recall = n_correct / n_truth if n_truth else 0.0
    precision = n_correct / n_detections if n_detections else 0.0
    return recall, precision, f_score(recall, precision) or 0.0
