"""Votes, voices and the scores that follow from them."""

import dataclasses

import numpy as np
import pytest

from protocols.no_ground_truth.votes import VoteError, share_weights, weigh_votes
from tests.support.cases import cases
from tests.support.votes import SEED


def test_a_grouped_duplicate_changes_nothing_and_an_ungrouped_one_does():
    twice = [SEED[0], *SEED]
    alone, grouped = weigh_votes(SEED), weigh_votes(twice, None, share_weights(4, groups="aabc"))
    assert grouped.weights == pytest.approx((0.1, 0.1, 0.2, 0.2, 0.2, 0.2))
    for own, other in zip(grouped.systems[1:], alone.systems, strict=True):
        assert (own.precision, own.recall) == pytest.approx((other.precision, other.recall))
    biased = weigh_votes(twice).systems[0]
    assert (biased.precision, biased.recall) == pytest.approx((0.67, 0.76), abs=0.005)


@cases(
    ("arguments", "weights"),
    [
        ({"n_systems": 2}, (0.25, 0.25, 0.25, 0.25)),
        ({"n_systems": 2, "virtual": False}, (0.5, 0.5, 0, 0)),
        ({"n_systems": 2, "oracles": [0.6]}, (0.1, 0.1, 0.6, 0.1, 0.1)),
        ({"n_systems": 1, "oracles": [0.4, 0.3]}, (0.1, 0.4, 0.3, 0.1, 0.1)),
        ({"n_systems": 2, "oracles": [1.0]}, (0, 0, 1, 0, 0)),
        ({"n_systems": 0, "virtual": False, "oracles": [1.0]}, (1, 0, 0)),
        ({"n_systems": 3, "groups": [1, 1, 2], "virtual": False}, (0.25, 0.25, 0.5, 0, 0)),
    ],
)
def test_voices_are_shared_among_groups(arguments, weights):
    assert share_weights(**arguments) == pytest.approx(weights)


@cases("seed", range(20))
def test_invariants_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n_systems, n_documents = rng.integers(1, 6), rng.integers(1, 9)
    votes = rng.choice([0, 0, 0.3, 1], (n_systems, n_documents))
    areas = rng.uniform(0.1, 9, n_documents)
    weights = rng.dirichlet(np.ones(n_systems + 2))
    measured = weigh_votes(votes, areas, weights)
    assert measured.top.recall == 1.0
    for own in (*measured.systems, measured.top):
        assert 0 <= own.recall <= 1
        assert (own.precision is None) == (own.size == 0)
        if own.precision is not None:
            assert 0 <= own.precision <= 1
            assert own.precision * own.size == pytest.approx(own.recall * measured.total)

    halves = weigh_votes(np.hstack([votes, votes]), np.hstack([areas, areas]) / 2, weights)
    order = rng.permutation(n_systems)
    moved = weigh_votes(votes[order], areas, np.concatenate([weights[order], weights[-2:]]))
    for at, own in enumerate(measured.systems):
        for other in (halves.systems[at], moved.systems[list(order).index(at)]):
            assert dataclasses.astuple(other) == pytest.approx(dataclasses.astuple(own))


def test_leave_one_out_measures_a_system_by_the_others_alone():
    measured = weigh_votes(SEED, leave_one_out=True)
    for at, own in enumerate(measured.systems):
        # By hand: the relevance without it, the weights of the others a quarter each.
        others = [(sum(column) - column[at] + 1) / 4 for column in zip(*SEED, strict=True)]
        shared = sum(p * vote for p, vote in zip(others, SEED[at], strict=True))
        assert own.precision == pytest.approx(shared / sum(SEED[at]))
        assert own.recall == pytest.approx(shared / sum(others))
    [alone] = weigh_votes([[1, 0]], None, [1, 0, 0], leave_one_out=True).systems
    assert (alone.precision, alone.recall) == (None, None)


@cases(
    ("arguments", "message"),
    [
        (([[1, 2]],), "a vote must be in [0, 1]"),
        (([[1, float("nan")]],), "a vote must be in [0, 1]"),
        (([1, 0],), "expected as many votes of each system as there are documents"),
        (([[1, 0]], [1]), "expected 2 areas, got 1"),
        (([[1, 0]], [1, 0]), "an area must be above 0"),
        (
            ([[1, 0]], None, [0.5, 0.5]),
            "expected 3 weights, of 1 systems, S_top and S_bottom; got 2",
        ),
        (([[1, 0]], None, [1.5, -0.5, 0]), "a weight must not be negative"),
        (([[1, 0]], None, [0.5, 0.4, 0]), "the weights must add up to 1, got 0.9"),
        (([[1, 0]], None, [0.5, float("nan"), 0.5]), "a weight must not be negative"),
    ],
)
def test_votes_and_weights_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(VoteError) as refusal:
        weigh_votes(*arguments)
    assert str(refusal.value).startswith(message)


@cases(
    ("arguments", "message"),
    [
        ({"n_systems": 2, "groups": "a"}, "expected a group for each of 2 systems, got 1"),
        ({"n_systems": 2, "oracles": [-0.1]}, "the weight of an oracle must not be negative"),
        ({"n_systems": 2, "oracles": [0.6, 0.6]}, "the weights of the oracles add up to 1.2"),
        ({"n_systems": 0, "virtual": False}, "expected a system that votes, got none"),
    ],
)
def test_voices_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(VoteError) as refusal:
        share_weights(**arguments)
    assert str(refusal.value).startswith(message)
