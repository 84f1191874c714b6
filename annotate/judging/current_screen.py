"""Turns: the screen that waits for an annotator, and the state of its image's rankings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import User

from annotate.studies.models import Study
from rankings.elicitation.log import CRITERIA, State
from rankings.elicitation.strategies import Strategy

from .models import Assignment, Screen
from .quotas import Remaining
from .replay import Event, Log, careful_rules_of, item_of_each_result, read_log
from .visits import Visit


@dataclass(frozen=True)
class Turn:
    """The screen that waits for an annotator, and the state of its image's rankings."""

    screen: Screen
    log: Log
    can_undo: bool
    # Answers from before an undo or a change returned to this screen.
    answers: Mapping[str, str] = field(default_factory=dict)
    # The reason why more pairs may be left than before, for the progress display.
    note: str = ""
    # Of an image just taken up.
    visit: Visit | None = None

    @property
    def state(self) -> State:
        return self.log.settled.state

    @property
    def assignment(self) -> Assignment:
        return self.screen.assignment

    @property
    def pair(self) -> tuple[int, int]:
        """The planner's items on the left and on the right."""
        item_of = item_of_each_result(self.assignment)
        return item_of[self.screen.left_id], item_of[self.screen.right_id]

    @property
    def open_criteria(self) -> tuple[str, ...]:
        return tuple(criterion for criterion in CRITERIA if criterion not in self.implied)

    @property
    def implied(self) -> dict[str, str]:
        """Return the verdicts that follow from earlier answers; re-checks ask all criteria."""
        if self.screen.is_check or self.screen.known is not None:
            return {}
        known = self.state.implied(*self.pair)
        return {
            criterion: verdict
            for criterion, verdict in known.items()
            if criterion not in self.answers
        }


@dataclass(frozen=True)
class Outcome:
    """The outcome of an act: the study, the turn that waits (None: no turn), and what is left."""

    study: Study
    turn: Turn | None
    remaining: Remaining
    # The answer or skip that was stored; None if the act stored none.
    event: Event | None = None


def strategy_of(assignment: Assignment) -> Strategy:
    """Return the planner's name for the strategy; a single pair needs no careful order."""
    if careful_rules_of(assignment) is not None:
        return "careful"
    is_balanced = assignment.study.strategy == Study.Strategy.BALANCED
    return "balanced" if is_balanced else "insertion"


def waiting_turn(study: Study, annotator: User) -> Turn | None:
    """Return the current screen of this annotator; None before the start and after the end."""
    waiting = Screen.objects.filter(
        assignment__study=study,
        assignment__annotator=annotator,
        assignment__state=Assignment.State.IN_WORK,
        state=Screen.State.WAITING,
    ).select_related("assignment__image__dataset")
    # An undo can reopen an image while the next one has begun; the earlier comes first.
    screen = waiting.order_by("assignment__position").first()
    if screen is None:
        return None
    screen.assignment.study, screen.assignment.annotator = study, annotator
    return turn_of(screen, read_log(screen.assignment))


def turn_of(screen: Screen, log: Log) -> Turn:
    taken_back = [
        event.verdicts
        for event in log.events
        if event.verdicts is not None and event.screen == screen.pk
    ]
    return Turn(
        screen=screen,
        log=log,
        can_undo=bool(log.in_force) or screen.assignment.position > 1,
        answers=taken_back[-1] if taken_back else {},
    )
