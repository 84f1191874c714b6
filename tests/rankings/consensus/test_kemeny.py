"""The Kemeny consensus, against exhaustive search and against a sum over subsets."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.consensus.cheapest_order import cheapest
from rankings.consensus.kemeny import kemeny, kemeny_places, searched
from rankings.errors import RankingError
from rankings.orders.buckets import bucket_of, methods_of, to_text
from rankings.orders.distances import kemeny_distance
from rankings.orders.edit_distance import places_of
from rankings.orders.pairwise import pair_counts
from tests.support.cases import cases
from tests.support.plain_orders import plain_order, signs_of
from tests.support.rankings import by_text, n_samples, rankings_of, restricted, weak_orders

CYCLE = ["a>b>c", "b>c>a", "c>a>b"]


def total_distance(ranking, rankings):
    return sum(kemeny_distance(restricted(ranking, methods_of(r)), r) for r in rankings)


def pair_costs(rankings):
    """(first, second) -> their sign in a consensus (1: the first is before) -> cost.

    1 for each ranking with the opposite sign, 0.5 for each in which exactly one side is a tie.
    """
    costs = {}
    methods = sorted(frozenset.union(*map(methods_of, rankings)))
    for pair in itertools.combinations(methods, 2):
        costs[pair] = {-1: 0.0, 0: 0.0, 1: 0.0}
        for own in (signs[pair] for signs in map(signs_of, rankings) if pair in signs):
            for sign in (-1, 0, 1):
                costs[pair][sign] += abs(own - sign) / 2
    return costs


def by_the_rule(rankings):
    """The least weak order by the rule: distance, then most tied pairs, then places by name."""
    methods = sorted(frozenset.union(*map(methods_of, rankings)))
    costs = pair_costs(rankings)

    def key(ranking):
        place, before = {}, 0
        for bucket in ranking:
            place |= dict.fromkeys(bucket, before)
            before += len(bucket)
        n_tied = sum(len(bucket) * (len(bucket) - 1) // 2 for bucket in ranking)
        distance = sum(costs[pair][sign] for pair, sign in signs_of(ranking).items())
        return distance, -n_tied, [place[m] for m in methods]

    return min(weak_orders(methods), key=key)


def random_ranking(methods, rng):
    return plain_order({method: rng.randrange(len(methods)) for method in methods})


def least_distance_by_subsets(rankings):
    """The least distance, by the best last bucket of every subset of the methods."""
    methods = sorted(methods_of(rankings[0]))
    costs = pair_costs(rankings)
    strict = {pair: of[1] for pair, of in costs.items()}
    strict |= {(second, first): of[-1] for (first, second), of in costs.items()}
    tied = {pair: of[0] for pair, of in costs.items()}
    least = {frozenset(): 0.0}
    for size in range(1, len(methods) + 1):
        for subset in itertools.combinations(methods, size):
            candidates = []
            for n_last in range(1, size + 1):
                for last in itertools.combinations(subset, n_last):
                    rest = frozenset(subset) - frozenset(last)
                    inside = sum(tied[pair] for pair in itertools.combinations(last, 2))
                    across = sum(strict[m, low] for m in rest for low in last)
                    candidates.append(least[rest] + inside + across)
            least[frozenset(subset)] = min(candidates)
    return least[frozenset(methods)]


@cases(("n", "usual", "thorough"), [(2, 12, 40), (3, 12, 40), (4, 12, 40), (5, 5, 12)])
def test_it_is_the_weak_order_that_exhaustive_search_and_the_rule_choose(n, usual, thorough):
    rng = random.Random(n)
    for _ in range(n_samples(usual, thorough)):
        rankings = [random_ranking("abcde"[:n], rng) for _ in range(rng.randint(1, 5))]
        solved = kemeny(rankings)
        assert solved.ranking == by_the_rule(rankings), rankings
        assert solved.distance == solved.bound == total_distance(solved.ranking, rankings)
        assert solved.is_proven


def test_rankings_that_lack_methods_say_nothing_of_their_pairs():
    rng = random.Random(6)
    for _ in range(n_samples(usual=10, thorough=25)):
        rankings = [
            random_ranking(rng.sample("abcd", rng.randint(1, 4)), rng)
            for _ in range(rng.randint(1, 5))
        ]
        solved = kemeny(rankings)
        assert solved.ranking == by_the_rule(rankings), rankings
        assert solved.distance == total_distance(solved.ranking, rankings)


def test_groups_on_which_all_agree_are_solved_apart():
    upper, lower = CYCLE, ["x>y>z", "y>z>x", "z>x>y"]
    rankings = [by_text(f"{u}>{low}") for u, low in zip(upper, lower, strict=True)]
    solved = kemeny(rankings)
    assert (to_text(solved.ranking), solved.distance) == ("a > b > c > x > y > z", 8.0)


@given(st.lists(rankings_of("abcdef"), min_size=1, max_size=5), st.randoms())
def test_nothing_depends_on_the_order_of_rankings_or_within_buckets(rankings, rng):
    shuffled = [tuple(tuple(rng.sample(b, len(b))) for b in ranking) for ranking in rankings]
    rng.shuffle(shuffled)
    assert kemeny(shuffled) == kemeny(rankings)


@given(st.lists(rankings_of("abcdef"), min_size=1, max_size=5))
def test_turning_every_ranking_round_keeps_the_distance(rankings):
    solved = kemeny(rankings)
    turned = kemeny([ranking[::-1] for ranking in rankings])
    assert turned.distance == solved.distance == total_distance(solved.ranking, rankings)
    assert all(solved.distance <= total_distance(ranking, rankings) for ranking in rankings)


def circle(n):
    """A ranking for each start of a circle of n methods: no order satisfies all, and none is solved
    separately.
    """
    methods = [f"m{at:02}" for at in range(n)]
    return [tuple((method,) for method in methods[at:] + methods[:at]) for at in range(0, n, 5)]


def test_fifteen_methods_at_odds_need_no_search():
    rankings = circle(15)
    solved = kemeny(rankings, max_nodes=0)
    assert solved.is_proven
    assert solved == kemeny(rankings)
    assert solved.bound == solved.distance == total_distance(solved.ranking, rankings)


@cases("methods", ["abcdefgh", "abcdefghijklmn"])
def test_a_search_of_few_subsets_chooses_as_one_of_all_subsets_does(methods):
    rng = random.Random(13)
    is_small = len(methods) < 10
    for _ in range(n_samples(usual=3, thorough=20) if is_small else 1):
        rankings = [random_ranking(methods, rng) for _ in range(rng.randint(2, 5))]
        counts = pair_counts(rankings)
        strict, tied = 2 * counts.before.T + counts.tied, counts.before + counts.before.T
        ending = searched(strict, tied, max_nodes=50_000)
        assert ending.is_proven
        assert ending.bound == ending.cost
        assert not is_small or ending.cost == 2 * least_distance_by_subsets(rankings)
        [no_lower] = cheapest(strict[np.newaxis], tied[np.newaxis])
        assert (ending.no_lower == no_lower).all()


def test_twenty_methods_at_odds_are_proven_and_turned_round_keep_the_distance():
    rng = random.Random(20)
    rankings = [random_ranking([f"m{at:02}" for at in range(20)], rng) for _ in range(3)]
    solved, turned = kemeny(rankings), kemeny([ranking[::-1] for ranking in rankings])
    assert (solved.is_proven, turned.is_proven) == (True, True)
    assert turned.distance == solved.distance == total_distance(solved.ranking, rankings)


@cases(("n", "options"), [(20, {"max_nodes": 0}), (40, {})])
def test_a_search_cut_short_leaves_a_ranking_and_a_bound_around_the_optimum(n, options):
    rng = random.Random(n)
    rankings = [random_ranking([f"m{at:02}" for at in range(n)], rng) for _ in range(5)]
    cut = kemeny(rankings, **options)
    assert not cut.is_proven
    assert cut.bound <= cut.distance == total_distance(cut.ranking, rankings)
    assert methods_of(cut.ranking) == methods_of(rankings[0])
    # It is worked on: no nearer than it are the rankings themselves, or all tied.
    all_tied = (tuple(sorted(methods_of(rankings[0]))),)
    assert all(cut.distance <= total_distance(r, rankings) for r in [*rankings, all_tied])


def test_many_images_at_once_have_the_consensus_of_each():
    rng = random.Random(11)
    methods = [f"m{at}" for at in range(7)]
    images = [[random_ranking(methods, rng) for _ in range(4)] for _ in range(n_samples(30, 300))]
    goals, is_proven = kemeny_places(np.stack([places_of(rankings) for rankings in images]))
    assert is_proven.all()
    for rankings, goal in zip(images, goals, strict=True):
        place = bucket_of(kemeny(rankings).ranking)
        assert [place[method] for method in methods] == goal.tolist()


def test_what_is_not_proven_is_said_of_each_image():
    rng = random.Random(12)
    methods = [f"m{at:02}" for at in range(40)]
    agreed = [random_ranking(methods, rng)] * 3
    at_odds = [random_ranking(methods, rng) for _ in range(3)]
    _, is_proven = kemeny_places(np.stack([places_of(agreed), places_of(at_odds)]))
    assert is_proven.tolist() == [True, False]


@cases(
    ("rankings", "options", "named"),
    [
        ([], {}, "at least one ranking"),
        ([[["a"], ["a"]]], {}, "ranked twice: a"),
        ([[["a"]]], {"max_nodes": -1}, "max_nodes must be 0 or more, got -1"),
    ],
)
def test_what_cannot_be_used_is_refused(rankings, options, named):
    with pytest.raises(RankingError, match=named):
        kemeny(rankings, **options)
