"""Signs that annotators come in groups, or images in scenes, although none were declared.

The tests of :mod:`.multi_reader` treat annotators and images as drawn independently of each other.
Two signs of the contrary can be seen in the distances themselves. Annotators of two sites fall into
two clusters: the share of variance inside the two best clusters along the first principal component
is compared with that of normal samples that have the same covariance ([LHNM08]_). Images of a
walk follow each other and resemble each other: the differences between neighbours, in natural order
of their names, are compared with those in random orders ([vNeu41]_).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from text_rankings.base.names import natural_order

from ..orders.packed_scores import Floats
from .clusters import NONE_DECLARED, Declared
from .components import without_rounding
from .personal_distances import PersonalDistances

# A sign is shown if at most this share of studies without clusters has a stronger one.
_RARE: Final = 0.01
_N_DRAWS: Final = 199
# An annotator counts from so many rankings on, and a test needs so many annotators or images.
_LEAST_RANKINGS: Final = 10
_LEAST_ANNOTATORS: Final = 6
_LEAST_IMAGES: Final = 20


@dataclass(frozen=True, slots=True)
class Signs:
    """Whether undeclared groups and scenes show; False where they are declared or too few."""

    groups: bool = False
    scenes: bool = False


def undeclared_clusters(
    measured: PersonalDistances,
    images: Sequence[str],
    declared: Declared = NONE_DECLARED,
    *,
    seed: int,
) -> Signs:
    """Return whether annotators seem to form groups, or images scenes, that were not declared.

    In simulated studies without groups 2 to 5 % show a sign of them, up to 14 % if tastes differ
    extremely; two sites with a shared bias show in 70 % of studies of 12 annotators and in 90 % of
    20. ``measured`` distances have numbers of the ``images``.
    """
    if measured.distances.shape[1] < 2 or not len(measured.images):
        return Signs()
    rng = np.random.default_rng(seed)
    # Without the part that all protocols share, which is no difference between them.
    relative = measured.distances - measured.distances.mean(axis=1, keepdims=True)
    image_of = np.unique(measured.images, return_inverse=True)[1]
    of_image, n_i = _means(relative, image_of)
    # Differences between annotators, free of those between images where these have several.
    own = relative if np.median(n_i) < 2 else relative - of_image[image_of]
    annotator_of = np.unique(measured.annotators, return_inverse=True)[1]
    of_annotator, n_a = _means(own, annotator_of)
    names = [images[at] for at in np.unique(measured.images)]
    order = sorted(range(len(names)), key=lambda at: natural_order(names[at]))
    return Signs(
        not declared.groups and _in_two_clusters(of_annotator[n_a >= _LEAST_RANKINGS], rng),
        not declared.scenes and _neighbours_alike(of_image[order], rng),
    )


def _means(table: Floats, number_of: np.ndarray) -> tuple[Floats, np.ndarray]:
    """Return the mean of each number's rows, and how many they are."""
    counts = np.bincount(number_of)
    sums = np.zeros((len(counts), table.shape[1]))
    np.add.at(sums, number_of, table)
    return sums / counts[:, np.newaxis], counts


def _in_two_clusters(points: Floats, rng: np.random.Generator) -> bool:
    """Return whether points form two clusters; each row is a point."""
    if len(points) < _LEAST_ANNOTATORS:
        return False
    deviations = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    deviations /= np.sqrt(len(points) - 1)
    if not without_rounding(deviations[0], np.abs(points).max()):
        return False
    own = _share_inside(points)
    draws = (
        _share_inside(deviations * rng.normal(size=(len(points), len(deviations))))
        for _ in range(_N_DRAWS)
    )
    return _is_rare(sum(draw <= own for draw in draws))


def _share_inside(points: Floats) -> float:
    """Return the least share of the variance along the first component inside two clusters."""
    left, sizes, _ = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    places = np.sort(left[:, 0] * sizes[0])
    # A single point is no cluster.
    n_first = np.arange(2, len(places) - 1)
    n_second = len(places) - n_first
    sums, squares = np.cumsum(places), (places**2).sum()
    of_first = sums[n_first - 1]
    between = of_first**2 / n_first + (sums[-1] - of_first) ** 2 / n_second
    return float(1 - between.max() / squares)


def _neighbours_alike(rows: Floats, rng: np.random.Generator) -> bool:
    """Return whether rows that follow each other are more alike than in random orders."""
    if len(rows) < _LEAST_IMAGES:
        return False

    def apart(ordered: Floats) -> float:
        return float((np.diff(ordered, axis=0) ** 2).sum())

    own = apart(rows)
    draws = (apart(rng.permutation(rows)) - own for _ in range(_N_DRAWS))
    return _is_rare(sum(bool(without_rounding(draw, own) <= 0) for draw in draws))


def _is_rare(n_stronger: int) -> bool:
    return (1 + n_stronger) / (1 + _N_DRAWS) <= _RARE
