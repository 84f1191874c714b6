"""The Kemeny consensus: the weak order with the least total distance to rankings ([KS62]_)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.buckets import Ranking
from ..orders.packed import Places, dense_places
from ..orders.pairwise import pair_counts
from .cheapest_order import Costs, are_summable, cheapest
from .kemeny_search import DEFAULT_MAX_NODES, cost_of, searched


@dataclass(frozen=True, slots=True)
class KemenyConsensus:
    """The consensus with its distance and the bound that proves it.

    ``distance`` is the sum of the Kemeny distances of the rankings to it; no weak order has a sum
    smaller than ``bound``, which is equal to it unless the search was cut short. ``is_proven``: no
    other weak order is nearer, and the rule chose this one of those equally near. If it is False
    although ``bound`` equals ``distance``, the ranking is one of the nearest, but not all were
    compared.
    """

    ranking: Ranking
    distance: float
    bound: float
    is_proven: bool


def kemeny(rankings: Sequence[Ranking], *, max_nodes: int = DEFAULT_MAX_NODES) -> KemenyConsensus:
    """Return the weak order with the smallest sum of Kemeny distances to the rankings.

    The distance is 1 for a pair ordered oppositely and 0.5 for a pair tied in exactly one of the
    two rankings ([FKMSV06]_, p = 1/2). A ranking without a method adds nothing to that method's
    pairs.

    Several weak orders can be nearest. The result is the one with the most tied pairs (two
    annotators who contradict each other give a tie); if several remain, the one that places the
    first method by name highest, then the second, and so on; a method's place is the number of
    methods strictly before it. The result therefore depends only on the rankings; the search is
    limited by its work and never by time, so it ends in the same way on every machine.

    There are three steps. (1) If it is better to place every method of one group strictly before
    every method of another, the groups are solved separately, as for the extended Condorcet
    criterion of [YE21]_. (2) If the best choices for the pairs of a group make a weak order, the
    group is solved. (3) Any other group is solved exactly by dynamic programming over subsets, with
    up to 12 methods (:mod:`.cheapest_order`); by integer programmes of limited size, with up to 24;
    and is only improved step by step, without a proof, with more (:mod:`.kemeny_search`).

    Parameters
    ----------
    rankings : sequence of rankings
    max_nodes : int
        Nodes of each integer programme, 0 or more. When they are used up, the result is the nearest
        ranking found, with the bound that was proven.

    Raises
    ------
    RankingError
        If there is no ranking, one of them is invalid, or ``max_nodes`` is below 0.

    Examples
    --------
    >>> found = kemeny([(("a",), ("b",)), (("a",), ("b",)), (("b",), ("a",))])
    >>> found.ranking, found.distance, found.is_proven
    ((('a',), ('b',)), 1.0, True)
    """
    if max_nodes < 0:
        raise RankingError(f"max_nodes must be 0 or more, got {max_nodes}")
    counts = pair_counts(rankings)
    strict, tied = _costs(counts.before[np.newaxis], counts.tied[np.newaxis])
    nearest = _nearest(strict, tied, max_nodes)
    ranking: list[tuple[str, ...]] = []
    # The more methods a method is placed no lower than, the higher its own place.
    heights = nearest.no_lower[0].sum(axis=1)
    for height in sorted(set(heights.tolist()), reverse=True):
        members = np.flatnonzero(heights == height)
        ranking.append(tuple(counts.methods[member] for member in members))
    distance = cost_of(nearest.no_lower[0], strict[0], tied[0])
    bound = distance - int(nearest.gaps[0])
    return KemenyConsensus(tuple(ranking), distance / 2, bound / 2, bool(nearest.is_proven[0]))


def kemeny_ranking(rankings: Sequence[Ranking]) -> Ranking:
    """Return only the ranking of :func:`kemeny`."""
    return kemeny(rankings).ranking


def kemeny_places(places: Places) -> tuple[Places, NDArray[np.bool_]]:
    """Return the consensus of :func:`kemeny` for g images at once, and whether each is proven.

    ``places`` of shape (g, k, n) are bucket numbers of n methods in the k rankings of each image,
    the consensus those of shape (g, n).
    """
    g, k, n = places.shape
    before, equal = np.zeros((2, g, n, n), dtype=np.int64)
    # Ranking by ranking: all at once would take an array k times as large.
    for at in range(k):
        before += places[:, at, :, np.newaxis] < places[:, at, np.newaxis]
        equal += places[:, at, :, np.newaxis] == places[:, at, np.newaxis]
    equal *= ~np.eye(n, dtype=bool)
    nearest = _nearest(*_costs(before, equal), DEFAULT_MAX_NODES)
    return dense_places(-nearest.no_lower.sum(axis=2)), nearest.is_proven


def _costs(before: Costs, equal: Costs) -> tuple[Costs, Costs]:
    """Return the costs of each choice for each pair, counted in halves to be integers.

    Computed from the numbers of rankings with i before j, and of those that tie them, both of shape
    (g, n, n). "i strictly before j" costs 2 for each ranking with the opposite order and 1 for each
    that ties the two; a tie costs 1 for each that orders them.
    """
    after = before.transpose(0, 2, 1)
    return 2 * after + equal, before + after


@dataclass(frozen=True, slots=True)
class _Nearest:
    """The nearest weak order found for each of g problems.

    ``no_lower`` of shape (g, n, n) is true if i is placed no lower than j; ``gaps`` of shape (g,)
    are upper bounds of the unproven part of the cost, 0 if the search was completed.
    """

    no_lower: NDArray[np.bool_]
    gaps: NDArray[np.int64]
    is_proven: NDArray[np.bool_]


def _nearest(strict: Costs, tied: Costs, max_nodes: int) -> _Nearest:
    turned = strict.transpose(0, 2, 1)
    # The best choice for each pair. Ties win if they are as cheap: if the choices make a weak
    # order, it also has the most ties.
    no_lower = (tied <= np.minimum(strict, turned)) | (strict < turned)
    no_lower |= np.eye(strict.shape[-1], dtype=bool)
    gaps = np.zeros(len(strict), dtype=np.int64)
    is_proven = np.ones(len(strict), dtype=bool)
    for problems, members in _unsolved_groups(no_lower, strict, tied):
        cells = (
            problems[:, np.newaxis, np.newaxis],
            members[:, :, np.newaxis],
            members[:, np.newaxis],
        )
        of_group = strict[cells], tied[cells]
        if are_summable(*of_group):
            no_lower[cells] = cheapest(*of_group)
            continue
        for at, problem in enumerate(problems.tolist()):
            ending = searched(of_group[0][at], of_group[1][at], max_nodes)
            no_lower[problem][np.ix_(members[at], members[at])] = ending.no_lower
            gaps[problem] += ending.cost - ending.bound
            is_proven[problem] &= ending.is_proven
    return _Nearest(no_lower, gaps, is_proven)


def _unsolved_groups(
    no_lower: NDArray[np.bool_], strict: Costs, tied: Costs
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return the groups in which the best choices for pairs make no weak order, by their size.

    If "before" is the only cheapest choice for every pair across two groups, moving one group
    before the other makes any other weak order cheaper, so no nearest one mixes them. For each size
    the problems, of shape (u,), and their groups' methods by number, of shape (u, size).
    """
    n = strict.shape[-1]
    turned = strict.transpose(0, 2, 1)
    # reaches[i, j]: j need not come before i. After transitive closure (Warshall's algorithm),
    # methods that reach each other are one group, and groups are in a line: a better group reaches
    # the worse ones, and never the reverse. So the number reached distinguishes groups.
    reaches = (strict <= turned) | (tied <= turned)
    for through in range(n):
        reaches |= reaches[:, :, through, np.newaxis] & reaches[:, through, np.newaxis]
    group_of = reaches.sum(axis=2)
    # In a weak order, i is no lower than j if i is no lower than some k, and k no lower than j.
    two_steps = np.zeros_like(no_lower)
    for through in range(n):
        two_steps |= no_lower[:, :, through, np.newaxis] & no_lower[:, through, np.newaxis]
    is_at_odds = np.asarray((two_steps & ~no_lower).any(axis=2))
    by_size: dict[int, list[tuple[int, NDArray[np.intp]]]] = {}
    for problem in np.flatnonzero(is_at_odds.any(axis=1)).tolist():
        for group in np.unique(group_of[problem][is_at_odds[problem]]).tolist():
            members = np.flatnonzero(group_of[problem] == group)
            by_size.setdefault(len(members), []).append((problem, members))
    return [
        (np.array([problem for problem, _ in groups]), np.array([members for _, members in groups]))
        for _, groups in sorted(by_size.items())
    ]
