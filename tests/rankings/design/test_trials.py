"""Trials of planned designs: the simulated study follows the plan, and its power the plan's."""

from dataclasses import replace

import numpy as np
import pytest

from rankings.design.designs import Components
from rankings.design.pilots import Pilot, demo_pilot
from rankings.design.simulation import MOST_CELLS, Simulated, outcome, simulate
from rankings.design.study_plans import Choice, Question, plan
from rankings.design.trials import n_studies_of, simulated_design, try_design
from rankings.errors import RankingError
from tests.support.cases import cases

QUESTION = Question(difference=0.05, people=30, images=5000, n_protocols=4)
ADVISED = "one person per image, three on 15 %"


def test_the_simulated_study_is_the_planned_design():
    choice = Choice("rankings", ADVISED, 12, 200)
    made = simulated_design(demo_pilot(), QUESTION, choice, methods=9)
    assert (made.annotators, made.images, made.protocols, made.methods) == (12, 200, 4, 9)
    assert (made.per_image, made.repeated, made.repeats, made.farther) == (1, 0.15, 3, 2)
    assert (made.image, made.annotator, made.rest) == (0.00224, 0.000712, 0.00247)
    assert (made.difference, made.pairs) == (0.05, False)
    assert len(simulate(made, np.random.default_rng(1)).distances.images) == 170 + 3 * 30
    of_pairs = simulated_design(demo_pilot(), QUESTION, replace(choice, asking="pairs"))
    assert (of_pairs.rest, of_pairs.pairs) == (0.147, True)


def test_simulated_groups_and_scenes_have_the_sizes_and_the_variance_of_the_plan():
    """The variance of the mean by simulation, and by the formula of the plan."""
    parts = Components(0.02, 0.004, 0.004, per_group=3, per_scene=5)
    choice = Choice("rankings", "two people per image", 24, 100)
    made = simulated_design(Pilot({"rankings": parts}, "a pilot"), QUESTION, choice)
    assert (made.groups, made.scenes) == (8, 20)
    rng = np.random.default_rng(2)
    means = [np.diff(simulate(made, rng).distances.distances.mean(axis=0)) for _ in range(2000)]
    expected = 0.02 / 100 + 0.004 / 24 + 0.004 / 200
    assert np.var([mean[0] for mean in means]) == pytest.approx(expected, rel=0.15)


def test_normal_effects_have_the_variances_and_the_difference_of_the_plan():
    """Four rankings an image by four people: the variance of the mean of 40 images, by formula."""
    parts = {"image": 0.004, "annotator": 0.001, "rest": 0.006}
    study = Simulated(4, 40, 2, farther=1, model="normal", difference=0.1, **parts)
    rng = np.random.default_rng(2)
    means = np.array(
        [np.diff(simulate(study, rng).distances.distances.mean(axis=0)) for _ in range(4000)]
    )
    assert means.mean() == pytest.approx(0.1, abs=0.002)
    expected = 0.004 / 40 + 0.001 / 4 + 0.006 / 160
    # The standard error of a variance is sqrt(2 / 4000) of it.
    assert means.var() == pytest.approx(expected, rel=0.07)


@pytest.mark.release
def test_images_of_a_scene_and_people_of_a_group_share_normal_effects():
    base = Simulated(40, 40, 2, model="normal", image=0.01, annotator=0.0, rest=0.0)

    def variance(**settings):
        study, rng = replace(base, **settings), np.random.default_rng(3)
        return np.var([np.diff(simulate(study, rng).distances.distances.mean(axis=0))
                       for _ in range(400)])  # fmt: skip

    assert variance(scenes=4) > 4 * variance()
    people = {"image": 0.0, "annotator": 0.01}
    assert variance(groups=4, **people) > 2 * variance(**people)


def test_one_drawn_pair_estimates_the_loss_of_all():
    """Means over 6,000 images: of rankings, and of one pair an image weighted by its chance."""
    study = Simulated(1, 6000, 3, farther=1, methods=5)
    whole, drawn = (
        simulate(replace(study, pairs=pairs), np.random.default_rng(4)).distances.distances
        for pairs in (False, True)
    )
    assert drawn.mean(axis=0) == pytest.approx(whole.mean(axis=0), abs=0.02)
    assert drawn.var() > 2 * whole.var()


@pytest.mark.release
def test_equal_protocols_are_told_apart_by_pairs_no_more_often_than_the_test_says():
    """150 studies: at most 5 % and three standard errors of such a share."""
    found = outcome(Simulated(10, 60, 2, per_image=1, pairs=True, taste=0.3), 150, seed=3)
    assert found.tested == 1
    assert found.errors <= 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5


def test_a_trial_finds_about_what_the_plan_promises():
    """200 studies: a power of .80 has a standard error of .03; the plan is right within .07."""
    choice = plan(demo_pilot(), replace(QUESTION, n_protocols=2)).cheapest
    made = simulated_design(demo_pilot(), replace(QUESTION, n_protocols=2), choice)
    seen = []
    trial = try_design(made, lambda done, total: seen.append((done, total)))
    assert trial.power == pytest.approx(0.8, abs=0.07 + 2 * 0.03)
    assert trial.power_error == pytest.approx(0.03, abs=0.01)
    assert trial.false_alarms <= 0.05 + 3 * 0.016
    assert seen == [(at, 400) for at in range(400)]


@pytest.mark.release
@cases("model", ["thurstone", "plackett-luce"])
def test_people_who_answer_give_the_difference_that_was_asked(model):
    pilot = Pilot({"rankings": Components(0.01, 0.001, 0.01)}, "a pilot")
    choice = Choice("rankings", "two people per image", 6, 60)
    trial = try_design(simulated_design(pilot, QUESTION, choice, model=model))
    assert trial.difference == pytest.approx(0.05, abs=0.01)


def test_a_difference_that_no_noise_makes_is_refused():
    choice = Choice("rankings", "one person per image", 4, 50)
    far = replace(QUESTION, difference=0.9)
    with pytest.raises(RankingError, match="no noise of the protocols"):
        try_design(simulated_design(demo_pilot(), far, choice, model="thurstone"))


def test_designs_without_images_or_with_too_many_are_not_simulated():
    none = Choice("rankings", "one person per image", 4)
    with pytest.raises(RankingError, match="without images"):
        simulated_design(demo_pilot(), QUESTION, none)
    with pytest.raises(RankingError, match="too large"):
        simulated_design(demo_pilot(), QUESTION, replace(none, n_annotators=1000, n_images=90_000))


def test_large_designs_are_simulated_less_often():
    small = Simulated(4, 10, 2)
    assert n_studies_of(small) == 200
    large = Simulated(100, 10_000, 10, methods=2)
    assert large.n_cells == 10_000_000 < MOST_CELLS
    assert n_studies_of(replace(large, protocols=100)) == 40
