"""Pairs of methods: accuracy, margins, counts, and criterion against criterion."""

import itertools
import json
import random
from fractions import Fraction
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.errors import MissingScore, RankingError
from rankings.orders.buckets import bucket_of
from rankings.orders.edit_distance import places_of
from rankings.orders.pairwise import (
    CriterionDistance,
    criterion_distances,
    margin_weighted_discordances,
    pair_counts,
    pairwise_accuracy,
)
from tests.support.cases import cases
from tests.support.plain_orders import signs_of
from tests.support.rankings import by_text, rankings_of
from tests.support.shared import shared_path

fractions = st.floats(0, 1, allow_subnormal=False)


def margin_weighted_discordance(values, consensus):
    """Return the discordance of one protocol, whose methods may be more than those ranked."""
    methods = sorted(bucket_of(consensus))
    row = np.array([[values[method] for method in methods]], dtype=float)
    return margin_weighted_discordances(row, places_of([consensus])[0])[0]


def discordance_pair_by_pair(values, consensus):
    place = bucket_of(consensus)
    part = whole = 0.0
    for i, j in itertools.combinations(sorted(place), 2):
        margin = abs(values[i] - values[j])
        whole += margin
        better, worse = (i, j) if values[i] > values[j] else (j, i)
        part += margin if place[better] > place[worse] else 0
    return part / whole if whole else 0.0


@given(rankings_of("abcdef"), rankings_of("abcdef"))
def test_accuracy_is_that_of_counting_pair_by_pair(a, b):
    first, second = signs_of(a), signs_of(b)
    assert pairwise_accuracy(a, b) == fmean(first[pair] == second[pair] for pair in first)


def test_accuracy_of_the_reference_study_is_reproduced():
    study = json.loads(shared_path("reference", "study_case.json").read_text())
    for protocol, expected in study["expected_tie_calibration"].items():
        accuracies = []
        for image, consensus in study["consensus_mean_rank"].items():
            values = study["protocol_scores"][image][protocol]
            methods = sorted(values)
            # Without an epsilon, exactly equal scores tie.
            distinct = sorted(set(values.values()), reverse=True)
            ranking = [[m for m in methods if values[m] == value] for value in distinct]
            accuracies.append(pairwise_accuracy(ranking, consensus))
        assert np.mean(accuracies) == pytest.approx(expected["accuracy_at_0"], abs=1e-12), protocol


def test_one_method_has_no_pair():
    assert pairwise_accuracy([["a"]], [["a"]]) is None


def test_accuracy_of_different_methods_is_refused():
    with pytest.raises(RankingError, match="not in both: b, c"):
        pairwise_accuracy([["a"], ["b"]], [["a"], ["c"]])


@cases(
    ("values", "consensus", "discordance"),
    [
        ({"a": 0.75, "b": 0.5, "c": 0.25}, "a>b>c", 0.0),
        ({"a": 0.75, "b": 0.5, "c": 0.25}, "c>b>a", 1.0),
        # margins: ab 0.25 against, ac 0.5 with, bc 0.75 with
        ({"a": 0.5, "b": 0.75, "c": 0.0}, "a>b>c", 0.25 / 1.5),
        # what the consensus ties counts below the line only
        ({"a": 0.5, "b": 0.75, "c": 0.0}, "a=b>c", 0.0),
        ({"a": 0.5, "b": 0.75, "c": 0.0}, "a=b=c", 0.0),
        ({"a": 0.5, "b": 0.5}, "a>b", 0.0),
        ({"a": 0.5}, "a", 0.0),
        ({"a": 300, "b": 100, "stranger": 900}, "b>a", 1.0),
    ],
)
def test_discordance_worked_out_by_hand(values, consensus, discordance):
    assert margin_weighted_discordance(values, by_text(consensus)) == discordance


