"""The open questions: variance and taste, values, slices, and what a change brings."""

import math
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from rankings.agreement.report import Settings, values_of
from rankings.consensus.davidson import davidson, strengths_of
from rankings.consensus.mean_rank import mean_rank
from rankings.errors import MissingScore, RankingError
from rankings.inference.disparity import disparity, disparity_of
from rankings.inference.multi_reader import compare
from rankings.inference.personal_distances import PersonalDistances
from rankings.orders.buckets import bucket_of
from rankings.orders.distances import kemeny_distance
from rankings.orders.edit_distance import places_of
from rankings.orders.from_scores import f_beta, ranking_from_scores
from rankings.tuning.beta import beta_search
from rankings.tuning.cross_validation import folds
from rankings.tuning.gains import choose, corrected, gain
from rankings.tuning.open_questions import beta_gains, differences_of_methods
from rankings.tuning.preference_strength import strength_correlations
from rankings.tuning.slices import ImageProperty, slices
from tests.support.anova import effects, mean_squares
from tests.support.anova import of_table as measured
from tests.support.cases import cases
from tests.support.rankings import by_text, personal_rankings

METHODS = ["a", "b", "c", "d"]


def drawn(n_images, n_annotators, n_protocols, taste=1.0, seed=1):
    return effects(np.random.default_rng(seed), n_images, n_annotators, n_protocols, taste)


def names(n):
    return [f"annotator-{at}" for at in range(n)]


def anova(d):
    """The components of a full table of images x annotators."""
    _, image, annotator, rest = mean_squares(d)
    return (image - rest) / len(d[0]), (annotator - rest) / len(d), rest


def test_components_are_the_mean_over_all_pairs_of_protocols():
    table = drawn(12, 4, 5)
    pairs = [anova((table[..., p] - table[..., q]).tolist()) for p, q in combinations(range(5), 2)]
    expected = np.mean(pairs, axis=0)
    assert (expected > 0).all()
    found = disparity_of(measured(table), names(4))
    assert [part.variance for part in found.components] == pytest.approx(expected.tolist())
    assert [part.share for part in found.components] == pytest.approx(
        (expected / expected.sum()).tolist()
    )
    # An effect equal for all protocols is in none of them.
    shifted = table + np.random.default_rng(2).normal(size=(12, 4, 1))
    again = disparity_of(measured(shifted), names(4))
    assert [part.variance for part in again.components] == pytest.approx(expected.tolist())


def test_the_intervals_are_those_of_leaving_out_each_image_and_each_annotator():
    """With cells missing, so that no two leave the same behind."""
    full = measured(drawn(14, 4, 3))
    kept = np.random.default_rng(3).random(56) < 0.8
    study = PersonalDistances(
        full.protocols, full.images[kept], full.annotators[kept], full.distances[kept]
    )

    def shares(rows):
        part = PersonalDistances(
            study.protocols, study.images[rows], study.annotators[rows], study.distances[rows]
        )
        return np.array([one.share for one in disparity_of(part, names(4)).components])

    variance, below = np.zeros(3), np.zeros(3)
    for numbers in (study.images, study.annotators):
        without = np.array([shares(numbers != one) for one in np.unique(numbers)])
        g = len(without)
        spread = (g - 1) / g * ((without - without.mean(axis=0)) ** 2).sum(axis=0)
        variance += spread
        below += spread**2 / (g - 1)
    half = scipy.stats.t(variance**2 / below).ppf(0.975) * np.sqrt(variance)
    for part, around in zip(disparity_of(study, names(4)).components, half, strict=True):
        assert part.low == pytest.approx(max(0, part.share - around))
        assert part.high == pytest.approx(min(1, part.share + around))


def test_a_planted_taste_is_found_and_chance_is_not():
    table = drawn(40, 3, 4, taste=0.0)
    table[:, 1, 2] -= 5
    near = {one.annotator: one for one in disparity_of(measured(table), names(3)).tastes}
    assert near["annotator-1"].protocol == "p2"
    assert near["annotator-1"].high < 0
    # Others of the same image, both less the mean over the protocols, by hand.
    centred = table - table.mean(axis=2, keepdims=True)
    apart = centred[:, 1, 2] - (centred[:, 0, 2] + centred[:, 2, 2]) / 2
    assert near["annotator-1"].difference == pytest.approx(apart.mean())
    half = scipy.stats.t(39).ppf(1 - 0.025 / 12) * apart.std(ddof=1) / math.sqrt(40)
    assert near["annotator-1"].low == pytest.approx(apart.mean() - half)
    told = 0
    for seed in range(60):
        found = disparity_of(measured(drawn(30, 3, 4, taste=0.0, seed=seed)), names(3))
        told += any(one.high < 0 for one in found.tastes)
    assert told <= 8, "about 2.5 % of 60 studies, three times as many are far beyond chance"


