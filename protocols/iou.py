"""IOU: the protocol of ICDAR 2015, Challenge 4 ([K15]_)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .core import thresholds
from .core.base import (
    Family,
    ImageScore,
    Match,
    Scene,
    Side,
    Tally,
    Unmatched,
    Variant,
    f_score,
    parameter,
)
from .core.credits import CreditProtocol
from .core.fitting import differ
from .core.geometry import (
    Floats,
    Indices,
    Shapes,
    intersection_areas,
    overlapping_pairs,
    shares,
)
from .core.matching import flatten, ignored_detections, largest, unmatched_of

# Truth, detection and IoU of a pair.
Pair = tuple[int, int, float]


class IouMatching:
    """The matches of truths and detections by their IoU, for a list of scenes.

    Coordinates are truncated to integers (if ``whole``) and taken as points of the plane: a box
    from 0 to 99 is 99 wide. A detection is ignored when a single ignored truth covers more than
    ``max_ignored_share`` of it. A union of zero area gives an IoU of 0. ``at_least``: an IoU of
    exactly ``min_iou`` is good enough; ``epsilon`` square pixels are added to areas before dividing
    by them.

    ``matching`` chooses from the counted pairs that are good enough. ``first``: each truth in file
    order takes the first free detection; ``best``: pairs by descending IoU; ``most``: the most
    pairs possible, then the largest sum of IoU. ``heaviest``: of all pairs, good enough or not,
    the largest sum of IoU; only then those that are not good enough are dropped. ``best of
    all``: a detection belongs to the truth with its largest IoU, ignored or not; it is ignored
    if that truth is and the IoU is good enough, and otherwise takes that truth if it is free.
    ``mutual``: pairs that have the largest IoU for both, the first of equal ones.

    ``matched`` has for each scene its pairs (truth, detection, IoU), numbered within the scene;
    ``shared`` the areas shared by all ``pairs`` whose boxes meet.
    """

    def __init__(
        self,
        scenes: Sequence[Scene],
        *,
        min_iou: float,
        max_ignored_share: float,
        use_confidences: bool = False,
        matching: str = "first",
        whole: bool = True,
        at_least: bool = False,
        epsilon: float = 0.0,
    ) -> None:
        self._at_least = at_least
        self.scenes = scenes
        self.flat = flat = flatten(scenes)
        self.truth = Shapes(flat.truth, truncate=whole)
        self.detections = Shapes(flat.detections, truncate=whole)
        self.pairs = pairs = overlapping_pairs(
            self.truth.boxes, self.detections.boxes, flat.n_truth, flat.n_detections
        )
        self.shared = intersection_areas(self.truth, self.detections, pairs)
        areas = self.detections.areas[pairs.detection]
        # One entry for each pair: the share of the detection inside the truth, then the IoU.
        share = shares(self.shared, areas + epsilon)
        union = self.truth.areas[pairs.truth] + areas - self.shared + epsilon
        self._iou_of_all = iou = shares(self.shared, union)
        enough = iou >= min_iou if at_least else iou > min_iou
        candidates = enough
        if matching == "best of all":
            # A detection can only be paired with its best truth.
            candidates = enough & _first_largest(pairs.detection, iou, len(flat.detections))
            self.ignored = np.zeros(len(flat.detections), dtype=bool)
            self.ignored[pairs.detection[candidates & flat.ignored_truth[pairs.truth]]] = True
        else:
            self.ignored = ignored_detections(flat, pairs, share, max_ignored_share)
            if matching == "heaviest":
                candidates = iou > 0
        counted = ~flat.ignored_truth[pairs.truth] & ~self.ignored[pairs.detection]
        self._iou = np.where(counted, iou, 0.0)
        if matching == "mutual":
            candidates = enough & _first_largest(pairs.truth, self._iou, len(flat.truth))
            candidates &= _first_largest(pairs.detection, self._iou, len(flat.detections))
        candidates &= counted
        found = flat.by_scene(
            pairs.where(candidates), iou[candidates], enough[candidates].astype(np.float64)
        )
        self.matched = [
            _matched(found.get(at, []), scene, matching, use_confidences)
            for at, scene in enumerate(scenes)
        ]

    def tables(self, limit: int) -> list[list[list[float]]]:
        """Return the IoU of each scene's truths (rows) and detections; see ``Flat.tables``."""
        return self.flat.tables(self.pairs, self._iou_of_all, limit)

    def images(self) -> "Iterator[Image]":
        """Yield the matching of each scene."""
        best_of_truth = largest(self.pairs.truth, self._iou, len(self.flat.truth)).tolist()
        best = largest(self.pairs.detection, self._iou, len(self.flat.detections)).tolist()
        truth_ignored, ignored = self.flat.ignored_truth.tolist(), self.ignored.tolist()
        for at, matched in enumerate(self.matched):
            truths, detections = self.flat.slices(at)
            yield Image(
                truth_ignored[truths],
                ignored[detections],
                best_of_truth[truths],
                best[detections],
                matched,
                at_least=self._at_least,
            )


