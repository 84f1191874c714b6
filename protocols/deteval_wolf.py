"""DetEval as its authors' own tool computes it ([WJ06]_); the competition's is ``deteval``."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from text_rankings.base.i18n import Message

from .core import thresholds
from .core.base import Family, ImageScore, Kind, Match, Scene, Side, Tally, f_score, parameter
from .core.credits import CreditProtocol
from .core.geometry import box_areas, box_intersections, boxes_of, overlapping_pairs
from .core.matching import flatten, kinds_of, unmatched_of
from .deteval import PIXEL


@dataclass(frozen=True)
class DetevalWolf(CreditProtocol):
    """One-to-one, split and merge matches, all of which know how many overlaps there are.

    As DETEVAL, but: splits and merges cost the same (a merge earns 0.8 for each of its truths and
    for its detection), a one-to-one match needs a single overlapping detection and a single
    overlapping truth, centres and their distance are cut to whole numbers, areas are added in
    single precision and not rounded. If only one part of a split or a merge is good enough, it is a
    one-to-one match if both shares suffice. The order of truths and detections decides who takes
    part in several possible matches.

    The tool knows no ignored truths: they are left out before, and detections on them count. An
    image with one empty side scores 0, with two empty sides 1.
    """

    slug: ClassVar[str] = "deteval-wolf"
    family: ClassVar[Family] = "Shares of areas"
    name: ClassVar[str] = "DetEval (Wolf)"
    reference: ClassVar[str] = "WJ06"
    summary: ClassVar[str] = "DetEval on bounding boxes, as the tool of its authors computes it."
    measures_boxes: ClassVar[bool] = True
    depends_on_order: ClassVar[bool] = True
    has_causes: ClassVar[bool] = True

    min_area_recall: float = thresholds.min_area_recall(0.8)
    min_area_precision: float = thresholds.min_area_precision(0.4)
    max_centre_distance: float = thresholds.max_centre_distance()
    split_credit: float = parameter(
        0.8, says="credit of a truth, and of each detection, of a split"
    )
    merge_credit: float = parameter(
        0.8, says="credit of each truth, and of the detection, of a merge"
    )

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        flat = flatten(scenes)
        truth, detections = boxes_of(flat.truth), boxes_of(flat.detections)
        grown = detections + np.array([-PIXEL, -PIXEL, PIXEL, PIXEL])
        pairs = overlapping_pairs(truth, grown, flat.n_truth, flat.n_detections)
        shared = box_intersections(truth[pairs.truth], detections[pairs.detection], PIXEL)
        keep = (shared > 0) & ~flat.ignored_truth[pairs.truth]
        # The authors' program measures in single precision, which decides at the thresholds.
        pairs, shared = pairs.where(keep), shared[keep].astype(np.float32)
        sigma = shared / box_areas(truth, PIXEL)[pairs.truth].astype(np.float32)
        tau = shared / box_areas(detections, PIXEL)[pairs.detection].astype(np.float32)
        overlaps = flat.by_scene(pairs, sigma, tau)
        scores = []
        for at, scene in enumerate(scenes):
            truths, detections_here = flat.slices(at)
            image = _Image(
                self,
                [_Overlap(*values) for values in overlaps.get(at, [])],
                truth[truths].tolist(),
                detections[detections_here].tolist(),
                flat.ignored_truth[truths].tolist(),
            )
            image.match()
            score = image.score()
            n_detections = len(scene.detections or ())
            scores.append(self.settled(scene, score, image.truth_ignored, [False] * n_detections))
        return scores


_Box = Sequence[float]


@dataclass(frozen=True, slots=True)
class _Overlap:
    truth: int
    detection: int
    sigma: np.float32
    tau: np.float32


@dataclass
class _Image:
    """The three passes over one image."""

    protocol: DetevalWolf
    overlaps: list[_Overlap]
    truth_boxes: list[_Box]
    boxes: list[_Box]
    truth_ignored: list[bool]
    matches: list[Match] = field(default_factory=list)
    _row: dict[int, list[_Overlap]] = field(default_factory=lambda: defaultdict(list))
    _column: dict[int, list[_Overlap]] = field(default_factory=lambda: defaultdict(list))
    _matched_truth: set[int] = field(default_factory=set)
    _matched: set[int] = field(default_factory=set)

    def match(self) -> None:
        for overlap in self.overlaps:
            self._row[overlap.truth].append(overlap)
            self._column[overlap.detection].append(overlap)
        for overlap in self.overlaps:
            if self._alone(overlap) and self._enough(overlap) and self._near(overlap):
                self._take([overlap], "one-to-one")
        for i in sorted(self._row):
            if i not in self._matched_truth and len(self._row[i]) > 1:
                parts = [
                    overlap
                    for overlap in self._free(self._row[i])
                    if overlap.tau >= np.float32(self.protocol.min_area_precision)
                ]
                covered = _total(overlap.sigma for overlap in parts)
                if covered >= np.float32(self.protocol.min_area_recall):
                    self._take_parts(parts, "split")
        for j in sorted(self._column):
            if j not in self._matched and len(self._column[j]) > 1:
                parts = [
                    overlap
                    for overlap in self._free(self._column[j])
                    if overlap.sigma >= np.float32(self.protocol.min_area_recall)
                ]
                covered = _total(overlap.tau for overlap in parts)
                if covered >= np.float32(self.protocol.min_area_precision):
                    self._take_parts(parts, "merge")

    def _alone(self, overlap: _Overlap) -> bool:
        return len(self._row[overlap.truth]) == 1 and len(self._column[overlap.detection]) == 1

    def _enough(self, overlap: _Overlap) -> bool:
        return bool(
            overlap.sigma >= np.float32(self.protocol.min_area_recall)
            and overlap.tau >= np.float32(self.protocol.min_area_precision)
        )

    def _near(self, overlap: _Overlap) -> bool:
        truth, detection = self.truth_boxes[overlap.truth], self.boxes[overlap.detection]
        gap = int(math.dist(_centre(truth), _centre(detection)))
        diagonals = _diagonal(truth) + _diagonal(detection)
        return 2.0 * gap / diagonals < self.protocol.max_centre_distance

    def _free(self, overlaps: Iterable[_Overlap]) -> list[_Overlap]:
        return [
            overlap
            for overlap in overlaps
            if overlap.truth not in self._matched_truth and overlap.detection not in self._matched
        ]

    def _take_parts(self, parts: list[_Overlap], kind: Kind) -> None:
        if len(parts) > 1:
            self._take(parts, kind)
        elif parts and self._enough(parts[0]):
            self._take(parts, "one-to-one")

    def _take(self, parts: list[_Overlap], kind: Kind) -> None:
        truths = tuple(dict.fromkeys(overlap.truth for overlap in parts))
        detections = tuple(dict.fromkeys(overlap.detection for overlap in parts))
        credit = {
            "split": self.protocol.split_credit,
            "merge": self.protocol.merge_credit,
        }.get(kind, 1.0)
        self._matched_truth.update(truths)
        self._matched.update(detections)
        self.matches.append(
            Match(truths, detections, kind, credit * len(truths), credit * len(detections))
        )

    def score(self) -> ImageScore:
        n_truth, n_detections = self.truth_ignored.count(False), len(self.boxes)
        recalled = math.fsum(match.recall_credit for match in self.matches)
        precise = math.fsum(match.precision_credit for match in self.matches)
        if n_truth and n_detections:
            recall, precision = recalled / n_truth, precise / n_detections
        else:
            recall = precision = float(n_truth == n_detections)
        return ImageScore(
            recall,
            precision,
            f_score(recall, precision),
            Tally(recalled, n_truth, precise, n_detections),
            tuple(self.matches),
            unmatched_of(
                self.truth_ignored,
                [False] * n_detections,
                self._matched_truth,
                self._matched,
                self._why,
            ),
            kinds_of(self.matches),
        )

    def _why(self, side: Side, at: int) -> str:
        overlaps = (self._row if side == "truth" else self._column).get(at, [])
        if not overlaps:
            return Message("it overlaps nothing")
        best = max(overlaps, key=lambda overlap: min(overlap.sigma, overlap.tau))
        if self._enough(best):
            return Message(
                "its best partner overlaps others too, or was taken, or its centre is too far"
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


def _total(shares: Iterable[np.float32]) -> np.float32:
    total = np.float32(0.0)
    for share in shares:
        total += share
    return total


def _centre(box: _Box) -> tuple[int, int]:
    left, top, right, bottom = box
    return int(left + (right - left + PIXEL) / 2.0), int(top + (bottom - top + PIXEL) / 2.0)


def _diagonal(box: _Box) -> float:
    left, top, right, bottom = box
    return math.hypot(right - left + PIXEL, bottom - top + PIXEL)
