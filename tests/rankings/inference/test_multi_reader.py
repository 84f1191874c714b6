"""Two protocols compared for annotators like these on images like these."""

import math
import random
from itertools import combinations, product

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import scipy.stats

from rankings.errors import RankingError
from rankings.inference.moderation import prior_of, trigamma_inverse
from rankings.inference.moments import moments
from rankings.inference.multi_reader import (
    ONE_ANNOTATOR,
    ONE_IMAGE,
    compare,
    compare_protocols,
    told_apart,
)
from rankings.inference.personal_distances import PersonalDistances, personal_losses
from rankings.inference.significance import clusters
from rankings.orders.distances import kemeny_distance
from rankings.orders.from_scores import ranking_from_scores
from tests.support.anova import effects, mean_squares, of_table
from tests.support.cases import cases
from tests.support.rankings import personal_rankings


def drawn(rng):
    """A ranking of four methods, ties included."""
    return ranking_from_scores({name: rng.randrange(3) for name in "abcd"})


def test_on_balanced_data_everything_comes_from_the_mean_squares():
    n_images, n_annotators = 12, 4
    table = effects(np.random.default_rng(1), n_images, n_annotators, taste=2.0)
    mean, image, annotator, rest = mean_squares((table[..., 0] - table[..., 1]).tolist())
    assert image > rest
    assert annotator > rest
    [pair] = compare(of_table(table)).pairs
    n = n_images * n_annotators
    assert pair.difference == pytest.approx(mean)
    assert pair.image_variance == pytest.approx((image - rest) / n_annotators)
    assert pair.annotator_variance == pytest.approx((annotator - rest) / n_images)
    assert pair.rest_variance == pytest.approx(rest)
    variance = (annotator + image - rest) / n
    free = (annotator + image - rest) ** 2 / (
        annotator**2 / (n_annotators - 1)
        + image**2 / (n_images - 1)
        + rest**2 / ((n_annotators - 1) * (n_images - 1))
    )
    assert pair.degrees_of_freedom == pytest.approx(free)
    expected = scipy.stats.t(free, scale=math.sqrt(variance))
    assert pair.p_value == pytest.approx(2 * expected.sf(abs(mean)))
    assert (pair.low, pair.high) == pytest.approx(
        (mean + expected.ppf(0.025), mean + expected.ppf(0.975))
    )


def test_on_balanced_data_the_moments_are_the_restricted_maximum_likelihood():
    """The likelihood of the whole covariance matrix, climbed without any sum of squares."""
    n_images, n_annotators = 10, 5
    table = effects(np.random.default_rng(4), n_images, n_annotators, taste=1.5)
    d = (table[..., 0] - table[..., 1]).ravel()
    images, annotators = np.indices((n_images, n_annotators)).reshape(2, -1)
    same_image, same_annotator = (of[:, None] == of for of in (images, annotators))
    ones = np.ones(len(d))

    def loss(logs):
        image, annotator, rest = np.exp(logs)
        covariance = image * same_image + annotator * same_annotator + rest * np.eye(len(d))
        inverse = np.linalg.inv(covariance)
        information = ones @ inverse @ ones
        off = d - (ones @ inverse @ d) / information
        return np.linalg.slogdet(covariance)[1] + np.log(information) + off @ inverse @ off

    options = {"xatol": 1e-7, "fatol": 1e-9, "maxiter": 5000}
    best = scipy.optimize.minimize(loss, np.zeros(3), method="Nelder-Mead", options=options)
    found = moments(of_table(table))
    components = [float(of[0]) for of in (found.image, found.annotator, found.rest)]
    assert min(components) > 0
    assert np.exp(best.x) == pytest.approx(components, rel=1e-4)


def test_degrees_of_freedom_by_hand():
    """Annotators 6, images 5 and rest 2 as mean squares.

    d is the sum of orthogonal contrasts: 3 images, 3 annotators, 9 differences around 0. With image
    effects of +-s, 0 the mean square is 3 (2 s^2) / 2 = 3 s^2, and likewise for annotators; a rest of
    r times (1, -1) x (1, -1) on two images and annotators gives 4 r^2 / 4 = r^2.
    """
    of_image = math.sqrt(5 / 3) * np.array([1, 0, -1])[:, np.newaxis]
    of_annotator = math.sqrt(6 / 3) * np.array([1, 0, -1])
    rest = math.sqrt(2) * np.outer([1, -1, 0], [1, -1, 0])
    # The contrast (1, -1, 0) has no part in common with the rows' or columns' means.
    d = of_image + of_annotator + rest
    assert mean_squares(d.tolist()) == pytest.approx((0, 5, 6, 2))
    parts = moments(of_table(np.stack([d, np.zeros_like(d)], axis=-1)))
    assert parts.of_mean == pytest.approx([(6 + 5 - 2) / 9])
    assert parts.degrees_of_freedom == pytest.approx([9**2 / (6**2 / 2 + 5**2 / 2 + 2**2 / 4)])


