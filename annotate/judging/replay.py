"""Replay of an assignment's stored events to the planner's state; the log is authoritative."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, cast

from django.db.models import QuerySet

from annotate.datasets.models import Result
from annotate.prepared_sql import log_of_an_assignment
from annotate.studies.models import Study
from rankings.elicitation.careful import (
    FIRST_ANSWERS,
    FIRST_SLIPS,
    CarefulState,
    Rules,
    settle_carefully,
)
from rankings.elicitation.log import CRITERIA, Answer, Check, Entry, Skip, State
from rankings.elicitation.partial_order import Verdict
from rankings.elicitation.rechecks import CHECKS, Purpose, Settled, settle, settle_next

from . import models

ONE_PAIR: Final = 2
Stored: TypeAlias = models.Judgement | models.Skip


@dataclass(frozen=True, slots=True)
class Event:
    """An answer or a skip, with the fields that the planner needs."""

    pk: int
    number: int
    screen: int
    left: int
    right: int
    purpose: str
    # Index of a known-answer pair; None for other screens.
    known: int | None
    # None: a skip.
    verdicts: Mapping[str, Verdict] | None
    reason: str
    seconds: float | None
    # The number of its withdrawal.
    withdrawn_as: int | None

    @classmethod
    def of(cls, stored: Stored) -> "Event":
        """Convert a stored event that is not withdrawn."""
        screen = stored.screen
        shown = screen.pk, screen.left_id, screen.right_id, screen.purpose, screen.known
        if isinstance(stored, models.Skip):
            return cls(stored.pk, stored.number, *shown, None, stored.reason, None, None)
        said = stored.verdicts
        return cls(stored.pk, stored.number, *shown, said, "", stored.seconds_taken, None)

    @property
    def is_skip(self) -> bool:
        return self.verdicts is None


@dataclass(frozen=True)
class Log:
    """All events of one assignment, oldest first, and the resulting state."""

    assignment: models.Assignment
    events: tuple[Event, ...]
    # The number of the assignment's last screen in any state; 0 without a screen.
    last_screen: int
    # The entries in force, as the planner needs them: without known-answer pairs.
    entries: tuple[Answer | Skip, ...]
    # The state that follows; removed items are hidden.
    settled: Settled

    @classmethod
    def of(
        cls, assignment: models.Assignment, events: Iterable[Event] = (), last_screen: int = 0
    ) -> "Log":
        events = tuple(events)
        entries = entries_of(assignment, events)
        settled = settled_of(assignment, entries, assignment.hidden)
        return cls(assignment, events, last_screen, entries, settled)

    @property
    def in_force(self) -> tuple[Event, ...]:
        return _in_force(self.events)

    @property
    def known(self) -> frozenset[int]:
        """The known-answer pairs that were answered or skipped."""
        return frozenset(event.known for event in self.in_force if event.known is not None)

    @property
    def next_number(self) -> int:
        return 1 + max((event.withdrawn_as or event.number for event in self.events), default=0)

    @property
    def seconds(self) -> tuple[float, ...]:
        """The active times of the judgements in force that have one."""
        return tuple(event.seconds for event in self.in_force if event.seconds is not None)

    def with_event(self, stored: Stored) -> "Log":
        """Return the log with an event that was just stored."""
        event = Event.of(stored)
        events = (*self.events, event)
        if event.known is not None:
            return replace(self, events=events)
        if careful_rules_of(self.assignment) is not None:
            return Log.of(self.assignment, events, self.last_screen)
        [entry] = entries_of(self.assignment, [event])
        # Replaying the whole log takes several times as long.
        settled = settle_next(self.settled, entry)
        return replace(self, events=events, entries=(*self.entries, entry), settled=settled)

    def attempts(self, screen: models.Screen) -> int:
        """Return how often this screen was answered or skipped before."""
        return sum(event.screen == screen.pk for event in self.events)


def is_withdrawn(event: Stored) -> bool:
    return hasattr(event, "withdrawal")


def read_log(assignment: models.Assignment) -> Log:
    """Fetch the fields of the assignment's events that an answer needs, in one query."""
    events: dict[tuple[bool, int], Event] = {}
    last_screen = 0
    for row in log_of_an_assignment(assignment.pk):
        last_screen = max(last_screen, row[0])
        shown: tuple[int, int, int, str, int | None] = row[1:6]
        # A screen that was both judged and skipped, one of them withdrawn, has several rows.
        pk, number, withdrawn_as, seconds, *said = row[6:13]
        if pk is not None:
            given = {name: verdict for name, verdict in zip(CRITERIA, said, strict=True) if verdict}
            events[False, pk] = Event(pk, number, *shown, given, "", seconds, withdrawn_as)
        pk, number, withdrawn_as, reason = row[13:]
        if pk is not None:
            events[True, pk] = Event(pk, number, *shown, None, reason, None, withdrawn_as)
    in_order = sorted(events.values(), key=lambda event: event.number)
    return Log.of(assignment, in_order, last_screen)


