"""Attention checks: accuracy on known-answer pairs, and the rule that excludes guessing.

One side of such a pair is a copy of the other, degraded by a known dose, so the right answer is
known for the criteria in which it is worse. A pair counts as right if all of these are right.
"""

from typing import Final

from ..errors import RankingError
from .shares import wilson

# No annotator is judged on fewer pairs.
N_LEAST: Final = 10


def is_below(n_right: int, n: int, at_least: float) -> bool:
    """Return whether an annotator's accuracy is clearly below the study's minimum.

    Clearly means: in at least N_LEAST pairs, with the upper end of Wilson's 95 % interval below it.
    The rule may be applied after every pair: with a minimum of 0.5, an annotator who is right in
    80 % of the pairs is flagged in less than one of 10,000 runs of 40 pairs, and one who guesses
    two criteria per pair in more than 9,999.

    Parameters
    ----------
    n_right, n : int
        Pairs answered correctly, and all pairs answered.
    at_least : float
        Minimum accuracy, in [0, 1].

    Raises
    ------
    RankingError
        If more pairs are right than were answered, or the minimum is invalid.
    """
    if not 0 <= n_right <= n:
        raise RankingError(f"{n_right} of {n} known pairs cannot be right")
    if not 0 <= at_least <= 1:
        raise RankingError(f"{at_least} is not a share")
    return n >= N_LEAST and wilson(n_right, n)[1] < at_least
