"""Protocols' losses from pairs asked with known probabilities."""

import random
from itertools import combinations, product

import numpy as np
import pytest

from rankings.elicitation.pair_draws import disagreement, inclusion_probabilities
from rankings.errors import RankingError
from rankings.inference.multi_reader import compare_protocols
from rankings.inference.pair_estimates import (
    LossLimits,
    LostVisit,
    Visit,
    compare_by_pairs,
    loss_limits,
    pair_losses,
)
from rankings.orders.distances import kemeny_distance
from tests.support.cases import cases
from tests.support.plain_orders import plain_order
from tests.support.rankings import personal_rankings, restricted

METHODS = ("a", "b", "c", "d")
PROTOCOLS = ("p", "q", "r")
PAIRS = [frozenset(pair) for pair in combinations(METHODS, 2)]
EVEN = dict.fromkeys(PAIRS, 1 / 6)
# Of a before b, p says so, q ties them, r turns them.
OWN = {
    "i": {
        "p": (("a",), ("b",), ("c", "d")),
        "q": (("a", "b"), ("c", "d")),
        "r": (("b",), ("a",), ("c", "d")),
    }
}


def drawn_ranking(rng):
    return plain_order({method: rng.randrange(3) for method in METHODS})


@pytest.fixture(scope="module")
def study():
    """Six images, three annotators, three protocols: whole rankings of each."""
    rng = random.Random(11)
    images = [f"i{at}" for at in range(6)]
    people = {image: {name: drawn_ranking(rng) for name in "xyz"} for image in images}
    own = {image: {name: drawn_ranking(rng) for name in PROTOCOLS} for image in images}
    return people, own


def whole(image, annotator, ranking):
    return Visit(image, annotator, ranking, None)


def test_every_pair_asked_is_the_whole_ranking(study):
    people, own = study
    expected = compare_protocols(personal_rankings(people, own, PROTOCOLS))
    as_rankings = [whole(i, a, ranking) for i in people for a, ranking in people[i].items()]
    as_pairs = [
        Visit(i, a, restricted(ranking, pair), EVEN)
        for i in people
        for a, ranking in people[i].items()
        for pair in PAIRS
    ]
    for visits in (as_rankings, as_pairs):
        found = compare_by_pairs(visits, own, PROTOCOLS)
        assert found.n_rankings == 18
        assert found.means == pytest.approx([mean / 100 for mean in expected.means])
        for pair, by_rankings in zip(found.pairs, expected.pairs, strict=True):
            assert pair.adjusted_p_value == pytest.approx(by_rankings.adjusted_p_value)
            assert (pair.low, pair.high) == pytest.approx(
                (by_rankings.low / 100, by_rankings.high / 100)
            )


@pytest.mark.parametrize("k", [2, 3])
def test_over_all_draws_the_estimate_is_the_loss_itself(study, k):
    """Every set that may be drawn, by the chance that enumeration gives it."""
    people, own = study
    image = "i2"
    weights = disagreement(list(own[image].values()))
    of_first = inclusion_probabilities(METHODS, k=2, weights=weights)
    of_pairs = inclusion_probabilities(METHODS, k=k, weights=weights)
    # A set of k starts from any pair in it; the others join as one of C(4 - 2, k - 2) sets.
    n_joining = {2: 1, 3: 2}[k]
    expected = np.zeros(3)
    for methods in combinations(METHODS, k):
        chance = sum(of_first[frozenset(pair)] for pair in combinations(methods, 2)) / n_joining
        visit = Visit(image, "x", restricted(people[image]["x"], methods), of_pairs)
        expected += chance * pair_losses([visit], own, PROTOCOLS).distances[0]
    by_hand = [kemeny_distance(people[image]["x"], own[image][name]) / 6 for name in PROTOCOLS]
    assert expected == pytest.approx(by_hand)


def test_loss_of_a_pair_by_hand():
    """Said a before b: 0, 1/2, 1, times 1 / (6 x 1/3)."""
    visit = Visit("i", "x", (("a",), ("b",)), {frozenset("ab"): 1 / 3})
    assert pair_losses([visit], OWN, PROTOCOLS).distances.tolist() == [
        pytest.approx([0, 0.25, 0.5])
    ]
    tied = Visit("i", "x", (("a", "b"),), {frozenset("ab"): 1 / 3})
    assert pair_losses([tied], OWN, PROTOCOLS).distances.tolist() == [
        pytest.approx([0.25, 0, 0.25])
    ]


def test_visits_of_one_annotator_to_an_image_are_one_row(study):
    people, own = study
    visits = [
        Visit("i0", "x", restricted(people["i0"]["x"], pair), EVEN) for pair in (PAIRS[0], PAIRS[3])
    ]
    apart = [pair_losses([visit], own, PROTOCOLS).distances[0] for visit in visits]
    together = pair_losses(visits, own, PROTOCOLS)
    assert together.distances.tolist() == [pytest.approx((apart[0] + apart[1]) / 2)]


