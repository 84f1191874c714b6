"""The beta with which a protocol's F-score comes nearest to people's preference."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..agreement.report import RecallPrecision
from ..errors import RankingError
from ..inference.resampling import SEED
from ..orders.buckets import Ranking
from ..orders.distances import Distance, distances_between, require_distance
from ..orders.from_scores import f_betas, require_decimals
from ..orders.packed_scores import Floats, packed_study, protocols_of, rounded_scores

N_FOLDS = 5
# Eight steps for each doubling: 49 values, 1 among them.
BETAS = tuple(2.0 ** (step / 8) for step in range(-24, 25))


@dataclass(frozen=True, slots=True)
class BetaSearch:
    """The beta with which a protocol's F-score is nearest to what people prefer.

    Attributes
    ----------
    beta, score : float or None
        The best beta and the mean distance it reaches; None without an image.
    cross_validated_score : float or None
        The mean distance when each image is ranked with the beta that is best on the images
        outside its fold; None for fewer than two images.
    fold_betas : tuple of float
        The best beta outside each fold; the wider they spread, the less certain is ``beta``.
    curve : tuple of (beta, mean distance)
    """

    protocol: str
    beta: float | None
    score: float | None
    cross_validated_score: float | None
    fold_betas: tuple[float, ...]
    curve: tuple[tuple[float, float], ...]
    n_images: int


def beta_search(
    scores: Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]],
    consensus: Mapping[str, Ranking],
    *,
    decimals: int | None = 4,
    distance: Distance = "edit",
    betas: Sequence[float] = BETAS,
    n_folds: int = N_FOLDS,
    seed: int = SEED,
) -> tuple[BetaSearch, ...]:
    """Search each protocol's beta for the smallest mean distance to the preference consensus.

    [DPTF18]_, V.C asks for it. Of betas with equal means the one nearest to 1 is taken, in
    octaves, then the smaller: a protocol whose ranking does not depend on beta has beta 1.

    Parameters
    ----------
    scores : image -> protocol -> method -> (recall, precision)
    consensus : image -> ranking
        The images that count; other images' scores are not looked at.
    decimals : int or None
        F-scores are rounded as :func:`rankings.orders.from_scores.ranking_from_scores` does.
    distance : "edit" or "kemeny"
    betas : sequence of float
        The candidates, above 0.
    n_folds, seed : int
        Of the cross-validation (:func:`folds`).

    Returns
    -------
    tuple of BetaSearch
        Protocols in order of name. Without an image nothing but names; one image has no
        cross-validated Score; fewer images than folds: each is a fold.

    Raises
    ------
    MissingScore
        If recall or precision of a ranked method is missing; names image, protocol and method.
    RankingError
        If there is no beta, one is not positive, or another setting cannot be.

    Examples
    --------
    The F-scores are equal where beta^2 = 0.18 / 0.128; the next candidate is 2^(2 / 8).

    >>> scores = {"img_1": {"iou": {"a": (0.9, 0.4), "b": (0.5, 0.8)}}}
    >>> [found] = beta_search(scores, {"img_1": (("a",), ("b",))})
    >>> found.beta == 2**0.25, found.score
    (True, 0.0)
    """
    if not betas or not all(math.isfinite(beta) and beta > 0 for beta in betas):
        raise RankingError(f"betas must be positive numbers, got {list(betas)}")
    require_decimals(decimals)
    require_distance(distance)
    protocols = protocols_of(scores)
    n = len(consensus)
    parts = folds(n, n_folds, seed)
    fold_of = fold_numbers(parts, n)
    # (betas, folds, protocols): the distances added over the images of each fold. They are multiples
    # of 1/2, so that the sums are exact and equal means are equal numbers.
    sums = np.zeros((len(betas), max(1, len(parts)), len(protocols)))
    for group in packed_study(scores, consensus, protocols, n_values=2):
        recall, precision = group.values[..., 0], group.values[..., 1]
        # (folds, images) of 0 and 1: times distances of (images, protocols) it sums up by fold.
        in_fold = np.equal.outer(np.arange(sums.shape[1]), fold_of[group.rows]).astype(np.float64)
        for at, beta in enumerate(betas):
            rounded = rounded_scores(f_betas(recall, precision, beta), decimals)
            sums[at] += in_fold @ distances_between(rounded, group.goals[:, np.newaxis], distance)
    order = sorted(range(len(betas)), key=lambda at: (abs(math.log(betas[at])), betas[at]))
    return tuple(
        _searched(protocol, sums[:, :, at], betas, order, n)
        for at, protocol in enumerate(protocols)
    )


def _searched(
    protocol: str, by_fold: Floats, betas: Sequence[float], order: Sequence[int], n: int
) -> BetaSearch:
    """Return the search of one protocol, from its sums of distances of shape (betas, folds)."""
    if not n:
        return BetaSearch(protocol, None, None, None, (), (), 0)
    # The sums outside a fold are those of all less its own: no second search.
    sums = by_fold.sum(axis=1)
    in_order = list(order)

    def best(distances: Floats) -> int:
        # argmin takes the first of equals: in this order the beta nearest to 1.
        return in_order[int(np.argmin(distances[in_order]))]

    chosen = best(sums)
    outside = [best(sums - of_fold) for of_fold in by_fold.T] if n > 1 else []
    held_out = sum(float(of_fold[at]) for of_fold, at in zip(by_fold.T, outside, strict=False))
    return BetaSearch(
        protocol,
        betas[chosen],
        float(sums[chosen]) / n,
        held_out / n if outside else None,
        tuple(betas[at] for at in outside),
        tuple((beta, float(total) / n) for beta, total in zip(betas, sums, strict=True)),
        n,
    )


def folds(n: int, n_folds: int = N_FOLDS, seed: int = SEED) -> list[NDArray[np.intp]]:
    """Divide n images at random into folds whose sizes differ by at most one.

    Fewer images than folds: each is a fold. Fewer than two images: no fold.

    Parameters
    ----------
    n : int
    n_folds : int
        At least 2.
    seed : int

    Returns
    -------
    list of ndarrays of int, of length ``n_folds`` or ``n``
        The numbers of the images of each fold, ascending.

    Raises
    ------
    RankingError
        If there are fewer than two folds.

    Examples
    --------
    >>> parts = folds(5, 2)
    >>> [len(part) for part in parts], np.sort(np.concatenate(parts)).tolist()
    ([3, 2], [0, 1, 2, 3, 4])
    """
    if n_folds < 2:
        raise RankingError(f"n_folds must be at least 2, got {n_folds}")
    if n < 2:
        return []
    shuffled = np.random.default_rng(seed).permutation(n)
    return [np.sort(part) for part in np.array_split(shuffled, min(n, n_folds))]


def fold_numbers(parts: Sequence[NDArray[np.intp]], n: int) -> NDArray[np.integer[Any]]:
    """Return the number of each image's fold; 0 for all where there is no fold.

    Parameters
    ----------
    parts : sequence of ndarrays of int
        As :func:`folds` gives them.
    n : int
        The images.

    Returns
    -------
    ndarray of int, shape (n,)

    Examples
    --------
    >>> fold_numbers([np.array([0, 2]), np.array([1])], 3).tolist()
    [0, 1, 0]
    """
    fold_of = np.zeros(n, dtype=np.min_scalar_type(len(parts)))
    for number, part in enumerate(parts):
        fold_of[part] = number
    return fold_of
