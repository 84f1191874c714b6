"""Variances of the differences between protocols, with annotators and images random."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.packed_scores import Floats
from .components import components
from .moderation import Prior, prior_of
from .personal_distances import PersonalDistances


@dataclass(frozen=True, slots=True)
class Moments:
    """Variances of the differences of k pairs of protocols, each an array of length k.

    The components of image, annotator and rest are at least 0. ``of_mean`` is the variance of the
    mean difference, ``degrees_of_freedom`` its own by Satterthwaite.
    """

    image: Floats
    annotator: Floats
    rest: Floats
    of_mean: Floats
    degrees_of_freedom: Floats


def moments(measured: PersonalDistances, chosen: Sequence[int] | None = None) -> Moments:
    """Return the components of variance of ``chosen`` pairs of protocols, or all, and what follows.

    Needs at least two images and two annotators; see :func:`compare`.
    """
    parts, n_i, n_a = raw_components(measured)
    image, annotator, rest = parts if chosen is None else (part[[*chosen]] for part in parts)
    n = len(measured.images)
    weights = float((n_i**2).sum()) / n**2, float((n_a**2).sum()) / n**2
    free = max(n - len(n_i) - len(n_a) + 1, 1)
    ratios, _ = annotator_ratios((image, annotator, rest), weights[1], n)
    prior = prior_of(ratios[ratios >= 0], 1 / weights[1] - 1, len(measured.protocols))
    found = moments_of((image, annotator, rest), weights, n, free, prior)
    if measured.by_group:
        # Groups are few, so that the images' part must not add to their degrees of freedom.
        limited = np.minimum(found.degrees_of_freedom, 1 / weights[1] - 1 + prior.degrees)
        found = replace(found, degrees_of_freedom=limited)
    return found


def moments_of_means(measured: PersonalDistances) -> Moments:
    """Return the moments of each protocol's own mean distance, one for each protocol.

    Needs at least two images and two annotators. The variance of the mean is that of images and
    annotators that are both random ([Gal06]_), around the mean itself. Components below 0 count as 0,
    and the degrees of freedom are the harmonic mean of Satterthwaite's and those of the annotators:
    with three annotators Satterthwaite's intervals contain too little (91 %).
    """
    parts, n_i, n_a = raw_components(measured, lambda table: (table**2).sum(axis=0))
    n = len(measured.images)
    weights = float((n_i**2).sum()) / n**2, float((n_a**2).sum()) / n**2
    not_negative = (parts[0], np.maximum(parts[1], 0), parts[2])
    free = max(n - len(n_i) - len(n_a) + 1, 1)
    found = moments_of(not_negative, weights, n, free, Prior())
    own = 1 / weights[1] - 1
    between = 2 / (1 / found.degrees_of_freedom + 1 / own)
    return replace(found, degrees_of_freedom=between)


def raw_components(
    measured: PersonalDistances, squares: Callable[[Floats], Floats] | None = None
) -> tuple[tuple[Floats, Floats, Floats], NDArray[np.intp], NDArray[np.intp]]:
    """Return every pair's components, which may be negative, and two counts of rankings.

    Raises RankingError for fewer than two images or annotators. ``squares`` gives the k sums of
    squares of a table with a column for each protocol; by default those of the differences of every
    two. The components of images, annotators and rest are of shape (k,); the counts are of each
    image and each annotator.
    """
    _, image_of, n_i = np.unique(measured.images, return_inverse=True, return_counts=True)
    _, annotator_of, n_a = np.unique(measured.annotators, return_inverse=True, return_counts=True)
    if min(len(n_i), len(n_a)) < 2:
        raise RankingError(
            f"variances need two images and two annotators, got {len(n_i)} and {len(n_a)}"
        )
    centred = measured.distances - measured.distances.mean(axis=0)
    # Sums of squares of every pair: total, around the means of images, around those of annotators.
    squares = squares or _squares
    total = squares(centred)
    in_image = squares(centred - _means(centred, image_of, n_i)[image_of])
    in_annotator = squares(centred - _means(centred, annotator_of, n_a)[annotator_of])
    return components(total, in_image, in_annotator, n_i, n_a), n_i, n_a


def moments_of(
    parts: tuple[Floats, Floats, Floats],
    weights: tuple[float, float],
    n: int,
    free: int,
    prior: Prior,
) -> Moments:
    """Return the moments of components of images, annotators and rest, of shape (k,).

    ``parts`` are those of :func:`raw_components`, ``weights`` sum n_i^2 / n^2 and sum n_a^2 / n^2
    of ``n`` rankings; ``free`` are the degrees of freedom of the rest. The pairs share ``prior``;
    without degrees of freedom, each pair is for itself.
    """
    image, annotator, rest = parts
    of_i, of_a = weights
    # On balanced data: mean squares divided by n; 1 / of_i and 1 / of_a count images, annotators.
    of_rest = rest / n
    of_images = image * of_i + of_rest
    of_annotators = annotator * of_a + of_rest
    free_i: float | Floats = 1 / of_i - 1
    free_a: float | Floats = 1 / of_a - 1
    is_limited = bool(np.any(prior.degrees)) and not prior.is_common
    if np.any(prior.degrees):
        ratios, others = annotator_ratios(parts, of_a, n)
        shrunk = np.maximum(prior.posterior(np.maximum(ratios, 0), free_a) * others, of_rest)
        of_annotators = np.where(others > 0, shrunk, of_annotators)
        free_a = free_a + prior.degrees
    # Without an images' component, the test uses only the annotators' mean square, and vice versa.
    has_images = of_images > of_rest
    of_mean = of_annotators + np.where(has_images, of_images - of_rest, 0)
    from_annotators = of_annotators**2 / free_a
    others = of_images**2 / free_i + of_rest**2 / free
    degrees = _divided(of_mean**2, from_annotators + np.where(has_images, others, 0))
    return Moments(
        np.maximum(image, 0),
        np.maximum(annotator, 0),
        rest,
        of_mean,
        np.minimum(degrees, free_a) if is_limited else degrees,
    )


def annotator_ratios(
    parts: tuple[Floats, Floats, Floats], of_annotators: float, n: int
) -> tuple[Floats, Floats]:
    """Return the mean squares of annotators relative to the other components, and these.

    A ratio is below 0 where the other components are 0, so that there is none; one that is below 0
    by chance, in a design with cells missing, is 0. ``of_annotators`` is sum n_a^2 / n^2 of ``n``
    rankings; all arrays are of shape (k,).
    """
    image, annotator, rest = parts
    others = np.maximum(image, 0) + rest
    squares = np.maximum(annotator * of_annotators + rest / n, 0)
    return np.divide(squares, others, out=np.full_like(squares, -1.0), where=others > 0), others


def _divided(a: Floats, b: Floats) -> Floats:
    return np.divide(a, b, out=np.full_like(a, np.inf), where=b > 0)


def _means(table: Floats, group_of: NDArray[np.intp], sizes: NDArray[np.intp]) -> Floats:
    """Return the mean of each group's rows."""
    sums = np.zeros((len(sizes), table.shape[1]))
    np.add.at(sums, group_of, table)
    return sums / sizes[:, np.newaxis]


def _squares(table: Floats) -> Floats:
    """Return the sum of squared differences of every two columns, in the order of pairs."""
    products = table.T @ table
    first, second = np.triu_indices(len(products), 1)
    own = np.diag(products)
    # A value within the rounding errors of the sums is 0, as for protocols that never differ.
    squares = own[first] + own[second] - 2 * products[first, second]
    return np.where(squares > 1e-12 * (own[first] + own[second]), squares, 0.0)
