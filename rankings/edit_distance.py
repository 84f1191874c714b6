"""Ranking edit distance: the cheapest script of swaps, splits and merges ([DPTF18]_, III.B)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .orders import Ranking, bucket_of, checked, require_same_methods

SWAP_COST = 1.0
SPLIT_COST = 0.5
MERGE_COST = 0.5


@dataclass(frozen=True, slots=True)
class EditDistance:
    """The distance and the number of edits of each kind in a cheapest script."""

    swaps: int
    splits: int
    merges: int

    @property
    def distance(self) -> float:
        return SWAP_COST * self.swaps + SPLIT_COST * self.splits + MERGE_COST * self.merges


@dataclass(frozen=True, slots=True)
class Step:
    """One edit of a script, its cost, and the ranking it leads to."""

    edit: Literal["split", "swap", "merge"]
    cost: float
    ranking: Ranking


def edit_distance(a: Ranking, b: Ranking) -> EditDistance:
    """Return how far two rankings of the same methods are apart.

    A swap exchanges two consecutive elements (cost 1), so that an element passes a bucket of k for
    a cost of k; a split cuts a bucket in two and a merge joins two neighbours (0.5 each). What a
    script has merged it does not split again: the paper leaves this open, but without it no two
    rankings of n methods would be more than n - 1 apart, and its tables report more. The minimum
    then has a closed form: with ``cells`` the number of non-empty intersections of a bucket of
    ``a`` with one of ``b``, there are as many swaps as pairs that both order strictly and
    oppositely, ``cells - buckets(a)`` splits and ``cells - buckets(b)`` merges.

    Symmetric, and zero only on equal rankings, but not a metric: the all-tied ranking is a short
    cut, within (n - 1) / 2 of every other, so protocols that tie much are favoured (the paper says
    so itself). Reports therefore show the Kemeny distance beside it, and the all-tied baseline.

    Raises
    ------
    RankingError
        If a ranking is not one, or they rank different methods; names the methods.
    """
    places = places_of([checked(a), checked(b)])
    swaps, splits, merges = (int(count[0]) for count in _edit_counts(places[:1], places[1:]))
    return EditDistance(swaps, splits, merges)


def places_of(rankings: list[Ranking]) -> NDArray[np.intp]:
    """Return the bucket number of each method (in order of name) in each ranking.

    Returns
    -------
    ndarray of shape (number of rankings, number of methods)

    Raises
    ------
    RankingError
        If the rankings are of different methods.
    """
    require_same_methods(*rankings)
    rows = []
    for ranking in rankings:
        place = bucket_of(ranking)
        rows.append([place[method] for method in sorted(place)])
    return np.array(rows, dtype=np.intp)


def edit_distances(a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the distance of each row of ``a`` to the same row of ``b``.

    Parameters
    ----------
    a, b : ndarray of shape (m, n)
        Bucket numbers ``0, 1, ...`` of n methods in m rankings (see :func:`places_of`).

    Returns
    -------
    ndarray of shape (m,)
    """
    swaps, splits, merges = _edit_counts(a, b)
    return np.asarray(SWAP_COST * swaps + SPLIT_COST * splits + MERGE_COST * merges)


def _edit_counts(
    a: NDArray[np.intp], b: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    signs_a = np.sign(a[:, :, np.newaxis] - a[:, np.newaxis, :])
    signs_b = np.sign(b[:, :, np.newaxis] - b[:, np.newaxis, :])
    swaps = np.count_nonzero(signs_a * signs_b < 0, axis=(1, 2)) // 2
    n_cells = _n_distinct(a * (a.shape[1] + 1) + b)
    return swaps, n_cells - _n_distinct(a), n_cells - _n_distinct(b)


def _n_distinct(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    ordered = np.sort(rows, axis=1)
    return np.asarray(1 + np.count_nonzero(np.diff(ordered, axis=1), axis=1))


def edit_script(a: Ranking, b: Ranking) -> tuple[Step, ...]:
    """Return a cheapest script from ``a`` to ``b``: splits, then swaps, then merges.

    The costs of the steps add up to the distance. A swap step exchanges two neighbouring buckets;
    where they hold k and l tied methods it stands for the k * l swaps of single elements, which
    have no order among themselves.

    Raises
    ------
    RankingError
        As :func:`edit_distance` does.
    """
    a, b = checked(a), checked(b)
    require_same_methods(a, b)
    goal = bucket_of(b)
    steps: list[Step] = []
    current = [tuple(sorted(bucket)) for bucket in a]

    def note(edit: Literal["split", "swap", "merge"], cost: float) -> None:
        steps.append(Step(edit, cost, tuple(current)))

    at = 0
    while at < len(current):
        bucket = current[at]
        first = min(goal[method] for method in bucket)
        part = tuple(method for method in bucket if goal[method] == first)
        if len(part) < len(bucket):
            rest = tuple(method for method in bucket if goal[method] != first)
            current[at : at + 1] = [part, rest]
            note("split", SPLIT_COST)
        at += 1
    for end in range(1, len(current)):
        at = end
        while at and goal[current[at - 1][0]] > goal[current[at][0]]:
            upper, lower = current[at - 1], current[at]
            current[at - 1 : at + 1] = [lower, upper]
            note("swap", SWAP_COST * len(upper) * len(lower))
            at -= 1
    at = 1
    while at < len(current):
        if goal[current[at - 1][0]] == goal[current[at][0]]:
            current[at - 1 : at + 1] = [tuple(sorted(current[at - 1] + current[at]))]
            note("merge", MERGE_COST)
        else:
            at += 1
    return tuple(steps)


def expected_from_random_order(b: Ranking) -> float:
    """Return the mean edit distance of all n! strict orders to ``b``.

    Half of the pairs that ``b`` orders strictly are the other way round, and a strict order needs
    ``n - buckets(b)`` merges: ``strict / 2 + (n - buckets) / 2``.
    """
    n, strict, _ = _pair_counts(b)
    return SWAP_COST * strict / 2 + MERGE_COST * (n - len(b))


def _pair_counts(ranking: Ranking) -> tuple[int, int, int]:
    n = sum(map(len, ranking))
    tied = sum(len(bucket) * (len(bucket) - 1) // 2 for bucket in ranking)
    return n, n * (n - 1) // 2 - tied, tied
