"""From an assignment's stored events to the planner's state: the log is the truth."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotate.datasets.models import Result
from rankings.elicitation import CRITERIA, Answer, Check, Skip, State
from rankings.rechecks import Settled, settle

from . import models


@dataclass(frozen=True)
class Log:
    """All events of one assignment, oldest first."""

    events: tuple[models.Judgement | models.Skip, ...]

    @property
    def in_force(self) -> tuple[models.Judgement | models.Skip, ...]:
        return tuple(event for event in self.events if not is_withdrawn(event))

    @property
    def next_number(self) -> int:
        return 1 + max((number for event in self.events for number in _numbers(event)), default=0)

    def with_event(self, event: models.Judgement | models.Skip) -> "Log":
        return Log((*self.events, event))

    def attempts(self, screen: models.Screen) -> int:
        """Return how often this screen was answered or skipped before."""
        return sum(event.screen_id == screen.pk for event in self.events)


def is_withdrawn(event: models.Judgement | models.Skip) -> bool:
    # A missing reverse one-to-one raises a subclass of AttributeError.
    return hasattr(event, "withdrawal")


def _numbers(event: models.Judgement | models.Skip) -> Iterator[int]:
    yield event.number
    if is_withdrawn(event):
        yield event.withdrawal.number


def read_log(assignment: models.Assignment) -> Log:
    """Fetch the assignment's events with their screens and withdrawals (two queries)."""
    judgements = assignment.judgements.select_related("screen", "withdrawal")
    skips = assignment.skips.select_related("screen", "withdrawal")
    events: list[models.Judgement | models.Skip] = [*judgements, *skips]
    return Log(tuple(sorted(events, key=lambda event: event.number)))


def item_of_each_result(assignment: models.Assignment) -> dict[int, int]:
    """Return the planner's item of each result; results that look alike share one."""
    return {result: item for item, results in enumerate(assignment.items) for result in results}


def entry(event: models.Judgement | models.Skip, item_of: dict[int, int]) -> Answer | Skip:
    """Return an event as the planner's log has it."""
    screen = event.screen
    left, right = item_of[screen.left_id], item_of[screen.right_id]
    if isinstance(event, models.Skip):
        return Skip(left, right, event.reason, screen.purpose)
    kind = Check if screen.is_check else Answer
    return kind(left, right, event.verdicts, screen.purpose)


def entries_of(assignment: models.Assignment, log: Log) -> tuple[Answer | Skip, ...]:
    """Return what is in force of a log, as the planner has it."""
    item_of = item_of_each_result(assignment)
    return tuple(entry(event, item_of) for event in log.in_force)


def settled_of(assignment: models.Assignment, log: Log) -> Settled:
    """Return what the log leads to; items that were taken away are hidden."""
    return settle(len(assignment.items), entries_of(assignment, log), assignment.hidden)


def rankings_of(
    assignment: models.Assignment, state: State, method_of: dict[int, int]
) -> dict[str, list[list[int]]]:
    """Return the finished rankings as method ids, buckets best first and each in a fixed order.

    ``method_of`` gives the method of each result of the assignment that takes part.
    """
    rankings = state.rankings()
    if rankings is None:
        raise ValueError(f"{assignment} is not finished: some pairs are open")
    ranked = {}
    for criterion in CRITERIA:
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
    """Replay every assignment; say for each whether its stored state differs from its log's."""
    assignments = models.Assignment.objects.select_related("study", "image", "annotator").order_by(
        "pk"
    )
    for assignment in assignments.iterator():
        state = settled_of(assignment, read_log(assignment)).state
        replayed = None
        # Once all pairs are placed, re-checks may still wait: the ranking is stored after them.
        waits = assignment.screens.filter(state=models.Screen.State.WAITING).exists()
        if state.is_finished and not waits:
            replayed = rankings_of(assignment, state, method_of_each_result(assignment))
        yield assignment, assignment.rankings != replayed


def method_of_each_result(assignment: models.Assignment) -> dict[int, int]:
    """Return the method of each result whose method takes part in the study."""
    ids = [result for results in assignment.items for result in results]
    taking_part = Result.objects.filter(pk__in=ids, method__studies=assignment.study_id)
    return dict(taking_part.values_list("pk", "method_id"))
