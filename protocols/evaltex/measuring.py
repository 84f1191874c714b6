"""Every coverage and accuracy of a list of scenes, which the variants of EVALTEX share ([C16]_)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from ..core.base import Kind, Match, Scene, Unmatched
from ..core.geometry import (
    Floats,
    Indices,
    Pairs,
    Shapes,
    intersection_areas,
    overlapping_pairs,
    shares,
)
from ..core.matching import IGNORED, INSIDE_IGNORED, Flat, flatten, summed
from ..core.regions import Region
from ..core.unions import Piece, overlapping_groups, union_areas

# Tolerance: a common edge, or the rounding error of an intersection, is not a match.
NOISE: Final = 1e-9
_NO_AREA: Final = "it has no area"


class Measurement(NamedTuple):
    """The parameters that a measurement depends on; variants with equal parameters share it."""

    min_overlap: float
    dont_care_overlap: float
    regions: str


@dataclass(frozen=True)
class _Selection:
    """Some regions of all images in one list: the image of each, and its index there."""

    image: Indices
    index: Indices
    # Start of each image's regions; one entry more than there are images.
    first: Indices

    def __len__(self) -> int:
        return len(self.image)

    def at(self, image: int) -> slice:
        return slice(int(self.first[image]), int(self.first[image + 1]))


def _selected(image: Indices, index: Indices, n_images: int) -> tuple[Indices, Indices, Indices]:
    return image, index, np.searchsorted(image, np.arange(n_images + 1))


@dataclass(frozen=True)
class _Objects(_Selection):
    """The objects of all images with their measures, one entry each.

    ``s`` detections match the object and cover the share ``raw`` of it; ``fragmentation``, 1 / (1 +
    ln s), lowers coverage; ``kind`` is that of its match, None if it has none.
    """

    s: Indices
    raw: Floats
    fragmentation: Floats
    accuracy: Floats
    kind: list[Kind | None]

    @property
    def hit(self) -> NDArray[np.bool_]:
        return np.asarray(self.s > 0)


class Measured:
    """Every coverage and accuracy of a list of scenes."""

    def __init__(self, measurement: Measurement, scenes: Sequence[Scene]) -> None:
        self.scenes = scenes
        self._flat = flat = flatten(scenes)
        self._truth = Shapes(flat.truth, masks=True)
        self._detections = Shapes(flat.detections, masks=True)
        # Truths and detections are numbered over all images; these give the image of each.
        self._image_of_truth = np.repeat(np.arange(len(scenes)), flat.n_truth)
        self._image = np.repeat(np.arange(len(scenes)), flat.n_detections)
        self._is_object = ~flat.ignored_truth & (self._truth.areas > 0)
        self._has_area = self._detections.areas > 0
        pairs = overlapping_pairs(
            self._truth.boxes, self._detections.boxes, flat.n_truth, flat.n_detections
        )
        pairs = pairs.where((self._truth.areas[pairs.truth] > 0) & self._has_area[pairs.detection])
        shared = intersection_areas(self._truth, self._detections, pairs)
        # Two lists of pairs are used from here: with ignored truths, and matches with objects.
        touches_ignored = flat.ignored_truth[pairs.truth] & (shared > 0)
        self._ignored_pairs = pairs.where(touches_ignored)
        self._ignored_shared = shared[touches_ignored]
        keep = self._matching(measurement, pairs, shared)
        self._pairs, self._shared = pairs.where(keep), shared[keep]
        # Number of detections of each truth, and of truths of each detection.
        self._s = np.bincount(self._pairs.truth, minlength=len(flat.truth))
        self._m = np.bincount(self._pairs.detection, minlength=len(flat.detections))
        self._partners = _grouped(self._pairs.truth, self._pairs.detection)
        self._members = _grouped(self._pairs.detection, self._pairs.truth)
        self._ignored_of = _grouped(self._ignored_pairs.detection, self._ignored_pairs.truth)
        self._lines = Lines(measurement.regions, scenes, flat, self._truth, self._is_object)
        self._covered = self._coverages()
        self._text, self._background = self._text_and_background()
        self.objects = self._objects()
        self.ignored = self._ignored(measurement.dont_care_overlap)
        self.false_positives = self._false_positives()

    def _matching(
        self, measurement: Measurement, pairs: Pairs, shared: Floats
    ) -> NDArray[np.bool_]:
        # For each pair the area of its truth, and that of its detection.
        truth, detection = (
            self._truth.areas[pairs.truth],
            self._detections.areas[pairs.detection],
        )
        keep = self._is_object[pairs.truth] & (shared > NOISE * np.minimum(truth, detection))
        enough = (shared >= measurement.min_overlap * truth) | (
            shared >= measurement.min_overlap * detection
        )
        return np.asarray(keep & enough)

    def _coverages(self) -> Floats:
        """Return how much area of each object its detections cover."""
        # The shared areas add up, unless detections of an object overlap each other; only those
        # objects need a union.
        covered = summed(self._pairs.truth, self._shared, len(self._s))
        overlapping = overlapping_groups(self._detections, self._partners)
        pieces = [Piece((self._detections, self._partners[i])) for i in overlapping]
        covered[overlapping] = union_areas(pieces, (self._truth, overlapping))
        return np.asarray(covered)

    def _text_and_background(self) -> tuple[Floats, Floats]:
        """Return the areas of text and of background in each matched detection."""
        text = summed(self._pairs.detection, self._shared, len(self._m))
        overlapping = overlapping_groups(self._truth, self._members)
        pieces = [Piece((self._truth, self._members[j])) for j in overlapping]
        text[overlapping] = union_areas(pieces, (self._detections, overlapping))
        background = np.where(self._m > 0, self._detections.areas - text, 0.0)
        # Gaps of lines and ignored regions are neutral: background is the area outside the text and
        # these.
        partly_neutral, pieces = [], []
        for j, members in self._members.items():
            lines = self._lines.spanned(members)
            ignored = self._ignored_of.get(j, [])
            if lines or ignored:
                partly_neutral.append(j)
                text_or_neutral = (self._truth, [*members, *ignored])
                pieces.append(Piece(text_or_neutral, (self._lines.shapes, lines)))
        covered = union_areas(pieces, (self._detections, partly_neutral))
        background[partly_neutral] = self._detections.areas[partly_neutral] - covered
        return np.asarray(text), np.maximum(background, 0.0)

    def _objects(self) -> _Objects:
        at = np.flatnonzero(self._is_object)
        s = self._s[at]
        flat_index = at - self._flat.first_truth[self._image_of_truth[at]]
        raw = np.minimum(self._covered[at] / self._truth.areas[at], 1.0)
        fragmentation = 1.0 / (1.0 + np.log(np.maximum(s, 1)))
        measured = [self._accuracy(i) for i in at.tolist()]
        return _Objects(
            *_selected(self._image_of_truth[at], flat_index, len(self.scenes)),
            s,
            raw,
            fragmentation,
            np.array([accuracy for accuracy, _ in measured], dtype=np.float64),
            [kind for _, kind in measured],
        )

    @cached_property
    def _detection_accuracy(self) -> list[float]:
        # The neutral part of a detection is neither text nor background.
        below = self._text + self._background
        return [float(share) for share in shares(self._text, below)]

    def _accuracy(self, i: int) -> tuple[float, Kind | None]:
        partners = self._partners.get(i, [])
        if not partners:
            return 0.0, None
        alone = all(self._m[j] == 1 for j in partners)
        if len(partners) == 1:
            return self._detection_accuracy[partners[0]], "one-to-one" if alone else "merge"
        if alone:
            covered = float(self._covered[i])
            return covered / (covered + self._background_of_all(i, partners)), "split"
        # Pairs are ordered by truth: those of object i are a run. Each part of it contributes text
        # and background of its detection in proportion.
        start = np.searchsorted(self._pairs.truth, i)
        shared = self._shared[start : start + len(partners)]
        dealt = sum(
            share / self._detection_accuracy[j] for share, j in zip(shared, partners, strict=True)
        )
        return float(shared.sum() / dealt), "many-to-many"

    def _background_of_all(self, i: int, partners: Sequence[int]) -> float:
        """Return the area of the union of the backgrounds of an object's own detections."""
        if i not in self._overlapping_objects:
            return float(sum(self._background[j] for j in partners))
        text = [i, *sorted({at for j in partners for at in self._ignored_of.get(j, [])})]
        both = Piece((self._detections, partners), (self._truth, text))
        # Background is the area that the detections cover together beyond the text and the ignored
        # regions.
        with_text, of_text = union_areas([both, Piece((self._truth, text))])
        return max(float(with_text - of_text), 0.0)

    @cached_property
    def _overlapping_objects(self) -> set[int]:
        return set(overlapping_groups(self._detections, self._partners))

    def _ignored(self, limit: float) -> NDArray[np.bool_]:
        """Return which unmatched detections have over ``limit`` of their area in ignored truths.

        A share that equals the limit up to rounding is not more; otherwise a translation could
        change the result.
        """
        inside = summed(self._ignored_pairs.detection, self._ignored_shared, len(self._m))
        share = shares(inside, self._detections.areas)
        # A sum over overlapping regions is too large, never too small.
        doubtful = [
            j
            for j, truths in self._ignored_of.items()
            if not self._m[j] and share[j] > limit + NOISE and len(truths) > 1
        ]
        pieces = [Piece((self._truth, self._ignored_of[j])) for j in doubtful]
        exact = union_areas(pieces, (self._detections, doubtful))
        share[doubtful] = exact / self._detections.areas[doubtful]
        return np.asarray((self._m == 0) & (share > limit + NOISE))

    def _false_positives(self) -> _Selection:
        at = np.flatnonzero(self._has_area & (self._m == 0) & ~self.ignored)
        index = at - self._flat.first_detection[self._image[at]]
        return _Selection(*_selected(self._image[at], index, len(self.scenes)))

    def counts(self, at: int) -> dict[str, float]:
        """Return the counts of an image, named as in the published result files."""
        objects, detections = self.objects.at(at), self._flat.slices(at)[1]
        n_objects, tp = objects.stop - objects.start, int(self.objects.hit[objects].sum())
        false_positives = self.false_positives.at(at)
        return {
            "gt": n_objects,
            "detections": int(self._has_area[detections].sum()),
            "tp": tp,
            "fp": false_positives.stop - false_positives.start,
            "missed": n_objects - tp,
            "ignored": int(self.ignored[detections].sum()),
        }

    def sums(self, at: int) -> dict[str, float]:
        objects = self.objects.at(at)
        s, hit = self.objects.s[objects], self.objects.hit[objects]
        raw, part = self.objects.raw[objects], self.objects.fragmentation[objects]
        return {
            "r_quality": float(raw @ part),
            "r_quality_no_split": float(raw.sum()),
            "p_quality": float(self.objects.accuracy[objects].sum()),
            "split": float(part[hit].sum()),
            "split_objects": int((s > 1).sum()),
            "fragments": int(s[s > 1].sum()),
        }

    def matches(self, at: int, recall: Floats, precision: Floats) -> tuple[Match, ...]:
        objects = self.objects.at(at)
        first_truth = int(self._flat.first_truth[at])
        first = int(self._flat.first_detection[at])
        matches = []
        for position in range(objects.start, objects.stop):
            kind = self.objects.kind[position]
            if kind is None:
                continue
            index = int(self.objects.index[position])
            partners = self._partners[first_truth + index]
            matches.append(
                Match(
                    (index,),
                    tuple(j - first for j in partners),
                    kind,
                    float(recall[position]),
                    float(precision[position]),
                )
            )
        return tuple(matches)

    def unmatched(self, at: int) -> tuple[Unmatched, ...]:
        truths, detections = self._flat.slices(at)
        reasons = []
        for index, i in enumerate(range(truths.start, truths.stop)):
            if self._flat.ignored_truth[i]:
                reasons.append(Unmatched("truth", index, IGNORED))
            elif not self._is_object[i]:
                reasons.append(Unmatched("truth", index, f"{_NO_AREA}, so it is left out"))
            elif not self._s[i]:
                reasons.append(Unmatched("truth", index, "no detection shares area with it"))
        for index, j in enumerate(range(detections.start, detections.stop)):
            if not self._has_area[j]:
                reasons.append(
                    Unmatched(
                        "detection",
                        index,
                        f"{_NO_AREA}, so it is left out",
                    )
                )
            elif self.ignored[j]:
                reasons.append(Unmatched("detection", index, INSIDE_IGNORED))
            elif not self._m[j]:
                reasons.append(Unmatched("detection", index, "it shares area with no truth"))
        return tuple(reasons)


