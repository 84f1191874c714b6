"""The beta with which a protocol's F-score comes nearest to people's preference."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..agreement.report import RecallPrecision
from ..orders.buckets import Ranking
from ..orders.distances import Distance, distances_between, require_distance
from ..orders.from_scores import f_betas, require_decimals
from ..orders.packed_scores import Floats, packed_study, protocols_of, rounded_scores
from .cross_validation import fold_numbers, folds, nearest

# Eight steps for each doubling: 49 values, including 1.
BETAS = tuple(2.0 ** (step / 8) for step in range(-24, 25))


@dataclass(frozen=True, slots=True)
class BetaSearch:
    """The beta with which a protocol's F-score is nearest to what people prefer.

    ``score`` is the mean distance that it reaches; ``cross_validated_score`` that with each image
    ranked by the beta that is best outside its fold. They are None for fewer than one and two
    images. ``fold_betas``: the wider they spread, the less certain is ``beta``. ``curve``: (beta,
    distance).
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
) -> tuple[BetaSearch, ...]:
    """Search each protocol's beta for the smallest mean distance to the preference consensus.

    [DPTF18]_, V.C calls for it. Of betas with equal means, the one nearest to 1 in octaves is
    taken, then the smaller: a protocol whose ranking does not depend on beta has beta 1.

    The images of ``consensus`` count; F-scores are rounded to ``decimals``. Protocols are in order
    of name. Without images, they have only their names; with one image, no cross-validated Score;
    with fewer images than folds (:func:`.cross_validation.folds`), each is one. Raises MissingScore
    if recall or precision of a ranked method is missing; the message says which. Raises
    RankingError if a setting is invalid.
    """
    require_decimals(decimals)
    require_distance(distance)
    protocols = protocols_of(scores)
    n = len(consensus)
    parts = folds(n)
    fold_of = fold_numbers(parts, n)
    # (betas, folds, protocols): the distances summed over the images of each fold. They are
    # multiples of 1/2, so the sums are exact and equal means are equal numbers.
    sums = np.zeros((len(BETAS), max(1, len(parts)), len(protocols)))
    for group in packed_study(scores, consensus, protocols, n_values=2):
        recall, precision = group.values[..., 0], group.values[..., 1]
        # (folds, images) of 0 and 1: multiplied by distances (images, protocols), it sums by fold.
        in_fold = np.equal.outer(np.arange(sums.shape[1]), fold_of[group.rows]).astype(np.float64)
        for at, beta in enumerate(BETAS):
            rounded = rounded_scores(f_betas(recall, precision, beta), decimals)
            sums[at] += in_fold @ distances_between(rounded, group.goals[:, np.newaxis], distance)
    return tuple(_searched(protocol, sums[:, :, at], n) for at, protocol in enumerate(protocols))


def _searched(protocol: str, by_fold: Floats, n: int) -> BetaSearch:
    """Return the search of one protocol, from its sums of distances of shape (betas, folds)."""
    if not n:
        return BetaSearch(protocol, None, None, None, (), (), 0)
    sums = by_fold.sum(axis=1)
    # Of equally near betas the first in this order is taken, the one nearest to 1.
    order = sorted(range(len(BETAS)), key=lambda at: (abs(math.log(BETAS[at])), BETAS[at]))
    first, of_folds = nearest(by_fold[order].T)
    chosen = order[first]
    outside = [order[at] for at in of_folds] if n > 1 else []
    held_out = sum(float(of_fold[at]) for of_fold, at in zip(by_fold.T, outside, strict=False))
    return BetaSearch(
        protocol,
        BETAS[chosen],
        float(sums[chosen]) / n,
        held_out / n if outside else None,
        tuple(BETAS[at] for at in outside),
        tuple((beta, float(total) / n) for beta, total in zip(BETAS, sums, strict=True)),
        n,
    )
