"""Votes of several systems, and the precision and recall that follow from them ([LS11]_)."""

import dataclasses
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..core.base import f_score
from ..core.errors import ProtocolError
from ..core.geometry import Floats

EMPTY_PRECISIONS: Final = ("undefined", "zero", "one", "top")


class VoteError(ProtocolError, ValueError):
    """Invalid votes, weights or data; the message names the place."""


@dataclass(frozen=True, slots=True)
class VoteScore:
    """A system's scores by the votes of all; None is undefined.

    ``size`` is the sum of its votes over all documents, weighted by their areas; ``shared`` the
    same, also weighted by relevance; ``total`` the sum of relevance, weighted by area: the
    denominator of recall.
    """

    size: float
    shared: float
    total: float
    precision: float | None
    recall: float | None

    @property
    def f_score(self) -> float | None:
        return f_score(self.recall, self.precision)

    def with_precision(self, rule: str, top: float | None) -> "VoteScore":
        """Return the score; if precision is undefined, the rule sets it to 0, 1 or ``top``."""
        if self.size > 0 or rule == "undefined":
            return self
        filled = {"zero": 0.0, "one": 1.0, "top": top}[rule]
        return dataclasses.replace(self, precision=filled)


@dataclass(frozen=True, slots=True)
class Consensus:
    """The consensus of systems that vote on documents, and each system's score by it.

    ``relevance`` is the weighted share of votes on each document, ``total`` its sum, weighted by
    area. ``top`` and ``bottom`` are the virtual systems that vote 1 and 0 everywhere. ``weights``
    are those of the systems, then of S_top and S_bottom; their sum is 1.
    """

    relevance: tuple[float, ...]
    total: float
    systems: tuple[VoteScore, ...]
    top: VoteScore
    bottom: VoteScore
    weights: tuple[float, ...]


def share_weights(
    n_systems: int,
    *,
    virtual: bool = True,
    groups: Sequence[Hashable] | None = None,
    oracles: Sequence[float] = (),
) -> tuple[float, ...]:
    """Return the weights of systems, oracles, S_top and S_bottom, in this order.

    ``n_systems`` does not count oracles. S_top and S_bottom have a weight of 0 unless they are
    ``virtual``. Systems with the same value in ``groups`` share one vote; by default every system
    is a group, and each virtual system is one. The groups share what the weights of ``oracles``
    leave. Raises VoteError if the numbers do not fit, a weight is negative or the oracles' sum is
    above 1.
    """
    owners: Sequence[Hashable] = range(n_systems) if groups is None else groups
    if len(owners) != n_systems:
        raise VoteError(f"expected a group for each of {n_systems} systems, got {len(owners)}")
    if not all(math.isfinite(weight) and weight >= 0 for weight in oracles):
        raise VoteError(f"the weight of an oracle must not be negative, got {list(oracles)}")
    left = 1.0 - math.fsum(oracles)
    if left < -1e-9:
        raise VoteError(f"the weights of the oracles add up to {1.0 - left:g}, more than 1")
    n_voices = len(set(owners)) + 2 * virtual
    if not n_voices:
        if left > 1e-9:
            raise VoteError("expected a system that votes, got none")
        return (*oracles, 0.0, 0.0)
    voice = max(0.0, left) / n_voices
    members = [sum(other == owner for other in owners) for owner in owners]
    ends = (voice, voice) if virtual else (0.0, 0.0)
    return (*(voice / n for n in members), *oracles, *ends)


