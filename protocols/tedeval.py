"""TedEval: matches by area, scored by the characters they hold ([LB19]_)."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from .core import thresholds
from .core.base import Family, ImageScore, Kind, Needs, Scene, Side, Tally, f_score
from .core.characters import IgnoredParts, characters_of, inside
from .core.credits import CreditProtocol
from .core.geometry import Floats, Pairs, Shapes, intersection_areas, overlapping_pairs, shares
from .core.lazy_shapely import shapely
from .core.matching import first_credited, flatten, kinds_of, largest, summed, unmatched_of

# Above this ratio of height to width, text is assumed to run downwards.
_DOWNWARDS: Final = 1.5
_MAX_ANGLE: Final = 45.0


@dataclass(frozen=True)
class Tedeval(CreditProtocol):
    """One-to-one, split and merge matches that do not exclude each other, scored by characters.

    A truth's recall is the share of its characters inside exactly one of its detections; a
    detection's precision is the number of characters inside it over those of its truths. The
    characters of a word, as many as its text has, are spaced equally on its middle line. Ignored
    truths are cut out of every detection; splits and merges over several lines of text are refused.

    A counted truth without text has one character; the published program stops there. Without
    counted truth R = 1, and P is 0 if there are counted detections, else 1.
    """

    slug: ClassVar[str] = "tedeval"
    family: ClassVar[Family] = "Characters"
    name: ClassVar[str] = "TedEval"
    reference: ClassVar[str] = "LB19"
    summary: ClassVar[str] = "Matches by area, scored by the characters they hold."
    needs: ClassVar[Needs] = "text"

    min_area_recall: float = thresholds.min_area_recall(0.4)
    min_area_precision: float = thresholds.min_area_precision(0.4)
    max_centre_distance: float = thresholds.max_centre_distance()

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        measured = _Measured(self, scenes)
        scores = []
        for at, scene in enumerate(scenes):
            image = measured.image(at)
            image.match()
            score = image.score()
            credits = (image.truth_credits, image.credits)
            scores.append(self.settled(scene, score, image.truth_ignored, image.ignored, credits))
        return scores


class _Measured:
    """Areas, ignored detections and characters of all scenes."""

    def __init__(self, protocol: Tedeval, scenes: Sequence[Scene]) -> None:
        self._protocol = protocol
        self._flat = flat = flatten(scenes)
        self.truth = truth = Shapes(flat.truth, truncate=True)
        self.detections = detections = Shapes(flat.detections, truncate=True)
        pairs = overlapping_pairs(truth.boxes, detections.boxes, flat.n_truth, flat.n_detections)
        shared = intersection_areas(truth, detections, pairs)
        # From here an array has one entry for each pair of regions that share area.
        pairs, shared = pairs.where(shared > 0), shared[shared > 0]
        parts = IgnoredParts(flat, truth, detections, pairs, shared)
        shared = parts.shared
        self.ignored = self._ignored(pairs, shared, parts.areas)
        of_ignored = flat.ignored_truth[pairs.truth] & (shared > 0)
        lost = parts.taken(pairs.where(of_ignored), shared[of_ignored], len(flat.detections))
        self._parts, self._lost_pairs = parts, pairs.where(of_ignored)
        # Remainder of each detection after the ignored truths are cut out; shape (detections,).
        areas = np.maximum(detections.areas - lost, 0.0)
        # The remainder of a detection shares nothing with ignored truths.
        counted = ~flat.ignored_truth[pairs.truth]
        self.pairs, shared = pairs.where(counted), shared[counted]
        self.sigma = shares(shared, truth.areas[self.pairs.truth])
        self.tau = np.minimum(shares(shared, areas[self.pairs.detection]), 1.0)
        both = np.minimum(self.sigma, self.tau)
        self._best_of_truth = largest(self.pairs.truth, both, len(flat.truth))
        self._best = largest(self.pairs.detection, both, len(flat.detections))
        # All other pairs take part in no match.
        near = self.sigma >= protocol.min_area_recall
        near |= self.tau >= protocol.min_area_precision
        self.pairs = self.pairs.where(near)
        self.sigma, self.tau = self.sigma[near], self.tau[near]
        self._marks = _Marks(truth), _Marks(detections)
        n = np.array(
            [0 if region.ignored else max(len(region.text or ""), 1) for region in flat.truth],
            dtype=np.intp,
        )
        width, height = (truth.boxes[:, 2:] - truth.boxes[:, :2]).T
        downwards = height > _DOWNWARDS * width
        self.characters = characters_of(truth, n, downwards=downwards, curved=truth.n_points != 4)
        self._held = self._characters_held(lost)
        self._overlaps = flat.by_scene(
            self.pairs, self.sigma, self.tau, np.arange(len(self.pairs), dtype=np.float64)
        )

    def _ignored(self, pairs: Pairs, shared: Floats, areas: Floats) -> NDArray[np.bool_]:
        ignored_truth = self._flat.ignored_truth[pairs.truth]
        sigma = shares(shared, areas[pairs.truth])
        tau = shares(shared, self.detections.areas[pairs.detection])
        low, limit = self._protocol.min_area_recall, self._protocol.min_area_precision
        n = len(self._flat.detections)
        together = ignored_truth & (sigma > low)
        added = summed(pairs.detection[together], tau[together], n)
        alone = largest(pairs.detection[ignored_truth], tau[ignored_truth], n)
        return np.asarray((added >= limit) & (added > 0) | (alone > limit))

    def _characters_held(self, lost: Floats) -> list[NDArray[np.bool_]]:
        """Return, for each pair, which characters are inside the rest of the detection."""
        # One entry for each pair and each character of its truth; ``rows`` says which pair.
        rows, at = self.characters.of(self.pairs.truth)
        held = inside(self.characters.points[at], self.detections, self.pairs.detection[rows])
        # A character inside its own truth is in no remainder of an ignored one; only bent truths
        # have characters outside themselves.
        bent = ~(self.truth.rectangular | self.truth.simple)[self.pairs.truth[rows]]
        doubtful = np.flatnonzero(held & bent & (lost[self.pairs.detection[rows]] > 0))
        if len(doubtful):
            # By detection: the ignored truths that are cut out of it.
            cut_out: defaultdict[int, list[int]] = defaultdict(list)
            for i, j in zip(
                self._lost_pairs.truth.tolist(), self._lost_pairs.detection.tolist(), strict=True
            ):
                cut_out[j].append(i)
            for k in doubtful.tolist():
                x, y = self.characters.points[at[k]]
                ignored = self._parts.polygons(
                    np.array(cut_out[int(self.pairs.detection[rows[k]])])
                )
                held[k] = not shapely.contains_xy(ignored, x, y).any()
        return np.split(held, np.cumsum(self.characters.n[self.pairs.truth])[:-1])

    def image(self, at: int) -> "_Image":
        truths, detections = self._flat.slices(at)
        return _Image(
            self._protocol,
            [_Overlap(*values) for values in self._overlaps.get(at, [])],
            self._flat.ignored_truth[truths].tolist(),
            self.ignored[detections].tolist(),
            self.characters.n[truths].tolist(),
            self._held,
            (truths.start, detections.start),
            self._marks,
            self._best_of_truth[truths].tolist(),
            self._best[detections].tolist(),
        )


class _Marks:
    """For each region: centre of gravity, mean diagonal, and the middle between corners 1 and 4."""

    def __init__(self, shapes: Shapes) -> None:
        # Axes: region, its four corners, x and y.
        corners = shapes.corners()
        self.starts = ((corners[:, 0] + corners[:, 3]) / 2).tolist()
        across = np.hypot(*(corners[:, 0] - corners[:, 2]).T)
        self.diagonals = ((across + np.hypot(*(corners[:, 1] - corners[:, 3]).T)) / 2).tolist()
        self.centres = shapes.centroids().tolist()


@dataclass(frozen=True, slots=True)
class _Overlap:
    truth: int
    detection: int
    sigma: float
    tau: float
    row: float


@dataclass
class _Image:
    """The matches of one image, and their credits."""

    protocol: Tedeval
    overlaps: list[_Overlap]
    truth_ignored: list[bool]
    ignored: list[bool]
    n_characters: list[int]
    held: list[NDArray[np.bool_]]
    first: tuple[int, int]
    marks: tuple[_Marks, _Marks]
    best_of_truth: list[float]
    best: list[float]
    groups: list[tuple[tuple[int, ...], tuple[int, ...], Kind]] = field(default_factory=list)
    truth_credits: list[float] = field(default_factory=list)
    credits: list[float] = field(default_factory=list)
    _refused: set[tuple[str, int]] = field(default_factory=set)

    def match(self) -> None:
        rows: defaultdict[int, list[_Overlap]] = defaultdict(list)
        columns: defaultdict[int, list[_Overlap]] = defaultdict(list)
        for overlap in self.overlaps:
            rows[overlap.truth].append(overlap)
            columns[overlap.detection].append(overlap)
        enough = [overlap for overlap in self.overlaps if self._enough(overlap)]
        in_row = Counter(overlap.truth for overlap in enough)
        in_column = Counter(overlap.detection for overlap in enough)
        for j in sorted(columns):
            self._merge(j, columns[j])
        for overlap in enough:
            i, j = overlap.truth, overlap.detection
            alone = in_row[i] == 1 and in_column[j] == 1
            if alone and not self.ignored[j] and self._near(i, j):
                self.groups.append(((i,), (j,), "one-to-one"))
        for i in sorted(rows):
            self._split(i, rows[i])
        self._credit()

    def _enough(self, overlap: _Overlap) -> bool:
        return (
            overlap.sigma >= self.protocol.min_area_recall
            and overlap.tau >= self.protocol.min_area_precision
        )

    def _near(self, i: int, j: int) -> bool:
        truth, found = self.marks
        i, j = i + self.first[0], j + self.first[1]
        gap = math.dist(truth.centres[i], found.centres[j])
        diagonals = truth.diagonals[i] + found.diagonals[j]
        return bool(diagonals > 0 and gap * 2 / diagonals < self.protocol.max_centre_distance)

    def _merge(self, j: int, column: Sequence[_Overlap]) -> None:
        if self.ignored[j]:
            return
        parts = [overlap for overlap in column if overlap.sigma >= self.protocol.min_area_recall]
        total = sum(overlap.tau for overlap in parts)
        if len(parts) > 1 and total >= self.protocol.min_area_precision:
            truths = [overlap.truth for overlap in parts]
            if _on_one_line(self.marks[0], [i + self.first[0] for i in truths]):
                self.groups.append((tuple(truths), (j,), "merge"))
            else:
                self._refused.add(("detection", j))

    def _split(self, i: int, row: Sequence[_Overlap]) -> None:
        parts = [
            overlap
            for overlap in row
            if not self.ignored[overlap.detection]
            and overlap.tau >= self.protocol.min_area_precision
        ]
        total = sum(overlap.sigma for overlap in parts)
        if len(parts) > 1 and total >= self.protocol.min_area_recall:
            detections = [overlap.detection for overlap in parts]
            if _on_one_line(self.marks[1], [j + self.first[1] for j in detections]):
                self.groups.append(((i,), tuple(detections), "split"))
            else:
                self._refused.add(("truth", i))

    def _credit(self) -> None:
        """Credit each matched truth and detection for its characters."""
        row_of = {(overlap.truth, overlap.detection): int(overlap.row) for overlap in self.overlaps}
        pairs = sorted({(i, j) for truths, js, _ in self.groups for i in truths for j in js})
        # By truth: the number of its detections that contain each of its characters. A character in
        # two or more is not found, but claimed twice.
        held_by: dict[int, NDArray[np.int_]] = {}
        inside: Counter[int] = Counter()
        below: Counter[int] = Counter()
        for i, j in pairs:
            held = self.held[row_of[i, j]]
            held_by[i] = held_by.get(i, np.zeros(len(held), dtype=np.int_)) + held
            inside[j] += int(held.sum())
            below[j] += self.n_characters[i]
        self.truth_credits = [0.0] * len(self.truth_ignored)
        for i, times in held_by.items():
            self.truth_credits[i] = int((times == 1).sum()) / self.n_characters[i]
        self.credits = [inside[j] / below[j] if below[j] else 0.0 for j in range(len(self.ignored))]

    def score(self) -> ImageScore:
        n_truth, n_detections = self.truth_ignored.count(False), self.ignored.count(False)
        recalled, precise = sum(self.truth_credits), sum(self.credits)
        if n_truth:
            recall = recalled / n_truth
            precision = precise / n_detections if n_detections else 0.0
        else:
            recall, precision = 1.0, 0.0 if n_detections else 1.0
        matches = first_credited(self.groups, self.truth_credits, self.credits)
        return ImageScore(
            recall,
            precision,
            f_score(recall, precision),
            Tally(recalled, n_truth, precise, n_detections),
            matches,
            unmatched_of(
                self.truth_ignored,
                self.ignored,
                {i for members, _, _ in self.groups for i in members},
                {j for _, members, _ in self.groups for j in members},
                self._why,
            ),
            {
                **kinds_of(matches),
                "n_ignored_truth": self.truth_ignored.count(True),
                "n_ignored_detections": self.ignored.count(True),
            },
        )

    def _why(self, side: Side, at: int) -> str:
        best = (self.best_of_truth if side == "truth" else self.best)[at]
        if (side, at) in self._refused:
            return "its partners are on several lines"
        needed = min(self.protocol.min_area_recall, self.protocol.min_area_precision)
        if best >= needed:
            return "its best partner is no single, split or merged match, or too far away"
        return f"with its best partner it shares {best:.3f} of the larger; {needed:g} is needed"


def _on_one_line(marks: _Marks, members: Sequence[int]) -> bool:
    """Return whether regions are side by side, by the angles between their starts and centres."""
    return all(
        _angle(marks.starts[i], marks.centres[k], marks.centres[i]) < _MAX_ANGLE
        for i in members
        for k in members
        if i != k
    )


def _angle(a: Sequence[float], at: Sequence[float], b: Sequence[float]) -> float:
    """Return the angle between two points seen from a third, folded to 0 to 90 degrees."""
    turn = math.atan2(b[1] - at[1], b[0] - at[0]) - math.atan2(a[1] - at[1], a[0] - at[0])
    angle = math.degrees(turn) % 360.0
    angle = min(angle, 360.0 - angle)
    return min(angle, 180.0 - angle)
