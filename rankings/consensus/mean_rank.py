"""The consensus of several annotators by mean rank ([DPTF18]_, III.A)."""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from ..errors import RankingError
from ..orders.buckets import Ranking, checked, doubled_ranks, from_values
from ..orders.packed import Places, dense_places, doubled_ranks_of


def mean_rank(rankings: Sequence[Ranking]) -> Ranking:
    """Order the methods by the mean of their ranks; equal means are tied.

    The methods of a bucket share the mean of its positions. Means are compared exactly, over a
    common denominator. If some annotators did not rank a method, its mean is over those who did.

    Raises
    ------
    RankingError
        If there is no ranking, or one of them is not a ranking.

    Examples
    --------
    >>> mean_rank([(("a",), ("b",), ("c",)), (("b",), ("a",), ("c",))])
    (('a', 'b'), ('c',))
    """
    if not rankings:
        raise RankingError("a consensus needs at least one ranking")
    ranks: defaultdict[str, list[int]] = defaultdict(list)
    for ranking in rankings:
        for method, rank in doubled_ranks(checked(ranking)).items():
            ranks[method].append(rank)
    common = math.lcm(*map(len, ranks.values()))
    means = [
        (method, sum(of_method) * (common // len(of_method))) for method, of_method in ranks.items()
    ]
    return from_values(means, descending=False)


def mean_rank_places(places: Places) -> Places:
    """Return the bucket numbers of :func:`mean_rank` for g images at once, of shape (g, n).

    ``places`` of shape (g, k, n) are bucket numbers of n methods in the k rankings of each image.
    """
    # All annotators ranked every method, so means have the order of sums. Ranks are
    # (images, rankings, methods), and the sum is over the rankings.
    return dense_places(doubled_ranks_of(places).sum(axis=1, dtype=np.int32))
