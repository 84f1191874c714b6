"""The consensus ranking of an image, by any of the methods."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.buckets import Ranking, bucket_of, checked
from ..orders.packed import Places
from .kemeny import kemeny_places, kemeny_ranking
from .mean_rank import mean_rank, mean_rank_places

ConsensusMethod = Literal["mean-rank", "kemeny"]
# Takes the rankings of an image, at least one.
Consensus = Callable[[Sequence[Ranking]], Ranking]
CONSENSUS_METHODS: Final[tuple[ConsensusMethod, ...]] = get_args(ConsensusMethod)
# The method of some kept reports. On whole rankings its order is that of mean ranks.
RETIRED_METHOD: Final = "davidson"


def consensus_of(rankings: Sequence[Ranking], method: ConsensusMethod = "mean-rank") -> Ranking:
    """Return the consensus of several annotators; the methods of a bucket are sorted by name.

    Parameters
    ----------
    rankings : sequence of rankings
        They may rank different methods; the consensus ranks all that occur.
    method : "mean-rank" or "kemeny"
        :func:`.mean_rank.mean_rank`; :func:`.kemeny.kemeny`, whose own result says whether it is
        proven.

    Raises
    ------
    RankingError
        If there is no ranking, one of them is invalid, or there is no such method.

    Examples
    --------
    >>> consensus_of([(("a",), ("b",), ("c",)), (("a",), ("c",), ("b",))])
    (('a',), ('b', 'c'))
    """
    return consensus_by(method)(rankings)


def consensus_by(method: ConsensusMethod) -> Consensus:
    """Return the function that :func:`consensus_of` calls.

    Raises RankingError if there is no such method.
    """
    if method == "mean-rank":
        return mean_rank
    if method == "kemeny":
        return kemeny_ranking
    raise RankingError(f"consensus must be one of {', '.join(CONSENSUS_METHODS)}, got {method!r}")


def consensus_places(
    find: Consensus,
    places: Places,
    images: Iterable[tuple[str, Sequence[str], Sequence[Ranking]]],
) -> tuple[Places, NDArray[np.bool_]]:
    """Return the consensus of g images, all at once if ``find`` is from this package.

    ``find`` takes the rankings of an image, like the functions of :func:`consensus_by`. ``places``
    of shape (g, k, n) are bucket numbers of n methods in the k rankings of each image; ``images``
    are the same rankings, with the image's name and its methods sorted by name. The bucket numbers
    of the consensus are of shape (g, n); with them comes whether each is proven: not if a Kemeny
    search was cut short (:func:`.kemeny.kemeny`). Raises RankingError if a consensus ranks other
    methods than people do; the message names the image.
    """
    if find is kemeny_ranking:
        return kemeny_places(places)
    is_proven = np.ones(len(places), dtype=bool)
    if find is mean_rank:
        return mean_rank_places(places), is_proven
    goals = np.empty((len(places), places.shape[-1]), dtype=places.dtype)
    for at, (image, methods, rankings) in enumerate(images):
        place = bucket_of(find([checked(ranking) for ranking in rankings]))
        if sorted(place) != list(methods):
            raise RankingError(f"{image}: a consensus ranks other methods than people do")
        goals[at] = [place[method] for method in methods]
    return goals, is_proven
