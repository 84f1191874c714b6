"""The ranking edit distance and its script."""

import heapq
import itertools
import json

import pytest
import scipy.stats
from hypothesis import given

from rankings.errors import RankingError
from rankings.orders.buckets import bucket_of
from rankings.orders.distances import kemeny_distance, kendall_tau_b
from rankings.orders.edit_distance import edit_distance, edit_script, expected_from_random_order
from tests.support.cases import cases
from tests.support.plain_orders import plain_edit_distance, plain_kemeny_distance
from tests.support.rankings import rankings_of, weak_orders
from tests.support.shared import shared_path


def searched_distances(start):
    """Cheapest scripts to every ranking: splits first, then swaps of neighbours, then merges."""
    start = tuple(frozenset(bucket) for bucket in start)
    best, done = {}, set()
    queue = [(0.0, 0, start, 0)]
    serial = itertools.count(1)
    while queue:
        cost, _, ranking, phase = heapq.heappop(queue)
        if (ranking, phase) in done:
            continue
        done.add((ranking, phase))
        best[ranking] = min(cost, best.get(ranking, cost))
        for extra, following, next_phase in edits(ranking, phase):
            heapq.heappush(queue, (cost + extra, next(serial), following, next_phase))
    return best


def edits(ranking, phase):
    for at, bucket in enumerate(ranking):
        if phase == 0:
            for size in range(1, len(bucket)):
                for part in map(frozenset, itertools.combinations(sorted(bucket), size)):
                    yield 0.5, (*ranking[:at], part, bucket - part, *ranking[at + 1 :]), 0
        if at + 1 < len(ranking):
            below = ranking[at + 1]
            if phase <= 1:
                swapped = (*ranking[:at], below, bucket, *ranking[at + 2 :])
                yield 1.0 * len(bucket) * len(below), swapped, 1
            yield 0.5, (*ranking[:at], bucket | below, *ranking[at + 2 :]), 2


@cases("n", [1, 2, 3, 4])
def test_the_closed_form_is_the_cheapest_script(n):
    everything = list(weak_orders("abcd"[:n]))
    assert len(everything) == {1: 1, 2: 3, 3: 13, 4: 75}[n]
    for a in everything:
        best = searched_distances(a)
        for b in everything:
            goal = tuple(frozenset(bucket) for bucket in b)
            assert edit_distance(a, b).distance == best[goal] == plain_edit_distance(a, b), (a, b)


def test_every_reference_case_is_reproduced():
    cases = json.loads(shared_path("reference", "ranking_cases.json").read_text())["cases"]
    for case in cases:
        edit = edit_distance(case["a"], case["b"])
        assert (edit.distance, edit.swaps, edit.splits, edit.merges) == (
            case["distance"],
            case["swaps"],
            case["splits"],
            case["merges"],
        ), case["name"]
        assert kemeny_distance(case["a"], case["b"]) == case["kemeny"], case["name"]


def test_figure_3_of_the_paper_takes_one_split_and_three_swaps():
    a, b = (("a", "d"), ("b",), ("c",), ("f",), ("e",)), tuple((m,) for m in "abcdef")
    assert edit_distance(a, b).distance == 3.5
    script = edit_script(a, b)
    assert [(step.edit, step.cost) for step in script] == [
        ("split", 0.5),
        ("swap", 1.0),
        ("swap", 1.0),
        ("swap", 1.0),
    ]
    assert ["".join(m for bucket in step.ranking for m in bucket) for step in script] == [
        "adbcfe",
        "abdcfe",
        "abcdfe",
        "abcdef",
    ]


@given(rankings_of("abcdefg"), rankings_of("abcdefg"))
def test_a_script_is_made_of_legal_edits_that_cost_the_distance(a, b):
    script = edit_script(a, b)
    assert sum(step.cost for step in script) == edit_distance(a, b).distance
    current = tuple(frozenset(bucket) for bucket in a)
    order = {"split": 0, "swap": 1, "merge": 2}
    kinds = [order[step.edit] for step in script]
    assert kinds == sorted(kinds)
    for step in script:
        following = tuple(frozenset(bucket) for bucket in step.ranking)
        legal = [(cost, ranking) for cost, ranking, _ in edits(current, order[step.edit])]
        assert (step.cost, following) in legal
        current = following
    assert current == tuple(frozenset(bucket) for bucket in b)


@given(rankings_of("abcdef"), rankings_of("abcdef"))
def test_both_distances_are_symmetric_and_zero_only_on_equal_rankings(a, b):
    same = [set(bucket) for bucket in a] == [set(bucket) for bucket in b]
    for distance in (lambda x, y: edit_distance(x, y).distance, kemeny_distance):
        assert distance(a, b) == distance(b, a)
        assert (distance(a, b) == 0) == same


@given(rankings_of("abcdef"), rankings_of("abcdef"))
def test_kemeny_counts_pairs(a, b):
    assert kemeny_distance(a, b) == plain_kemeny_distance(a, b)


@given(rankings_of("abcde"))
def test_the_expected_distance_of_a_random_order_is_the_mean_over_all_orders(goal):
    orders = [tuple((m,) for m in order) for order in itertools.permutations("abcde")]
    edit = sum(edit_distance(order, goal).distance for order in orders) / len(orders)
    assert expected_from_random_order(goal) == pytest.approx(edit, abs=1e-12)


@given(rankings_of("abcdefg"), rankings_of("abcdefg"))
def test_tau_b_is_that_of_scipy(a, b):
    place_in_a, place_in_b = bucket_of(a), bucket_of(b)
    if len(a) > 1 and len(b) > 1:
        rows = [[place[method] for method in "abcdefg"] for place in (place_in_a, place_in_b)]
        expected = scipy.stats.kendalltau(*rows).statistic
        assert kendall_tau_b(a, b) == pytest.approx(expected, abs=1e-12)
    else:
        assert kendall_tau_b(a, b) is None


@cases(
    ("a", "b", "named"),
    [
        ([["a"]], [["b"]], "a, b"),
        ([], [["a"]], "at least one method"),
        ([[]], [["a"]], "at least one method"),
        ([["a"], ["a"]], [["a"]], "a"),
        ("ab", [["a"]], "list of buckets"),
        (["ab"], [["a"]], "list of method names"),
        ([[1]], [["a"]], "1"),
    ],
)
def test_what_is_no_ranking_is_refused_by_name(a, b, named):
    for call in (edit_distance, edit_script, kemeny_distance, kendall_tau_b):
        with pytest.raises(RankingError, match=named):
            call(a, b)
