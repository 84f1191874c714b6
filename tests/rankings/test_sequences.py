"""What is decided while a study runs."""

import math

import numpy as np
import pytest

from rankings.errors import RankingError
from rankings.multi_reader import PersonalDistances
from rankings.sequences import FIRST, decisions, half_width, running


def of_differences(d, others=()):
    """A study of one annotator with two protocols, or more, that differ by this on each image."""
    table = np.stack([np.asarray(d, dtype=float), np.zeros(len(d)), *others], axis=1)
    names = tuple("pqrstuv"[: table.shape[1]])
    return PersonalDistances(names, np.arange(len(d)), np.zeros(len(d), dtype=int), table)


def test_half_width_by_hand():
    """t = 100, rho = 1/4: t rho^2 + 1 = 7.25; t^2 rho^2 = 625."""
    expected = 2 * math.sqrt(2 * 7.25 / 625 * math.log(math.sqrt(7.25) / 0.05))
    assert half_width(100, 2.0, 0.05) == pytest.approx(expected)


def test_running_numbers_are_those_of_every_beginning():
    d = np.random.default_rng(1).normal(3.0, 2.0, size=(30, 2))
    means, deviations = running(d)
    for t in (1, 2, 17, 30):
        assert means[t - 1] == pytest.approx(d[:t].mean(axis=0))
        assert deviations[t - 1] == pytest.approx(d[:t].std(axis=0), abs=1e-7)


@pytest.mark.parametrize("kind", ["normal", "steps"])
def test_over_10000_paths_looking_after_every_image_errs_in_at_most_5_percent(kind):
    """Equal protocols, 1,000 images; steps: differences of losses, most of them 0."""
    rng = np.random.default_rng(4)
    n_images, n_wrong = 1000, 0
    t = np.arange(FIRST, n_images + 1)[:, np.newaxis]
    for _ in range(20):
        if kind == "normal":
            d = rng.normal(size=(n_images, 500))
        else:
            d = rng.choice(
                [-1.0, -0.5, 0.0, 0.5, 1.0], p=[0.05, 0.1, 0.7, 0.1, 0.05], size=(n_images, 500)
            )
        means, deviations = running(d)
        wrong = np.abs(means[FIRST - 1 :]) > half_width(t, deviations[FIRST - 1 :], 0.05)
        n_wrong += int(wrong.any(axis=0).sum())
    assert n_wrong / 10_000 <= 0.05


def test_what_was_decided_stays_and_says_when_and_who_is_nearer():
    d = [-1.0, -0.8] * 30 + [1.0, 0.8] * 40
    [pair] = decisions(of_differences(d)).pairs
    means = [np.mean(d[:t]) for t in range(1, len(d) + 1)]
    widths = [half_width(t, np.std(d[:t]), 0.05) for t in range(1, len(d) + 1)]
    first = next(t for t in range(FIRST, len(d) + 1) if abs(means[t - 1]) > widths[t - 1])
    assert pair.decided_at == first
    assert pair.nearer == "p"
    # It would not be decided now.
    assert abs(pair.difference) < pair.half_width
    assert pair.images_more is None


def test_nothing_is_decided_before_20_images():
    d = [-1.0, -0.9] * 9 + [-1.0]
    [pair] = decisions(of_differences(d)).pairs
    assert len(d) == 19
    assert (pair.half_width, pair.decided_at) == (None, None)
    [pair] = decisions(of_differences([*d, -0.9])).pairs
    assert pair.decided_at == 20


def test_so_many_images_more_decide_if_all_goes_on_as_before():
    rng = np.random.default_rng(9)
    d = rng.normal(size=50)
    d = 0.3 + (d - d.mean()) / d.std()
    found = decisions(of_differences(d))
    [pair] = found.pairs
    by_trying = next(t for t in range(51, 2000) if half_width(t, 1.0, 0.05) < 0.3)
    assert pair.images_more == by_trying - 50
    assert found.upcoming == (pair,)
    assert found.n_decided == 0


def test_the_risk_is_shared_out_among_the_pairs():
    rng = np.random.default_rng(2)
    d = rng.normal(size=60)
    alone = decisions(of_differences(d)).pairs[0]
    three = decisions(of_differences(d, [rng.normal(size=60)])).pairs
    assert len(three) == 3
    assert alone.half_width == pytest.approx(half_width(60, d.std(), 0.05))
    assert three[0].half_width == pytest.approx(half_width(60, d.std(), 0.05 / 3))


def test_an_image_counts_by_the_mean_over_its_annotators():
    images, annotators = np.array([0, 0, 1]), np.array([0, 1, 0])
    measured = PersonalDistances(
        ("p", "q"), images, annotators, np.array([[1.0, 0], [3.0, 0], [6.0, 0]])
    )
    found = decisions(measured)
    assert found.pairs[0].difference == pytest.approx(4.0)
    assert (found.n_images, found.n_annotators) == (2, 2)


@pytest.mark.parametrize("d", [[0.0] * 40, [0.5] * 40], ids=["equal", "all the same"])
def test_without_any_spread_nothing_is_decided_or_foretold(d):
    """All answers ties, or protocols that never disagree."""
    [pair] = decisions(of_differences(d)).pairs
    assert (pair.decided_at, pair.images_more) == (None, None)


def test_no_image_and_one_protocol_are_nothing_to_decide():
    assert decisions(of_differences([])).pairs[0].difference is None
    one = PersonalDistances(("p",), np.arange(30), np.zeros(30, dtype=int), np.ones((30, 1)))
    assert decisions(one).pairs == ()


def test_alpha_is_checked():
    with pytest.raises(RankingError, match="alpha must be between 0 and 1, got 1"):
        decisions(of_differences([0.0]), alpha=1)
