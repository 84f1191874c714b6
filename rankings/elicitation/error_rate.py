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
    """Estimate an annotator's share of wrong answers from repeated pairs; None below 30 of them.

    If a wrong answer is as often one as the other of the two others, a share d of differing answers
    means e = (2 - sqrt(4 - 6 d)) / 3, and 2/3 from d = 2/3 on. The interval is Wilson's for d.

    Parameters
    ----------
    n_differing, n_repeated : int
        Answers that were another the second time, of those that were asked twice.

    Raises
    ------
    RankingError
        If more answers differ than were repeated.

    Examples
    --------
    >>> error_rate(2, 10) is None
    True
    >>> round(error_rate(4, 40).rate, 3)
    0.052
    """
    if not 0 <= n_differing <= n_repeated:
        raise RankingError(f"{n_differing} of {n_repeated} repeated answers cannot differ")
    if n_repeated < _MIN_REPEATED:
        return None
    share = n_differing / n_repeated
    low, high = wilson(n_differing, n_repeated)
    return ErrorRate(_error(share), _error(low), _error(high), n_repeated)


def _error(differing: float) -> float:
    # Two answers that err with e, evenly to the two others, differ with 2 e (1 - e) + e^2 / 2;
    # this is the smaller solution for e.
    return (2 - math.sqrt(max(4 - 6 * differing, 0.0))) / 3 if differing < 2 / 3 else 2 / 3
