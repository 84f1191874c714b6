"""DetEval on polygons as the Total-Text dataset publishes it ([CC17]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from .core import thresholds
from .core.base import (
    Family,
    ImageScore,
    Kind,
    OverallScore,
    Protocol,
    Scene,
    Side,
    Variant,
    choice,
    f_score,
    parameter,
)
from .core.geometry import Floats, Indices, Shapes, intersection_areas, overlapping_pairs, shares
from .core.matching import flatten, ignored_detections
from .core.passes import Passes

# A detection with a larger share in one ignored truth is ignored.
_MAX_IGNORED: Final = 0.5
# Number of overlaps that a split or a merge needs.
_SEVERAL: Final = 2


@dataclass(frozen=True)
class DetevalTotalText(Protocol):
    """One-to-one, split and merge matches of polygons by shares of areas, to two decimals.

    Computed as the dataset's Python program does, from tables of sigma (share of a truth) and tau
    (share of a detection), with a row for each truth and a column for each detection. A truth is
    one-to-one if its row has one sigma above its threshold and one tau, perhaps of another
    detection, above its own, and each is the only one in its table's column. ``unique_on`` "truth"
    ignores the columns, as the first version of the program and many copies of it do. The order of
    truths and detections decides which of several possible splits and merges are taken.

    Recall is 0 if there is no counted truth, precision is 0 if there is no counted detection, even
    if both are missing. If only the rows count, a detection can be one-to-one with several truths
    and counts for each; precision is nevertheless at most 1.
    """

    slug: ClassVar[str] = "deteval-total-text"
    family: ClassVar[Family] = "Shares of areas"
    name: ClassVar[str] = "DetEval (Total-Text)"
    reference: ClassVar[str] = "CC17"
    summary: ClassVar[str] = "DetEval on polygons, as the Total-Text dataset computes it."
    depends_on_order: ClassVar[bool] = True
    variants: ClassVar[Mapping[str, Variant]] = {
        "one-sided": Variant({"unique_on": "truth"}, "first version of the program (one-sided)"),
    }

    min_area_recall: float = thresholds.min_area_recall(0.7)
    min_area_precision: float = thresholds.min_area_precision(0.6)
    split_credit: float = parameter(
        0.8, says="credit of a truth, and of each detection, of a split"
    )
    merge_credit: float = parameter(
        0.8, says="credit of each truth, and of the detection, of a merge"
    )
    unique_on: str = choice(
        "both",
        "truth",
        says="a one-to-one match must be the only good one for both its regions, or for its truth alone",
    )

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        flat = flatten(scenes)
        truth = Shapes(flat.truth, truncate=True, buffered=True)
        detections = Shapes(flat.detections, truncate=True, buffered=True)
        pairs = overlapping_pairs(truth.boxes, detections.boxes, flat.n_truth, flat.n_detections)
        shared = intersection_areas(truth, detections, pairs)
        # The program repairs self-intersecting polygons only when it intersects them.
        truth_areas, areas = np.abs(truth.signed_areas()), np.abs(detections.signed_areas())
        inside = shared / (areas[pairs.detection] + 1.0)
        ignored = ignored_detections(flat, pairs, inside, _MAX_IGNORED)
        sigma = np.round(shares(shared, truth_areas[pairs.truth]), 2)
        tau = np.round(shares(shared, areas[pairs.detection]), 2)
        overlaps = flat.by_scene(pairs, sigma, tau)
        scores = []
        for at in range(len(scenes)):
            truths, of_scene = flat.slices(at)
            truth_ignored, of_detections = flat.ignored_truth[truths], ignored[of_scene]
            passes = _Passes(
                self, truth_ignored.tolist(), of_detections.tolist(), unique_on=self.unique_on
            )
            passes.fill(overlaps.get(at, []))
            passes.run()
            scores.append(passes.score())
        return scores

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        figures = super().overall(scores)
        recall, precision = _at_most_1(figures.recall), _at_most_1(figures.precision)
        return replace(
            figures, recall=recall, precision=precision, f_score=f_score(recall, precision)
        )


def _at_most_1(value: float | None) -> float | None:
    return None if value is None else min(value, 1.0)


@dataclass
class _Passes(Passes):
    """The three passes over one image."""

    unique_on: str = "both"

    def __post_init__(self) -> None:
        # Rows: all truths, columns: all detections; ignored ones stay 0.
        self._sigma: Floats = np.zeros((len(self.truth_ignored), len(self.ignored)))
        self._tau: Floats = np.zeros_like(self._sigma)
        self._truth_free = ~np.array(self.truth_ignored, dtype=bool)
        self._free = ~np.array(self.ignored, dtype=bool)

    def fill(self, overlaps: Sequence[tuple[int, int, float, float]]) -> None:
        for i, j, sigma, tau in overlaps:
            if not self.truth_ignored[i] and not self.ignored[j]:
                self._sigma[i, j], self._tau[i, j] = sigma, tau

    def run(self) -> None:
        """Find one-to-one matches, splits and merges, each among the regions left so far."""
        for i in np.flatnonzero(self._truth_free).tolist():
            covering = np.flatnonzero(self._sigma[i] > self.protocol.min_area_recall)
            on_truth = np.flatnonzero(self._tau[i] > self.protocol.min_area_precision)
            if len(covering) == 1 and len(on_truth) == 1 and self._alone(covering, on_truth):
                self._take([i], covering.tolist(), "one-to-one")
        for i in np.flatnonzero(self._truth_free).tolist():
            if (self._sigma[i] > 0).sum() >= _SEVERAL:
                self._split(i)
        for j in np.flatnonzero(self._free).tolist():
            if (self._tau[:, j] > 0).sum() >= _SEVERAL:
                self._merge(j)

    def _alone(self, covering: Indices, on_truth: Indices) -> bool:
        """Return whether no other truth is above a threshold in these columns, if columns count."""
        if self.unique_on == "truth":
            return True
        n_covered = (self._sigma[:, covering] > self.protocol.min_area_recall).sum()
        n_underneath = (self._tau[:, on_truth] > self.protocol.min_area_precision).sum()
        return bool(n_covered == 1 and n_underneath == 1)

    def _split(self, i: int) -> None:
        parts = (self._tau[i] >= self.protocol.min_area_precision) & self._free
        covered = float(self._sigma[i, parts].sum())
        if covered >= self.protocol.min_area_recall and parts.any():
            kind: Kind = "split" if parts.sum() > 1 else "one-to-one"
            self._take([i], np.flatnonzero(parts).tolist(), kind)

    def _merge(self, j: int) -> None:
        # The precision threshold is used twice, as published.
        parts = (self._sigma[:, j] >= self.protocol.min_area_precision) & self._truth_free
        covered = float(self._tau[parts, j].sum())
        if not parts.any() or covered < self.protocol.min_area_precision:
            return
        if parts.sum() > 1:
            self._take(np.flatnonzero(parts).tolist(), [j], "merge")
        elif self._sigma[parts, j] >= self.protocol.min_area_recall:
            self._take(np.flatnonzero(parts).tolist(), [j], "one-to-one")

    def _take(self, truths: list[int], detections: list[int], kind: Kind) -> None:
        self._truth_free[truths] = False
        self._free[detections] = False
        self.take(truths, detections, kind)

    def score(self) -> ImageScore:
        tally = self.tally()
        recall = min(tally.recalled / tally.n_truth, 1.0) if tally.n_truth else 0.0
        precision = min(tally.precise / tally.n_detections, 1.0) if tally.n_detections else 0.0
        return self.image_score((recall, precision, f_score(recall, precision)), self._why)

    def _why(self, side: Side, at: int) -> str:
        sigma, tau = (
            (self._sigma[at], self._tau[at])
            if side == "truth"
            else (self._sigma[:, at], self._tau[:, at])
        )
        if not (sigma > 0).any():
            return "to the nearest hundredth it overlaps nothing"
        best = int(np.argmax(np.minimum(sigma, tau)))
        if (
            sigma[best] >= self.protocol.min_area_recall
            and tau[best] >= self.protocol.min_area_precision
        ):
            return "its best partner is not the only one that is good enough, or was already taken"
        return (
            f"with its best partner it shares {sigma[best]:.2f} of the truth and "
            f"{tau[best]:.2f} of the detection; {self.protocol.min_area_recall:g} of "
            f"the truth and {self.protocol.min_area_precision:g} of the detection are "
            "needed"
        )
