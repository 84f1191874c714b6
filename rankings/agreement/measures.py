"""Measures of a protocol in addition to the Score."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..orders.buckets import Ranking
from ..orders.distances import distances_between
from ..orders.packed import Places
from ..orders.packed_scores import Floats, packed_study, rounded_scores
from ..orders.pairwise import margin_weighted_discordances
from .report import Settings

# Images measured at a time: margins need a matrix of methods x methods for each protocol.
_MEASURED = 256


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of one protocol besides the Score: means over the images; None if there is none.

    ``kemeny_distance`` is to the consensus, neutral towards ties; ``tau_b`` Kendall's, over the
    images where it is defined: on ``n_without_tau_b`` one side ties everything;
    ``pairwise_accuracy`` the share of pairs on which protocol and consensus agree; ``discordance``
    the share of the protocol's margins that goes against the consensus.
    """

    protocol: str
    kemeny_distance: float | None
    tau_b: float | None
    n_without_tau_b: int
    pairwise_accuracy: float | None
    discordance: float | None


def measures(
    protocols: Sequence[str],
    values: Mapping[str, Mapping[str, Mapping[str, float | None]]],
    consensus: Mapping[str, Ranking],
    settings: Settings,
) -> tuple[Measures, ...]:
    """Return these measures of every protocol, computing a few hundred images at a time.

    The images of ``consensus`` count. The decimals of the settings apply, except to discordance.
    Raises MissingScore, which names image, protocol and method.
    """
    parts = [
        _measured(values_of_part, goals, settings)
        for group in packed_study(values, consensus, protocols)
        for values_of_part, goals in zip(
            np.split(group.values, range(_MEASURED, len(group.goals), _MEASURED)),
            np.split(group.goals, range(_MEASURED, len(group.goals), _MEASURED)),
            strict=True,
        )
    ]
    # (images, protocols, measures); the empty part gives the shape if there are no images.
    columns = np.concatenate([np.empty((0, len(protocols), 4)), *parts])
    return tuple(
        Measures(
            name,
            mean_defined(kemenys),
            mean_defined(taus),
            int(np.isnan(taus).sum()),
            mean_defined(shares),
            mean_defined(margins),
        )
        for name, (kemenys, taus, shares, margins) in zip(
            protocols, columns.transpose(1, 2, 0), strict=True
        )
    )


def _measured(values: Floats, goals: Places, settings: Settings) -> Floats:
    """Return Kemeny distance, tau-b, pairwise accuracy and discordance; nan where undefined.

    ``values`` of shape (g, protocols, n) are the scores of n methods on g images, ``goals`` of
    shape (g, n) bucket numbers of the consensus; the result is of shape (g, protocols, 4).
    """
    g, n_protocols, n = values.shape
    rounded = rounded_scores(values, settings.decimals)
    first, second = np.triu_indices(n, 1)
    # The order of each pair, as 1, 0 or -1: (g, protocols, pairs) by protocols, (g, 1, pairs) by
    # people.
    own = _signs(rounded[..., first], rounded[..., second])
    goal = _signs(goals[:, first], goals[:, second])[:, np.newaxis]
    # tau-b: concordant minus discordant pairs, over the geometric mean of the numbers of pairs that
    # each side orders strictly. The product of two signs is 1, -1 or 0 for concordant, discordant
    # and tied.
    n_ordered = np.count_nonzero(goal, axis=-1) * np.count_nonzero(own, axis=-1)
    concordant = (own * goal).sum(axis=-1, dtype=np.intp)
    found = np.full((g, n_protocols, 4), np.nan)
    found[..., 0] = distances_between(rounded, goals[:, np.newaxis], "kemeny")
    np.divide(concordant, np.sqrt(n_ordered), out=found[..., 1], where=n_ordered > 0)
    if len(first):
        found[..., 2] = np.count_nonzero(own == goal, axis=-1) / len(first)
    # One row for each image and protocol, with the consensus of the image.
    margins = margin_weighted_discordances(
        values.reshape(-1, n), np.repeat(goals, n_protocols, axis=0)
    )
    found[..., 3] = margins.reshape(g, n_protocols)
    return found


def _signs(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.int8]:
    """Return the sign of a - b, without the wrap-around of small integers."""
    return (a > b).astype(np.int8) - (a < b).astype(np.int8)


def mean_defined(column: Floats) -> float | None:
    """Return the mean of numbers, of shape (n,), without NaN; the same in any order, None without any."""
    defined = column[~np.isnan(column)].tolist()
    return math.fsum(defined) / len(defined) if defined else None
