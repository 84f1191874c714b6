"""Which pair to show next, and which rankings the answers give.

One annotator ranks the results of one image on three criteria. Each answer is kept, everything
that follows from the answers by transitivity is known and never asked, and results tagged equal are
one group ([DPTF18]_, section III.A). Everything here is a pure function of the log of answers; items
are numbered ``0 .. n-1`` in an order the caller has drawn and keeps.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from .errors import Contradiction, RankingError

CRITERIA: Final = ("recall", "precision", "preference")
Verdict = Literal["left", "equal", "right"]
Strategy = Literal["insertion", "balanced"]
Buckets = tuple[tuple[int, ...], ...]

# The same verdict with left and right exchanged.
MIRRORED: Final[Mapping[str, Verdict]] = {"left": "right", "equal": "equal", "right": "left"}
_MAX_SKIPS: Final = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one screen: a verdict for each criterion that was asked."""

    left: int
    right: int
    verdicts: Mapping[str, Verdict]
    # What the screen was shown for: "place", "repair", or a kind of re-check.
    purpose: str = "place"


@dataclass(frozen=True, slots=True)
class Check(Answer):
    """The answer to a screen that repeats what is known; it does not enter the state of replay()."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A screen that could not be answered. It places nothing."""

    left: int
    right: int
    reason: str = ""
    purpose: str = "place"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The entry at this index of the log no longer counts."""

    entry: int


Entry = Answer | Skip | Withdrawal


@dataclass(frozen=True, slots=True)
class Remaining:
    """How many screens an image still needs.

    Attributes
    ----------
    least, most : int
        Bounds that hold whatever the answers will be, provided that nothing is skipped.
    expected : float
        An estimate between them.
    """

    least: int
    expected: float
    most: int


def effective(log: Sequence[Entry]) -> tuple[Answer | Skip, ...]:
    """Return the answers and skips of the log that are still in force, oldest first.

    Raises
    ------
    RankingError
        If a withdrawal names no earlier answer or skip, or one that is withdrawn already.
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

    An answer for a criterion that is not open is redundant if it agrees with what is known.

    Raises
    ------
    RankingError
        If an entry names an item outside ``0 .. n-1``, an item twice, or an unknown criterion or
        verdict, or answers nothing.
    Contradiction
        If an answer says otherwise than what follows from earlier ones; names the criterion, the
        pair and the entries from which it follows.
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


class _Order:
    """What is known about one criterion: bit sets of the items better, worse and tied with each."""

    def __init__(self, n: int) -> None:
        self.better = [0] * n
        self.worse = [0] * n
        self.same = [1 << i for i in range(n)]

    def known(self, i: int, j: int) -> Verdict | None:
        bit = 1 << j
        if self.worse[i] & bit:
            return "left"
        if self.better[i] & bit:
            return "right"
        return "equal" if self.same[i] & bit else None

    def open_items(self, i: int) -> int:
        """Return the bit set of the items whose place relative to ``i`` is not known."""
        everything = (1 << len(self.same)) - 1
        return everything & ~(self.better[i] | self.worse[i] | self.same[i])

    def set(self, left: int, right: int, verdict: Verdict) -> None:
        if verdict == "left":
            self.set_better(left, right)
        elif verdict == "right":
            self.set_better(right, left)
        else:
            self.set_equal(left, right)

    def set_better(self, i: int, j: int) -> None:
        above = self.better[i] | self.same[i]
        below = self.worse[j] | self.same[j]
        for x in _items(above):
            self.worse[x] |= below
        for x in _items(below):
            self.better[x] |= above

    def set_equal(self, i: int, j: int) -> None:
        same = self.same[i] | self.same[j]
        above = self.better[i] | self.better[j]
        below = self.worse[i] | self.worse[j]
        for x in _items(same):
            self.same[x] = same
            self.better[x] |= above
            self.worse[x] |= below
        for x in _items(above):
            self.worse[x] |= same | below
        for x in _items(below):
            self.better[x] |= same | above

    def groups_worst_first(self, members: int) -> list[int]:
        """Return the groups (bit sets) of these items from worst to best."""
        groups = {self.same[i] & members for i in _items(members)}
        return sorted(groups, key=lambda group: (-self.better[_lowest(group)].bit_count(), group))

    def least_screens(self, visible: int) -> int:
        """Return how many more answers this criterion needs at the least, among some items.

        The groups, each drawn above those directly below it, are covered by as few paths as can
        be; every path but one still has to be joined to another.
        """
        groups = sorted({self.same[i] & visible for i in _items(visible)})
        below = {group: self.worse[_lowest(group)] for group in groups}
        covers = {}
        for group in groups:
            direct = below[group]
            for other in groups:
                if direct & other:
                    direct &= ~below[other]
            covers[group] = [other for other in groups if direct & other]
        return len(groups) - _maximum_matching(covers) - 1 if groups else 0


