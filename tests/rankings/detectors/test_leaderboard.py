"""The leaderboard: against the paired t-test, the bootstrap, and simulated equal methods."""

import numpy as np
import pytest
from scipy import stats

from rankings.detectors.leaderboard import Disagreement, disagreements, leaderboard
from rankings.errors import RankingError
from rankings.inference.resampling import BLOCK, percentile_limits, resampled_sums

FIGURES = ("recall", "precision", "f_score")


def drawn(rng, n_images, shares):
    """Return sums of methods that find each true region with a probability of their own."""
    n_truth = rng.integers(1, 9, n_images)
    sums = np.empty((n_images, len(shares), 4))
    for at, share in enumerate(shares):
        found = rng.binomial(n_truth, share)
        sums[:, at] = np.stack([found, n_truth, found, found + rng.poisson(1.0, n_images)], axis=1)
    return sums


def test_means_of_images_are_compared_by_the_paired_t_test():
    scores = np.random.default_rng(1).random((40, 2))
    sums = np.ones((40, 2, 4))
    sums[..., 0] = scores
    found = leaderboard(sums, ["a", "b"], "recall")
    assert found.p_values[0][1] == pytest.approx(stats.ttest_rel(*scores.T).pvalue, rel=1e-9)
    first = scores[:, ["a", "b"].index(found.methods[0])]
    limits = stats.t.interval(0.95, 39, first.mean(), stats.sem(first))
    assert (found.low[0], found.high[0]) == pytest.approx(limits, rel=1e-9)


@pytest.mark.parametrize("figure", FIGURES)
def test_intervals_agree_with_the_bootstrap(figure):
    rng = np.random.default_rng(2)
    sums = drawn(rng, 300, [0.8, 0.6])
    found = leaderboard(sums, ["a", "b"], figure)
    resampled = resampled_sums(sums.reshape(300, -1), rng, 4000, BLOCK).reshape(-1, 2, 4)
    recall, precision = (resampled[..., at] / resampled[..., at + 1] for at in (0, 2))
    by_name = {
        "recall": recall,
        "precision": precision,
        "f_score": 2 * recall * precision / (recall + precision),
    }
    low, high = percentile_limits(by_name[figure], 0.95)
    for at, method in enumerate(found.methods):
        own = "ab".index(method)
        assert found.low[at] == pytest.approx(low[own], abs=0.004)
        assert found.high[at] == pytest.approx(high[own], abs=0.004)


@pytest.mark.parametrize("figure", FIGURES)
def test_equal_methods_are_told_apart_in_five_of_a_hundred_data_sets_at_most(figure):
    rng = np.random.default_rng(3)
    n_wrong = 0
    for _ in range(400):
        found = leaderboard(drawn(rng, 60, [0.7] * 5), list("abcde"), figure)
        n_wrong += len(set(found.letters)) > 1
    # 400 x .05 = 20; the binomial's upper limit at 1 in 1,000 is 34.
    assert n_wrong <= 34


def test_clear_differences_get_letters_in_the_order_of_the_figures():
    sums = drawn(np.random.default_rng(4), 400, [0.5, 0.9])
    copied = sums[:, [0, 1, 0]]
    found = leaderboard(copied, ["b", "a", "c"], "recall")
    assert found.methods == ("a", "b", "c")
    assert found.letters == ("a", "b", "b")
    assert found.p_values[1][2] == 1.0
    assert list(found.values) == sorted(found.values, reverse=True)


def test_a_figure_that_is_no_quotient_of_sums_has_no_interval_and_no_test():
    sums = drawn(np.random.default_rng(5), 50, [0.5, 0.9])
    found = leaderboard(sums, ["a", "b"], "recall", official=[0.31, None])
    assert found.methods == ("a", "b")
    assert found.values == (0.31, None)
    assert found.low == found.high == (None, None)
    assert found.letters is None
    assert found.p_values == ((None, None), (None, None))


def test_protocols_disagree_where_both_orders_are_significant():
    rng = np.random.default_rng(8)
    names = ["a", "b", "c"]
    boards = {
        "iou": leaderboard(drawn(rng, 300, [0.9, 0.5, 0.7]), names, "recall"),
        "deteval": leaderboard(drawn(rng, 300, [0.5, 0.9, 0.7]), names, "recall"),
        "few": leaderboard(drawn(rng, 5, [0.1, 0.9, 0.1]), names, "recall"),
    }
    assert disagreements(boards) == [
        Disagreement("a", "b", ("iou",), ("deteval",)),
        Disagreement("a", "c", ("iou",), ("deteval",)),
        Disagreement("b", "c", ("deteval",), ("iou",)),
    ]


def test_an_image_on_which_a_method_was_not_evaluated_adds_nothing_to_it():
    rng = np.random.default_rng(6)
    sums = drawn(rng, 60, [0.5, 0.9])
    sums[40:, 0] = 0
    found = leaderboard(sums, ["a", "b"], "recall")
    value = sums[:40, 0, 0].sum() / sums[:40, 0, 1].sum()
    assert found.values[found.methods.index("a")] == pytest.approx(value)


def test_nine_images_are_too_few():
    found = leaderboard(drawn(np.random.default_rng(7), 9, [0.2, 0.9]), ["a", "b"], "recall")
    assert found.letters is None
    assert found.low == (None, None)


@pytest.mark.parametrize("n_images", [0, 12])
@pytest.mark.parametrize("n_methods", [0, 1])
def test_no_method_one_method_and_no_image(n_images, n_methods):
    found = leaderboard(np.ones((n_images, n_methods, 4)), ["a"][:n_methods], "f_score")
    assert found.methods == ("a",)[:n_methods]
    assert found.n_images == n_images


def test_wrong_input_is_refused():
    with pytest.raises(RankingError, match=r"expected sums of shape \(images, 1, 4\)"):
        leaderboard(np.ones((3, 2, 4)), ["a"], "recall")
    with pytest.raises(RankingError, match="not a finite number"):
        leaderboard(np.full((3, 1, 4), np.nan), ["a"], "recall")
    with pytest.raises(RankingError, match="expected 1 official figures, got 2"):
        leaderboard(np.ones((3, 1, 4)), ["a"], "recall", official=[0.5, 0.5])
