"""The consensus ranking of an image, by any of the methods."""

from collections.abc import Sequence
from typing import Final, Literal, get_args

from .davidson import davidson
from .errors import RankingError
from .kemeny import kemeny
from .mean_rank import mean_rank
from .orders import Ranking

ConsensusMethod = Literal["mean-rank", "kemeny", "davidson"]
CONSENSUS_METHODS: Final[tuple[str, ...]] = get_args(ConsensusMethod)


def consensus_of(rankings: Sequence[Ranking], method: ConsensusMethod = "mean-rank") -> Ranking:
    """Return the consensus of several annotators; the methods of a bucket are sorted by name.

    Parameters
    ----------
    rankings : sequence of rankings
        They may be of different methods; the consensus ranks all that occur.
    method : "mean-rank", "kemeny" or "davidson"
        :func:`.mean_rank.mean_rank`; :func:`.kemeny.kemeny`, whose own result says whether it is
        proven; :func:`.davidson.davidson`, whose own result has strengths and errors. For
        rankings of the same methods, davidson gives the ranking that mean-rank gives.

    Raises
    ------
    RankingError
        If there is no ranking, one of them is not a ranking, or there is no such method.
    NotConverged
        If Davidson's model does not converge.
    """
    if method == "mean-rank":
        return mean_rank(rankings)
    if method == "kemeny":
        return kemeny(rankings).ranking
    if method == "davidson":
        return davidson(rankings).ranking
    raise RankingError(f"consensus must be one of {', '.join(CONSENSUS_METHODS)}, got {method!r}")
