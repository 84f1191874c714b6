"""The search of beta and the calibration of ties."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.agreement.report import Settings, build_report
from rankings.errors import MissingScore, RankingError
from rankings.orders.buckets import bucket_of
from rankings.orders.edit_distance import edit_distance
from rankings.orders.from_scores import f_beta, ranking_from_scores
from rankings.tuning.beta import BETAS, beta_search
from rankings.tuning.cross_validation import folds
from rankings.tuning.tie_calibration import (
    CURVE_POINTS,
    calibrated_places,
    tie_calibration,
)
from tests.support.cases import cases
from tests.support.rankings import by_text
from tests.support.shared import shared_path


def calibrated_ranking(scores, epsilon):
    methods = sorted(scores)
    values = np.array([[scores[method] for method in methods]], dtype=float)
    [places] = calibrated_places(values, np.array([epsilon]))
    return tuple(
        tuple(method for method, place in zip(methods, places, strict=True) if place == number)
        for number in range(max(places) + 1)
    )


def one_protocol(scores):
    return {image: {"x": of_method} for image, of_method in scores.items()}


def of_one_person(rankings):
    return {image: {"ann": ranking} for image, ranking in rankings.items()}


def calibrated(scores, rankings, **settings):
    [calibration] = tie_calibration(one_protocol(scores), of_one_person(rankings), **settings)
    return calibration


def sign(x):
    return (x > 0) - (x < 0)


def accuracy(scores, consensus, epsilon):
    """Pairwise accuracy with ties, pair by pair."""
    shares = []
    for image, ranking in consensus.items():
        place = bucket_of(ranking)
        pairs = list(itertools.combinations(sorted(place), 2))
        right = 0
        for a, b in pairs:
            apart = round(scores[image][a] - scores[image][b], 12)
            said = 0 if abs(apart) <= epsilon else sign(apart)
            right += said == sign(place[b] - place[a])
        shares.append(Fraction(right, len(pairs)))
    return sum(shares) / len(shares)


def searched(scores, consensus):
    """The best epsilon by trying every candidate; max takes the first, so the smallest, of equals."""
    candidates = {0.0}
    for image in consensus:
        values = scores[image].values()
        candidates |= {round(abs(a - b), 12) for a, b in itertools.combinations(values, 2)}
    return max(sorted(candidates), key=lambda epsilon: accuracy(scores, consensus, epsilon))


def test_the_reference_cases_of_tie_calibration_are_reproduced():
    cases = json.loads(shared_path("reference", "tie_calibration_cases.json").read_text())["cases"]
    assert cases
    for case in cases:
        calibration = calibrated(case["scores"], case["consensus"])
        expected = case["expected"]
        assert calibration.epsilon == expected["epsilon"], case["name"]
        # The reference adds shares as floats, we as fractions.
        assert calibration.accuracy == pytest.approx(expected["accuracy"], abs=1e-15)
        assert calibration.accuracy_at_0 == pytest.approx(expected["accuracy_at_0"], abs=1e-15)


def test_the_reference_study_is_calibrated():
    study = json.loads(shared_path("reference", "study_case.json").read_text())
    calibrations = tie_calibration(
        study["protocol_scores"], of_one_person(study["consensus_mean_rank"])
    )
    expected = study["expected_tie_calibration"]
    assert {of.protocol for of in calibrations} == set(expected)
    for of in calibrations:
        assert of.epsilon == expected[of.protocol]["epsilon"]
        assert of.accuracy == pytest.approx(expected[of.protocol]["accuracy"], abs=1e-15)
        assert of.accuracy_at_0 == pytest.approx(expected[of.protocol]["accuracy_at_0"], abs=1e-15)


@cases("seed", range(6))
def test_calibration_finds_what_trying_every_candidate_finds(seed):
    """Images of different sizes, scores of two decimals, so that differences coincide."""
    rng = np.random.default_rng(seed)
    scores, consensus = {}, {}
    for at in range(7):
        methods = "abcdef"[: rng.integers(2, 7)]
        seen = dict(zip(methods, rng.integers(0, 3, len(methods)).tolist(), strict=True))
        consensus[f"i{at}"] = ranking_from_scores(seen)
        noise = np.round(rng.normal(scale=0.15, size=len(methods)), 2)
        scores[f"i{at}"] = {
            method: 0.3 * seen[method] + float(of)
            for method, of in zip(methods, noise, strict=True)
        }
    calibration = calibrated(scores, consensus)
    best = searched(scores, consensus)
    assert calibration.epsilon == best
    assert calibration.accuracy == float(accuracy(scores, consensus, best))
    assert calibration.accuracy_at_0 == float(accuracy(scores, consensus, 0))
    for epsilon, of in calibration.curve:
        assert of == float(accuracy(scores, consensus, epsilon))
    goal = [
        edit_distance(calibrated_ranking(scores[image], best), consensus[image]).distance
        for image in consensus
    ]
    assert calibration.score == sum(goal) / len(goal)

    images = sorted(consensus)
    held_out, distances = Fraction(0), 0.0
    for number, fold in enumerate(folds(len(images))):
        inside = {images[at]: consensus[images[at]] for at in fold}
        outside = {image: of for image, of in consensus.items() if image not in inside}
        epsilon = searched(scores, outside)
        assert calibration.fold_epsilons[number] == epsilon
        held_out += accuracy(scores, inside, epsilon) * len(inside)
        distances += sum(
            edit_distance(calibrated_ranking(scores[image], epsilon), of).distance
            for image, of in inside.items()
        )
    assert calibration.cross_validated_accuracy == float(held_out / len(images))
    assert calibration.cross_validated_score == distances / len(images)


def test_the_smallest_of_equal_epsilons_is_taken():
    """Tying a and b (0.1) is right; tying more is neither better nor worse until all are tied."""
    calibration = calibrated({"i": {"a": 0.9, "b": 0.8, "c": 0.1}}, {"i": by_text("a=b>c")})
    assert (calibration.epsilon, calibration.accuracy, calibration.accuracy_at_0) == (0.1, 1, 2 / 3)
    assert calibration.curve == ((0, 2 / 3), (0.1, 1), (0.7, 2 / 3), (0.8, 1 / 3))


def test_equal_differences_are_one_candidate_though_floats_tell_them_apart():
    assert 0.3 - 0.2 != 0.2 - 0.1
    calibration = calibrated({"i": {"a": 0.3, "b": 0.2, "c": 0.1}}, {"i": by_text("a=b=c")})
    assert [epsilon for epsilon, _ in calibration.curve] == [0, 0.1, 0.2]
    assert calibration.epsilon == 0.2


def test_calibration_of_constant_protocols_all_ties_and_nothing():
    constant = calibrated({"i": dict.fromkeys("abc", 0.5)}, {"i": by_text("a>b=c")})
    assert (constant.epsilon, constant.accuracy, constant.score) == (0, 1 / 3, 0.5)
    assert (constant.cross_validated_accuracy, constant.cross_validated_score) == (None, None)
    all_tied = calibrated({"i": {"a": 0.9, "b": 0.2}}, {"i": by_text("a=b")})
    assert (all_tied.epsilon, all_tied.accuracy, all_tied.score) == (0.7, 1, 0)
    for consensus in ({}, {"i": by_text("a")}):
        none = calibrated({"i": {"a": 0.9}}, consensus)
        assert (none.epsilon, none.accuracy, none.score, none.curve) == (None, None, None, ())
        assert none.n_images == 0
    assert tie_calibration({"i": {}}, of_one_person({"i": by_text("a>b")})) == ()
    x = {"a": 0.9, "b": 0.2}
    same, again = tie_calibration({"i": {"x": x, "y": x}}, of_one_person({"i": by_text("a>b")}))
    assert same.epsilon == again.epsilon == 0


def test_a_long_curve_is_thinned_and_keeps_the_best():
    rng = np.random.default_rng(0)
    scores = {
        f"i{at}": dict(zip("abcdef", rng.random(6).tolist(), strict=True)) for at in range(50)
    }
    consensus = {
        image: ranking_from_scores({method: round(of * 3) for method, of in values.items()})
        for image, values in scores.items()
    }
    calibration = calibrated(scores, consensus)
    assert CURVE_POINTS <= len(calibration.curve) <= CURVE_POINTS + 1
    assert calibration.curve[0] == (0, calibration.accuracy_at_0)
    assert (calibration.epsilon, calibration.accuracy) in calibration.curve
    assert max(of for _, of in calibration.curve) == calibration.accuracy


@cases(
    ("epsilon", "ranking"),
    [
        (0, "d>c>b>a"),
        # d takes c, and not b, which is within 0.1 of c.
        (0.1, "c=d>a=b"),
        (0.2, "b=c=d>a"),
        (0.3, "a=b=c=d"),
    ],
)
def test_a_bucket_is_as_wide_as_epsilon_from_its_best(epsilon, ranking):
    scores = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
    assert calibrated_ranking(scores, epsilon) == by_text(ranking)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=7), st.integers(0, 21), st.integers(0, 3))
def test_no_bucket_is_wider_than_epsilon_and_better_scores_never_rank_below(values, epsilon, shift):
    scores = {f"m{at}": (value + shift) / 20 for at, value in enumerate(values)}
    ranking = calibrated_ranking(scores, epsilon / 20)
    for bucket in ranking:
        in_bucket = [scores[method] for method in bucket]
        assert round(max(in_bucket) - min(in_bucket), 9) <= epsilon / 20
    for upper, lower in itertools.pairwise(ranking):
        assert min(scores[m] for m in upper) > max(scores[m] for m in lower)
    if epsilon == 0:
        assert ranking == ranking_from_scores(scores, None)


def random_study(seed, n_images, n_methods=4):
    rng = np.random.default_rng(seed)
    methods = "abcdef"[:n_methods]
    scores, consensus = {}, {}
    for at in range(n_images):
        seen = rng.integers(0, 3, n_methods).tolist()
        consensus[f"i{at}"] = ranking_from_scores(dict(zip(methods, seen, strict=True)))
        scores[f"i{at}"] = {
            protocol: dict(
                zip(methods, map(tuple, rng.random((n_methods, 2)).tolist()), strict=True)
            )
            for protocol in ("x", "y")
        }
    return scores, consensus


def test_the_grid_of_betas_is_even_in_octaves():
    assert (BETAS[0], BETAS[-1], len(BETAS)) == (1 / 8, 8, 49)
    assert 1 in BETAS
    assert np.diff(np.log2(BETAS)) == pytest.approx(np.full(48, 1 / 8))


@cases("distance", ["edit", "kemeny"])
def test_every_point_of_the_curve_is_the_score_of_a_report(distance):
    scores, consensus = random_study(1, 9)
    searches = beta_search(scores, consensus, distance=distance, decimals=2)
    for at in (0, 10, 24, 48):
        settings = Settings(beta=BETAS[at], decimals=2, distance=distance, min_annotators=1)
        rankings = {"preference": {image: [ranking] for image, ranking in consensus.items()}}
        rows = build_report(rankings, scores, settings).criteria["preference"].rows
        assert {row.protocol: row.score for row in rows} == {
            of.protocol: of.curve[at][1] for of in searches
        }
    for of in searches:
        assert of.score == min(score for _, score in of.curve)
        assert (of.beta, of.score) in of.curve


def test_the_cross_validated_score_uses_the_beta_of_the_other_folds():
    """Written out: for each fold the best beta on the rest, by a search of the rest alone."""
    scores, consensus = random_study(2, 13)
    [_, search] = beta_search(scores, consensus)
    assert search.fold_betas != search.fold_betas[::-1], (
        "or it does not matter which fold has which"
    )
    images = sorted(consensus)
    total = 0.0
    for number, fold in enumerate(folds(13)):
        inside = [images[at] for at in fold]
        rest = {image: of for image, of in consensus.items() if image not in inside}
        [_, outside] = beta_search(scores, rest)
        assert search.fold_betas[number] == outside.beta
        for image in inside:
            values = {
                method: f_beta(*of, outside.beta) for method, of in scores[image]["y"].items()
            }
            total += edit_distance(ranking_from_scores(values), consensus[image]).distance
    assert search.cross_validated_score == total / 13


def test_people_who_follow_recall_ask_for_a_large_beta():
    """Precision says the opposite; at beta 1 F ties a = (0.9, 0.3) and b = (0.3, 0.9)."""
    scores = {f"i{at}": {"x": {"a": (0.9, 0.3), "b": (0.3, 0.9)}} for at in range(6)}
    recall = beta_search(scores, dict.fromkeys(scores, by_text("a>b")))[0]
    assert recall.beta == 2 ** (1 / 8), "the nearest to 1 of those that are right"
    assert (recall.score, recall.cross_validated_score) == (0, 0)
    precision = beta_search(scores, dict.fromkeys(scores, by_text("b>a")))[0]
    assert precision.beta == 2 ** (-1 / 8)


def test_beta_is_1_where_it_does_not_matter():
    scores = {"i": {"x": dict.fromkeys("ab", (0.5, 0.5))}}
    [search] = beta_search(scores, {"i": by_text("a>b")})
    assert (search.beta, search.score, search.cross_validated_score) == (1, 0.5, None)
    [zero] = beta_search({"i": {"x": {"a": (0, 0)}}}, {"i": by_text("a")})
    assert (zero.beta, zero.score) == (1, 0)
    [none] = beta_search(scores, {})
    assert (none.beta, none.score, none.curve, none.n_images) == (None, None, (), 0)
    assert beta_search({}, {"i": by_text("a>b")}) == ()


@cases(
    ("of_b", "message"),
    [
        ((0.5, None), "i, x: b has no score"),
        (None, "i, x: b has no score"),
        ((math.nan, 0.5), "i, x: b scores nan"),
    ],
)
def test_a_missing_score_is_refused_by_image_protocol_and_method(of_b, message):
    with pytest.raises(MissingScore, match=message):
        beta_search({"i": {"x": {"a": (1, 1), "b": of_b}}}, {"i": by_text("a>b")})
    with pytest.raises(MissingScore, match="i, x: a has no score"):
        beta_search({"j": {"x": {}}}, {"i": by_text("a>b")})
    with pytest.raises(MissingScore, match="i, ranked by ann, x: a has no score"):
        tie_calibration({"i": {"x": {"a": None, "b": 1.0}}}, {"i": {"ann": by_text("a>b")}})


@cases(
    ("wrong", "message"),
    [
        ({"decimals": 16}, "decimals"),
        ({"distance": "far"}, "distance"),
    ],
)
def test_a_search_that_cannot_be_is_refused_by_name(wrong, message):
    scores, consensus = random_study(0, 3)
    with pytest.raises(RankingError, match=message):
        beta_search(scores, consensus, **wrong)


@cases("n", [2, 4, 5, 6, 233])
def test_folds_hold_every_image_once_and_are_of_one_size(n):
    parts = folds(n)
    assert sorted(np.concatenate(parts)) == list(range(n))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    assert len(parts) == min(n, 5)
    assert folds(0) == folds(1) == []


def test_what_people_see_is_searched_in_their_own_rankings():
    """Each ranking as an image of its own, but all of an image in one fold."""
    rng = np.random.default_rng(11)
    scores, people, values, rankings = {}, {}, {}, {}
    for at in range(6):
        value = dict(zip("abcd", rng.random(4).round(2).tolist(), strict=True))
        scores[f"i{at}"], people[f"i{at}"] = {"x": value}, {}
        for name in ("u", "v", "w")[: 2 + at % 2]:
            seen = {method: round(v + 0.2 * rng.random(), 1) for method, v in value.items()}
            people[f"i{at}"][name] = rankings[f"i{at}", name] = ranking_from_scores(seen, 4)
            values[f"i{at}", name] = value
    [found] = tie_calibration(scores, people)
    best = searched(values, rankings)
    assert (found.epsilon, found.n_images) == (best, 6)
    assert found.accuracy == pytest.approx(float(accuracy(values, rankings, best)))
    assert found.accuracy_at_0 == pytest.approx(float(accuracy(values, rankings, 0)))
    held_out = Fraction(0)
    for epsilon, part in zip(found.fold_epsilons, folds(6), strict=True):
        inside = {f"i{at}" for at in part.tolist()}
        outside = {key: ranking for key, ranking in rankings.items() if key[0] not in inside}
        assert accuracy(values, outside, epsilon) == accuracy(
            values, outside, searched(values, outside)
        )
        own = {key: ranking for key, ranking in rankings.items() if key[0] in inside}
        held_out += accuracy(values, own, epsilon) * len(own)
    assert found.cross_validated_accuracy == pytest.approx(float(held_out / len(rankings)))
