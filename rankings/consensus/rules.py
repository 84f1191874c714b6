"""The consensus ranking of an image, by any of the methods."""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.buckets import Ranking, bucket_of, checked, methods_of, to_text
from ..orders.packed import Places
from ..orders.pairwise import PairCounts, pair_counts
from .kemeny import kemeny, kemeny_places, kemeny_ranking
from .mean_rank import mean_rank, mean_rank_places

ConsensusMethod = Literal["mean-rank", "kemeny"]
# Takes the rankings of an image, at least one.
Consensus = Callable[[Sequence[Ranking]], Ranking]
CONSENSUS_METHODS: Final[tuple[ConsensusMethod, ...]] = get_args(ConsensusMethod)


@dataclass(frozen=True, slots=True)
class Agreed:
    """The consensus of an image: None if the answers order no methods of different groups.

    ``note`` says why there is none, what the consensus rests on if people ranked different
    methods, or that a search was cut short; else it is empty.
    """

    ranking: Ranking | None
    note: str = ""


def agreed(rankings: Sequence[Ranking], method: ConsensusMethod = "mean-rank") -> Agreed:
    """Return the consensus of several annotators, who may have ranked different methods.

    If all ranked the same methods it is that of ``method``: :func:`.mean_rank.mean_rank` or
    :func:`.kemeny.kemeny`. A mean of ranks among different methods has no meaning ("first of two"
    is not "first of four"), so otherwise it is Kemeny's over the pairs that were compared, and there
    is none if some methods were compared with others neither directly nor through further methods.
    The methods of a bucket are sorted by name.

    Raises
    ------
    RankingError
        If there is no ranking, one of them is invalid, or there is no such method.

    Examples
    --------
    >>> agreed([(("a",), ("b",), ("c",)), (("b",), ("c",))]).ranking
    (('a',), ('b',), ('c',))
    >>> agreed([(("a",), ("b",)), (("c",), ("d",))])
    Agreed(ranking=None, note='no consensus: no answer connects a > b; c > d')
    """
    find = consensus_by(method)
    counts = pair_counts(rankings)
    if len({methods_of(checked(ranking)) for ranking in rankings}) == 1:
        return Agreed(find(rankings)) if find is mean_rank else _nearest(rankings, ())
    groups = counts.connected()
    if len(groups) > 1:
        orders = [
            to_text(kemeny_ranking(kept))
            for group in groups
            if (kept := [own for ranking in rankings if (own := _among(ranking, group))])
        ]
        return Agreed(None, f"no consensus: no answer connects {'; '.join(orders)}")
    n, n_pairs = counts.n_compared(), math.comb(len(counts.methods), 2)
    return _nearest(
        rankings,
        [
            "people ranked different methods, so the consensus is Kemeny's over compared pairs"
            f" ({n} of {n_pairs})"
        ],
    )


def why_no_order(counts: PairCounts) -> str | None:
    """Return why the answers to all images order no methods of different groups; None if they do.

    >>> print(why_no_order(pair_counts([(("a",), ("b",)), (("c",), ("d",))])))
    no order over all images: no answer connects a, b; c, d
    """
    groups = counts.connected()
    if len(groups) < 2:
        return None
    named = "; ".join(map(", ".join, groups))
    return f"no order over all images: no answer connects {named}"


def _nearest(rankings: Sequence[Ranking], notes: Sequence[str]) -> Agreed:
    found = kemeny(rankings)
    cut = f"the search was cut short; the distance is {found.distance}, and none is below {found.bound}"
    return Agreed(found.ranking, "; ".join([*notes, *([] if found.is_proven else [cut])]))


def _among(ranking: Ranking, methods: Collection[str]) -> Ranking:
    kept = (tuple(name for name in bucket if name in methods) for bucket in ranking)
    return tuple(filter(None, kept))


def consensus_of(rankings: Sequence[Ranking], method: ConsensusMethod = "mean-rank") -> Ranking:
    """Return the ranking of :func:`agreed`.

    Parameters
    ----------
    rankings : sequence of rankings
        The consensus ranks all methods that occur.
    method : "mean-rank" or "kemeny"

    Raises
    ------
    RankingError
        If there is no consensus; the message says why. Also if there is no ranking, one of them is
        invalid, or there is no such method.

    Examples
    --------
    >>> consensus_of([(("a",), ("b",), ("c",)), (("a",), ("c",), ("b",))])
    (('a',), ('b', 'c'))
    """
    found = agreed(rankings, method)
    if found.ranking is None:
        raise RankingError(found.note)
    return found.ranking


def consensus_by(method: ConsensusMethod) -> Consensus:
    """Return the function for rankings of the same methods.

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
