"""Attention checks: accuracy on known-answer pairs, and the rule that excludes guessing.

One side of such a pair is a copy of the other, degraded by a known dose, so the right answer is
known for the criteria in which it is worse. A pair counts as right if all of these are right.
"""

import itertools
import math
import random
from collections.abc import Iterable
from typing import Final

from ..errors import RankingError
from .error_rate import wilson

# No annotator is judged on fewer pairs.
N_LEAST: Final = 10

# The share of known-answer pairs that a careful annotator gets right, slips included, and that of an
# annotator who presses one key for all questions; answers at random are right less often.
_CAREFUL: Final = 0.8
_GUESSING: Final = 1 / 3
# Right answers count for later wrong ones up to here, so that attention which ends is noticed.
_LEAST_EVIDENCE: Final = -2.0
# From two wrong answers on an annotator is asked to look more closely; from four on, with right
# ones between them from five or more, the evidence is enough to end a visit.
EVIDENCE_TO_WARN: Final = 2.2
EVIDENCE_TO_END: Final = 4.0
# The first pairs of a visit are for finding one's way.
_UNCHECKED: Final = 2
# Right answers in a row after which an earlier wrong one brings no further check.
_CLEARED_BY: Final = 2


def evidence_of_guessing(answers: Iterable[bool]) -> float:
    """Return the logarithm of how much likelier known-answer pairs are with guessing than with care.

    A cumulative sum of log-likelihood ratios (E. S. Page, Continuous inspection schemes, Biometrika
    41, 1954), for shares of right answers of 1/3 and 0.8, oldest first; a skipped pair counts as
    wrong. Order matters: it never falls below -2. Without answers it is 0.
    """
    right = math.log(_GUESSING / _CAREFUL)
    wrong = math.log((1 - _GUESSING) / (1 - _CAREFUL))
    evidence = 0.0
    for is_right in answers:
        evidence = max(evidence + (right if is_right else wrong), _LEAST_EVIDENCE)
    return evidence


def is_in_doubt(answers: Iterable[bool]) -> bool:
    """Return whether the last wrong answer was followed by fewer than two right ones in a row."""
    n_right = _CLEARED_BY
    for is_right in answers:
        n_right = n_right + 1 if is_right else 0
    return n_right < _CLEARED_BY


def is_below(n_right: int, n: int, at_least: float) -> bool:
    """Return whether an annotator's accuracy is clearly below the study's minimum, in [0, 1].

    Clearly means: in at least N_LEAST pairs, with the upper end of Wilson's 95 % interval below it.
    The rule may be applied after every pair: with a minimum of 0.5, an annotator who is right in
    80 % of the pairs is flagged in less than one of 10,000 runs of 40 pairs, and one who guesses
    two criteria per pair in more than 9,999. Raises RankingError if more pairs are right than were
    answered, or the minimum is invalid.
    """
    if not 0 <= n_right <= n:
        raise RankingError(f"{n_right} of {n} known pairs cannot be right")
    if not 0 <= at_least <= 1:
        raise RankingError(f"{at_least} is not a share")
    return n >= N_LEAST and wilson(n_right, n)[1] < at_least


def spread_of_checks(n_pairs: int, n_known: int, rng: random.Random) -> list[int]:
    """Draw which of a visit's pairs have a known answer: one in each equal part, not the first two.

    Their numbers ascend; they are fewer than ``n_known`` if the visit is too short.
    """
    n_known = min(n_known, max(n_pairs - _UNCHECKED, 0))
    if not n_known:
        return []
    width = (n_pairs - _UNCHECKED) / n_known
    ends = [int(_UNCHECKED + width * part) for part in range(n_known + 1)]
    return [rng.randrange(begin, end) for begin, end in itertools.pairwise(ends)]
