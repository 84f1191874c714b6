"""Panoptic quality of words and lines, as HierText scores them ([L22]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import ClassVar

import numpy as np
import shapely
from numpy.typing import NDArray

from text_rankings.base.i18n import Message

from .core import thresholds
from .core.base import (
    Family,
    ImageScore,
    Kind,
    Match,
    OverallScore,
    Scene,
    Unmatched,
    Variant,
    choice,
    f_score,
    parameter,
)
from .core.credits import CreditProtocol
from .core.geometry import Shapes
from .core.regions import Region
from .iou import Image, IouMatching

# Pixel numbers per row, and the position of column 0 among them.
_ROW, _ORIGIN = 2**32, 2**31
# An outline without area, with which nothing is matched.
_NOWHERE = Region.from_box(0, 0, 0, 0)


@dataclass(frozen=True)
class PanopticQuality(CreditProtocol):
    """Pair regions that are each other's best, and credit each pair with its IoU.

    A counted truth and a counted detection match if their IoU is the largest of either, and above
    ``min_iou``; of equal ones the first in order counts. A detection with a larger share than
    ``max_ignored_share`` in one ignored truth is ignored. Recall is the sum of IoU over the
    counted truths, precision over the counted detections, so that the F-score is the panoptic
    quality: the mean IoU of the matches (tightness) times the F-score that counts each match once.

    ``level`` = lines compares lines: words with the same parent, as the pixels that they cover
    together. A line is ignored if its parent is or, if it has no parent, if all its words are. With
    ``same_text`` a pair whose texts differ counts for neither side.

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
        "end-to-end": Variant({"same_text": True}, "HierText, end to end"),
    }

    min_iou: float = thresholds.min_iou()
    max_ignored_share: float = thresholds.max_ignored_share()
    level: str = choice("words", "lines", says="what is compared")
    same_text: bool = parameter(False, says="a pair counts only if both regions have the same text")

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        lines = [_lines(scene) for scene in scenes] if self.level == "lines" else None
        compared = [line.scene for line in lines] if lines else list(scenes)
        matching = IouMatching(
            compared,
            min_iou=self.min_iou,
            max_ignored_share=self.max_ignored_share,
            matching="mutual",
            whole=False,
            masks=lines is not None,
        )
        scores = []
        for at, (scene, image) in enumerate(zip(compared, matching.images(), strict=True)):
            score = self._scored(scene, image)
            scores.append(lines[at].of_words(score) if lines else score)
        return scores

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
    expected, read = scene.truth[i].text or "", (scene.detections or ())[j].text or ""
    return (
        ""
        if expected == read
        else Message(
            "read {read} where the text is {expected}", read=repr(read), expected=repr(expected)
        )
    )


@dataclass(frozen=True, slots=True)
class _Lines:
    """A scene of lines as masks, and the words of the original scene in each line."""

    scene: Scene
    truth: Sequence[Sequence[int]]
    detections: Sequence[Sequence[int]]

    def of_words(self, score: ImageScore) -> ImageScore:
        """Return a score of lines with its matches and reasons expressed in words of the scene."""
        matches = []
        for match in score.matches:
            truth = tuple(chain.from_iterable(self.truth[i] for i in match.truth))
            found = tuple(chain.from_iterable(self.detections[j] for j in match.detections))
            several = len(truth) > 1 or len(found) > 1
            kind: Kind = "many-to-many" if several else "one-to-one"
            matches.append(Match(truth, found, kind, match.recall_credit, match.precision_credit))
        unmatched = [
            Unmatched(one.side, word, one.reason)
            for one in score.unmatched
            for word in (self.truth if one.side == "truth" else self.detections)[one.index]
        ]
        return replace(score, matches=tuple(matches), unmatched=tuple(unmatched))


def _lines(scene: Scene) -> _Lines:
    size = (scene.width, scene.height)
    truth_words = _by_line(scene.truth)
    truth = []
    for words in truth_words:
        members = [scene.truth[at] for at in words]
        parent = scene.parents.get(members[0].parent or "")
        ignored = parent.ignored if parent else all(word.ignored for word in members)
        truth.append(replace(_line(members, size), ignored=ignored))
    found_words = _by_line(scene.detections or ())
    found = [_line([(scene.detections or ())[at] for at in words], size) for words in found_words]
    detections = None if scene.detections is None else tuple(found)
    return _Lines(
        replace(scene, truth=tuple(truth), detections=detections), truth_words, found_words
    )


def _by_line(words: Sequence[Region]) -> list[list[int]]:
    """Return the words of each line in their order; a word without a parent is a line."""
    lines: dict[str | int, list[int]] = {}
    for at, word in enumerate(words):
        lines.setdefault(at if word.parent is None else word.parent, []).append(at)
    return list(lines.values())


def _line(words: Sequence[Region], size: tuple[float | None, float | None]) -> Region:
    """Return a line as the mask of all pixels that its words cover, with their texts."""
    text = " ".join(word.text or "" for word in words)
    # One number for each pixel, so that neighbours in a row follow each other.
    pixels = np.unique(np.concatenate([_pixels(word, size) for word in words]))
    if not len(pixels):
        return replace(_NOWHERE, text=text)
    ends = np.flatnonzero(np.diff(pixels) != 1)
    first, last = pixels[np.r_[0, ends + 1]], pixels[np.r_[ends, len(pixels) - 1]]
    runs = tuple(
        (start // _ROW, start % _ROW - _ORIGIN, end % _ROW - _ORIGIN + 1)
        for start, end in zip(first.tolist(), last.tolist(), strict=True)
    )
    left, right = min(run[1] for run in runs), max(run[2] for run in runs)
    return Region.from_box(left, runs[0][0], right, runs[-1][0] + 1, text=text, pixels=runs)


def _pixels(word: Region, size: tuple[float | None, float | None]) -> NDArray[np.int64]:
    """Return the numbers of the pixels whose point is in a word or on its outline."""
    left, top, right, bottom = word.box
    width, height = size
    columns = np.arange(np.ceil(left), np.floor(right) + 1)
    rows = np.arange(np.ceil(top), np.floor(bottom) + 1)
    # A mask ends where its image does.
    columns = columns[(columns >= 0) & (columns < width)] if width else columns
    rows = rows[(rows >= 0) & (rows < height)] if height else rows
    x, y = (side.ravel() for side in np.meshgrid(columns, rows))
    if not word.is_rectangle:
        [polygon] = Shapes([word]).polygons(np.array([0]))
        shapely.prepare(polygon)
        inside = shapely.intersects_xy(polygon, x, y)
        x, y = x[inside], y[inside]
    return np.asarray(y.astype(np.int64) * _ROW + x.astype(np.int64) + _ORIGIN)
