"""Pairs whose answer is known: how often somebody is right, and a rule that says who guesses.

One side of such a pair is a copy of the other that was made worse by a known dose, so that the right
answer is known in the criteria in which it is worse. A pair counts as right when all of these are.
"""

from typing import Final

from ..errors import RankingError
from .shares import wilson

# Below so many pairs nobody is judged.
N_LEAST: Final = 10


def is_below(n_right: int, n: int, at_least: float) -> bool:
    """Say whether somebody's share of known pairs right is surely below what a study asks for.

    Surely: at least N_LEAST pairs, and the upper end of Wilson's 95 % interval is below. It may be
    asked after every pair: with 0.5 asked for, somebody who is right in 80 % of the pairs is
    flagged in less than one of 10,000 runs of 40 pairs, somebody who guesses in all of them.

    Parameters
    ----------
    n_right, n : int
        Pairs answered right, and pairs answered.
    at_least : float
        The share, in [0, 1], below which somebody is left out.

    Raises
    ------
    RankingError
        If more pairs are right than were answered, or the share is none.

    Examples
    --------
    >>> is_below(1, 10, 0.5), is_below(2, 10, 0.5), is_below(0, 9, 0.5)
    (True, False, False)
    """
    if not 0 <= n_right <= n:
        raise RankingError(f"{n_right} of {n} known pairs cannot be right")
    if not 0 <= at_least <= 1:
        raise RankingError(f"{at_least} is not a share")
    return n >= N_LEAST and wilson(n_right, n)[1] < at_least
