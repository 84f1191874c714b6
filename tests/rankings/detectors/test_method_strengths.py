"""People's strengths over a dataset: the fit, its clustered errors, and studies that are hardly any."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import t as student

from rankings.consensus.davidson import DEFAULT_RIDGE
from rankings.detectors.method_strengths import ANNOTATOR_FIXED, counts_of, people_of, strengths_of
from rankings.errors import RankingError
from rankings.orders.buckets import from_values
from rankings.orders.pairwise import pair_counts
from tests.support.cases import cases
from tests.support.plain_orders import signs_of


def random_rankings(n_images=9, n_annotators=3, n_methods=4, seed=1, missing=0.0):
    rng = np.random.default_rng(seed)
    quality = np.linspace(0, 1, n_methods)
    rankings = {}
    for image in range(n_images):
        own = quality + rng.normal(size=n_methods)
        rankings[f"img_{image}"] = {
            f"annotator-{at}": from_values(
                [
                    (f"m{method}", round(float(own[method] + 0.5 * rng.normal())))
                    for method in range(n_methods)
                ],
                descending=True,
            )
            for at in range(n_annotators)
            if rng.random() >= missing
        }
    return rankings


def every(rankings):
    return [ranking for of_image in rankings.values() for ranking in of_image.values()]


def log_likelihood(at, ranking, number):
    """Davidson's, pair by pair."""
    total = 0.0
    for (a, b), outcome in signs_of(ranking).items():
        lead = at[number[a]] - at[number[b]]
        odds = {1: math.exp(lead / 2), -1: math.exp(-lead / 2), 0: math.exp(at[-1])}
        total += math.log(odds[outcome] / sum(odds.values()))
    return total


def values_of(strengths):
    return {one.method: one.strength for one in strengths.strengths}


def test_two_methods_by_hand():
    # 6 to 2 with 2 ties: a lead of log 3, and nu = 1 / sqrt(3 x 1).
    answers = [{"x": (("a",), ("b",))}] * 3 + [{"x": (("b",), ("a",))}, {"x": (("a", "b"),)}]
    rankings = dict(enumerate(answers * 2))
    fitted = strengths_of(people_of(rankings), ridge=1e-9)
    assert values_of(fitted) == pytest.approx({"a": math.log(3) / 2, "b": -math.log(3) / 2})
    assert fitted.tie_parameter == pytest.approx(3**-0.5)
    assert fitted.reason == ANNOTATOR_FIXED
    [lead] = fitted.leads
    # At the fit the chances are 3/5, 1/5, 1/5. Of the lead and log nu the information is
    # ((v, c), (c, w)): v = ((4/5) - (2/5)^2) / 4 = 0.16, c = -(2/5)(1/5)/2 = -0.04, w = 0.16, each
    # times 10. Scores by the lead are half the outcome less 0.2, by log nu whether it is tied less 0.2.
    information = 10 * np.array([[0.16, -0.04], [-0.04, 0.16]])
    scores = np.array([[0.3, -0.2]] * 3 + [[-0.7, -0.2], [-0.2, 0.8]])
    scores = np.concatenate([scores, scores])
    inverse = np.linalg.inv(information)
    variance = (inverse @ (10 / 9 * scores.T @ scores) @ inverse)[0, 0]
    half = student.ppf(0.975, 9) * variance**0.5
    assert (lead.first, lead.second) == ("a", "b")
    assert (lead.low, lead.high) == pytest.approx((math.log(3) - half, math.log(3) + half))


def test_counts_are_those_of_single_rankings():
    rankings = random_rankings(missing=0.3)
    rankings["img_0"] = {"annotator-1": (("m3",), ("m0", "m1"))}
    ours, theirs = counts_of(people_of(rankings)), pair_counts(every(rankings))
    assert ours.methods == theirs.methods
    assert ours.before.tolist() == theirs.before.tolist()
    assert ours.tied.tolist() == theirs.tied.tolist()


def test_the_fit_is_the_largest_likelihood():
    rankings = random_rankings(missing=0.2)
    number = {f"m{at}": at for at in range(4)}

    def loss(at):
        return DEFAULT_RIDGE / 2 * (at @ at) - sum(
            log_likelihood(at, ranking, number) for ranking in every(rankings)
        )

    best = minimize(loss, np.zeros(5), tol=1e-12).x
    fitted = strengths_of(people_of(rankings))
    assert values_of(fitted) == pytest.approx(
        {name: best[at] - best[:4].mean() for name, at in number.items()}, abs=1e-4
    )
    assert fitted.tie_parameter == pytest.approx(math.exp(best[4]), abs=1e-4)