def _grouped(by: Indices, values: Indices) -> dict[int, list[int]]:
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for key, value in zip(by.tolist(), values.tolist(), strict=True):
        groups[key].append(value)
    return dict(groups)


class Lines:
    """The upper level of the ground truth: the line of each object, and the shape of each line."""

    def __init__(
        self,
        mode: str,
        scenes: Sequence[Scene],
        flat: Flat,
        truth: Shapes,
        is_object: NDArray[np.bool_],
    ) -> None:
        self._of_object: dict[int, int] = {}
        shapes: list[Region] = []
        if mode != "none":
            for at, scene in enumerate(scenes):
                truths, _ = flat.slices(at)
                objects = [i for i in range(truths.start, truths.stop) if is_object[i]]
                groups = (
                    _given_lines(flat, objects)
                    if mode == "given"
                    else _derived_lines(truth.boxes, objects)
                )
                for tag, members in groups.items():
                    self._of_object.update(dict.fromkeys(members, len(shapes)))
                    given = scene.parents.get(tag) if mode == "given" else None
                    shapes.append(given or _hull([flat.truth[i] for i in members]))
        self.shapes = Shapes(shapes, masks=True)

    def spanned(self, objects: Sequence[int]) -> list[int]:
        """Return the lines that contain at least two of these objects."""
        if not self._of_object or len(objects) < 2:
            return []
        counts = Counter(self._of_object[i] for i in objects if i in self._of_object)
        return [line for line, n in counts.items() if n > 1]


