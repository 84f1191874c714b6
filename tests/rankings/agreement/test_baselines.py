"""A person and other baselines next to the protocols, and the verdicts on them."""

from itertools import combinations
from random import Random

import pytest

from rankings.agreement.baselines import A_PERSON, against_a_person, baseline_measures
from rankings.agreement.report import Settings
from rankings.analysis.analysis import analyse
from rankings.analysis.verdicts import for_whom, headline, place_of_person, verdicts
from rankings.consensus.kemeny import kemeny_ranking
from rankings.consensus.mean_rank import mean_rank
from rankings.orders.buckets import bucket_of
from rankings.orders.distances import kemeny_distance
from rankings.orders.edit_distance import edit_distance
from tests.support.cases import cases
from tests.support.rankings import personal_rankings

METHODS = "abcd"


def drawn(rng):
    """A ranking of four methods at random, ties included."""
    level = {name: rng.randrange(3) for name in METHODS}
    return tuple(
        bucket
        for place in range(3)
        if (bucket := tuple(name for name in METHODS if level[name] == place))
    )


def agreed(one, other):
    a, b = bucket_of(one), bucket_of(other)
    sign = [
        ((of[x] > of[y]) - (of[x] < of[y])) for x, y in combinations(METHODS, 2) for of in (a, b)
    ]
    return sum(p == q for p, q in zip(sign[::2], sign[1::2], strict=True)) / 6


@pytest.fixture(scope="module")
def study():
    """Twelve images; the last has two annotators, all others three."""
    rng = Random(3)
    people = {f"i{at:02}": {name: drawn(rng) for name in "xyz"} for at in range(12)}
    del people["i11"]["z"]
    protocols = {image: {"p": drawn(rng), "q": drawn(rng)} for image in people}
    return people, protocols


@pytest.mark.parametrize("method", ["mean-rank", "kemeny"])
def test_a_person_and_a_protocol_are_measured_to_the_same_consensus_of_the_others(study, method):
    people, protocols = study
    of = mean_rank if method == "mean-rank" else kemeny_ranking
    rankings = personal_rankings(people, protocols, "pq")
    apart, kemeny, shares = [], [], []
    for image, row in people.items():
        for name, own in row.items():
            others = of([ranking for other, ranking in row.items() if other != name])
            mine = edit_distance(own, others).distance
            apart.append([edit_distance(protocols[image][p], others).distance - mine for p in "pq"])
        left = {
            name: of([ranking for other, ranking in row.items() if other != name]) for name in row
        }
        kemeny.append(sum(kemeny_distance(row[name], left[name]) for name in row) / len(row))
        shares.append(sum(agreed(row[name], left[name]) for name in row) / len(row))
    tested = against_a_person(rankings, consensus=method)
    assert [(pair.first, pair.second) for pair in tested.pairs] == [
        ("p", A_PERSON),
        ("q", A_PERSON),
    ]
    for at, pair in enumerate(tested.pairs):
        assert pair.difference == pytest.approx(sum(row[at] for row in apart) / len(apart))
    assert [pair.adjusted_p_value for pair in tested.pairs] == pytest.approx(
        [min(2 * pair.p_value, 1) for pair in tested.pairs]
    )
    *_, person = baseline_measures(rankings, {}, consensus_method=method)
    assert person.kemeny_distance == pytest.approx(sum(kemeny) / 12)
    assert person.pairwise_accuracy == pytest.approx(sum(shares) / 12)


def test_the_measures_of_all_tied_and_of_a_random_order_by_hand():
    """a > b = c: two of three pairs ordered. All tied is a half away on each and agrees on the third."""
    tied, random, person = baseline_measures(
        personal_rankings({}, {}, []), {"i": (("a",), ("b", "c"))}
    )
    assert (tied.kemeny_distance, tied.pairwise_accuracy) == (1, pytest.approx(1 / 3))
    assert (random.kemeny_distance, random.pairwise_accuracy) == (1.5, pytest.approx(1 / 3))
    assert (person.kemeny_distance, person.pairwise_accuracy) == (None, None)


