"""Several tests at once, clusters and letters, Friedman and Nemenyi."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from rankings.errors import RankingError
from rankings.inference.significance import (
    bonferroni,
    clusters,
    compact_letters,
    critical_difference,
    friedman_test,
    holm,
    shaffer,
)
from rankings.inference.studentized_range import quantile
from tests.support.cases import cases


def p_table(n, told_apart):
    """All p are 1 but those of the pairs given."""
    table = [[None if a == b else 1.0 for b in range(n)] for a in range(n)]
    for (a, b), p in told_apart.items():
        table[a][b] = table[b][a] = p
    return table


@cases(
    ("told_apart", "expected"),
    [
        ({}, (1, 1, 1, 1)),
        # 2 differs from the first of its cluster.
        ({(0, 2): 0.05}, (1, 1, 2, 2)),
        ({(0, 2): 0.051}, (1, 1, 1, 1)),
        # 2 differs from the second of its cluster only, which is enough.
        ({(1, 2): 0.01}, (1, 1, 2, 2)),
        # 3 differs from 0 of the cluster above, which no longer matters, not from 2.
        ({(0, 2): 0.01, (0, 3): 0.01}, (1, 1, 2, 2)),
        ({(0, 1): 0.01, (1, 2): 0.01, (2, 3): 0.01}, (1, 2, 3, 4)),
    ],
)
def test_a_cluster_starts_where_any_of_the_current_one_is_told_apart(told_apart, expected):
    assert clusters([1.0, 2.0, 3.0, 4.0], p_table(4, told_apart)) == expected


def test_clusters_are_given_in_the_order_of_the_protocols():
    assert clusters([3.0, 1.0, None], p_table(3, {(0, 1): 0.01})) == (2, 1, None)
    assert clusters([], []) == ()
    assert clusters([None], [[None]]) == (None,)
    with pytest.raises(RankingError, match="2 x 2"):
        clusters([1.0, 2.0], [[None]])


def test_friedman_follows_its_formula():
    """Ranks 1 2 3, 1 2 3, 2 1 3: sums 4, 5, 9; 12 / (3 x 3 x 4) x 122 - 3 x 3 x 4 = 14 / 3."""
    table = np.array([[0.0, 1, 2], [0, 5, 9], [1, 0, 2]])
    tested = friedman_test(table, "xyz")
    assert tested.statistic == pytest.approx(14 / 3)
    # Two degrees of freedom: p = exp(-chi2 / 2).
    assert tested.p_value == pytest.approx(math.exp(-7 / 3))


@cases("shape", [(30, 3), (200, 13)])
def test_friedman_of_many_tied_distances_is_that_of_scipy(shape):
    table = np.random.default_rng(len("ties")).integers(0, 6, size=shape) / 2
    expected = scipy.stats.friedmanchisquare(*table.T)
    tested = friedman_test(table, [f"p{at}" for at in range(shape[1])])
    assert tested.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert tested.p_value == pytest.approx(expected.pvalue, rel=1e-12)


@cases("shape", [(0, 3), (1, 3), (9, 2), (9, 1), (9, 0), (9, 3)])
def test_friedman_is_undefined_without_enough_or_when_all_are_alike(shape):
    tested = friedman_test(np.ones(shape), "xyz"[: shape[1]])
    assert (tested.statistic, tested.p_value) == (None, None)


def test_holm_multiplies_from_the_smallest_on():
    """Sorted 0.01 x 3, 0.03 x 2, 0.04 x 1, which may not fall below 0.06."""
    corrected = holm([0.01, 0.04, None, 0.03])
    assert corrected == pytest.approx((0.03, 0.06, None, 0.06))
    assert holm([0.7, 0.6]) == (1, 1)
    assert holm([None]) == (None,)
    assert holm([]) == ()


@cases(
    ("n_protocols", "quantile"),
    [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (10, 3.164)],
)
def test_the_critical_difference_has_the_published_quantiles(n_protocols, quantile):
    """Demsar 2006, table 5a."""
    compared = critical_difference(np.ones((6, n_protocols)), "abcdefghij"[:n_protocols])
    expected = quantile * math.sqrt(n_protocols * (n_protocols + 1) / 36)
    assert compared.critical_difference == pytest.approx(expected, rel=4e-4)


@cases(("level", "n"), [(0.95, 2), (0.95, 17), (0.95, 60), (0.95, 61), (0.9, 5)])
def test_quantiles_are_those_of_scipy(level, n):
    expected = scipy.stats.studentized_range.ppf(level, n, math.inf)
    assert quantile(level, n) == pytest.approx(expected, rel=1e-9)


def test_fourteen_images_and_four_protocols_have_the_published_difference():
    """Demsar's example, 3.2.2: CD = 1.25 at 0.05."""
    compared = critical_difference(np.ones((14, 4)), "abcd")
    assert round(compared.critical_difference, 2) == 1.25


def test_average_ranks_share_places_and_the_best_comes_first():
    """Ranks 3 1.5 1.5 and 2.5 2.5 1."""
    compared = critical_difference(np.array([[9.0, 1, 1], [4, 4, 0]]), "xyz")
    assert compared.average_ranks == (("z", 1.25), ("y", 2.0), ("x", 2.75))
    ranks = scipy.stats.rankdata([[9, 1, 1], [4, 4, 0]], axis=1).mean(axis=0)
    assert dict(compared.average_ranks) == dict(zip("xyz", ranks, strict=True))
    assert compared.groups == (("z", "y", "x"),)


