"""Programs that judge: verdicts of both orders, and whether they may stand in for a person."""

from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest

from rankings.consensus.kemeny import kemeny_ranking
from rankings.errors import RankingError
from rankings.inference.clusters import Declared
from rankings.inference.judge_answers import Answers, Pairs, consistency
from rankings.inference.judges import judge_stand_in, protocols_stand_in
from rankings.inference.multi_reader import compare_protocols
from rankings.inference.stand_in import Cells, stand_in
from rankings.orders.buckets import bucket_of, methods_of
from rankings.orders.distances import kemeny_distance
from rankings.orders.from_scores import ranking_from_scores
from tests.support.rankings import JUDGE, PEOPLE, by_text, personal_rankings

SIGNS = {1: "left", 0: "equal", -1: "right"}
VALUES = {"left": 1, "equal": 0, "right": -1, None: np.nan}


def answered(pairs_by_image):
    """The answers of a judge: image -> (one, other, verdicts of both orders, probability)."""
    rows, said, asked, chances = [], [], [], []
    of_pairs = [(image, pair) for image, pairs in pairs_by_image.items() for pair in pairs]
    repeats = max((len(pair[2] or pair[3]) for _, pair in of_pairs), default=1)
    for image, (one, other, *orders) in of_pairs:
        chances.append(orders[2] if len(orders) > 2 else 1.0)
        rows.append((image, one, other))
        asked.append([order is not None for order in orders[:2]])
        padded = [[*(order or []), *[None] * repeats][:repeats] for order in orders[:2]]
        said.append(
            [
                [way * VALUES[verdict] for verdict in order]
                for way, order in zip((1, -1), padded, strict=True)
            ]
        )
    return Answers(
        Pairs(rows, chances),
        np.array(said, dtype=float).reshape(-1, 2, repeats),
        np.array(asked, dtype=bool).reshape(-1, 2),
    )


def copied(ranking):
    """The pairs of a judge that says in both orders what a ranking says."""
    bucket = bucket_of(ranking)
    pairs = []
    for one, other in combinations(sorted(methods_of(ranking)), 2):
        sign = int(np.sign(bucket[other] - bucket[one]))
        pairs.append((one, other, [SIGNS[sign]], [SIGNS[-sign]]))
    return pairs


def answers_of(rankings):
    return answered({image: copied(ranking) for image, ranking in rankings.items()})


def test_the_worked_example_by_pairs_is_that_by_rankings_to_1e_12():
    found = judge_stand_in("J", PEOPLE, answers_of(JUDGE))
    assert found.found.difference / 100 == pytest.approx(1 / 9, abs=1e-12)
    half = 2.3375, (5 / 162) ** 0.5
    assert found.found.degrees_of_freedom == pytest.approx(half[0], abs=5e-5)
    ranked = {image: {"J": ranking} for image, ranking in JUDGE.items()}
    [other] = stand_in(personal_rankings(PEOPLE, ranked, ["J"])).candidates
    assert (found.found.low, found.found.high) == pytest.approx((other.low, other.high), abs=1e-12)
    assert found.rho == 0.5
    # Three people and two images: no statement.
    assert found.may_stand_in is None
    assert "Three annotators cannot show this" in found.missing[0]
    assert "2 images ranked by two people" in found.missing[1]


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
    ],
)
def test_the_side_that_wins_in_both_orders(forward, backward, verdict):
    both = [("a", "b", forward, backward), ("b", "a", backward, forward)]
    # The same answers with the names exchanged.
    assert answered({"i": both}).verdicts.tolist() == [verdict, -verdict]


def test_always_left_contradicts_itself_everywhere():
    pairs = [(*pair, ["left"], ["left"]) for pair in combinations("abcd", 2)]
    found = consistency(answered({"i": pairs}))
    assert (found.contradictions, found.first_place, found.n_pairs) == (1, 1, 6)
    assert (found.n_circular, found.n_triples, found.stability) == (0, 4, None)


def test_circular_triples_repeats_and_missing_verdicts_are_counted():
    pairs = [
        ("a", "b", ["left", "left"], ["right", "right"]),
        ("b", "c", ["left", "equal"], ["right", "right"]),
        ("a", "c", ["right", "right"], ["left", "left"]),
        ("a", "d", [None, None], ["left", "left"]),
    ]
    found = consistency(answered({"i": pairs}))
    # b > c is a draw of repeats in one order, so nothing goes round.
    assert (found.n_circular, found.n_triples, found.n_missing) == (0, 1, 1)
    assert found.stability == pytest.approx(7 / 8)
    round_pairs = [*pairs[:1], ("b", "c", ["left"] * 2, ["right"] * 2), pairs[2]]
    assert consistency(answered({"i": round_pairs})).n_circular == 1
    assert consistency(answered({})).contradictions is None


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
    missing = [("a", "b", [None], [None]), *full[1:]]
    found = judge_stand_in("J", people, answered({"i": missing, "j": full}))
    # The mean of two images; a pair is a third of an image.
    assert found.found.difference == pytest.approx(100 / 3 / 2 / 2)
    assert found.at_best == pytest.approx(0)
    assert found.at_worst == pytest.approx(100 / 3 / 2)


