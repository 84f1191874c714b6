"""PopEval: end to end, by letters that truths and detections share ([LJ19]_)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import shapely

from .core import overlays
from .core.base import (
    Family,
    ImageScore,
    Kind,
    Match,
    Needs,
    Protocol,
    Scene,
    Tally,
    f_score,
    parameter,
)
from .core.fitting import of_known_text
from .core.geometry import Floats, Indices, shares
from .core.matching import unmatched_of
from .core.overlays import Polygons
from .core.regions import Region


@dataclass(frozen=True)
class Popeval(Protocol):
    """Strike out every letter of the ground truth that an overlapping detection has read.

    A truth's candidates are the detections that touch it and share a remaining letter with it.
    Truths with a single candidate go first, starting with the nearest to the origin; if there is
    none, the nearest of the rest is compared with the candidate that covers the largest share of it
    (all of them on a tie). Common letters are struck out of both texts, from the left. R = letters
    struck out / letters of the truths, P = letters struck out / letters detected.

    Truths that are ignored, or have no text, are left out, with the detections that have more than
    ``max_ignored_share`` of their area in one. If the ground truth has no letters, R = 1, and P is
    0 if letters were detected, else 1. If only the detections have none, P = 0. Order decides only
    between truths at the same distance.
    """

    slug: ClassVar[str] = "popeval"
    family: ClassVar[Family] = "What was read"
    name: ClassVar[str] = "PopEval"
    reference: ClassVar[str] = "LJ19"
    summary: ClassVar[str] = "Letters read in the right place, crossed off one by one."
    needs: ClassVar[Needs] = "detected text"

    max_ignored_share: float = parameter(
        0.5, says="a detection with a larger share inside an ignored truth is ignored"
    )

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        return [self._score(of_known_text(scene)) for scene in scenes]

    def _score(self, scene: Scene) -> ImageScore:
        detections = scene.detections or ()
        truth_hulls, hulls = _hulls(scene.truth), _hulls(detections)
        # For each pair of hulls that touch: ``rows`` has its truth, ``columns`` its detection.
        rows, columns = _touching(truth_hulls, hulls)
        shared = shapely.area(overlays.intersection(truth_hulls[rows], hulls[columns]))
        ignored_truth = np.array([region.ignored for region in scene.truth], dtype=bool)
        # For each such pair: ``share`` of the detection in the truth, ``cover`` of the truth.
        areas = shapely.area(hulls)[columns]
        share = shares(shared, areas)
        ignored = np.zeros(len(detections), dtype=bool)
        inside = ignored_truth[rows] & (share > self.max_ignored_share)
        ignored[columns[inside]] = True
        counted = ~ignored_truth[rows] & ~ignored[columns]
        truth_areas = shapely.area(truth_hulls)[rows]
        cover = shares(shared, truth_areas)
        texts = [
            "" if passed_over else region.text or ""
            for region, passed_over in zip(scene.truth, ignored_truth, strict=True)
        ]
        read = [
            "" if passed_over else region.text or ""
            for region, passed_over in zip(detections, ignored, strict=True)
        ]
        game = _Game(texts, read, _distances(truth_hulls))
        for i, j, part in zip(
            rows[counted].tolist(), columns[counted].tolist(), cover[counted].tolist(), strict=True
        ):
            game.add(i, j, part)
        game.play()
        return _scored(game, texts, read, ignored_truth.tolist(), ignored.tolist())


def _hulls(regions: Sequence[Region]) -> Polygons:
    if not regions:
        return np.zeros(0, dtype=object)
    n_points = [region.n_points for region in regions]
    # All points of all regions, shape (n, 2) in the end; ``indices`` gives the region of each.
    coordinates = np.array([value for region in regions for value in region.points])
    points = shapely.multipoints(
        coordinates.reshape(-1, 2), indices=np.repeat(np.arange(len(regions)), n_points)
    )
    return np.asarray(shapely.convex_hull(points), dtype=object)


def _touching(truth: Polygons, detections: Polygons) -> tuple[Indices, Indices]:
    if not len(truth) or not len(detections):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    rows, columns = shapely.STRtree(detections).query(truth, predicate="intersects")
    # The tree guarantees no order.
    order = np.lexsort((columns, rows))
    return rows[order], columns[order]


def _distances(hulls: Polygons) -> list[float]:
    """Return the distance of an inner point of each region from the origin."""
    points: Floats = shapely.get_coordinates(shapely.point_on_surface(hulls))
    return [float(distance) for distance in np.hypot(*points.reshape(-1, 2).T)]


@dataclass
class _Game:
    """The remaining letters of all texts while common letters are struck out."""

    truth: list[str]
    read: list[str]
    distances: list[float]
    struck: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))
    _cover: defaultdict[int, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    _touched_by: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    _candidates: dict[int, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.truth, self.read = list(self.truth), list(self.read)

    def add(self, i: int, j: int, cover: float) -> None:
        """Record that a detection touches a truth, and which share of the truth it covers."""
        self._cover[i][j] = cover
        self._touched_by[j].append(i)

    def play(self) -> None:
        for i in sorted(self._cover):
            self._refresh(i)
        while self._candidates:
            # A truth with a single candidate has no choice and comes first; then, as published, the
            # one nearest to the origin. It is compared with the candidates that cover most of it.
            single = [i for i, candidates in self._candidates.items() if len(candidates) == 1]
            i = min(single or self._candidates, key=lambda at: (self.distances[at], at))
            candidates = self._candidates[i]
            most = max(self._cover[i][j] for j in candidates)
            for j in [j for j in candidates if self._cover[i][j] == most]:
                self._strike(i, j)

    def _refresh(self, i: int) -> None:
        letters = set(self.truth[i])
        candidates = [j for j in self._cover[i] if not letters.isdisjoint(self.read[j])]
        if candidates:
            self._candidates[i] = candidates
        else:
            self._candidates.pop(i, None)

    def _strike(self, i: int, j: int) -> None:
        # Strike out each letter of the truth with an equal one of the detection, if there is one.
        for letter in self.truth[i]:
            if letter in self.read[j]:
                self.truth[i] = self.truth[i].replace(letter, "", 1)
                self.read[j] = self.read[j].replace(letter, "", 1)
                self.struck[i, j] += 1
        # Truths that touch the same detection may have lost their last common letter.
        for at in self._touched_by[j]:
            self._refresh(at)


def _scored(
    game: _Game,
    texts: Sequence[str],
    read: Sequence[str],
    ignored_truth: Sequence[bool],
    ignored: Sequence[bool],
) -> ImageScore:
    n_letters, n_read = sum(map(len, texts)), sum(map(len, read))
    n_struck = sum(game.struck.values())
    if n_letters:
        recall, precision = n_struck / n_letters, n_struck / n_read if n_read else 0.0
    else:
        recall, precision = 1.0, 0.0 if n_read else 1.0
    pairs = sorted(pair for pair, n in game.struck.items() if n)
    reasons = {
        "truth": "no detection on it has a letter of its text",
        "detection": "it has no letter of the text under it",
    }
    truths, detections = {i for i, _ in pairs}, {j for _, j in pairs}
    return ImageScore(
        recall,
        precision,
        f_score(recall, precision),
        Tally(n_struck, n_letters, n_struck, n_read),
        tuple(_match(pairs, game, i, j) for i, j in pairs),
        unmatched_of(ignored_truth, ignored, truths, detections, lambda side, _: reasons[side]),
        {"n_letters": n_letters, "n_detected_letters": n_read, "n_struck_letters": n_struck},
    )


def _match(pairs: Sequence[tuple[int, int]], game: _Game, i: int, j: int) -> Match:
    several = sum(at == i for at, _ in pairs) > 1, sum(at == j for _, at in pairs) > 1
    kinds: dict[tuple[bool, bool], Kind] = {
        (False, False): "one-to-one",
        (True, False): "split",
        (False, True): "merge",
    }
    struck = float(game.struck[i, j])
    return Match((i,), (j,), kinds.get(several, "many-to-many"), struck, struck)
