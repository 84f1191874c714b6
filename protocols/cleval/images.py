"""Characters of truths inside detections, and the matches that follow from them ([B20]_)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from ..core.base import Kind, Scene, Unmatched
from ..core.characters import Characters, IgnoredParts, characters_of, inside
from ..core.geometry import (
    Floats,
    Indices,
    Pairs,
    Shapes,
    intersection_areas,
    overlapping_pairs,
    shares,
)
from ..core.matching import Flat, flatten, largest, summed, unmatched_of
from ..core.regions import Region

_SMALL: Final = 1e-5
_MAX_CHARACTERS: Final = 10


@dataclass
class CharacterMatches:
    """The matches of one image: which characters of each truth each of its detections holds."""

    scene: Scene
    truth_ignored: list[bool]
    ignored: list[bool]
    guessed: list[int]
    # For each matched pair, the characters inside.
    held: dict[tuple[int, int], NDArray[np.bool_]]
    groups: list[tuple[tuple[int, ...], tuple[int, ...], Kind]]
    best_of_truth: list[float]
    best: list[float]

    def __post_init__(self) -> None:
        self.pairs = sorted(self.held)
        self.found_by_detection: list[int] = [0] * len(self.ignored)
        self.found: list[int] = [0] * len(self.truth_ignored)
        self.n_overlapped = 0
        # By truth: which of its characters an earlier detection already holds.
        taken: dict[int, NDArray[np.bool_]] = {}
        for i, j in sorted(self.held, key=lambda pair: (pair[1], pair[0])):
            inside_now = self.held[i, j]
            before = taken.get(i)
            new = inside_now if before is None else inside_now & ~before
            n_new = int(new.sum())
            self.found_by_detection[j] += n_new
            self.found[i] += n_new
            self.n_overlapped += int(inside_now.sum()) - n_new
            taken[i] = inside_now if before is None else before | inside_now

    @property
    def n_characters(self) -> int:
        return sum(
            len(region.text or "")
            for region, ignored in zip(self.scene.truth, self.truth_ignored, strict=True)
            if not ignored
        )

    @property
    def n_false_positive_characters(self) -> int:
        matched = {j for _, j in self.pairs}
        return sum(
            n
            for j, (n, ignored) in enumerate(zip(self.guessed, self.ignored, strict=True))
            if not ignored and j not in matched
        )

    def reading_order(self, i: int) -> list[int]:
        """Return the detections of a truth in the order in which they first hold a character."""
        left = [j for at, j in self.pairs if at == i]
        order = []
        for column in range(len(self.held[i, left[0]])):
            if len(left) == 1:
                break
            first = next((j for j in left if self.held[i, j][column]), None)
            if first is not None:
                order.append(first)
                left.remove(first)
        return [*order, left[0]]

    def unmatched(self, needed: float) -> tuple[Unmatched, ...]:
        best = {"truth": self.best_of_truth, "detection": self.best}
        return unmatched_of(
            self.truth_ignored,
            self.ignored,
            {i for i, _ in self.pairs},
            {j for _, j in self.pairs},
            lambda side, at: _why(best[side][at], needed),
        )


def _why(best: float, needed: float) -> str:
    if best >= needed:
        return "its best pair holds no character, or is one of several that do not fit"
    return f"at most {best:.3f} of a detection is on the truth; the minimum is {needed:g}"


@dataclass(frozen=True, slots=True)
class Quads:
    """The published program's boxes of four corners.

    Coordinates are truncated to whole numbers. Characters are on a straight line, which runs
    downwards if the ratio of width to height is below ``min_aspect``. Left and top edges are
    inside.
    """

    min_aspect: float
    open_edges: ClassVar[bool] = False

    def shapes(self, regions: Sequence[Region]) -> Shapes:
        return Shapes(regions, truncate=True)

    def characters(self, flat: Flat, truth: Shapes) -> Characters:
        """Return each truth's characters: as many as in its text, or a guess for ignored ones."""
        aspect = _aspects(truth)
        n = _lengths(flat)
        n[flat.ignored_truth] = _guessed(np.maximum(aspect, 1.0 / aspect))[flat.ignored_truth]
        straight = np.zeros(len(n), dtype=bool)
        return characters_of(truth, n, downwards=aspect < self.min_aspect, curved=straight)

    def false_characters(self, detections: Shapes) -> NDArray[np.intp]:
        """Return the number of characters that each detection counts as a false positive."""
        return _guessed(1.0 / (_SMALL + _aspects(detections)))