def stored_events(assignment: models.Assignment) -> list[Stored]:
    """Return all stored answers and skips, oldest first, with screens and withdrawals."""
    kinds: tuple[QuerySet[Any], ...] = (assignment.judgements.all(), assignment.skips.all())
    events = (event for kind in kinds for event in kind.select_related("screen", "withdrawal"))
    return sorted(events, key=lambda event: event.number)


def item_of_each_result(assignment: models.Assignment) -> dict[int, int]:
    """Return the planner's item of each result; results that look alike share one."""
    return {result: item for item, results in enumerate(assignment.items) for result in results}


def hidden_results(assignment: models.Assignment) -> frozenset[int]:
    """Return the results whose methods no longer take part."""
    return frozenset(result for item in assignment.hidden for result in assignment.items[item])


def _in_force(events: Iterable[Event]) -> tuple[Event, ...]:
    return tuple(event for event in events if event.withdrawn_as is None)


def entries_of(assignment: models.Assignment, events: Iterable[Event]) -> tuple[Answer | Skip, ...]:
    """Return the planner's entries of the events in force; known-answer pairs have none."""
    item_of = item_of_each_result(assignment)
    return tuple(_entry(event, item_of) for event in _in_force(events) if event.known is None)


def _entry(event: Event, item_of: Mapping[int, int]) -> Answer | Skip:
    """Convert an event to an entry of the planner's log."""
    left, right = item_of[event.left], item_of[event.right]
    purpose = cast(Purpose, event.purpose)
    if event.verdicts is None:
        return Skip(left, right, event.reason, purpose)
    kind = Check if purpose in CHECKS else Answer
    return kind(left, right, event.verdicts, purpose)


def settled_of(
    assignment: models.Assignment, entries: Sequence[Entry], hidden: Collection[int] = ()
) -> Settled:
    """Read entries by the rules under which the assignment's screens are asked."""
    careful = careful_rules_of(assignment)
    if careful is not None:
        return settle_carefully(len(assignment.items), entries, hidden, careful)
    return settle(len(assignment.items), entries, hidden)


def careful_rules_of(assignment: models.Assignment) -> Rules | None:
    """Return the rules of the careful order, or None under others and for a single pair."""
    study = assignment.study
    is_one_pair = assignment.drawn is not None and len(assignment.items) <= ONE_PAIR
    if study.strategy != Study.Strategy.CAREFUL or is_one_pair:
        return None
    return Rules(
        study.certainty,
        study.may_repeat,
        *(assignment.slip_prior or (FIRST_SLIPS, FIRST_ANSWERS)),
    )


def slip_prior_after(assignment: models.Assignment | None) -> list[float] | None:
    """Return the prior for the image that follows this one; None under other orders."""
    if assignment is None:
        return None
    state = read_log(assignment).settled.state
    if isinstance(state, CarefulState):
        return [state.n_slips, state.n_answers]
    return cast(list[float] | None, assignment.slip_prior)


def complete_rankings_of(
    assignment: models.Assignment, state: State, method_of: Mapping[int, int]
) -> dict[str, list[list[int]]] | None:
    """Return the finished rankings as method ids, buckets best first and each in a fixed order.

    None while pairs are open, and if fewer than two of a sample's methods still take part.
    ``method_of`` gives the method of each result of the assignment that takes part. Of answers from
    elsewhere, criteria with open pairs are left out.
    """
    rankings = state.rankings()
    if assignment.study.is_external:
        by_criterion = {criterion: state.ranking(criterion) for criterion in CRITERIA}
        rankings = {name: ranking for name, ranking in by_criterion.items() if ranking} or None
    if rankings is None or (assignment.drawn is not None and len(method_of) < 2):
        return None
    ranked = {}
    for criterion in rankings:
        buckets = [
            sorted(
                method_of[result]
                for item in bucket
                for result in assignment.items[item]
                if result in method_of
            )
            for bucket in rankings[criterion]
        ]
        ranked[criterion] = [bucket for bucket in buckets if bucket]
    return ranked


def rankings_that_differ() -> Iterator[tuple[models.Assignment, bool]]:
    """Yield every assignment, newest first, and whether its stored state differs from its log's."""
    assignments = models.Assignment.objects.select_related("study", "image", "annotator")
    assignments = assignments.order_by("-pk")
    for assignment in assignments.iterator():
        state = read_log(assignment).settled.state
        replayed = None
        # Once all pairs are placed, re-checks may still wait: the ranking is stored after them.
        if not assignment.screens.filter(state=models.Screen.State.WAITING).exists():
            replayed = complete_rankings_of(assignment, state, method_of_each_result(assignment))
        yield assignment, assignment.rankings != replayed or not _asks_what_was_drawn(assignment)


def _asks_what_was_drawn(assignment: models.Assignment) -> bool:
    if assignment.drawn is None:
        return True
    results = Result.objects.filter(pk__in=item_of_each_result(assignment))
    return {*results.values_list("method", flat=True)} == {*assignment.drawn["methods"]}


def method_of_each_result(assignment: models.Assignment) -> dict[int, int]:
    """Return the method of each result whose method takes part in the study."""
    ids = [result for results in assignment.items for result in results]
    taking_part = Result.objects.filter(pk__in=ids, method__studies=assignment.study_id)
    return dict(taking_part.values_list("pk", "method_id"))
