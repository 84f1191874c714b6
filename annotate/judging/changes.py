"""History: what an annotator answered lately, and what answering it anew would cost."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from django.contrib.auth.models import User

from annotate.datasets.models import Result
from annotate.studies.models import Study
from rankings.elicitation import Answer
from rankings.elicitation import Skip as PlannerSkip
from rankings.partial_order import Verdict as PlannerVerdict
from rankings.rechecks import settle

from .models import Assignment, Judgement, Screen, Skip, Verdict
from .replay import entry, item_of_each_result, read_log

N_SHOWN = 20


@dataclass(frozen=True)
class Past:
    """A screen that was answered or skipped, and how many answers a change may set aside."""

    screen: Screen
    event: Judgement | Skip
    left: Result
    right: Result
    n_set_aside: int


def history(study: Study, annotator: User, limit: int = N_SHOWN) -> list[Past]:
    """Return the last answers and skips that are in force, newest first."""
    answers: list[tuple[Judgement | Skip, int]] = []
    assignments = Assignment.objects.filter(study=study, annotator=annotator)
    for assignment in assignments.select_related("image__dataset").order_by("-position"):
        answers += list(_of_assignment(assignment))[: limit - len(answers)]
        if len(answers) >= limit:
            break
    ids = {result for event, _ in answers for result in _sides(event.screen)}
    results = Result.objects.in_bulk(ids)
    return [
        Past(
            event.screen,
            event,
            results[event.screen.left_id],
            results[event.screen.right_id],
            n_set_aside,
        )
        for event, n_set_aside in answers
    ]


def _sides(screen: Screen) -> tuple[int, int]:
    return screen.left_id, screen.right_id


def _of_assignment(assignment: Assignment) -> Iterator[tuple[Judgement | Skip, int]]:
    log = read_log(assignment)
    item_of = item_of_each_result(assignment)
    entries = [entry(event, item_of) for event in log.in_force]
    for at in reversed(range(len(entries))):
        event = log.in_force[at]
        event.screen.assignment = assignment
        yield event, _most_set_aside(len(assignment.items), entries, at)


def _most_set_aside(n: int, entries: list[Answer | PlannerSkip], at: int) -> int:
    """Return how many other answers do not fit any more if this one is changed in the worst way."""
    changed = entries[at]
    if not isinstance(changed, Answer) or changed.purpose not in ("place", "repair"):
        return 0
    others = [other for place, other in enumerate(entries) if place != at]
    before = len({place for place, _ in settle(n, others).set_aside})
    most = 0
    for criterion, verdict in changed.verdicts.items():
        for other in set(Verdict.values) - {verdict}:
            verdicts = {**changed.verdicts, criterion: cast(PlannerVerdict, other)}
            anew = Answer(changed.left, changed.right, verdicts, changed.purpose)
            aside = {place for place, _ in settle(n, [*others, anew]).set_aside}
            most = max(most, len(aside) - before)
    return most
