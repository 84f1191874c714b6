"""The share of wrong answers, and whether mistakes are made again, estimated from repeated pairs."""

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from operator import add
from typing import Final, Literal

from ..errors import RankingError
from .partial_order import Verdict

_MIN_REPEATED: Final = 30
_MIN_MISTAKES: Final = 10


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """An annotator's estimated share of wrong answers, with a 95 % interval."""

    rate: float
    low: float
    high: float
    n_repeated: int


@dataclass(frozen=True, slots=True)
class Repeated:
    """Answers that an annotator gave again: how many, how many differ, and on how many screens.

    The other numbers are sums over the screens: of squares of the differing answers, of their products
    with all answers, and of squares of all. They say how far answers of one screen err together.
    """

    n: int = 0
    n_differing: int = 0
    n_screens: int = 0
    differing_squared: int = 0
    products: int = 0
    squared: int = 0

    @classmethod
    def of_screen(cls, n: int, n_differing: int) -> "Repeated":
        """Return the numbers of one screen; raise RankingError if more differ than were repeated."""
        if not 0 <= n_differing <= n:
            raise RankingError(f"{n_differing} of {n} repeated answers cannot differ")
        return cls(n, n_differing, int(n > 0), n_differing**2, n * n_differing, n**2)

    def __add__(self, other: "Repeated") -> "Repeated":
        return Repeated(*map(add, astuple(self), astuple(other)))

    @property
    def n_independent(self) -> float:
        """The number of independent answers that know the share of differing ones as well.

        By the variance of the share over screens as clusters; the number of screens if all answers
        differ, or none.
        """
        if self.n_screens < 2 or self.n_differing in (0, self.n):
            return float(self.n_screens)
        share = self.n_differing / self.n
        squares = self.differing_squared - 2 * share * self.products + share**2 * self.squared
        variance = squares / self.n**2 * self.n_screens / (self.n_screens - 1)
        return min(share * (1 - share) / variance, self.n) if variance > 0 else float(self.n)


def error_rate(repeated: Repeated) -> ErrorRate | None:
    """Estimate an annotator's share of wrong answers; None for fewer than 30 repeated ones.

    If both wrong answers are equally likely, a share d of differing answers implies a share
    e = (2 - sqrt(4 - 6 d)) / 3 of wrong ones, or 2/3 if d >= 2/3. The interval is Wilson's for d, of
    as many answers as are independent: an annotator who confuses the sides errs by all criteria at once.
    """
    if repeated.n < _MIN_REPEATED:
        return None
    share, n = repeated.n_differing / repeated.n, repeated.n_independent
    low, high = wilson(share * n, n)
    return ErrorRate(_error(share), _error(low), _error(high), repeated.n)


def _error(differing: float) -> float:
    # Two answers, each wrong with probability e, differ with probability 2 e (1 - e) + e^2 / 2;
    # this is the smaller solution for e.
    return (2 - math.sqrt(max(4 - 6 * differing, 0.0))) / 3 if differing < 2 / 3 else 2 / 3


@dataclass(frozen=True, slots=True)
class Mistakes:
    """Repeated answers that contradicted, or agreed with, all other annotators the first time.

    If people err independently each time, a mistake comes again with half the probability of a wrong
    answer; if mistakes, or opinions, belong to the pair, nearly always.

    Of ``n`` contradicting first answers ``n_again`` were given again; of ``n_right`` agreeing ones
    ``n_changed`` were not.
    """

    n: int = 0
    n_again: int = 0
    n_right: int = 0
    n_changed: int = 0

    def __add__(self, other: "Mistakes") -> "Mistakes":
        return Mistakes(
            self.n + other.n,
            self.n_again + other.n_again,
            self.n_right + other.n_right,
            self.n_changed + other.n_changed,
        )

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share of mistakes made again; 0 to 1 without any."""
        return wilson(self.n_again, self.n) if self.n else (0.0, 1.0)

    @property
    def expected(self) -> float | None:
        """The share made again if people erred independently each time; None without right answers."""
        return self.n_changed / self.n_right / 2 if self.n_right else None

    @property
    def belong_to(self) -> Literal["pair", "answer"] | None:
        """Whether most mistakes belong to the pair; None if unknown, as with fewer than ten."""
        low, high = self.interval
        if self.n < _MIN_MISTAKES or low <= 0.5 <= high:
            return None
        return "pair" if low > 0.5 else "answer"


def mistakes_of(
    first: Mapping[str, Verdict], again: Mapping[str, Verdict], others: Mapping[str, Verdict]
) -> Mistakes:
    """Return the counts of one pair that an annotator answered twice.

    ``others`` are the verdicts, by criterion, on which all other annotators of the image agree. Only
    "left" against "right" is a contradiction: "equal" may be a matter of degree. A pair counts once, by
    the first criterion with a contradiction, or else with an agreement, because criteria answered on one
    screen depend on each other.
    """
    decided = [name for name in first if name in again and others.get(name, "equal") != "equal"]
    for name in decided:
        if {first[name], others[name]} == {"left", "right"}:
            return Mistakes(n=1, n_again=int(first[name] == again[name]))
    for name in decided:
        if first[name] == others[name]:
            return Mistakes(n_right=1, n_changed=int(first[name] != again[name]))
    return Mistakes()


# The 97.5 % quantile of the standard normal distribution.
_Z = 1.959963984540054


def wilson(n_hits: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of hits among n >= 1 [Wilson 1927]."""
    share = n_hits / n
    middle = (share + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n)) / (1 + _Z * _Z / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)
