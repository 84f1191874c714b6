"""The regions of many images one after the other, and back to each image."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .base import Scene
from .geometry import Floats, Indices, Pairs
from .regions import Region

IGNORED: Final = "an ignored region"
INSIDE_IGNORED: Final = "it lies in an ignored region"


@dataclass(frozen=True)
class Flat:
    """All truths and all detections of a list of scenes, one after the other.

    Attributes
    ----------
    n_truth, n_detections : ndarray of shape (number of scenes,)
    first_truth, first_detection : ndarray of shape (number of scenes,)
        Where each scene's regions begin.
    ignored_truth : ndarray of bool, one for each truth
    """

    truth: list[Region]
    detections: list[Region]
    n_truth: Indices
    n_detections: Indices
    first_truth: Indices
    first_detection: Indices
    ignored_truth: NDArray[np.bool_]

    def slices(self, scene: int) -> tuple[slice, slice]:
        """Return where the truths and where the detections of a scene stand."""
        truth, detection = self.first_truth[scene], self.first_detection[scene]
        return (
            slice(truth, truth + self.n_truth[scene]),
            slice(detection, detection + self.n_detections[scene]),
        )

    def by_scene(self, pairs: Pairs, *values: Floats) -> dict[int, list[tuple[Any, ...]]]:
        """Return each scene's pairs, numbered within it, with their values; in the pairs' order."""
        # The scene of every pair, by which the numbers through all scenes become those within one.
        scene_of_truth = np.repeat(np.arange(len(self.n_truth)), self.n_truth)
        scenes = scene_of_truth[pairs.truth]
        truth = pairs.truth - self.first_truth[scenes]
        detection = pairs.detection - self.first_detection[scenes]
        pairs_by_scene: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
        columns = [array.tolist() for array in (scenes, truth, detection, *values)]
        for scene, i, j, *rest in zip(*columns, strict=True):
            pairs_by_scene[scene].append((i, j, *rest))
        return pairs_by_scene


def flatten(scenes: Sequence[Scene]) -> Flat:
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
    """Say which detections have more than ``limit`` of their area in one ignored truth."""
    ignored = np.zeros(len(flat.detections), dtype=bool)
    ignored[pairs.detection[flat.ignored_truth[pairs.truth] & (share > limit)]] = True
    return ignored


def largest(of: Indices, values: Floats, n: int) -> Floats:
    """Return for each of n regions the largest value of its pairs, 0 without a pair."""
    best = np.zeros(n)
    # Unlike best[of] = ..., this takes every one of several values for a region into account.
    np.maximum.at(best, of, values)
    return best


def summed(of: Indices, values: Floats, n: int) -> Floats:
    """Return for each of n regions the sum of the values of its pairs, 0 without a pair."""
    return np.bincount(of, values, minlength=n).astype(np.float64)