def _first_largest(of: Indices, values: Floats, n: int) -> NDArray[np.bool_]:
    """Return which pairs have the largest value of their region, the first of equal ones."""
    is_largest = values == largest(of, values, n)[of]
    at = np.flatnonzero(is_largest)
    _, first = np.unique(of[at], return_index=True)
    chosen = np.zeros(len(of), dtype=bool)
    chosen[at[first]] = True
    return chosen


def _matched(
    candidates: list[tuple[int, int, float, float]],
    scene: Scene,
    matching: str,
    use_confidences: bool,
) -> list[Pair]:
    """Return a scene's matches from candidates: truth, detection, IoU, whether that is enough."""
    if matching == "heaviest":
        return [pair[:3] for pair in _assigned(candidates, most=False) if pair[3]]
    if matching == "most":
        return [pair[:3] for pair in _assigned(candidates, most=True)]
    good = [pair[:3] for pair in candidates]
    if matching == "best":
        return sorted(_first_come(sorted(good, key=lambda pair: (-pair[2], pair[0], pair[1]))))
    if not use_confidences:
        return _first_come(good)
    # Equal confidences keep file order; the script leaves their order undefined.
    confidence = [region.confidence or 0.0 for region in scene.detections or ()]
    return _first_come(sorted(good, key=lambda pair: (pair[0], -confidence[pair[1]])))


def _assigned(
    candidates: list[tuple[int, int, float, float]], *, most: bool
) -> list[tuple[int, int, float, float]]:
    """Return the assignment with the largest sum of IoU; ``most`` maximises the pairs first."""
    truths = sorted({pair[0] for pair in candidates})
    found = sorted({pair[1] for pair in candidates})
    if len(truths) == len(found) == len(candidates):
        # No regions compete.
        return candidates
    # Imported only if regions compete: the import can take longer than the scoring.
    from scipy.optimize import linear_sum_assignment

    rows, columns = _numbers(truths), _numbers(found)
    # One more pair outweighs any sum of IoU, which is at most the number of pairs.
    bonus = len(candidates) + 1 if most else 0
    weights = np.zeros((len(truths), len(found)))
    by_place = {}
    for pair in candidates:
        place = rows[pair[0]], columns[pair[1]]
        weights[place] = bonus + pair[2]
        by_place[place] = pair
    places = zip(
        *(side.tolist() for side in linear_sum_assignment(weights, maximize=True)), strict=True
    )
    return [by_place[place] for place in places if place in by_place]


def _numbers(values: Sequence[int]) -> dict[int, int]:
    return {value: at for at, value in enumerate(values)}