def _given_lines(flat: Flat, objects: Sequence[int]) -> dict[str, list[int]]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for i in objects:
        tag = flat.truth[i].parent
        if tag is not None:
            groups[tag].append(i)
    return dict(groups)


def _derived_lines(boxes: Floats, objects: Sequence[int]) -> dict[str, list[int]]:
    """Return the lines: two or more objects connected by being side by side at similar height."""
    # Every object begins as its own line, named after its first object; two lines merge if an
    # object of one is next to an object of the other.
    members = {i: [i] for i in objects}
    line_of = {i: i for i in objects}
    for at, i in enumerate(objects):
        for k in objects[at + 1 :]:
            if line_of[i] != line_of[k] and _side_by_side(boxes[i], boxes[k]):
                joined, left = line_of[i], line_of[k]
                members[joined] += members.pop(left)
                line_of.update(dict.fromkeys(members[joined], joined))
    return {str(first): line for first, line in members.items() if len(line) > 1}


def _side_by_side(a: Floats, b: Floats) -> bool:
    # a and b: left, top, right, bottom. They share half of the smaller height, are of similar
    # height, and the gap between them is no wider than the larger height.
    heights = a[3] - a[1], b[3] - b[1]
    low, high = min(heights), max(heights)
    shared = min(a[3], b[3]) - max(a[1], b[1])
    gap = max(a[0], b[0]) - min(a[2], b[2])
    return bool(shared >= 0.5 * low and high <= 2.0 * low and gap <= high)


def _hull(regions: Sequence[Region]) -> Region:
    """Return the bounding box of words, or their convex hull if one is not an upright box."""
    if all(region.is_rectangle or region.pixels is not None for region in regions):
        boxes = np.array([region.box for region in regions])
        return Region.from_box(
            *boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist()
        )
    points = [point for region in regions for point in np.reshape(region.points, (-1, 2))]
    hull = shapely.convex_hull(shapely.MultiPoint(points))
    return Region(tuple(shapely.get_coordinates(hull)[:-1].ravel().tolist()))
