"""An annotator's share of wrong answers, estimated from repeated pairs."""

import math
from dataclasses import dataclass
from typing import Final

from .errors import RankingError

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

    Raises
    ------
    RankingError
        If more answers differ than were repeated.
    """
    if not 0 <= n_differing <= n_repeated:
        raise RankingError(f"{n_differing} of {n_repeated} repeated answers cannot differ")
    if n_repeated < _MIN_REPEATED:
        return None
    # z: the 97.5 % quantile of the standard normal distribution.
    share, z = n_differing / n_repeated, 1.959963984540054
    middle = (share + z * z / (2 * n_repeated)) / (1 + z * z / n_repeated)
    spread = share * (1 - share) / n_repeated + z * z / (4 * n_repeated * n_repeated)
    half = z * math.sqrt(spread) / (1 + z * z / n_repeated)
    return ErrorRate(
        _error(share), _error(max(middle - half, 0.0)), _error(middle + half), n_repeated
    )


def _error(differing: float) -> float:
    # Two answers that err with e, evenly to the two others, differ with 2 e (1 - e) + e^2 / 2;
    # this is the smaller solution for e.
    return (2 - math.sqrt(max(4 - 6 * differing, 0.0))) / 3 if differing < 2 / 3 else 2 / 3
