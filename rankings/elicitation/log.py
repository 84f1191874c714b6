"""The log of answers to an image's screens, and the state that follows from it.

One annotator ranks the results of one image by three criteria. Each answer is kept, relations that
follow from the answers by transitivity are never asked, and results judged equal form one group
([DPTF18]_, section III.A). The state is a pure function of the log of answers; items are numbered
``0 .. n-1`` in an order that the caller draws and keeps.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Final

from ..errors import Contradiction, RankingError
from .partial_order import PartialOrder, Verdict, items_of
from .strategies import Strategy, expected_screens, most_balanced, next_of_newcomer

CRITERIA: Final = ("recall", "precision", "preference")
Buckets = tuple[tuple[int, ...], ...]

# The same verdict with left and right exchanged.
MIRRORED: Final[Mapping[str, Verdict]] = {"left": "right", "equal": "equal", "right": "left"}
# A pair that was skipped this many times is not shown again.
_MAX_SKIPS: Final = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one screen: a verdict for each criterion that was asked."""

    left: int
    right: int
    verdicts: Mapping[str, Verdict]
    # The reason for the screen: "place", "repair", or a kind of re-check.
    purpose: str = "place"


@dataclass(frozen=True, slots=True)
class Check(Answer):
    """The answer to a screen that repeats a known pair; it does not enter the state of replay()."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A screen that could not be answered; it settles nothing."""

    left: int
    right: int
    reason: str = ""
    purpose: str = "place"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The withdrawal of the entry at this index of the log, which no longer counts."""

    entry: int


Entry = Answer | Skip | Withdrawal


@dataclass(frozen=True, slots=True)
class Remaining:
    """The number of screens that an image still needs.

    ``least`` and ``most`` hold whatever the answers are, provided that nothing is skipped;
    ``expected`` is an estimate between them.
    """

    least: int
    expected: float
    most: int


def effective(log: Sequence[Entry]) -> tuple[Answer | Skip, ...]:
    """Return the answers and skips of the log that are still in force, oldest first.

    Raises RankingError if a withdrawal names no earlier answer or skip, or one that is already
    withdrawn.
    """
    withdrawn: set[int] = set()
    for at, entry in enumerate(log):
        if not isinstance(entry, Withdrawal):
            continue
        if not 0 <= entry.entry < at or isinstance(log[entry.entry], Withdrawal):
            raise RankingError(
                f"entry {at} withdraws entry {entry.entry}, which is no earlier answer"
            )
        if entry.entry in withdrawn:
            raise RankingError(
                f"entry {at} withdraws entry {entry.entry}, which is withdrawn already"
            )
        withdrawn.add(entry.entry)
    return tuple(
        entry
        for at, entry in enumerate(log)
        if not isinstance(entry, Withdrawal) and at not in withdrawn
    )


def replay(n: int, log: Sequence[Entry]) -> "State":
    """Return the state that a log of ``n`` items leads to.

    An answer for a criterion that is not open is redundant if it agrees with the known relation.

    Parameters
    ----------
    n : int
        Number of items, which are 0 .. n-1.
    log : sequence of Answer, Skip or Withdrawal

    Raises
    ------
    RankingError
        If an entry names an item outside ``0 .. n-1``, an item twice, or an unknown criterion or
        verdict, or answers nothing.
    Contradiction
        If an answer contradicts a conclusion from earlier ones; the message names the criterion,
        the pair and the entries from which the conclusion follows.

    Examples
    --------
    >>> said = {"recall": "left", "precision": "equal", "preference": "left"}
    >>> replay(2, [Answer(0, 1, said)]).rankings()
    {'recall': ((0,), (1,)), 'precision': ((0, 1),), 'preference': ((0,), (1,))}
    """
    if n < 0:
        raise RankingError(f"the number of items must not be negative, got {n}")
    state = State(n)
    entries = effective(log)
    state.check(entries)
    for entry in entries:
        state._add(entry)
    return state


def _check_verdicts(at: int, answer: Answer) -> None:
    if not answer.verdicts:
        raise RankingError(f"entry {at} answers no criterion")
    for criterion, verdict in answer.verdicts.items():
        if criterion not in CRITERIA or verdict not in MIRRORED:
            raise RankingError(
                f"entry {at}: {criterion}={verdict!r} is not a verdict of "
                f"{', '.join(CRITERIA)} with left, equal or right"
            )


@dataclass
class State:
    """The known relations of ``n`` items by every criterion; :func:`replay` creates it."""

    n: int
    _orders: dict[str, PartialOrder] = field(init=False, repr=False)
    # For each criterion the answered pairs that were not known before: left, right, verdict, entry.
    _direct: dict[str, list[tuple[int, int, Verdict, int]]] = field(init=False, repr=False)
    _n_skips: Counter[tuple[int, int]] = field(init=False, repr=False)
    _last: tuple[int, ...] = field(init=False, repr=False, default=())
    _n_entries: int = field(init=False, repr=False, default=0)
    # Bit set of the items that still take part; the others keep relations, but are not ranked.
    _visible: int = field(init=False, repr=False, default=0)

    def __post_init__(self) -> None:
        self._orders = {criterion: PartialOrder(self.n) for criterion in CRITERIA}
        self._direct = {criterion: [] for criterion in CRITERIA}
        self._n_skips = Counter()
        self._visible = (1 << self.n) - 1

    @property
    def items(self) -> tuple[int, ...]:
        """The items that take part, in order."""
        return tuple(items_of(self._visible))

    def hide(self, items: Iterable[int]) -> None:
        """Exclude items from screens and rankings; relations that follow from them stay known."""
        for item in items:
            self._visible &= ~(1 << item)

    def check(self, entries: Sequence[Answer | Skip], first: int = 0) -> None:
        """Raise RankingError if an entry does not fit these items; numbers start at ``first``."""
        for at, entry in enumerate(entries, first):
            for item in (entry.left, entry.right):
                if not 0 <= item < self.n:
                    raise RankingError(f"entry {at}: there is no item {item} of {self.n}")
            if entry.left == entry.right:
                raise RankingError(f"entry {at} compares item {entry.left} with itself")
            if isinstance(entry, Answer):
                _check_verdicts(at, entry)

    def see(self, entries: Sequence[Answer | Skip]) -> None:
        """Record skipped pairs, and the pair shown last."""
        for entry in entries:
            if entry.purpose not in ("place", "repair"):
                continue
            if isinstance(entry, Skip):
                self._n_skips[pair_of(entry.left, entry.right)] += 1
            self._last = (entry.left, entry.right)
        self._n_entries += len(entries)

    def copy(self) -> "State":
        """Return an independent copy of the state."""
        other = copy(self)
        other._orders = {criterion: order.copy() for criterion, order in self._orders.items()}
        other._direct = {criterion: [*direct] for criterion, direct in self._direct.items()}
        other._n_skips = self._n_skips.copy()
        return other

    def assume(
        self,
        criterion: str,
        left: int,
        right: int,
        verdict: Verdict,
        entry: int,
        *,
        is_newest: bool = False,
    ) -> bool:
        """Add an answer's relation; return False, and add nothing, if it contradicts a known one.

        Answers are added from the newest to the oldest, except for one that ``is_newest``.
        """
        order = self._orders[criterion]
        known = order.known(left, right)
        if known not in (None, verdict):
            return False
        direct = self._direct[criterion]
        direct.insert(0 if is_newest else len(direct), (left, right, verdict, entry))
        if known is None:
            order.set(left, right, verdict)
        return True

    def gap(self, i: int, j: int) -> int:
        """Return how many places two items are apart, summed over the criteria."""
        return sum(
            abs(order.better[i].bit_count() - order.better[j].bit_count())
            for order in self._orders.values()
        )

    def _add(self, entry: Answer | Skip) -> None:
        if isinstance(entry, Answer) and not isinstance(entry, Check):
            for criterion, verdict in entry.verdicts.items():
                self._add_verdict(criterion, entry.left, entry.right, verdict)
        self.see([entry])

    def _add_verdict(self, criterion: str, left: int, right: int, verdict: Verdict) -> None:
        order = self._orders[criterion]
        known = order.known(left, right)
        if known == verdict:
            return
        if known is not None:
            because = ", ".join(map(str, self.chain(criterion, left, right)))
            raise Contradiction(
                f"entry {self._n_entries}: {criterion} of items {left} and {right} is {verdict!r}, "
                f"but {known!r} follows from entries {because}"
            )
        self._direct[criterion].append((left, right, verdict, self._n_entries))
        order.set(left, right, verdict)

    def chain(self, criterion: str, left: int, right: int) -> list[int]:
        """Return the fewest entries from which the known relation of two items follows."""
        known = self._orders[criterion].known(left, right)
        # Steps lead from an item to one that is no better; a breadth-first search takes the fewest.
        start, goal = (right, left) if known == "right" else (left, right)
        steps: dict[int, list[tuple[int, int]]] = {}
        for i, j, verdict, entry in self._direct[criterion]:
            if verdict != "right":
                steps.setdefault(i, []).append((j, entry))
            if verdict != "left":
                steps.setdefault(j, []).append((i, entry))
        came_from: dict[int, tuple[int, int]] = {start: (start, -1)}
        queue = [start]
        for item in queue:
            for following, entry in steps.get(item, []):
                if following not in came_from:
                    came_from[following] = (item, entry)
                    queue.append(following)
        chain = []
        while goal != start:
            goal, entry = came_from[goal]
            chain.append(entry)
        return sorted(chain)

    def open_criteria(self, left: int, right: int) -> tuple[str, ...]:
        """Return the criteria in which the pair is not settled."""
        return tuple(c for c in CRITERIA if self._orders[c].known(left, right) is None)

    def implied(self, left: int, right: int) -> dict[str, Verdict]:
        """Return the known verdict on the pair for each criterion in which it is settled."""
        known = {c: self._orders[c].known(left, right) for c in CRITERIA}
        return {criterion: verdict for criterion, verdict in known.items() if verdict is not None}

    @property
    def n_open(self) -> int:
        """The number of pairs that are open in at least one criterion."""
        return sum(self._open_items(i).bit_count() for i in range(self.n)) // 2

    def _open_items(self, i: int) -> int:
        if not self._visible >> i & 1:
            return 0
        open_items = 0
        for order in self._orders.values():
            open_items |= order.open_items(i)
        return self._visible & open_items

    @property
    def is_finished(self) -> bool:
        """True once every pair is settled in every criterion."""
        return not any(self._open_items(i) for i in range(self.n))

    def _showable(self) -> Iterator[tuple[int, int]]:
        for i in range(self.n):
            for j in items_of(self._open_items(i) >> (i + 1)):
                pair = (i, i + 1 + j)
                if self._n_skips[pair] < _MAX_SKIPS:
                    yield pair

    def next_pair(self, strategy: Strategy = "insertion") -> tuple[int, int] | None:
        """Return the pair to show next, smaller number first; None if nothing is left to ask.

        Pairs that were skipped once come after all others; pairs skipped twice are not shown. Under
        "insertion" the larger number is the newcomer that is being placed. Raises RankingError for
        another strategy than this and "balanced".
        """
        pairs = list(self._showable())
        if not pairs:
            if strategy not in ("insertion", "balanced"):
                raise RankingError(f"unknown strategy {strategy!r}")
            return None
        fewest_skips = min(self._n_skips[pair] for pair in pairs)
        candidates = [pair for pair in pairs if self._n_skips[pair] == fewest_skips]
        if strategy == "insertion":
            return next_of_newcomer(self._orders.values(), candidates, self._visible)
        if strategy == "balanced":
            return most_balanced(self._orders, candidates, self._last)
        raise RankingError(f"unknown strategy {strategy!r}")

    def ranking(self, criterion: str) -> Buckets | None:
        """Return the ranking by a criterion, best first; None while a pair is open."""
        order = self._orders[criterion]
        items = list(items_of(self._visible))
        if any(order.open_items(i) & self._visible for i in items):
            return None
        # Items of one bucket have the same number of items above them.
        by_place: dict[int, list[int]] = {}
        for i in items:
            by_place.setdefault((order.better[i] & self._visible).bit_count(), []).append(i)
        return tuple(tuple(by_place[place]) for place in sorted(by_place))

    def rankings(self) -> dict[str, Buckets] | None:
        """Return all rankings; None while any pair is open."""
        rankings = {}
        for criterion in CRITERIA:
            ranking = self.ranking(criterion)
            if ranking is None:
                return None
            rankings[criterion] = ranking
        return rankings

    def remaining(self, strategy: Strategy = "insertion") -> Remaining:
        """Return bounds on the number of screens left, and an estimate between them.

        The bounds hold for both strategies as long as nothing is skipped: a screen settles at
        least one open pair, and every criterion needs its least number of answers.
        """
        n_open = self.n_open
        least = max(
            (order.least_screens(self._visible) for order in self._orders.values()), default=0
        )
        least = min(max(least, 0), n_open)
        verdicts = [verdict for direct in self._direct.values() for *_, verdict, _ in direct]
        # Six verdicts with one tie are added, so that the first screen has a share, too.
        ties = (verdicts.count("equal") + 1) / (len(verdicts) + 6)
        about = expected_screens(strategy, n_open, ties)
        return Remaining(least, min(max(about, least), n_open), n_open)


def pair_of(i: int, j: int) -> tuple[int, int]:
    """Return two items as a pair, the smaller number first, whichever side they were on."""
    return (i, j) if i < j else (j, i)


def simulate(
    n: int,
    answer: Callable[[int, int, str], Verdict],
    strategy: Strategy = "insertion",
    log: Sequence[Entry] = (),
) -> list[Entry]:
    """Ask until nothing is left to ask, and return the whole log.

    Parameters
    ----------
    n : int
        Number of items.
    answer : callable
        ``answer(left, right, criterion)`` returns the verdict; called for open criteria only, in
        the order of CRITERIA.
    strategy : "insertion" or "balanced"
    log : sequence of entries
        Earlier answers.

    Examples
    --------
    >>> log = simulate(3, lambda left, right, criterion: "left" if left < right else "right")
    >>> replay(3, log).rankings()["recall"]
    ((0,), (1,), (2,))
    """
    entries = list(log)
    while True:
        state = replay(n, entries)
        pair = state.next_pair(strategy)
        if pair is None:
            return entries
        verdicts = {criterion: answer(*pair, criterion) for criterion in state.open_criteria(*pair)}
        entries.append(Answer(*pair, verdicts))
