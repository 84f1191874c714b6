"""Questions and answers: changes to the log by the comparison page."""

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotate.errors import CHOOSE_A_VERDICT, NotThere
from annotate.prepared_sql import COLUMNS_OF_A_QUOTA, study_of_a_screen
from annotate.studies.models import Membership, Role, Study
from rankings.elicitation.log import CRITERIA, MIRRORED

from .answer_history import last_screens
from .attention_checks import apply_rule
from .current_screen import Outcome, Turn, turn_of, waiting_turn
from .errors import AlreadyAnswered, Incomplete, StudyNotOpen
from .models import (
    LOOK_THE_SAME,
    Assignment,
    Judgement,
    Note,
    Screen,
    Skip,
    Withdrawal,
    check_seen,
    unknown_seen,
)
from .planning import end, go_on, reopen, waiting_or_next
from .quotas import Quota, Remaining, asked_so_far, remaining_of
from .replay import Event, Log, read_log

if sys.platform != "win32":
    import fcntl

_turn: Final = Lock()


@contextmanager
def in_turn() -> Iterator[None]:
    """Process what people of this machine send one at a time if the database is SQLite.

    SQLite has one writer at a time. A connection that finds it busy sleeps for up to 0.1 s before
    each new attempt, although a transaction takes a few milliseconds; next to writers that take
    turns it finds it busy until it gives up. A transaction that has begun takes no turn: it holds
    what the others wait for.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with _turn, (settings.DATA_DIR / "answers.lock").open("a") as file:
        # On Windows a site is one process. The system frees the lock however a process ends.
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@in_turn()
@transaction.atomic
def start(*, study: Study, annotator: User) -> Outcome:
    """Return the waiting screen; create it (and take up an image) if there is none.

    There is no turn when this annotator has nothing left to rank. Raises NotThere for a user who
    is not an annotator of the study, and StudyNotOpen.
    """
    study = _open_study(annotator, study)
    return waiting_or_next(study, annotator, remaining_of(study, annotator))


def current(*, study: Study, annotator: User) -> Outcome:
    """Return the waiting screen, without changing anything."""
    return _waiting(study, annotator)


@in_turn()
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
    places: Mapping[str, int] | None = None,
    layout: Mapping[str, Any] | None = None,
    looks_same: bool = False,
) -> Outcome:
    """Store the answer to a screen and return the next one, if anything is left.

    ``seen`` is the visibility of both results (models.check_seen); None: the page cannot tell,
    which is stored as unknown. An answer that reports a hidden result is refused.

    ``disputed`` names criteria that follow from earlier answers and are answered nevertheless:
    then the new answer counts, and earlier ones that contradict it are set aside. ``looks_same``
    answers every other criterion that is asked with equal, whatever the verdicts. An answer sent
    twice is stored once. Raises NotThere for a screen that is not this annotator's, StudyNotOpen,
    AlreadyAnswered if the screen has another answer, and Incomplete if a criterion that is asked
    has no verdict or a result was not shown.
    """
    study, screen, remaining = _open_screen(screen_id, annotator, is_answer=True)
    log = read_log(screen.assignment)
    if looks_same:
        asked = {*turn_of(screen, log).open_criteria, *disputed}
        verdicts = {name: "equal" for name in CRITERIA if name in asked}
    if screen.state != Screen.State.WAITING:
        _require_same_judgement(screen, log, verdicts)
        return waiting_or_next(study, annotator, remaining)
    judgement = Judgement(
        assignment=screen.assignment,
        number=log.next_number,
        screen=screen,
        attempt=log.attempts(screen),
        seconds_taken=seconds_taken,
        aids=dict(aids or {}),
        seen=_shown(seen),
        places=places and dict(places),
        layout=layout and dict(layout),
        looks_same=looks_same,
        **_asked_verdicts(turn_of(screen, log), verdicts, disputed),
    )
    judgement.save(force_insert=True)
    _set_state(screen, Screen.State.ANSWERED)
    if screen.known is not None:
        apply_rule(study, annotator)
    return go_on(screen, log.with_event(judgement), remaining.after_one_more)


@in_turn()
@transaction.atomic
def record_skip(
    *,
    screen_id: str,
    annotator: User,
    reason: str,
    text: str = "",
    environment: Mapping[str, object] | None = None,
) -> Outcome:
    """Record that a screen cannot be answered and return the next one, if anything is left.

    The reason LOOK_THE_SAME is an answer: equal by every criterion asked. A skip sent twice is
    stored once. Raises like record_judgement, except Incomplete.
    """
    if reason == LOOK_THE_SAME[0]:
        return record_judgement(
            screen_id=screen_id, annotator=annotator, verdicts={}, looks_same=True
        )
    study, screen, remaining = _open_screen(screen_id, annotator, is_answer=True)
    if screen.state == Screen.State.SKIPPED:
        return waiting_or_next(study, annotator, remaining)
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
    skip.save(force_insert=True)
    _set_state(screen, Screen.State.SKIPPED)
    return go_on(screen, log.with_event(skip), remaining.after_one_more)


@in_turn()
@transaction.atomic
def undo(*, study: Study, annotator: User, screen_id: str) -> Outcome:
    """Undo the annotator's last answer or skip, and return its screen.

    ``screen_id`` is the screen the annotator sees (empty after the last one); another one waiting
    means that the request was sent twice or from an old tab, and raises AlreadyAnswered. With
    nothing to undo the waiting screen is returned. Raises NotThere and StudyNotOpen like start.
    """
    study = _open_study(annotator, study)
    waiting = waiting_turn(study, annotator)
    if screen_id != (waiting.screen.public_id if waiting else ""):
        raise AlreadyAnswered(_("Something changed in another tab; nothing was undone."))
    last = _last_event(study, annotator, waiting)
    if last is None:
        return Outcome(study, waiting, remaining_of(study, annotator))
    event, log = last
    _withdraw(event, log)
    return _waiting(study, annotator, _("An answer was undone."))


@transaction.atomic
def change(*, screen_id: str, annotator: User) -> Outcome:
    """Reopen one of the annotator's last answered screens, with its answer selected.

    Later answers are kept; the new answer will set aside those that contradict it.
    Raises NotThere, StudyNotOpen, and AlreadyAnswered for a screen that has no answer in force or
    is too far back.
    """
    study, screen, _remaining = _open_screen(screen_id, annotator)
    log = read_log(screen.assignment)
    event = next((event for event in log.in_force if event.screen == screen.pk), None)
    if event is None or screen.public_id not in last_screens(study, annotator):
        raise AlreadyAnswered(_("This answer can no longer be changed."))
    _withdraw(event, log)
    return _waiting(study, annotator, _("An earlier answer is open again."))


@transaction.atomic
def end_work(*, study: Study, annotator: User) -> None:
    """End an annotator's work: images in progress count as incomplete, and others may take them.

    Raises NotThere for a user who is not an annotator of the study.
    """
    if not _of(annotator, study):
        raise NotThere("Not an annotator of this study.")
    end(study, annotator)


@transaction.atomic
def erase_answers(*, study: Study, annotator: User) -> None:
    """Delete everything that an annotator answered in a study, as a withdrawn consent asks.

    It is the one exception to a log that only grows: nothing is left that could be replayed.
    """
    list(_of(annotator, study))
    end(study, annotator)
    own = Assignment.objects.filter(study=study, annotator=annotator)
    for assignment in own.filter(state=Assignment.State.COMPLETE):
        reopen(assignment)
    for of_kind in (Withdrawal, Judgement, Skip):
        of_kind.objects.filter(assignment__in=own).delete()
    Screen.objects.filter(assignment__in=own).delete()
    own.delete()


def pin_note(
    *,
    screen_id: str,
    annotator: User,
    text: str,
    place: Mapping[str, object] | None = None,
    discuss: bool = False,
) -> Note:
    """Store a note on a screen that this annotator sees or has answered. It changes no answer.

    ``place``: see models.check_place. Raises NotThere for a screen that is not theirs, and
    StudyNotOpen.
    """
    _, screen, _remaining = _open_screen(screen_id, annotator, is_answer=True)
    return Note.objects.create(
        screen=screen, place=place and dict(place), text=text, discuss=discuss
    )


def _withdraw(event: Event, log: Log) -> None:
    """Withdraw an event and let its screen wait again."""
    assignment = log.assignment
    withdrawn = {"skip_id" if event.is_skip else "judgement_id": event.pk}
    Withdrawal.objects.create(assignment=assignment, number=log.next_number, **withdrawn)
    assignment.screens.filter(state=Screen.State.WAITING).update(state=Screen.State.RETIRED)
    assignment.screens.filter(pk=event.screen).update(state=Screen.State.WAITING)
    reopen(assignment)


def _set_state(screen: Screen, state: Screen.State) -> None:
    screen.state = state
    screen.save(update_fields=["state"])


def _waiting(study: Study, annotator: User, note: str = "") -> Outcome:
    turn = waiting_turn(study, annotator)
    noted = turn and replace(turn, note=note)
    return Outcome(study, noted, remaining_of(study, annotator))


def _locked_membership(**found_by: object) -> QuerySet[Membership]:
    """Lock a membership; every change of an annotator's answers takes this lock first.

    So one person's answers, skips and undos run one after another and cannot deadlock.
    """
    memberships = Membership.objects.select_for_update(of=("self",)).select_related("study")
    return memberships.order_by().filter(role=Role.ANNOTATOR, **found_by)


def _screen(public_id: str, study: Study, annotator: User, quota: Quota) -> QuerySet[Screen]:
    screens = Screen.objects.select_related("assignment__image", "left", "right")
    if quota.max_pairs is not None:
        screens = screens.annotate(n_asked=asked_so_far(study, annotator))
    long = ("assignment__image__truth", "left__regions", "right__regions")
    return screens.defer(*long).filter(public_id=public_id)


def _open_study(annotator: User, study: Study) -> Study:
    """Return the study; the annotator's membership is locked until the transaction ends."""
    return _open(member.study for member in _of(annotator, study))


