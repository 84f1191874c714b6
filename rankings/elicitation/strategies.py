"""The strategies that take answers as exact: the pair to show next, and the expected screens."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal

from .partial_order import PartialOrder, items_of

# "careful" expects mistakes; see careful.py.
Strategy = Literal["insertion", "balanced", "careful"]
# Ways to rank whose cost differs: the careful order asks every pair once if a place must be certain.
Way = Literal["insertion", "careful", "every-pair"]
WAYS: Final[tuple[Way, ...]] = ("insertion", "careful", "every-pair")

# An answer takes about so long where no study has measured it.
SECONDS_A_PAIR: Final = 10.0

# (scale, slope, power) of the estimate (scale - slope * share of ties) * open pairs ** power.
ESTIMATE: Final[Mapping[str, tuple[float, float, float]]] = {
    "insertion": (0.90, 1.25, 0.9),
    "balanced": (1.20, 1.65, 0.8),
}
# More than any distance from the middle: an opponent open in one more criterion comes first.
_PER_OPEN_CRITERION: Final = 100
# Of "balanced": the weight of a place in one criterion as evidence for the others, and of a pair that
# leaves one of the last two results on screen.
_EXCHANGE, _KEEP = 0.25, 1.1

# Pairs by careful insertion per pair by binary insertion with 2 re-checks, if 5 % of the answers are
# wrong and the share of wrong answers is learnt (docs/explanation/rechecks.md).
_CAREFUL: Final = 32.9 / 27.1


def pairs_of_ranking(n_methods: int, tied: float = 0.0, way: Way = "insertion") -> float:
    """Return the pairs that a ranking of an image usually takes, without re-checks.

    A result is placed by bisection among the groups of those before it, and the sooner the more ties
    there are; the three criteria rarely diverge. A share ``tied`` of pairs ties: of m results,
    m / (1 + tied (m - 1)) groups are expected. Every result but the first takes one pair at least.
    The careful order takes more, at most every pair.
    """
    n_pairs = math.comb(n_methods, 2)
    if way == "every-pair":
        return n_pairs
    groups = (m / (1 + tied * (m - 1)) for m in range(1, n_methods))
    expected = sum(math.ceil(math.log2(n + 1)) for n in groups) * (1 - tied**2)
    expected = max(expected, n_methods - 1)
    return min(_CAREFUL * expected, n_pairs) if way == "careful" else expected


def next_of_newcomer(
    orders: Collection[PartialOrder], candidates: Sequence[tuple[int, int]], visible: int
) -> tuple[int, int]:
    """Return the next pair of binary insertion, for all criteria with one set of screens.

    The newcomer is compared with the opponent that is open in most criteria and, of these, is
    nearest to the middle of the groups in which the newcomer may still be placed. Candidates are
    open pairs, at least one, the smaller number first; ``visible`` is the bit set of the items that
    take part.
    """
    newcomer = min(j for _, j in candidates)
    earlier = visible & ((1 << newcomer) - 1)
    scores: defaultdict[int, float] = defaultdict(float)
    for order in orders:
        groups = order.groups_worst_first(order.open_items(newcomer) & earlier)
        middle = (len(groups) - 1) / 2
        for place, group in enumerate(groups):
            for opponent in items_of(group):
                scores[opponent] += _PER_OPEN_CRITERION - abs(place - middle)
    opponents = [i for i, j in candidates if j == newcomer]
    # Rounded, so that equal scores tie whatever the order of their sums.
    return min(opponents, key=lambda i: (-round(scores[i], 9), i)), newcomer


def most_balanced(
    orders: Mapping[str, PartialOrder],
    candidates: Sequence[tuple[int, int]],
    last: tuple[int, ...],
) -> tuple[int, int]:
    """Return the pair whose two results have the closest provisional places.

    A pair's score is 4 p (1 - p) summed over its open criteria, where p is the probability that the
    left one is better, by the odds of the two: 1 for even odds, near 0 if the answer is all but
    known. Candidates are open pairs, at least one; those with a result of the ``last`` screen are
    preferred.
    """
    up, down = _odds(orders)
    scores = {}
    for i, j in candidates:
        score = 0.0
        for criterion, order in orders.items():
            if order.known(i, j) is not None:
                continue
            left = up[criterion][i] * down[criterion][j]
            right = down[criterion][i] * up[criterion][j]
            score += 4 * left * right / (left + right) ** 2
        if i in last or j in last:
            score *= _KEEP
        scores[i, j] = round(score, 9)
    return min(candidates, key=lambda pair: (-scores[pair], pair))


def _odds(
    orders: Mapping[str, PartialOrder],
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return the evidence that each item ranks high, and that it ranks low, for each criterion.

    It is one more than the number of items known to be worse (for high) or better (for low), plus a
    share of the same numbers in the other criteria.
    """
    worse = {name: [bits.bit_count() for bits in order.worse] for name, order in orders.items()}
    better = {name: [bits.bit_count() for bits in order.better] for name, order in orders.items()}

    def odds(counts: Mapping[str, Sequence[int]], criterion: str) -> list[float]:
        others = [counts[name] for name in orders if name != criterion]
        return [
            1 + own + _EXCHANGE * sum(elsewhere)
            for own, *elsewhere in zip(counts[criterion], *others, strict=True)
        ]

    return (
        {criterion: odds(worse, criterion) for criterion in orders},
        {criterion: odds(better, criterion) for criterion in orders},
    )


def expected_screens(strategy: Strategy, n_open: int, share_of_ties: float) -> float:
    """Return the estimated number of screens that open pairs take.

    The constants are fitted for about ten results; its error is in docs/validation/elicitation.md. A
    pair that is open in several criteria counts once. ``share_of_ties`` is among the verdicts so
    far.
    """
    scale, slope, power = ESTIMATE[strategy]
    return float((scale - slope * share_of_ties) * n_open**power)
