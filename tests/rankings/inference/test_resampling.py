"""Bootstrap intervals over images."""

import itertools
import math

import numpy as np
import pytest

from rankings.errors import RankingError
from rankings.inference import resampling
from rankings.inference.resampling import distance_table, score_intervals
from rankings.orders.distances import distances_between
from rankings.orders.packed import dense_places
from tests.support.cases import cases


def column(*values):
    return np.array(values, dtype=float)[:, np.newaxis]


def test_a_table_has_the_images_in_order_of_name_and_no_baseline():
    distances = {"b": {"x": 1.0, "y": 2.0, "all tied": 9.0}, "a": {"x": 3.0, "y": 4.0}}
    assert distance_table(distances, ["y", "x"]).tolist() == [[4, 3], [2, 1]]
    assert distance_table({}, ["y", "x"]).shape == (0, 2)
    with pytest.raises(RankingError, match="a has no distance of z"):
        distance_table(distances, ["z"])


def test_limits_are_the_quantiles_of_all_resamples():
    """All 4^4 = 256 resamples of four images in turn, against 40,000 drawn ones."""
    values = [0.0, 1.0, 4.0, 11.0]
    means = [np.mean(resample) for resample in itertools.product(values, repeat=4)]
    for level in (0.5, 0.8, 0.93):
        intervals = score_intervals(column(*values), ["x"], n_resamples=40_000, level=level)
        expected = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
        [interval] = intervals.scores
        assert interval.score == 4
        assert (interval.low, interval.high) == pytest.approx(tuple(expected), abs=0.26)


def test_the_extremes_are_limits_when_they_are_likelier_than_the_tail():
    """Three times the smallest of three images has probability 1/27 > 0.025."""
    [interval] = score_intervals(column(0, 1, 5), ["x"]).scores
    assert (interval.score, interval.low, interval.high) == (2, 0, 5)


def test_differences_are_paired():
    """A protocol that is one worse on every image is one worse in every resample."""
    x = np.arange(20.0)[:, np.newaxis]
    intervals = score_intervals(np.hstack([x, x + 1, x]), ["x", "worse", "same"])
    assert [(of.first, of.second, of.value, of.low, of.high) for of in intervals.differences] == [
        ("x", "worse", -1, -1, -1),
        ("x", "same", 0, 0, 0),
        ("worse", "same", 1, 1, 1),
    ]


@cases("n", [2, 6, 7, 8, 20])
def test_blocks_of_images_draw_as_one_draw_of_all_would(n):
    """Each count is binomial(n, 1/n): mean 1, variance 1 - 1/n; covariance of two -1/n."""
    draws = 20_000
    parts = list(resampling.resampled_weights(np.random.default_rng(3), n, draws, size=7))
    assert [block.start for block, _ in parts] == list(range(0, n, 7))
    counts = np.hstack([weights for _, weights in parts])
    assert counts.shape == (draws, n)
    assert (counts.sum(axis=1) == n).all()
    covariance = np.cov(counts.T, bias=True)
    assert counts.mean(axis=0) == pytest.approx(np.ones(n), abs=0.04)
    assert covariance == pytest.approx(np.eye(n) - 1 / n, abs=0.06)


def test_many_images_give_the_interval_of_the_normal_distribution(monkeypatch):
    monkeypatch.setattr(resampling, "BLOCK", 100)
    values = np.random.default_rng(5).integers(0, 20, size=950) / 2
    [interval] = score_intervals(values[:, np.newaxis], ["x"]).scores
    reach = 1.96 * values.std() / math.sqrt(950)
    assert interval.high - interval.score == pytest.approx(reach, rel=0.1)
    assert interval.score - interval.low == pytest.approx(reach, rel=0.1)


def test_intervals_hold_the_true_mean_about_as_often_as_they_say():
    """400 studies of 80 images with mean distance 4 (skewed): 95 % give or take three errors of 1.1 %."""
    rng = np.random.default_rng(8)
    hits = 0
    for study in range(400):
        table = rng.poisson(8, size=(80, 1)) / 2
        [interval] = score_intervals(table, ["x"], n_resamples=500, seed=study).scores
        hits += interval.low <= 4 <= interval.high
    assert 0.915 <= hits / 400 <= 0.985


def test_the_same_seed_gives_the_same_intervals():
    table = np.random.default_rng(1).random((30, 3))
    assert score_intervals(table, "abc") == score_intervals(table, "abc")
    assert score_intervals(table, "abc") != score_intervals(table, "abc", seed=1)


def test_no_image_has_no_score_and_one_image_no_limits():
    [none] = score_intervals(np.empty((0, 1)), ["x"]).scores
    assert (none.score, none.low, none.high) == (None, None, None)
    of_one_image = score_intervals(np.array([[2.0, 3.0]]), ["x", "y"])
    assert [(of.score, of.low, of.high) for of in of_one_image.scores] == [
        (2, None, None),
        (3, None, None),
    ]
    assert [(of.value, of.low) for of in of_one_image.differences] == [(-1, None)]
    assert of_one_image.n_resamples == 0
    [of_two_images] = score_intervals(np.array([[2.0], [3.0]]), ["x"]).scores
    assert (of_two_images.score, of_two_images.low, of_two_images.high) == (2.5, 2.0, 3.0)


def test_constant_protocols_have_intervals_of_no_width():
    intervals = score_intervals(np.full((9, 2), 1.5), ["x", "y"])
    assert [(of.low, of.high) for of in intervals.scores] == [(1.5, 1.5)] * 2
    assert score_intervals(np.empty((9, 0)), []).scores == ()


@cases(
    ("table", "wrong", "message"),
    [
        (np.zeros((3, 2)), {}, "1 columns"),
        (np.zeros(3), {}, "1 columns"),
        (column(0, math.nan), {}, "image 1: the distance of x is nan"),
        (column(0, 1), {"n_resamples": 0}, "n_resamples"),
        (column(0, 1), {"level": 1}, "level"),
    ],
)
def test_what_cannot_be_resampled_is_refused(table, wrong, message):
    with pytest.raises(RankingError, match=message):
        score_intervals(table, ["x"], **wrong)


def test_distances_in_parts_are_distances_of_the_whole():
    places = np.random.default_rng(0).integers(0, 2, size=(2, 70_000, 4))
    a, b = dense_places(places)
    distances = distances_between(a, b, "edit")
    at = np.arange(0, len(a), 5000)
    assert distances[at].tolist() == distances_between(a[at], b[at], "edit").tolist()
    assert distances_between(a[:0], b[:0], "kemeny").shape == (0,)
