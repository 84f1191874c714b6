"""Tests of which of two protocols is nearer to annotators and images like those of a study.

Model: the difference d of two protocols' distances to annotator a's ranking of image i is
``mu + image_i + annotator_a + rest_ia``, all effects independent with mean 0, images and
annotators drawn from larger populations. mu is estimated by the mean over all rankings, the
three variances by the method of moments for unbalanced crossed effects ([GO17]_, section 3),
which on balanced data are those of the analysis of variance. Then::

    var(mean) = v_image sum n_i^2 / n^2 + v_annotator sum n_a^2 / n^2 + v_rest / n

for n_i rankings of image i, n_a of annotator a and n in all. A negative component counts as 0.
The test is Student's t with Satterthwaite's degrees of freedom ([Sat46]_) on the mean squares of
images, annotators and rest; an unbalanced design counts as ``n^2 / sum n_a^2`` annotators and
``n^2 / sum n_i^2`` images. Hillis's degrees of freedom treat the images' part as known, so they are
never fewer and the test errs more often, by up to half a point in our simulations.

A few annotators may agree by chance on one of many pairs, where their component of variance is then
near 0. So the component is at least its average share of the other two components, summed over all
pairs; with two protocols this changes nothing. Without this rule, Student's t with three annotators
declared seven equal protocols different in up to 18 % of simulated studies.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from text_rankings.base.i18n import gettext_noop

from ..errors import RankingError
from ..orders.distances import Distance, distances_between, require_distance
from ..orders.packed_scores import Floats
from .components import components
from .personal_rankings import PersonalGroup, PersonalRankings
from .resampling import LEVEL
from .significance import clusters, compact_letters, holm

ONE_ANNOTATOR = gettext_noop("one annotator says nothing about others")
ONE_IMAGE = gettext_noop("one image says nothing about others")
NOTHING = gettext_noop("no ranking")


@dataclass(frozen=True, slots=True)
class PersonalDistances:
    """The distance of every protocol to every annotator's own ranking.

    Attributes
    ----------
    protocols : tuple of str, length p
    images, annotators : ndarray of int, shape (n,)
        For each ranking, the numbers of its image and of its annotator.
    distances : ndarray of shape (n, p)
    """

    protocols: tuple[str, ...]
    images: NDArray[np.intp]
    annotators: NDArray[np.intp]
    distances: Floats

    def only(self, at: int) -> "PersonalDistances":
        """Return the distances of one protocol, given by its number."""
        return replace(
            self, protocols=(self.protocols[at],), distances=self.distances[:, at : at + 1]
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of the mean distances of two protocols, with annotators and images random.

    Attributes
    ----------
    difference : float or None
        Mean distance of ``first`` to single annotators' rankings minus that of ``second``; below 0
        if ``first`` is nearer to people. Every ranking has the same weight.
    low, high : float or None
        Confidence limits of the difference, not corrected for other pairs.
    p_value, holm_p_value : float or None
        Two-sided; the second corrected by Holm's rule over all pairs.
    degrees_of_freedom : float or None
    image_variance, annotator_variance, rest_variance : float or None
        Components of the variance of a difference. The rest includes those of images or annotators
        that the design cannot separate from it.
    """

    first: str
    second: str
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    holm_p_value: float | None = None
    degrees_of_freedom: float | None = None
    image_variance: float | None = None
    annotator_variance: float | None = None
    rest_variance: float | None = None


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All pairs of protocols; ``reason`` says why there is no test, or is None.

    ``means`` are the protocols' mean distances to single annotators' rankings, with equal weight
    for each ranking; None if there are no rankings.
    """

    protocols: tuple[str, ...]
    means: tuple[float | None, ...]
    pairs: tuple[Comparison, ...]
    n_images: int
    n_annotators: int
    n_rankings: int
    level: float
    reason: str | None

    def holm_p_values(self) -> tuple[tuple[float | None, ...], ...]:
        """Return the corrected p-values as a symmetric table, None on the diagonal."""
        number = {name: at for at, name in enumerate(self.protocols)}
        table: list[list[float | None]] = [[None] * len(number) for _ in number]
        for pair in self.pairs:
            a, b = number[pair.first], number[pair.second]
            table[a][b] = table[b][a] = pair.holm_p_value
        return tuple(map(tuple, table))


def compare_protocols(rankings: PersonalRankings, *, distance: Distance = "edit") -> Comparisons:
    """Compare every two protocols: :func:`compare` of :func:`personal_distances`.

    Raises
    ------
    RankingError
        If the distance is unknown.
    """
    return compare(personal_distances(rankings, distance=distance))


def personal_distances(
    rankings: PersonalRankings, *, distance: Distance = "edit"
) -> PersonalDistances:
    """Measure the distance of every protocol's ranking of every image to each annotator's own.

    Returns
    -------
    PersonalDistances
        A row for each ranking, by image and annotator in order of name.

    Raises
    ------
    RankingError
        If the distance is unknown.
    """
    require_distance(distance)

    def apart(group: PersonalGroup) -> Floats:
        people, protocols = group.people[:, :, np.newaxis], group.protocols[:, np.newaxis]
        return distances_between(people, protocols, distance)

    return distances_by_ranking(rankings, rankings.protocols, apart)


def distances_by_ranking(
    rankings: PersonalRankings,
    protocols: Sequence[str],
    measure: Callable[[PersonalGroup], Floats],
) -> PersonalDistances:
    """Return the groups' measurements as one table.

    Parameters
    ----------
    protocols : sequence of str, length p
    measure : callable
        Takes a group of k rankings of each of g images and returns an ndarray of shape (g, k, p).

    Returns
    -------
    PersonalDistances
        A row for each ranking, by image and annotator in order of name.
    """
    n_of_image = np.zeros(len(rankings.images), dtype=np.intp)
    for group in rankings.groups:
        n_of_image[group.images] = group.annotators.shape[1]
    # The order of rows does not depend on the groups, so that sums are rounded alike.
    first_of_image = np.cumsum(n_of_image) - n_of_image
    annotators = np.empty(n_of_image.sum(), dtype=np.intp)
    distances = np.empty((len(annotators), len(protocols)))
    for group in rankings.groups:
        rows = first_of_image[group.images, np.newaxis] + np.arange(group.annotators.shape[1])
        annotators[rows] = group.annotators
        distances[rows] = measure(group)
    images = np.repeat(np.arange(len(n_of_image)), n_of_image)
    return PersonalDistances(tuple(protocols), images, annotators, distances)


def compare(measured: PersonalDistances, *, level: float = LEVEL) -> Comparisons:
    """Test every pair of protocols as a multi-reader multi-case study ([DBM92]_, [Hil07]_).

    The docstring of the module describes the model and the test.

    Distances are bounded and not normal; the t-test relies on means of many. With one ranking per
    image, the components of images and rest cannot be separated and need not be. Time grows with
    rankings x protocols^2; no pair is computed ranking by ranking.

    Parameters
    ----------
    level : float
        Level of the intervals.

    Returns
    -------
    Comparisons
        Pairs in the order of the protocols. p is 1 if two protocols never differ; p and limits are
        None for pairs that differ by the same amount everywhere, and for all pairs if there are
        fewer than two annotators or images, as ``reason`` says.

    Raises
    ------
    RankingError
        If the level is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise RankingError(f"level must be between 0 and 1, got {level}")
    protocols = measured.protocols
    n_images, n_annotators = _n_different(measured.images), _n_different(measured.annotators)
    reason = None
    if n_annotators < 2 or n_images < 2:
        reason = ONE_ANNOTATOR if n_annotators == 1 else ONE_IMAGE
        reason = reason if len(measured.images) else NOTHING
    first, second = np.triu_indices(len(protocols), 1)
    means = measured.distances.mean(axis=0).tolist() if len(measured.images) else None
    pairs = [
        Comparison(a, b, None if means is None else means[at] - means[place])
        for (a, b), at, place in zip(combinations(protocols, 2), first, second, strict=True)
    ]
    if not reason and pairs:
        pairs = _tested(measured, pairs, level)
    return Comparisons(
        protocols,
        tuple(means or [None] * len(protocols)),
        tuple(pairs),
        n_images,
        n_annotators,
        len(measured.images),
        level,
        reason,
    )


