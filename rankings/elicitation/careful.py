"""Careful insertion: a sorter that expects mistakes, and asks until a place is probable.

The results are inserted one after the other, as by the strategy "insertion", but no answer is taken
as certain. With m groups placed, a newcomer has 2 m + 1 places: in a group, or between two. Each
answer agrees with some of these places and contradicts the others; with a share e of wrong answers,
both wrong verdicts being equally likely, an answer makes a place that it contradicts
(e / 2) / (1 - e) times as likely as one with which it agrees (Bayes' rule, all places equally likely
before). The next opponent is of the group whose answer is least predictable, so that it tells most.
A newcomer is placed when one place has the probability that the study chooses. There are at most as
many screens as pairs of results: a pair comes again only while newcomers do not need the screen, and
when all screens are used up, a criterion with a place that is not probable enough gets the weak order
nearest to all its answers (:func:`..consensus.kemeny.nearest_places`). With a probability of 1, which
no place has, every pair is asked once, and the ranking is that weak order. The share e is
estimated from the answers of this image and, through the prior, of earlier ones. The result is a
pure function of the answers, whatever their order.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, comb, log, log2
from typing import Final

import numpy as np

from ..consensus.kemeny import nearest_places
from ..errors import RankingError
from .log import CRITERIA, Answer, Entry, Remaining, Skip, State, effective, pair_of
from .partial_order import PartialOrder, Verdict, items_of
from .rechecks import Settled
from .strategies import Strategy

# Wrong answers among all answers that count as seen before an annotator's first image. Fitted, as
# the next two, to the screens and errors of specs.
FIRST_SLIPS: Final = 2.91
FIRST_ANSWERS: Final = 30.0
# The answers that an annotator's earlier share weighs within an image.
_WEIGHT: Final = 300.0
_LEAST_RATE, _MOST_RATE = 0.005, 0.3
# A question that tells less than this (nats) is not asked.
_LEAST_GAIN: Final = 0.12
# A newcomer is asked at most this many times the questions of a binary search.
_MOST_TIMES: Final = 2
_MAX_SKIPS: Final = 2
_SIGNS: Final = {"left": 1, "equal": 0, "right": -1}
# Screens for each bit of uncertainty without wrong answers, what their share adds, and how many bits
# this weighs against the image's own screens; fitted.
_PER_BIT, _PER_BIT_AND_SLIP, _BITS = 0.8, 6.0, 6.0


@dataclass(frozen=True, slots=True)
class Rules:
    """Settings of careful insertion for one image.

    A result is placed when a place has the probability ``certainty``, above 0.5; 1 asks every pair once.
    ``repeats`` allows the same two results to be asked again. Without it only other members of a
    group are asked: for annotators who make the same mistake again on the same pair. ``n_slips``
    are the expected wrong ones among the ``n_answers`` of this annotator's earlier images.
    """

    certainty: float = 0.9
    repeats: bool = True
    n_slips: float = FIRST_SLIPS
    n_answers: float = FIRST_ANSWERS

    def __post_init__(self) -> None:
        if not 0.5 < self.certainty <= 1:
            raise RankingError(f"certainty {self.certainty} is not above 0.5 and at most 1")
        if not 0 < self.n_slips < self.n_answers < float("inf"):
            raise RankingError(f"{self.n_slips} wrong of {self.n_answers} answers is no share")

    @property
    def every_pair(self) -> bool:
        """Whether every pair is asked, once."""
        return self.certainty == 1


class _Belief:
    """The places of one item among groups (worst first) by one criterion, and what speaks for each.

    Place 2 i is above i groups and below the others; place 2 j + 1 is in group j.
    """

    def __init__(self, groups: Sequence[Sequence[int]], said: Sequence[tuple[int, int]]) -> None:
        group_of = {item: at for at, group in enumerate(groups) for item in group}
        # For each group the answers that the item is better, equal, worse.
        better, equal, worse = ([0] * len(groups) for _ in range(3))
        for opponent, sign in said:
            if opponent in group_of:
                (worse, equal, better)[sign + 1][group_of[opponent]] += 1
        self.n = sum(better) + sum(equal) + sum(worse)
        # For each place, how many answers contradict it.
        below, above = 0, sum(worse)
        self.wrong = [self.n - above]
        for at in range(len(groups)):
            above -= worse[at]
            self.wrong += [
                self.n - below - equal[at] - above,
                self.n - below - better[at] - above,
            ]
            below += better[at]
        self._fewest = min(self.wrong)
        self.best = self.wrong.index(self._fewest)
        # Numbers of places that so many more answers contradict than the best one.
        self._counts = [0] * (max(self.wrong) - self._fewest + 1)
        for n_wrong in self.wrong:
            self._counts[n_wrong - self._fewest] += 1

    def _shares(self, rate: float) -> list[float]:
        """Return the weight of the places that so many more answers contradict, the best one's 1."""
        ratio = rate / 2 / (1 - rate)
        return [n * ratio**more for more, n in enumerate(self._counts)]

    def certainty(self, rate: float) -> float:
        """Return the probability of the best place."""
        return 1 / sum(self._shares(rate))

    def weights(self, rate: float) -> list[float]:
        """Return the probability of each place."""
        ratio, best = rate / 2 / (1 - rate), self.certainty(rate)
        return [best * ratio ** (n_wrong - self._fewest) for n_wrong in self.wrong]

    def slips(self, rate: float) -> float:
        """Return the expected number of wrong answers."""
        shares = self._shares(rate)
        return self._fewest + sum(more * one for more, one in enumerate(shares)) / sum(shares)

    def gains(self, rate: float) -> list[float]:
        """Return for each group the information (nats) that a comparison with it is expected to give."""
        weights = self.weights(rate)
        noise = _entropy((1 - rate, rate / 2, rate / 2))
        gains, below = [], weights[0]
        for equal, gap in zip(weights[1::2], weights[2::2], strict=True):
            verdicts = (below, equal, max(1 - below - equal, 0.0))
            seen = [(1 - rate) * share + rate / 2 * (1 - share) for share in verdicts]
            gains.append(_entropy(seen) - noise)
            below += equal + gap
        return gains


