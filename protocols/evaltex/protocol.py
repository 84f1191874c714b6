"""EVALTEX and its variants: coverage and accuracy of objects, after EvaLTex ([C16]_, [C15]_)."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from ..core.base import Family, ImageScore, OverallScore, Scene, Tally, choice, f_score, parameter
from ..core.credits import CreditProtocol
from ..core.geometry import Floats, Indices
from .measuring import NOISE, Measured, Measurement


@dataclass(frozen=True)
class Evaltex(CreditProtocol):
    """Credit each object with its coverage for recall and with its accuracy for precision.

    An object (a counted truth) and a detection match if they share area; matches are not exclusive,
    and there is no threshold of quality. Coverage is the share of the object that its detections
    cover, lowered by 1 / (1 + ln s) when s of them do. Accuracy is the share of its detections that
    is text; gaps of a line that a detection spans count neither as text nor as background. R = sum
    of coverages / objects, P = sum of accuracies / (matched objects + false positives).

    The sources leave parts of the original tool open; this is a protocol *after* EvaLTex, and
    agrees with the figures printed in [D18]_ (figure 5).

    If there are no objects, R = 1, and P is 0 if there are false positives, else 1. If there are
    objects but no counted detections, R = P = 0. Regions without area are left out on both sides.
    """

    slug: ClassVar[str] = "evaltex"
    family: ClassVar[Family] = "Coverage and accuracy"
    name: ClassVar[str] = "EVALTEX"
    reference: ClassVar[str] = "C16"
    summary: ClassVar[str] = (
        "How much of each text is covered, and how much of what covers it is text."
    )
    # Parameters in which the variants differ.
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
    def measurement(self) -> Measurement:
        """Return a key: variants with equal keys share the output of ``measure``."""
        return Measurement(self.min_overlap, self.dont_care_overlap, self.regions)

    def measure(self, scenes: Sequence[Scene]) -> Measured:
        """Return every coverage and accuracy, which all variants share."""
        return Measured(self.measurement, scenes)

    def conclude(self, measured: Measured) -> list[ImageScore]:
        """Return this variant's scores."""
        objects, wrong = measured.objects, measured.false_positives
        coverage, accuracy = self._values(measured)
        coverages = _histograms(coverage, objects.image, len(measured.scenes), self.bins)
        # Accuracies of matched objects, then a 0 for each false positive; and the image of each.
        hits = np.concatenate([accuracy[objects.hit], np.zeros(len(wrong))])
        image_of_hit = np.concatenate([objects.image[objects.hit], wrong.image])
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

    def _values(self, measured: Measured) -> tuple[Floats, Floats]:
        objects = measured.objects
        if self.penalises_splits:
            return objects.raw * objects.fragmentation, objects.accuracy
        return objects.raw, objects.accuracy

    def credit(self, values: Floats) -> Floats:
        """Return the credit of a coverage or an accuracy."""
        return values

    def _tally(
        self,
        measured: Measured,
        at: int,
        scene: Scene,
        recall_credit: Floats,
        precision_credit: Floats,
    ) -> Tally:
        objects, wrong = measured.objects.at(at), measured.false_positives.at(at)
        hit = measured.objects.hit[objects]
        recall, precision = recall_credit[objects], precision_credit[objects][hit]
        missed = float(self.credit(np.zeros(1))[0])
        if self.weight == "regions":
            n_objects, n_wrong = len(recall), wrong.stop - wrong.start
            return Tally(
                math.fsum(recall),
                n_objects,
                math.fsum(precision) + missed * n_wrong,
                len(precision) + n_wrong,
            )
        truth = np.array(self.weights(scene.truth))[measured.objects.index[objects]]
        weights = np.array(self.weights(scene.detections or ()))
        extra = float(weights[measured.false_positives.index[wrong]].sum()) if len(weights) else 0.0
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
        figures = super().overall(scores)
        pooled = Tally.total(score.tally for score in scores)
        counts = {
            name: sum(score.indicators[name] or 0 for score in scores)
            for name in ("gt", "detections", "tp", "fp", "missed", "ignored")
        }
        sums: defaultdict[str, float] = defaultdict(float)
        for score in scores:
            for name, value in _sums_of(score.indicators).items():
                sums[name] += value
        recall, precision = self._divided(pooled, counts)
        return replace(
            figures,
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
    edge of its bin: a missed object or a false positive counts 1 / bins, not 0. If there are no
    values, nothing has to be moved, so precision is 1 if nothing is detected, as [D18]_ reports.
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
    at = np.floor(n_bins * np.clip(values, 0.0, 1.0) + NOISE)
    return np.minimum(n_bins - 1, at).astype(np.intp)


def _histograms(
    values: Floats, image: Indices, n_images: int, n_bins: int
) -> list[tuple[int, ...]]:
    # One count for all images: image k has the bins k * n_bins to (k + 1) * n_bins.
    flat = np.bincount(image * n_bins + _bins(values, n_bins), minlength=n_images * n_bins)
    return [tuple(row) for row in flat.reshape(n_images, n_bins).tolist()]


# The mean qualities of an image or a result set, and the count that each sum is divided by.
_MEANS: Final = {
    "r_quality": "tp",
    "r_quality_no_split": "tp",
    "p_quality": "tp",
    "split": "tp",
}


def _qualities(sums: Mapping[str, float], counts: Mapping[str, float]) -> dict[str, float | None]:
    """Return the quantity, quality and split indicators; None is undefined."""
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