@cases(
    ("shape", "reason"),
    [
        ((5, 1, 3), "one annotator"),
        ((1, 5, 3), "one image"),
        ((5, 3, 1), "one protocol"),
        ((0, 0, 3), "no ranking"),
    ],
)
def test_too_little_for_components_is_said(shape, reason):
    table = np.random.default_rng(1).normal(size=shape)
    found = disparity_of(measured(table), names(shape[1]))
    assert reason in found.reason
    assert [part.variance for part in found.components] == [None] * 3
    assert len(found.tastes) == shape[1]


def test_two_annotators_or_nine_images_have_components_and_no_interval():
    for shape in ((20, 2, 3), (9, 5, 3)):
        found = disparity_of(measured(drawn(*shape)), names(shape[1]))
        assert all(part.share is not None and part.low is None for part in found.components)


def test_answers_that_are_all_equal_have_no_variance_and_no_share():
    found = disparity_of(measured(np.ones((12, 4, 3))), names(4))
    assert [part.variance for part in found.components] == [0, 0, 0]
    assert [part.share for part in found.components] == [None] * 3
    assert {one.difference for one in found.tastes} == {0.0}


def test_many_annotators_and_annotators_who_share_no_image():
    assert len(disparity_of(measured(drawn(12, 200, 3)), names(200)).tastes) == 200
    table = drawn(20, 5, 3)
    images, annotators = np.arange(20), np.arange(20) % 5
    alone = PersonalDistances(("p", "q", "r"), images, annotators, table[images, annotators])
    found = disparity_of(alone, names(5))
    assert found.components[0].variance == 0
    assert {(one.n_images, one.protocol) for one in found.tastes} == {(0, None)}


def test_disparity_takes_rankings():
    people = {f"{at}": {"x": by_text("a>b"), "y": by_text("b>a")} for at in range(3)}
    protocols = {image: {"P": by_text("a>b"), "Q": by_text("b>a")} for image in people}
    found = disparity(personal_rankings(people, protocols, ["P", "Q"]))
    # P is nearer to x by all pairs and farther from y by all: all is taste, 2 x 100^2.
    assert [part.variance for part in found.components] == [0, 20_000, 0]
    assert [one.protocol for one in found.tastes] == ["P", "Q"]
    assert [one.difference for one in found.tastes] == [-100, -100]


# Values and strengths


def study(n_images=12, n_annotators=3, seed=1, methods=METHODS):
    rng = np.random.default_rng(seed)
    images = [f"img_{at:02}" for at in range(n_images)]
    quality = {image: rng.normal(size=len(methods)) for image in images}

    def ranking(image):
        seen = np.round(2 * (quality[image] + 0.5 * rng.normal(size=len(methods))))
        return ranking_from_scores(dict(zip(methods, seen.tolist(), strict=True)), None)

    people = {image: {f"{at}": ranking(image) for at in range(n_annotators)} for image in images}
    scores = {
        image: {
            protocol: {
                method: tuple(
                    float(1 / (1 + math.exp(-q - noise * rng.normal()))) for _ in range(2)
                )
                for method, q in zip(methods, quality[image], strict=True)
            }
            for protocol, noise in (("near", 0.2), ("far", 2.0))
        }
        for image in images
    }
    return people, scores


def recall_of(scores):
    return {
        image: {
            protocol: {method: score[0] for method, score in of_method.items()}
            for protocol, of_method in of_protocol.items()
        }
        for image, of_protocol in scores.items()
    }


def test_strengths_of_many_images_are_those_of_each():
    people, _ = study(n_images=6)
    rankings = [list(of_image.values()) for of_image in people.values()]
    found = strengths_of(np.stack([places_of(of_image) for of_image in rankings]))
    for row, of_image in zip(found, rankings, strict=True):
        fit = davidson(of_image).strengths
        assert row.tolist() == pytest.approx([fit[method] for method in METHODS], abs=1e-6)
    assert strengths_of(np.zeros((0, 3, 4), dtype=np.int8)).shape == (0, 4)


