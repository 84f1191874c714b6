"""Which methods are asked about, and how likely every pair was."""

import random
from collections import Counter
from itertools import combinations
from math import comb

import pytest

from rankings.elicitation.pair_draws import (
    FLOOR,
    disagreement,
    draw_methods,
    inclusion_probabilities,
    of_members,
)
from rankings.errors import RankingError
from tests.support.cases import cases

METHODS = ("a", "b", "c", "d", "e")
WEIGHTS = {frozenset("ab"): 3.0, frozenset("ac"): 1.0, frozenset("de"): 0.5}


def enumerated(methods, k, weights):
    """Every way a draw can go: its first pair, then the others, each set of them as likely."""
    pairs = [frozenset(pair) for pair in combinations(methods, 2)]
    total = sum(weights.values())
    probabilities = dict.fromkeys(pairs, 0.0)
    for first in pairs:
        even = 1 / len(pairs)
        chance = FLOOR * even + (1 - FLOOR) * weights.get(first, 0) / total if total else even
        others = sorted({*methods} - first)
        for joined in combinations(others, k - 2):
            for pair in combinations(first | {*joined}, 2):
                probabilities[frozenset(pair)] += chance / comb(len(others), k - 2)
    return probabilities


@cases("k", [2, 3, 4, 5])
@cases("weights", [WEIGHTS, {}])
def test_probabilities_are_those_of_all_ways_a_draw_can_go(k, weights):
    found = inclusion_probabilities(METHODS, k=k, weights=weights)
    assert found == pytest.approx(enumerated(METHODS, k, weights))
    assert sum(found.values()) == pytest.approx(comb(k, 2))


def test_a_draw_says_the_probabilities_of_its_own_pairs():
    expected = inclusion_probabilities(METHODS, k=3, weights=WEIGHTS)
    drawn, found = draw_methods(random.Random(1), METHODS, k=3, weights=WEIGHTS)
    assert len({*drawn}) == 3
    assert found == {frozenset(pair): expected[frozenset(pair)] for pair in combinations(drawn, 2)}


@cases("k", [2, 3])
def test_pairs_are_drawn_as_often_as_their_probabilities_say(k):
    rng = random.Random(7)
    n = 4000
    counts = Counter(
        pair for _ in range(n) for pair in draw_methods(rng, METHODS, k=k, weights=WEIGHTS)[1]
    )
    for pair, probability in enumerated(METHODS, k, WEIGHTS).items():
        spread = (probability * (1 - probability) / n) ** 0.5
        assert counts[pair] / n == pytest.approx(probability, abs=4 * spread)


def test_both_orders_of_a_pair_are_as_likely():
    rng = random.Random(3)
    first = Counter(draw_methods(rng, "ab", k=2)[0] for _ in range(2000))
    assert first["a", "b"] == pytest.approx(1000, abs=4 * 500**0.5)


def test_a_draw_does_not_depend_on_the_order_of_methods_or_weights():
    turned = dict(reversed(WEIGHTS.items()))
    assert draw_methods(random.Random(5), METHODS, k=3, weights=WEIGHTS) == draw_methods(
        random.Random(5), METHODS[::-1], k=3, weights=turned
    )


def test_a_pair_without_weight_keeps_a_probability():
    found = inclusion_probabilities(METHODS, k=2, weights=WEIGHTS)
    assert found[frozenset("bc")] == pytest.approx(FLOOR / 10)


@cases("weights", [None, {}, {frozenset("ab"): 0.0}])
def test_without_a_weight_all_pairs_are_as_likely(weights):
    assert set(inclusion_probabilities(METHODS, k=2, weights=weights).values()) == {1 / 10}


def test_all_methods_of_two_or_more_are_certain():
    for methods in ("ab", "abc"):
        drawn, found = draw_methods(random.Random(0), methods, k=len(methods))
        assert sorted(drawn) == list(methods)
        assert list(found.values()) == pytest.approx([1.0] * len(found))


def test_where_protocols_disagree():
    """Of 6 pairs of 4 protocols on a and b: before, before, after, tied differ in 5."""
    rankings = [
        (("a",), ("b",), ("c",)),
        (("a",), ("b",), ("c",)),
        (("b",), ("a",), ("c",)),
        (("a", "b"), ("c",)),
    ]
    assert disagreement(rankings) == pytest.approx(
        {frozenset("ab"): 5 / 6, frozenset("ac"): 0.0, frozenset("bc"): 0.0}
    )
    assert set(disagreement(rankings[:1]).values()) == {0.0}
    assert disagreement([]) == {}


def test_protocols_that_never_disagree_make_every_pair_as_likely():
    alike = [(("a",), ("b", "c"))] * 3
    found = inclusion_probabilities("abc", k=2, weights=disagreement(alike))
    assert list(found.values()) == pytest.approx([1 / 3] * 3)


def test_methods_with_one_result_share_its_probabilities():
    """Results x, y, z; two methods have x. A draw of two of three results holds x in 2 of 3."""
    results = inclusion_probabilities("xyz", k=2)
    found = of_members(results, {"x": ["m1", "m2"], "y": ["m3"], "z": ["m4"]}, k=2)
    assert found == pytest.approx(
        {frozenset(("m1", "m2")): 2 / 3}
        | {frozenset((a, b)): 1 / 3 for a in ("m1", "m2") for b in ("m3", "m4")}
        | {frozenset(("m3", "m4")): 1 / 3}
    )


@cases(
    ("methods", "k", "weights", "message"),
    [
        ("ab", 1, None, "k must be from 2 to the 2 methods, got 1"),
        ("ab", 3, None, "k must be from 2 to the 2 methods, got 3"),
        ("a", 2, None, "k must be from 2 to the 1 methods, got 2"),
        ("aba", 2, None, "drawn from twice: a"),
        ("abc", 2, {frozenset("ac"): -1.0}, "the weight of a and c is -1.0"),
        ("abc", 2, {frozenset("ac"): float("nan")}, "the weight of a and c is nan"),
        ("abc", 2, {frozenset("ac"): float("inf")}, "the weight of a and c is inf"),
    ],
)
def test_what_cannot_be_drawn_is_refused(methods, k, weights, message):
    with pytest.raises(RankingError, match=message):
        draw_methods(random.Random(0), methods, k=k, weights=weights)
