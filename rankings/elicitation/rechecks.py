"""Re-checks and repair: detect a wrong answer, and ask again the pairs that depended on it.

The planner never asks what follows from earlier answers, so it cannot notice errors by itself.
Therefore a few screens repeat what is known. If the answer contradicts it, the pair is asked once
more, later. If the second answer confirms the contradiction, the shortest chain of answers from
which the old relation followed no longer counts in that criterion, the new answer is used, and the
log is read newest first: an older answer that contradicts newer ones is set aside, kept but not
used. All of this is a pure function of the log.
"""

import math
import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final, Literal, NamedTuple

from ..errors import RankingError
from .log import (
    CRITERIA,
    MIRRORED,
    Answer,
    Check,
    Entry,
    Remaining,
    Skip,
    State,
    effective,
    pair_of,
)
from .partial_order import Verdict
from .strategies import Strategy

Purpose = Literal["place", "near", "repeat", "again", "repair"]
CHECKS: Final = ("near", "repeat", "again")

# A pair is repeated when it is this many screens old; a doubtful one is asked again this many
# screens later, so that the first answer is not simply remembered.
_OLD: Final = 10
_LATER: Final = 3
# Repairs are at most this share of an image's screens, rounded up, and so are, while results are
# placed, re-checks.
_MAX_SHARE: Final = 0.2
# A repair may open this many times the estimated screens, since the estimate can be low.
_MARGIN: Final = 1.4


@dataclass(frozen=True, slots=True)
class Ask:
    """The pair to show next, and its purpose. ``left`` and ``right`` matter for checks only."""

    left: int
    right: int
    purpose: Purpose


class _Fact(NamedTuple):
    """One answer's verdict on one pair in one criterion, as State.assume takes it."""

    criterion: str
    left: int
    right: int
    verdict: Verdict
    entry: int


@dataclass(frozen=True)
class Settled:
    """The result of a log with re-checks.

    ``entries`` are those in effect, which led to the ``state``, repairs included. ``set_aside`` are
    answers that are not used, by their place among the entries in force, and the criterion.
    ``doubts`` are pairs with a contradicting re-check, and its entry, to be asked again;
    ``doubtful`` are their criteria. In ``unsettled`` criteria a contradiction was confirmed but not
    repaired, because no screens were left. Numbers of screens: re-checks, those asked because of a
    repair, and all of them.
    """

    entries: tuple[Answer | Skip, ...]
    state: State
    set_aside: tuple[tuple[int, str], ...]
    doubts: Mapping[tuple[int, int], int]
    doubtful: tuple[str, ...]
    unsettled: tuple[str, ...]
    n_checks: int
    n_repairs: int
    n_screens: int
    # The state without any repair, or None if nothing was repaired.
    unrepaired: State | None
    # None under the strategy "careful", which has neither re-checks nor repairs.
    _reader: "_Reader | None" = field(repr=False, compare=False)