def test_drawn_pairs_are_weighted_by_their_probability():
    people = {"i": {"P": by_text("a>b>c"), "Q": by_text("b>a>c")}}
    pairs = [
        ("a", "b", ["left"], ["right"], 0.5),
        ("a", "c", ["right"], ["left"], 1.0),
    ]
    found = judge_stand_in("J", people, answered({"i": pairs}))
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
    return people, judge


def test_a_judge_of_peoples_taste_may_stand_in_and_one_that_draws_may_not():
    people, judge = strong()
    answers = answers_of(judge)
    found = judge_stand_in("J", people, answers)
    assert (found.may_stand_in, found.missing) == (True, ())
    assert found.found.high < 5
    assert found.omega == (1.0, 1.0, 1.0)
    of_two = judge_stand_in("J", people, answers, n_judges=2)
    assert of_two.found.high > found.found.high
    rng = Random(9)
    lottery = answers_of({image: drawn(rng, "abcdef") for image in people})
    other = judge_stand_in("J", people, lottery)
    assert other.may_stand_in is None
    assert "ties everything" in other.missing[0]
    wrong = answers_of({image: ranking[::-1] for image, ranking in judge.items()})
    assert judge_stand_in("J", people, wrong).found.low > 0


@pytest.mark.parametrize(
    ("cut", "options", "says"),
    [
        ((29, 8), {}, "29 images ranked by two people"),
        ((40, 4), {}, "Four annotators"),
        ((40, 8), {"done": 0.94}, "94 % of its tasks"),
        ((40, 8), {"tuned": True}, "tuned on some"),
    ],
)
def test_without_what_it_needs_there_is_no_statement_but_the_number(cut, options, says):
    people, judge = strong(*cut)
    found = judge_stand_in("J", people, answers_of(judge), **options)
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


def protocols_of(people, names=("far", "near", "copy", "tied", "other", "last")):
    """Rankings by protocols: ``copy`` orders as ``near`` does."""
    rng = Random(3)
    found = {
        image: {name: drawn(rng, sorted(methods_of(of["v"]))) for name in names}
        for image, of in people.items()
    }
    return {
        image: of | {"near": people[image]["v"], "copy": people[image]["v"]}
        for image, of in found.items()
    }


def test_protocols_get_the_statement_of_a_report_as_a_family_of_their_own():
    people = panel(33, "vwxyz")
    found = {one.found.name: one for one in protocols_stand_in(people, protocols_of(people))}
    ranked = personal_rankings(
        people, protocols_of(people), ["far", "near", "tied", "other", "last"]
    )
    for expected in stand_in(ranked).candidates:
        own = found[expected.name].found
        assert own.difference == pytest.approx(expected.difference, abs=1e-10)
        limits = expected.adjusted_low, expected.adjusted_high
        assert (own.low, own.high) == pytest.approx(limits, abs=1e-9)
    assert found["copy"].found.low == found["near"].found.low
    # It is one of the people: 0 from itself, and as far from the others as they are.
    assert found["near"].rho > found["far"].rho
    assert protocols_stand_in({}, {}) == ()


def test_a_judge_like_a_protocol_differs_from_others_as_that_protocol_does():
    """Variances are moderated by the protocols' pairs alone, so the test is the protocols' own."""
    people = panel(20, "vwxyz")
    names = ["far", "near", "tied", "other", "last"]
    protocols = protocols_of(people, names)
    protocols = {image: {name: of[name] for name in names} for image, of in protocols.items()}
    judge = answers_of({image: of["far"] for image, of in protocols.items()})
    found = {
        pair.first: pair for pair in judge_stand_in("J", people, judge, protocols=protocols).against
    }
    tested = compare_protocols(personal_rankings(people, protocols, names))
    for pair in tested.pairs:
        if pair.first != "far":
            continue
        own = found[pair.second]
        assert own.difference == pytest.approx(-pair.difference, abs=1e-10)
        assert own.p_value == pytest.approx(pair.p_value, rel=1e-9)
        assert (own.low, own.high) == pytest.approx((-pair.high, -pair.low), abs=1e-9)
    assert found["far"].p_value == 1
    assert judge_stand_in("J", people, judge).against == ()


def test_the_ranking_of_a_judge_is_the_nearest_to_its_verdicts():
    """By the search for a consensus of rankings of two methods each."""
    rng = Random(2)
    pairs = {
        image: [
            (one, other, ["left"], ["right"])
            if rng.random() < 0.6
            else (one, other, ["right"], ["left"])
            for one, other in combinations("abcde", 2)
        ]
        for image in "ijk"
    }
    # Of image k one pair was not asked.
    pairs["k"].pop()
    found = answered(pairs).rankings()
    assert [*found] == ["i", "j"]
    for image, ranking in found.items():
        of_pairs = [
            ((one,), (other,)) if forward == ["left"] else ((other,), (one,))
            for one, other, forward, _ in pairs[image]
        ]
        assert ranking == kemeny_ranking(of_pairs)


def test_refusals_and_nothing():
    with pytest.raises(RankingError, match="margin"):
        judge_stand_in("J", PEOPLE, answers_of(JUDGE), margin=0.2)
    with pytest.raises(RankingError, match="no method"):
        judge_stand_in("J", PEOPLE, answered({"1": [("a", "z", ["left"], ["right"])]}))
    for pairs in ({}, {"elsewhere": copied(JUDGE["1"])}):
        nothing = judge_stand_in("J", PEOPLE, answered(pairs))
        assert (nothing.found.difference, nothing.may_stand_in, nothing.n_images) == (None, None, 0)