def test_groups_are_the_longest_runs_not_told_apart():
    """12 images: CD = 2.343 sqrt(12 / 72) = 0.957. a is first in 8 and b in 4; c always last."""
    table = np.array([[0.0, 1, 2]] * 8 + [[1.0, 0, 2]] * 4)
    compared = critical_difference(table, "abc")
    assert dict(compared.average_ranks) == {"a": 16 / 12, "b": 20 / 12, "c": 3}
    assert compared.groups == (("a", "b"),)
    # 24 images: CD 0.677; ranks 1.5, 2, 2.5: neighbours do not differ, the ends do.
    table = np.array([[0.0, 1, 2]] * 12 + [[0.0, 2, 1]] * 4 + [[2.0, 0, 1]] * 4 + [[2, 1, 0]] * 4)
    compared = critical_difference(table, "abc")
    ranks = dict(compared.average_ranks)
    assert (ranks["a"], ranks["b"], ranks["c"]) == (40 / 24, 48 / 24, 56 / 24)
    assert compared.groups == (("a", "b", "c"),)
    compared = critical_difference(np.tile(table, (2, 1)), "abc")
    assert compared.groups == (("a", "b"), ("b", "c"))


def test_critical_difference_edges():
    none = critical_difference(np.empty((0, 2)), "xy")
    assert (none.average_ranks, none.critical_difference, none.groups) == (
        (("x", None), ("y", None)),
        None,
        (),
    )
    alone = critical_difference(np.ones((3, 1)), "x")
    assert (alone.average_ranks, alone.critical_difference) == ((("x", 1.0),), None)
    assert critical_difference(np.empty((3, 0)), "").average_ranks == ()
    alike = critical_difference(np.ones((500, 2)), "xy")
    assert alike.groups == (("x", "y"),)


@cases(
    ("told_apart", "letters"),
    [
        ((), ("a", "a", "a", "a")),
        # Only the ends differ: the middle shares a letter with both.
        (((0, 3),), ("a", "ab", "ab", "b")),
        (((0, 1), (0, 2), (0, 3)), ("a", "b", "b", "b")),
        (((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)), ("a", "b", "c", "d")),
        # Not in order: the first differs from the second, the third from the last.
        (((0, 1), (2, 3)), ("ab", "cd", "ac", "bd")),
    ],
)
def test_letters_by_hand(told_apart, letters):
    assert compact_letters(range(4), p_table(4, dict.fromkeys(told_apart, 0.01))) == letters


def test_letters_go_by_the_order_and_not_by_the_place():
    assert compact_letters([2, 1, 0], p_table(3, {(0, 1): 0.01, (0, 2): 0.01})) == ("b", "a", "a")


def test_two_share_a_letter_just_where_they_are_not_told_apart():
    rng = np.random.default_rng(6)
    for _ in range(50):
        pairs = [pair for pair in itertools.combinations(range(6), 2) if rng.random() < 0.4]
        letters = compact_letters(range(6), p_table(6, dict.fromkeys(pairs, 0.01)))
        for a, b in itertools.combinations(range(6), 2):
            assert bool(set(letters[a]) & set(letters[b])) == ((a, b) not in pairs)


def test_letters_that_do_not_suffice_are_none():
    """Twelve couples, each different from each other: a group takes one of each, 2^12 groups."""
    couples = {(at, at + 1): 0.01 for at in range(0, 24, 2)}
    assert compact_letters(range(24), p_table(24, couples)) is None
    assert compact_letters([], ()) == ()


@pytest.mark.parametrize(
    ("n_protocols", "factors"),
    [
        (2, [1]),
        (3, [3, 1, 1]),
        # Shaffer (1986), section 3: four means have 6, 3, 2, 1 or 0 equal pairs.
        (4, [6, 3, 3, 3, 2, 1]),
        # Five: 10, 6, 4, 3, 2, 1 or 0.
        (5, [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]),
    ],
)
def test_shaffer_multiplies_by_the_most_pairs_that_can_still_be_equal(n_protocols, factors):
    p_values = [(at + 1) * 1e-6 * 3**at for at in range(len(factors))]
    expected = [p * factor for p, factor in zip(p_values, factors, strict=True)]
    for at in range(1, len(expected)):
        expected[at] = max(expected[at - 1], expected[at])
    assert shaffer(p_values, n_protocols) == pytest.approx(expected)
    assert shaffer(p_values[::-1], n_protocols) == pytest.approx(expected[::-1])


def test_shaffer_by_all_ways_to_group_equal_protocols():
    """The factor at each step is the most equal pairs of a grouping that fits what is left."""

    def groupings(names):
        if not names:
            yield []
            return
        first, *rest = names
        for grouping in groupings(rest):
            yield [[first], *grouping]
            for at, group in enumerate(grouping):
                yield [*grouping[:at], [first, *group], *grouping[at + 1 :]]

    counts = {sum(len(g) * (len(g) - 1) // 2 for g in found) for found in groupings(range(6))}
    factors = [max(n for n in counts if n <= left) for left in range(15, 0, -1)]
    p_values = [1e-9 * 4**at for at in range(15)]
    assert shaffer(p_values, 6) == pytest.approx(
        [p * factor for p, factor in zip(p_values, factors, strict=True)]
    )


def test_bonferroni_multiplies_by_the_number_of_tests():
    assert bonferroni([0.01, 0.5, None]) == (0.03, 1.0, None)
    assert bonferroni([]) == ()


def test_shaffer_with_unknown_pairs_and_bad_input():
    assert shaffer([None, 0.01, 0.5], 3) == (None, pytest.approx(0.03), 0.5)
    assert shaffer([0.9, 0.8, 0.7], 3) == (1.0, 1.0, 1.0)
    assert shaffer([], 1) == shaffer([], 0) == ()
    with pytest.raises(RankingError, match="all pairs of 3 protocols, got 2"):
        shaffer([0.1, 0.2], 3)
