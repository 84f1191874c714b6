"""Variances of the differences between protocols, with annotators and images random."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.packed_scores import Floats
from .components import components, without_rounding
from .moderation import Prior, prior_of
from .personal_distances import PersonalDistances

# Sums of squares, from the sums of products of every two columns.
Squares = Callable[[Floats], Floats]


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


def moments(
    measured: PersonalDistances, chosen: Sequence[int] | None = None, *, is_outside: bool = False
) -> Moments:
    """Return the components of variance of ``chosen`` pairs of protocols, or all, and what follows.

    Their prior is estimated from them, or, for ``is_outside``, from all other pairs. Needs at least two
    images and two annotators; see :func:`compare`.
    """
    every, n_i, n_a = raw_components(measured)
    rows = np.arange(len(every[0])) if chosen is None else np.array(chosen, dtype=np.intp)
    parts = every[0][rows], every[1][rows], every[2][rows]
    n = len(measured.images)
    weights = float((n_i**2).sum()) / n**2, float((n_a**2).sum()) / n**2
    free = max(n - len(n_i) - len(n_a) + 1, 1)
    degrees, n_protocols = 1 / weights[1] - 1, len(measured.protocols)
    if is_outside:
        is_other = np.ones(len(every[0]), dtype=bool)
        is_other[rows] = False
        ratios = annotator_ratios(every, weights, n)
        prior = prior_of(*ratios, degrees, n_protocols - 1, is_other).at(rows)
    else:
        prior = prior_of(*annotator_ratios(parts, weights, n), degrees, n_protocols)
    found = moments_of(parts, weights, n, free, prior)
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
    parts, n_i, n_a = raw_components(measured, np.diag)
    n = len(measured.images)
    weights = float((n_i**2).sum()) / n**2, float((n_a**2).sum()) / n**2
    not_negative = (parts[0], np.maximum(parts[1], 0), parts[2])
    free = max(n - len(n_i) - len(n_a) + 1, 1)
    found = moments_of(not_negative, weights, n, free, Prior())
    own = 1 / weights[1] - 1
    between = 2 / (1 / found.degrees_of_freedom + 1 / own)
    return replace(found, degrees_of_freedom=between)


def raw_components(
    measured: PersonalDistances, squares: Squares | None = None
) -> tuple[tuple[Floats, Floats, Floats], NDArray[np.intp], NDArray[np.intp]]:
    """Return every pair's components, which may be negative, and two counts of rankings.

    Raises RankingError for fewer than two images or annotators. ``squares`` gives k sums of squares
    from the sums of products of every two protocols; by default those of the differences of every
    two. The components of images, annotators and rest are of shape (k,); the counts are of each
    image and each annotator. The order of the rankings has no effect.
    """
    measured = measured.in_order()
    _, image_of, n_i = np.unique(measured.images, return_inverse=True, return_counts=True)
    _, annotator_of, n_a = np.unique(measured.annotators, return_inverse=True, return_counts=True)
    if min(len(n_i), len(n_a)) < 2:
        raise RankingError(
            f"variances need two images and two annotators, got {len(n_i)} and {len(n_a)}"
        )
    squares = squares or _squares
    whole = measured.integers()
    if whole is not None:
        table, unit, within = whole, measured.scale**2, _within_exactly
    else:
        table, unit, within = measured.distances - measured.means(), 1, squares_within
    # Sums of squares of every pair: total, around the means of images, around those of annotators.
    everything = np.zeros(len(table), dtype=np.intp), np.array([len(table)])
    total, in_image, in_annotator = (
        within(table, group_of, sizes, squares) / unit
        for group_of, sizes in (everything, (image_of, n_i), (annotator_of, n_a))
    )
    return components(total, in_image, in_annotator, n_i, n_a), n_i, n_a


def moments_of(
    parts: tuple[Floats, Floats, Floats],
    weights: tuple[float, float],
    n: float,
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
    of_annotators = mean_square(parts, of_a, n)
    free_i: float | Floats = 1 / of_i - 1
    free_a: float | Floats = 1 / of_a - 1
    is_limited = (np.asarray(prior.degrees) > 0) & ~np.asarray(prior.is_common)
    if np.any(prior.degrees):
        ratios, others = annotator_ratios(parts, weights, n)
        shrunk = prior.posterior(np.maximum(ratios, 0), free_a) * others
        shrunk = np.maximum(shrunk - np.maximum(image, 0) * _images_part(weights, n), of_rest)
        of_annotators = np.where(others > 0, shrunk, of_annotators)
        free_a = free_a + prior.degrees
    # Without an images' component, the test uses only the annotators' mean square, and vice versa.
    has_images = image > 0
    # Part of the images' component is in the annotators' mean square, with its degrees of freedom.
    part = _images_part(weights, n)
    of_mean = of_annotators + np.where(has_images, of_images - of_rest, 0)
    of_mean = without_rounding(of_mean, _size(parts) * (of_i + of_a))
    from_annotators = (of_annotators + np.maximum(image, 0) * part) ** 2 / free_a
    others = (1 - part / of_i) ** 2 * (of_images**2 / free_i + of_rest**2 / free)
    degrees = _divided(of_mean**2, from_annotators + np.where(has_images, others, 0))
    return Moments(
        np.maximum(image, 0),
        np.maximum(annotator, 0),
        rest,
        of_mean,
        np.where(is_limited, np.minimum(degrees, free_a), degrees),
    )


def annotator_ratios(
    parts: tuple[Floats, Floats, Floats], weights: tuple[float, float], n: float
) -> tuple[Floats, Floats]:
    """Return the mean squares between annotators relative to the other components, and these.

    Where some, but not all, annotators rank an image, a part of the images' component is between
    annotators: without it, the rest of the mean square may be near 0, so that ratios would spread more
    than its degrees of freedom say. A ratio is below 0 where the other components are 0, so that there is
    none; one that is below 0 by chance is 0. ``weights`` are those of :func:`moments_of`, for ``n``
    rankings; all arrays are of shape (k,).
    """
    image, _annotator, rest = parts
    others = np.maximum(image, 0) + rest
    squares = np.maximum(mean_square(parts, weights[1], n, _images_part(weights, n)), 0)
    return np.divide(squares, others, out=np.full_like(squares, -1.0), where=others > 0), others


def mean_square(
    parts: tuple[Floats, Floats, Floats],
    of_annotators: float,
    n: float,
    of_images: Floats | float = 0.0,
) -> Floats:
    """Return the mean squares between annotators, divided by ``n`` rankings, in the shape of the parts.

    ``parts`` are as in :func:`moments_of`, ``of_annotators`` is sum n_a^2 / n^2, and ``of_images`` the
    share of the images' component, divided by ``n``.
    """
    image, annotator, rest = parts
    squares = annotator * of_annotators + rest / n + image * of_images
    return without_rounding(squares, _size(parts) * of_annotators)


def _size(parts: tuple[Floats, Floats, Floats]) -> Floats:
    image, annotator, rest = parts
    return np.asarray(np.abs(image) + np.abs(annotator) + rest)


def _images_part(weights: tuple[float, float], n: float) -> Floats:
    """Return the share of the images' component in the annotators' mean square, divided by ``n``.

    It is 0 where all annotators rank all images, and 1 / n where no two rank the same.
    """
    of_i, of_a = weights
    return np.asarray(np.clip((1 / of_a - n * of_i) / (1 / of_a - 1), 0, 1) / n)


def _divided(a: Floats, b: Floats) -> Floats:
    return np.divide(a, b, out=np.full_like(a, np.inf), where=b > 0)


def _within_exactly(
    table: Floats, group_of: NDArray[np.intp], sizes: NDArray[np.intp], squares: Squares
) -> Floats:
    """Return sums of squares of whole numbers around the means of groups.

    All sums are whole numbers: groups of one size are summed before they are divided by it.
    """
    sums = _sums(table, group_of, len(sizes))
    size_of = sizes[group_of]
    found = []
    for size in np.unique(sizes).tolist():
        rows, own = table[size_of == size], sums[sizes == size]
        found.append(squares(size * (rows.T @ rows) - own.T @ own) / size)
    return np.asarray(np.sum(found, axis=0))


def squares_within(
    table: Floats, group_of: NDArray[np.intp], sizes: NDArray[np.intp], squares: Squares
) -> Floats:
    """Return sums of squares around the means of groups, as ``squares`` gives them.

    ``table`` of shape (n, k) has rows of the groups ``group_of``, of shape (n,); the groups have
    ``sizes``.
    """
    means = _sums(table, group_of, len(sizes)) / sizes[:, np.newaxis]
    apart = table - means[group_of]
    return squares(apart.T @ apart)


def _sums(table: Floats, group_of: NDArray[np.intp], n_groups: int) -> Floats:
    sums = np.zeros((n_groups, table.shape[1]))
    np.add.at(sums, group_of, table)
    return sums


def _squares(products: Floats) -> Floats:
    """Return the sum of squared differences of every two columns, in the order of pairs."""
    first, second = np.triu_indices(len(products), 1)
    own = np.diag(products)
    squares = own[first] + own[second] - 2 * products[first, second]
    return without_rounding(squares, own[first] + own[second])
