"""Asking and answering: what the comparison page and the API do to the log."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotate.errors import CHOOSE_A_VERDICT, NotThere
from annotate.prepared_sql import Prepared, insert, set_value
from annotate.studies.models import Membership, Role, Study
from rankings.elicitation.log import CRITERIA, MIRRORED

from .answer_history import last_screens
from .attention_checks import apply_rule
from .current_screen import Turn, turn_of, waiting_turn
from .errors import AlreadyAnswered, Incomplete, StudyNotOpen
from .models import (
    Assignment,
    Judgement,
    Screen,
    Skip,
    Withdrawal,
    check_seen,
    unknown_seen,
)
from .planning import go_on, reopen, waiting_or_next
from .replay import Event, Log, read_log


@transaction.atomic
def start(*, study: Study, annotator: User) -> Turn | None:
    """Return the waiting screen, making it (and taking up an image) where there is none.

    None when this annotator has nothing left to rank. Raises NotThere for a user who is not an
    annotator of the study, and StudyNotOpen."""
    return waiting_or_next(_open_study(annotator, study), annotator)


@transaction.atomic
def record_judgement(
    *,
    screen_id: str,
    annotator: User,
    verdicts: Mapping[str, str],
    seconds_taken: float | None = None,
    aids: Mapping[str, float] | None = None,
    seen: Mapping[str, object] | None = None,
    disputed: Collection[str] = (),
) -> Turn | None:
    """Store the answer to a screen and return the next one; None when nothing is left.

    ``seen`` says what was shown (models.check_seen); None: the page cannot tell, which is stored
    as unknown. An answer that says itself that a result was not shown is refused.

    ``disputed`` names criteria that follow from earlier answers and are answered all the same:
    then the new answer counts, and earlier ones that contradict it are set aside. The same answer
    twice is stored once. Raises NotThere for a screen that is not this
    annotator's, StudyNotOpen, AlreadyAnswered if the screen has another answer, and Incomplete
    if a criterion that is asked has no verdict or a result was not shown.
    """
    study, screen, last_number = _open_screen(screen_id, annotator, is_answer=True)
    log = read_log(screen.assignment)
    if screen.state != Screen.State.WAITING:
        _require_same_judgement(screen, log, verdicts)
        return waiting_or_next(study, annotator)
    judgement = Judgement(
        assignment=screen.assignment,
        number=log.next_number,
        screen=screen,
        attempt=log.attempts(screen),
        seconds_taken=seconds_taken,
        aids=dict(aids or {}),
        seen=_shown(seen),
        **_asked_verdicts(turn_of(screen, log), verdicts, disputed),
    )
    insert(judgement)
    set_value(screen, "state", Screen.State.ANSWERED)
    if screen.known is not None:
        apply_rule(study, annotator)
    return go_on(screen, log.with_event(judgement), annotator, number=last_number + 1)


@transaction.atomic
def record_skip(
    *,
    screen_id: str,
    annotator: User,
    reason: str,
    text: str = "",
    environment: Mapping[str, object] | None = None,
) -> Turn | None:
    """Note that a screen cannot be answered and return the next one; None when nothing is left.

    The same skip twice is stored once. Raises as record_judgement does, but for Incomplete.
    """
    study, screen, last_number = _open_screen(screen_id, annotator, is_answer=True)
    if screen.state == Screen.State.SKIPPED:
        return waiting_or_next(study, annotator)
    if screen.state != Screen.State.WAITING:
        raise AlreadyAnswered(_("This pair was answered in another tab."))
    log = read_log(screen.assignment)
    skip = Skip(
        assignment=screen.assignment,
        number=log.next_number,
        screen=screen,
        attempt=log.attempts(screen),
        reason=reason,
        text=text,
        environment=dict(environment or {}),
    )
    insert(skip)
    set_value(screen, "state", Screen.State.SKIPPED)
    return go_on(screen, log.with_event(skip), annotator, number=last_number + 1)


@transaction.atomic
def undo(*, study: Study, annotator: User, screen_id: str) -> Turn | None:
    """Undo the annotator's last answer or skip, and return its screen.

    ``screen_id`` is the screen the annotator sees (empty after the last one); another one waiting
    means that the request was sent twice or from an old tab, and raises AlreadyAnswered. With
    nothing to undo the waiting screen is returned. Raises NotThere and StudyNotOpen as start.
    """
    study = _open_study(annotator, study)
    waiting = waiting_turn(study, annotator)
    if screen_id != (waiting.screen.public_id if waiting else ""):
        raise AlreadyAnswered(_("Something changed in another tab; nothing was undone."))
    last = _last_event(study, annotator, waiting)
    if last is None:
        return waiting
    event, log = last
    _withdraw(event, log)
    return _with_note(waiting_turn(study, annotator), _("An answer was undone."))


@transaction.atomic
def change(*, screen_id: str, annotator: User) -> Turn | None:
    """Open one of the annotator's last answered screens again, its answer chosen.

    Later answers stay; those that will contradict the new answer are set aside when it comes.
    Raises NotThere, StudyNotOpen, and AlreadyAnswered for a screen that has no answer in force or
    is too far back.
    """
    study, screen, _last = _open_screen(screen_id, annotator)
    log = read_log(screen.assignment)
    event = next((event for event in log.in_force if event.screen == screen.pk), None)
    if event is None or screen.public_id not in last_screens(study, annotator):
        raise AlreadyAnswered(_("This answer can no longer be changed."))
    _withdraw(event, log)
    return _with_note(waiting_turn(study, annotator), _("An earlier answer is open again."))


def _withdraw(event: Event, log: Log) -> None:
    """Withdraw an event and let its screen wait again."""
    assignment = log.assignment
    withdrawn = {"skip_id" if event.is_skip else "judgement_id": event.pk}
    Withdrawal.objects.create(assignment=assignment, number=log.next_number, **withdrawn)
    assignment.screens.filter(state=Screen.State.WAITING).update(state=Screen.State.RETIRED)
    assignment.screens.filter(pk=event.screen).update(state=Screen.State.WAITING)
    reopen(assignment)


def _with_note(turn: Turn | None, note: str) -> Turn | None:
    return replace(turn, note=note) if turn is not None else None


def _locked_membership(**found_by: object) -> QuerySet[Membership]:
    """Everything that changes what an annotator has answered takes this one lock first.

    So answers, skips and undos of one person follow one another and never wait in a circle.
    """
    memberships = Membership.objects.select_for_update(of=("self",)).select_related("study")
    return memberships.filter(role=Role.ANNOTATOR, **found_by)


def _locked_by_screen(person: int, public_id: str) -> QuerySet[Membership]:
    return _locked_membership(
        person=person,
        study__assignments__annotator=person,
        study__assignments__screens__public_id=public_id,
    )


def _screen(public_id: str) -> QuerySet[Screen]:
    last = Screen.objects.filter(assignment=OuterRef("assignment")).order_by("-number")
    return (
        Screen.objects.filter(public_id=public_id)
        .select_related("assignment__image")
        .defer("assignment__image__truth")
        .annotate(last_number=Subquery(last.values("number")[:1]))
    )


_membership_by_screen = Prepared(_locked_by_screen)
_screens = Prepared(_screen)


def _open_study(annotator: User, study: Study) -> Study:
    """Return the study, locked for this annotator until the transaction ends."""
    return _open(_locked_membership(person=annotator, study=study))


def _open(memberships: Iterable[Membership], *, is_answer: bool = False) -> Study:
    """Return the study of a membership; raise StudyNotOpen, and NotThere where there is none.

    An answer to a pair on screen is taken for a while after the study has ended by its rule.
    """
    membership = next(iter(memberships), None)
    if membership is None:
        raise NotThere("Not an annotator of this study.")
    is_open = membership.study.state == Study.State.OPEN
    if not (is_open or (is_answer and membership.study.is_ending)):
        raise not_open(membership.study)
    return membership.study


def not_open(study: Study) -> StudyNotOpen:
    return StudyNotOpen(
        _("The study “{study}” is {state}. What you answered is kept.").format(
            study=study, state=study.get_state_display()
        )
    )


def _open_screen(
    public_id: str, annotator: User, *, is_answer: bool = False
) -> tuple[Study, Screen, int]:
    """Return one of this annotator's screens with its study, locked, and the image's last number.

    Raises NotThere for a screen that is not theirs.
    """
    membership = _membership_by_screen(person=annotator.pk, public_id=public_id)
    study = _open(membership, is_answer=is_answer)
    [screen] = _screens(public_id=public_id)
    screen.assignment.study = study
    screen.assignment.annotator = annotator
    return study, screen, screen.last_number  # type: ignore[attr-defined]  # annotated above


def _last_event(study: Study, annotator: User, waiting: Turn | None) -> tuple[Event, Log] | None:
    assignments = Assignment.objects.filter(study=study, annotator=annotator)
    if waiting is not None:
        assignments = assignments.filter(position__lte=waiting.assignment.position)
    # Images that needed no screen are passed over.
    for assignment in assignments.order_by("-position").iterator():
        log = read_log(assignment)
        if log.in_force:
            return log.in_force[-1], log
    return None


def _require_same_judgement(screen: Screen, log: Log, verdicts: Mapping[str, str]) -> None:
    if screen.state == Screen.State.RETIRED:
        raise AlreadyAnswered(_("This pair was undone."))
    stored = next((event.verdicts for event in log.in_force if event.screen == screen.pk), None)
    if stored and all(verdicts.get(name) == verdict for name, verdict in stored.items()):
        return
    raise AlreadyAnswered(_("This pair was answered in another tab."))


def _asked_verdicts(
    turn: Turn, verdicts: Mapping[str, str], disputed: Collection[str]
) -> dict[str, str]:
    """Return the verdicts to store; raise Incomplete for what is missing or forged."""
    reasons = {}
    stored = {}
    implied = turn.implied
    for criterion in CRITERIA:
        given = verdicts.get(criterion) or ""
        follows = implied.get(criterion)
        if follows is None or (criterion in disputed and given not in ("", follows)):
            if given in MIRRORED:
                stored[criterion] = given
            else:
                reasons[criterion] = str(CHOOSE_A_VERDICT)
        elif given not in ("", follows):
            reasons[criterion] = _("This follows from your earlier answers.")
    if reasons:
        raise Incomplete(reasons)
    return stored


def _shown(seen: Mapping[str, object] | None) -> dict[str, Any]:
    """Return what to store of what was shown; raise Incomplete unless both results were."""
    if seen is None:
        return unknown_seen()
    try:
        check_seen(dict(seen))
    except ValidationError as fault:
        raise Incomplete({"seen": _("Look at both results before you answer.")}) from fault
    return dict(seen)