def test_with_cells_missing_the_moments_are_those_of_all_pairs_of_rankings():
    """Half the squared difference of two rankings, added over all that share an image, and so on."""
    rng = np.random.default_rng(2)
    full = of_table(effects(rng, 15, 5, taste=2.0))
    kept = rng.random(75) < 0.6
    images, annotators = full.images[kept], full.annotators[kept]
    measured = PersonalDistances(full.protocols, images, annotators, full.distances[kept])
    d = measured.distances[:, 0] - measured.distances[:, 1]
    n = len(d)
    # The three equations: left sides by loops over ordered pairs, right sides counted.
    left, right = np.zeros(3), np.zeros((3, 3))
    for x, y in product(range(n), repeat=2):
        half = (d[x] - d[y]) ** 2 / 2
        shares = [images[x] != images[y], annotators[x] != annotators[y], x != y]
        weights = [
            (images[x] == images[y]) / np.count_nonzero(images == images[x]),
            (annotators[x] == annotators[y]) / np.count_nonzero(annotators == annotators[x]),
            1.0,
        ]
        for row, weight in enumerate(weights):
            left[row] += weight * half
            right[row] += weight * np.array(shares)
    expected = np.linalg.solve(right, left)
    assert (expected > 0).all()
    parts = moments(measured)
    assert (parts.image[0], parts.annotator[0], parts.rest[0]) == pytest.approx(tuple(expected))
    weights = [sum(np.bincount(numbers) ** 2) / n**2 for numbers in (images, annotators)]
    assert parts.of_mean == pytest.approx(
        [expected[0] * weights[0] + expected[1] * weights[1] + expected[2] / n]
    )


@cases("annotators", [3, 10])
def test_equal_protocols_are_told_apart_in_5_percent_of_studies(annotators):
    """400 studies a case: 5 % is 20, and 8 to 36 are within 3.7 standard deviations."""
    rng = np.random.default_rng(annotators)
    errors, misses = 0, 0
    for _ in range(400):
        [pair] = compare(of_table(effects(rng, 40, annotators))).pairs
        errors += pair.p_value <= 0.05
        misses += not pair.low <= 0 <= pair.high
    assert errors == misses
    assert 8 <= errors <= 36


def test_annotators_who_share_no_image_can_be_compared_with():
    """One ranking an image: 200 studies of five annotators, 8 images each; 5 % is 10."""
    rng = np.random.default_rng(5)
    errors = 0
    for _ in range(200):
        table = effects(rng, 40, 5)
        images, annotators = np.arange(40), np.arange(40) % 5
        measured = PersonalDistances(("p", "q"), images, annotators, table[images, annotators])
        [pair] = compare(measured).pairs
        assert pair.image_variance == 0
        errors += pair.p_value <= 0.05
    assert 2 <= errors <= 22


@pytest.mark.release
def test_seven_equal_protocols_seldom_make_more_than_one_cluster():
    """300 studies: 5 % is 15, and up to 26 are within 3 standard deviations."""
    rng = np.random.default_rng(7)
    several = 0
    for _ in range(300):
        table = effects(rng, 40, 3, n_protocols=7)
        p_values = compare(of_table(table)).adjusted_p_values()
        several += max(clusters(table.mean(axis=(0, 1)).tolist(), p_values)) > 1
    assert several <= 26


def test_a_protocol_that_is_nearer_to_everybody_is_told():
    table = effects(np.random.default_rng(8), 60, 10, n_protocols=3)
    table[..., 0] -= 5
    tested = compare(of_table(table, ("near", "far", "away")))
    by_pair = {(pair.first, pair.second): pair for pair in tested.pairs}
    assert by_pair["near", "far"].high < 0
    assert by_pair["near", "away"].adjusted_p_value < 0.05
    assert by_pair["far", "away"].adjusted_p_value > 0.05
    table = tested.adjusted_p_values()
    assert table[0][1] == table[1][0] == by_pair["near", "far"].adjusted_p_value
    assert table[2][2] is None


