"""Davidson's model: recovery, the maximum, ties and invariances."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.consensus.davidson import (
    DEFAULT_RIDGE,
    NotConverged,
    davidson,
    gradient,
    information,
    objective,
)
from rankings.consensus.mean_rank import mean_rank
from rankings.errors import RankingError
from rankings.orders.pairwise import pair_counts
from tests.support.cases import cases
from tests.support.rankings import rankings_of

A_FIRST, B_FIRST, TIED = (("a",), ("b",)), (("b",), ("a",)), (("a", "b"),)
many_rankings = st.lists(rankings_of("abcde"), min_size=1, max_size=6)


def simulated(strengths, nu, n_each, rng):
    """Rankings of two methods each, drawn from the model."""
    rankings = []
    names = list(strengths)
    for at, first in enumerate(names):
        for second in names[at + 1 :]:
            half = (strengths[first] - strengths[second]) / 2
            odds = np.array([math.exp(half), math.exp(-half), nu])
            outcomes = rng.choice(3, size=n_each, p=odds / odds.sum())
            made = ((first,), (second,)), ((second,), (first,)), ((first, second),)
            rankings += [made[outcome] for outcome in outcomes]
    return rankings


def by_methods(values, methods):
    return [values[method] for method in methods]


def at_of(fit):
    return np.array(
        [*by_methods(fit.strengths, sorted(fit.strengths)), math.log(fit.tie_parameter)]
    )


def test_two_methods_have_the_maximum_worked_out_by_hand():
    # 6 wins, 2 losses, 4 ties: the model fits the shares exactly, so exp(d) = 6 / 2 and
    # nu = 4 / sqrt(6 * 2).
    fit = davidson([A_FIRST] * 6 + [B_FIRST] * 2 + [TIED] * 4, ridge=1e-9)
    assert fit.strengths["a"] - fit.strengths["b"] == pytest.approx(math.log(3), abs=1e-6)
    assert fit.tie_parameter == pytest.approx(4 / math.sqrt(12), abs=1e-6)
    assert fit.ranking == A_FIRST


@pytest.mark.release
def test_strengths_errors_and_ties_of_simulated_data_are_recovered():
    truth = {"a": 1.2, "b": 0.4, "c": -0.1, "d": -1.5}
    rng = np.random.default_rng(7)
    fits = [davidson(simulated(truth, 0.7, 150, rng)) for _ in range(40)]
    strengths = np.array([by_methods(fit.strengths, truth) for fit in fits])
    errors = np.array([by_methods(fit.standard_errors, truth) for fit in fits])
    assert strengths.mean(axis=0) == pytest.approx(list(truth.values()), abs=0.06)
    # The spread over repetitions is what the standard errors say, within what 40 can show.
    assert strengths.std(axis=0, ddof=1) == pytest.approx(errors.mean(axis=0), rel=0.35)
    assert np.mean([fit.tie_parameter for fit in fits]) == pytest.approx(0.7, abs=0.03)
    assert all(fit.ranking[0] == ("a",) and fit.ranking[-1] == ("d",) for fit in fits)


@given(many_rankings)
def test_the_objective_is_flat_at_the_fit_by_finite_differences(rankings):
    at, counts = at_of(davidson(rankings)), pair_counts(rankings)
    h = 1e-5
    for direction in np.eye(len(at)):
        above = objective(at + h * direction, counts, DEFAULT_RIDGE)
        below = objective(at - h * direction, counts, DEFAULT_RIDGE)
        assert (above - below) / (2 * h) == pytest.approx(0, abs=1e-6)


def test_the_derivatives_are_those_of_the_objective():
    rng = np.random.default_rng(3)
    counts = pair_counts(simulated({"a": 1, "b": 0, "c": -1}, 0.5, 5, rng))
    at, h = rng.normal(size=4), 1e-6
    steps = h * np.eye(4)
    slope = [
        (objective(at + s, counts, 0.3) - objective(at - s, counts, 0.3)) / (2 * h) for s in steps
    ]
    curvature = [
        (gradient(at + s, counts, 0.3) - gradient(at - s, counts, 0.3)) / (2 * h) for s in steps
    ]
    assert gradient(at, counts, 0.3) == pytest.approx(slope, rel=1e-6)
    assert information(at, counts, 0.3) == pytest.approx(np.array(curvature), rel=1e-6)


def test_standard_errors_are_those_of_free_contrasts():
    """The second way: invert the information of three contrasts, then map back."""
    rankings = simulated({"a": 1, "b": 0, "c": -1, "d": 0}, 0.5, 6, np.random.default_rng(4))
    fit, counts = davidson(rankings), pair_counts(rankings)
    basis = np.zeros((5, 4))
    basis[:4, :3] = np.vstack([np.eye(3), -np.ones(3)])
    basis[4, 3] = 1
    inner = basis.T @ information(at_of(fit), counts, DEFAULT_RIDGE) @ basis
    expected = np.sqrt(np.diag(basis @ np.linalg.inv(inner) @ basis.T))[:4]
    assert by_methods(fit.standard_errors, "abcd") == pytest.approx(list(expected))


@given(many_rankings)
def test_complete_rankings_give_the_order_by_mean_rank(rankings):
    assert davidson(rankings).ranking == mean_rank(rankings)


@given(many_rankings, st.randoms())
def test_order_and_names_do_not_matter_and_reversal_turns_the_sign(rankings, rng):
    fit = davidson(rankings)
    shuffled = rng.sample(rankings, len(rankings))
    renamed = dict(zip("abcde", rng.sample("vwxyz", 5), strict=True))
    for other, name, sign in (
        (shuffled, dict(zip("abcde", "abcde", strict=True)), 1),
        ([[[renamed[m] for m in b] for b in r] for r in rankings], renamed, 1),
        ([r[::-1] for r in rankings], dict(zip("abcde", "abcde", strict=True)), -1),
    ):
        refitted = davidson(other)
        for method in "abcde":
            expected = sign * fit.strengths[method]
            assert refitted.strengths[name[method]] == pytest.approx(expected, abs=1e-8)
            error = fit.standard_errors[method]
            assert refitted.standard_errors[name[method]] == pytest.approx(error)
        assert refitted.tie_parameter == pytest.approx(fit.tie_parameter)


def test_a_method_that_always_wins_has_a_finite_strength():
    fit = davidson([A_FIRST] * 5)
    assert fit.ranking == A_FIRST
    assert 1 < fit.strengths["a"] < 20
    assert math.isfinite(fit.standard_errors["a"])
    assert 0 < fit.tie_parameter < 0.1


def test_methods_that_are_never_compared_still_have_a_strength():
    fit = davidson([A_FIRST, (("x",), ("y",))])
    assert fit.ranking == (("a", "x"), ("b", "y"))


def test_one_method_has_no_pair_to_learn_from():
    fit = davidson([(("a",),)])
    assert (fit.ranking, fit.strengths, fit.tie_parameter) == ((("a",),), {"a": 0.0}, None)
    assert fit.standard_errors["a"] == pytest.approx(0, abs=1e-9)


def test_an_iteration_that_does_not_arrive_raises():
    with pytest.raises(NotConverged, match="in 2 iterations"):
        davidson([A_FIRST] * 3, max_iterations=2)


@cases(
    ("rankings", "ridge", "named"),
    [
        ([], 0.01, "at least one ranking"),
        ([[["a"], []]], 0.01, "a bucket needs"),
        ([A_FIRST], 0, "the ridge"),
        ([A_FIRST], math.inf, "the ridge"),
    ],
)
def test_what_cannot_be_used_is_refused(rankings, ridge, named):
    with pytest.raises(RankingError, match=named):
        davidson(rankings, ridge=ridge)
