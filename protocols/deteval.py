"""DETEVAL and ICDAR13 as the Robust Reading Competition computes them (Challenge 2, [WJ06]_, [K13]_)."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from text_rankings.base.i18n import Message

from .core import thresholds
from .core.base import (
    Family,
    ImageScore,
    Kind,
    Match,
    Scene,
    Side,
    Tally,
    Unmatched,
    f_score,
    parameter,
)
from .core.credits import CreditProtocol
from .core.geometry import Floats, box_areas, box_intersections, boxes_of, overlapping_pairs
from .core.matching import flatten, ignored_detections, kinds_of, unmatched_of

# The last pixel is included in a box: a box from 0 to 99 is 100 wide.
PIXEL = 1.0


@dataclass(frozen=True)
class Icdar13(CreditProtocol):
    """One-to-one, split and merge matches by area recall and area precision of boxes.

    With sigma = shared area / truth area and tau = shared area / detection area, three passes over
    the unmatched regions, each in file order: pairs that are enough for each other alone
    (one-to-one), truths covered by several detections (split), detections that cover several truths
    (merge). A region that is not an upright rectangle counts as its bounding box. The order of the
    lines matters, as published.

    A split of a single detection counts as a split, so that of two words under one box one is
    found with a credit of 0.8 (DETEVAL says otherwise).

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
        flat = flatten(scenes)
        truth, detections = boxes_of(flat.truth), boxes_of(flat.detections)
        # Boxes that miss each other by a pixel still touch, since the last pixel is included.
        grown = detections + np.array([-PIXEL, -PIXEL, PIXEL, PIXEL])
        pairs = overlapping_pairs(truth, grown, flat.n_truth, flat.n_detections)
        shared = box_intersections(truth[pairs.truth], detections[pairs.detection], PIXEL)
        pairs, shared = pairs.where(shared > 0), shared[shared > 0]
        # For each pair the share of its truth, then of its detection, and whether they are near.
        sigma = shared / box_areas(truth, PIXEL)[pairs.truth]
        tau = shared / box_areas(detections, PIXEL)[pairs.detection]
        near = self._near(truth[pairs.truth], detections[pairs.detection])
        ignored = ignored_detections(flat, pairs, tau, self.min_area_precision)
        overlaps = flat.by_scene(pairs, sigma, tau, near)
        scores = []
        for at, scene in enumerate(scenes):
            truths, detections_here = flat.slices(at)
            passes = _Passes(
                self,
                [_Overlap(i, j, *values) for i, j, *values in overlaps.get(at, [])],
                flat.ignored_truth[truths].tolist(),
                ignored[detections_here].tolist(),
                self._counts_overlaps,
            )
            passes.run()
            score = _image_score(scene, passes)
            scores.append(self.settled(scene, score, passes.truth_ignored, passes.ignored))
        return scores

    def _near(self, truth: Floats, detections: Floats) -> Floats:
        """Return (1 or 0) whether the centres are close enough for a one-to-one match."""
        gap = np.hypot(*(_centres(truth) - _centres(detections)))
        diagonals = _diagonals(truth) + _diagonals(detections)
        return np.asarray(2.0 * gap / diagonals < self.max_centre_distance, dtype=np.float64)


