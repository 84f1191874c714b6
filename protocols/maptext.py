"""MapText: words of historical maps, their texts and their links, as the competitions score them ([L24]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from .core import thresholds
from .core.base import (
    Family,
    Field,
    ImageScore,
    OverallScore,
    Protocol,
    Scene,
    Side,
    Tally,
    Unmatched,
    Variant,
    choice,
    f_score,
    parameter,
)
from .core.edits import edit_distance
from .core.fitting import differ
from .core.geometry import Floats, overlapping_pairs
from .core.groups import in_words
from .core.lazy_shapely import shapely
from .core.overlays import Polygons
from .core.regions import Region
from .iou import Image

# As published: added to each union, and the area below which an outline meets nothing.
_EPSILON: Final = 1e-5
# As published: what a pair is worth that is none, and one with an ignored truth.
_NO_PAIR: Final = -1.0
_OF_IGNORED: Final = 1e-12
# Sums of an image, which add up to the figures of a result set.
_SUMS: Final = (
    *("n_matched", "n_counted_truth", "n_counted_detections", "sum_iou"),
    *("sum_likeness", "n_texts", "n_found_links", "n_truth_links", "n_detected_links"),
    "n_in_groups",
)
_REFUSED: Final = "its outline crosses itself, and GEOS refuses to intersect it with its partner"
_NO_UNION: Final = "left out: GEOS refuses to unite the words of a group, and there is no figure"
_TASKS: Final = ("links", "texts", "texts-links")

_Sums = Mapping[str, float]
_Figures = dict[str, float | None]


@dataclass(frozen=True)
class MapText(Protocol):
    """Pair words by the assignment whose pairs are worth most, and ask for outline, text and links.

    A truth and a detection may be a pair if their IoU is above ``min_iou``; outlines are used as
    they are, and a pair that GEOS refuses is none. A pair is worth its IoU (1 without
    ``use_tightness``), in tasks with texts times the likeness of its texts, 1e-12 if the truth is
    ignored; what is no pair is worth -1. Of all assignments of truths to detections the one of the
    greatest sum counts; the order of regions decides between equal ones. A detection is ignored if
    its partner is.

    The likeness of two texts is 1 - 2d / (|a| + |b| + d), with d their Levenshtein distance. Words
    with the same parent are a group, linked in their order; a link is found if both its ends are
    paired with truths that are linked in the same direction. ``rules`` = 2024: texts must be equal,
    and tasks with links compare whole groups, by the union of their words.

    Any figure with a divisor of 0 is 0, also for no truth and no detection. Figures of texts or links
    are undefined if no counted truth has a text or a parent, and 2024 has no figure for an image if
    GEOS refuses the union of a group.
    """

    slug: ClassVar[str] = "maptext"
    family: ClassVar[Family] = "Intersection over union"
    name: ClassVar[str] = "MapText"
    reference: ClassVar[str] = "L24"
    summary: ClassVar[str] = "Words of maps, their texts and their links, by the best assignment."
    depends_on_order: ClassVar[bool] = True
    variants: ClassVar[Mapping[str, Variant]] = {
        **{
            task: Variant({"task": task}, f"ICDAR 2025, task {number}")
            for number, task in enumerate(_TASKS, 2)
        },
        "no-tightness": Variant({"use_tightness": False}, "ICDAR 2025, French land registers"),
        "2024": Variant({"rules": "2024"}, "ICDAR 2024, task 1"),
        **{
            f"{task}:2024": Variant({"task": task, "rules": "2024"}, f"ICDAR 2024, task {number}")
            for number, task in enumerate(_TASKS, 2)
        },
    }
    as_published: ClassVar[str] = "ICDAR 2025, task 1"

    task: str = choice("words", *_TASKS, says="what is compared besides the outlines of words")
    min_iou: float = thresholds.min_iou()
    use_tightness: bool = parameter(
        True, says="the IoU of pairs counts for the assignment and for the hmean"
    )
    rules: str = choice("2025", "2024", says="year of the competition")

    @property
    def _has_texts(self) -> bool:
        return self.task.startswith("texts")

    @property
    def _has_links(self) -> bool:
        return self.task.endswith("links") and self.rules == "2025"

    def fields_read(self) -> set[Field]:
        return {"text"} if self._has_texts else set()

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        return list(map(self._score, scenes))

    def _score(self, scene: Scene) -> ImageScore:
        grouped = self.task.endswith("links") and self.rules == "2024"
        truth, found = (_Units.of(side, grouped) for side in (scene.truth, scene.detections or ()))
        if truth is None or found is None:
            return self._without_figures(scene)
        image, likeness, n_refused = self._matched(truth, found)
        sums = self._sums(scene, image, likeness)
        ones = [1.0] * len(image.matched)
        figures = {**self._figures(sums), **sums, "n_refused_pairs": float(n_refused)}
        score = image.score(self.min_iou, ones, ones, figures)
        recall, precision, both = _rates(sums)
        score = replace(score, recall=recall, precision=precision, f_score=both)
        return in_words(score, truth.words, found.words)

    def _without_figures(self, scene: Scene) -> ImageScore:
        sides: tuple[tuple[Side, int], ...] = (
            ("truth", len(scene.truth)),
            ("detection", len(scene.detections or ())),
        )
        reasons = (Unmatched(side, at, _NO_UNION) for side, n in sides for at in range(n))
        sums: _Figures = dict.fromkeys((*_SUMS, "n_refused_pairs"))
        undefined = dict.fromkeys(self._figures(dict.fromkeys(_SUMS, 0.0))) | sums
        return ImageScore(
            None, None, None, Tally(0, 0, 0, 0), (), tuple(reasons), indicators=undefined
        )

    def _matched(self, truth: "_Units", found: "_Units") -> tuple[Image, Floats, int]:
        """Return the matching of an image, the likeness of texts by pair, and the refused pairs."""
        from scipy.optimize import linear_sum_assignment

        iou, likeness = np.zeros((2, len(truth), len(found)))
        pairs = overlapping_pairs(
            truth.boxes, found.boxes, np.array([len(truth)]), np.array([len(found)])
        )
        iou[pairs.truth, pairs.detection] = _ious(
            truth.outlines[pairs.truth], found.outlines[pairs.detection]
        )
        refused = np.isnan(iou)
        iou[refused] = 0.0
        worth = np.full_like(iou, _NO_PAIR)
        objections: dict[tuple[Side, int], str] = {}
        for i, j in np.argwhere(refused).tolist():
            objections |= {("truth", i): _REFUSED, ("detection", j): _REFUSED}
        for i, j in np.argwhere(iou > self.min_iou).tolist():
            expected, read = truth.texts[i], found.texts[j] or ""
            likeness[i, j] = 1.0 if expected is None else likeness_of(expected, read)
            if truth.ignored[i]:
                worth[i, j] = _OF_IGNORED
            elif self.task == "texts" and self.rules == "2024" and differ(expected, read):
                objection = f"read {read!r} where the text is {expected!r}"
                objections |= {("truth", i): objection, ("detection", j): objection}
            else:
                worth[i, j] = iou[i, j] if self.use_tightness else 1.0
                worth[i, j] *= likeness[i, j] if self._has_texts else 1.0
        rows, columns = linear_sum_assignment(worth, maximize=True)
        assigned = [
            (i, j)
            for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
            if worth[i, j] != _NO_PAIR
        ]
        forgiven = {j for i, j in assigned if truth.ignored[i]}
        counted = ~np.array(truth.ignored, dtype=bool)
        image = Image(
            truth.ignored,
            [j in forgiven for j in range(len(found))],
            iou.max(axis=1, initial=0).tolist(),
            iou[counted].max(axis=0, initial=0).tolist(),
            [(i, j, float(iou[i, j])) for i, j in assigned if not truth.ignored[i]],
            objections,
        )
        likeness[[expected is None for expected in truth.texts]] = np.nan
        return image, likeness, int(refused.sum())

    def _sums(self, scene: Scene, image: Image, likeness: Floats) -> _Sums:
        alike = [float(likeness[i, j]) for i, j, _ in image.matched if likeness[i, j] >= 0]
        links_of_truth = set(_links(scene.truth)) if self._has_links else set()
        links = _links(scene.detections or ()) if self._has_links else []
        partner = {j: i for i, j, _ in image.matched}
        found = [(partner.get(a), partner.get(b)) for a, b in links]
        return {
            "n_matched": float(len(image.matched)),
            "n_counted_truth": float(image.n_truth),
            "n_counted_detections": float(image.n_detections),
            "sum_iou": sum(iou for _, _, iou in image.matched),
            "sum_likeness": sum(alike),
            "n_texts": float(len(alike)),
            "n_found_links": float(sum(link in links_of_truth for link in found)),
            "n_truth_links": float(_n_counted(links_of_truth, image.truth_ignored)),
            "n_detected_links": float(_n_counted(links, image.ignored)),
            "n_in_groups": float(
                sum(of.parent is not None and not of.ignored for of in scene.truth)
            ),
        }

    def _figures(self, sums: _Sums) -> _Figures:
        """Return the published figures besides recall, precision and F-score."""
        recall, precision, both = _rates(sums)
        tightness = _ratio(sums["sum_iou"], sums["n_matched"])
        figures: _Figures = {"tightness": tightness, "quality": tightness * both}
        terms: list[float | None] = [recall, precision]
        if self.use_tightness:
            terms.append(tightness)
        if self._has_texts:
            accuracy: float | None = _ratio(sums["sum_likeness"], sums["n_texts"])
            if sums["n_matched"] and not sums["n_texts"]:
                accuracy = None
            quality = None if accuracy is None else accuracy * tightness * both
            figures |= {"char_accuracy": accuracy, "char_quality": quality}
            terms.append(accuracy)
        if self._has_links:
            links: list[float | None] = [None, None]
            if sums["n_in_groups"] or not sums["n_counted_truth"]:
                below = sums["n_truth_links"], sums["n_detected_links"]
                links = [_ratio(sums["n_found_links"], n) for n in below]
            figures |= {"edges_recall": links[0], "edges_precision": links[1]}
            figures["edges_fscore"] = f_score(*links)
            terms += links
        if self.rules == "2025":
            figures["hmean"] = _harmonic_mean(terms)
        return figures

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        known = [score.indicators for score in scores if score.recall is not None]
        sums = {name: sum(of[name] or 0.0 for of in known) for name in _SUMS}
        figures = self._figures(sums)
        overall = replace(super().overall(scores), indicators={**figures, **sums})
        if scores and not known:
            undefined = dict.fromkeys(overall.indicators)
            return replace(overall, recall=None, precision=None, f_score=None, indicators=undefined)
        return overall


@dataclass(frozen=True, slots=True)
class _Units:
    """The words of a side, or its groups of words: their places, texts, outlines and boxes."""

    words: list[list[int]]
    ignored: list[bool]
    texts: list[str | None]
    outlines: Polygons
    boxes: Floats

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def of(cls, regions: Sequence[Region], grouped: bool) -> "_Units | None":
        """Return the units of a side; None if GEOS refuses the union of a group."""
        outlines = _outlines(regions)
        words = _groups(regions) if grouped else [[at] for at in range(len(regions))]
        if grouped:
            try:
                united = [shapely.union_all(outlines[group]) for group in words]
            except shapely.errors.GEOSException:
                return None
            outlines = np.array(united, dtype=object)
        texts = [[regions[at].text for at in group] for group in words]
        return cls(
            words,
            [any(regions[at].ignored for at in group) for group in words],
            [None if set(of) == {None} else " ".join(text or "" for text in of) for of in texts],
            outlines,
            np.asarray(shapely.bounds(outlines)).reshape(-1, 4),
        )


def _outlines(regions: Sequence[Region]) -> Polygons:
    """Return the outlines of regions as they are, also if they cross themselves."""
    rings = np.repeat(np.arange(len(regions)), [region.n_points for region in regions])
    points = np.array([value for region in regions for value in region.points])
    return np.asarray(
        shapely.polygons(shapely.linearrings(points.reshape(-1, 2), indices=rings)), dtype=object
    )


def _groups(regions: Sequence[Region]) -> list[list[int]]:
    """Return the places of words with the same parent; a word without one is a group."""
    groups: dict[str | int, list[int]] = {}
    for at, region in enumerate(regions):
        groups.setdefault(at if region.parent is None else region.parent, []).append(at)
    return list(groups.values())


def _links(regions: Sequence[Region]) -> list[tuple[int, int]]:
    """Return the links of groups, each from a word to the next."""
    return [link for group in _groups(regions) for link in pairwise(group)]


def _n_counted(
    links: "Sequence[tuple[int, int]] | set[tuple[int, int]]", out: Sequence[bool]
) -> int:
    return sum(not out[a] and not out[b] for a, b in links)


def _ious(truth: Polygons, found: Polygons) -> Floats:
    """Return the IoU of each pair as published; not a number where GEOS refuses it."""
    if not len(truth):
        return np.zeros(0)
    try:
        iou = np.zeros(len(truth))
        large: NDArray[np.bool_] = np.minimum(shapely.area(truth), shapely.area(found)) >= _EPSILON
        at = np.flatnonzero(large)
        at = at[shapely.intersects(truth[at], found[at])]
        shared = shapely.area(shapely.intersection(truth[at], found[at]))
        iou[at] = shared / (shapely.area(shapely.union(truth[at], found[at])) + _EPSILON)
        return iou
    except shapely.errors.GEOSException:
        if len(truth) == 1:
            return np.array([np.nan])
        half = len(truth) // 2
        return np.concatenate(
            [_ious(truth[:half], found[:half]), _ious(truth[half:], found[half:])]
        )


def likeness_of(a: str, b: str) -> float:
    """Return 1 - 2d / (|a| + |b| + d) of two texts, d their Levenshtein distance; 1 if both are empty.

    Parameters
    ----------
    a, b : str

    Examples
    --------
    >>> likeness_of("four", "ABCD")
    0.33333333333333337
    """
    edits = edit_distance(a, b)
    return 1.0 - 2.0 * edits / (len(a) + len(b) + edits) if a or b else 1.0


def _rates(sums: _Sums) -> tuple[float, float, float]:
    """Return recall, precision and F-score."""
    recall, precision = (
        _ratio(sums["n_matched"], sums[name])
        for name in ("n_counted_truth", "n_counted_detections")
    )
    return recall, precision, f_score(recall, precision) or 0.0


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def _harmonic_mean(terms: Sequence[float | None]) -> float | None:
    """Return the harmonic mean, 0 as soon as a term is, None if one is undefined."""
    known = [term for term in terms if term is not None]
    if len(known) < len(terms):
        return None
    return len(known) / sum(1 / term for term in known) if all(known) else 0.0
