"""Agreement of annotators, and how close any protocol could come."""

import itertools
import random
from fractions import Fraction

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from rankings.agreement.annotators import (
    AnnotatorDistance,
    HumanBaseline,
    ImageAgreement,
    annotator_distances,
    human_baseline,
    image_agreements,
    kendall_w,
    krippendorff_alpha,
    left_out_distances,
)
from rankings.agreement.report import Settings
from rankings.errors import RankingError
from rankings.orders.buckets import doubled_ranks
from tests.support.cases import cases
from tests.support.plain_orders import plain_order
from tests.support.rankings import by_text, criterion_table, rankings_of


def study_of(**images):
    """A study from texts: one=dict(ann="a>b", bob="b>a")."""
    return {
        image: {annotator: by_text(text) for annotator, text in rows.items()}
        for image, rows in images.items()
    }


def random_study(rng, methods="abcd"):
    def ranking():
        return plain_order({method: rng.randrange(3) for method in methods})

    return {
        image: {
            name: ranking() for name in rng.sample(["ann", "bob", "cem", "dan"], rng.randint(0, 4))
        }
        for image in ("one", "two", "three", "four", "five")
    }


def ordinal_alpha_by_definition(study):
    """Krippendorff's formula, value by value in fractions."""
    units = []
    for of_annotator in study.values():
        ranks = [doubled_ranks(ranking) for ranking in of_annotator.values()]
        for method in sorted({method for row in ranks for method in row}):
            values = [row[method] for row in ranks if method in row]
            if len(values) > 1:
                units.append(values)
    everything = sorted(value for values in units for value in values)

    def apart(low, high):
        low, high = min(low, high), max(low, high)
        if low == high:
            return Fraction(0)
        between = sum(low <= value <= high for value in everything)
        ends = Fraction(everything.count(low) + everything.count(high), 2)
        return (between - ends) ** 2

    observed = sum(
        apart(*pair) / (len(values) - 1)
        for values in units
        for pair in itertools.permutations(values, 2)
    )
    n = len(everything)
    expected = sum(apart(*pair) for pair in itertools.permutations(everything, 2)) / (n - 1)
    return float(1 - observed / expected)


@cases(
    ("rankings", "w"),
    [
        (["a>b>c", "a>b>c"], 1.0),
        (["a=b>c", "a=b>c", "b=a>c"], 1.0),
        (["a>b>c", "c>b>a"], 0.0),
        # sums 4, 5, 9 of mean 6: S = 4 + 1 + 9
        (["a>b>c", "b>a>c", "a>b>c"], 12 * 14 / (9 * 24)),
        # sums 2.5, 3.5, 6 of mean 4: S = 6.5; one tie of two: 4 * 24 - 2 * 6
        (["a=b>c", "a>b>c"], 12 * 6.5 / (4 * 24 - 2 * 6)),
        # one annotator ties everything: S = 2, and 4 * 24 - 2 * 24
        (["a=b=c", "a>b>c"], 0.5),
    ],
)
def test_kendalls_w_worked_out_by_hand(rankings, w):
    assert kendall_w([by_text(text) for text in rankings]) == pytest.approx(w)


@given(st.lists(rankings_of("abcde"), min_size=2, max_size=6))
def test_kendalls_w_is_friedmans_statistic_over_its_maximum(rankings):
    w = kendall_w(rankings)
    if w is None:
        assert all(len(ranking) == 1 for ranking in rankings)
        return
    assert 0 <= w <= 1
    samples = [[doubled_ranks(ranking)[method] for ranking in rankings] for method in "abcde"]
    statistic = scipy.stats.friedmanchisquare(*samples).statistic
    assert w == pytest.approx(statistic / (len(rankings) * 4), abs=1e-12)


@cases("rankings", [[], ["a>b"], ["a=b", "a=b"], ["a", "a", "a"]])
def test_kendalls_w_is_undefined_for_one_annotator_one_method_and_all_tied(rankings):
    assert kendall_w([by_text(text) for text in rankings]) is None


def mean_distances(rankings):
    found = image_agreements({"one": dict(enumerate(rankings))})["one"]
    return found.edit_distance, found.kemeny_distance


def test_mean_pairwise_distance_worked_out_by_hand():
    rankings = [by_text(text) for text in ("a>b>c", "b>a>c", "a=b=c")]
    # edit: 1, 1, 1 (two splits); Kemeny: 1, 1.5, 1.5
    assert mean_distances(rankings) == (1.0, 4 / 3)
    assert mean_distances(rankings[:1]) == (None, None)
    assert mean_distances([by_text("a=b")] * 3) == (0.0, 0.0)


def test_agreement_of_every_image_is_listed():
    study = study_of(
        one={"ann": "a>b", "bob": "b>a"},
        alone={"ann": "a>b"},
        none={},
        tied={"ann": "a=b", "bob": "a=b"},
    )
    assert image_agreements(study) == {
        "one": ImageAgreement(2, 0.0, 1.0, 1.0),
        "alone": ImageAgreement(1, None, None, None),
        "none": ImageAgreement(0, None, None, None),
        "tied": ImageAgreement(2, None, 0.0, 0.0),
    }


