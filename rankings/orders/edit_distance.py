"""Ranking edit distance: the cheapest script of swaps, splits and merges ([DPTF18]_, III.B)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .buckets import Ranking, bucket_of, checked, require_same_methods

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
    """Return the ranking edit distance of two rankings of the same methods.

    A swap exchanges two consecutive elements (cost 1), so an element passes a bucket of k at a cost
    of k; a split cuts a bucket in two and a merge joins two neighbours (0.5 each). A script never
    splits a bucket that it has merged: the paper leaves this open, but without this rule no two
    rankings of n methods would be more than n - 1 apart, and its tables report more. The minimum
    then has a closed form: if ``cells`` is the number of non-empty intersections of a bucket of
    ``a`` with one of ``b``, there are as many swaps as pairs that both order strictly and
    oppositely, ``cells - buckets(a)`` splits and ``cells - buckets(b)`` merges.

    It is symmetric, and zero only for equal rankings, but not a metric: the all-tied ranking is a
    short cut, within (n - 1) / 2 of every other, so protocols with many ties are favoured (as the
    paper notes). Reports therefore also show the Kemeny distance and the all-tied baseline.

    Parameters
    ----------
    a, b : rankings
        Rankings of the same methods: buckets, best first, of tied methods.

    Raises
    ------
    RankingError
        If a ranking is invalid, or they rank different methods; the message names the methods.

    Examples
    --------
    >>> edit_distance((("a",), ("b", "c")), (("c",), ("a",), ("b",))).distance
    1.5
    """
    places = places_of([checked(a), checked(b)])
    swaps, splits, merges = (int(count[0]) for count in edit_counts(places[:1], places[1:]))
    return EditDistance(swaps, splits, merges)


def places_of(rankings: list[Ranking]) -> NDArray[np.intp]:
    """Return the bucket number of each method (in order of name) in each ranking.

    The shape is (number of rankings, number of methods). Raises RankingError if the rankings have
    different methods.
    """
    require_same_methods(*rankings)
    rows = []
    for ranking in rankings:
        place = bucket_of(ranking)
        rows.append([place[method] for method in sorted(place)])
    return np.array(rows, dtype=np.intp)


def edit_distances(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """Return the distance of each row of ``a`` to the same row of ``b``, of shape (m,).

    Both are of shape (m, n): bucket numbers of n methods in m rankings (see :func:`places_of`), or
    other numbers that are smaller for better methods and equal for tied ones.
    """
    swaps, splits, merges = edit_counts(a, b)
    return np.asarray(SWAP_COST * swaps + SPLIT_COST * splits + MERGE_COST * merges)


def edit_counts(
    a: NDArray[Any], b: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of swaps, splits and merges, each of shape (m,)."""
    m, n = a.shape
    swaps = np.zeros(m, dtype=np.intp)
    # (in a, in b, in both; methods; rankings): True where a method shares its bucket with an
    # earlier one. There is one method that does not for each bucket (of a, of b) or cell (both), so
    # these can be counted without creating any bucket.
    repeated = np.zeros((3, n, m), dtype=bool)
    for at, opposite, tied_in_a, tied_in_b in compared_pairs(a, b):
        swaps += opposite.sum(axis=0, dtype=count_kind(n))
        repeated[0, at + 1 :] |= tied_in_a
        repeated[1, at + 1 :] |= tied_in_b
        repeated[2, at + 1 :] |= tied_in_a & tied_in_b
    in_a, in_b, in_both = (shares.sum(axis=0, dtype=np.intp) for shares in repeated)
    # There are n - in_a buckets of a and n - in_both cells, so that n cancels out in
    # splits = cells - buckets(a), and likewise in merges.
    return swaps, in_a - in_both, in_b - in_both


def compared_pairs(
    a: NDArray[Any], b: NDArray[Any]
) -> Iterator[tuple[int, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]]:
    """Yield the comparisons of each method with all methods after it.

    With its number come three arrays of bool of shape (n - 1 - at, m): true where both rankings
    order the pair strictly and oppositely, where ``a`` ties it, and where ``b`` does.
    """
    # Transposed to (methods, rankings): a comparison of two methods in all rankings is then one
    # pass over neighbours in memory. All pairs at once would take an array n times as large, which
    # does not fit into the processor's cache.
    first, second = np.ascontiguousarray(a.T), np.ascontiguousarray(b.T)
    for at in range(len(first) - 1):
        tied_in_a = first[at] == first[at + 1 :]
        tied_in_b = second[at] == second[at + 1 :]
        turned = (first[at] < first[at + 1 :]) != (second[at] < second[at + 1 :])
        # ``turned`` is also True if one of them ties the pair and the other does not.
        yield at, turned & ~(tied_in_a | tied_in_b), tied_in_a, tied_in_b


def count_kind(n: int) -> Any:
    """Return the smallest integer type that counts to n: sums of bytes are the fastest."""
    return np.min_scalar_type(n)


def edit_script(a: Ranking, b: Ranking) -> tuple[Step, ...]:
    """Return a cheapest script from ``a`` to ``b``: splits, then swaps, then merges.

    The costs of the steps add up to the distance. A swap step exchanges two neighbouring buckets;
    if they hold k and l tied methods it represents the k * l swaps of single elements, which have
    no order among themselves.

    Parameters
    ----------
    a, b : rankings
        Rankings of the same methods: buckets, best first, of tied methods.

    Raises
    ------
    RankingError
        As :func:`edit_distance` does.

    Examples
    --------
    >>> for step in edit_script((("a", "b"), ("c",)), (("a",), ("c",), ("b",))):
    ...     print(step.edit, step.cost, step.ranking)
    split 0.5 (('a',), ('b',), ('c',))
    swap 1.0 (('a',), ('c',), ('b',))
    """
    a, b = checked(a), checked(b)
    require_same_methods(a, b)
    goal = bucket_of(b)
    steps: list[Step] = []
    current = [tuple(sorted(bucket)) for bucket in a]

    def note(edit: Literal["split", "swap", "merge"], cost: float) -> None:
        steps.append(Step(edit, cost, tuple(current)))

    # Split every bucket of a until its methods share a bucket of b: the part that b places first is
    # split off, and the rest comes next.
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
    # Sort the buckets by insertion, which swaps each pair in the wrong order exactly once.
    for end in range(1, len(current)):
        at = end
        while at and goal[current[at - 1][0]] > goal[current[at][0]]:
            upper, lower = current[at - 1], current[at]
            current[at - 1 : at + 1] = [lower, upper]
            note("swap", SWAP_COST * len(upper) * len(lower))
            at -= 1
    # Join neighbours that are in one bucket of b.
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

    On average half of the pairs that ``b`` orders strictly are the other way round, and a strict
    order needs ``n - buckets(b)`` merges: ``strict / 2 + (n - buckets) / 2``.
    """
    return float(expected_from_random_orders(places_of([b]))[0])


def expected_from_random_orders(b: NDArray[Any]) -> NDArray[np.float64]:
    """Return :func:`expected_from_random_order` of each row of bucket numbers of shape (m, n)."""
    n = b.shape[1]
    # Pairs that each row orders strictly; bucket numbers are dense, so the largest is one less than
    # the number of buckets.
    strict = np.zeros(len(b), dtype=np.intp)
    for at in range(n - 1):
        strict += np.count_nonzero(b[:, at + 1 :] != b[:, [at]], axis=1)
    return np.asarray(SWAP_COST * strict / 2 + MERGE_COST * (n - 1 - b.max(axis=1)))