def analysed(n_annotators, n_images=30):
    """One protocol that is right but for a swap now and then, and one that is upside down."""
    rng = Random(5)
    right = tuple((name,) for name in "abcdef")
    swapped = (("b",), ("a",), *right[2:])
    rankings, scores = {}, {}
    for at in range(n_images):
        own = {f"n{who}": right if rng.random() < 0.8 else swapped for who in range(n_annotators)}
        rankings[f"i{at:02}"] = own
        value = {name: (6 - place) / 6 for place, name in enumerate("abcdef")}
        scores[f"i{at:02}"] = {
            "good": {name: (v, v) for name, v in value.items()},
            "bad": {name: (1 - v, 1 - v) for name, v in value.items()},
        }
    settings = Settings(min_annotators=min(n_annotators, 3))
    return analyse({"recall": rankings}, scores, settings, n_resamples=50).to_json()


def test_what_may_be_said_names_the_nearest_the_farther_and_the_person():
    data = analysed(4)
    [verdict] = verdicts(data)
    assert verdict.sentences[:2] == (
        "good is nearer to people than every other protocol.",
        "1 of 1 pairs of protocols are decided.",
    )
    around = data["analysis"]["recall"]
    assert around["clusters"] == {"good": 1, "bad": 2}
    told = {
        pair["first"]: pair["adjusted_p_value"] <= 0.05
        for pair in around["against_person"]["pairs"]
    }
    assert told["bad"]
    assert place_of_person(around) == ("before 2" if told["good"] else "1")
    assert "4 annotators and 30 images" in for_whom(data)


def test_with_one_annotator_nothing_is_said_of_others():
    data = analysed(1)
    [verdict] = verdicts(data)
    assert verdict.sentences[0].endswith("one annotator says nothing about others.")
    assert for_whom(data) == ""
    assert place_of_person(data["analysis"]["recall"]) is None


def compared(means, told=(), reason=None):
    """Comparisons as an analysis has them: pairs of ``told`` differ significantly."""
    return {
        "comparisons": {
            "reason": reason,
            "protocols": list(means),
            "means": list(means.values()),
            "pairs": [
                {"first": a, "second": b, "adjusted_p_value": 0.01 if {a, b} in told else 0.9}
                for a, b in combinations(means, 2)
            ],
        }
    }


MEANS = {"A": 1.0, "B": 2.0, "C": 3.0}


@cases(
    ("around", "sentence"),
    [
        (compared(MEANS), "By recall, no two of the 3 protocols differ significantly."),
        (
            compared(MEANS, [{"A", "B"}, {"A", "C"}]),
            "By recall, A is nearer to people than every other protocol.",
        ),
        (
            compared(MEANS, [{"A", "C"}]),
            "By recall, A is nearer to people than 1 of 2 other protocols; B may be as near.",
        ),
        (
            compared(MEANS, [{"B", "C"}]),
            "By recall, A comes first, but no other protocol is significantly farther from people.",
        ),
        (
            compared(MEANS, reason="one image says nothing about others"),
            "By recall, A is nearest to these people on these images (1.00); whether that holds for others "
            "cannot be tested: one image says nothing about others.",
        ),
        (
            None,
            "By recall, A is nearest to these people on these images (1.00); whether that holds for others "
            "was not tested.",
        ),
    ],
)
def test_the_headline_says_who_is_nearest_and_whether_that_is_told(around, sentence):
    assert headline("recall", MEANS, around) == sentence


def test_the_headline_of_few_scores():
    assert headline("recall", {"A": None}, None) == ""
    assert headline("recall", {}, None) == ""
    assert headline("recall", {"A": 1.5}, None) == (
        "By recall, A is 1.50 away from people; there is no other protocol to compare it with."
    )
    assert "A and B are nearest" in headline("recall", {"A": 1.0, "B": 1.0, "C": 2.0}, None)
