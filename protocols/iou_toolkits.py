""" "IoU 0.5" of toolkits: PaddleOCR ([DU20]_), MMOCR ([K21]_) and docTR ([MD21]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import shapely

from .core import thresholds
from .core.base import (
    Family,
    ImageScore,
    OverallScore,
    Protocol,
    Scene,
    Tally,
    Unmatched,
    Variant,
    choice,
    f_score,
    parameter,
)
from .core.geometry import Shapes
from .core.regions import Region
from .iou import Image, IouMatching

# MMOCR requests 0.3, 0.4 ... up to but excluding 0.9, but rounding gives seven values, not six.
THRESHOLDS: Final = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_CROSSING: Final = "its outline crosses itself or has no area, so that it is left out"


@dataclass(frozen=True, slots=True)
class _Rules:
    matching: str = "first"
    # Regions that are not valid polygons are left out instead of repaired.
    only_valid: bool = False
    # Ignored truths count like all others.
    counts_ignored: bool = False
    # Only bounding boxes are compared.
    boxes: bool = False
    # An IoU equal to the threshold suffices, and a quotient with divisor 0 is undefined.
    of_doctr: bool = False
    # A result set without any truth is scored like an image without truth.
    of_mmocr: bool = False

    def shaped(self, region: Region) -> Region:
        if self.counts_ignored and region.ignored:
            region = replace(region, ignored=False)
        return replace(region, points=Region.from_box(*region.box).points) if self.boxes else region


_TOOLKITS: Final[Mapping[str, _Rules]] = {
    "paddleocr": _Rules(only_valid=True),
    "mmocr": _Rules(of_mmocr=True),
    "mmocr-most": _Rules(matching="most", of_mmocr=True),
    "doctr": _Rules(matching="heaviest", counts_ignored=True, of_doctr=True),
    "doctr-boxes": _Rules(matching="heaviest", counts_ignored=True, boxes=True, of_doctr=True),
}


@dataclass(frozen=True)
class IouToolkits(Protocol):
    """IOU with the modifications of three toolkits, none of which truncates coordinates.

    ``paddleocr`` leaves out truths and detections whose outline is not a valid polygon, and takes
    the first match in order. ``mmocr`` repairs such regions; ``mmocr-most`` finds as many matches
    as possible. ``doctr`` has no ignored truths. It takes the assignment with the largest sum of
    IoU and keeps the pairs with an IoU of at least ``min_iou``; ``doctr-boxes`` compares bounding
    boxes.

    With ``sweep``, detections with a confidence of at least 0.3 count, and the figures of a result
    set are those at the threshold of 0.3, 0.4, ... 0.9 that gives the best F-score on these same
    images. A detection without confidence passes every threshold.

    Without counted truth, recall is 1, and precision is 1 if there are no counted detections, else
    0. With counted truth but no counted detections, precision is 0. For docTR, recall is undefined
    without truth, and precision without detections.
    """

    slug: ClassVar[str] = "iou-toolkits"
    as_published: ClassVar[str] = "PaddleOCR"
    family: ClassVar[Family] = "Intersection over union"
    name: ClassVar[str] = "IoU in toolkits"
    reference: ClassVar[str] = "K21"
    summary: ClassVar[str] = "“IoU 0.5” as PaddleOCR, MMOCR and docTR compute it."
    depends_on_order: ClassVar[bool] = True
    variants: ClassVar[Mapping[str, Variant]] = {
        "mmocr": Variant({"toolkit": "mmocr", "sweep": True}, "MMOCR"),
        "mmocr-no-sweep": Variant({"toolkit": "mmocr", "sweep": False}, "MMOCR without its sweep"),
        "mmocr-most": Variant({"toolkit": "mmocr-most", "sweep": True}, "MMOCR, most matches"),
        "mmocr-most-no-sweep": Variant(
            {"toolkit": "mmocr-most", "sweep": False},
            "MMOCR, most matches, without its sweep",
        ),
        "doctr": Variant({"toolkit": "doctr"}, "docTR with polygons"),
        "doctr-boxes": Variant({"toolkit": "doctr-boxes"}, "docTR with boxes"),
    }

    toolkit: str = choice(*_TOOLKITS, says="whose rules")
    min_iou: float = thresholds.min_iou()
    max_ignored_share: float = thresholds.max_ignored_share()
    sweep: bool = parameter(
        False,
        says="take the threshold on confidences that gives the best F-score on these images",
        reads="confidence",
    )

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        if not self.sweep:
            return self._scored(scenes, None)
        unsure = any(
            region.confidence is not None for scene in scenes for region in scene.detections or ()
        )
        # Without confidences all thresholds give the same result.
        distinct = THRESHOLDS if unsure else THRESHOLDS[:1]
        at_each = [self._scored(scenes, threshold) for threshold in distinct]
        at_each += at_each * (len(THRESHOLDS) - len(distinct))
        return [_with_counts(of_image) for of_image in zip(*at_each, strict=True)]

    def _scored(self, scenes: Sequence[Scene], threshold: float | None) -> list[ImageScore]:
        rules = _TOOLKITS[self.toolkit]
        parts = [_Part.of(scene, rules, threshold) for scene in scenes]
        matching = IouMatching(
            [part.scene for part in parts],
            min_iou=self.min_iou,
            max_ignored_share=self.max_ignored_share,
            matching=rules.matching,
            whole=False,
            at_least=rules.of_doctr,
        )
        scores = []
        for part, image in zip(parts, matching.images(), strict=True):
            score = image.plain_score(self.min_iou)
            if rules.of_doctr:
                recall, precision, harmonic = score.tally.figures
                score = replace(
                    score,
                    recall=recall,
                    precision=precision,
                    f_score=harmonic,
                    indicators={**score.indicators, "mean_best_iou": _mean_best_iou(image)},
                )
            scores.append(part.of_whole(score))
        return scores

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        figures = super().overall(scores)
        tallies, threshold = [score.tally for score in scores], None
        if self.sweep:
            # Among equal F-scores, max() takes the first, that of the lowest threshold.
            by_threshold = {at: [_counted_at(score, at) for score in scores] for at in THRESHOLDS}
            threshold = max(
                by_threshold, key=lambda at: f_score(*self._of_all(by_threshold[at])) or 0.0
            )
            tallies = by_threshold[threshold]
        recall, precision = self._of_all(tallies)
        return replace(
            figures,
            recall=recall,
            precision=precision,
            f_score=f_score(recall, precision),
            indicators={"threshold": threshold} if self.sweep else {},
        )

    def _of_all(self, tallies: Sequence[Tally]) -> tuple[float | None, float | None]:
        """Return recall and precision of a result set, divided as in the toolkit."""
        rules, total = _TOOLKITS[self.toolkit], Tally.total(tallies)
        recall, precision, _ = total.figures
        if rules.of_doctr:
            return recall, precision
        if rules.of_mmocr and not total.n_truth:
            return 1.0, 0.0 if total.n_detections else 1.0
        return recall or 0.0, precision or 0.0


def _mean_best_iou(image: Image) -> float | None:
    best = image.best_of_detection
    return sum(best) / len(best) if best else None


def _with_counts(at_each: Sequence[ImageScore]) -> ImageScore:
    """Return the score at the lowest threshold, with the counts at all thresholds."""
    counts: dict[str, float | None] = {}
    for threshold, score in zip(THRESHOLDS, at_each, strict=True):
        counts[f"n_matched_at_{threshold}"] = score.tally.recalled
        counts[f"n_detections_at_{threshold}"] = score.tally.n_detections
    return replace(at_each[0], indicators={**at_each[0].indicators, **counts})


def _counted_at(score: ImageScore, threshold: float) -> Tally:
    n_matched = score.indicators[f"n_matched_at_{threshold}"] or 0.0
    n_detections = score.indicators[f"n_detections_at_{threshold}"] or 0.0
    return Tally(n_matched, score.tally.n_truth, n_matched, n_detections)


@dataclass(frozen=True, slots=True)
class _Part:
    """The regions that a toolkit compares, their indices in the scene, and why others are out."""

    scene: Scene
    truth: Sequence[int]
    detections: Sequence[int]
    left_out: Sequence[Unmatched]

    @classmethod
    def of(cls, scene: Scene, rules: _Rules, threshold: float | None) -> "_Part":
        detections = scene.detections or ()
        left_out = []
        if rules.only_valid:
            left_out += [Unmatched("truth", at, _CROSSING) for at in not_valid(scene.truth)]
            left_out += [Unmatched("detection", at, _CROSSING) for at in not_valid(detections)]
        if threshold is not None:
            left_out += [
                Unmatched(
                    "detection",
                    at,
                    f"its confidence, {sure:g}, is below {threshold:g}",
                )
                for at, sure in enumerate(region.confidence for region in detections)
                if sure is not None and sure < threshold
            ]
        gone = {(one.side, one.index) for one in left_out}
        truth = [at for at in range(len(scene.truth)) if ("truth", at) not in gone]
        found = [at for at in range(len(detections)) if ("detection", at) not in gone]
        part = replace(
            scene,
            truth=tuple(rules.shaped(scene.truth[at]) for at in truth),
            detections=tuple(rules.shaped(detections[at]) for at in found),
        )
        return cls(part, truth, found, left_out)

    def of_whole(self, score: ImageScore) -> ImageScore:
        """Return a score of the part with regions numbered as in the whole scene."""
        matches = tuple(
            replace(
                match,
                truth=tuple(self.truth[i] for i in match.truth),
                detections=tuple(self.detections[j] for j in match.detections),
            )
            for match in score.matches
        )
        places = {"truth": self.truth, "detection": self.detections}
        unmatched = [replace(one, index=places[one.side][one.index]) for one in score.unmatched]
        named: dict[tuple[str, int], Unmatched] = {
            (one.side, one.index): one for one in [*unmatched, *self.left_out]
        }
        return replace(score, matches=matches, unmatched=tuple(named.values()))


def not_valid(regions: Sequence[Region]) -> list[int]:
    """Return the indices of invalid polygons: self-crossing, self-touching or without area."""
    shapes = Shapes(regions)
    plain = (shapes.rectangular | shapes.simple) & (shapes.areas > 0)
    return [
        at
        for at, region in enumerate(regions)
        if not plain[at]
        and not shapely.Polygon(
            list(zip(region.points[::2], region.points[1::2], strict=True))
        ).is_valid
    ]
