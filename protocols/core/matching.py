"""Flat lists of the regions of many images, and what they give for each image."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import add
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .base import Kind, Match, Scene, Side, Unmatched
from .geometry import Floats, Indices, Pairs
from .regions import Region

IGNORED: Final[str] = "an ignored region"
INSIDE_IGNORED: Final[str] = "it is in an ignored region"


@dataclass(frozen=True)
class Flat:
    """All truths and all detections of a list of scenes, one after the other.

    For each scene the numbers of both and the index of its first one; for each truth, whether it is
    ignored.
    """

    truth: list[Region]
    detections: list[Region]
    n_truth: Indices
    n_detections: Indices
    first_truth: Indices
    first_detection: Indices
    ignored_truth: NDArray[np.bool_]

    def slices(self, scene: int) -> tuple[slice, slice]:
        """Return the positions of the truths and of the detections of a scene."""
        truth, detection = self.first_truth[scene], self.first_detection[scene]
        return (
            slice(truth, truth + self.n_truth[scene]),
            slice(detection, detection + self.n_detections[scene]),
        )

    def by_scene(self, pairs: Pairs, *values: Floats) -> dict[int, list[tuple[Any, ...]]]:
        """Return each scene's pairs, numbered within it, with their values; in the pairs' order."""
        # The scene of every pair turns numbers over all scenes into numbers within one.
        scene_of_truth = np.repeat(np.arange(len(self.n_truth)), self.n_truth)
        scenes = scene_of_truth[pairs.truth]
        truth = pairs.truth - self.first_truth[scenes]
        detection = pairs.detection - self.first_detection[scenes]
        pairs_by_scene: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
        columns = [array.tolist() for array in (scenes, truth, detection, *values)]
        for scene, i, j, *rest in zip(*columns, strict=True):
            pairs_by_scene[scene].append((i, j, *rest))
        return pairs_by_scene

    def tables(self, pairs: Pairs, values: Floats, limit: int) -> list[list[list[float]]]:
        """Return a table of truths by detections for each scene, 0 where there is no pair.

        It is empty for a scene with an empty side, or with more than ``limit`` detections.
        """
        sizes = np.where(self.n_detections <= limit, self.n_truth * self.n_detections, 0)
        first = np.cumsum(sizes) - sizes
        flat = np.zeros(int(sizes.sum()))
        scene = np.repeat(np.arange(len(self.n_truth)), self.n_truth)[pairs.truth]
        row, column = (
            pairs.truth - self.first_truth[scene],
            pairs.detection - self.first_detection[scene],
        )
        at, kept = first[scene] + row * self.n_detections[scene] + column, sizes[scene] > 0
        flat[at[kept]] = values[kept]
        shapes = zip(first.tolist(), sizes.tolist(), self.n_truth.tolist(), strict=True)
        return [
            flat[start : start + size].reshape(n, -1).tolist() if size else []
            for start, size, n in shapes
        ]


def flatten(scenes: Sequence[Scene]) -> Flat:
    """Return the regions of many scenes as one list per side, with the start of each scene.

    Detections of None count as an empty list.
    """
    truth = [region for scene in scenes for region in scene.truth]
    detections = [region for scene in scenes for region in scene.detections or ()]
    n_truth = np.array([len(scene.truth) for scene in scenes], dtype=np.intp)
    n_detections = np.array([len(scene.detections or ()) for scene in scenes], dtype=np.intp)
    return Flat(
        truth,
        detections,
        n_truth,
        n_detections,
        np.cumsum(n_truth) - n_truth,
        np.cumsum(n_detections) - n_detections,
        np.array([region.ignored for region in truth], dtype=bool),
    )


def ignored_detections(flat: Flat, pairs: Pairs, share: Floats, limit: float) -> NDArray[np.bool_]:
    """Return which detections have more than ``limit`` of their area in one ignored truth.

    Shares have the shape (m,), one for each pair, the answer one for each detection.
    """
    ignored = np.zeros(len(flat.detections), dtype=bool)
    ignored[pairs.detection[flat.ignored_truth[pairs.truth] & (share > limit)]] = True
    return ignored


def unmatched_of(
    truth_ignored: Sequence[bool],
    ignored: Sequence[bool],
    matched_truth: Container[int],
    matched: Container[int],
    why: Callable[[Side, int], str],
) -> tuple[Unmatched, ...]:
    """Return the regions of an image without a match, truths first, each with the reason.

    ``why`` returns why a counted region, given its side and index, has no match.
    """
    sides: tuple[tuple[Side, Sequence[bool], Container[int]], ...] = (
        ("truth", truth_ignored, matched_truth),
        ("detection", ignored, matched),
    )
    return tuple(
        _passed_over(side, at) if passed_over else Unmatched(side, at, why(side, at))
        for side, passed, found in sides
        for at, passed_over in enumerate(passed)
        if at not in found
    )


@lru_cache(maxsize=4096)
def _passed_over(side: Side, at: int) -> Unmatched:
    """Return why an ignored region has no match: the same for many images."""
    return Unmatched(side, at, IGNORED if side == "truth" else INSIDE_IGNORED)


def first_credited(
    groups: Iterable[tuple[tuple[int, ...], tuple[int, ...], Kind]],
    truth_credits: Sequence[float],
    credits: Sequence[float],
) -> tuple[Match, ...]:
    """Return groups of truths and detections as matches; a region of several earns in the first."""
    truths_left, left = set(range(len(truth_credits))), set(range(len(credits)))
    matches = []
    for truths, detections, kind in groups:
        recall = sum(truth_credits[i] for i in truths if i in truths_left)
        precision = sum(credits[j] for j in detections if j in left)
        truths_left.difference_update(truths)
        left.difference_update(detections)
        matches.append(Match(truths, detections, kind, float(recall), float(precision)))
    return tuple(matches)


def in_turn(values: Iterable[float]) -> float:
    """Return the sum as the published scripts round it: one after the other."""
    return reduce(add, values, 0.0)


def kinds_of(matches: Iterable[Match]) -> dict[str, float | None]:
    """Return how many matches are one-to-one, splits and merges, as indicators."""
    kinds = [match.kind for match in matches]
    return {
        "n_one_to_one": kinds.count("one-to-one"),
        "n_split": kinds.count("split"),
        "n_merge": kinds.count("merge"),
    }


def largest(of: Indices, values: NDArray[np.floating[Any]], n: int) -> Floats:
    """Return the largest value of the pairs of each of n regions, 0 if it has none.

    ``of`` has the index of each pair's region; both have the shape (m,), and values are not
    negative.
    """
    best = np.zeros(n)
    # Unlike best[of] = ..., this takes every one of several values for a region into account.
    np.maximum.at(best, of, values)
    return best


def summed(of: Indices, values: Floats, n: int) -> Floats:
    """Return the sum of the values of the pairs of each of n regions, 0 if it has none.

    ``of`` has the index of each pair's region; both have the shape (m,).
    """
    return np.bincount(of, values, minlength=n).astype(np.float64)
