"""DetEval as its authors' own tool computes it ([WJ06]_); the competition's is ``deteval``."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .core import thresholds
from .core.base import Family, ImageScore, Kind, Scene, Side, f_score, parameter
from .core.credits import CreditProtocol
from .core.geometry import box_areas, boxes_of
from .core.matching import flatten
from .core.passes import Overlap, OverlapPasses
from .deteval import PIXEL, shared_areas


@dataclass(frozen=True)
class DetevalWolf(CreditProtocol):
    """One-to-one, split and merge matches, all of which depend on the number of overlaps.

    As DETEVAL, but: splits and merges cost the same (a merge earns 0.8 for each of its truths and
    for its detection), a one-to-one match needs a single overlapping detection and a single
    overlapping truth, centres and their distance are truncated to whole numbers, shares are added
    in single precision and not rounded. If only one part of a split or a merge is good enough, it
    is a one-to-one match if both shares suffice. The order of truths and detections decides which
    of several possible matches a region joins.

    The tool has no ignored truths: they are removed beforehand, and detections on them count. An
    image with one empty side scores 0, with two empty sides 1.
    """

    slug: ClassVar[str] = "deteval-wolf"
    family: ClassVar[Family] = "Shares of areas"
    name: ClassVar[str] = "DetEval (Wolf)"
    reference: ClassVar[str] = "WJ06"
    summary: ClassVar[str] = "DetEval on bounding boxes, as its authors' tool computes it."
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
        pairs, shared = shared_areas(flat, truth, detections)
        keep = ~flat.ignored_truth[pairs.truth]
        pairs, shared = pairs.where(keep), shared[keep].astype(np.float32)
        sigma = shared / box_areas(truth, PIXEL)[pairs.truth].astype(np.float32)
        tau = shared / box_areas(detections, PIXEL)[pairs.detection].astype(np.float32)
        # The authors' program measures in single precision, which matters at the thresholds.
        least = float(np.float32(self.min_area_recall)), float(np.float32(self.min_area_precision))
        overlaps = flat.by_scene(pairs, sigma, tau)
        scores = []
        for at, scene in enumerate(scenes):
            truths, detections_here = flat.slices(at)
            passes = _Passes(
                self,
                flat.ignored_truth[truths].tolist(),
                [False] * len(scene.detections or ()),
                least=least,
                overlaps=[Overlap(*values) for values in overlaps.get(at, [])],
                max_centre_distance=self.max_centre_distance,
                truth_boxes=truth[truths].tolist(),
                boxes=detections[detections_here].tolist(),
            )
            passes.run()
            score = passes.score()
            scores.append(self.settled(scene, score, passes.truth_ignored, passes.ignored))
        return scores


_Box = Sequence[float]


@dataclass
class _Passes(OverlapPasses):
    """The three passes over one image."""

    max_centre_distance: float = 1.0
    truth_boxes: Sequence[_Box] = ()
    boxes: Sequence[_Box] = ()

    def run(self) -> None:
        least_sigma, least_tau = self.least
        for overlap in self.overlaps:
            if self._alone(overlap) and self.enough(overlap) and self._near(overlap):
                self.take([overlap.truth], [overlap.detection], "one-to-one")
        for i in sorted(self.row):
            if i not in self.matched_truth and len(self.row[i]) > 1:
                parts = [one for one in self.row[i] if self.is_free(one) and one.tau >= least_tau]
                if _total(overlap.sigma for overlap in parts) >= least_sigma:
                    self._take_parts(parts, "split")
        for j in sorted(self.column):
            if j not in self.matched and len(self.column[j]) > 1:
                parts = [
                    one for one in self.column[j] if self.is_free(one) and one.sigma >= least_sigma
                ]
                if _total(overlap.tau for overlap in parts) >= least_tau:
                    self._take_parts(parts, "merge")

    def _alone(self, overlap: Overlap) -> bool:
        return len(self.row[overlap.truth]) == 1 and len(self.column[overlap.detection]) == 1

    def _near(self, overlap: Overlap) -> bool:
        truth, detection = self.truth_boxes[overlap.truth], self.boxes[overlap.detection]
        gap = int(math.dist(_centre(truth), _centre(detection)))
        diagonals = _diagonal(truth) + _diagonal(detection)
        return 2.0 * gap / diagonals < self.max_centre_distance

    def _take_parts(self, parts: list[Overlap], kind: Kind) -> None:
        if len(parts) > 1 or (parts and self.enough(parts[0])):
            truths = [overlap.truth for overlap in parts]
            detections = [overlap.detection for overlap in parts]
            self.take(truths, detections, kind if len(parts) > 1 else "one-to-one")

    def score(self) -> ImageScore:
        tally = self.tally()
        if tally.n_truth and tally.n_detections:
            recall, precision = tally.recalled / tally.n_truth, tally.precise / tally.n_detections
        else:
            recall = precision = float(tally.n_truth == tally.n_detections)
        shares = recall, precision, f_score(recall, precision)
        return self.image_score(shares, self._unmatched_why, counts_ignored=False)

    def _unmatched_why(self, side: Side, at: int) -> str:
        return self.why(
            side,
            at,
            "it overlaps nothing",
            "its best partner overlaps others too, or was taken, or its centre is too far",
        )


def _total(shares: Iterable[float]) -> float:
    """Return the sum, added in single precision in the given order."""
    total = np.float32(0.0)
    for share in shares:
        total += np.float32(share)
    return float(total)


def _centre(box: _Box) -> tuple[int, int]:
    left, top, right, bottom = box
    return int(left + (right - left + PIXEL) / 2.0), int(top + (bottom - top + PIXEL) / 2.0)


def _diagonal(box: _Box) -> float:
    left, top, right, bottom = box
    return math.hypot(right - left + PIXEL, bottom - top + PIXEL)