def _items(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _maximum_matching(edges: Mapping[int, Sequence[int]]) -> int:
    """Return the size of a maximum matching of a bipartite graph (augmenting paths)."""
    matched: dict[int, int] = {}

    def augment(start: int, tried: set[int]) -> bool:
        for end in edges[start]:
            if end in tried:
                continue
            tried.add(end)
            if end not in matched or augment(matched[end], tried):
                matched[end] = start
                return True
        return False

    return sum(augment(start, set()) for start in edges)


@dataclass
class State:
    """What the answers so far say about ``n`` items. Made by :func:`replay`."""

    n: int
    _orders: dict[str, _Order] = field(init=False, repr=False)
    _direct: dict[str, list[tuple[int, int, Verdict, int]]] = field(init=False, repr=False)
    _n_skips: Counter[tuple[int, int]] = field(init=False, repr=False)
    _last: tuple[int, ...] = field(init=False, repr=False, default=())
    _n_entries: int = field(init=False, repr=False, default=0)
    # Bit set of the items that still take part; the others are known of, but not asked or ranked.
    _visible: int = field(init=False, repr=False, default=0)

    def __post_init__(self) -> None:
        self._orders = {criterion: _Order(self.n) for criterion in CRITERIA}
        self._direct = {criterion: [] for criterion in CRITERIA}
        self._n_skips = Counter()
        self._visible = (1 << self.n) - 1

    @property
    def items(self) -> tuple[int, ...]:
        """The items that take part, in order."""
        return tuple(_items(self._visible))

    def hide(self, items: Iterable[int]) -> None:
        """Take items out of what is asked and ranked; what follows by way of them stays known."""
        for item in items:
            self._visible &= ~(1 << item)

    def check(self, entries: Sequence[Answer | Skip]) -> None:
        """Raise RankingError for an entry that cannot be about these items."""
        for at, entry in enumerate(entries):
            for item in (entry.left, entry.right):
                if not 0 <= item < self.n:
                    raise RankingError(f"entry {at}: there is no item {item} of {self.n}")
            if entry.left == entry.right:
                raise RankingError(f"entry {at} compares item {entry.left} with itself")
            if isinstance(entry, Answer):
                _check_verdicts(at, entry)

    def see(self, entries: Sequence[Answer | Skip]) -> None:
        """Note what was shown, for pairs that were skipped and for the last one."""
        for entry in entries:
            if entry.purpose not in ("place", "repair"):
                continue
            if isinstance(entry, Skip):
                self._n_skips[_pair(entry.left, entry.right)] += 1
            self._last = (entry.left, entry.right)
        self._n_entries += len(entries)

    def assume(self, criterion: str, left: int, right: int, verdict: Verdict, entry: int) -> bool:
        """Add what an answer says; False, and nothing added, if it contradicts what is known."""
        order = self._orders[criterion]
        known = order.known(left, right)
        if known not in (None, verdict):
            return False
        self._direct[criterion].append((left, right, verdict, entry))
        if known is None:
            order.set(left, right, verdict)
        return True

    def gap(self, i: int, j: int) -> int:
        """Return how many places two items are apart, added over the criteria."""
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
            because = ", ".join(map(str, self._chain(criterion, left, right)))
            raise Contradiction(
                f"entry {self._n_entries}: {criterion} of items {left} and {right} is {verdict!r}, "
                f"but {known!r} follows from entries {because}"
            )
        self._direct[criterion].append((left, right, verdict, self._n_entries))
        order.set(left, right, verdict)

    def _chain(self, criterion: str, left: int, right: int) -> list[int]:
        """Return the fewest entries from which the known relation of two items follows."""
        known = self._orders[criterion].known(left, right)
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
        """Return what the answers already say of the pair, for each settled criterion."""
        known = {c: self._orders[c].known(left, right) for c in CRITERIA}
        return {criterion: verdict for criterion, verdict in known.items() if verdict is not None}

    @property
    def n_open(self) -> int:
        """The number of pairs that are open in at least one criterion."""
        return sum(self._open_items(i).bit_count() for i in range(self.n)) // 2

    def _open_items(self, i: int) -> int:
        if not self._visible >> i & 1:
            return 0
        return self._visible & (
            self._orders["recall"].open_items(i)
            | self._orders["precision"].open_items(i)
            | self._orders["preference"].open_items(i)
        )

    @property
    def is_finished(self) -> bool:
        """Whether every pair is settled in every criterion."""
        return not any(self._open_items(i) for i in range(self.n))

    @property
    def is_incomplete(self) -> bool:
        """Whether all that is open was skipped twice: nothing is left to ask, yet not all is known."""
        return not self.is_finished and not any(self._showable())

    def _showable(self) -> Iterator[tuple[int, int]]:
        for i in range(self.n):
            for j in _items(self._open_items(i) >> (i + 1)):
                pair = (i, i + 1 + j)
                if self._n_skips[pair] < _MAX_SKIPS:
                    yield pair

    def next_pair(
        self, strategy: Strategy = "insertion", *, exchange: float = 0.25, keep: float = 0.1
    ) -> tuple[int, int] | None:
        """Return the pair to show next, smaller number first; None when nothing is left to ask.

        Pairs that were skipped once come after all others, pairs skipped twice never.

        Parameters
        ----------
        strategy : "insertion" or "balanced"
            Under "insertion" the larger number is the newcomer that is being placed.
        exchange : float
            "balanced" only: how much a place in one criterion counts as evidence for the others.
        keep : float
            "balanced" only: preference for pairs that leave one of the last two results on screen.

        Raises
        ------
        RankingError
            If the strategy is unknown.
        """
        pairs = list(self._showable())
        if not pairs:
            if strategy not in ("insertion", "balanced"):
                raise RankingError(f"unknown strategy {strategy!r}")
            return None
        fewest_skips = min(self._n_skips[pair] for pair in pairs)
        candidates = [pair for pair in pairs if self._n_skips[pair] == fewest_skips]
        if strategy == "insertion":
            return self._next_of_newcomer(candidates)
        if strategy == "balanced":
            scores = self._balance(candidates, exchange, keep)
            return min(candidates, key=lambda pair: (-scores[pair], pair))
        raise RankingError(f"unknown strategy {strategy!r}")

    def _next_of_newcomer(self, candidates: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Binary insertion of the newcomer, for all criteria with one set of screens."""
        newcomer = min(j for _, j in candidates)
        earlier = self._visible & ((1 << newcomer) - 1)
        scores: defaultdict[int, float] = defaultdict(float)
        for order in self._orders.values():
            groups = order.groups_worst_first(order.open_items(newcomer) & earlier)
            middle = (len(groups) - 1) / 2
            for place, group in enumerate(groups):
                for opponent in _items(group):
                    scores[opponent] += 100 - abs(place - middle)
        opponents = [i for i, j in candidates if j == newcomer]
        return min(opponents, key=lambda i: (-round(scores[i], 9), i)), newcomer

    def _balance(
        self, candidates: Sequence[tuple[int, int]], exchange: float, keep: float
    ) -> dict[tuple[int, int], float]:
        """Score pairs by how close the provisional places of the two results are."""
        up, down = self._odds(exchange)
        scores = {}
        for i, j in candidates:
            score = 0.0
            for criterion in self.open_criteria(i, j):
                left = up[criterion][i] * down[criterion][j]
                right = down[criterion][i] * up[criterion][j]
                score += 4 * left * right / (left + right) ** 2
            if i in self._last or j in self._last:
                score *= 1 + keep
            scores[i, j] = round(score, 9)
        return scores

    def _odds(self, exchange: float) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
        worse = {c: [bits.bit_count() for bits in self._orders[c].worse] for c in CRITERIA}
        better = {c: [bits.bit_count() for bits in self._orders[c].better] for c in CRITERIA}

        def odds(counts: Mapping[str, Sequence[int]], criterion: str) -> list[float]:
            others = [counts[c] for c in CRITERIA if c != criterion]
            return [
                1 + own + exchange * (first + second)
                for own, first, second in zip(counts[criterion], *others, strict=True)
            ]

        return (
            {criterion: odds(worse, criterion) for criterion in CRITERIA},
            {criterion: odds(better, criterion) for criterion in CRITERIA},
        )

    def ranking(self, criterion: str) -> Buckets | None:
        """Return the ranking of a criterion, best first; None while a pair is open in it."""
        order = self._orders[criterion]
        items = list(_items(self._visible))
        if any(order.open_items(i) & self._visible for i in items):
            return None
        by_place: dict[int, list[int]] = {}
        for i in items:
            by_place.setdefault((order.better[i] & self._visible).bit_count(), []).append(i)
        return tuple(tuple(by_place[place]) for place in sorted(by_place))

    def rankings(self) -> dict[str, Buckets] | None:
        """Return all rankings; None while anything is open."""
        found = {criterion: self.ranking(criterion) for criterion in CRITERIA}
        complete = {c: ranking for c, ranking in found.items() if ranking is not None}
        return complete if len(complete) == len(CRITERIA) else None

    def remaining(self, strategy: Strategy = "insertion") -> Remaining:
        """Return bounds on the number of screens left, and an estimate between them.

        The bounds hold for both strategies as long as nothing is skipped. The estimate's constants
        are fitted for about ten results; ``benchmarks/elicitation.py`` measures its error.
        """
        n_open = self.n_open
        least = max(
            (order.least_screens(self._visible) for order in self._orders.values()), default=0
        )
        least = min(max(least, 0), n_open)
        verdicts = [verdict for direct in self._direct.values() for *_, verdict, _ in direct]
        ties = (verdicts.count("equal") + 1) / (len(verdicts) + 6)
        scale, slope, power = _ESTIMATE[strategy]
        about = (scale - slope * ties) * n_open**power
        return Remaining(least, min(max(about, least), n_open), n_open)


# (scale, slope, power) of the estimate (scale - slope * share of ties) * open pairs ** power.
_ESTIMATE: Final[Mapping[str, tuple[float, float, float]]] = {
    "insertion": (0.90, 1.25, 0.9),
    "balanced": (1.20, 1.65, 0.8),
}


def _pair(i: int, j: int) -> tuple[int, int]:
    return (i, j) if i < j else (j, i)


def simulate(
    n: int,
    answer: Callable[[int, int, str], Verdict],
    strategy: Strategy = "insertion",
    log: Sequence[Entry] = (),
) -> list[Entry]:
    """Ask until nothing is left and return the whole log.

    Parameters
    ----------
    n : int
        Number of items.
    answer : callable
        ``answer(left, right, criterion)`` gives the verdict; it is called for open criteria only,
        in the order of CRITERIA.
    log : sequence of entries
        What was answered before.
    """
    entries = list(log)
    while True:
        state = replay(n, entries)
        pair = state.next_pair(strategy)
        if pair is None:
            return entries
        verdicts = {criterion: answer(*pair, criterion) for criterion in state.open_criteria(*pair)}
        entries.append(Answer(*pair, verdicts))