@dataclass
class _Reader:
    """Reader of a log, from the oldest to the newest entry."""

    n: int
    # The state that follows from the facts, and the facts that contradict newer ones, as state()
    # would recompute them.
    now: State
    aside: tuple[tuple[int, str], ...] = ()
    hidden: Collection[int] = ()
    facts: list[_Fact] = field(default_factory=list)
    withdrawn: set[int] = field(default_factory=set)
    # Pair and criterion -> the verdict of a first re-check, from the smaller number's side, and
    # its entry.
    doubts: dict[tuple[int, int, str], tuple[Verdict, int]] = field(default_factory=dict)
    unsettled: list[str] = field(default_factory=list)
    n_checks: int = 0
    n_repairs: int = 0
    n_screens: int = 0
    n_repaired: int = 0

    def read(self, entry: Answer | Skip, before: Sequence[Answer | Skip]) -> None:
        """Read the entry that follows those ``before``."""
        self.n_screens += 1
        self.n_checks += entry.purpose in CHECKS
        self.n_repairs += entry.purpose == "repair"
        if isinstance(entry, Skip):
            self._forget_doubt(entry)
        elif isinstance(entry, Check):
            self._check(entry, before)
        else:
            for criterion, verdict in entry.verdicts.items():
                self._take(entry, criterion, verdict, before)
        self.now.see([entry])

    def copy(self) -> "_Reader":
        return replace(
            self,
            now=self.now.copy(),
            facts=[*self.facts],
            withdrawn={*self.withdrawn},
            doubts={**self.doubts},
            unsettled=[*self.unsettled],
        )

    def _take(
        self, answer: Answer, criterion: str, verdict: Verdict, before: Sequence[Answer | Skip]
    ) -> None:
        fact = _Fact(criterion, answer.left, answer.right, verdict, len(before))
        self.facts.append(fact)
        # A consistent answer does not supersede earlier ones.
        if not self.now.assume(*fact, is_newest=True):
            self.now, self.aside = self.state(before)

    def _forget_doubt(self, skip: Skip) -> None:
        """Drop the doubts about a pair that was due again but was skipped: the ranking stays."""
        if skip.purpose == "again":
            for criterion in CRITERIA:
                self.doubts.pop((*pair_of(skip.left, skip.right), criterion), None)

    def _check(self, check: Check, before: Sequence[Answer | Skip]) -> None:
        implied = self.now.implied(check.left, check.right)
        for criterion, verdict in check.verdicts.items():
            known = implied.get(criterion)
            key = (*pair_of(check.left, check.right), criterion)
            seen = _from_smaller(check.left, check.right, verdict)
            doubt = self.doubts.pop(key, None)
            if known is None:
                self._take(check, criterion, verdict, before)
            elif known == verdict:
                continue
            elif doubt is None:
                if check.purpose != "again":
                    self.doubts[key] = seen, len(before)
            elif doubt[0] == seen:
                self._repair(check, criterion, verdict, before)

    def _repair(
        self, check: Check, criterion: str, verdict: Verdict, before: Sequence[Answer | Skip]
    ) -> None:
        """Add the confirmed answer, if the pairs it opens can be asked within the limit."""
        chain = {(entry, criterion) for entry in self.now.chain(criterion, check.left, check.right)}
        withdrawn = {
            place for place, fact in enumerate(self.facts) if (fact.entry, fact.criterion) in chain
        }
        fact = _Fact(criterion, check.left, check.right, verdict, len(before))
        tried = replace(self, facts=[*self.facts, fact], withdrawn=self.withdrawn | withdrawn)
        state, aside = tried.state(before)
        opened = _screens_opened(self.now, state)
        if self.n_repairs + opened > _limit(self.n_screens + opened):
            self.unsettled.append(criterion)
            return
        self.facts, self.withdrawn = tried.facts, tried.withdrawn
        self.now, self.aside = state, aside
        self.n_repaired += 1

    def state(
        self, entries: Sequence[Answer | Skip], *, repaired: bool = True
    ) -> tuple[State, tuple[tuple[int, str], ...]]:
        """Return the state from the facts, newest first, and those that contradict newer ones.

        Without ``repaired``, as if no re-check or repair had been answered.
        """
        facts = [
            fact
            for place, fact in enumerate(self.facts)
            if not repaired or place not in self.withdrawn
        ]
        if not repaired:
            checks = {at for at, entry in enumerate(entries) if entry.purpose in CHECKS}
            facts = [fact for fact in facts if fact.entry not in checks]
        state, aside = State(self.n), []
        state.hide(self.hidden)
        for fact in reversed(facts):
            if not state.assume(*fact):
                aside.append((fact.entry, fact.criterion))
        state.see(entries)
        return state, tuple(sorted(aside))


def _screens_opened(before: State, after: State) -> int:
    opened = after.remaining().expected - before.remaining().expected
    return max(math.ceil(_MARGIN * opened), 1)