def test_whole_rankings_and_pairs_are_one_study(study):
    people, own = study
    visits = [whole(i, a, people[i][a]) for i in ("i0", "i1") for a in "xyz"]
    visits += [
        Visit(i, "x", restricted(people[i]["x"], PAIRS[0]), EVEN) for i in ("i2", "i3", "i4", "i5")
    ]
    found = compare_by_pairs(visits, own, PROTOCOLS)
    assert (found.n_images, found.n_annotators, found.n_rankings) == (6, 3, 10)
    assert found.reason is None


def test_all_answers_ties_are_losses_of_half_for_who_orders():
    own = {i: {"p": (("a",), ("b",)), "q": (("a", "b"),)} for i in "ij"}
    visits = [
        Visit(i, a, (("a", "b"),), {frozenset("ab"): 1.0}) for i, a in product("ij", ("x", "y"))
    ]
    found = compare_by_pairs(visits, own, ["p", "q"])
    assert found.means == (0.5, 0.0)
    # The same difference everywhere: no spread to test with.
    assert [pair.p_value for pair in found.pairs] == [None]


def test_protocols_that_never_disagree_are_not_told_apart():
    own = {i: dict.fromkeys("pq", (("a",), ("b",))) for i in "ij"}
    visits = [whole(i, a, (("b",), ("a",))) for i, a in product("ij", ("x", "y"))]
    found = compare_by_pairs(visits, own, ["p", "q"])
    assert [(pair.difference, pair.p_value) for pair in found.pairs] == [(0.0, 1.0)]


def test_no_visit_is_no_estimate(study):
    found = compare_by_pairs([], study[1], PROTOCOLS)
    assert found.means == (None, None, None)
    assert found.n_rankings == 0


def test_a_method_that_left_goes_with_its_pairs():
    """Of a, b, c the last has left: one pair of 1 is left, asked with probability 1/2."""
    own = {"i": {"p": (("a",), ("b",)), "q": (("b",), ("a",))}}
    both = {frozenset("ab"): 0.5, frozenset("ac"): 0.5, frozenset("bc"): 0.5}
    kept = Visit("i", "x", (("a",), ("b", "c")), both, frozenset("abc"))
    gone = Visit("i", "y", (("a",), ("c",)), both, frozenset("abc"))
    found = pair_losses([kept, gone], own, ["p", "q"])
    assert found.distances.tolist() == [[0.0, 2.0]]


def test_visits_from_before_a_method_joined_speak_of_the_methods_then():
    """Drawn from a and b, whose only pair was certain; c came later."""
    own = {"i": {"p": (("a",), ("b",), ("c",)), "q": (("b",), ("a",), ("c",))}}
    visit = Visit("i", "x", (("a",), ("b",)), {frozenset("ab"): 1.0}, frozenset("ab"))
    assert pair_losses([visit], own, ["p", "q"]).distances.tolist() == [[0.0, 1.0]]


@cases("probability", [0.0, -0.1, 1.5, float("nan"), None])
def test_a_pair_without_a_probability_is_refused(probability):
    own = {"i": {"p": (("a",), ("b",))}}
    probabilities = {} if probability is None else {frozenset("ab"): probability}
    with pytest.raises(RankingError, match="i: a and b were asked with probability"):
        pair_losses([Visit("i", "x", (("a",), ("b",)), probabilities)], own, ["p"])


def test_methods_that_could_not_be_drawn_are_refused():
    own = {"i": {"p": (("a",), ("b",))}}
    visit = Visit("i", "x", (("a",), ("b",)), {frozenset("ab"): 1.0}, frozenset("ac"))
    with pytest.raises(RankingError, match="i: asked but not drawn from: b"):
        pair_losses([visit], own, ["p"])


def test_protocols_that_rank_different_methods_are_refused():
    own = {"i": {"p": (("a",), ("b",)), "q": (("a",), ("c",))}}
    with pytest.raises(RankingError, match="i: protocols rank different methods"):
        pair_losses([whole("i", "x", (("a",), ("b",)))], own, ["p", "q"])


def lost(image, annotator, methods, chances=EVEN, known=None):
    return LostVisit(image, annotator, frozenset(methods), chances, None, known or {})


def test_a_visit_with_a_skipped_pair_keeps_its_other_answers():
    """Pairs of a, b, c weigh 1 / (6 x 1/2). Only a > b is known, and counts for all three."""
    chances = dict.fromkeys(map(frozenset, ("ab", "ac", "bc")), 0.5)
    kept = lost("i", "x", "abc", chances, {frozenset("ab"): "a"})
    assert pair_losses([kept], OWN, PROTOCOLS).distances.tolist() == [pytest.approx([0, 0.5, 1])]
    # With every verdict known it is the visit itself.
    known = {frozenset("ab"): "a", frozenset("ac"): None, frozenset("bc"): "c"}
    visit = Visit("i", "x", (("a", "c"), ("b",)), chances)
    assert (
        pair_losses([lost("i", "x", "abc", chances, known)], OWN, PROTOCOLS).distances.tolist()
        == pair_losses([visit], OWN, PROTOCOLS).distances.tolist()
    )
    assert len(pair_losses([lost("i", "x", "abc", chances)], OWN, PROTOCOLS).distances) == 0


