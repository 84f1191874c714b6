"""Rankings from a protocol's scores on an image."""

import math
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingScore, RankingError
from .buckets import Ranking, from_values

MAX_DECIMALS = 15


def ranking_from_scores(scores: Mapping[str, float | None], decimals: int | None = 4) -> Ranking:
    """Order methods by score, the higher the better; equal rounded scores tie.

    Parameters
    ----------
    scores : mapping of method to score
    decimals : int or None
        Scores are rounded to this many decimals, half to even, in decimal arithmetic on the
        shortest decimal that reads back as the same float (0.12345 is a half, as it looks);
        None compares them unrounded.

    Raises
    ------
    MissingScore
        If a score is None or not a finite number; the message names the method.
    RankingError
        If there is no score, or ``decimals`` is outside 0 .. 15.

    Examples
    --------
    >>> ranking_from_scores({"east": 0.8211, "craft": 0.8212, "pixellink": 0.5}, decimals=3)
    (('craft', 'east'), ('pixellink',))
    """
    if not scores:
        raise RankingError("a ranking needs at least one score")
    require_decimals(decimals)
    return from_values(
        [(method, _rounded(method, score, decimals)) for method, score in scores.items()],
        descending=True,
    )


def require_decimals(decimals: int | None) -> None:
    """Raise RankingError unless scores can be rounded to this many decimals.

    Raises RankingError if ``decimals`` is neither None nor in 0 .. 15.
    """
    if decimals is not None and not 0 <= decimals <= MAX_DECIMALS:
        raise RankingError(f"decimals must be None or in 0 .. {MAX_DECIMALS}, got {decimals}")


def _rounded(method: str, score: float | None, decimals: int | None) -> Decimal:
    exact = Decimal(repr(float(require_score(score, method))))
    return exact if decimals is None else quantized(exact, decimals)


def require_score(score: float | None, name: str) -> float:
    """Return the score; raise MissingScore, naming its owner, unless it is a finite number.

    Raises MissingScore if it is None, infinite or NaN.
    """
    if score is None or not math.isfinite(score):
        raise MissingScore(f"{name} {'has no score' if score is None else f'scores {score}'}")
    return score


def require_fraction(given: Any, name: str) -> float | None:
    """Return a given recall or precision as a number; None is undefined and stays.

    Raises RankingError, which starts with ``name``, unless it is None or a number in [0, 1].
    """
    if given is None:
        return None
    is_number = isinstance(given, Real) and not isinstance(given, bool)
    if is_number and 0 <= given <= 1:
        return float(given)
    shown = str(given) if is_number else repr(given)
    hint = " (looks like a percentage: divide by 100)" if is_number and 1 < given <= 100 else ""
    raise RankingError(f"{name} is {shown}{hint}; expected a number in [0, 1]")


def quantized(score: Decimal, decimals: int) -> Decimal:
    """Round to this many decimals, half to even."""
    return score.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN)


def f_beta(recall: float, precision: float, beta: float = 1.0) -> float:
    """Return (1 + beta^2) P R / (beta^2 P + R); 0 if both are 0.

    Parameters
    ----------
    recall, precision : float in [0, 1]
    beta : float, not negative
        Weight of recall relative to precision.

    Examples
    --------
    >>> f_beta(1.0, 0.5), f_beta(1.0, 0.5, beta=2)
    (0.6666666666666666, 0.8333333333333334)
    """
    weight = beta * beta
    below = weight * precision + recall
    return (1 + weight) * precision * recall / below if below else 0.0


def f_betas(
    recall: NDArray[np.float64], precision: NDArray[np.float64], beta: float = 1.0
) -> NDArray[np.float64]:
    """Return :func:`f_beta` of recalls and precisions of shape (n,), equal to the last digit."""
    weight = beta * beta
    # Numbers that are not finite give such results, as in f_beta; the caller checks for them.
    with np.errstate(invalid="ignore", over="ignore"):
        below = weight * precision + recall
        above = (1 + weight) * precision * recall
        return np.divide(above, below, out=np.zeros_like(below), where=below != 0)
