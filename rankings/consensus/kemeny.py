"""The Kemeny consensus: the weak order with the least total distance to rankings ([KS62]_)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.buckets import Ranking
from ..orders.packed import Places, dense_places
from ..orders.pairwise import pair_counts
from .cheapest_order import Costs, are_summable, cheapest

DEFAULT_MAX_NODES = 1000


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
    up to 15 methods (:mod:`.cheapest_order`); by integer programmes of limited size, with up to 24;
    and is only improved step by step, without a proof, with more.

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
    return nearest_places(before, equal * ~np.eye(n, dtype=bool))


def nearest_places(before: Costs, equal: Costs) -> tuple[Places, NDArray[np.bool_]]:
    """Return the bucket numbers (g, n) of the nearest weak orders, and whether each is proven.

    ``before`` of shape (g, n, n) has how often i was said to be before j, ``equal``, symmetric with a
    diagonal of 0, how often they were said to be tied.
    """
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


# Most methods of an integer programme, whose constraints grow with the cube of their number.
_MOST_METHODS = 24
# Most methods of a window that is solved exactly.
_WINDOW = 8
# The solver's status if it found the optimum, and if the problem is infeasible or unbounded.
_SOLVED, _IMPOSSIBLE = 0, (2, 3)


@dataclass(frozen=True, slots=True)
class Ending:
    """The result of a search: a weak order, its cost, and a lower bound for all weak orders."""

    no_lower: NDArray[np.bool_]
    cost: int
    bound: int
    is_proven: bool


def cost_of(no_lower: NDArray[np.bool_], strict: Costs, tied: Costs) -> int:
    """Return the cost of a weak order, in which i is placed no lower than j.

    ``strict`` and ``tied`` of shape (n, n) are the integer costs of "i strictly before j" and of a
    tie.
    """
    above = no_lower & ~no_lower.T
    return int(strict[above].sum() + np.triu(tied * (no_lower & no_lower.T), 1).sum())


def searched(strict: Costs, tied: Costs, max_nodes: int) -> Ending:
    """Return the cheapest weak order that a search of this many nodes finds.

    Costs of shape (n, n) are as in :func:`cost_of`. ``max_nodes`` limits each of the integer
    programmes: one for the cost, one for the number of ties, and one for each method's place. With
    0 nodes, or more than 24 methods, there are none. Raises RankingError if the solver fails.
    """
    least = int(np.triu(np.minimum(np.minimum(strict, strict.T), tied), 1).sum())
    best = _by_windows(strict, tied)
    bound, is_proven = least, False
    if max_nodes and len(strict) <= _MOST_METHODS:
        best, bound, is_proven = _programmed(strict, tied, best, least, max_nodes)
    return Ending(best, cost_of(best, strict, tied), bound, is_proven)


def _by_windows(strict: Costs, tied: Costs) -> NDArray[np.bool_]:
    """Return the cheaper of two orders: all tied, or by wins minus losses, improved by windows.

    A window is a run of neighbouring buckets, replaced by the cheapest order of its methods.
    """
    # strict[i, j] - strict[j, i] is twice the number of losses of i to j minus its wins.
    losses = (strict - strict.T).sum(axis=1)
    buckets = [np.flatnonzero(losses == value) for value in np.unique(losses)]
    best = _no_lower(buckets)
    while True:
        at = 0
        while at < len(buckets):
            sizes = np.cumsum([len(bucket) for bucket in buckets[at : at + _WINDOW]])
            end = at + int((sizes <= _WINDOW).sum())
            if end > at:
                window = np.sort(np.concatenate(buckets[at:end]))
                cells = np.ix_(window, window)
                [order] = cheapest(strict[cells][np.newaxis], tied[cells][np.newaxis])
                heights = order.sum(axis=1)
                buckets[at:end] = [window[heights == height] for height in np.unique(-heights) * -1]
            at += 1
        improved = _no_lower(buckets)
        if cost_of(improved, strict, tied) >= cost_of(best, strict, tied):
            break
        best = improved
    return min(best, np.ones_like(best), key=lambda order: cost_of(order, strict, tied))


def _no_lower(buckets: Sequence[NDArray[np.intp]]) -> NDArray[np.bool_]:
    n = sum(map(len, buckets))
    place = np.empty(n, dtype=np.intp)
    for at, bucket in enumerate(buckets):
        place[bucket] = at
    return np.asarray(place[:, np.newaxis] <= place)


def _programmed(
    strict: Costs, tied: Costs, best: NDArray[np.bool_], bound: int, max_nodes: int
) -> tuple[NDArray[np.bool_], int, bool]:
    """Return the best order, the bound, and whether all programmes were solved."""
    # Imported here, because the import takes longer than most commands, and few of them need it.
    from scipy.optimize import Bounds, LinearConstraint, milp

    n = len(strict)
    off_diagonal = ~np.eye(n, dtype=bool)
    # A pair costs s[i, j] (1 - x[j, i]) + s[j, i] (1 - x[i, j]) + t[i, j] (x[i, j] + x[j, i] - 1)
    # with s for strict and t for tied; this is the part without a variable.
    constant = int(np.triu(strict + strict.T - tied, 1).sum())
    constraints: list[Any] = [
        LinearConstraint(matrix, least, most) for matrix, least, most in _weak_order_rules(n)
    ]
    for stage, objective in enumerate(_objectives(strict, tied, off_diagonal)):
        result = milp(
            objective,
            integrality=1,
            bounds=Bounds(0, 1),
            constraints=constraints,
            options={"node_limit": max_nodes, "mip_rel_gap": 0.0},
        )
        if result.status in _IMPOSSIBLE:
            raise RankingError(f"the Kemeny consensus was not found: {result.message}")
        is_solved = result.status == _SOLVED
        if result.x is not None:
            solution = np.eye(n, dtype=bool)
            solution[off_diagonal] = result.x > 0.5
            if is_solved or cost_of(solution, strict, tied) < cost_of(best, strict, tied):
                best = solution
        if stage == 0:
            bound = cost_of(best, strict, tied) if is_solved else _raised(bound, result, constant)
        if not is_solved:
            return best, bound, False
        # The next objectives decide among the weak orders that are as good by this one.
        reached = float(objective @ best[off_diagonal])
        constraints.append(LinearConstraint(objective[np.newaxis], -np.inf, reached))
    return best, bound, True


def _objectives(
    strict: Costs, tied: Costs, off_diagonal: NDArray[np.bool_]
) -> Iterator[NDArray[np.float64]]:
    """Yield the objectives minimised in turn: cost, number of strict pairs, each method's place.

    Each is a vector over the variables x[i, j], i and j different, row by row.
    """
    yield (tied - strict.T)[off_diagonal].astype(np.float64)
    n = len(strict)
    yield -np.ones(n * (n - 1))
    for method in range(n):
        row = np.zeros((n, n))
        row[method] = -1
        yield row[off_diagonal]


def _weak_order_rules(n: int) -> Iterator[tuple[Any, float, float]]:
    """Yield the constraints (matrix, least, most) that make the variables a weak order."""
    from scipy.sparse import csr_array

    # The number of the variable x[i, j] among all; the diagonal has none.
    number = np.full((n, n), -1)
    number[~np.eye(n, dtype=bool)] = np.arange(n * (n - 1))
    i, j = np.array(list(combinations(range(n), 2))).T
    columns = np.stack([number[i, j], number[j, i]], axis=1)
    # Of two methods, at least one is placed no lower than the other.
    yield _rows(csr_array, columns, [1, 1], n), 1, np.inf
    i, j, k = np.array(list(permutations(range(n), 3))).T
    columns = np.stack([number[i, j], number[j, k], number[i, k]], axis=1)
    # If i is placed no lower than j and j no lower than k, then i no lower than k.
    yield _rows(csr_array, columns, [1, 1, -1], n), -np.inf, 1


def _rows(csr_array: Any, columns: NDArray[np.intp], signs: list[int], n: int) -> Any:
    """Return a sparse matrix whose row r has these signs in the columns of row r."""
    n_rows, width = columns.shape
    rows = np.repeat(np.arange(n_rows), width)
    return csr_array((np.tile(signs, n_rows), (rows, columns.ravel())), (n_rows, n * (n - 1)))


def _raised(bound: int, result: Any, constant: int) -> int:
    """Return the larger of the bound and the solver's, rounded up to an integer."""
    solver_bound = result.mip_dual_bound
    if solver_bound is None or not math.isfinite(solver_bound):
        return bound
    return max(bound, math.ceil(float(solver_bound) + constant - 1e-6))
