"""The Kemeny consensus: the weak order with the least total distance to rankings ([KS62]_)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.buckets import Ranking
from ..orders.packed import Places, dense_places
from ..orders.pairwise import pair_counts
from .cheapest_order import Costs, are_summable, cheapest, scaled_costs

DEFAULT_MAX_NODES = 50_000


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
    group is solved. (3) Any other group is solved exactly by dynamic programming over subsets: all
    of them with up to 15 methods (:mod:`.cheapest_order`); with more, those that can begin an order
    no dearer than one that was improved step by step. If these are too many, that one is returned,
    without a proof.

    Parameters
    ----------
    rankings : sequence of rankings
    max_nodes : int
        Most subsets of a group of more than 15 methods that are searched, 0 or more. If there are
        more, the result is the nearest ranking found, with the bound that was proven.

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


# Most methods of a window that is solved exactly.
_WINDOW = 8


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

    Costs of shape (n, n) are as in :func:`cost_of`. A node is a set of methods that may come before
    all others. If there are more than ``max_nodes``, the result is the order improved by windows.
    """
    best, cheapest_pair = _by_windows(strict, tied), np.minimum(np.minimum(strict, strict.T), tied)
    cost, least = cost_of(best, strict, tied), int(np.triu(cheapest_pair, 1).sum())
    scaled = scaled_costs(strict, tied)
    at_least = np.minimum(np.minimum(scaled[0], scaled[0].T), scaled[1])
    # The excess of each choice over the cheapest one for its pair. Floats are multiplied the
    # fastest; all sums are integers below 2^53.
    more_strict, more_tied = (np.where(np.eye(len(best)), 0.0, of - at_least) for of in scaled)
    spare = cost_of(best, more_strict, more_tied)
    sets = _sets_before(more_strict, spare, max_nodes)
    if sets is None:
        return Ending(best, cost, least, False)
    place = _places(*sets, more_strict, more_tied, spare)
    found = np.asarray(place[:, np.newaxis] <= place)
    cost = cost_of(found, strict, tied)
    return Ending(found, cost, cost, True)


def _sets_before(
    strict: NDArray[np.float64], spare: int, max_nodes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return the sets of methods that can come before all others at a cost of at most ``spare``.

    They are of shape (s, n), 1 for a member, with the cost of each of shape (s,), by their size;
    None if there are more than ``max_nodes``. The cost of the pairs across a set only rises with
    each method that is put in or out of it.
    """
    n = len(strict)
    sets, costs = np.zeros((1, n)), np.zeros(1)
    for method in range(n):
        known = sets[:, :method]
        without = costs + known @ strict[:method, method]
        within = costs + (1 - known) @ strict[method, :method]
        added = sets[within <= spare]
        added[:, method] = 1
        sets = np.concatenate([sets[without <= spare], added])
        costs = np.concatenate([without[without <= spare], within[within <= spare]])
        if len(sets) > max_nodes:
            return None
    by_size = np.argsort(sets.sum(axis=1), kind="stable")
    return sets[by_size], costs[by_size]


def _places(
    sets: NDArray[np.float64],
    across: NDArray[np.float64],
    strict: NDArray[np.float64],
    tied: NDArray[np.float64],
    spare: int,
) -> NDArray[np.int64]:
    """Return the number of methods before each in the cheapest order, the highest places of several.

    The cheapest order of a set is its last bucket after the cheapest order of another of the sets.
    The pairs of a set T after S cost (S strict - S tied) T + own(S) + tied(T) - constant(S).
    """
    by_method = sets @ strict - sets @ tied
    within = (sets @ tied * sets).sum(axis=1) / 2
    constant = (sets @ strict * sets).sum(axis=1) - within
    least, place = np.zeros(len(sets)), np.zeros(sets.shape, dtype=np.int64)
    # The first ``n_open`` rows are overwritten by those of sets that a cheapest order may begin with.
    n_open = 1
    for at in range(1, len(sets)):
        new = sets[at]
        inside = np.flatnonzero(sets[:n_open] @ (1 - new) == 0)
        cost = (least[:n_open] + by_method[:n_open] @ new - constant[:n_open])[inside] + within[at]
        if cost.min(initial=np.inf) + across[at] > spare:
            continue
        nearest = inside[cost == cost.min()]
        is_last = new > sets[nearest]
        size = sets[nearest].sum(axis=1, keepdims=True).astype(np.int64)
        place[n_open] = min(np.where(is_last, size, place[nearest]).tolist())
        least[n_open] = cost.min()
        for of in (sets, by_method, constant):
            of[n_open] = of[at]
        n_open += 1
    return np.asarray(place[n_open - 1])


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