@dataclass(frozen=True, slots=True)
class Moments:
    """Variances of the differences of many pairs of protocols, each an array of length k.

    Attributes
    ----------
    image, annotator, rest : ndarray
        The components, each at least 0.
    of_mean, degrees_of_freedom : ndarray
        The variance of the mean difference, and its degrees of freedom by Satterthwaite.
    hillis : ndarray
        Hillis's degrees of freedom, for comparison.
    """

    image: Floats
    annotator: Floats
    rest: Floats
    of_mean: Floats
    degrees_of_freedom: Floats
    hillis: Floats


def moments(measured: PersonalDistances) -> Moments:
    """Return the components of variance of every pair of protocols, and results from them.

    Needs at least two images and two annotators; see :func:`compare`.
    """
    (image, annotator, rest), n_i, n_a = raw_components(measured)
    n = len(measured.images)
    weights = float((n_i**2).sum()) / n**2, float((n_a**2).sum()) / n**2
    free = max(n - len(n_i) - len(n_a) + 1, 1)
    return moments_of((image, annotator, rest), weights, n, free)


def raw_components(
    measured: PersonalDistances,
) -> tuple[tuple[Floats, Floats, Floats], NDArray[np.intp], NDArray[np.intp]]:
    """Return every pair's components, which may be negative, and two counts of rankings.

    Parameters
    ----------
    measured : PersonalDistances
        At least two images, at least two annotators, and k pairs of protocols.

    Returns
    -------
    components : tuple of three ndarrays of shape (k,)
        Components of images, of annotators and of the rest.
    n_i, n_a : ndarray of int
        Number of rankings of each image and of each annotator.
    """
    _, image_of, n_i = np.unique(measured.images, return_inverse=True, return_counts=True)
    _, annotator_of, n_a = np.unique(measured.annotators, return_inverse=True, return_counts=True)
    centred = measured.distances - measured.distances.mean(axis=0)
    # Sums of squares of every pair: total, around the means of images, around those of annotators.
    total = _squares(centred)
    in_image = _squares(centred - _means(centred, image_of, n_i)[image_of])
    in_annotator = _squares(centred - _means(centred, annotator_of, n_a)[annotator_of])
    return components(total, in_image, in_annotator, n_i, n_a), n_i, n_a