def means_if(visits, verdicts, own):
    """Return the mean losses with one of the possible answers to every skipped pair."""
    completed = [
        Visit(skipped.image, skipped.annotator, ranking, skipped.probabilities)
        for skipped, ranking in verdicts
    ]
    return compare_by_pairs([*visits, *completed], own, PROTOCOLS).means


def test_limits_are_the_extremes_over_all_answers_to_the_skipped_pairs(study):
    """Brute force: three skipped pairs, 3^3 answers; means and differences are computed for each."""
    people, own = study
    weighted = {image: disagreement(list(own[image].values())) for image in own}
    chances = {
        image: inclusion_probabilities(METHODS, k=2, weights=weighted[image]) for image in own
    }
    visits = [
        Visit(image, name, restricted(people[image][name], pair), chances[image])
        for image, name, pair in [
            *(("i0", "x", PAIRS[0]), ("i1", "x", PAIRS[3]), ("i2", "y", PAIRS[1])),
            *(("i3", "y", PAIRS[5]), ("i0", "z", PAIRS[4])),
        ]
    ]
    skipped = [
        lost(image, name, pair, chances[image])
        for image, name, pair in [
            ("i1", "y", PAIRS[2]),
            ("i2", "z", PAIRS[4]),
            # The only visit to its image.
            ("i5", "x", PAIRS[0]),
        ]
    ]
    answers = []
    for one in skipped:
        a, b = sorted(one.methods)
        answers.append([(one, ranking) for ranking in (((a,), (b,)), ((b,), (a,)), ((a, b),))])
    means = np.array([means_if(visits, chosen, own) for chosen in product(*answers)])
    found = loss_limits(visits, skipped, own, PROTOCOLS)
    assert (found.n_visits, found.n_rankings, found.n_pairs) == (3, 0, 3)
    assert found.low == pytest.approx(means.min(axis=0))
    assert found.high == pytest.approx(means.max(axis=0))
    assert (np.array(found.high) > found.low).all()
    for pair in found.pairs:
        first, second = PROTOCOLS.index(pair.first), PROTOCOLS.index(pair.second)
        differences = means[:, first] - means[:, second]
        assert (pair.low, pair.high) == pytest.approx((differences.min(), differences.max()))


def test_limits_hold_for_every_ranking_that_a_skipped_whole_ranking_could_have_been(study):
    """All 75 weak orders of four methods; what the answers before the skip settle stays as it is."""
    people, own = study
    visits = [whole("i0", "x", people["i0"]["x"])]
    known = {frozenset("ab"): "a", frozenset("cd"): None}
    skipped = lost("i1", "y", METHODS, None, known)
    rankings = {
        tuple(
            tuple(method for method, level in zip(METHODS, levels, strict=True) if level == at)
            for at in sorted({*levels})
        )
        for levels in product(range(4), repeat=4)
    }
    assert len(rankings) == 75
    possible = [
        ranking
        for ranking in rankings
        if any("c" in bucket and "d" in bucket for bucket in ranking)
        and next(bucket for bucket in ranking if {"a", "b"} & {*bucket}).count("b") == 0
    ]
    means = np.array([means_if(visits, [(skipped, ranking)], own) for ranking in possible])
    found = loss_limits(visits, [skipped], own, PROTOCOLS)
    assert (found.n_visits, found.n_rankings, found.n_pairs) == (0, 1, 4)
    assert (means >= np.array(found.low) - 1e-12).all()
    assert (means <= np.array(found.high) + 1e-12).all()
    for pair in found.pairs:
        first, second = PROTOCOLS.index(pair.first), PROTOCOLS.index(pair.second)
        differences = means[:, first] - means[:, second]
        assert pair.low <= differences.min() + 1e-12
        assert pair.high >= differences.max() - 1e-12


def test_limits_of_a_skipped_pair_by_hand():
    """The pair weighs 1 / (6 x 1/3). p and r order it: 0 to 1/2. q ties it: 0 to 1/4."""
    found = loss_limits([], [lost("i", "x", "ab", {frozenset("ab"): 1 / 3})], OWN, PROTOCOLS)
    assert (found.low, found.high) == (
        pytest.approx((0, 0, 0)),
        pytest.approx((0.5, 0.25, 0.5)),
    )
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("p", "q"),
        ("p", "r"),
        ("q", "r"),
    ]
    # A verdict costs p and q at most a quarter more than each other, p and r a half.
    assert [pair.high for pair in found.pairs] == pytest.approx([0.25, 0.5, 0.25])
    assert [pair.low for pair in found.pairs] == pytest.approx([-0.25, -0.5, -0.25])


def test_without_a_skipped_pair_that_counts_there_are_no_limits(study):
    people, own = study
    visits = [whole("i0", "x", people["i0"]["x"])]
    assert loss_limits(visits, [], own, PROTOCOLS) == LossLimits()
    # A method that no protocol ranks any more leaves no pair.
    gone = lost("i1", "y", ["a", "gone"], {frozenset(["a", "gone"]): 0.5})
    assert loss_limits(visits, [gone], own, PROTOCOLS) == LossLimits()