def _first_come(good: Sequence[Pair]) -> list[Pair]:
    matched: list[Pair] = []
    truths, taken = set(), set()
    for i, j, iou in good:
        if i not in truths and j not in taken:
            truths.add(i)
            taken.add(j)
            matched.append((i, j, iou))
    return matched


@dataclass(frozen=True, slots=True)
class Image:
    """One image's part of the arrays for all images: lists by truth or by detection."""

    truth_ignored: list[bool]
    ignored: list[bool]
    best_of_truth: list[float]
    best_of_detection: list[float]
    matched: list[Pair]
    # Why a region of a dissolved pair has no match.
    refused: Mapping[tuple[Side, int], str] = field(default_factory=dict)
    at_least: bool = False

    @property
    def n_truth(self) -> int:
        return self.truth_ignored.count(False)

    @property
    def n_detections(self) -> int:
        return self.ignored.count(False)

    def divided(self, recalled: float, precise: float) -> tuple[float, float]:
        """Return recall and precision from credits."""
        n_truth, n_detections = self.n_truth, self.n_detections
        if not n_truth:
            return 1.0, 0.0 if n_detections else 1.0
        return recalled / n_truth, precise / n_detections if n_detections else 0.0

    def agreeing(self, objection: Callable[[int, int], str]) -> "Image":
        """Return the image with only the pairs that have no objection.

        Regions of the other pairs stay unmatched, although they have taken each other.
        """
        kept, refused = [], dict(self.refused)
        for i, j, iou in self.matched:
            said = objection(i, j)
            if said:
                refused |= {("truth", i): said, ("detection", j): said}
            else:
                kept.append((i, j, iou))
        return replace(self, matched=kept, refused=refused)

    def ranked(self, scene: Scene) -> tuple[tuple[float, bool], ...]:
        """Return each counted detection's confidence and whether it is matched, highest first."""
        taken = {j for _, j, _ in self.matched}
        entries = [
            (region.confidence or 0.0, j in taken)
            for j, region in enumerate(scene.detections or ())
            if not self.ignored[j]
        ]
        return tuple(sorted(entries, key=lambda entry: -entry[0]))

    def unmatched(self, min_iou: float) -> tuple[Unmatched, ...]:
        """Return, for each region without a match, why it has none."""
        best = {"truth": self.best_of_truth, "detection": self.best_of_detection}

        def why(side: Side, at: int) -> str:
            value = best[side][at]
            enough = value >= min_iou if self.at_least else value > min_iou
            said = self.refused.get((side, at))
            return said or _too_far(round(value, 3), min_iou, enough, self.at_least)

        return unmatched_of(
            self.truth_ignored,
            self.ignored,
            {i for i, _, _ in self.matched},
            {j for _, j, _ in self.matched},
            why,
        )

    def score(
        self,
        min_iou: float,
        recall_credits: Sequence[float],
        precision_credits: Sequence[float],
        indicators: dict[str, float | None],
    ) -> ImageScore:
        """Return the score if the matched pairs have these credits."""
        recalled, precise = sum(recall_credits), sum(precision_credits)
        recall, precision = self.divided(recalled, precise)
        credited = zip(self.matched, recall_credits, precision_credits, strict=True)
        return ImageScore(
            recall,
            precision,
            f_score(recall, precision),
            Tally(recalled, self.n_truth, precise, self.n_detections),
            tuple(Match((i,), (j,), "one-to-one", r, p) for (i, j, _), r, p in credited),
            self.unmatched(min_iou),
            {
                "n_ignored_truth": self.truth_ignored.count(True),
                "n_ignored_detections": self.ignored.count(True),
                **indicators,
            },
        )

    def plain_score(self, min_iou: float) -> ImageScore:
        """Return the score if every match counts once, with their mean IoU as an indicator."""
        credits = [1.0] * len(self.matched)
        mean = sum(iou for _, _, iou in self.matched) / len(credits) if credits else None
        return self.score(min_iou, credits, credits, {"mean_iou": mean})


