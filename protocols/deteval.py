"""DETEVAL and ICDAR13 as in the Robust Reading Competition (Challenge 2, [WJ06]_, [K13]_)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .core import thresholds
from .core.base import Family, ImageScore, Kind, Scene, Side, f_score, parameter
from .core.credits import CreditProtocol
from .core.geometry import (
    Floats,
    Pairs,
    box_areas,
    box_intersections,
    boxes_of,
    overlapping_pairs,
)
from .core.matching import Flat, flatten, ignored_detections
from .core.passes import Overlap, OverlapPasses

# The last pixel is included in a box: a box from 0 to 99 is 100 wide.
PIXEL = 1.0


@dataclass(frozen=True)
class BoxOverlaps:
    """Overlaps of the boxes of scenes: sigma, tau and near have an entry for each pair."""

    scenes: Sequence[Scene]
    flat: Flat
    pairs: Pairs
    sigma: Floats
    tau: Floats
    near: Floats
    ignored: NDArray[np.bool_]

    def several(self) -> list[set[int]]:
        """Return the truths of each scene that several counted detections overlap."""
        counted = ~self.ignored[self.pairs.detection]
        n = np.bincount(self.pairs.truth[counted], minlength=len(self.flat.truth))
        scenes = range(len(self.scenes))
        return [set(np.flatnonzero(n[self.flat.slices(at)[0]] > 1).tolist()) for at in scenes]


@dataclass(frozen=True)
class Icdar13(CreditProtocol):
    """One-to-one, split and merge matches by area recall and area precision of boxes.

    With sigma = shared area / truth area and tau = shared area / detection area, three passes over
    the unmatched regions, each in file order: pairs that suffice for each other and for no other
    region (one-to-one), truths covered by several detections (split), detections that cover several
    truths (merge). A region that is not an upright rectangle counts as its bounding box. The order
    of the lines matters, as published.

    A single detection counts as a split, so one of two words under one box is found with a credit
    of 0.8 (unlike in DETEVAL).

    Special cases, as published: no truth at all and an empty result file give R = P = 1 but F = 0;
    no counted truth and at least one detection (even an ignored one) give R = 1, P = 0; otherwise
    no counted truth gives 0 for all; counted truth and no counted detection gives P = 0.
    """

    slug: ClassVar[str] = "icdar13"
    family: ClassVar[Family] = "Shares of areas"
    name: ClassVar[str] = "ICDAR13"
    reference: ClassVar[str] = "K13"
    summary: ClassVar[str] = (
        "One-to-one, split and merge matches of bounding boxes by two area thresholds."
    )
    measures_boxes: ClassVar[bool] = True
    depends_on_order: ClassVar[bool] = True
    has_causes: ClassVar[bool] = True

    min_area_recall: float = thresholds.min_area_recall(0.8)
    min_area_precision: float = thresholds.min_area_precision(0.4)
    max_centre_distance: float = thresholds.max_centre_distance()
    one_to_one_credit: float = parameter(1.0, says="credit of a one-to-one match", rrc="MTYPE_OO_O")
    split_credit: float = parameter(
        0.8, says="credit of a truth, and of each detection, of a split", rrc="MTYPE_OM_O"
    )
    merge_credit: float = parameter(
        1.0, says="credit of each truth, and of the detection, of a merge", rrc="MTYPE_OM_M"
    )

    # Whether single overlaps are distinguished from multiple ones (DETEVAL).
    _counts_overlaps: ClassVar[bool] = False

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        return self.conclude(self.measure(scenes))

    def measure(self, scenes: Sequence[Scene]) -> "BoxOverlaps":
        flat = flatten(scenes)
        truth, detections = boxes_of(flat.truth), boxes_of(flat.detections)
        pairs, shared = shared_areas(flat, truth, detections)
        # For each pair the share of its truth, that of its detection, and whether they are near.
        sigma = shared / box_areas(truth, PIXEL)[pairs.truth]
        tau = shared / box_areas(detections, PIXEL)[pairs.detection]
        near = self._near(truth[pairs.truth], detections[pairs.detection])
        ignored = ignored_detections(flat, pairs, tau, self.min_area_precision)
        return BoxOverlaps(scenes, flat, pairs, sigma, tau, near, ignored)

    def conclude(self, measured: "BoxOverlaps") -> list[ImageScore]:
        flat, ignored = measured.flat, measured.ignored
        overlaps = flat.by_scene(measured.pairs, measured.sigma, measured.tau, measured.near)
        scores = []
        for at, scene in enumerate(measured.scenes):
            truths, detections_here = flat.slices(at)
            passes = _Passes(
                self,
                flat.ignored_truth[truths].tolist(),
                ignored[detections_here].tolist(),
                least=(self.min_area_recall, self.min_area_precision),
                overlaps=[Overlap(*values) for values in overlaps.get(at, [])],
                counts_overlaps=self._counts_overlaps,
                one_to_one_credit=self.one_to_one_credit,
            )
            passes.run()
            score = _image_score(scene, passes)
            scores.append(self.settled(scene, score, passes.truth_ignored, passes.ignored))
        return scores

    def _near(self, truth: Floats, detections: Floats) -> Floats:
        """Return 1 for centres close enough for a one-to-one match, else 0."""
        gap = np.hypot(*(_centres(truth) - _centres(detections)))
        diagonals = _diagonals(truth) + _diagonals(detections)
        return np.asarray(2.0 * gap / diagonals < self.max_centre_distance, dtype=np.float64)


def shared_areas(flat: Flat, truth: Floats, detections: Floats) -> tuple[Pairs, Floats]:
    """Return the pairs of boxes, of shape (n, 4) each, that share pixels, and how many they share."""
    # Boxes that miss each other by a pixel still touch, since the last pixel is included.
    grown = detections + np.array([-PIXEL, -PIXEL, PIXEL, PIXEL])
    pairs = overlapping_pairs(truth, grown, flat.n_truth, flat.n_detections)
    shared = box_intersections(truth[pairs.truth], detections[pairs.detection], PIXEL)
    return pairs.where(shared > 0), shared[shared > 0]


@dataclass(frozen=True)
class Deteval(Icdar13):
    """As ICDAR13, but a match depends on the number of overlaps.

    One-to-one needs a single overlapping counted detection and truth; a split needs two counted
    detections that overlap the truth (if only one of them is precise enough it counts as
    one-to-one), a merge two counted truths that the detection overlaps. Sums are rounded to four
    decimals. Special cases as in ICDAR13.
    """

    slug: ClassVar[str] = "deteval"
    name: ClassVar[str] = "DETEVAL"
    reference: ClassVar[str] = "WJ06"
    summary: ClassVar[str] = (
        "As ICDAR13, on bounding boxes, distinguishing single overlaps from multiple ones."
    )
    _counts_overlaps: ClassVar[bool] = True


def _centres(boxes: Floats) -> Floats:
    left, top, right, bottom = boxes.T
    return np.array([left + (right - left + PIXEL) / 2.0, top + (bottom - top + PIXEL) / 2.0])


def _diagonals(boxes: Floats) -> Floats:
    left, top, right, bottom = boxes.T
    return np.asarray(np.hypot(right - left + PIXEL, bottom - top + PIXEL))


@dataclass
class _Passes(OverlapPasses):
    """The three passes over one image."""

    # Whether single overlaps are distinguished from multiple ones.
    counts_overlaps: bool = False
    one_to_one_credit: float = 1.0

    def run(self) -> None:
        for overlap in self.overlaps:
            if self.is_free(overlap) and self._one_to_one(overlap):
                self.take([overlap.truth], [overlap.detection], "one-to-one")
        for i in sorted(self.row):
            if not self.truth_ignored[i] and i not in self.matched_truth:
                self._split(i)
        for j in sorted(self.column):
            if not self.ignored[j] and j not in self.matched:
                self._merge(j)

    def credit_of(self, kind: Kind) -> float:
        return self.one_to_one_credit if kind == "one-to-one" else super().credit_of(kind)

    def _one_to_one(self, overlap: Overlap) -> bool:
        if not self.enough(overlap) or not overlap.near:
            return False
        row, column = self.row[overlap.truth], self.column[overlap.detection]
        if sum(map(self.enough, row)) > 1 or sum(map(self.enough, column)) > 1:
            return False
        if not self.counts_overlaps:
            return True
        return self._n_counted_detections(row) == 1 and self._n_counted_truths(column) == 1

    def _n_counted_detections(self, row: Sequence[Overlap]) -> int:
        return sum(not self.ignored[overlap.detection] for overlap in row)

    def _n_counted_truths(self, column: Sequence[Overlap]) -> int:
        return sum(not self.truth_ignored[overlap.truth] for overlap in column)

    def _split(self, i: int) -> None:
        row, (least_sigma, least_tau) = self.row[i], self.least
        parts = [overlap for overlap in row if self.is_free(overlap) and overlap.tau >= least_tau]
        covered = self._rounded(sum(overlap.sigma for overlap in parts))
        if not parts or covered < least_sigma:
            return
        if not self.counts_overlaps:
            self.take([i], [overlap.detection for overlap in parts], "split")
        elif self._n_counted_detections(row) > 1:
            kind: Kind = "split" if len(parts) > 1 else "one-to-one"
            self.take([i], [overlap.detection for overlap in parts], kind)

    def _merge(self, j: int) -> None:
        column, (least_sigma, least_tau) = self.column[j], self.least
        parts = [
            overlap for overlap in column if self.is_free(overlap) and overlap.sigma >= least_sigma
        ]
        covered = self._rounded(sum(overlap.tau for overlap in parts))
        if not parts or covered < least_tau:
            return
        if not self.counts_overlaps or self._n_counted_truths(column) > 1:
            self.take([overlap.truth for overlap in parts], [j], "merge")

    def _rounded(self, total: float) -> float:
        return round(total, 4) if self.counts_overlaps else total

    def unmatched_why(self, side: Side, at: int) -> str:
        is_truth = side == "truth"
        return self.why(
            side,
            at,
            "it overlaps no detection" if is_truth else "it overlaps no truth",
            "it overlaps {partner} enough, but not that one alone, or it was taken".format(
                partner="a detection" if is_truth else "a truth"
            ),
        )


def _image_score(scene: Scene, passes: _Passes) -> ImageScore:
    tally = passes.tally()
    shares: tuple[float, float, float | None]
    if tally.n_truth:
        recall = tally.recalled / tally.n_truth
        precision = tally.precise / tally.n_detections if tally.n_detections else 0.0
        shares = recall, precision, f_score(recall, precision)
    elif scene.detections:
        shares = 1.0, 0.0, 0.0
    elif scene.detections is not None and not scene.truth:
        shares = 1.0, 1.0, 0.0
    else:
        shares = 0.0, 0.0, 0.0
    return passes.image_score(shares, passes.unmatched_why)
