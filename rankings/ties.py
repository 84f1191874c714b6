"""How many pairs of methods people, their consensus and the protocols tie."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .orders import Ranking


@dataclass(frozen=True, slots=True)
class TiedShares:
    """Shares of tied pairs of methods, in [0, 1]: means over rankings; None without a pair.

    Attributes
    ----------
    annotators : mapping of annotator to float or None
    consensus : float or None
    protocols : mapping of protocol to float or None
    """

    annotators: Mapping[str, float | None]
    consensus: float | None
    protocols: Mapping[str, float | None]


def tied_shares(
    annotator_rankings: Mapping[str, Mapping[str, Ranking]],
    consensus: Mapping[str, Ranking],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
) -> TiedShares:
    """Return the share of tied pairs of each annotator, of the consensus and of each protocol.

    A mean of ranks ties fewer pairs the more annotators it is of, so distances to the consensus of few
    and of many annotators do not compare, least of all those of protocols with many ties.

    Parameters
    ----------
    annotator_rankings : image -> annotator -> ranking
    consensus : image -> ranking
    protocol_rankings : image -> protocol -> ranking
    protocols : sequence of str

    Returns
    -------
    TiedShares
        In [0, 1]; None where there is no pair.

    Examples
    --------
    >>> tie, ab = (("a", "b"),), (("a",), ("b",))
    >>> people, own = {"img_1": {"ann": tie, "ben": ab}}, {"img_1": {"iou": tie}}
    >>> tied_shares(people, {"img_1": ab}, own, ["iou"])
    TiedShares(annotators={'ann': 1.0, 'ben': 0.0}, consensus=0.0, protocols={'iou': 1.0})
    """
    names = sorted({name for of_image in annotator_rankings.values() for name in of_image})
    return TiedShares(
        {name: _share(_of(annotator_rankings.values(), name)) for name in names},
        _share(consensus.values()),
        {name: _share(_of(protocol_rankings.values(), name)) for name in protocols},
    )


def _of(by_name: Collection[Mapping[str, Ranking]], name: str) -> list[Ranking]:
    return [of_image[name] for of_image in by_name if name in of_image]


def _share(rankings: Iterable[Ranking]) -> float | None:
    shares = []
    for ranking in rankings:
        sizes = [len(bucket) for bucket in ranking]
        n = sum(sizes)
        if n > 1:
            shares.append(sum(size * (size - 1) for size in sizes) / (n * (n - 1)))
    return sum(shares) / len(shares) if shares else None
