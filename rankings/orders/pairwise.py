"""Pairs of methods in rankings: accuracy, margins, counts, and criterion against criterion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, compress
from math import fsum

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingScore, RankingError
from .buckets import Ranking, bucket_of, checked, methods_of
from .distances import Distance, distances_between, require_distance
from .edit_distance import places_of
from .packed import named_rankings


def pairwise_accuracy(a: Ranking, b: Ranking) -> float | None:
    """Return the share of pairs in which both rankings agree: better, worse or tied.

    The pairwise accuracy with ties of [DFF23]_. Symmetric.

    Parameters
    ----------
    a, b : rankings
        Rankings of the same methods: buckets, best first, of tied methods.

    Returns
    -------
    float or None
        In [0, 1]; None if only one method is ranked, since there is no pair.

    Raises
    ------
    RankingError
        If a ranking is invalid, or they rank different methods; the message names the methods.

    Examples
    --------
    >>> pairwise_accuracy((("a",), ("b",), ("c",)), (("a", "b"), ("c",)))
    0.6666666666666666
    """
    places = places_of([checked(a), checked(b)])
    n = places.shape[1]
    if n < 2:
        return None
    first, second = _signs(places)
    # The n x n comparisons contain each pair twice, and each method agrees with itself once.
    return float((np.count_nonzero(first == second) - n) / (n * (n - 1)))


def _signs(places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return -1, 0 or 1 if a row's method is before, tied with or after a column's: (m, n, n)."""
    return np.asarray(np.sign(places[:, :, np.newaxis] - places[:, np.newaxis, :]))


def margin_weighted_discordances(
    values: NDArray[np.float64], consensus: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the share of each protocol's margins that goes against the consensus, in [0, 1].

    The sum of abs(s_i - s_j) over the pairs that the consensus orders strictly the other way,
    divided by the same sum over all pairs. Pairs that the consensus ties count only in the latter.
    Rankings discard by how much values differ, which [DPTF18]_ calls a weakness; this measure does
    not. ``values`` are of shape (protocols, n), higher is better; ``consensus``, of the same shape
    or one row of shape (n,) for all, has bucket numbers. 0 where all values are equal. Raises
    MissingScore if a value is not a finite number; the message names row and column.
    """
    values, consensus = np.broadcast_arrays(np.atleast_2d(values), np.atleast_2d(consensus))
    unusable = np.argwhere(~np.isfinite(values))
    if len(unusable):
        row, column = unusable[0]
        raise MissingScore(f"row {row}, column {column} scores {values[row, column]}")
    # (m, n, n): by how much the row's method leads the column's. Each pair occurs twice, in
    # numerator and denominator alike.
    leads = values[:, :, np.newaxis] - values[:, np.newaxis, :]
    # A lead goes against the consensus where the leader has the larger bucket number.
    against = np.where(_signs(consensus) * np.sign(leads) > 0, np.abs(leads), 0.0)
    whole = np.abs(leads).sum(axis=(1, 2))
    part = against.sum(axis=(1, 2))
    return np.asarray(np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0))


@dataclass(frozen=True, slots=True)
class CriterionDistance:
    """Distance between the consensus rankings of two criteria, mean over images.

    Images count with a consensus for both, of at least two methods; ``share`` is the mean of
    distance / (n (n - 1) / 2), in [0, 1]. Both are None if there is no such image.
    """

    first: str
    second: str
    n_images: int
    distance: float | None
    share: float | None


def criterion_distances(
    consensus: Mapping[str, Mapping[str, Ranking]], *, distance: Distance = "edit"
) -> tuple[CriterionDistance, ...]:
    """Return the mean distance between the consensus rankings of every two criteria.

    ([DPTF18]_, section V.C.) An image counts for a pair of criteria if it has a consensus for both.
    An image with a single method is left out, since it cannot distinguish criteria. Raises
    RankingError if the rankings of an image are of different methods (the message names the image),
    or ``distance`` is neither "edit" nor "kemeny".
    """
    require_distance(distance)
    return tuple(
        _criterion_distance(first, second, consensus, distance)
        for first, second in combinations(consensus, 2)
    )


def _criterion_distance(
    first: str, second: str, consensus: Mapping[str, Mapping[str, Ranking]], distance: Distance
) -> CriterionDistance:
    images = [image for image in consensus[first] if image in consensus[second]]
    names = [f"{image}, {first} and {second}" for image in images]
    pairs = [(consensus[first][image], consensus[second][image]) for image in images]
    apart, n_methods = np.zeros(len(images)), np.zeros(len(images), dtype=np.intp)
    for group in named_rankings(names, pairs):
        places = group.places
        apart[group.rows] = distances_between(places[:, 0], places[:, 1], distance)
        n_methods[group.rows] = places.shape[-1]
    counts = n_methods > 1
    apart, n_methods = apart[counts], n_methods[counts]
    if not len(apart):
        return CriterionDistance(first, second, 0, None, None)
    shares = apart / (n_methods * (n_methods - 1) / 2)
    # Sums that do not depend on the order of the images.
    share, mean = fsum(shares.tolist()) / len(apart), fsum(apart.tolist()) / len(apart)
    return CriterionDistance(first, second, len(apart), mean, share)


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """The relations of every pair in rankings, as counts.

    ``methods`` are sorted by name. Of shape (n, n): ``before`` has the rankings with the row's
    method strictly before the column's, ``tied`` those that tie the two (symmetric, zero on the
    diagonal).
    """

    methods: tuple[str, ...]
    before: NDArray[np.int64]
    tied: NDArray[np.int64]

    def n_compared(self) -> int:
        """Return the number of pairs that some ranking contains."""
        return int(np.count_nonzero(self._are_compared()) // 2)

    def connected(self) -> list[tuple[str, ...]]:
        """Return the groups of methods that are compared directly or through others, by name."""
        reached = self._are_compared() | np.eye(len(self.methods), dtype=bool)
        for through in range(len(reached)):
            reached |= reached[:, through, np.newaxis] & reached[through]
        rows = dict.fromkeys(map(tuple, reached.tolist()))
        return [tuple(compress(self.methods, row)) for row in rows]

    def _are_compared(self) -> NDArray[np.bool_]:
        return np.asarray(self.before + self.before.T + self.tied > 0)


def pair_counts(rankings: Sequence[Ranking]) -> PairCounts:
    """Count, for every pair of methods, the rankings with one before the other and with ties.

    A ranking without a method adds nothing to that method's pairs. Raises RankingError if there is
    no ranking, or one of them is not a ranking.
    """
    if not rankings:
        raise RankingError("a consensus needs at least one ranking")
    of_annotator = [checked(ranking) for ranking in rankings]
    methods = tuple(sorted(frozenset.union(*map(methods_of, of_annotator))))
    n = len(methods)
    before, tied = np.zeros((n, n), dtype=np.int64), np.zeros((n, n), dtype=np.int64)
    for ranking in of_annotator:
        place = bucket_of(ranking)
        ranked = [at for at, method in enumerate(methods) if method in place]
        places = np.array([place[methods[at]] for at in ranked])
        # Rows and columns of the methods in the ranking; it adds nothing to the others.
        cells = np.ix_(ranked, ranked)
        before[cells] += places[:, np.newaxis] < places
        tied[cells] += places[:, np.newaxis] == places
    np.fill_diagonal(tied, 0)
    return PairCounts(methods, before, tied)
