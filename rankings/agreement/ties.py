"""Shares of pairs of methods that people, their consensus and the protocols tie."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..inference.personal_rankings import PersonalRankings
from ..orders.buckets import Ranking
from ..orders.packed import Places
from ..orders.packed_scores import Floats


@dataclass(frozen=True, slots=True)
class TiedShares:
    """Shares of tied pairs of methods, in [0, 1], mean over rankings; None without a pair."""

    annotators: Mapping[str, float | None]
    consensus: float | None
    protocols: Mapping[str, float | None]


def tied_shares(rankings: PersonalRankings, consensus: Mapping[str, Ranking]) -> TiedShares:
    """Return the share of tied pairs of each annotator, of the consensus and of each protocol.

    The more annotators a mean of ranks has, the fewer pairs it ties. So distances to the consensus
    of few and of many annotators are not comparable, least of all for protocols with many ties.
    """
    # For each ranking of more than one method: its annotator, and its share.
    who, shares = [np.empty(0, dtype=np.intp)], [np.empty(0)]
    protocols = rankings.protocols
    of_protocols = [np.empty((0, len(protocols)))]
    for group in rankings.groups:
        if group.people.shape[2] > 1:
            who.append(group.annotators.ravel())
            shares.append(_shares(group.people).ravel())
            of_protocols.append(_shares(group.protocols))
    by_annotator, by_protocol = np.concatenate(who), np.concatenate(of_protocols)
    n = len(rankings.annotators)
    sums = np.bincount(by_annotator, np.concatenate(shares), n).tolist()
    counts = np.bincount(by_annotator, minlength=n).tolist()
    means = by_protocol.mean(axis=0).tolist() if len(by_protocol) else [None] * len(protocols)
    return TiedShares(
        {
            name: sums[at] / counts[at] if counts[at] else None
            for at, name in enumerate(rankings.annotators)
        },
        _mean_share(consensus.values()),
        dict(zip(protocols, means, strict=True)),
    )


def _shares(places: Places) -> Floats:
    """Return the share of tied pairs along the last axis, which has at least two methods."""
    first, second = np.triu_indices(places.shape[-1], 1)
    return np.asarray((places[..., first] == places[..., second]).mean(axis=-1))


def _mean_share(rankings: Iterable[Ranking]) -> float | None:
    shares = []
    for ranking in rankings:
        sizes = [len(bucket) for bucket in ranking]
        n = sum(sizes)
        if n > 1:
            shares.append(sum(size * (size - 1) for size in sizes) / (n * (n - 1)))
    return math.fsum(shares) / len(shares) if shares else None