@cases(("shape", "reason"), [((5, 1), ONE_ANNOTATOR), ((1, 5), ONE_IMAGE), ((1, 1), ONE_ANNOTATOR)])
def test_one_annotator_or_one_image_gives_no_test_and_says_why(shape, reason):
    tested = compare(of_table(effects(np.random.default_rng(1), *shape)))
    [pair] = tested.pairs
    assert tested.reason == reason
    assert pair.difference is not None
    assert (pair.p_value, pair.low, pair.high, pair.adjusted_p_value) == (None,) * 4
    assert set(tested.mean_limits) == {(None, None)}


def test_nothing_ranked_gives_no_difference():
    tested = compare(personal_losses(personal_rankings({}, {}, ["p", "q"])))
    assert tested.reason
    assert tested.pairs[0].difference is None


def test_protocols_that_never_differ_or_always_by_the_same():
    table = effects(np.random.default_rng(1), 6, 3, n_protocols=1)
    table = np.concatenate([table, table, table + 1], axis=-1)
    same, apart, _ = compare(of_table(table)).pairs
    assert (same.difference, same.p_value, same.low, same.high) == (0, 1, 0, 0)
    assert apart.difference == pytest.approx(-1)
    assert (apart.p_value, apart.low) == (None, None)


def test_annotators_who_all_say_the_same_leave_the_images_variance():
    """With nothing between annotators the test is Student's t over the images."""
    d = np.random.default_rng(3).normal(size=20)
    table = np.stack([np.repeat(d[:, np.newaxis], 4, axis=1), np.zeros((20, 4))], axis=-1)
    [pair] = compare(of_table(table)).pairs
    assert pair.p_value == pytest.approx(scipy.stats.ttest_1samp(d, 0).pvalue)


def test_losses_are_those_of_each_annotator_and_each_protocol():
    a, b, c = (("x",), ("y", "z")), (("x", "y"), ("z",)), (("z",), ("x",), ("y",))
    people = {"2.jpg": {"ann": a}, "1.jpg": {"ben": b, "ann": c}}
    protocols = {"1.jpg": {"P": a, "Q": b}, "2.jpg": {"P": c, "Q": a}, "3.jpg": {}}
    measured = personal_losses(personal_rankings(people, protocols, ["P", "Q"]))
    rows = {
        (("1.jpg", "2.jpg")[i], ("ann", "ben")[person]): tuple(row)
        for i, person, row in zip(
            measured.images, measured.annotators, measured.distances, strict=True
        )
    }
    assert rows == {
        (image, name): tuple(
            pytest.approx(100 * kemeny_distance(protocols[image][protocol], ranking) / 3)
            for protocol in ("P", "Q")
        )
        for image, of_image in people.items()
        for name, ranking in of_image.items()
    }
    assert measured.whole().tolist() == (measured.scale * measured.distances).round().tolist()


def test_protocols_that_order_all_images_alike_are_one():
    """Copies add no pair, no prior knowledge and no correction; they share cluster and letters."""
    rng = random.Random(4)
    people = {f"i{at}": {name: drawn(rng) for name in "xyz"} for at in range(20)}
    own = {image: {name: drawn(rng) for name in "abc"} for image in people}
    with_copies = {image: {**of, "a2": of["a"], "c2": of["c"]} for image, of in own.items()}
    alone = compare_protocols(personal_rankings(people, own, ["a", "b", "c"]))
    found = compare_protocols(personal_rankings(people, with_copies, ["a", "a2", "c2", "b", "c"]))
    assert found.equal == (("a", "a2"), ("c2", "c"))
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        *combinations(("a", "c2", "b"), 2)
    ]
    p_of = {
        frozenset((pair.first, pair.second)): pytest.approx(pair.adjusted_p_value)
        for pair in alone.pairs
    }
    table = dict(zip(found.protocols, found.adjusted_p_values(), strict=True))
    of_a = dict(zip(found.protocols, table["a"], strict=True))
    assert of_a == {
        "a": None,
        "a2": None,
        "b": p_of[frozenset("ab")],
        "c": p_of[frozenset("ac")],
        "c2": p_of[frozenset("ac")],
    }
    letters = told_apart(found)[1]
    assert letters["a"] == letters["a2"]
    assert letters["c"] == letters["c2"]


