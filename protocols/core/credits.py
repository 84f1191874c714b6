"""Protocols that add up credits: the weight of a region, and the precision of finding nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from .base import ImageScore, OverallScore, Protocol, Scene, Tally, choice, f_score
from .geometry import Shapes
from .regions import Region

_MAX_GUESSED: Final = 10
_EMPTY: Final = {"zero": 0.0, "one": 1.0, "undefined": None}


@dataclass(frozen=True)
class CreditProtocol(Protocol):
    """A protocol whose recall and precision are sums of credits over sums of regions.

    Its last two parameters extend the published definition for two questions that it leaves open
    ([D18]_, sections V.A and V.D): whether every region should count alike, and the precision of a
    method that finds nothing although there is something to find. Both leave images without counted
    truth as published.
    """

    weight: str = choice(
        "regions",
        "area",
        "characters",
        says="what a region counts: every one alike, by its area, or by its number of characters",
        shared=True,
    )
    empty_precision: str = choice(
        "published",
        "zero",
        "one",
        "undefined",
        says="precision of an image that has truth to find, but no detection that counts",
        shared=True,
    )

    def settled(
        self,
        scene: Scene,
        score: ImageScore,
        ignored_truth: Sequence[bool],
        ignored: Sequence[bool],
        credits: tuple[Sequence[float], Sequence[float]] | None = None,
    ) -> ImageScore:
        """Return a published score under this protocol's weight and empty precision.

        ``ignored_truth`` and ``ignored`` say which truths and detections do not count; ``credits``
        holds the credit of each truth and each detection, by default those of the matches.
        """
        if self.weight == "regions" and self.empty_precision == "published":
            return score
        if self.weight != "regions":
            n_truth, n_detections = len(scene.truth), len(scene.detections or ())
            recall, precision = credits or match_credits(score, n_truth, n_detections)
            weights = self.region_weights(scene, ignored_truth, ignored)
            of_truth = _sums(weights[0], recall, ignored_truth)
            score = self._reweighed(score, Tally(*of_truth, *_sums(weights[1], precision, ignored)))
        if self.empty_precision != "published" and all(ignored) and not all(ignored_truth):
            empty = _EMPTY[self.empty_precision]
            score = replace(score, precision=empty, f_score=f_score(score.recall, empty))
        return score

    def weights(self, regions: Sequence[Region]) -> list[float]:
        if self.weight == "area":
            return [float(area) for area in Shapes(regions).areas]
        if self.weight == "characters":
            return [float(n_characters(region)) for region in regions]
        return [1.0] * len(regions)

    def region_weights(
        self, scene: Scene, ignored_truth: Sequence[bool], ignored: Sequence[bool]
    ) -> tuple[list[float], list[float]]:
        """Return the weight of each truth and each detection in its sum.

        If the counted regions of a side have no weight in total, every region counts alike.
        """
        truth, detections = self.weights(scene.truth), self.weights(scene.detections or ())
        for weights, out in ((truth, ignored_truth), (detections, ignored)):
            counted = [weight for weight, is_out in zip(weights, out, strict=True) if not is_out]
            if counted and not any(counted):
                return [1.0] * len(truth), [1.0] * len(detections)
        return truth, detections

    def _reweighed(self, score: ImageScore, tally: Tally) -> ImageScore:
        if not tally.n_truth:
            # The special cases without counted truth stay as published.
            return replace(score, tally=tally)
        recall = min(tally.recalled / tally.n_truth, 1.0)
        precision = min(tally.precise / tally.n_detections, 1.0) if tally.n_detections else 0.0
        return replace(
            score,
            recall=recall,
            precision=precision,
            f_score=f_score(recall, precision),
            tally=tally,
        )

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        figures = super().overall(scores)
        empty = not any(score.tally.n_detections for score in scores)
        nothing_to_find = not any(score.tally.n_truth for score in scores)
        if self.empty_precision == "published" or not empty or nothing_to_find:
            return figures
        precision = _EMPTY[self.empty_precision]
        return replace(figures, precision=precision, f_score=f_score(figures.recall, precision))


def n_characters(region: Region) -> int:
    """Return the length of a region's text; without text, how many square letters fit.

    The guess is CLEval's for regions whose text is unknown ([B20]_): the ratio of the longer to the
    shorter side of the bounding box, at least 1 and at most 10.
    """
    if region.text and not region.ignored:
        return len(region.text)
    left, top, right, bottom = region.box
    long, short = max(right - left, bottom - top), min(right - left, bottom - top)
    return max(1, min(round(0.5 + long / short), _MAX_GUESSED)) if short else 1


def match_credits(
    score: ImageScore, n_truth: int, n_detections: int
) -> tuple[list[float], list[float]]:
    """Return the credit of each truth and of each detection, shared equally within a match.

    Ignored regions are among the numbers of regions.
    """
    recall, precision = [0.0] * n_truth, [0.0] * n_detections
    for match in score.matches:
        for i in match.truth:
            recall[i] += match.recall_credit / len(match.truth)
        for j in match.detections:
            precision[j] += match.precision_credit / len(match.detections)
    return recall, precision


def _sums(
    weights: Sequence[float], credits: Sequence[float], ignored: Sequence[bool]
) -> tuple[float, float]:
    counted = [at for at, passed_over in enumerate(ignored) if not passed_over]
    above = sum(weights[at] * credits[at] for at in counted)
    return above, sum(weights[at] for at in counted)