@dataclass(frozen=True, slots=True)
class Polygons:
    """The published program's polygons, whatever number of points they have.

    Characters are placed along the top and the bottom, and no edge is inside. The ratio of width to
    height is always above 100,000, so a false positive counts as one character, an ignored truth as
    ten, and no text runs downwards.
    """

    open_edges: ClassVar[bool] = True

    def shapes(self, regions: Sequence[Region]) -> Shapes:
        return Shapes(list(map(_of_four, regions)), buffered=True)

    def characters(self, flat: Flat, truth: Shapes) -> Characters:
        """Return each truth's characters: as many as in its text, or ten for ignored ones."""
        n = _lengths(flat)
        n[flat.ignored_truth] = _MAX_CHARACTERS
        every = np.ones(len(n), dtype=bool)
        return characters_of(truth, n, downwards=~every, curved=every)

    def false_characters(self, detections: Shapes) -> NDArray[np.intp]:
        return np.ones(len(detections.n_points), dtype=np.intp)


BoxRule = Quads | Polygons


def _of_four(region: Region) -> Region:
    """Return the region; a triangle gets a fourth corner below its first one, as published."""
    if len(region.points) != 6:
        return region
    return replace(region, points=(*region.points, region.points[0], region.points[5]))


def _lengths(flat: Flat) -> NDArray[np.intp]:
    return np.array([len(region.text or "") for region in flat.truth], dtype=np.intp)


def _aspects(shapes: Shapes) -> Floats:
    """Return the ratio of width to height of each region.

    For a quadrilateral, the mean length of its two horizontal sides over that of its two vertical
    sides; for other polygons, the ratio of the bounding box.
    """
    corners = shapes.corners()
    # Lengths of the four sides of each region, shape (n, 4): from each corner to the next.
    sides = np.hypot(*np.moveaxis(np.roll(corners, -1, axis=1) - corners, 2, 0))
    # Sides 0 and 2 are the top and the bottom of a text, 1 and 3 its ends.
    width, height = (sides[:, 0] + sides[:, 2]) / 2, (sides[:, 1] + sides[:, 3]) / 2
    others = shapes.n_points != 4
    box = shapes.boxes[:, 2:] - shapes.boxes[:, :2]
    width = np.where(others, box[:, 0], width)
    height = np.where(others, box[:, 1], height)
    return np.asarray((width + _SMALL) / (height + _SMALL))


def _guessed(ratio: Floats) -> NDArray[np.intp]:
    """Return the guessed number of characters of regions with this ratio; halves round to even."""
    return np.minimum(np.round(0.5 + ratio), _MAX_CHARACTERS).astype(np.intp)