def test_an_interval_without_0_means_told_apart_and_the_test_finds_more():
    rng = np.random.default_rng(11)
    told = n_without_0 = 0
    for _ in range(40):
        table = effects(rng, 30, 10, n_protocols=5, taste=0.3)
        table[..., :2] -= rng.uniform(0, 2)
        for pair in compare(of_table(table)).pairs:
            is_told = pair.adjusted_p_value <= 0.05
            is_without_0 = not pair.adjusted_low <= 0 <= pair.adjusted_high
            assert is_told or not is_without_0
            assert pair.adjusted_low <= pair.low <= pair.difference
            told += is_told
            n_without_0 += is_without_0
    assert 0 < n_without_0 < told < 400


def test_the_shrunk_mean_square_is_that_of_all_pairs_where_their_spread_is_chance():
    """Balanced data by loops; the spread of the log ratios is below what chance makes of it."""
    n_images, n_annotators, k = 10, 3, 4  # five protocols would not be limited
    rng = np.random.default_rng(2)
    for _ in range(100):
        table = effects(rng, n_images, n_annotators, n_protocols=k)
        pairs = [*combinations(range(k), 2)]
        squares = [mean_squares((table[..., a] - table[..., b]).tolist()) for a, b in pairs]
        others = [max(i - r, 0) / n_annotators + r for _, i, _, r in squares]
        ratios = [a / other for (_, _, a, _), other in zip(squares, others, strict=True)]
        logs = np.log(ratios)
        # The variance of the logarithm of a mean square with two degrees of freedom is pi^2 / 6.
        if min(ratios) > 0.01 * np.mean(ratios) and logs.var(ddof=1) < math.pi**2 / 6:
            break
    found = compare(of_table(table)).pairs
    prior, own = (n_annotators - 1) * (k - 2), n_annotators - 1
    for pair, (mean, image, _, rest), other, ratio in zip(
        found, squares, others, ratios, strict=True
    ):
        shrunk = max(other * (prior * np.mean(ratios) + own * ratio) / (prior + own), rest)
        of_images = max(image - rest, 0)
        below = shrunk**2 / (prior + own)
        if of_images:
            below += image**2 / (n_images - 1) + rest**2 / ((n_images - 1) * (n_annotators - 1))
        degrees = min((shrunk + of_images) ** 2 / below, prior + own)
        assert pair.degrees_of_freedom == pytest.approx(degrees)
        t = mean / math.sqrt((shrunk + of_images) / (n_images * n_annotators))
        assert pair.p_value == pytest.approx(2 * scipy.stats.t(degrees).sf(abs(t)))
        assert pair.adjusted_p_value == pytest.approx(min(6 * pair.p_value, 1))


def test_a_spread_beyond_chance_gives_the_prior_it_was_drawn_from():
    """Ratios of 4,000 pairs: 2 x chi2(4) / 4 with a variance that is 6 / chi2(6)."""
    rng = np.random.default_rng(3)
    ratios = 2 * rng.chisquare(4, 4000) / 4 * 6 / rng.chisquare(6, 4000)
    found = prior_of(ratios, np.ones(4000), 4, 100)
    assert found.degrees == pytest.approx(6, rel=0.15)
    assert found.ratio == pytest.approx([2] * 4000, rel=0.05)


@cases("slope", [0.0, -0.5, -1.0])
def test_the_shared_ratio_follows_the_other_components(slope):
    """Ratios of 4,000 pairs: 2 x others^slope x chi2(4) / 4, of which the last varies by chance only."""
    rng = np.random.default_rng(4)
    others = rng.choice([0.5, 1, 2, 4], 4000)
    ratios = 2 * others**slope * rng.chisquare(4, 4000) / 4
    found = prior_of(ratios, others, 4, 100)
    assert found.ratio == pytest.approx(2 * others**slope, rel=0.05)
    # A pair without other components does not count.
    again = prior_of(np.append(ratios, -1), np.append(others, 0), 4, 100)
    assert again.ratio[:-1] == pytest.approx(found.ratio)
    # Of few protocols, and where ratios rise with the others, one ratio is shared.
    for few in (prior_of(ratios, others, 4, 4), prior_of(ratios, 1 / others, 4, 100)):
        if slope:
            assert np.ptp(few.ratio) == 0