def test_alpha_is_krippendorffs_formula_with_images_and_methods_missing():
    rng = random.Random(2)
    for _ in range(20):
        study = random_study(rng)
        study["six"] = {"ann": by_text("a>b"), "bob": by_text("b=c>a")}
        assert krippendorff_alpha(study) == pytest.approx(ordinal_alpha_by_definition(study))


@cases(
    "study",
    [
        {},
        {"one": {}},
        study_of(one={"ann": "a>b"}, two={"bob": "a>b"}),
        study_of(one={"ann": "a=b", "bob": "a=b"}),
        # ann's strict order of two has no second annotator to compare with
        study_of(one={"ann": "a=b", "bob": "a=b"}, two={"ann": "a>b"}),
        study_of(one={"ann": "a", "bob": "a"}),
    ],
)
def test_alpha_is_undefined_where_nothing_can_differ(study):
    assert krippendorff_alpha(study) is None


def test_left_out_distances_worked_out_by_hand():
    study = study_of(
        one={"ann": "a>b>c", "bob": "b>a>c", "cem": "a>b>c"},
        two={"ann": "a>b", "bob": "a=b"},
        alone={"cem": "a>b"},
    )
    # one: ann against a=b>c of the others, bob against a>b>c, cem as ann.
    assert left_out_distances(study) == {
        "one": {"ann": 0.5, "bob": 1.0, "cem": 0.5},
        "two": {"ann": 0.5, "bob": 0.5},
    }
    assert annotator_distances(study) == {
        "ann": AnnotatorDistance(2, 0.5),
        "bob": AnnotatorDistance(2, 0.75),
        "cem": AnnotatorDistance(1, 0.5),
    }
    # images 2 / 3 and 1 / 2, each of the same weight
    assert human_baseline(study) == HumanBaseline(pytest.approx((2 / 3 + 1 / 2) / 2), 2, 5)


def test_an_image_counts_from_the_least_number_of_annotators():
    study = study_of(
        one={"ann": "a>b>c", "bob": "b>a>c", "cem": "a>b>c"}, two={"ann": "a>b", "bob": "b>a"}
    )
    assert human_baseline(study, min_annotators=3) == HumanBaseline(pytest.approx(2 / 3), 1, 3)
    assert human_baseline(study, min_annotators=4) == HumanBaseline(None, 0, 0)


@cases("distance", ["edit", "kemeny"])
def test_the_ceiling_is_the_score_of_a_protocol_that_answers_like_the_left_out_annotator(distance):
    """The second way: the report itself, with the left-out annotator's places as scores."""
    rng = random.Random(4)
    study = {image: rows for image, rows in random_study(rng).items() if len(rows) == 3} | study_of(
        more={"ann": "a>b>c", "bob": "c>b=a", "cem": "b>a>c"}
    )
    scores = []
    for name in ("ann", "bob", "cem", "dan"):
        inside = {image: rows for image, rows in study.items() if name in rows}
        others = {
            image: [ranking for other, ranking in rows.items() if other != name]
            for image, rows in inside.items()
        }
        values = {
            image: {
                "left out": {
                    method: 1 - at / 10 for at, bucket in enumerate(rows[name]) for method in bucket
                }
            }
            for image, rows in inside.items()
        }
        table = criterion_table(others, values, Settings(distance=distance, min_annotators=2))
        scores += [of_image["left out"] for of_image in table.distances.values()]
    ceiling = human_baseline(study, distance=distance)
    assert ceiling.n_rankings == len(scores) == 3 * ceiling.n_images
    assert ceiling.score == pytest.approx(sum(scores) / len(scores))


def test_an_annotator_whose_images_no_other_ranked_has_no_distance():
    study = study_of(one={"ann": "a>b"}, two={"bob": "a>b"}, three={})
    assert annotator_distances(study) == {
        "ann": AnnotatorDistance(0, None),
        "bob": AnnotatorDistance(0, None),
    }
    assert annotator_distances({}) == left_out_distances({}) == {}
    assert human_baseline({}) == HumanBaseline(None, 0, 0)


@cases("of_study", [image_agreements, left_out_distances, annotator_distances])
def test_rankings_of_different_methods_are_refused_with_the_image(of_study):
    study = study_of(street={"ann": "a>b", "bob": "a>c"})
    with pytest.raises(RankingError, match=r"^street: .*not in both: b, c"):
        of_study(study)


@cases("of_study", [image_agreements, left_out_distances, krippendorff_alpha])
def test_a_ranking_that_is_none_is_refused_with_image_and_annotator(of_study):
    with pytest.raises(RankingError, match=r"^street, ann: ranked twice: a"):
        of_study({"street": {"bob": [["a"]], "ann": [["a"], ["a"]]}})


@cases(
    ("options", "named"),
    [({"distance": "tau"}, "edit or kemeny"), ({"min_annotators": 1}, "at least 2, got 1")],
)
def test_settings_out_of_range_are_refused(options, named):
    with pytest.raises(RankingError, match=named):
        human_baseline({}, **options)
