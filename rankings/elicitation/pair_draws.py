"""Random draws of an image's methods to ask about, with the probability of every pair.

A pair of methods is drawn by its chance, and k - 2 of the other methods, all equally likely, join
it. In a share of the draws, :data:`FLOOR`, all pairs are equally likely; the others follow weights,
such as the disagreement of protocols. So no pair has a probability of 0, and every sum over pairs
can be estimated without bias from the pairs asked ([HT52]_).
"""

import math
import random
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, combinations

from ..errors import RankingError
from ..orders.buckets import Ranking, bucket_of, require_same_methods

# The share of draws in which every pair is equally likely, whatever the weights.
FLOOR = 0.1

Pair = frozenset[str]
Weights = Mapping[Pair, float]


def draw_methods(
    rng: random.Random, methods: Collection[str], *, k: int, weights: Weights | None = None
) -> tuple[tuple[str, ...], dict[Pair, float]]:
    """Draw k methods of an image, in random order, and the probability of drawing any two of them.

    Equal states of ``rng`` draw the same methods, whatever their order. There are at least two, all
    different; methods with equal results are named once. A pair without a weight weighs 0; without
    weights above 0, all pairs weigh the same. Probabilities are above 0, for every two of the drawn
    methods. Raises RankingError if k does not fit the methods, a method is named twice, or a weight
    is negative or not finite; the message names the fault.
    """
    chances = _chances(methods, k, weights)
    if k == len(methods):
        drawn = sorted(methods)
    else:
        [pair] = rng.choices(list(chances), cum_weights=list(accumulate(chances.values())))
        drawn = sorted(pair) + rng.sample(sorted({*methods} - pair), k - 2)
    rng.shuffle(drawn)
    sums = _Sums(chances, len(methods), k)
    asked = map(frozenset, combinations(drawn, 2))
    return tuple(drawn), {pair: sums.probability(pair) for pair in asked}


def inclusion_probabilities(
    methods: Collection[str], *, k: int, weights: Weights | None = None
) -> dict[Pair, float]:
    """Return for every pair of methods the probability that :func:`draw_methods` draws both.

    In (0, 1]; the sum of all is k (k - 1) / 2. Raises RankingError as :func:`draw_methods` does.
    """
    chances = _chances(methods, k, weights)
    sums = _Sums(chances, len(methods), k)
    return {pair: sums.probability(pair) for pair in chances}


def disagreement(rankings: Sequence[Ranking]) -> dict[Pair, float]:
    """Return for every pair of methods the share of pairs of rankings that order it differently.

    Rankings are those of the protocols on one image. "a before b", "b before a" and "tied" all
    differ. Shares are in [0, 1], all 0 for a single ranking. Raises RankingError if the rankings
    are of different methods; the message names them.
    """
    require_same_methods(*rankings)
    if not rankings:
        return {}
    places = [bucket_of(ranking) for ranking in rankings]
    n_pairs = max(1, math.comb(len(rankings), 2))
    shares = {}
    for a, b in combinations(sorted(places[0]), 2):
        before = sum(place[a] < place[b] for place in places)
        after = sum(place[a] > place[b] for place in places)
        tied = len(places) - before - after
        shares[frozenset((a, b))] = (before * after + before * tied + after * tied) / n_pairs
    return shares


def of_members(
    probabilities: Mapping[Pair, float], members: Mapping[str, Collection[str]], *, k: int
) -> dict[Pair, float]:
    """Return the probabilities of pairs of methods from those of pairs of different results.

    Of an image's results ``k`` were drawn (:func:`inclusion_probabilities`); ``members`` are the
    methods with each result. Two methods with the same result are drawn as often as it is.
    """
    # A drawn result is part of k - 1 drawn pairs.
    alone = dict.fromkeys(members, 0.0)
    for pair, probability in probabilities.items():
        for result in pair:
            alone[result] += probability / (k - 1)
    result_of = {method: result for result, of_result in members.items() for method in of_result}
    return {
        frozenset((a, b)): alone[result_of[a]]
        if result_of[a] == result_of[b]
        else probabilities[frozenset((result_of[a], result_of[b]))]
        for a, b in combinations(sorted(result_of), 2)
    }


def _chances(methods: Collection[str], k: int, weights: Weights | None) -> dict[Pair, float]:
    """Return each pair's chance to be the one that a draw starts from; the chances sum to 1."""
    names = sorted(methods)
    if len({*names}) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise RankingError(f"drawn from twice: {', '.join(twice)}")
    if not 2 <= k <= len(names):
        raise RankingError(f"k must be from 2 to the {len(names)} methods, got {k}")
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    of_pairs = [0.0 if weights is None else weights.get(pair, 0.0) for pair in pairs]
    for pair, weight in zip(pairs, of_pairs, strict=True):
        if not (math.isfinite(weight) and weight >= 0):
            raise RankingError(f"the weight of {' and '.join(sorted(pair))} is {weight}")
    total = math.fsum(of_pairs)
    if not total:
        return dict.fromkeys(pairs, 1 / len(pairs))
    return {
        pair: (1 - FLOOR) * weight / total + FLOOR / len(pairs)
        for pair, weight in zip(pairs, of_pairs, strict=True)
    }


class _Sums:
    """Sums of chances from which the probability of a pair follows.

    The probability that a draw from a pair p contains a pair q is 1 if q is p; (k - 2) / (n - 2) if
    they share a method; and (k - 2)(k - 3) / ((n - 2)(n - 3)) otherwise.
    """

    def __init__(self, chances: Mapping[Pair, float], n: int, k: int) -> None:
        self._chances = chances
        self._of_method: dict[str, float] = {}
        for pair, chance in chances.items():
            for method in pair:
                self._of_method[method] = self._of_method.get(method, 0.0) + chance
        self._if_sharing = (k - 2) / (n - 2) if n > 2 else 0.0
        self._if_apart = self._if_sharing * (k - 3) / (n - 3) if n > 3 else 0.0

    def probability(self, pair: Pair) -> float:
        own = self._chances[pair]
        sharing = sum(self._of_method[method] for method in pair) - 2 * own
        apart = 1 - own - sharing
        return own + self._if_sharing * sharing + self._if_apart * apart
