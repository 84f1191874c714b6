"""Moderated variances: each pair's annotator variance, shrunk to the one that all pairs share ([Smy04]_).

With few annotators a pair's own mean square of annotators has few degrees of freedom, so that a
test needs very large differences. The mean squares of all pairs, relative to the pairs' other
components of variance, are modelled as one scaled F distribution: a common ratio, and prior degrees
of freedom that are many if the pairs' ratios differ by chance only. A protocol that is far from people
adds to the other components of its pairs, and hardly to how much annotators differ: so the ratio may fall
with the other components. Where some, but not all, annotators
rank an image, the mean square has a part of the images' variance, which is taken out afterwards.
"""

import math
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..orders.packed_scores import Floats

Degrees = TypeVar("Degrees", float, Floats)
# A ratio below this share of the mean counts as this share: its logarithm would say too much.
_LEAST_SHARE = 0.01
# With fewer protocols, ratios that look equal may well differ.
ENOUGH_PROTOCOLS = 5


@dataclass(frozen=True, slots=True)
class Prior:
    """The ratio that all pairs share, and its degrees of freedom, 0 if nothing is shared.

    The ratio is of each pair, as it depends on the pair's other components. A plan has arrays of all, one
    value for each design. ``is_common`` says that the pairs' ratios differ by no more than chance, and that
    there are enough protocols to see it.
    """

    ratio: float | Floats = 0.0
    degrees: float | Floats = 0.0
    is_common: bool | NDArray[np.bool_] = False

    def posterior(self, ratios: Floats, degrees: float | Floats) -> Floats:
        """Return the ratios of pairs, each with so many degrees of freedom, shrunk to the prior."""
        total = self.degrees + degrees
        return np.asarray((self.degrees * self.ratio + degrees * ratios) / total)

    def at(self, rows: NDArray[np.intp]) -> "Prior":
        """Return the prior of some of the pairs."""
        return replace(self, ratio=np.asarray(self.ratio)[rows]) if np.ndim(self.ratio) else self


def prior_of(
    ratios: Floats,
    others: Floats,
    degrees: float,
    n_protocols: int,
    among: NDArray[np.bool_] | None = None,
) -> Prior:
    """Estimate the prior of scaled mean squares from the spread of their logarithms ([Smy04]_, 6.2).

    ``ratios`` of shape (k,) are mean squares of annotators divided by ``others``, the pairs' other
    components, with ``degrees`` of freedom each; below 0 for a pair without others, which does not count.
    ``among`` are the pairs that the prior is estimated from, all by default; it is of every pair.
    With enough protocols the ratio that pairs share follows a trend ([STW06]_): it is proportional to
    a power of others, from 0, so that all ratios are alike, to -1, so that the mean squares are. All pairs
    together know no more than the protocols' own contrasts, so prior and own degrees together are at most
    ``degrees * (n_protocols - 1)``. There are none for fewer than three protocols or two ratios, or if all
    are 0.
    """
    has_others = ratios >= 0
    counts = has_others if among is None else has_others & among
    known = ratios[counts]
    if n_protocols < 3 or len(known) < 2 or not known.any():
        return Prior()
    from scipy.special import digamma, polygamma

    most, is_enough = most_prior(degrees, n_protocols), n_protocols >= ENOUGH_PROTOCOLS
    logs = np.log(np.maximum(known, _LEAST_SHARE * known.mean()))
    apart = np.zeros(len(ratios))
    apart[has_others] = np.log(others[has_others])
    apart[has_others] -= apart[counts].mean()
    square = float(apart[counts] @ apart[counts])
    slope = float(np.clip((apart[counts] @ logs) / square, -1, 0)) if square and is_enough else 0.0
    logs = logs - slope * apart[counts]
    excess = float(logs.var(ddof=1)) - float(polygamma(1, degrees / 2))
    if excess <= 0:
        shared = float((known / np.exp(slope * apart[counts])).mean())
        return Prior(shared * np.exp(slope * apart), most, is_enough)
    prior = 2 * trigamma_inverse(excess)

    def bias(of: float) -> float:
        """Return the mean of the logarithm of a mean square with expectation 1."""
        return float(digamma(of / 2)) - math.log(of / 2)

    shared = math.exp(float(logs.mean()) - bias(degrees) + bias(prior))
    return Prior(shared * np.exp(slope * apart), min(prior, most), prior >= most and is_enough)


def most_prior(degrees: Degrees, n_protocols: int) -> Degrees:
    """Return the most prior degrees of freedom of a pair with so many of its own."""
    return degrees * (n_protocols - 2)


def trigamma_inverse(value: float) -> float:
    """Return the number whose trigamma function has this value, above 0, by Newton's method.

    Raises ArithmeticError if the iteration does not converge.
    """
    from scipy.special import polygamma

    # The iteration of [Smy04]_, appendix: it rises to the solution from here without overshooting.
    at = 0.5 + 1 / value
    for _ in range(100):
        trigamma = float(polygamma(1, at))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, at))
        at += step
        if abs(step) < 1e-10 * at:
            return at
    raise ArithmeticError(f"no inverse of trigamma found for {value}")
