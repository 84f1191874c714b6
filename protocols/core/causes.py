"""Causes of the regions' losses, one for each region, and the cost of each cause (after [BFHH20]_).

The causes and their definitions, with the edge cases, are in docs/protocols/causes.md.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

import numpy as np

from .base import ImageScore, Match, Protocol, Scene, Side, Tally
from .credits import CreditProtocol, match_credits
from .errors import ProtocolError
from .geometry import Pairs, Shapes, intersection_areas, overlapping_pairs, shares
from .matching import Flat, flatten

Cause = Literal[
    "missed", "merged", "split", "too loose", "too tight", "duplicate", "background", "don't care"
]
CAUSES: Final[tuple[Cause, ...]] = get_args(Cause)
# Two regions belong together from this intersection over union on ([BFHH20]_, section 2.1) ...
MIN_IOU: Final = 0.1
# ... or if at least this share of one is inside the other.
MIN_INSIDE: Final = 0.5
# Tolerance for rounding: of a full credit, and between two equal IoUs.
_ROUNDING: Final = 1e-9


class NoCauses(ProtocolError, ValueError):
    """A protocol whose credits are not those of single regions."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A region without full credit, and the one cause of it.

    ``credit`` is in [0, 1]. ``partners`` are the regions of the other side that are to blame, by
    their indices; none for "missed", "background" and "don't care".
    """

    side: Side
    index: int
    cause: Cause
    credit: float
    partners: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """Gain in a tally if one cause is removed, and the regions that have it."""

    n_truth: int = 0
    n_detections: int = 0
    recalled: float = 0.0
    precise: float = 0.0
    # Change in the number (or weight) of detections, below 0 where false ones are removed.
    counted: float = 0.0

    def __add__(self, other: "Change") -> "Change":
        return Change(
            self.n_truth + other.n_truth,
            self.n_detections + other.n_detections,
            self.recalled + other.recalled,
            self.precise + other.precise,
            self.counted + other.counted,
        )


@dataclass(frozen=True, slots=True)
class Losses:
    """The losses of one image, or of several: their tally, and the gain of removing each cause.

    Those of several images are their sum, without the single regions.
    """

    tally: Tally
    changes: Mapping[Cause, Change]
    regions: tuple[Loss, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a cause: the gain in the figures if only this cause were removed.

    A gain is None if its figure is undefined: without counted truth, or counted detections.
    """

    cause: Cause
    n_truth: int
    n_detections: int
    recall: float | None
    precision: float | None
    f_score: float | None


def losses(
    protocol: Protocol, scenes: Sequence[Scene], scores: Sequence[ImageScore]
) -> list[Losses]:
    """Return for each scene why its regions have less than full credit.

    Each counted region without full credit has exactly one cause, each ignored one "don't care",
    and no other region has any. Shares and IoUs are those of the areas, whatever the protocol
    measures; the order of regions decides nothing that it does not decide in the protocol.

    Parameters
    ----------
    protocol : Protocol
        One with ``has_causes``.
    scenes, scores : the images, and the scores that the protocol gave them, with matches

    Raises
    ------
    NoCauses
        If the protocol's credits are not those of single regions.

    Examples
    --------
    >>> from protocols import registry
    >>> from protocols.core.regions import Region
    >>> scene = Scene((Region.from_box(0, 0, 100, 40),), ())
    >>> iou = registry.get("iou")
    >>> [lost] = losses(iou, [scene], iou.score([scene]))
    >>> [(one.side, one.cause) for one in lost.regions]
    [('truth', 'missed')]
    """
    if not isinstance(protocol, CreditProtocol) or not protocol.has_causes:
        raise NoCauses(
            f"{protocol.slug} does not add up the credits of single regions, so "
            "that a region's loss has no cost"
        )
    flat = flatten(scenes)
    truth, detections = Shapes(flat.truth), Shapes(flat.detections)
    met = _met_by_scene(flat, truth, detections)
    alike = _covered_by_scene(flat, detections)
    found = []
    for at, (scene, score) in enumerate(zip(scenes, scores, strict=True)):
        truths, here = flat.slices(at)
        image = _Image(
            score,
            truth.areas[truths].tolist(),
            detections.areas[here].tolist(),
            met.get(at, []),
            alike.get(at, []),
        )
        found.append(image.losses(*_weights(protocol, scene, image)))
    return found


