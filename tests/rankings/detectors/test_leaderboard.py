"""The leaderboard: against the paired t-test, the bootstrap, and simulated equal methods."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankings.detectors.leaderboard import Disagreement, disagreements, leaderboard
from rankings.errors import RankingError
from rankings.inference.resampling import BLOCK, percentile_limits, resampled_sums
from tests.support.cases import cases

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


@cases("figure", FIGURES)
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


@cases("figure", FIGURES)
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


@cases("n_images", [0, 12])
@cases("n_methods", [0, 1])
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


def test_a_method_of_some_images_is_not_ranked():
    sums = drawn(np.random.default_rng(8), 30, [0.6, 0.8, 0.9])
    is_evaluated = np.ones((30, 3), dtype=bool)
    is_evaluated[12:, 2] = False
    sums[~is_evaluated] = 0
    found = leaderboard(sums, ["a", "b", "part"], "recall", is_evaluated=is_evaluated)
    assert found.methods == ("b", "a", "part")
    assert [found.place(at) for at in range(3)] == [1, 2, None]
    assert (found.n_of, found.n_images, found.n_shared) == ((30, 30, 12), 30, 12)
    assert found.p_values[0][2] is found.p_values[1][2] is None
    assert found.letters[2] == ""
    # Its interval is that of its own twelve images.
    alone = leaderboard(sums[:12, 2:], ["part"], "recall")
    assert (found.low[2], found.high[2]) == pytest.approx((alone.low[0], alone.high[0]))
    # The others are tested as without it.
    without = leaderboard(sums[:, :2], ["a", "b"], "recall")
    assert found.p_values[0][1] == pytest.approx(without.p_values[0][1])


def test_shared_images_alone_rank_all_methods():
    sums = drawn(np.random.default_rng(9), 30, [0.6, 0.8, 0.9])
    is_evaluated = np.ones((30, 3), dtype=bool)
    is_evaluated[12:, 2] = False
    asked = {"is_evaluated": is_evaluated, "shared_only": True}
    found = leaderboard(sums, ["a", "b", "part"], "recall", **asked)
    assert found == leaderboard(sums[:12], ["a", "b", "part"], "recall")
    # An official figure that is no quotient is known of all images only.
    official = leaderboard(sums, ["a", "b", "part"], "recall", official=[0.1, 0.2, 0.3], **asked)
    assert official.values == (None, None, None)


def test_methods_without_a_figure_have_no_place_and_no_letter():
    """Official figures that are no quotients of sums are unknown for some of the images."""
    sums = np.ones((12, 2, 4))
    is_evaluated = np.ones((12, 2), dtype=bool)
    is_evaluated[0, 1] = False
    found = leaderboard(
        sums,
        ["a", "b"],
        "f_score",
        official=[0.5, 0.4],
        is_evaluated=is_evaluated,
        shared_only=True,
    )
    assert (found.values, found.n_images) == ((None, None), 11)
    assert [found.place(at) for at in (0, 1)] == [None, None]
    assert found.letters is None


def test_fewer_than_ten_images_of_a_method_have_no_interval():
    sums = drawn(np.random.default_rng(10), 30, [0.6, 0.8])
    is_evaluated = np.ones((30, 2), dtype=bool)
    is_evaluated[9:, 1] = False
    found = leaderboard(sums, ["a", "part"], "recall", is_evaluated=is_evaluated)
    assert found.low[0] is not None
    assert (found.low[1], found.high[1]) == (None, None)


@given(data=st.data())
def test_leaving_out_images_never_improves_a_place_without_a_mark(data):
    n_images, n_methods = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    found = data.draw(
        st.lists(
            st.lists(st.integers(0, 4), min_size=n_methods, max_size=n_methods),
            min_size=n_images,
            max_size=n_images,
        )
    )
    sums = np.full((n_images, n_methods, 4), 4.0)
    sums[..., 0] = found
    cells = st.lists(st.booleans(), min_size=n_images * n_methods, max_size=n_images * n_methods)
    before = np.array(data.draw(cells)).reshape(n_images, n_methods)
    # The first method leaves out some of its images.
    after = before.copy()
    after[:, 0] &= data.draw(st.lists(st.booleans(), min_size=n_images, max_size=n_images))
    methods = [f"m{at}" for at in range(n_methods)]

    def place(is_evaluated):
        own = np.where(is_evaluated[..., np.newaxis], sums, 0)
        board = leaderboard(own, methods, "recall", is_evaluated=is_evaluated)
        return board.place(board.methods.index("m0"))

    if place(after) is not None:
        assert place(before) is None or place(after) >= place(before)


@given(st.integers(0, 2**32 - 1), st.sampled_from(FIGURES), st.integers(0, 14))
def test_leaving_out_images_of_a_method_never_improves_its_place_without_a_mark(
    seed, figure, n_left_out
):
    """The images on which it is worst are left out, which raises its figure."""
    sums = drawn(np.random.default_rng(seed), 15, (0.5, 0.6, 0.7))
    names = ["part", "b", "c"]
    whole = leaderboard(sums, names, figure)
    worst = np.argsort(sums[:, 0, 0] / sums[:, 0, 1], kind="stable")[:n_left_out]
    is_evaluated = np.ones((15, 3), dtype=bool)
    is_evaluated[worst, 0] = False
    sums[~is_evaluated] = 0
    found = leaderboard(sums, names, figure, is_evaluated=is_evaluated)
    place = found.place(found.methods.index("part"))
    if n_left_out:
        assert (place, found.sets_differ) == (None, True)
        assert found.methods[-1] == "part"
        assert found.n_images_of(2) == 15 - n_left_out
    else:
        assert place == whole.place(whole.methods.index("part"))
