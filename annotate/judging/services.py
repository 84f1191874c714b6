"""Asking and answering: what the comparison page and the API do to the log."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.shortcuts import get_object_or_404

from annotate.errors import CHOOSE_A_VERDICT
from annotate.studies.models import Membership, Role, Study
from rankings.elicitation import CRITERIA

from .changes import history
from .errors import AlreadyAnswered, Incomplete, StudyNotOpen
from .models import Assignment, Judgement, Screen, Skip, Verdict, Withdrawal
from .planning import go_on, reopen, waiting_or_next
from .replay import Log, read_log
from .turns import Turn, turn_of, waiting_turn

_UNDONE = "An answer was undone."
_CHANGED = "An earlier answer is open again."


@transaction.atomic
def start(*, study: Study, annotator: User) -> Turn | None:
    """Return the waiting screen, making it (and taking up an image) where there is none.

    None when this annotator has nothing left to rank. Raises Http404 for somebody who is not an
    annotator of the study, and StudyNotOpen.
    """
    return waiting_or_next(_open_study(annotator, pk=study.pk), annotator)


@transaction.atomic
def record_judgement(
    *,
    screen_id: str,
    annotator: User,
    verdicts: Mapping[str, str],
    seconds_taken: float | None = None,
    aids: Mapping[str, float] | None = None,
    disputed: Collection[str] = (),
) -> Turn | None:
    """Store the answer to a screen and return the next one; None when nothing is left.

    ``disputed`` names criteria that follow from earlier answers and are answered all the same:
    then the new answer counts, and earlier ones that contradict it are set aside. The same answer
    twice is stored once. Raises Http404 for a screen that is not this
    annotator's, StudyNotOpen, AlreadyAnswered if the screen has another answer, and Incomplete
    if a criterion that is asked has no verdict.
    """
    study, screen, last_number = _open_screen(screen_id, annotator)
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
        **_asked_verdicts(turn_of(screen, log), verdicts, disputed),
    )
    judgement.save(force_insert=True)
    _set_state(screen, Screen.State.ANSWERED)
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
    study, screen, last_number = _open_screen(screen_id, annotator)
    if screen.state == Screen.State.SKIPPED:
        return waiting_or_next(study, annotator)
    if screen.state != Screen.State.WAITING:
        raise AlreadyAnswered("This pair was answered in another tab.")
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
    skip.save(force_insert=True)
    _set_state(screen, Screen.State.SKIPPED)
    return go_on(screen, log.with_event(skip), annotator, number=last_number + 1)


@transaction.atomic
def undo(*, study: Study, annotator: User, screen_id: str) -> Turn | None:
    """Undo the annotator's last answer or skip, and return its screen.

    ``screen_id`` is the screen the annotator sees (empty after the last one); another one waiting
    means that the request was sent twice or from an old tab, and raises AlreadyAnswered. With
    nothing to undo the waiting screen is returned. Raises Http404 and StudyNotOpen as start.
    """
    study = _open_study(annotator, pk=study.pk)
    waiting = waiting_turn(study, annotator)
    if screen_id != (waiting.screen.public_id if waiting else ""):
        raise AlreadyAnswered("Something changed in another tab; nothing was undone.")
    last = _last_event(study, annotator, waiting)
    if last is None:
        return waiting
    event, log = last
    _withdraw(event, log)
    return _with_note(waiting_turn(study, annotator), _UNDONE)


@transaction.atomic
def change(*, screen_id: str, annotator: User) -> Turn | None:
    """Open one of the annotator's last answered screens again, its answer chosen.

    Later answers stay; those that will contradict the new answer are set aside when it comes.
    Raises Http404, StudyNotOpen, and AlreadyAnswered for a screen that has no answer in force or
    is too far back.
    """
    study, screen, _ = _open_screen(screen_id, annotator)
    log = read_log(screen.assignment)
    event = next((event for event in log.in_force if event.screen_id == screen.pk), None)
    shown = {past.screen.public_id for past in history(study, annotator)}
    if event is None or screen.public_id not in shown:
        raise AlreadyAnswered("This answer can no longer be changed.")
    event.assignment = screen.assignment
    _withdraw(event, log)
    return _with_note(waiting_turn(study, annotator), _CHANGED)


def _withdraw(event: Judgement | Skip, log: Log) -> None:
    """Withdraw an event and let its screen wait again."""
    kind = "judgement" if isinstance(event, Judgement) else "skip"
    assignment = event.assignment
    Withdrawal.objects.create(assignment=assignment, number=log.next_number, **{kind: event})
    assignment.screens.filter(state=Screen.State.WAITING).update(state=Screen.State.RETIRED)
    _set_state(event.screen, Screen.State.WAITING)
    reopen(assignment)


def _with_note(turn: Turn | None, note: str) -> Turn | None:
    return replace(turn, note=note) if turn is not None else None


def _open_study(annotator: User, **study: object) -> Study:
    """Return the study, locked for this annotator until the transaction ends.

    Everything that changes what an annotator has answered takes this one lock first, so that
    answers, skips and undos of one person follow one another and never wait in a circle.
    """
    memberships = Membership.objects.select_for_update(of=("self",)).select_related("study")
    membership = get_object_or_404(
        memberships,
        person=annotator,
        role=Role.ANNOTATOR,
        **{f"study__{key}": value for key, value in study.items()},
    )
    if membership.study.state != Study.State.OPEN:
        raise not_open(membership.study)
    return membership.study


def not_open(study: Study) -> StudyNotOpen:
    return StudyNotOpen(
        f"The study “{study}” is {study.get_state_display()}. What you answered is kept."
    )


def _open_screen(public_id: str, annotator: User) -> tuple[Study, Screen, int]:
    """Return one of this annotator's screens with its study, locked, and the image's last number.

    Raises Http404 for a screen that is not theirs.
    """
    study = _open_study(
        annotator,
        assignments__annotator=annotator,
        assignments__screens__public_id=public_id,
    )
    last = Screen.objects.filter(assignment=OuterRef("assignment")).order_by("-number")
    screen = (
        Screen.objects.select_related("assignment__image__dataset")
        .annotate(last_number=Subquery(last.values("number")[:1]))
        .get(public_id=public_id)
    )
    screen.assignment.study = study
    screen.assignment.annotator = annotator
    return study, screen, screen.last_number


def _last_event(
    study: Study, annotator: User, waiting: Turn | None
) -> tuple[Judgement | Skip, Log] | None:
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
        raise AlreadyAnswered("This pair was left behind by an undo.")
    stored = next((event for event in log.in_force if event.screen_id == screen.pk), None)
    if isinstance(stored, Judgement) and all(
        verdicts.get(criterion) == verdict for criterion, verdict in stored.verdicts.items()
    ):
        return
    raise AlreadyAnswered("This pair was answered in another tab.")


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
            if given in Verdict.values:
                stored[criterion] = given
            else:
                reasons[criterion] = CHOOSE_A_VERDICT
        elif given not in ("", follows):
            reasons[criterion] = "This follows from your earlier answers."
    if reasons:
        raise Incomplete(reasons)
    return stored


def _set_state(screen: Screen, state: Screen.State) -> None:
    screen.state = state
    screen.save(update_fields=["state"])
