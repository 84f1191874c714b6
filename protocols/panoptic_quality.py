"""Panoptic quality of words, lines and paragraphs, as HierText scores them ([L22]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Final

import numpy as np

from .core import thresholds
from .core.base import (
    Family,
    ImageScore,
    OverallScore,
    Scene,
    Variant,
    choice,
    f_score,
    parameter,
)
from .core.credits import CreditProtocol
from .core.fitting import differ
from .core.groups import Groups
from .iou import Image, IouMatching

# As published: added to areas before dividing by them.
_EPSILON: Final = 1e-5


@dataclass(frozen=True)
class PanopticQuality(CreditProtocol):
    """Pair regions that are each other's best, and credit each pair with its IoU.

    A counted truth and a counted detection match if their IoU is the largest of either, and at
    least ``min_iou``; of equal ones the first in order counts. A detection with at least
    ``max_ignored_share`` of it in one ignored truth is ignored. Recall is the sum of IoU over the
    counted truths, precision over the counted detections, so that the F-score is the panoptic
    quality: the mean IoU of the matches (tightness) times the F-score that counts each match once.

    ``level`` = lines compares lines: words with the same parent, as the pixels that they cover
    together (``core.masks.filled_pixels``). ``level`` = paragraphs compares the words of all lines
    whose ids have the same beginning, up to the last dot. If the ground truth has lines and
    paragraphs of its own (``Scene.parents``), these say what is ignored, and one without words, or a
    paragraph that is ignored, is the pixels of its own outline; else a line is ignored if all its
    words are. With ``same_text`` a pair whose texts differ counts for neither side.

    Without counted truth recall is 1; without counted detections precision is 1.
    """

    slug: ClassVar[str] = "panoptic-quality"
    family: ClassVar[Family] = "Intersection over union"
    name: ClassVar[str] = "Panoptic quality"
    reference: ClassVar[str] = "L22"
    summary: ClassVar[str] = "Regions that are each other's best match, each worth its IoU."
    depends_on_order: ClassVar[bool] = True
    variants: ClassVar[Mapping[str, Variant]] = {
        "lines": Variant({"level": "lines"}, "HierText, lines"),
        "paragraphs": Variant({"level": "paragraphs"}, "HierText, paragraphs"),
        "end-to-end": Variant({"same_text": True}, "HierText, end to end"),
    }

    min_iou: float = thresholds.min_iou("a pair needs this IoU or more")
    max_ignored_share: float = thresholds.max_ignored_share(
        "a detection with this share or more inside an ignored truth is ignored"
    )
    level: str = choice("words", "lines", "paragraphs", says="what is compared")
    same_text: bool = parameter(
        False, says="a pair counts only if both regions have the same text", reads="text"
    )

    @property
    def reads_sizes(self) -> bool:
        return self.level != "words"

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        if self.level == "words":
            matching = IouMatching(
                scenes,
                min_iou=self.min_iou,
                max_ignored_share=self.max_ignored_share,
                matching="mutual",
                whole=False,
                epsilon=_EPSILON,
            )
            return [
                self._scored(scene, image)
                for scene, image in zip(scenes, matching.images(), strict=True)
            ]
        scores = []
        for scene in scenes:
            groups = Groups.of(scene, self.level)
            score = self._scored(groups.scene, self._matched(groups))
            scores.append(groups.of_words(score))
        return scores

    def _matched(self, groups: Groups) -> Image:
        """Return the matching of the masks of an image, in single precision as published."""
        shared = groups.shared().astype(np.float32)
        of_truth, of_found = (
            np.array([len(group.pixels) for group in side], dtype=np.float32)
            for side in (groups.truth, groups.detections)
        )
        out = np.array([group.ignored for group in groups.truth], dtype=bool)
        inside = shared / (of_found + np.float32(_EPSILON))
        ignored = (inside[out] >= self.max_ignored_share).any(axis=0)
        union = of_truth[:, np.newaxis] + of_found - shared
        iou = np.where(out[:, np.newaxis] | ignored, np.float32(0), shared / np.maximum(union, 1))
        matched = []
        best, best_of_found = (np.argmax(iou, axis=axis) if iou.size else () for axis in (1, 0))
        for i, j in enumerate(best):
            if not out[i] and iou[i, j] >= self.min_iou and best_of_found[j] == i:
                matched.append((i, int(j), float(iou[i, j])))
        return Image(
            out.tolist(),
            ignored.tolist(),
            iou.max(axis=1, initial=0).tolist(),
            iou.max(axis=0, initial=0).tolist(),
            matched,
            at_least=True,
        )

    def _scored(self, scene: Scene, image: Image) -> ImageScore:
        if self.same_text:
            image = image.agreeing(partial(_other_text, scene))
        n_matched = len(image.matched)
        recall = n_matched / image.n_truth if image.n_truth else 1.0
        precision = n_matched / image.n_detections if image.n_detections else 1.0
        credits = [iou for _, _, iou in image.matched]
        indicators = {
            "tightness": sum(credits) / n_matched if n_matched else None,
            "n_matched": float(n_matched),
            "counted_recall": recall,
            "counted_precision": precision,
            "counted_f_score": f_score(recall, precision),
        }
        score = image.score(self.min_iou, credits, credits, indicators)
        score = self.settled(scene, score, image.truth_ignored, image.ignored)
        if self.empty_precision == "published" and not image.n_detections:
            score = replace(score, precision=1.0, f_score=f_score(score.recall, 1.0))
        return score

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        figures = super().overall(scores)
        if not any(score.tally.n_truth for score in scores):
            figures = replace(figures, recall=1.0)
        if self.empty_precision == "published" and not any(
            score.tally.n_detections for score in scores
        ):
            figures = replace(figures, precision=1.0)
        n_matched = sum(score.indicators["n_matched"] or 0.0 for score in scores)
        credits = sum(
            (score.indicators["n_matched"] or 0.0) * (score.indicators["tightness"] or 0.0)
            for score in scores
        )
        return replace(
            figures,
            f_score=f_score(figures.recall, figures.precision),
            indicators={"tightness": credits / n_matched if n_matched else None},
        )


def _other_text(scene: Scene, i: int, j: int) -> str:
    expected, read = scene.truth[i].text, (scene.detections or ())[j].text or ""
    if not differ(expected, read):
        return ""
    return f"read {read!r} where the text is {expected!r}"