@lru_cache(maxsize=2048)
def _too_far(best: float, min_iou: float, enough: bool, at_least: bool) -> str:
    """Return why a region has no match. Many share a reason, and a message takes time to make."""
    if enough and at_least:
        return f"every partner with an IoU of at least {min_iou:g} was taken"
    if enough:
        return f"every partner with an IoU above {min_iou:g} was taken"
    if at_least:
        return f"its best IoU, {best:.3f}, is below {min_iou:g}"
    return f"its best IoU, {best:.3f}, is not above {min_iou:g}"


@dataclass(frozen=True)
class Iou(CreditProtocol):
    """Pair truths and detections whose intersection over union exceeds a threshold.

    Each counted truth in file order takes the first free counted detection that is good enough, not
    the best one; ``matching`` selects other rules; see ``IouMatching``. Confidences only decide
    which detection comes first. With ``same_label`` a matched pair with different labels counts for
    neither side; a truth without a label takes any. If there is no counted truth, recall is 1, and
    precision is 0 if there are counted detections, else 1. Counted truth but no counted detection
    gives precision 0.
    """

    slug: ClassVar[str] = "iou"
    family: ClassVar[Family] = "Intersection over union"
    name: ClassVar[str] = "IOU"
    reference: ClassVar[str] = "K15"
    summary: ClassVar[str] = (
        "A truth is found by one detection with enough intersection over union."
    )
    depends_on_order: ClassVar[bool] = True
    variants: ClassVar[Mapping[str, Variant]] = {
        "art": Variant({"matching": "best"}, "ArT and LSVT (best IoU)"),
        "mlt2019": Variant({"same_label": True}, "MLT 2019, task 3 (script)"),
    }
    has_causes: ClassVar[bool] = True

    min_iou: float = thresholds.min_iou()
    max_ignored_share: float = thresholds.max_ignored_share()
    use_confidences: bool = parameter(
        False,
        says="go through the detections by descending confidence instead of file order",
        rrc="CONFIDENCES",
        reads="confidence",
    )
    matching: str = thresholds.matching()
    same_label: bool = parameter(
        False,
        says="a pair counts only if both regions have the same label (their script)",
        reads="label",
    )

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        return self.conclude(self.measure(scenes))

    def measure(self, scenes: Sequence[Scene]) -> IouMatching:
        return IouMatching(
            scenes,
            min_iou=self.min_iou,
            max_ignored_share=self.max_ignored_share,
            use_confidences=self.use_confidences,
            matching=self.matching,
        )

    def conclude(self, matching: IouMatching) -> list[ImageScore]:
        scores = []
        for scene, image in zip(matching.scenes, matching.images(), strict=True):
            if self.same_label:
                image = image.agreeing(partial(_other_label, scene))
            score = image.plain_score(self.min_iou)
            scores.append(self.settled(scene, score, image.truth_ignored, image.ignored))
        return scores


def _other_label(scene: Scene, i: int, j: int) -> str:
    of_truth, found = scene.truth[i].label, (scene.detections or ())[j].label
    if not differ(of_truth, found):
        return ""
    return "where they overlap, the truth is {value}, the detection {value2}".format(
        value=of_truth or "unlabelled", value2=found or "unlabelled"
    )


def average_precision(ranked: Sequence[tuple[float, bool]], n_truth: float) -> float:
    """Return the average precision of detections against ``n_truth`` counted truths ([K15]_).

    ``ranked`` has the confidence of each detection, and whether it is matched. Going through them by
    descending confidence (equal ones in the order given), the precision so far is added at each
    matched one; the sum is divided by the number of truths. There is no interpolation. 0 if there
    is no truth.
    """
    total, n_matches = 0.0, 0
    for rank, (_, matched) in enumerate(sorted(ranked, key=lambda entry: -entry[0]), 1):
        if matched:
            n_matches += 1
            total += n_matches / rank
    return total / n_truth if n_truth else 0.0