def _of(annotator: User, study: Study) -> QuerySet[Membership]:
    return _locked_membership(person=annotator, study=study)


def _open(studies: Iterable[Study], *, is_answer: bool = False) -> Study:
    """Return the first study; raise NotThere if there is none, StudyNotOpen if it is not open.

    An answer to a pair on screen is accepted for a while after the study was closed.
    """
    study = next(iter(studies), None)
    if study is None:
        raise NotThere("Not an annotator of this study.")
    is_open = study.state == Study.State.OPEN
    if not (is_open or (is_answer and study.is_ending)):
        raise not_open(study)
    return study


def not_open(study: Study) -> StudyNotOpen:
    return StudyNotOpen(
        _("The study “{study}” is {state}. What you answered is kept.").format(
            study=study, state=study.get_state_display()
        )
    )


def _open_screen(
    public_id: str, annotator: User, *, is_answer: bool = False
) -> tuple[Study, Screen, Remaining]:
    """Return one of this annotator's screens with its study and what remains, locked.

    Raises NotThere for a screen that is not theirs.
    """
    found_by = [annotator.pk, Role.ANNOTATOR, public_id]
    study = _open(Study.objects.raw(study_of_a_screen(), found_by), is_answer=is_answer)
    quota = Quota(*(vars(study)[name] for name in COLUMNS_OF_A_QUOTA))
    screen = _screen(public_id, study, annotator, quota).get()
    screen.assignment.study = study
    screen.assignment.annotator = annotator
    return study, screen, Remaining(quota, getattr(screen, "n_asked", None))


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
    """Return the verdicts to store; raise Incomplete for missing or forged ones."""
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
    """Return the visibility to store; raise Incomplete unless both results were shown."""
    if seen is None:
        return unknown_seen()
    try:
        check_seen(dict(seen))
    except ValidationError as fault:
        raise Incomplete({"seen": _("Look at both results before you answer.")}) from fault
    return dict(seen)