def _entropy(shares: Iterable[float]) -> float:
    return -sum(share * log(share) for share in shares if share > 0)


@dataclass
class CarefulState(State):
    """The relations of the placed items; :func:`settle_carefully` creates it.

    ``rate`` is the estimated share of wrong answers; ``n_slips`` expected wrong ones among all
    ``n_answers``, earlier images included, are the prior of the next image.
    """

    rules: Rules = Rules()
    rate: float = field(init=False, default=0.0)
    n_slips: float = field(init=False, default=0.0)
    n_answers: float = field(init=False, default=0.0)
    # For each criterion and item: answers against lower items (opponent, 1 if the item is better).
    _said: dict[str, list[list[tuple[int, int]]]] = field(init=False, repr=False)
    # For each item: how often each lower item was its opponent.
    _asked: list[Counter[int]] = field(init=False, repr=False)
    _n_asked: int = field(init=False, repr=False, default=0)
    # Whether an answer contradicts others by every place of its item.
    _is_contradicted: bool = field(init=False, repr=False, default=False)
    _groups: dict[str, list[list[int]]] = field(init=False, repr=False)
    # Criteria in which an item got its likeliest place because it was asked as often as allowed.
    _unsure: set[str] = field(init=False, repr=False, default_factory=set)
    # Items without a place in some criterion, the next to be asked first, and their beliefs there.
    _newcomers: dict[int, dict[str, _Belief]] = field(init=False, repr=False, default_factory=dict)

    # The opponent of each newcomer whose turn has come; None if all were skipped twice.
    _opponents: dict[int, int | None] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._said = {criterion: [[] for _ in range(self.n)] for criterion in CRITERIA}
        self._asked = [Counter() for _ in range(self.n)]
        self._groups = {criterion: [] for criterion in CRITERIA}

    def read(self, entries: Sequence[Answer | Skip]) -> None:
        """Read a whole log, and place every item that its answers place."""
        for entry in entries:
            if isinstance(entry, Answer):
                low, item = pair_of(entry.left, entry.right)
                self._asked[item][low] += 1
                self._n_asked += 1
                for criterion, verdict in entry.verdicts.items():
                    sign = _SIGNS[verdict] * (1 if entry.left == item else -1)
                    self._said[criterion][item].append((low, sign))
        self.see(entries)
        self._place_all()

    def _place_all(self) -> None:
        prior = self.rules.n_slips / self.rules.n_answers
        n_slips, n_answers = _WEIGHT * prior, _WEIGHT
        self.rate = prior
        for item in range(self.n):
            beliefs = {c: _Belief(self._groups[c], self._said[c][item]) for c in CRITERIA}
            self._is_contradicted |= any(min(belief.wrong) for belief in beliefs.values())
            n_own = sum(belief.n for belief in beliefs.values())
            # The share of wrong answers follows from the places, and these from it.
            slips = 0.0
            for _ in range(2 if n_own else 0):
                slips = sum(belief.slips(self.rate) for belief in beliefs.values())
                share = (n_slips + slips) / (n_answers + n_own)
                self.rate = min(max(share, _LEAST_RATE), _MOST_RATE)
            n_slips, n_answers = n_slips + slips, n_answers + n_own
            unplaced = {c: b for c, b in beliefs.items() if not self._is_placed(item, b, c)}
            if self._is_spent(item):
                self._unsure.update(c for c, b in beliefs.items() if not self._is_sure(b))
            for criterion in beliefs.keys() - unplaced.keys():
                self._place(criterion, item, beliefs[criterion].best)
            if unplaced and self._visible >> item & 1:
                self._newcomers[item] = unplaced
                opponent = self._opponents[item] = self._opponent(item)
                # One of whom only skipped pairs are left waits until the others are placed.
                if opponent is not None and not self._n_skips[opponent, item]:
                    self._newcomers |= {
                        key: {} for key in items_of(self._visible >> item + 1 << item + 1)
                    }
                    break
        self.n_slips = self.rules.n_slips + n_slips - _WEIGHT * prior
        self.n_answers = self.rules.n_answers + n_answers - _WEIGHT
        is_all = self.rules.every_pair or self._n_asked >= comb(self.n, 2)
        if is_all and not self._newcomers:
            for criterion in self._unsure:
                self._groups[criterion] = self._nearest(criterion)
        for criterion, groups in self._groups.items():
            self._orders[criterion] = _order_of(groups, self.n)

    def _nearest(self, criterion: str) -> list[list[int]]:
        """Return the weak order nearest to what was said of the placed items, worst group first."""
        items = sorted(item for group in self._groups[criterion] for item in group)
        number = {item: at for at, item in enumerate(items)}
        before, equal = np.zeros((2, 1, len(items), len(items)), dtype=np.int64)
        for item in items:
            for low, sign in self._said[criterion][item]:
                if low in number:
                    a, b = (item, low) if sign > 0 else (low, item)
                    (before if sign else equal)[0, number[a], number[b]] += 1
        equal += equal.transpose(0, 2, 1)
        places = nearest_places(before, equal)[0][0].tolist()
        return [
            [item for item, own in zip(items, places, strict=True) if own == place]
            for place in sorted({*places}, reverse=True)
        ]

    def _is_spent(self, item: int) -> bool:
        """Return whether an item was asked as often as allowed."""
        asked = self._asked[item]
        if self.rules.every_pair:
            return bool(asked) and not [*self._open_opponents(item)]
        # Every newcomer has a screen of its own.
        n_waiting = sum(
            not self._asked[one] for one in items_of(self._visible >> item + 1 << item + 1)
        )
        return bool(asked) and (
            sum(asked.values()) >= _most_asked(item)
            or self._n_asked + n_waiting >= comb(self.n, 2)
            or (len(asked) >= item and not self._may_repeat(item))
        )

    def _open_opponents(self, item: int) -> Iterator[int]:
        """Yield the items before one that it was not compared with, except for pairs skipped twice."""
        for low in items_of(self._visible & ((1 << item) - 1)):
            if not self._asked[item][low] and self._n_skips[low, item] < _MAX_SKIPS:
                yield low

    def _may_repeat(self, item: int) -> bool:
        """Return whether a pair may come again: not if other pairs are likely to need the screen."""
        if not self.rules.repeats or self.rules.every_pair:
            return False
        n_new = sum(
            one - min(len(self._asked[one]), one) for one in items_of(self._visible >> item << item)
        )
        spare = n_new / 3 if self._is_contradicted else _spare(self.n)
        return comb(self.n, 2) - self._n_asked > n_new - spare

    def _is_sure(self, belief: _Belief) -> bool:
        return not self.rules.every_pair and belief.certainty(self.rate) >= self.rules.certainty

    def _is_placed(self, item: int, belief: _Belief, criterion: str) -> bool:
        return (
            self._is_sure(belief)
            or not self._visible
            & sum(1 << one for group in self._groups[criterion] for one in group)
            or self._is_spent(item)
            or (belief.n > 0 and not self._worth_asking(item, belief, criterion))
        )

    def _place(self, criterion: str, item: int, place: int) -> None:
        groups = self._groups[criterion]
        if place % 2:
            groups[place // 2].append(item)
        else:
            groups.insert(place // 2, [item])

    def _worth_asking(self, item: int, belief: _Belief, criterion: str) -> dict[int, float]:
        """Return the gain of each opponent that would tell enough about the item's place."""
        groups = zip(self._groups[criterion], belief.gains(self.rate), strict=True)
        may_repeat = self._may_repeat(item)
        return {
            opponent: gain
            for group, gain in groups
            if gain >= _LEAST_GAIN or not belief.n or self.rules.every_pair
            for opponent in group
            if self._visible >> opponent & 1 and (may_repeat or not self._asked[item][opponent])
        }

    def _opponent(self, item: int) -> int | None:
        """Return the opponent to show next; None if all that are worth asking were skipped twice."""
        gains: defaultdict[int, float] = defaultdict(float)
        for criterion, belief in self._newcomers[item].items():
            for opponent, gain in self._worth_asking(item, belief, criterion).items():
                gains[opponent] += gain
        skips = {opponent: self._n_skips[opponent, item] for opponent in gains}
        shown = [opponent for opponent in gains if skips[opponent] < _MAX_SKIPS]
        # Rounded, so that equal gains tie whatever the order of their sums.
        return min(
            shown,
            key=lambda one: (skips[one], -round(gains[one], 9), self._asked[item][one], one),
            default=None,
        )

    @property
    def unsure(self) -> tuple[str, ...]:
        """The criteria in which a result has its place although its probability is lower."""
        if self.rules.every_pair:
            return ()
        return tuple(criterion for criterion in CRITERIA if criterion in self._unsure)

    def next_pair(self, strategy: Strategy = "careful") -> tuple[int, int] | None:
        """Return the pair to show next, smaller number first; None if nothing is left to ask.

        Pairs that were skipped once come after all others; pairs skipped twice are not shown.
        """
        opponents = self._opponents.items()
        pairs = [(opponent, item) for item, opponent in opponents if opponent is not None]
        return min(pairs, key=lambda pair: (self._n_skips[pair], pair[1]), default=None)

    def remaining(self, strategy: Strategy = "careful") -> Remaining:
        """Return bounds on the number of screens left, and an estimate between them.

        The bounds hold as long as nothing is skipped or withdrawn: every newcomer needs a screen,
        none is asked more than twice as often as by a binary search, and all have at most as many
        screens as there are pairs.
        """
        if self.rules.every_pair:
            n_open = sum(1 for item in self._newcomers for _ in self._open_opponents(item))
            return Remaining(n_open, n_open, n_open)
        placed = [item for item in range(self.n) if item not in self._newcomers]
        groups = max(map(len, self._groups.values()))
        # Expected groups, and uncertainty of a place (bits), when an item's turn comes.
        share = (groups + 1) / (len(placed) + 2)
        bits = [log2(2 * share * item + 1) for item in range(self.n)]
        n_spent = sum(sum(self._asked[item].values()) for item in placed)
        usual = _BITS * (_PER_BIT + _PER_BIT_AND_SLIP * self.rate)
        per_bit = (usual + n_spent) / (_BITS + sum(bits[item] for item in placed))
        least = most = 0
        expected = 0.0
        for item, beliefs in self._newcomers.items():
            if item in self._opponents and self._opponents[item] is None:
                continue
            least += 1
            most += max(_most_asked(item) - sum(self._asked[item].values()), 1)
            unknown = [_entropy(belief.weights(self.rate)) / log(2) for belief in beliefs.values()]
            expected += max(per_bit * max(unknown, default=bits[item]), 1.0)
        most = min(most, max(comb(self.n, 2) - self._n_asked, least))
        return Remaining(least, min(expected, most), most)


def _spare(n: int) -> int:
    """Return how many of all pairs consistent answers need not have; a safe number in simulations."""
    return max(0, (n - 6) // 2)


def _most_asked(item: int) -> int:
    return _MOST_TIMES * ceil(log2(2 * item + 1))


def _order_of(groups: Sequence[Sequence[int]], n: int) -> PartialOrder:
    """Return the order in which the items of groups, worst first, are known and others are open."""
    order = PartialOrder(n)
    bits = [sum(1 << item for item in group) for group in groups]
    below, above = 0, sum(bits)
    for group, same in zip(groups, bits, strict=True):
        above ^= same
        for item in group:
            order.worse[item], order.same[item], order.better[item] = below, same, above
        below |= same
    return order


def settle_carefully(
    n: int, log: Sequence[Entry], hidden: Collection[int] = (), rules: Rules = Rules()
) -> Settled:
    """Read a log of the items 0 .. n-1, answered under the strategy "careful".

    Every answer is evidence; none is set aside, and none is a re-check. Hidden items are neither
    asked nor ranked any more. The state is a :class:`CarefulState`. Criteria in which a result was
    placed because it had been asked as often as allowed are unsettled. Raises RankingError if an
    entry names an item outside ``0 .. n-1``, an item twice, or an unknown criterion or verdict, or
    answers nothing.
    """
    if n < 0:
        raise RankingError(f"the number of items must not be negative, got {n}")
    entries = effective(log)
    state = CarefulState(n, rules)
    state.check(entries)
    state.hide(hidden)
    state.read(entries)
    n, unsure = len(entries), state.unsure
    return Settled(entries, state, (), {}, (), unsure, 0, 0, n, None, None)


def simulate_carefully(
    n: int, answer: Callable[[int, int, str], Verdict], rules: Rules = Rules()
) -> list[Entry]:
    """Ask until every item has its place, and return the whole log.

    ``answer(left, right, criterion)`` returns the verdict, which may differ each time; it is called
    for open criteria only, in the order of CRITERIA.
    """
    entries: list[Entry] = []
    while True:
        state = settle_carefully(n, entries, rules=rules).state
        pair = state.next_pair()
        if pair is None:
            return entries
        asked = state.open_criteria(*pair)
        entries.append(Answer(*pair, {name: answer(*pair, name) for name in asked}))
