"""A person and other baselines next to the protocols, and the verdicts on them."""

from itertools import combinations
from random import Random

import pytest

from rankings.agreement.baselines import against_silence, baseline_measures
from rankings.agreement.report import Settings
from rankings.analysis.analysis import analyse
from rankings.analysis.verdicts import for_whom, headline, place_of_person, verdicts
from rankings.consensus.kemeny import kemeny_ranking
from rankings.consensus.mean_rank import mean_rank
from rankings.orders.buckets import bucket_of
from rankings.orders.distances import kemeny_distance
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
def test_a_person_is_measured_to_the_consensus_of_the_others(study, method):
    people, protocols = study
    of = mean_rank if method == "mean-rank" else kemeny_ranking
    rankings = personal_rankings(people, protocols, "pq")
    kemeny, shares = [], []
    for row in people.values():
        left = {
            name: of([ranking for other, ranking in row.items() if other != name]) for name in row
        }
        kemeny.append(sum(kemeny_distance(row[name], left[name]) for name in row) / len(row))
        shares.append(sum(agreed(row[name], left[name]) for name in row) / len(row))
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


def test_silence_and_chance_are_compared_with_every_protocol_each_in_a_family_of_its_own(study):
    people, protocols = study
    rankings = personal_rankings(people, protocols, "pq")
    found = against_silence(rankings, ["p"], ["q"])
    assert list(found) == ["all tied", "random order", "q"]
    for name, tested in found.items():
        [pair] = tested.pairs
        assert (pair.first, pair.second) == ("p", name)
        assert pair.adjusted_p_value == pair.p_value
    # A random order differs on half a pair from each pair; all tied on half of those not tied.
    n_tied = [
        sum(len(bucket) * (len(bucket) - 1) / 2 for bucket in ranking)
        for row in people.values()
        for ranking in row.values()
    ]
    _, tied = found["all tied"].means
    _, drawn = found["random order"].means
    assert drawn == 50
    assert tied == pytest.approx(50 * (1 - sum(n_tied) / len(n_tied) / 6))


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
    assert verdict.sentences[:3] == (
        "good is nearer to people than every other protocol.",
        "1 of 1 pairs of protocols are decided.",
        "People tie 0.0 of 100 pairs, so a ranking that ties everything orders 50.0 of 100 differently "
        "from them, and a random order 50.",
    )
    assert "Farther from people than a ranking that ties everything: bad." in verdict.sentences
    around = data["analysis"]["recall"]
    assert around["clusters"] == {"good": 1, "bad": 2}
    told = {
        one["name"]: one["adjusted_p_value"] <= 0.05
        for one in around["against_person"]["candidates"]
    }
    assert told["bad"]
    assert place_of_person(around) == ("before 2" if told["good"] else "1")
    assert "4 annotators and 30 images" in for_whom(data)


def compared(means, told=(), reason=None, *, silent=(), tied=45.0, equal=()):
    """An analysis: pairs of ``told`` differ significantly, and all but ``silent`` from all tied."""
    copies = {name for same in equal for name in same[1:]}
    names = [name for name in means if name not in copies]
    return {
        "comparisons": {
            "reason": reason,
            "protocols": list(means),
            "means": list(means.values()),
            "equal": equal,
            "pairs": [
                {"first": a, "second": b, "adjusted_p_value": 0.01 if {a, b} in told else 0.9}
                for a, b in combinations(names, 2)
            ],
        },
        "against_silence": {
            "all tied": {
                "protocols": [*names, "all tied"],
                "means": [*map(means.__getitem__, names), tied],
                "pairs": [
                    {
                        "first": name,
                        "difference": means[name] - tied,
                        "adjusted_p_value": 0.9 if name in silent else 0.01,
                    }
                    for name in names
                ],
            }
        },
    }


ORDERS = (("up", (0.1, 0.2, 0.3, 0.4)), ("down", (0.4, 0.3, 0.2, 0.1)))
MEANS = {"A": 10.0, "B": 20.0, "C": 30.0}