def test_correlations_are_those_of_all_pairs_of_all_images():
    people, scores = study()
    values = recall_of(scores)
    [near, far] = strength_correlations(people, values, ["near", "far"], n_resamples=200)
    for found in (near, far):
        sums = dict.fromkeys(("vl", "vv", "ll", "rl", "rr"), 0.0)
        for image, of_image in people.items():
            fit = davidson(list(of_image.values())).strengths
            of_method = values[image][found.protocol]
            place = bucket_of(ranking_from_scores(of_method))
            for a, b in combinations(METHODS, 2):
                lead, value, rank = (
                    fit[a] - fit[b],
                    of_method[a] - of_method[b],
                    place[b] - place[a],
                )
                for name, product_of in (
                    *(("vl", value * lead), ("vv", value**2), ("ll", lead**2)),
                    *(("rl", rank * lead), ("rr", rank**2)),
                ):
                    sums[name] += product_of
        by_values = sums["vl"] / math.sqrt(sums["vv"] * sums["ll"])
        by_ranks = sums["rl"] / math.sqrt(sums["rr"] * sums["ll"])
        assert found.values.value == pytest.approx(by_values, abs=1e-6)
        assert found.ranks.value == pytest.approx(by_ranks, abs=1e-6)
        assert found.gain.value == pytest.approx(by_values - by_ranks, abs=1e-6)
        assert found.values.low < found.values.value < found.values.high
    assert near.values.value > far.values.value


def test_what_has_no_strength_does_not_count():
    people, scores = study(n_images=3)
    people["img_00"] = {"0": people["img_00"]["0"]}
    people["img_01"] = {name: (tuple(METHODS),) for name in "012"}
    [found] = strength_correlations(people, recall_of(scores), ["near"])
    assert found.n_images == 1
    assert found.values.value is not None
    assert found.values.low is None
    constant = {image: {"near": dict.fromkeys(METHODS, 0.3)} for image in people}
    [flat] = strength_correlations(people, constant, ["near"])
    assert (flat.values.value, flat.ranks.value, flat.gain.value) == (None, None, None)
    assert strength_correlations({}, {}, ["near"])[0].n_images == 0
    assert strength_correlations(people, recall_of(scores), []) == ()
    with pytest.raises(MissingScore, match="near"):
        strength_correlations(people, {}, ["near"])


def test_of_many_images_some_are_drawn(monkeypatch):
    people, scores = study(n_images=30)
    monkeypatch.setattr("rankings.tuning.preference_strength.MOST_IMAGES", 12)
    [found] = strength_correlations(people, recall_of(scores), ["near"], n_resamples=50)
    assert found.n_images == 12


# Slices


def test_slices_are_thirds_and_equal_numbers_stay_together():
    images = [f"{at}" for at in range(36)]
    table = np.random.default_rng(1).normal(size=(36, 2))
    size = ImageProperty("Size", "px", {image: float(at) for at, image in enumerate(images)})
    turned = ImageProperty(
        "Turned", "", {image: max(0, at - 29) for at, image in enumerate(images)}
    )
    found = slices(table, images, ["p", "q"], [size, turned])
    assert [(cut.by, cut.label, cut.n_images) for cut in found] == [
        ("Size", "0 to 11 px", 12),
        ("Size", "12 to 23 px", 12),
        ("Size", "24 to 35 px", 12),
        ("Turned", "0", 30),
        ("Turned", "1 to 6", 6),
    ]
    first, last = found[0].scores[1], found[-1].scores[1]
    column = table[:12, 1]
    limits = scipy.stats.t(11, column.mean(), scipy.stats.sem(column)).interval(0.95)
    assert (first.protocol, first.score) == ("q", pytest.approx(column.mean()))
    assert (first.low, first.high) == pytest.approx(limits)
    assert (last.low, last.high) == (None, None), "six images"