def moments_of(
    parts: tuple[Floats, Floats, Floats], weights: tuple[float, float], n: int, free: int
) -> Moments:
    """Return the moments that follow from the components of images, annotators and rest.

    Parameters
    ----------
    parts : tuple of three ndarrays of shape (k,)
        As returned by :func:`raw_components`.
    weights : (float, float)
        sum n_i^2 / n^2 and sum n_a^2 / n^2.
    n : int
        The number of rankings.
    free : int
        The degrees of freedom of the rest.

    Returns
    -------
    Moments
    """
    image, annotator, rest = parts
    of_i, of_a = weights
    # On balanced data: mean squares divided by n; 1 / of_i and 1 / of_a count images, annotators.
    of_rest = rest / n
    of_images = image * of_i + of_rest
    counted = np.maximum(annotator, _usual_share(image, annotator, rest))
    of_annotators = counted * of_a + of_rest
    free_i, free_a = 1 / of_i - 1, 1 / of_a - 1
    # Without an images' component, the test uses only the annotators' mean square, and vice versa.
    has_images = of_images > of_rest
    of_mean = of_annotators + np.where(has_images, of_images - of_rest, 0)
    from_annotators = of_annotators**2 / free_a
    others = of_images**2 / free_i + of_rest**2 / free
    spread = from_annotators + np.where(has_images, others, 0)
    return Moments(
        np.maximum(image, 0),
        np.maximum(annotator, 0),
        rest,
        of_mean,
        _divided(of_mean**2, spread),
        _divided(of_mean**2, from_annotators),
    )


def _usual_share(image: Floats, annotator: Floats, rest: Floats) -> Floats:
    """Return the annotators' component that each pair would have if it were of average size.

    Size is relative to the other two components: similar protocols differ less in all three.
    """
    others = np.maximum(image, 0) + rest
    total = float(others.sum())
    usual = max(float(annotator.sum()), 0.0) / total if total else 0.0
    return usual * others


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


def _tested(
    measured: PersonalDistances, pairs: Sequence[Comparison], level: float
) -> list[Comparison]:
    # Imported here, because scipy's functions take a second to load.
    from scipy.special import stdtr, stdtrit

    parts = moments(measured)
    differences = np.array([pair.difference for pair in pairs])
    deviation = np.sqrt(parts.of_mean)
    degrees = np.clip(parts.degrees_of_freedom, 1, 1e9)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = 2 * stdtr(degrees, -np.abs(differences / deviation))
    half = stdtrit(degrees, (1 + level) / 2) * deviation
    p_values = np.where(deviation > 0, p_values, np.where(differences == 0, 1.0, np.nan))
    known = [None if np.isnan(p) else float(p) for p in p_values]
    return [
        replace(
            pair,
            low=None if p is None else float(differences[at] - half[at]),
            high=None if p is None else float(differences[at] + half[at]),
            p_value=p,
            holm_p_value=corrected,
            degrees_of_freedom=float(degrees[at]) if deviation[at] else None,
            image_variance=float(parts.image[at]),
            annotator_variance=float(parts.annotator[at]),
            rest_variance=float(parts.rest[at]),
        )
        for at, (pair, p, corrected) in enumerate(zip(pairs, known, holm(known), strict=True))
    ]


def told_apart(
    tested: Comparisons,
) -> tuple[dict[str, int | None], dict[str, str | None]]:
    """Return each protocol's cluster and its letters, by the mean distances and Holm's p-values.

    Both are None if there is no test: then protocols are known neither to differ nor to be equal.
    Letters are None too if there are too many (:func:`.significance.compact_letters`).
    """
    p_values = tested.holm_p_values()
    means = [None if tested.reason else mean for mean in tested.means]
    order = sorted((mean, at) for at, mean in enumerate(means) if mean is not None)
    letters = compact_letters([at for _, at in order], p_values) if order else None
    return (
        dict(zip(tested.protocols, clusters(means, p_values), strict=True)),
        dict(zip(tested.protocols, letters or [None] * len(means), strict=True)),
    )


def _n_different(numbers: NDArray[np.intp]) -> int:
    return len(np.unique(numbers))
