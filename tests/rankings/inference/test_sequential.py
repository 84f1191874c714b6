"""Looks at a study that runs: their levels, decisions and withdrawals."""

import numpy as np
import pytest
from scipy.special import ndtri

from rankings.design.simulated_looks import outcome_of_looks
from rankings.design.simulation import Simulated
from rankings.errors import RankingError
from rankings.inference.multi_reader import compare
from rankings.inference.personal_distances import PersonalDistances
from rankings.inference.sequential import Look, decisions_of, enough, levels, look, planned_look
from tests.support.cases import cases

EIGHTHS = tuple(n / 8 for n in range(1, 9))


def test_a_single_look_at_the_end_has_the_level_of_the_test():
    assert levels((1.0,)) == (0.05,)


@cases("alpha", [0.05, 0.05 / 21])
def test_the_first_look_spends_the_cube_of_its_share(alpha):
    assert levels((0.5, 1.0), alpha)[0] == pytest.approx(alpha / 8, rel=1e-6)


@cases("shares", [EIGHTHS, (0.25, 0.3, 1.0), (0.5, 1.0)])
def test_all_looks_together_err_as_stated_on_paths_of_a_brownian_motion(shares):
    """100,000 paths: the share that crosses a limit is within 3 standard errors, 0.2 points."""
    steps = np.sqrt(np.diff((0.0, *shares)))
    paths = (np.random.default_rng(1).normal(size=(100_000, len(shares))) * steps).cumsum(axis=1)
    limits = -ndtri(np.array(levels(shares)) / 2) * np.sqrt(shares)
    assert (abs(paths) > limits).any(axis=1).mean() == pytest.approx(0.05, abs=0.0021)


@cases("shares", [(0.5, 0.5), (0.5, 0.25), (0.0, 1.0), (0.5, 1.1), (float("nan"),)])
def test_levels_refuse_shares_that_do_not_increase_or_are_no_shares(shares):
    with pytest.raises(RankingError, match="shares of looks"):
        levels(shares)


@cases("alpha", [0.0, 1.0, float("nan")])
def test_levels_refuse_an_alpha_that_is_none(alpha):
    with pytest.raises(RankingError, match="alpha"):
        levels((1.0,), alpha)


@cases(
    ("share", "taken", "due"),
    [
        (0.124, [], None),
        (0.125, [], 0.125),
        (0.49, [0.125], 0.375),
        (0.49, [0.375], None),
        (1.5, [0.375], 1.0),
        (1.0, [1.0], None),
    ],
)
def test_a_look_is_due_at_each_eighth_and_once(share, taken, due):
    assert planned_look(share, taken) == due


def test_a_look_counts_annotators_with_ten_images_if_there_are_six():
    annotators = np.repeat(np.arange(7), [10, 10, 10, 10, 10, 10, 9])
    assert enough(annotators).tolist() == [True] * 60 + [False] * 9
    assert not enough(annotators[10:]).any()
    assert enough(np.array([], dtype=np.intp)).tolist() == []


def studied(apart, n_people=6, n_images=10):
    """Return the losses of p and q; q's are larger by ``apart``, give or take what people differ."""
    rng = np.random.default_rng(3)
    annotators = np.repeat(np.arange(n_people), n_images)
    p = rng.random(len(annotators))
    q = p + apart + 0.01 * rng.normal(size=len(p))
    images = np.tile(np.arange(n_images), n_people)
    return PersonalDistances(("p", "q"), images, annotators, np.stack([p, q], axis=1))


def test_a_clear_difference_is_decided_once_and_then_held():
    first = look(studied(0.2), (), (0.5,))
    assert first == Look(decided=(("p", "q"),), held=(("p", "q"),))
    assert look(studied(0.2), first.held, (0.5, 0.625)) == Look(held=(("p", "q"),))


def test_a_decision_that_later_data_contradict_is_withdrawn_and_the_other_decided():
    found = look(studied(-0.2), (("p", "q"),), (0.5, 0.625))
    assert found == Look((("q", "p"),), (("p", "q"),), (("q", "p"),))


def test_a_decision_that_the_test_of_a_report_would_not_make_is_withdrawn():
    assert look(studied(0.0), (("p", "q"),), (0.5, 0.625)) == Look(withdrawn=(("p", "q"),))


def test_an_early_look_needs_more_than_the_test_of_a_report():
    """The difference is two to three standard errors: enough for 5 %, not for 0.01 %."""
    measured = studied(0.004)
    assert [*decisions_of(compare(measured))] == [("p", "q")]
    assert look(measured, (), (0.125,)) == Look()
    assert look(measured, (), (1.0,)).decided == (("p", "q"),)


@cases("apart", [0.0, 1.0])
def test_nothing_is_decided_of_protocols_that_are_equal_or_differ_by_the_same_everywhere(apart):
    measured = studied(0.0)
    measured.distances[:, 1] = measured.distances[:, 0] + apart
    assert look(measured, (), (1.0,)) == Look()


def test_looks_need_studies_and_six_annotators():
    with pytest.raises(RankingError, match="at least 1"):
        outcome_of_looks(Simulated(), 0, 1)
    few = outcome_of_looks(Simulated(5, 40, 2, farther=1, added=2.0), 3, 1)
    assert (few.found, few.share) == (0.0, None)


@pytest.mark.release
@pytest.mark.parametrize("order", ["sessions", "interleaved"])
@pytest.mark.parametrize("protocols", [2, 7])
def test_looks_err_as_one_test_and_find_nearly_as_much(order, protocols):
    """300 studies: 5 % is 15, and up to 26 are within 3 standard deviations."""
    settings = {"per_image": 2, "order": order}
    equal = Simulated(24, 240, protocols, **settings)
    assert outcome_of_looks(equal, 300, 1).wrong <= 26 / 300
    found = outcome_of_looks(
        Simulated(24, 240, protocols, farther=protocols // 2, **settings), 100, 2
    )
    assert found.found >= found.found_at_end - 0.1
    assert found.share < 0.9


def test_whether_a_protocol_that_rounds_is_nearer_is_not_known():
    """The second ties all, so that looks decide against it."""
    rounding = Simulated(8, 60, 2, coarse=10.0)
    found = outcome_of_looks(rounding, 3, 1)
    assert (found.wrong, found.wrong_at_end, found.found) == (0, 0, None)
