"""TIoU: IOU with each match weighted by its tightness ([L19]_)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from .core import thresholds
from .core.base import Family, ImageScore, OverallScore, Scene, f_score
from .core.credits import CreditProtocol
from .core.geometry import Floats, Indices
from .core.unions import Piece, overlapping_groups, union_areas
from .iou import IouMatching

# A share of this size or less is not a loss.
_LEAST_LOSS: Final = 0.01
_NOISE: Final = 1e-10
_KINDS: Final = ("iou", "siou")


@dataclass(frozen=True)
class Tiou(CreditProtocol):
    """The matches of IOU, each worth its IoU, minus cut-off parts and overlap with other truths.

    With f(x) = 1 for x <= 0.01, else 1 - x, a matched pair (g, d) earns IoU * f(share of g outside
    d) for recall, and IoU * f(share of d on other truths but not on g) for precision. The other
    truths include ignored ones. As in IOU, the order of truths and detections decides the matches
    if several are good enough. Polygons may have any number of points (curved text).

    If there is no counted truth, R = 1, and P is 0 if there are counted detections, else 1; the
    published script stops with an error if such an image comes first. Indicators give the plain IOU
    scores and SIoU, in which a match is worth its IoU alone.
    """

    slug: ClassVar[str] = "tiou"
    family: ClassVar[Family] = "Intersection over union"
    name: ClassVar[str] = "TIoU"
    reference: ClassVar[str] = "L19"
    summary: ClassVar[str] = (
        "IOU whose matches lose credit for what they cut off and for what they take from others."
    )
    depends_on_order: ClassVar[bool] = True
    has_causes: ClassVar[bool] = True

    min_iou: float = thresholds.min_iou()
    max_ignored_share: float = thresholds.max_ignored_share()

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        matching = IouMatching(
            scenes, min_iou=self.min_iou, max_ignored_share=self.max_ignored_share
        )
        recall_credits, precision_credits = _credits(matching)
        scores, start = [], 0
        # Credits of all scenes follow each other, as the matches do.
        for scene, image in zip(scenes, matching.images(), strict=True):
            end = start + len(image.matched)
            ious = [iou for _, _, iou in image.matched]
            indicators: dict[str, float | None] = {}
            for kind, total in (("iou", float(len(ious))), ("siou", sum(ious))):
                recall, precision = image.divided(total, total)
                indicators |= _named(kind, recall, precision) | {f"{kind}_matched": total}
            score = image.score(
                self.min_iou, recall_credits[start:end], precision_credits[start:end], indicators
            )
            scores.append(self.settled(scene, score, image.truth_ignored, image.ignored))
            start = end
        return scores

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        figures = super().overall(scores)
        n_truth = sum(score.tally.n_truth for score in scores)
        n_detections = sum(score.tally.n_detections for score in scores)
        indicators: dict[str, float | None] = {}
        for kind in _KINDS:
            total = sum(score.indicators[f"{kind}_matched"] or 0.0 for score in scores)
            recall = total / n_truth if n_truth else 0.0
            indicators |= _named(kind, recall, total / n_detections if n_detections else 0.0)
        return replace(figures, indicators=indicators)


def _named(kind: str, recall: float, precision: float) -> dict[str, float | None]:
    return {
        f"{kind}_recall": recall,
        f"{kind}_precision": precision,
        f"{kind}_f_score": f_score(recall, precision),
    }


def _credits(matching: IouMatching) -> tuple[list[float], list[float]]:
    """Return the recall and precision credit of every match, in the order of the scenes."""
    flat = matching.flat
    rows = [
        (first_truth + i, first + j, iou)
        for first_truth, first, matched in zip(
            flat.first_truth.tolist(), flat.first_detection.tolist(), matching.matched, strict=True
        )
        for i, j, iou in matched
    ]
    if not rows:
        return [], []
    # From here an array has one entry for each match; regions are numbered over all scenes.
    columns = np.array(rows)
    truth, found = columns[:, 0].astype(np.intp), columns[:, 1].astype(np.intp)
    position = _positions(matching, truth, found)
    shared, areas = matching.shared[position], matching.truth.areas[truth]
    cut_off = (areas - shared) / areas
    taken = _taken_from_others(matching, truth, found)
    iou = columns[:, 2]
    recall = iou * _kept(cut_off)
    precision = iou * _kept(taken / matching.detections.areas[found])
    return recall.tolist(), precision.tolist()


def _kept(loss: Floats) -> Floats:
    return np.where(loss <= _LEAST_LOSS, 1.0, 1.0 - loss)


def _positions(matching: IouMatching, truth: Indices, found: Indices) -> Indices:
    """Return the positions of the matched pairs among all pairs, which are sorted."""
    # Pairs are ordered by truth, then detection, and so are these keys: a binary search finds them.
    n = max(len(matching.flat.detections), 1)
    keys = matching.pairs.truth * n + matching.pairs.detection
    return np.searchsorted(keys, truth * n + found)


def _taken_from_others(matching: IouMatching, truth: Indices, found: Indices) -> Floats:
    """Return the area of each matched detection on other truths but not on its own."""
    # By matched detection: every truth that it shares area with, and how much.
    met: dict[int, list[tuple[int, float]]] = {j: [] for j in found.tolist()}
    positive = matching.shared > 0
    rows = (matching.pairs.truth, matching.pairs.detection, matching.shared)
    for i, j, area in zip(*(column[positive].tolist() for column in rows), strict=True):
        if j in met:
            met[j].append((i, area))
    # By match that meets other truths too: its own truth, then the others.
    groups = {
        at: [i, *(other for other, _ in met[j] if other != i)]
        for at, (i, j) in enumerate(zip(truth.tolist(), found.tolist(), strict=True))
        if len(met[j]) > 1
    }
    taken = np.zeros(len(truth))
    for at, (i, *_) in groups.items():
        taken[at] = sum(area for other, area in met[int(found[at])] if other != i)
    # If these truths overlap each other, their areas do not add up: take the area on any of them
    # minus that on its own truth.
    crowded = overlapping_groups(matching.truth, groups)
    pieces = [Piece((matching.truth, groups[at])) for at in crowded]
    on_any = union_areas(pieces, (matching.detections, found[crowded].tolist()))
    for at, area in zip(crowded, on_any.tolist(), strict=True):
        taken[at] = area - dict(met[int(found[at])])[int(truth[at])]
    return np.where(taken > _NOISE, taken, 0.0)
