"""An annotator's share of wrong answers, estimated from repeated pairs."""

import math
from dataclasses import dataclass
from typing import Final

from ..errors import RankingError
from .shares import wilson

_MIN_REPEATED: Final = 30


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """An annotator's estimated share of wrong answers, with a 95 % interval."""

    rate: float
    low: float
    high: float
    n_repeated: int


def error_rate(n_differing: int, n_repeated: int) -> ErrorRate | None:
    """Estimate an annotator's share of wrong answers; None for fewer than 30 repeated pairs.

    If both wrong answers are equally likely, a share d of differing answers implies a share
    e = (2 - sqrt(4 - 6 d)) / 3 of wrong ones, or 2/3 if d >= 2/3. The interval is Wilson's for d.

    Parameters
    ----------
    n_differing, n_repeated : int
        Answers that differed the second time, and all answers to repeated pairs.

    Raises
    ------
    RankingError
        If more answers differ than were repeated.
    """
    if not 0 <= n_differing <= n_repeated:
        raise RankingError(f"{n_differing} of {n_repeated} repeated answers cannot differ")
    if n_repeated < _MIN_REPEATED:
        return None
    share = n_differing / n_repeated
    low, high = wilson(n_differing, n_repeated)
    return ErrorRate(_error(share), _error(low), _error(high), n_repeated)


def _error(differing: float) -> float:
    # Two answers, each wrong with probability e, differ with probability 2 e (1 - e) + e^2 / 2;
    # this is the smaller solution for e.
    return (2 - math.sqrt(max(4 - 6 * differing, 0.0))) / 3 if differing < 2 / 3 else 2 / 3
