"""The consensus of several annotators by mean rank ([DPTF18]_, III.A)."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..errors import RankingError
from ..orders.buckets import (
    Ranking,
    checked,
    doubled_ranks,
    from_values,
    require_same_methods,
)
from ..orders.packed import Places, dense_places, doubled_ranks_of


def mean_rank(rankings: Sequence[Ranking]) -> Ranking:
    """Order the methods by the mean of their ranks; equal means are tied.

    The methods of a bucket share the mean of its positions. Sums of ranks are compared exactly.

    Raises
    ------
    RankingError
        If there is no ranking, one of them is not a ranking, or they rank different methods.

    Examples
    --------
    >>> mean_rank([(("a",), ("b",), ("c",)), (("b",), ("a",), ("c",))])
    (('a', 'b'), ('c',))
    """
    if not rankings:
        raise RankingError("a consensus needs at least one ranking")
    own = [checked(ranking) for ranking in rankings]
    require_same_methods(*own)
    sums: Counter[str] = Counter()
    for ranking in own:
        sums.update(doubled_ranks(ranking))
    return from_values([*sums.items()], descending=False)


def mean_rank_places(places: Places) -> Places:
    """Return the bucket numbers of :func:`mean_rank` for g images at once, of shape (g, n).

    ``places`` of shape (g, k, n) are bucket numbers of n methods in the k rankings of each image.
    """
    # All annotators ranked every method, so means have the order of sums. Ranks are
    # (images, rankings, methods), and the sum is over the rankings.
    return dense_places(doubled_ranks_of(places).sum(axis=1, dtype=np.int32))