def total(of: Iterable[Losses]) -> Losses:
    """Return the sum of losses over images, without the single regions."""
    recalled = n_truth = precise = n_detections = 0.0
    changes: defaultdict[Cause, Change] = defaultdict(Change)
    for one in of:
        recalled += one.tally.recalled
        n_truth += one.tally.n_truth
        precise += one.tally.precise
        n_detections += one.tally.n_detections
        for cause, change in one.changes.items():
            changes[cause] += change
    return Losses(Tally(recalled, n_truth, precise, n_detections), dict(changes))


def costs(of: Losses) -> list[Cost]:
    """Return the cost of each cause, in the order of ``CAUSES``; nothing for one without a region.

    Each is computed from the observed figures, so the costs do not depend on the order in which
    causes are removed; the recall costs add up to the recall lost.
    """
    before = of.tally.figures
    found = []
    for cause in CAUSES:
        change = of.changes.get(cause, Change())
        after = _mended(of.tally, change).figures
        gains = [
            None if old is None or new is None else new - old
            for old, new in zip(before, after, strict=True)
        ]
        found.append(Cost(cause, change.n_truth, change.n_detections, *gains))
    return found


def _mended(tally: Tally, change: Change) -> Tally:
    precise, counted = tally.precise + change.precise, tally.n_detections + change.counted
    if tally.n_detections and counted < _ROUNDING * tally.n_detections:
        # All detections were false and are gone: nothing wrong is left.
        precise = counted = 1.0
    return Tally(tally.recalled + change.recalled, tally.n_truth, precise, counted)


def _weights(
    protocol: CreditProtocol, scene: Scene, image: "_Image"
) -> tuple[Sequence[float], Sequence[float]]:
    n_truth, n_detections = len(scene.truth), len(scene.detections or ())
    return protocol.region_weights(
        scene,
        [i in image.truth_out for i in range(n_truth)],
        [j in image.out for j in range(n_detections)],
    )


@dataclass(frozen=True, slots=True)
class _Met:
    """A truth and a detection that share area, with its share of each and of their union."""

    truth: int
    detection: int
    of_truth: float
    of_detection: float
    iou: float

    @property
    def belongs(self) -> bool:
        return self.iou >= MIN_IOU or self.truth_is_inside or self.detection_is_inside

    @property
    def truth_is_inside(self) -> bool:
        return self.of_truth >= MIN_INSIDE

    @property
    def detection_is_inside(self) -> bool:
        return self.of_detection >= MIN_INSIDE


def _met_by_scene(flat: Flat, truth: Shapes, detections: Shapes) -> dict[int, list[_Met]]:
    pairs = overlapping_pairs(truth.boxes, detections.boxes, flat.n_truth, flat.n_detections)
    shared = intersection_areas(truth, detections, pairs)
    pairs, shared = pairs.where(shared > 0), shared[shared > 0]
    areas, others = truth.areas[pairs.truth], detections.areas[pairs.detection]
    values = shares(shared, areas), shares(shared, others), shares(shared, areas + others - shared)
    return {
        scene: [_Met(*entry) for entry in entries]
        for scene, entries in flat.by_scene(pairs, *values).items()
    }


def _covered_by_scene(flat: Flat, detections: Shapes) -> dict[int, list[tuple[int, int]]]:
    """Return each scene's (j, k): at least half of detection j is inside detection k."""
    n = flat.n_detections
    pairs = overlapping_pairs(detections.boxes, detections.boxes, n, n)
    pairs = pairs.where(pairs.truth != pairs.detection)
    share = shares(intersection_areas(detections, detections, pairs), detections.areas[pairs.truth])
    pairs = pairs.where(share >= MIN_INSIDE)
    scenes = np.repeat(np.arange(len(n)), n)[pairs.truth]
    return _grouped(scenes.tolist(), pairs, flat)


