"""Programs that judge: verdicts of both orders, and whether they may stand in for a person."""

from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest

from rankings.errors import RankingError
from rankings.inference.clusters import Declared
from rankings.inference.judges import PairAnswers, consistency, judge_stand_in
from rankings.inference.stand_in import Cells, stand_in
from rankings.orders.buckets import bucket_of, methods_of
from rankings.orders.distances import kemeny_distance
from rankings.orders.from_scores import ranking_from_scores
from tests.support.rankings import by_text, personal_rankings

# The worked example of the specification.
PEOPLE = {
    "1": {"P": by_text("a>b>c"), "Q": by_text("a>b=c"), "R": by_text("b>a>c")},
    "2": {"P": by_text("a>b>c"), "Q": by_text("a>c>b"), "R": by_text("a>b>c")},
}
JUDGE = {"1": by_text("a=b>c"), "2": by_text("c>a>b")}
SIGNS = {1: "left", 0: "equal", -1: "right"}


def copied(ranking):
    """The answers of a judge that says in both orders what a ranking says."""
    bucket = bucket_of(ranking)
    pairs = []
    for one, other in combinations(sorted(methods_of(ranking)), 2):
        sign = int(np.sign(bucket[other] - bucket[one]))
        pairs.append(PairAnswers(one, other, [SIGNS[sign]], [SIGNS[-sign]]))
    return pairs


def answers_of(rankings):
    return {image: copied(ranking) for image, ranking in rankings.items()}


def test_the_worked_example_by_pairs_is_that_by_rankings_to_1e_12():
    found = judge_stand_in("J", PEOPLE, answers_of(JUDGE))
    assert found.found.difference / 100 == pytest.approx(1 / 9, abs=1e-12)
    half = 2.3375, (5 / 162) ** 0.5
    assert found.found.degrees_of_freedom == pytest.approx(half[0], abs=5e-5)
    [other] = stand_in(
        personal_rankings(PEOPLE, {k: {"J": v} for k, v in JUDGE.items()}, ["J"])
    ).candidates
    assert (found.found.low, found.found.high) == pytest.approx((other.low, other.high), abs=1e-12)
    assert found.rho == 0.5
    # Three people and two images: no statement.
    assert found.may_stand_in is None
    assert "Three annotators cannot show this" in found.missing[0]
    assert "2 images have two people" in found.missing[1]


def test_psi_by_deleting_a_person_from_a_complete_study():
    """In a complete study psi of a person is n U - (n - 1) U without that person."""

    def u(image, names):
        def loss(one, other):
            return kemeny_distance(one, other) / 3

        of_image = PEOPLE[image]
        a = np.mean([loss(JUDGE[image], of_image[g]) for g in names])
        b = np.mean([loss(of_image[g], of_image[h]) for g, h in permutations(names, 2)])
        return a - b

    psi = [
        3 * u(image, "PQR") - 2 * u(image, "PQR".replace(deleted, ""))
        for image in "12"
        for deleted in "PQR"
    ]
    assert psi == pytest.approx([1 / 6, 0, -1 / 2, 2 / 3, -1 / 3, 2 / 3])
    ours = Cells(
        np.repeat([0, 1], 3),
        np.tile([0, 1, 2], 2),
        np.array([[1 / 6], [1 / 3], [1 / 6], [2 / 3], [1 / 3], [2 / 3]]),
        np.array([1 / 4, 1 / 3, 5 / 12, 1 / 6, 1 / 3, 1 / 6]),
    ).pseudo_values()
    assert ours[:, 0] == pytest.approx(np.array(psi) - 1 / 9, abs=1e-12)


@pytest.mark.parametrize(
    ("forward", "backward", "verdict"),
    [
        (["left"], ["right"], 1),
        (["right"], ["left"], -1),
        (["left"], ["left"], 0),
        (["left"], ["equal"], 0),
        (["left"], [None], 0),
        (["left"], None, 1),
        (["left", "left", "right"], ["right", "equal", "right"], 1),
        (["left", "right"], ["right", "right"], 0),
        ([], [], 0),
    ],
)
def test_the_side_that_wins_in_both_orders(forward, backward, verdict):
    assert PairAnswers("a", "b", forward, backward).verdict == verdict
    # The same answers with the names exchanged.
    if backward is not None:
        assert PairAnswers("b", "a", backward, forward).verdict == -verdict


def test_always_left_contradicts_itself_everywhere():
    pairs = [PairAnswers(*pair, ["left"], ["left"]) for pair in combinations("abcd", 2)]
    found = consistency({"i": pairs})
    assert (found.contradictions, found.first_place, found.n_pairs) == (1, 1, 6)
    assert (found.n_circular, found.n_triples, found.stability) == (0, 4, None)


def test_circular_triples_repeats_and_missing_verdicts_are_counted():
    pairs = [
        PairAnswers("a", "b", ["left", "left"], ["right", "right"]),
        PairAnswers("b", "c", ["left", "equal"], ["right", "right"]),
        PairAnswers("a", "c", ["right", "right"], ["left", "left"]),
        PairAnswers("a", "d", [None, None], ["left", "left"]),
    ]
    found = consistency({"i": pairs})
    # b > c is a draw of repeats in one order, so nothing goes round.
    assert (found.n_circular, found.n_triples, found.n_missing) == (0, 1, 1)
    assert found.stability == pytest.approx(7 / 8)
    round_pairs = [*pairs[:1], PairAnswers("b", "c", ["left"], ["right"]), pairs[2]]
    assert consistency({"i": round_pairs}).n_circular == 1
    assert consistency({}).contradictions is None


def drawn(rng, names="abcde"):
    return ranking_from_scores({name: rng.randrange(4) for name in names})