def images_of(
    scenes: Sequence[Scene], rule: BoxRule, min_area_precision: float
) -> list[CharacterMatches]:
    """Return the matches of each scene; all scenes are measured together.

    There is one answer for each scene.
    """
    flat = flatten(scenes)
    truth, detections = rule.shapes(flat.truth), rule.shapes(flat.detections)
    # From here an array has one entry for each pair of a truth and a detection whose boxes meet.
    pairs = overlapping_pairs(truth.boxes, detections.boxes, flat.n_truth, flat.n_detections)
    shared = intersection_areas(truth, detections, pairs)
    parts = IgnoredParts(flat, truth, detections, pairs, shared)
    # The published program stores and compares shares in single precision.
    tau = shares(parts.shared, detections.areas[pairs.detection]).astype(np.float32)
    characters = rule.characters(flat, truth)
    # One entry for each pair and each character of its truth; ``rows`` says which pair.
    rows, at = characters.of(pairs.truth)
    held = inside(
        characters.points[at],
        detections,
        pairs.detection[rows],
        open_edges=rule.open_edges,
    )
    n_held = np.bincount(rows, held, minlength=len(pairs.truth)).astype(np.intp)
    enough = tau >= np.float32(min_area_precision)
    ignored = _ignored(flat, pairs, tau, n_held, min_area_precision)
    guessed = rule.false_characters(detections)
    # Pairs without a character take part in no match; nearly all pairs have none.
    holding = n_held > 0
    good = enough & holding
    rows_by_scene = flat.by_scene(
        pairs.where(holding),
        good[holding].astype(np.float64),
        tau[holding].astype(np.float64),
        np.flatnonzero(holding).astype(np.float64),
    )
    # The characters of pair k are at ends[k] to ends[k + 1] of ``held``.
    ends = list(accumulate(characters.n[pairs.truth].tolist(), initial=0))
    best_of_truth = largest(pairs.truth, tau, len(flat.truth)).tolist()
    best = largest(pairs.detection, tau, len(ignored)).tolist()
    images = []
    for scene_at, scene in enumerate(scenes):
        truths, of_scene = flat.slices(scene_at)
        truth_ignored = flat.ignored_truth[truths].tolist()
        scene_ignored = ignored[of_scene].tolist()
        scene_rows = rows_by_scene.get(scene_at, [])
        groups = _groups(scene_rows, truth_ignored, scene_ignored, min_area_precision)
        row_of = {(i, j): int(row) for i, j, _, _, row in scene_rows}
        matched = {(i, j) for members, js, _ in groups for i in members for j in js}
        images.append(
            CharacterMatches(
                scene,
                truth_ignored,
                scene_ignored,
                guessed[of_scene].tolist(),
                {pair: held[ends[row_of[pair]] : ends[row_of[pair] + 1]] for pair in matched},
                groups,
                best_of_truth[truths],
                best[of_scene],
            )
        )
    return images


def _ignored(
    flat: Flat, pairs: Pairs, tau: NDArray[np.float32], n_held: Indices, needed: float
) -> NDArray[np.bool_]:
    """Return which detections are ignored: enough of their area is inside ignored truths.

    A single ignored truth counts even if the detection holds none of its characters; of several
    together, only those count of which it holds a character.
    """
    ignored = np.zeros(len(flat.detections), dtype=bool)
    of_ignored = flat.ignored_truth[pairs.truth]
    ignored[pairs.detection[of_ignored & (tau >= np.float32(needed))]] = True
    touched = of_ignored & (n_held > 0)
    together = summed(pairs.detection[touched], tau[touched].astype(np.float64), len(ignored))
    return ignored | ((together >= needed) & (together > 0))


def _groups(
    rows: Sequence[tuple[Any, ...]],
    truth_ignored: Sequence[bool],
    ignored: Sequence[bool],
    needed: float,
) -> list[tuple[tuple[int, ...], tuple[int, ...], Kind]]:
    """Return the matches of an image: one-to-one, split, merge."""
    groups: list[tuple[tuple[int, ...], tuple[int, ...], Kind]] = []
    in_row = Counter(i for i, _, good, _, _ in rows if good)
    in_column = Counter(j for _, j, good, _, _ in rows if good)
    splits: defaultdict[int, list[int]] = defaultdict(list)
    merges: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for i, j, good, tau, _ in rows:
        if truth_ignored[i] or ignored[j]:
            continue
        if good:
            splits[i].append(j)
            if in_row[i] == 1 and in_column[j] == 1:
                groups.append(((i,), (j,), "one-to-one"))
        merges[j].append((i, tau))
    for i, parts in splits.items():
        if len(parts) > 1:
            groups.append(((i,), tuple(parts), "split"))
    for j, truths in sorted(merges.items()):
        if len(truths) > 1 and sum(tau for _, tau in truths) >= needed:
            groups.append((tuple(i for i, _ in truths), (j,), "merge"))
    return groups