def settle(n: int, log: Sequence[Entry], hidden: Collection[int] = ()) -> Settled:
    """Read a log of the items 0 .. n-1, re-checks and repairs included.

    If there are no re-checks and no contradicting answers, the state is that of
    :func:`~.elicitation.replay`. Hidden items are neither asked nor ranked any more, but relations
    that follow through them stay known. Raises RankingError as replay does, but never
    Contradiction: the newer of two answers counts.
    """
    entries = effective(log)
    State(n).check(entries)
    nothing = State(n)
    nothing.hide(hidden)
    reader = _Reader(n, nothing, hidden=hidden)
    for at, entry in enumerate(entries):
        reader.read(entry, entries[:at])
    return _settled(reader, entries)


def settle_next(settled: Settled, entry: Answer | Skip) -> Settled:
    """Add one entry: return what :func:`settle` would for all entries, without rereading them.

    Raises RankingError as :func:`settle` does, and for a log of the strategy "careful".
    """
    if settled._reader is None:
        raise RankingError("a log of the strategy “careful” is read whole, by settle_carefully()")
    before = settled.entries
    settled.state.check([entry], first=len(before))
    reader = settled._reader.copy()
    reader.read(entry, before)
    return _settled(reader, (*before, entry))


def _settled(reader: _Reader, entries: tuple[Answer | Skip, ...]) -> Settled:
    doubts: dict[tuple[int, int], int] = {}
    for (i, j, _), (_, at) in reader.doubts.items():
        doubts[i, j] = at
    unrepaired = reader.state(entries, repaired=False)[0] if reader.n_repaired else None
    return Settled(
        entries,
        reader.now,
        reader.aside,
        doubts,
        tuple(sorted({criterion for *_, criterion in reader.doubts})),
        tuple(dict.fromkeys(reader.unsettled)),
        reader.n_checks,
        reader.n_repairs,
        reader.n_screens,
        unrepaired,
        reader,
    )


def default_checks(n: int) -> int:
    """Return the number of re-checks for n results: n / 5, but at least 1; none if n is below 3."""
    return max(round(0.2 * n), 1) if n > 2 else 0


def _shares(n_checks: int) -> tuple[int, int]:
    """Return the numbers of near re-checks and of repeats."""
    return n_checks - n_checks // 2, n_checks // 2


def ask_of(settled: Settled, strategy: Strategy, *, n_checks: int, seed: str) -> Ask | None:
    """Return the next screen: a pair to place, or a re-check; None when nothing is left to ask.

    Half of the image's ``n_checks`` re-checks (rounded up) compare neighbours in the finished
    ranking, the others repeat an earlier pair with its sides swapped; ``seed`` draws among equally
    good ones. Doubtful pairs are asked in addition.
    """
    state = settled.state
    pair = state.next_pair(strategy)
    check = _next_check(settled, n_checks, seed, at_end=pair is None)
    if check is not None:
        return check
    if pair is None:
        return None
    before = settled.unrepaired
    repairs = before is not None and set(before.implied(*pair)) & set(state.open_criteria(*pair))
    return Ask(*pair, "repair" if repairs else "place")


def remaining_with_checks(settled: Settled, strategy: Strategy, n_checks: int) -> Remaining:
    """Return the remaining screens, including the re-checks still due, as for :func:`ask_of`."""
    left = settled.state.remaining(strategy)
    done = Counter(entry.purpose for entry in settled.entries)
    near, repeat = _shares(n_checks)
    due = max(near - done["near"], 0) + max(repeat - done["repeat"], 0) + len(settled.doubts)
    return Remaining(left.least + due, left.expected + due, left.most + due)


def _limit(n_screens: int) -> int:
    return math.ceil(_MAX_SHARE * n_screens)