def test_images_without_the_number_are_a_slice_of_their_own():
    table = np.ones((3, 1))
    size = ImageProperty("Size", "px", {"a": 1.0, "b": None})
    found = slices(table, ["a", "b", "c"], ["p"], [size])
    assert [(cut.label, cut.n_images) for cut in found] == [("1 px", 1), ("not known", 2)]
    nothing = slices(table, ["a", "b", "c"], ["p"], [ImageProperty("Size", "px", {})])
    assert [(cut.label, cut.n_images) for cut in nothing] == [("not known", 3)]
    assert slices(np.empty((0, 1)), [], ["p"], [size]) == ()
    with pytest.raises(RankingError, match="2 rows"):
        slices(table, ["a", "b"], ["p"], [size])


def test_the_difference_of_methods_is_the_mean_over_pairs_and_protocols():
    consensus = {"i": by_text("a>b>c"), "j": by_text("a")}
    values = {
        "i": {"P": {"a": 0.1, "b": 0.5, "c": 0.5}, "Q": {"a": 1.0, "b": 1.0, "c": 0.7}},
        "j": {"P": {"a": 0.1}, "Q": {"a": 0.2}},
    }
    found = differences_of_methods(values, consensus, ["P", "Q"]).values
    # P: 0.4, 0.4, 0; Q: 0, 0.3, 0.3.
    assert found == {"i": pytest.approx(1.4 / 6), "j": None}


# The effect of a change


def test_a_gain_is_the_comparison_of_the_protocol_with_itself_changed():
    table = drawn(20, 4, 2)
    both = measured(table)
    found = gain("P", both.of(both.protocols[:1]), both.distances[:, 1])
    [pair] = compare(both).pairs
    assert found.difference == pytest.approx(-pair.difference)
    assert (found.low, found.high) == pytest.approx((-pair.high, -pair.low))
    assert found.p_value == pair.p_value
    assert (found.before, found.after) == pytest.approx(tuple(table.mean(axis=(0, 1))))
    nine = measured(table[:9])
    few = gain("P", nine.of(nine.protocols[:1]), nine.distances[:, 1])
    assert (few.low, few.p_value) == (None, None)
    nothing = gain("P", measured(np.empty((0, 0, 1))), np.empty(0))
    assert (nothing.difference, nothing.before) == (None, None)
    assert corrected([found, few])[1].holm_p_value is None


def test_no_candidate_is_judged_on_an_image_it_was_chosen_on():
    study_of = measured(np.round(2 * np.abs(drawn(11, 3, 4))) / 2)
    choice = choose(study_of)
    parts = folds(11)
    for at, part in enumerate(parts):
        outside = ~np.isin(study_of.images, part)
        sums = [sum(column) for column in study_of.distances[outside].T]
        best = sums.index(min(sums))
        assert choice.fold_choices[at] == best
        assert choice.held_out[~outside].tolist() == study_of.distances[~outside, best].tolist()
    sums = study_of.distances.sum(axis=0).tolist()
    assert choice.chosen == sums.index(min(sums))
    assert choose(measured(drawn(1, 3, 4))) is None


def test_the_gain_of_a_beta_is_of_images_outside_its_fold():
    people, scores = study(n_images=12)
    consensus = {image: mean_rank(list(of.values())) for image, of in people.items()}
    settings = Settings()
    searches = beta_search(scores, consensus)

    def ranking(image, protocol, beta):
        return ranking_from_scores(
            {method: f_beta(*score, beta) for method, score in scores[image][protocol].items()}
        )

    ranked = {
        image: {protocol: ranking(image, protocol, 1.0) for protocol in ("far", "near")}
        for image in scores
    }
    values = values_of("preference", scores, settings)
    found = beta_gains(people, consensus, values, scores, searches, settings)
    images, n_pairs = sorted(consensus), len(METHODS) * (len(METHODS) - 1) / 2
    for search, gained in zip(searches, found, strict=True):
        differences = []
        for fold, part in enumerate(folds(12)):
            for image in (images[at] for at in part):
                beta = search.fold_betas[fold]
                for own in people[image].values():
                    after = kemeny_distance(ranking(image, search.protocol, beta), own)
                    before = kemeny_distance(ranked[image][search.protocol], own)
                    differences.append(100 * (after - before) / n_pairs)
        assert gained.protocol == search.protocol
        assert gained.difference == pytest.approx(sum(differences) / len(differences))
        assert gained.n_images == 12
    assert beta_gains({}, {}, {}, {}, searches, settings)[0].difference is None
