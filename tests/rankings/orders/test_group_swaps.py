"""The other reading of a swap, against a search over all scripts."""

import heapq
import random
from itertools import count, pairwise, product

import numpy as np
import pytest

from rankings.orders.edit_distance import edit_distances
from rankings.orders.group_swaps import group_swap_distances


def nearest(start, goal):
    """Dijkstra over scripts in which any two neighbouring buckets swap for 1.

    A bucket is a set of pieces; a merge makes one piece, which is not split again.
    """
    goal = buckets(goal)
    first = tuple(frozenset(frozenset([one]) for one in bucket) for bucket in buckets(start))
    serial, best, waiting = count(), {first: 0.0}, [(0.0, 0, first)]
    while True:
        cost, _, now = heapq.heappop(waiting)
        if tuple(map(union, now)) == goal:
            return cost
        for step, new in steps(now, goal):
            if cost + step < best.get(new, np.inf):
                best[new] = cost + step
                heapq.heappush(waiting, (cost + step, next(serial), new))


def buckets(places):
    return tuple(
        frozenset(at for at, own in enumerate(places) if own == place)
        for place in sorted({*places})
    )


def union(bucket):
    return frozenset().union(*bucket)


def steps(now, goal):
    for at, (one, other) in enumerate(pairwise(now)):
        yield 1.0, (*now[:at], other, one, *now[at + 2 :])
        both = union(one) | union(other)
        if any(both <= bucket for bucket in goal):
            yield 0.5, (*now[:at], frozenset([both]), *now[at + 2 :])
    for at, bucket in enumerate(now):
        pieces = list(bucket)
        for mask in range(1, 2 ** len(pieces) - 1):
            part = frozenset(one for bit, one in enumerate(pieces) if mask >> bit & 1)
            yield 0.5, (*now[:at], part, bucket - part, *now[at + 1 :])


def weak_orders(n):
    """All rankings of n methods as bucket numbers from 0."""
    return [of for of in product(range(n), repeat=n) if {*of} == {*range(max(of) + 1)}]


def test_an_element_passes_a_group_for_one_swap():
    # a=b>c to c>a>b: a swap and a split, where the distance of the paper's table has two swaps.
    assert group_swap_distances(np.array([[0, 0, 1]]), np.array([[1, 2, 0]])) == [1.5]
    assert edit_distances(np.array([[0, 0, 1]]), np.array([[1, 2, 0]])) == [2.5]


def test_strict_orders_are_as_far_apart_as_by_the_edit_distance():
    orders = np.array([np.random.default_rng(at).permutation(6) for at in range(40)])
    a, b = orders[:20], orders[20:]
    assert (group_swap_distances(a, b) == edit_distances(a, b)).all()


def test_every_pair_of_three_methods_costs_what_a_search_finds():
    pairs = list(product(weak_orders(3), repeat=2))
    assert len(pairs) == 13 * 13
    found = group_swap_distances(*(np.array(of) for of in zip(*pairs, strict=True)))
    assert found.tolist() == [nearest(a, b) for a, b in pairs]


@pytest.mark.parametrize(
    ("n", "n_equal"), [(4, 193), pytest.param(5, 179, marks=pytest.mark.release)]
)
def test_few_random_pairs_cost_less_by_swaps_before_and_after(n, n_equal):
    rng = random.Random(n)
    orders = [rng.choice(weak_orders(n)) for _ in range(400)]
    a, b = orders[:200], orders[200:]
    found = group_swap_distances(np.array(a), np.array(b))
    least = np.array([nearest(*pair) for pair in zip(a, b, strict=True)])
    assert (found >= least).all()
    assert (found == least).sum() == n_equal
    assert (found <= edit_distances(np.array(a), np.array(b))).all()