def _next_check(settled: Settled, n_checks: int, seed: str, *, at_end: bool) -> Ask | None:
    entries = settled.entries
    for pair, at in settled.doubts.items():
        if not set(settled.state.items).issuperset(pair):
            continue
        if at_end or len(entries) - at > _LATER:
            return Ask(*_swapped(pair, entries), "again")
    done = Counter(entry.purpose for entry in entries)
    n_near, n_repeat = _shares(n_checks)
    n_chosen = done["near"] + done["repeat"]
    # While results are placed, at most every fifth screen is a re-check.
    if not at_end and n_chosen + 1 > _limit(len(entries) + 1):
        return None
    rng = random.Random(f"{seed}/{len(entries)}")
    if done["repeat"] < n_repeat:
        repeated = _repeat(settled, rng, _OLD)
        if repeated is None and at_end:
            # No older pair will become available: a more recent one is better than none.
            repeated = _repeat(settled, rng, _LATER + 1)
        if repeated is not None:
            return Ask(*_swapped(repeated, entries), "repeat")
    if at_end and done["near"] < n_near and settled.state.is_finished:
        near = _near(settled, rng)
        if near is not None:
            return Ask(*(near if rng.random() < 0.5 else near[::-1]), "near")
    return None


def _repeat(settled: Settled, rng: random.Random, age: int) -> tuple[int, int] | None:
    """Return an earlier pair, at least ``age`` screens old, that was asked in the most criteria."""
    entries = settled.entries
    asked: Counter[tuple[int, int]] = Counter()
    seen_lately = {pair_of(entry.left, entry.right) for entry in entries[len(entries) - age + 1 :]}
    checked = _checked_pairs(entries)
    for entry in entries[: max(len(entries) - age + 1, 0)]:
        pair = pair_of(entry.left, entry.right)
        if isinstance(entry, Answer) and pair not in seen_lately | checked:
            asked[pair] += len(entry.verdicts)
    items = set(settled.state.items)
    settled_pairs = [
        pair for pair in asked if items.issuperset(pair) and not settled.state.open_criteria(*pair)
    ]
    most = max((asked[pair] for pair in settled_pairs), default=0)
    best = sorted(pair for pair in settled_pairs if asked[pair] == most)
    return rng.choice(best) if best else None


def _checked_pairs(entries: Sequence[Answer | Skip]) -> set[tuple[int, int]]:
    return {pair_of(entry.left, entry.right) for entry in entries if entry.purpose in CHECKS}


def _near(settled: Settled, rng: random.Random) -> tuple[int, int] | None:
    """Return the pair asked in the fewest criteria; among equals, the nearest in the rankings."""
    state, entries = settled.state, settled.entries
    asked: Counter[tuple[int, int]] = Counter()
    for entry in entries:
        if isinstance(entry, Answer):
            asked[pair_of(entry.left, entry.right)] += len(entry.verdicts)
    checked = _checked_pairs(entries)
    lately = [pair_of(entry.left, entry.right) for entry in entries[-_LATER:]]
    # With few results all pairs may have been shown lately; the very last one is never repeated.
    for passed_over in (checked.union(lately), checked.union(lately[-1:])):
        scored = [
            (asked[i, j], state.gap(i, j), (i, j))
            for i, j in combinations(state.items, 2)
            if (i, j) not in passed_over
        ]
        if scored:
            break
    else:
        return None
    least = min((n_asked, gap) for n_asked, gap, _ in scored)
    return rng.choice([pair for n_asked, gap, pair in scored if (n_asked, gap) == least])


def _swapped(pair: tuple[int, int], entries: Sequence[Answer | Skip]) -> tuple[int, int]:
    """Return a pair with its sides swapped from the last time."""
    for entry in reversed(entries):
        if pair_of(entry.left, entry.right) == pair:
            return entry.right, entry.left
    raise RankingError(f"pair {pair} was never shown")


def _from_smaller(left: int, right: int, verdict: Verdict) -> Verdict:
    return verdict if left < right else MIRRORED[verdict]