def panel(n_images, people="vwxyz", seed=1):
    rng = Random(seed)
    return {f"i{at:02}": {name: drawn(rng) for name in people} for at in range(n_images)}


def test_a_copy_of_a_person_differs_from_the_others_as_that_person_does():
    people = panel(6)
    others = {image: {k: v for k, v in of.items() if k != "v"} for image, of in people.items()}
    copy = {image: of["v"] for image, of in people.items()}
    found = judge_stand_in("J", others, answers_of(copy))
    losses = [
        100 * np.mean([kemeny_distance(of["v"], of[other]) / 10 for other in "wxyz"])
        for of in people.values()
    ]
    b = [
        100 * np.mean([kemeny_distance(of[g], of[h]) / 10 for g, h in permutations("wxyz", 2)])
        for of in people.values()
    ]
    assert found.found.difference == pytest.approx(np.mean(losses) - np.mean(b), abs=1e-12)
    assert found.rho is not None


def test_limits_of_the_worst_case_on_four_pairs():
    """One of four pairs is missing; all three people say a > b there: right 0, equal 1/2, wrong 1."""
    same = by_text("a>b>c")
    people = {"i": dict.fromkeys("PQR", same), "j": dict.fromkeys("PQR", same)}
    full = copied(same)
    missing = [PairAnswers("a", "b", [None], [None]), *full[1:]]
    found = judge_stand_in("J", people, {"i": missing, "j": full})
    # The mean of two images; a pair is a third of an image.
    assert found.found.difference == pytest.approx(100 / 3 / 2 / 2)
    assert found.at_best == pytest.approx(0)
    assert found.at_worst == pytest.approx(100 / 3 / 2)


def test_drawn_pairs_are_weighted_by_their_probability():
    people = {"i": {"P": by_text("a>b>c"), "Q": by_text("b>a>c")}}
    pairs = [
        PairAnswers("a", "b", ["left"], ["right"], probability=0.5),
        PairAnswers("a", "c", ["right"], ["left"], probability=1.0),
    ]
    found = judge_stand_in("J", people, {"i": pairs})
    # Weights 2/3 and 1/3. To P 1/3, to Q 1; P and Q differ by 2/3.
    assert found.found.difference == pytest.approx(100 * ((1 / 3 + 1) / 2 - 2 / 3))


def close(rng, truth, noise):
    return ranking_from_scores(
        {k: v + rng.gauss(0, noise) for k, v in truth.items()}, decimals=None
    )


def strong(n_images=40, n_people=8, noise=0.5):
    """People of one taste with noise, and a judge of that taste with less."""
    rng = Random(5)
    people, judge = {}, {}
    for at in range(n_images):
        truth = {name: rng.gauss(0, 1) for name in "abcdef"}
        people[f"i{at:02}"] = {f"p{k}": close(rng, truth, noise) for k in range(n_people)}
        judge[f"i{at:02}"] = close(rng, truth, 0.1)
    return people, answers_of(judge)


def test_a_judge_of_peoples_taste_may_stand_in_and_one_that_draws_may_not():
    people, answers = strong()
    found = judge_stand_in("J", people, answers)
    assert (found.may_stand_in, found.missing) == (True, ())
    assert found.found.high < 5
    assert found.omega == (1.0, 1.0, 1.0)
    of_two = judge_stand_in("J", people, answers, n_judges=2)
    assert of_two.found.high > found.found.high
    rng = Random(9)
    lottery = {image: copied(drawn(rng, "abcdef")) for image in people}
    other = judge_stand_in("J", people, lottery)
    assert other.may_stand_in is None
    assert "ties everything" in other.missing[0]
    wrong = {
        image: [PairAnswers(p.one, p.other, p.backward, p.forward) for p in pairs]
        for image, pairs in answers.items()
    }
    assert judge_stand_in("J", people, wrong).found.low > 0


@pytest.mark.parametrize(
    ("cut", "options", "says"),
    [
        ((29, 8), {}, "29 images have two people"),
        ((40, 4), {}, "Four annotators"),
        ((40, 8), {"done": 0.94}, "94 % of its tasks"),
        ((40, 8), {"tuned": True}, "tuned on some"),
    ],
)
def test_without_what_it_needs_there_is_no_statement_but_the_number(cut, options, says):
    people, answers = strong(*cut)
    found = judge_stand_in("J", people, answers, **options)
    assert found.may_stand_in is None
    assert any(says in sentence for sentence in found.missing)
    assert found.found.difference is not None


def test_groups_and_scenes_are_those_of_rankings():
    people = panel(8)
    own = {image: drawn(Random(at)) for at, image in enumerate(people)}
    declared = Declared(
        {"v": "lab", "w": "lab", "x": "home"}, {image: image[:2] for image in [*people][:3]}
    )
    [expected] = stand_in(
        personal_rankings(people, {k: {"J": v} for k, v in own.items()}, ["J"]), declared=declared
    ).candidates
    found = judge_stand_in("J", people, answers_of(own), declared=declared).found
    assert found.difference == pytest.approx(expected.difference, abs=1e-10)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_refusals_and_nothing():
    with pytest.raises(RankingError, match="margin"):
        judge_stand_in("J", PEOPLE, answers_of(JUDGE), margin=0.2)
    with pytest.raises(RankingError, match="no method"):
        judge_stand_in("J", PEOPLE, {"1": [PairAnswers("a", "z", ["left"], ["right"])]})
    for answers in ({}, {"elsewhere": copied(JUDGE["1"])}):
        nothing = judge_stand_in("J", PEOPLE, answers)
        assert (nothing.found.difference, nothing.may_stand_in, nothing.n_images) == (None, None, 0)
