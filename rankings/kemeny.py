"""The Kemeny consensus: the weak order nearest to all rankings together ([KS62]_)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import RankingError
from .orders import Ranking
from .pairwise import pair_counts

DEFAULT_TIME_LIMIT = 10.0

_Matrix = NDArray[np.int64]
_SOLVED, _OUT_OF_TIME = 0, 1


@dataclass(frozen=True, slots=True)
class KemenyConsensus:
    """The consensus with its distance and the bound that proves it.

    Attributes
    ----------
    ranking : Ranking
    distance : float
        Sum of the Kemeny distances of the rankings to it.
    bound : float
        No weak order has a smaller sum. Equal to ``distance`` unless time ran out.
    is_proven : bool
        True if the search ended in time: no other weak order is nearer, and of those equally near
        the rule chose this one. Where it is False although ``bound`` equals ``distance``, the
        ranking is one of the nearest, but not all of those were compared.
    """

    ranking: Ranking
    distance: float
    bound: float
    is_proven: bool


def kemeny(
    rankings: Sequence[Ranking], *, time_limit: float = DEFAULT_TIME_LIMIT
) -> KemenyConsensus:
    """Return the weak order with the smallest sum of Kemeny distances to the rankings.

    The distance is 1 for a pair ordered oppositely and 0.5 for a pair tied in exactly one of the
    two rankings ([FKMSV06]_, p = 1/2). A ranking that lacks a method says nothing of its pairs.

    Several weak orders can be nearest. Of these it is the one with the most tied pairs (two
    annotators who contradict each other give a tie); if there are several still, the one that
    places the first method by name highest, then the second, and so on, where a method's place is
    the number of methods strictly before it. The result therefore depends on nothing but the
    rankings, as long as time does not run out.

    Exact, in three steps. (1) Where every method of one group is better placed strictly before
    every method of another, the groups are solved apart, as for the extended Condorcet criterion
    of [YE21]_. (2) A group in which the best choices for its pairs already make a weak order is
    done. (3) Any other is an integer programme with a variable for "i stands no lower than j".

    Parameters
    ----------
    rankings : sequence of rankings
    time_limit : float
        Seconds for all of it, positive. Once they are over, the result is the nearest ranking
        found, with the bound that was proven. What is found then depends on the machine.

    Raises
    ------
    RankingError
        If there is no ranking, one of them is not a ranking, the time limit is not positive, or
        the solver fails.
    """
    if not time_limit > 0:
        raise RankingError(f"the time limit must be a positive number of seconds, got {time_limit}")
    deadline = monotonic() + time_limit
    counts = pair_counts(rankings)
    ranking: list[tuple[str, ...]] = []
    distance, bound, is_proven = 0, 0, True
    # Costs for each pair (n, n), in halves: "i strictly before j" costs 2 for each ranking that says
    # the opposite and 1 for each that ties the two; a tie costs 1 for each that orders them.
    strict = 2 * counts.before.T + counts.tied
    tied = counts.before + counts.before.T
    groups = _groups(strict, tied)
    for at, group in enumerate(groups):
        cells = np.ix_(group, group)
        nearest = _nearest(_Costs(strict[cells], tied[cells]), deadline)
        # The more methods it stands no lower than, the higher a method stands.
        heights = nearest.no_lower.sum(axis=1)
        for height in sorted(set(heights.tolist()), reverse=True):
            members = np.array(group)[heights == height]
            ranking.append(tuple(counts.methods[member] for member in members))
        distance += nearest.cost
        bound += nearest.bound
        is_proven &= nearest.is_proven
        for later in groups[at + 1 :]:
            across = int(strict[np.ix_(group, later)].sum())
            distance += across
            bound += across
    return KemenyConsensus(tuple(ranking), distance / 2, bound / 2, is_proven)


def _groups(strict: _Matrix, tied: _Matrix) -> list[list[int]]:
    """Return groups of methods, best first, between which every pair has one best choice.

    ``strict[i, j]`` is what "i strictly before j" costs, ``tied`` what a tie costs. If before is
    the only cheapest choice for every pair across two groups, then moving one group before the
    other makes any weak order cheaper, so no nearest one mixes them.
    """
    n = len(strict)
    # reaches[i, j]: j need not stand before i. Closed under transitivity (Warshall's algorithm), two
    # methods that reach each other belong to one group, and groups are in a line: from a better
    # group the worse ones are reached, and never back.
    reaches = (strict <= strict.T) | (tied <= strict.T)
    for through in range(n):
        reaches |= np.outer(reaches[:, through], reaches[through])
    groups = {tuple(np.flatnonzero(reaches[at] & reaches[:, at]).tolist()) for at in range(n)}
    return sorted(map(list, groups), key=lambda group: -int(reaches[group[0]].sum()))


class _Costs:
    """The costs of each choice for each pair of a group, in halves, so that they are integers.

    ``strict[i, j]`` is the cost of "i strictly before j", ``tied[i, j]`` that of a tie; ``least`` is
    the sum of each pair's cheapest choice, which no weak order can undercut.
    """

    def __init__(self, strict: _Matrix, tied: _Matrix) -> None:
        self.n, self.strict, self.tied = len(strict), strict, tied
        self.least = int(np.triu(np.minimum(np.minimum(strict, strict.T), tied), 1).sum())

    def of(self, no_lower: NDArray[np.bool_]) -> int:
        """Return the cost of the weak order with ``no_lower[i, j]``: i stands no lower than j."""
        above = no_lower & ~no_lower.T
        return int(self.strict[above].sum() + np.triu(self.tied * (no_lower & no_lower.T), 1).sum())


@dataclass(frozen=True, slots=True)
class _Nearest:
    """A weak order, its cost, and a bound that no weak order can undercut."""

    no_lower: NDArray[np.bool_]
    cost: int
    bound: int
    is_proven: bool


def _nearest(costs: _Costs, deadline: float) -> _Nearest:
    # Ties win where they are as cheap: the pairwise choices then have the most ties as well.
    no_lower = (costs.tied <= np.minimum(costs.strict, costs.strict.T)) | (
        costs.strict < costs.strict.T
    )
    np.fill_diagonal(no_lower, True)
    # The product counts the steps i, k, j with "no lower" twice in a row: where there is one, a
    # weak order says "no lower" of i and j, too.
    if not ((no_lower @ no_lower) & ~no_lower).any():
        return _Nearest(no_lower, costs.least, costs.least, is_proven=True)
    return _searched(costs, deadline)


def _searched(costs: _Costs, deadline: float) -> _Nearest:
    # Imported here: it takes longer than most commands, and few of them need it.
    from scipy.optimize import Bounds, LinearConstraint, milp

    n = costs.n
    off_diagonal = ~np.eye(n, dtype=bool)
    # A pair costs s[i, j] (1 - x[j, i]) + s[j, i] (1 - x[i, j]) + t[i, j] (x[i, j] + x[j, i] - 1)
    # with s for strict and t for tied; this is the part without a variable.
    constant = int(np.triu(costs.strict + costs.strict.T - costs.tied, 1).sum())
    constraints: list[Any] = [
        LinearConstraint(matrix, least, most) for matrix, least, most in _weak_order_rules(n)
    ]
    best, bound = _starting_point(costs), costs.least
    for stage, objective in enumerate(_objectives(costs, off_diagonal)):
        left = deadline - monotonic()
        if left <= 0:
            return _Nearest(best, costs.of(best), bound, is_proven=False)
        result = milp(
            objective,
            integrality=1,
            bounds=Bounds(0, 1),
            constraints=constraints,
            options={"time_limit": left, "mip_rel_gap": 0.0},
        )
        if result.status not in (_SOLVED, _OUT_OF_TIME):
            raise RankingError(f"the Kemeny consensus was not found: {result.message}")
        is_solved = result.status == _SOLVED
        if result.x is not None:
            solution = np.eye(n, dtype=bool)
            solution[off_diagonal] = result.x > 0.5
            if is_solved or costs.of(solution) < costs.of(best):
                best = solution
        if stage == 0:
            bound = costs.of(best) if is_solved else _raised(bound, result, constant)
        if not is_solved:
            return _Nearest(best, costs.of(best), bound, is_proven=False)
        # The next objectives decide among the weak orders that are as good by this one.
        reached = float(objective @ best[off_diagonal])
        constraints.append(LinearConstraint(objective[np.newaxis], -np.inf, reached))
    return _Nearest(best, costs.of(best), bound, is_proven=True)


def _objectives(costs: _Costs, off_diagonal: NDArray[np.bool_]) -> Iterator[NDArray[np.float64]]:
    """Yield the objectives minimised in turn: cost, number of strict pairs, each method's place.

    Each is a vector over the variables x[i, j], i and j different, row by row.
    """
    yield (costs.tied - costs.strict.T)[off_diagonal].astype(np.float64)
    yield -np.ones(costs.n * (costs.n - 1))
    for method in range(costs.n):
        row = np.zeros((costs.n, costs.n))
        row[method] = -1
        yield row[off_diagonal]


def _weak_order_rules(n: int) -> Iterator[tuple[Any, float, float]]:
    """Yield matrix, least and most of the rules that make the variables a weak order."""
    from scipy.sparse import csr_array

    # The number of the variable x[i, j] among all; the diagonal has none.
    number = np.full((n, n), -1)
    number[~np.eye(n, dtype=bool)] = np.arange(n * (n - 1))
    i, j = np.array(list(combinations(range(n), 2))).T
    columns = np.stack([number[i, j], number[j, i]], axis=1)
    # One of two methods stands no lower than the other.
    yield _rows(csr_array, columns, [1, 1], n), 1, np.inf
    i, j, k = np.array(list(permutations(range(n), 3))).T
    columns = np.stack([number[i, j], number[j, k], number[i, k]], axis=1)
    # If i stands no lower than j and j no lower than k, then i no lower than k.
    yield _rows(csr_array, columns, [1, 1, -1], n), -np.inf, 1


def _rows(csr_array: Any, columns: NDArray[np.intp], signs: list[int], n: int) -> Any:
    """Return a sparse matrix whose row r has these signs in the columns of row r."""
    n_rows, width = columns.shape
    rows = np.repeat(np.arange(n_rows), width)
    return csr_array((np.tile(signs, n_rows), (rows, columns.ravel())), (n_rows, n * (n - 1)))


def _starting_point(costs: _Costs) -> NDArray[np.bool_]:
    """Return the nearer of all tied and the order by wins less losses."""
    # strict[i, j] - strict[j, i] is twice: how often i lost to j less how often it won.
    losses = (costs.strict - costs.strict.T).sum(axis=1)
    by_wins = losses[:, np.newaxis] <= losses
    all_tied = np.ones((costs.n, costs.n), dtype=bool)
    return min(all_tied, by_wins, key=costs.of)


def _raised(bound: int, result: Any, constant: int) -> int:
    """Return the larger of the bound and the solver's, which the next integer replaces."""
    solver_bound = result.mip_dual_bound
    if solver_bound is None or not math.isfinite(solver_bound):
        return bound
    return max(bound, math.ceil(float(solver_bound) + constant - 1e-6))