def _grouped(scenes: list[int], pairs: Pairs, flat: Flat) -> dict[int, list[tuple[int, int]]]:
    grouped: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for scene, j, k in zip(scenes, pairs.truth.tolist(), pairs.detection.tolist(), strict=True):
        first = int(flat.first_detection[scene])
        grouped[scene].append((j - first, k - first))
    return grouped


@dataclass
class _Image:
    """One image: the matches of its regions, and the cause of each one's loss."""

    score: ImageScore
    truth_areas: list[float]
    areas: list[float]
    met: list[_Met]
    covered: list[tuple[int, int]]
    truth_out: set[int] = field(init=False)
    out: set[int] = field(init=False)
    _row: dict[int, list[_Met]] = field(init=False)
    _column: dict[int, list[_Met]] = field(init=False)
    _match_of_truth: dict[int, Match] = field(init=False)
    _match_of: dict[int, Match] = field(init=False)
    # Detections that hold several truths; for each truth, the detections that are pieces of it.
    _mergers: set[int] = field(init=False)
    _pieces: dict[int, set[int]] = field(init=False)

    def __post_init__(self) -> None:
        left = [of for of in self.score.unmatched if of.is_out]
        self.truth_out = {of.index for of in left if of.side == "truth"}
        self.out = {of.index for of in left if of.side == "detection"}
        matches = self.score.matches
        self._match_of_truth = {i: match for match in matches for i in match.truth}
        self._match_of = {j: match for match in matches for j in match.detections}
        self._row, self._column = defaultdict(list), defaultdict(list)
        for met in self.met:
            if met.truth not in self.truth_out and met.detection not in self.out:
                self._row[met.truth].append(met)
                self._column[met.detection].append(met)
        self._mergers = {
            j
            for j, column in self._column.items()
            if sum(met.truth_is_inside for met in column) > 1
        }
        self._pieces = {i: self._pieces_of(row) for i, row in self._row.items()}

    def _pieces_of(self, row: Sequence[_Met]) -> set[int]:
        inside = {met.detection for met in row if met.detection_is_inside}
        return inside - {j for j, k in self.covered if j in inside and k in inside}

    def losses(self, truth_weights: Sequence[float], weights: Sequence[float]) -> Losses:
        recall, precision = match_credits(self.score, len(self.truth_areas), len(self.areas))
        of_truth = [
            self._loss_of_truth(i, credit)
            for i, credit in enumerate(recall)
            if i in self.truth_out or credit < 1.0 - _ROUNDING
        ]
        of_detections = [
            self._loss_of(j, credit)
            for j, credit in enumerate(precision)
            if j in self.out or credit < 1.0 - _ROUNDING
        ]
        right = self._become_right(of_truth, of_detections)
        changes: defaultdict[Cause, Change] = defaultdict(Change)
        for loss in of_truth:
            lost = 0.0 if loss.index in self.truth_out else 1.0 - loss.credit
            changes[loss.cause] += Change(n_truth=1, recalled=truth_weights[loss.index] * lost)
        for loss in of_detections:
            weight = 0.0 if loss.index in self.out else weights[loss.index]
            changes[loss.cause] += Change(
                n_detections=1,
                precise=weight * (right[loss.index] - loss.credit),
                counted=weight * (right[loss.index] - 1.0),
            )
        return Losses(self.score.tally, dict(changes), (*of_truth, *of_detections))

    def _loss_of_truth(self, i: int, credit: float) -> Loss:
        if i in self.truth_out:
            return Loss("truth", i, "don't care", 0.0)
        match = self._match_of_truth.get(i)
        if match is not None:
            pairs = [met for met in self._row[i] if met.detection in match.detections]
            return Loss("truth", i, self._of_match(match, pairs), credit, match.detections)
        related = [
            met
            for met in self._row.get(i, ())
            if met.belongs and (met.detection not in self._match_of or self._is_merged_in(met))
        ]
        if not related:
            return Loss("truth", i, "missed", credit)
        best = _best(related)
        mergers = [met.detection for met in best if self._is_merged_in(met)]
        if mergers:
            return Loss("truth", i, "merged", credit, tuple(mergers))
        pieces = self._pieces[i] - self._match_of.keys()
        if len(pieces) > 1:
            return Loss("truth", i, "split", credit, tuple(sorted(pieces)))
        return Loss("truth", i, self._fit(best), credit, tuple(met.detection for met in best))

    def _is_merged_in(self, met: _Met) -> bool:
        return met.truth_is_inside and met.detection in self._mergers

    def _loss_of(self, j: int, credit: float) -> Loss:
        if j in self.out:
            return Loss("detection", j, "don't care", 0.0)
        match = self._match_of.get(j)
        if match is not None:
            pairs = [met for met in self._column[j] if met.truth in match.truth]
            return Loss("detection", j, self._of_match(match, pairs), credit, match.truth)
        related = [met for met in self._column.get(j, ()) if met.belongs]
        if not related:
            return Loss("detection", j, "background", credit)
        free = [met for met in related if met.truth not in self._match_of_truth]
        held = [met.truth for met in free if self._is_merged_in(met)]
        if held:
            return Loss("detection", j, "merged", credit, tuple(held))
        piece_of = [met.truth for met in free or related if self._is_piece(met)]
        if piece_of:
            return Loss("detection", j, "split", credit, tuple(piece_of))
        if not free:
            return Loss("detection", j, "duplicate", credit, tuple(met.truth for met in related))
        best = _best(free)
        return Loss("detection", j, self._fit(best), credit, tuple(met.truth for met in best))

    def _is_piece(self, met: _Met) -> bool:
        """Return whether a detection is one of several pieces of a truth."""
        pieces = self._pieces[met.truth]
        if met.detection not in pieces:
            return False
        return met.truth in self._match_of_truth or len(pieces - self._match_of.keys()) > 1

    def _of_match(self, match: Match, pairs: Sequence[_Met]) -> Cause:
        """Return the cause for a matched region that earned less than full credit."""
        if len(match.detections) > max(len(match.truth), 1):
            return "split"
        if len(match.truth) > 1 or any(map(self._is_merged_in, pairs)):
            return "merged"
        return self._fit(pairs)

    def _fit(self, pairs: Sequence[_Met]) -> Cause:
        is_tight = any(self.areas[met.detection] <= self.truth_areas[met.truth] for met in pairs)
        return "too tight" if is_tight else "too loose"

    def _become_right(
        self, of_truth: Sequence[Loss], of_detections: Sequence[Loss]
    ) -> Mapping[int, float]:
        """Return, for each detection, how many right ones it becomes if its cause is removed.

        The detections of a truth with the same cause become one right detection together; a merged
        one becomes one for each truth that it merges; false ones are removed. Existing matches are
        never removed.
        """
        blamed = {loss.index: loss.partners for loss in of_truth if loss.cause == "merged"}
        claims: dict[int, list[int]] = {}
        for loss in of_detections:
            if loss.cause == "merged":
                claims[loss.index] = [i for i in loss.partners if loss.index in blamed.get(i, ())]
            else:
                claims[loss.index] = [i for i in loss.partners if i not in self._match_of_truth]
        sharing = Counter((loss.cause, i) for loss in of_detections for i in claims[loss.index])
        right: dict[int, float] = {}
        for loss in of_detections:
            match = self._match_of.get(loss.index)
            if match is not None:
                right[loss.index] = max(len(match.truth) / len(match.detections), 1.0)
                continue
            each = [1.0 / sharing[loss.cause, i] for i in claims[loss.index]]
            among = 1 if loss.cause == "merged" else max(len(each), 1)
            right[loss.index] = math.fsum(each) / among
        return right


def _best(pairs: Sequence[_Met]) -> list[_Met]:
    greatest = max(met.iou for met in pairs)
    return [met for met in pairs if met.iou >= greatest - _ROUNDING]