@cases(
    ("around", "sentence"),
    [
        (compared(MEANS), "No two of the 3 protocols differ significantly."),
        (
            compared(MEANS, [{"A", "B"}, {"A", "C"}]),
            "A is nearer to people than every other protocol.",
        ),
        (
            compared(MEANS, [{"A", "C"}]),
            "A is nearer to people than 1 of 2 other protocols; B cannot be told apart from it.",
        ),
        (
            compared(MEANS, [{"B", "C"}]),
            "A comes first, but no other protocol is significantly farther from people.",
        ),
        (
            compared({**MEANS, "A2": 10.0}, [{"A", "B"}, {"A", "C"}], equal=[["A", "A2"]]),
            "A = A2 is nearer to people than every other protocol.",
        ),
        (
            compared(MEANS, [{"A", "B"}, {"A", "C"}], silent="ABC"),
            "No protocol is significantly nearer to people than a ranking that ties everything.",
        ),
        (
            compared(MEANS, [{"A", "B"}, {"A", "C"}], tied=5.0),
            "No protocol is significantly nearer to people than a ranking that ties everything.",
        ),
        (
            compared(MEANS, [{"B", "C"}], silent="A"),
            "B and C are nearer to people than a ranking that ties everything, and it is undecided whether "
            "A, which comes first, is.",
        ),
        (
            compared({"A": 10.0}),
            "A is nearer to people than a ranking that ties everything.",
        ),
        (
            compared(MEANS, reason="one image says nothing about others"),
            "A orders the fewest pairs differently from these people on these images (10.0 of 100); whether "
            "that holds for others cannot be tested: one image says nothing about others.",
        ),
        (
            compared(MEANS, reason="one image says nothing about others", tied=10.0),
            "No protocol orders fewer pairs differently from these people on these images than a ranking "
            "that ties everything (10.0 of 100); whether that holds for others cannot be tested: one image "
            "says nothing about others.",
        ),
        (
            None,
            "A has the smallest Score (10.00); which protocol is nearer to people was not tested.",
        ),
    ],
)
def test_the_headline_says_who_is_nearest_and_whether_that_is_told(around, sentence):
    expected = f"By recall, {sentence}".replace("By recall, No", "By recall, no")
    assert headline("recall", MEANS, around) == expected


def test_protocols_that_are_alike_are_named_together_the_first_of_many():
    many = {f"A{at}": 10.0 for at in range(6)}
    around = compared({**many, "B": 20.0}, [{"A0", "B"}], equal=[list(many)])
    assert headline("recall", many, around) == (
        "By recall, A0 = A1 = A2 = 3 others is nearer to people than every other protocol."
    )


def test_a_protocol_that_differs_from_people_by_the_same_everywhere_is_not_said_to_be_level():
    """People tie everything: each strict order differs from all of them on half of the pairs."""
    tied = (tuple("abcd"),)
    people = {f"i{at:02}": dict.fromkeys("xyz", tied) for at in range(12)}
    orders = {name: {m: (v, v) for m, v in zip("abcd", own, strict=True)} for name, own in ORDERS}
    scores = dict.fromkeys(people, orders)
    data = analyse({"recall": people}, scores, Settings(min_annotators=3), n_resamples=5).to_json()
    said = " ".join(verdicts(data)[0].sentences)
    assert said.startswith("No protocol is significantly nearer to people than a ranking that ties")
    assert "another person" not in said


def test_the_headline_of_few_scores():
    assert headline("recall", {"A": None}, None) == ""
    assert headline("recall", {}, None) == ""
    assert "A and B have the smallest Score" in headline(
        "recall", {"A": 1.0, "B": 1.0, "C": 2.0}, None
    )


def test_other_rules_that_put_another_protocol_first_are_named_with_its_ties():
    """One protocol ties most methods, which the edit distance to the consensus rewards."""
    rng = Random(8)
    rankings, scores = {}, {}
    for at in range(30):
        image, order = f"i{at:02}", [*"abcdef"]
        for _ in range(2):
            place = rng.randrange(5)
            order[place : place + 2] = order[place : place + 2][::-1]
        rankings[image] = {f"n{who}": (("a", "b", "c"), ("d", "e", "f")) for who in range(3)}
        rankings[image]["n3"] = (("a",), ("b", "c"), ("d", "e", "f"))
        level = {name: (6 - place) / 6 for place, name in enumerate(order)}
        scores[image] = {
            "strict": {name: (v, v) for name, v in level.items()},
            "silent": dict.fromkeys("abcdef", (0.5, 0.5)),
        }
    data = analyse(
        {"recall": rankings}, scores, Settings(min_annotators=3), n_resamples=20
    ).to_json()
    [verdict] = verdicts(data)
    means = data["analysis"]["recall"]["comparisons"]
    assert dict(zip(means["protocols"], means["means"], strict=True))["strict"] < 50
    said = next(text for text in verdict.sentences if text.startswith("Other rules"))
    assert "by Score silent" in said
    assert "silent 100, strict 0" in said
    assert "silent is nearer" not in " ".join(verdict.sentences)