@cases("value", [0.001, 0.5, 3.0, 1000.0])
def test_the_inverse_of_trigamma_is_its_inverse(value):
    assert scipy.special.polygamma(1, trigamma_inverse(value)) == pytest.approx(value, rel=1e-8)


def test_seven_protocols_find_more_than_pairs_that_know_nothing_of_each_other():
    """40 studies of three annotators: the six true differences are tested with Holm's rule otherwise."""
    rng = np.random.default_rng(12)
    together, alone = 0, 0
    for _ in range(40):
        table = effects(rng, 60, 3, n_protocols=7, taste=0.5)
        table[..., 0] -= 2.5
        of_first = compare(of_table(table)).pairs[:6]
        together += sum(pair.adjusted_p_value <= 0.05 for pair in of_first)
        for at in range(1, 7):
            [pair] = compare(of_table(table[..., [0, at]])).pairs
            alone += pair.p_value <= 0.05 / 21
    assert together > 2 * alone


def test_a_person_with_nearly_all_the_work_and_protocols_that_are_equal_give_finite_numbers():
    rng = np.random.default_rng(13)
    table = effects(rng, 100, 4, n_protocols=4)
    table[..., 3] = table[..., 2]
    kept = np.zeros((100, 4), dtype=bool)
    kept[:, 0] = True
    kept[:2, 1:] = True
    measured = of_table(table)
    few = PersonalDistances(
        measured.protocols,
        measured.images[kept.ravel()],
        measured.annotators[kept.ravel()],
        measured.distances[kept.ravel()],
    )
    *others, equal = compare(few).pairs
    assert (equal.difference, equal.adjusted_p_value, equal.adjusted_low) == (0, 1, 0)
    for pair in others:
        assert 0 < pair.p_value <= pair.adjusted_p_value <= 1
        assert math.isfinite(pair.adjusted_low)
        assert math.isfinite(pair.adjusted_high)


@cases("wrong", [math.nan, math.inf])
def test_a_distance_that_is_not_finite_is_refused(wrong):
    table = np.zeros((3, 2, 2))
    table[1, 1, 1] = wrong
    with pytest.raises(RankingError, match="finite"):
        compare(of_table(table))


def test_the_limits_of_a_mean_come_from_its_own_mean_squares():
    n_images, n_annotators = 12, 4
    table = effects(np.random.default_rng(1), n_images, n_annotators, taste=2.0) + 20
    tested = compare(of_table(table))
    for at in range(2):
        mean, image, annotator, rest = mean_squares(table[..., at].tolist())
        assert image > rest
        variance = (annotator + image - rest) / (n_images * n_annotators)
        free = (annotator + image - rest) ** 2 / (
            annotator**2 / (n_annotators - 1)
            + image**2 / (n_images - 1)
            + rest**2 / ((n_annotators - 1) * (n_images - 1))
        )
        free = 2 / (1 / free + 1 / (n_annotators - 1))
        expected = scipy.stats.t(free, loc=mean, scale=math.sqrt(variance)).ppf([0.025, 0.975])
        assert tested.mean_limits[at] == pytest.approx(tuple(expected))


def test_the_limits_of_a_mean_of_100_pairs_are_within_0_and_100():
    table = effects(np.random.default_rng(1), 12, 3, taste=5.0)
    ends = np.stack(
        [table[..., 0] - table[..., 0].min(), table[..., 1] - table[..., 1].max() + 100]
    )
    tested = compare(of_table(np.moveaxis(ends, 0, -1)))
    assert (tested.mean_limits[0][0], tested.mean_limits[1][1]) == (0, 100)


@pytest.mark.release
@cases("taste", [0.3, 2.0])
@cases("n_annotators", [4, 10])
def test_the_limits_of_a_mean_contain_it_and_the_mean_of_such_studies(taste, n_annotators):
    """400 studies of the true mean 20: 95 % is 380, and 364 to 394 are within 3.7 deviations."""
    rng = np.random.default_rng(9)
    contained = 0
    for _ in range(400):
        tested = compare(of_table(effects(rng, 40, n_annotators, taste=taste) + 20))
        for mean, (low, high) in zip(tested.means, tested.mean_limits, strict=True):
            assert low <= mean <= high
        contained += tested.mean_limits[0][0] <= 20 <= tested.mean_limits[0][1]
    assert 364 <= contained <= 394
