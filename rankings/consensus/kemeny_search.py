"""Search for the nearest weak order of methods that are too many for dynamic programming."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from .cheapest_order import Costs, cheapest

DEFAULT_MAX_NODES = 1000
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
