"""Simulated annotators: a judge that looks at marked words and answers with noise.

A judge's opinion of a result (``quality``) uses no protocol under study: no overlap threshold, no
matching of boxes, no count of found words. Areas are in square pixels. The area of ignored ground
truth is removed from the marked area.

Recall: the share of the text that can be read inside the boxes.
    c(w) = area of word w inside the union of the boxes / area of w
    r(w) = 0 if c <= 0.2, 1 if c >= 0.9, (c - 0.2) / 0.7 between: a fifth of a word, and a
           missing rim is not noticed
    recall = sum of r(w) g(w) / sum of g(w), with g(w) = sqrt(area of w): larger words are noticed first

Precision: the share of the marked area that is text.
    paper = union of the words, each grown by 0.15 heights above and below and 0.25 heights left and right:
            a small margin and the space between two words do not look wrong
    false = share of the boxes with less than a tenth of their marked area on paper
    precision = (area marked on paper / area marked) (1 - false / 2)

Tidiness: one box for one word.
    k(w) = number of boxes that hold at least 0.15 of w
    m(w) = number of words at least half of which is in the box that holds most of w
    tidiness = mean of 1 / (k(w) sqrt(m(w))) over the words with k(w) > 0, with the weights r(w) g(w)

Preference: 0.5 recall + 0.3 precision + 0.2 tidiness.

Nothing to find: recall is 1. No box: precision is 1 if there is nothing to find and 0 otherwise,
because an empty picture convinces no one. Without words or without boxes tidiness equals precision.

A verdict follows Thurstone's law of comparative judgement with a just noticeable difference, both by Weber's
law: people tell faults apart by their ratio, so two results without a fault are equal without a doubt, and
between two bad ones a difference is noticed late and judged with error. For two results a and b
    f = fault of a + fault of b,   fault = 1 - s, at least 0
    d = s(a) - s(b) + noise f z,   z standard normal
    t = tie_threshold (0.2 + f):   not the last hundredths of a fault either
    a is better if d > t, b is better if d < -t, otherwise they are equal
where s is recall, precision, or preference + taste (recall - precision): a positive taste forgives
false boxes rather than missed words. z is drawn from the annotator's name, the criterion and the key of the
pair, so that the same question always gets the same answer, whichever side the results are on. Of the demo's
pairs these annotators call 43 % equal by recall, which half of the detectors have in full, 26 % by precision
and 14 % by preference.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import shapely
from numpy.typing import NDArray

from protocols.core.regions import Region

Verdict = Literal["left", "equal", "right"]

_UNREADABLE, _COMPLETE = 0.2, 0.9
_MARGIN_ACROSS, _MARGIN_ALONG = 0.15, 0.25
_FALSE_BELOW = 0.1
_HOLDS_PART, _HOLDS_WORD = 0.15, 0.5
_SMALL_FAULT = 0.2
_RECALL_WEIGHT, _PRECISION_WEIGHT, _TIDINESS_WEIGHT = 0.5, 0.3, 0.2


@dataclass(frozen=True, slots=True, order=True)
class Quality:
    """The opinion of a person without noise on one result, each part in [0, 1]."""

    recall: float
    precision: float
    preference: float


@dataclass(frozen=True, slots=True)
class Judge:
    """A simulated annotator; ``noise`` and ``tie_threshold`` are shares of the faults."""

    name: str
    taste: float
    noise: float
    tie_threshold: float

    def verdict(
        self, qualities_left: Quality, qualities_right: Quality, criterion: str, key: str
    ) -> Verdict:
        """Compare two results by one criterion.

        ``key`` names the image and the two results, joined by "/"; their order does not matter. Swapping the
        sides mirrors the verdict. Results of equal quality in everything are equal.

        Raises ValueError for a criterion that is not recall, precision or preference.
        """
        left, right = (self._seen(one, criterion) for one in (qualities_left, qualities_right))
        if qualities_left == qualities_right:
            return "equal"
        faults = max(1 - left, 0) + max(1 - right, 0)
        difference = left - right
        parts = "/".join(sorted(key.split("/")))
        error = random.Random(f"{self.name}/{criterion}/{parts}").gauss(0, self.noise * faults)
        # The error belongs to the pair: it has the same sign for the same result on either side.
        difference += error if qualities_left > qualities_right else -error
        if abs(difference) <= self.tie_threshold * (_SMALL_FAULT + faults):
            return "equal"
        return "left" if difference > 0 else "right"

    def _seen(self, quality: Quality, criterion: str) -> float:
        match criterion:
            case "recall":
                return quality.recall
            case "precision":
                return quality.precision
            case "preference":
                return quality.preference + self.taste * (quality.recall - quality.precision)
        raise ValueError(f"a criterion is recall, precision or preference, got {criterion!r}")


JUDGES: tuple[Judge, ...] = (
    Judge("careful-annotator", taste=0.0, noise=0.1, tie_threshold=0.05),
    Judge("generous-annotator", taste=0.1, noise=0.2, tie_threshold=0.1),
    Judge("hurried-annotator", taste=-0.08, noise=0.3, tie_threshold=0.08),
)


def quality(truth: Sequence[Region], detections: Sequence[Region]) -> Quality:
    """Return the quality of a result; formulas above. Words are quadrilaterals from their top-left corner."""
    words = _polygons([word for word in truth if not word.ignored])
    ignored = shapely.union_all(_polygons([word for word in truth if word.ignored]))
    boxes = shapely.difference(_polygons(detections), ignored)
    boxes = boxes[shapely.area(boxes) > 0]
    # From here on: one polygon per legible word, and one per box that marks more than ignored text.
    if not len(words) or not len(boxes):
        recall, precision = float(not len(words)), float(not len(words) and not len(boxes))
        return _mixed(recall, precision, tidiness=precision)
    marked = shapely.union_all(boxes)
    areas = shapely.area(words)
    # For each word, the share inside any box, and the share that can be read.
    covered = shapely.area(shapely.intersection(words, marked)) / areas
    read = ((covered - _UNREADABLE) / (_COMPLETE - _UNREADABLE)).clip(0, 1)
    weights = np.sqrt(areas)
    recall = float((read * weights).sum() / weights.sum())

    paper = shapely.union_all([_with_margin(word) for word in truth if not word.ignored])
    # For each box, its share on paper.
    on_paper = shapely.area(shapely.intersection(boxes, paper)) / shapely.area(boxes)
    false = float((on_paper < _FALSE_BELOW).mean())
    share = shapely.area(shapely.intersection(marked, paper)) / shapely.area(marked)
    precision = float(share) * (1 - false / 2)
    return _mixed(recall, precision, _tidiness(words, boxes, read * weights))


def _tidiness(
    words: NDArray[np.object_], boxes: NDArray[np.object_], weights: NDArray[np.float64]
) -> float:
    # (n words, n boxes): the share of each word inside each box.
    shared = shapely.area(shapely.intersection(words[:, np.newaxis], boxes))
    held = shared / shapely.area(words)[:, np.newaxis]
    # For each word: the boxes that hold a part of it, and the words inside the box that holds most of it.
    n_boxes = (held >= _HOLDS_PART).sum(axis=1)
    n_words = (held >= _HOLDS_WORD).sum(axis=0)[held.argmax(axis=1)].clip(1)
    weights = weights * (n_boxes > 0)
    if not weights.any():
        return 0.0
    return float((weights / (n_boxes.clip(1) * np.sqrt(n_words))).sum() / weights.sum())


def _mixed(recall: float, precision: float, tidiness: float) -> Quality:
    preference = (
        _RECALL_WEIGHT * recall + _PRECISION_WEIGHT * precision + _TIDINESS_WEIGHT * tidiness
    )
    return Quality(recall, precision, preference)


def _polygons(regions: Sequence[Region]) -> NDArray[np.object_]:
    shapes = [np.array(region.points, dtype=np.float64).reshape(-1, 2) for region in regions]
    # Boxes with crossed corners count as the area they enclose.
    polygons = np.array([shapely.Polygon(shape) for shape in shapes], dtype=object)
    valid: NDArray[np.object_] = shapely.make_valid(polygons)
    return valid


def _with_margin(word: Region) -> shapely.Geometry:
    a, b, c, d = np.array(word.points, dtype=np.float64).reshape(4, 2)
    along, down = (b - a + c - d) / 2, (d - a + c - b) / 2
    height = np.hypot(*down)
    side = _MARGIN_ALONG * height * along / np.hypot(*along)
    rim = _MARGIN_ACROSS * down
    grown = shapely.Polygon([a - side - rim, b + side - rim, c + side + rim, d - side + rim])
    return shapely.make_valid(grown)