@given(
    st.lists(st.fixed_dictionaries(dict.fromkeys("abcd", fractions)), max_size=5),
    rankings_of("abcd"),
)
def test_discordance_of_each_protocol_is_that_of_adding_pair_by_pair(rows, consensus):
    values = np.array([[row[m] for m in "abcd"] for row in rows], dtype=float).reshape(-1, 4)
    discordances = margin_weighted_discordances(values, places_of([consensus])[0])
    assert discordances.shape == (len(rows),)
    for row, discordance in zip(rows, discordances, strict=True):
        assert 0 <= discordance <= 1
        assert discordance == pytest.approx(discordance_pair_by_pair(row, consensus), abs=1e-12)


def test_discordance_without_a_value_is_refused():
    with pytest.raises(MissingScore, match="row 0, column 1 scores inf"):
        margin_weighted_discordances(np.array([[0, np.inf]]), np.array([0, 1]))


@cases("distance", ["edit", "kemeny"])
def test_criteria_are_compared_on_the_images_they_share(distance):
    consensus = {
        "recall": {"one": by_text("a>b>c"), "two": by_text("a>b"), "alone": by_text("a")},
        "precision": {"one": by_text("c>b>a"), "two": by_text("a=b"), "alone": by_text("a")},
        "preference": {"one": by_text("a=b=c"), "three": by_text("a>b")},
    }
    tied_against_strict = {"edit": 1.0, "kemeny": 1.5}[distance]
    assert criterion_distances(consensus, distance=distance) == (
        # 3 of 3 and 0.5 of 1
        CriterionDistance("recall", "precision", 2, 3.5 / 2, 1.5 / 2),
        CriterionDistance("recall", "preference", 1, tied_against_strict, tied_against_strict / 3),
        CriterionDistance(
            "precision", "preference", 1, tied_against_strict, tied_against_strict / 3
        ),
    )


def test_the_share_of_two_criteria_does_not_depend_on_the_order_of_the_images():
    """Shares are 1, 1/3, 1/6 and 1/10: added in turn, their sums differ in the last digits."""
    methods = "abcde"
    images = {f"img_{n}": methods[: 2 + n % 4] for n in range(31)}
    first = {image: tuple((name,) for name in own) for image, own in images.items()}
    second = {
        image: tuple((name,) for name in (own[1], own[0], *own[2:]))
        for image, own in images.items()
    }
    asked = {"recall": first, "precision": second}
    draw = random.Random(1)
    found = set()
    for _ in range(20):
        order = draw.sample(list(images), len(images))
        shuffled = {name: {image: own[image] for image in order} for name, own in asked.items()}
        found |= {*criterion_distances(shuffled, distance="kemeny")}
    [one] = found
    # One of 1, 3, 6 and 10 pairs is turned: 8 images of each of the first three sizes, 7 of the last.
    wanted = float(Fraction(8) + Fraction(8, 3) + Fraction(8, 6) + Fraction(7, 10)) / 31
    assert one.share == pytest.approx(wanted, rel=1e-15)


def test_criteria_without_a_common_image_have_no_distance():
    consensus = {"recall": {"one": by_text("a>b")}, "precision": {}}
    assert criterion_distances(consensus) == (
        CriterionDistance("recall", "precision", 0, None, None),
    )
    assert criterion_distances({"recall": {}}) == ()


def test_criteria_that_rank_different_methods_are_refused():
    consensus = {"recall": {"one": by_text("a>b")}, "precision": {"one": by_text("a>c")}}
    with pytest.raises(RankingError, match=r"^one, recall and precision: .*: b, c$"):
        criterion_distances(consensus)


def test_an_unknown_distance_is_refused():
    with pytest.raises(RankingError, match="edit or kemeny, got 'tau'"):
        criterion_distances({"recall": {}, "precision": {}}, distance="tau")


def test_pairs_are_counted_over_the_rankings_that_have_both():
    counts = pair_counts([by_text("b>a=c"), by_text("a>b"), by_text("c")])
    assert counts.methods == ("a", "b", "c")
    assert counts.before.tolist() == [[0, 1, 0], [1, 0, 1], [0, 0, 0]]
    assert counts.tied.tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
