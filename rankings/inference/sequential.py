"""Decisions while a study runs: the report's test at planned looks, with annotators as units.

Annotators come one after another, and the first need not be typical. So a look waits for six annotators
with ten images each, leaves out the others, and takes the test of :mod:`.multi_reader`, in which
annotators and images are random, with no more degrees of freedom than annotators give. Several looks
err more often than one. So the looks until a share t of the planned rankings may err in t^3 of the
5 % of studies ([KD87]_). The levels follow from the joint distribution of the test statistics: a Brownian
motion whose time is t. Looks at more rankings of the same annotators are more alike and err less often.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.buckets import Ranking
from .clusters import NONE_DECLARED, Declared
from .multi_reader import Comparison, Comparisons, compare
from .pair_estimates import Visit, names_of, pair_losses
from .personal_distances import PersonalDistances
from .significance import ALPHA

FEWEST_ANNOTATORS: Final = 6
FEWEST_IMAGES: Final = 10
# A look is planned at each eighth of the rankings.
N_LOOKS: Final = 8
_RHO: Final = 3
# Points of the distribution of the statistic between its limits.
_N_POINTS: Final = 401

# (the protocol nearer to people, the other)
Decision = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Look:
    """Result of a look: decisions (nearer, farther).

    New ones, earlier ones that these data contradict, and all that hold after it.
    """

    decided: tuple[Decision, ...] = ()
    withdrawn: tuple[Decision, ...] = ()
    held: tuple[Decision, ...] = ()


def planned_look(share: float, taken: Collection[float]) -> float | None:
    """Return the share of the look that is due, or None.

    It is the largest eighth of the planned rankings that ``share`` reaches, if larger than all
    taken.
    """
    reached = min(math.floor(N_LOOKS * share + 1e-9), N_LOOKS) / N_LOOKS
    return reached if reached > max(taken, default=0.0) else None


@lru_cache(maxsize=256)
def levels(shares: tuple[float, ...], alpha: float = ALPHA) -> tuple[float, ...]:
    """Return the two-sided level of the test at each look, so that all together err with ``alpha``.

    ``shares`` of the planned rankings at the looks taken increase, above 0 and at most 1. Raises
    RankingError if the shares are not as described, or ``alpha`` is not between 0 and 1.
    """
    if any(not a < b for a, b in zip((0.0, *shares), (*shares, math.inf), strict=True)):
        raise RankingError(f"shares of looks must increase from above 0, got {shares}")
    if shares and shares[-1] > 1:
        raise RankingError(f"shares of looks must be at most 1, got {shares}")
    if not 0 < alpha < 1:
        raise RankingError(f"alpha must be between 0 and 1, got {alpha}")
    from scipy.special import ndtr, ndtri

    found: list[float] = []
    # The motion's values without a decision so far, and their probabilities.
    at, mass, before = np.zeros(1), np.ones(1), 0.0
    for share in shares:
        step, to_spend = math.sqrt(share - before), alpha * (share**_RHO - before**_RHO)
        low, high = 0.0, -float(ndtri(to_spend / 2)) * math.sqrt(share)
        for _ in range(50):
            limit = (low + high) / 2
            beyond = mass @ (ndtr((at - limit) / step) + ndtr((-at - limit) / step))
            low, high = (limit, high) if beyond > to_spend else (low, limit)
        found.append(2 * float(ndtr(-high / math.sqrt(share))))
        points = np.linspace(-high, high, _N_POINTS)
        width = np.full(_N_POINTS, points[1] - points[0])
        width[[0, -1]] /= 2
        density = np.exp(-(((points[:, np.newaxis] - at) / step) ** 2) / 2) @ mass
        at, mass, before = points, density * width / (step * math.sqrt(2 * math.pi)), share
    return tuple(round(level, 12) for level in found)


def enough(annotators: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which rankings are of annotators with at least ten; none without six of these.

    ``annotators`` of shape (n,) number the annotator of each.
    """
    _, number_of, n_of = np.unique(annotators, return_inverse=True, return_counts=True)
    has_enough = n_of >= FEWEST_IMAGES
    return np.asarray(has_enough[number_of] & (has_enough.sum() >= FEWEST_ANNOTATORS))


def decisions_of(tested: Comparisons) -> Iterator[Decision]:
    """Yield the pairs that the test of a report tells apart, the nearer protocol first."""
    for pair in tested.pairs:
        p = pair.adjusted_p_value
        if pair.difference and p is not None and p <= ALPHA:
            yield _nearer_first(pair)


def _nearer_first(pair: Comparison) -> Decision:
    is_first = (pair.difference or 0.0) < 0
    return (pair.first, pair.second) if is_first else (pair.second, pair.first)


def look(
    measured: PersonalDistances, held: Collection[Decision], shares: tuple[float, ...]
) -> Look:
    """Decide which protocols differ, and which earlier decisions (``held``) no longer hold.

    ``measured`` has the annotators with :func:`enough` images, groups and scenes as units;
    ``shares`` are those of the planned rankings at all looks so far, this one last. A decision is
    withdrawn if the test of a report of these data would not make it: the adjusted p-value is above
    0.05, or the difference has the other sign.
    """
    tested = compare(replace(measured, by_group=True))
    known = [pair for pair in tested.pairs if pair.difference and pair.p_value is not None]
    level = levels(shares, ALPHA / max(len(known), 1))[-1]
    confirmed = {*decisions_of(tested)}
    kept = [decision for decision in held if decision in confirmed]
    now = [_nearer_first(pair) for pair in known if (pair.p_value or 0.0) <= level]
    decided = [decision for decision in now if decision not in kept]
    withdrawn = [decision for decision in held if decision not in confirmed]
    return Look(tuple(decided), tuple(withdrawn), (*kept, *decided))


def look_by_pairs(
    visits: Iterable[Visit],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    protocols: Sequence[str],
    held: Collection[Decision],
    shares: tuple[float, ...],
    *,
    declared: Declared = NONE_DECLARED,
) -> Look:
    """Return the :func:`look` at the losses of the annotators with :func:`enough` images.

    Without six such annotators nothing is decided, and earlier decisions are withdrawn. Declared
    groups of annotators and scenes of images are the units of the test. Raises RankingError as
    :func:`.pair_estimates.pair_losses` does.
    """
    known = list(visits)
    measured = pair_losses(known, protocol_rankings, protocols)
    counted = measured.at(enough(measured.annotators))
    if not len(counted.images):
        return Look(withdrawn=tuple(held))
    return look(declared.of(counted, *names_of(known)), held, shares)
