"""History: an annotator's recent answers, and the cost of changing one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import cast

from django.contrib.auth.models import User

from annotate.datasets.models import Result
from annotate.studies.models import Study
from rankings.elicitation.log import Answer, Entry
from rankings.elicitation.log import Skip as PlannerSkip
from rankings.elicitation.partial_order import Verdict as PlannerVerdict
from rankings.elicitation.rechecks import Settled

from .attention_checks import two_results
from .models import Assignment, Screen, Verdict
from .replay import Event, Stored, entries_of, is_withdrawn, settled_of, stored_events

N_SHOWN = 20


@dataclass(frozen=True)
class Past:
    """A screen that was answered or skipped, and how many answers a change may set aside."""

    screen: Screen
    event: Stored
    left: Result
    right: Result
    n_set_aside: int


def history(study: Study, annotator: User, n: int = N_SHOWN) -> list[Past]:
    """Return the last ``n`` answers and skips that are in force, newest first."""
    logs = _logs(study, annotator)
    answers = list(islice((answer for log in logs for answer in _newest_first(*log)), n))
    screens = [event.screen for event, _ in answers]
    ids = {result for screen in screens for result in (screen.left_id, screen.right_id)}
    results = Result.objects.in_bulk(ids)
    return [
        Past(event.screen, event, *two_results(event.screen, results), n_set_aside)
        for event, n_set_aside in answers
    ]


def last_screens(study: Study, annotator: User) -> set[str]:
    """Return the public ids of the screens in the history."""
    logs = _logs(study, annotator)
    newest = (event.screen.public_id for _, stored in logs for event in reversed(stored))
    return set(islice(newest, N_SHOWN))


def _logs(study: Study, annotator: User) -> Iterator[tuple[Assignment, list[Stored]]]:
    """Yield assignments, newest first, each with its answers and skips in force, oldest first."""
    assignments = Assignment.objects.filter(study=study, annotator=annotator)
    for assignment in assignments.select_related("image__dataset").order_by("-position"):
        assignment.study = study
        yield assignment, [event for event in stored_events(assignment) if not is_withdrawn(event)]


def _newest_first(assignment: Assignment, stored: Sequence[Stored]) -> Iterator[tuple[Stored, int]]:
    """Yield events, newest first, with the number of answers that a change may set aside."""
    entries = entries_of(assignment, map(Event.of, stored))
    settled = partial(settled_of, assignment)
    at = len(entries)
    for event in reversed(stored):
        event.screen.assignment = assignment
        # Nothing follows from a known-answer pair.
        if event.screen.known is not None:
            yield event, 0
            continue
        at -= 1
        yield event, _most_set_aside(settled, entries, at)


def _most_set_aside(
    settled: Callable[[Sequence[Entry]], Settled], entries: Sequence[Answer | PlannerSkip], at: int
) -> int:
    """Return how many other answers the worst change of this one would set aside.

    ``settled`` reads a log by the study's rules. In the careful order no answer is set aside.
    """
    changed = entries[at]
    if not isinstance(changed, Answer) or changed.purpose not in ("place", "repair"):
        return 0
    others = [other for place, other in enumerate(entries) if place != at]
    before = len({place for place, _ in settled(others).set_aside})
    most = 0
    for criterion, verdict in changed.verdicts.items():
        for other in set(Verdict.values) - {verdict}:
            verdicts = {**changed.verdicts, criterion: cast(PlannerVerdict, other)}
            anew = Answer(changed.left, changed.right, verdicts, changed.purpose)
            aside = {place for place, _ in settled([*others, anew]).set_aside}
            most = max(most, len(aside) - before)
    return most