@dataclass(frozen=True)
class Deteval(Icdar13):
    """As ICDAR13, but a match must know how many overlaps it has.

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


@dataclass(frozen=True, slots=True)
class _Overlap:
    """A truth and a detection of one image that share area."""

    truth: int
    detection: int
    sigma: float
    tau: float
    near: float


@dataclass
class _Passes:
    """The three passes over one image."""

    protocol: Icdar13
    overlaps: list[_Overlap]
    truth_ignored: list[bool]
    ignored: list[bool]
    counts_overlaps: bool
    matches: list[Match] = field(default_factory=list)
    _row: dict[int, list[_Overlap]] = field(default_factory=lambda: defaultdict(list))
    _column: dict[int, list[_Overlap]] = field(default_factory=lambda: defaultdict(list))
    _matched_truth: set[int] = field(default_factory=set)
    _matched: set[int] = field(default_factory=set)

    def run(self) -> None:
        for overlap in self.overlaps:
            self._row[overlap.truth].append(overlap)
            self._column[overlap.detection].append(overlap)
        for column in self._column.values():
            column.sort(key=lambda overlap: overlap.truth)
        for overlap in self.overlaps:
            if self._free(overlap) and self._one_to_one(overlap):
                self._match([overlap.truth], [overlap.detection], "one-to-one")
        for i in sorted(self._row):
            if not self.truth_ignored[i] and i not in self._matched_truth:
                self._split(i)
        for j in sorted(self._column):
            if not self.ignored[j] and j not in self._matched:
                self._merge(j)

    def _free(self, overlap: _Overlap) -> bool:
        return not (
            self.truth_ignored[overlap.truth]
            or self.ignored[overlap.detection]
            or overlap.truth in self._matched_truth
            or overlap.detection in self._matched
        )

    def _one_to_one(self, overlap: _Overlap) -> bool:
        if not self._enough(overlap) or not overlap.near:
            return False
        row, column = self._row[overlap.truth], self._column[overlap.detection]
        if sum(map(self._enough, row)) > 1 or sum(map(self._enough, column)) > 1:
            return False
        if not self.counts_overlaps:
            return True
        return self._n_counted_detections(row) == 1 and self._n_counted_truths(column) == 1

    def _enough(self, overlap: _Overlap) -> bool:
        return (
            overlap.sigma >= self.protocol.min_area_recall
            and overlap.tau >= self.protocol.min_area_precision
        )

    def _n_counted_detections(self, row: Sequence[_Overlap]) -> int:
        return sum(not self.ignored[overlap.detection] for overlap in row)

    def _n_counted_truths(self, column: Sequence[_Overlap]) -> int:
        return sum(not self.truth_ignored[overlap.truth] for overlap in column)

    def _split(self, i: int) -> None:
        row = self._row[i]
        parts = [
            overlap
            for overlap in row
            if self._free(overlap) and overlap.tau >= self.protocol.min_area_precision
        ]
        covered = self._rounded(sum(overlap.sigma for overlap in parts))
        if not parts or covered < self.protocol.min_area_recall:
            return
        if not self.counts_overlaps:
            self._match([i], [overlap.detection for overlap in parts], "split")
        elif self._n_counted_detections(row) > 1:
            kind: Kind = "split" if len(parts) > 1 else "one-to-one"
            self._match([i], [overlap.detection for overlap in parts], kind)

    def _merge(self, j: int) -> None:
        column = self._column[j]
        parts = [
            overlap
            for overlap in column
            if self._free(overlap) and overlap.sigma >= self.protocol.min_area_recall
        ]
        covered = self._rounded(sum(overlap.tau for overlap in parts))
        if not parts or covered < self.protocol.min_area_precision:
            return
        if not self.counts_overlaps or self._n_counted_truths(column) > 1:
            self._match([overlap.truth for overlap in parts], [j], "merge")

    def _rounded(self, total: float) -> float:
        return round(total, 4) if self.counts_overlaps else total

    def _match(self, truths: list[int], detections: list[int], kind: Kind) -> None:
        credit = {
            "one-to-one": self.protocol.one_to_one_credit,
            "split": self.protocol.split_credit,
            "merge": self.protocol.merge_credit,
        }[kind]
        self._matched_truth.update(truths)
        self._matched.update(detections)
        self.matches.append(
            Match(
                tuple(truths),
                tuple(detections),
                kind,
                credit * len(truths),
                credit * len(detections),
            )
        )

    def unmatched(self) -> tuple[Unmatched, ...]:
        return unmatched_of(
            self.truth_ignored, self.ignored, self._matched_truth, self._matched, self._why
        )

    def _why(self, side: Side, at: int) -> str:
        overlaps, partner = (
            (self._row.get(at, []), "a detection")
            if side == "truth"
            else (self._column.get(at, []), "a truth")
        )
        if not overlaps:
            is_truth = partner == "a detection"
            return (
                Message("it overlaps no detection") if is_truth else Message("it overlaps no truth")
            )
        best = max(overlaps, key=lambda overlap: min(overlap.sigma, overlap.tau))
        if self._enough(best):
            return Message(
                "it overlaps {partner} enough, but not that one alone, or it was taken",
                partner=partner,
            )
        return Message(
            "with its best partner it shares {sigma:.3f} of the truth and {tau:.3f} of the "
            "detection; needed are {min_area_recall:g} of the truth and "
            "{min_area_precision:g} of the detection",
            sigma=best.sigma,
            tau=best.tau,
            min_area_recall=self.protocol.min_area_recall,
            min_area_precision=self.protocol.min_area_precision,
        )


def _image_score(scene: Scene, passes: _Passes) -> ImageScore:
    n_truth = passes.truth_ignored.count(False)
    n_detections = passes.ignored.count(False)
    recalled = math.fsum(match.recall_credit for match in passes.matches)
    precise = math.fsum(match.precision_credit for match in passes.matches)
    score: float | None
    if n_truth:
        recall = recalled / n_truth
        precision = precise / n_detections if n_detections else 0.0
        score = f_score(recall, precision)
    elif scene.detections:
        recall, precision, score = 1.0, 0.0, 0.0
    elif scene.detections is not None and not scene.truth:
        recall, precision, score = 1.0, 1.0, 0.0
    else:
        recall, precision, score = 0.0, 0.0, 0.0
    return ImageScore(
        recall,
        precision,
        score,
        Tally(recalled, n_truth, precise, n_detections),
        tuple(passes.matches),
        passes.unmatched(),
        {
            **kinds_of(passes.matches),
            "n_ignored_truth": passes.truth_ignored.count(True),
            "n_ignored_detections": passes.ignored.count(True),
        },
    )
