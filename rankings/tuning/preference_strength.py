"""Whether a protocol's values, not only its ranking, follow how strongly people prefer methods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..agreement.report import Scores
from ..consensus.davidson import strengths_of
from ..inference.resampling import (
    FEW_IMAGES,
    LEVEL,
    N_RESAMPLES,
    SEED,
    drawn_images,
    percentile_limits,
    resampled_sums,
)
from ..orders.buckets import Ranking
from ..orders.packed import doubled_ranks_of, packed_rankings
from ..orders.packed_scores import Floats, complete_scores, rounded_scores

# From a larger study this many images are drawn, enough to know the correlation to 0.01.
MOST_IMAGES = 2000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its limits; None if it is undefined, or there are too few images for limits."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class StrengthCorrelation:
    """How well differences of a protocol's values follow the strength of people's preference.

    ``values``: correlation of the differences of values with the leads of strengths, over all pairs
    of methods of all images; undefined where all values are equal. ``ranks``: the same for the
    ranks that the values give. ``gain``: the first minus the second; if positive, the values say
    more than their order. ``n_images`` have two or more rankings on which people prefer some
    method.
    """

    protocol: str
    values: Estimate = Estimate()
    ranks: Estimate = Estimate()
    gain: Estimate = Estimate()
    n_images: int = 0


def strength_correlations(
    annotator_rankings: Mapping[str, Mapping[str, Ranking]],
    scores: Scores,
    protocols: Sequence[str],
    *,
    decimals: int | None = 4,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
) -> tuple[StrengthCorrelation, ...]:
    """Correlate differences of scores with the strength of people's preference.

    The strength is that of Davidson's model ([Dav70]_) of an image's rankings: the lead of one
    method over another, in log odds. One ranking gives an order and no strength, so images with
    only one do not count. The sign of a difference depends on the order of the two methods, so no
    means are subtracted in the correlation::

        r = sum d_ij l_ij / sqrt(sum d_ij^2 sum l_ij^2)

    for the difference d and the lead l of methods i and j, over all pairs of all images: a protocol
    whose values mean the same on every image does better. Limits are percentiles of a bootstrap
    over images ([ET93]_, 13.3), annotators fixed; none with fewer than ten images. If all agree,
    Davidson's ridge limits strengths. Values are rounded before they are ranked, not before they
    are subtracted. Of more than 2,000 images, 2,000 are drawn at random. Empty without protocols.
    Raises MissingScore, which names image, protocol and method.
    """
    if not protocols:
        return ()
    several = [image for image, people in annotator_rankings.items() if len(people) > 1]
    images = drawn_images(several, MOST_IMAGES, seed)
    people = [[of for _, of in sorted(annotator_rankings[image].items())] for image in images]
    rows, sums = [np.empty(0, dtype=np.intp)], [np.empty((0, len(protocols), 5))]
    for group in packed_rankings(people):
        of_images = [images[at] for at in group.rows.tolist()]
        values = complete_scores(scores, of_images, group.methods, protocols)
        ranks = -doubled_ranks_of(rounded_scores(values, decimals)).astype(np.float64)
        leads = _centred(strengths_of(group.places))[:, np.newaxis]
        rows.append(group.rows)
        sums.append(
            _products(_centred(values), _centred(ranks), np.broadcast_to(leads, values.shape))
        )
    # (images, protocols, sums of products), in the order of the images, however they were packed.
    table = np.concatenate(sums)[np.argsort(np.concatenate(rows))]
    table = table[table[..., 4].any(axis=1)]
    return _correlations(table, protocols, n_resamples, np.random.default_rng(seed))


def _centred(table: Floats) -> Floats:
    """Return numbers minus the mean of their row.

    The sum of products over the pairs of n methods is n times that of the centred numbers.
    """
    return np.asarray(table - table.mean(axis=-1, keepdims=True))


def _products(values: Floats, ranks: Floats, leads: Floats) -> Floats:
    """Return for each image and protocol the sums over pairs: (g, protocols, 5).

    They are: values times leads, ranks times leads, and the squares of values, ranks and leads.
    """
    pairs = ((values, leads), (ranks, leads), (values, values), (ranks, ranks), (leads, leads))
    return np.stack([(a * b).sum(axis=-1) * values.shape[-1] for a, b in pairs], axis=-1)


def _correlations(
    table: Floats,
    protocols: Sequence[str],
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[StrengthCorrelation, ...]:
    n = len(table)
    if not n:
        return tuple(map(StrengthCorrelation, protocols))
    flat = table.reshape(n, -1)
    found = _three(flat.sum(axis=0).reshape(len(protocols), 5))
    limits = np.full((2, *found.shape), np.nan)
    if n >= FEW_IMAGES:
        resampled = resampled_sums(flat, rng, n_resamples, n)
        limits = percentile_limits(_three(resampled.reshape(-1, len(protocols), 5)), LEVEL)
    # (protocols, three numbers, value and limits)
    numbers = np.stack([found, *limits], axis=-1)
    return tuple(
        StrengthCorrelation(
            name,
            _estimate(numbers[at, 0]),
            _estimate(numbers[at, 1]),
            _estimate(numbers[at, 2]),
            n,
        )
        for at, name in enumerate(protocols)
    )


def _estimate(numbers: Floats) -> Estimate:
    return Estimate(*(None if np.isnan(number) else float(number) for number in numbers))


def _three(sums: Floats) -> Floats:
    """Return the correlations of values and of ranks, and their difference: (..., 3)."""
    leads = sums[..., 4]
    both = []
    for product, square in ((0, 2), (1, 3)):
        below = np.sqrt(sums[..., square] * leads)
        # Equal values are not always equal to their mean to the last digit.
        defined = below > 1e-12 * leads
        both.append(
            np.divide(sums[..., product], below, out=np.full_like(below, np.nan), where=defined)
        )
    return np.stack([*both, both[0] - both[1]], axis=-1)
