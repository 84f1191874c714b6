"""The consensus of several annotators by mean rank ([DPTF18]_, III.A)."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

from .errors import RankingError
from .orders import Ranking, checked, doubled_ranks, from_values


def mean_rank(rankings: Sequence[Ranking]) -> Ranking:
    """Order the methods by the mean of their ranks; equal means are tied.

    A bucket shares the mean of its positions. Means are compared exactly, as fractions. A method
    that some annotators did not rank counts with the mean over those who did.

    Raises
    ------
    RankingError
        If there is no ranking, or one of them is not a ranking.
    """
    if not rankings:
        raise RankingError("a consensus needs at least one ranking")
    ranks: defaultdict[str, list[int]] = defaultdict(list)
    for ranking in rankings:
        for method, rank in doubled_ranks(checked(ranking)).items():
            ranks[method].append(rank)
    means = [(method, Fraction(sum(of), len(of))) for method, of in ranks.items()]
    return from_values(means, descending=False)