@cases("lacks_a_method", [False, True])
def test_errors_are_those_of_numbers_ranking_by_ranking(lacks_a_method):
    rankings = random_rankings(n_images=12, missing=0.2, seed=4)
    if lacks_a_method:
        rankings["img_2"] = {"annotator-0": (("m2",), ("m0",)), "annotator-1": (("m2", "m0"),)}
    people = people_of(rankings)
    fitted = strengths_of(people)
    number = {f"m{at}": at for at in range(4)}
    at = np.array([values_of(fitted)[f"m{one}"] for one in range(4)])
    at = np.append(at, math.log(fitted.tie_parameter))
    # Slopes and curvatures by differences.
    step = 1e-4
    directions = step * np.eye(5)

    def slope(ranking, there):
        return np.array(
            [
                (
                    log_likelihood(there + one, ranking, number)
                    - log_likelihood(there - one, ranking, number)
                )
                / (2 * step)
                for one in directions
            ]
        )

    rows = [
        (image, name, slope(ranking, at))
        for image, of_image in rankings.items()
        for name, ranking in of_image.items()
    ]
    information = DEFAULT_RIDGE * np.eye(5) - sum(
        np.array([(slope(r, at + one) - slope(r, at - one)) / (2 * step) for one in directions])
        for r in every(rankings)
    )

    def clustered(key):
        sums = {}
        for row in rows:
            sums[key(row)] = sums.get(key(row), 0) + row[2]
        n = len(sums)
        return n / (n - 1) * sum(np.outer(one, one) for one in sums.values())

    inverse = np.linalg.inv(information)
    meat = [clustered(lambda row: row[0]), clustered(lambda row: row[1])]
    meat.append(meat[0] + meat[1] - clustered(lambda row: row[:2]))
    for lead in fitted.leads:
        contrast = np.zeros(5)
        contrast[number[lead.first]], contrast[number[lead.second]] = 1, -1
        of_contrast = inverse @ contrast
        variance = max(of_contrast @ part @ of_contrast for part in meat)
        half = student.ppf(0.975, 2) * variance**0.5
        assert lead.high - lead.lead == pytest.approx(half, rel=1e-3)


def test_a_study_without_a_ranking_has_no_strength():
    fitted = strengths_of(people_of({"img_1": {}}))
    assert (fitted.strengths, fitted.leads, fitted.reason) == ((), (), "no ranking")


def test_one_image_has_no_limits():
    fitted = strengths_of(people_of(random_rankings(n_images=1)))
    assert {(one.low, one.high) for one in (*fitted.strengths, *fitted.leads)} == {(None, None)}
    assert fitted.reason == "one image says nothing about others"


@cases(("n_images", "has_limits"), [(9, False), (10, True)])
def test_fewer_than_ten_images_give_no_limits(n_images, has_limits):
    fitted = strengths_of(people_of(random_rankings(n_images=n_images)))
    limits = [one.low is not None for one in (*fitted.strengths, *fitted.leads)]
    assert {*limits} == {has_limits}
    assert fitted.reason == (None if has_limits else "fewer than ten images give no interval")


def test_methods_that_no_answer_connects_have_no_strengths():
    rankings = {"one": {"ann": (("a",), ("b",))}, "two": {"cat": (("c",), ("d",))}}
    fitted = strengths_of(people_of(rankings))
    assert (fitted.strengths, fitted.leads, fitted.n_images) == ((), (), 2)
    assert fitted.reason == "no order over all images: no answer connects a, b; c, d"
    # b and c on a third image join all four.
    joined = strengths_of(people_of({**rankings, "three": {"ann": (("b",), ("c",))}}))
    assert [one.method for one in joined.strengths] == ["a", "b", "c", "d"]


def test_annotators_who_share_no_image_have_limits():
    rankings = {
        image: {f"annotator-{at % 3}": next(iter(of_image.values()))}
        for at, (image, of_image) in enumerate(random_rankings(n_images=12).items())
    }
    fitted = strengths_of(people_of(rankings))
    assert all(one.low < one.strength < one.high for one in fitted.strengths)


def test_where_all_is_tied_nobody_leads():
    fitted = strengths_of(people_of({f"img_{at}": {"x": (("a", "b"),)} for at in range(10)}))
    assert values_of(fitted) == {"a": 0.0, "b": 0.0}
    assert fitted.leads[0].low == fitted.leads[0].high == 0


def test_images_of_few_or_differing_rankings_are_left_out():
    ranking = (("a",), ("b",))
    people = people_of(
        {
            "one": {"x": ranking},
            "two": {"x": ranking, "y": ranking},
            "differing": {"x": ranking, "y": (("a",), ("c",))},
        },
        min_annotators=2,
    )
    assert (people.images, people.methods) == (("two",), ("a", "b"))
    assert people.left_out == ("differing", "one")


@cases("wrong", [{"ridge": 0.0}, {"level": 1.0}])
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(RankingError):
        strengths_of(people_of(random_rankings(n_images=2)), **wrong)