def weigh_votes(
    votes: Sequence[Sequence[float]] | Floats,
    areas: Sequence[float] | Floats | None = None,
    weights: Sequence[float] | None = None,
    *,
    leave_one_out: bool = False,
) -> Consensus:
    """Return precision and recall of systems by their own votes ([LS11]_, (10) to (13)).

    Votes have the shape (s, d), in [0, 1], oracles among them; areas have length d, 1 each by
    default; weights have length s + 2, the last two for S_top and S_bottom, and are equal by
    default. With ``leave_one_out`` a system has no vote in the consensus that it is measured
    against: the others share its weight, and a system with all the weight has no scores. Precision
    is None for a system without votes. If nothing is relevant, which requires a weight of 0 for
    S_top, recall is 1 for a system without votes and 0 for others. Raises VoteError if votes, areas
    or weights do not fit each other or their ranges; the message says which.
    """
    real, sizes = _checked_votes(votes, areas)
    n_systems, n_documents = real.shape
    shares = _checked_weights(weights, n_systems)

    # A row for each system, then S_top and S_bottom; a column for each document.
    rows = np.vstack([real, np.ones(n_documents), np.zeros(n_documents)])
    relevance = shares @ rows
    # Relevance against which each system is measured: the same for all, unless it excludes itself.
    weighted = np.tile(relevance, (len(rows), 1))
    if leave_one_out:
        weighted = _without_own_vote(shares, rows)
    size = rows @ sizes
    weighted = weighted * sizes
    # Summed in the same way, so that the recall of S_top is exactly 1.
    shared, total = (rows * weighted).sum(axis=1), weighted.sum(axis=1)
    scores = [
        vote_score(*values)
        for values in zip(*(array.tolist() for array in (size, shared, total)), strict=True)
    ]
    return Consensus(
        tuple(relevance.tolist()),
        float(relevance @ sizes),
        tuple(scores[:-2]),
        scores[-2],
        scores[-1],
        tuple(shares.tolist()),
    )


def _checked_votes(
    votes: Sequence[Sequence[float]] | Floats, areas: Sequence[float] | Floats | None
) -> tuple[Floats, Floats]:
    real = np.asarray(votes, dtype=np.float64)
    if real.ndim != 2:
        raise VoteError("expected as many votes of each system as there are documents")
    n_documents = real.shape[1]
    if not np.all((real >= 0) & (real <= 1)):
        raise VoteError("a vote must be in [0, 1]")
    sizes = np.ones(n_documents) if areas is None else np.asarray(areas, dtype=np.float64)
    if sizes.shape != (n_documents,):
        raise VoteError(f"expected {n_documents} areas, got {sizes.size}")
    if not np.all((sizes > 0) & np.isfinite(sizes)):
        raise VoteError("an area must be above 0")
    return real, sizes


def _checked_weights(weights: Sequence[float] | None, n_systems: int) -> Floats:
    given = share_weights(n_systems) if weights is None else weights
    shares = np.asarray(given, dtype=np.float64)
    if shares.shape != (n_systems + 2,):
        raise VoteError(
            f"expected {n_systems + 2} weights, of {n_systems} systems, S_top and S_bottom; "
            f"got {shares.size}"
        )
    if not np.all(shares >= 0):
        raise VoteError(f"a weight must not be negative, got {list(given)}")
    total = math.fsum(shares.tolist())
    if not abs(total - 1.0) <= 1e-9:
        raise VoteError(f"the weights must add up to 1, got {total:.12g}")
    return shares


def _without_own_vote(shares: Floats, rows: Floats) -> Floats:
    # Row k: the weights by which system k is measured, without its own, scaled to a sum of 1.
    others = np.tile(shares, (len(shares), 1))
    np.fill_diagonal(others, 0.0)
    left = others.sum(axis=1, keepdims=True)
    # nan means that no other system votes.
    others = np.divide(others, left, out=np.full_like(others, np.nan), where=left > 1e-12)
    return np.asarray(others @ rows)


def vote_score(size: float, shared: float, total: float) -> VoteScore:
    """Return precision and recall from a system's size, its relevant part and all relevance.

    They are in documents or square pixels; ``total`` is nan if no other system votes.
    """
    if math.isnan(total):
        return VoteScore(size, 0.0, 0.0, None, None)
    # Rounding must not make a share exceed 1.
    precision = min(1.0, shared / size) if size > 0 else None
    recall = min(1.0, shared / total) if total > 0 else float(size <= 0)
    return VoteScore(size, shared, total, precision, recall)
