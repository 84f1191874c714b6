"""Asking and answering: what the comparison page, and later the API, do to the log."""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, OuterRef, Subquery
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotate.datasets.models import Result
from annotate.studies.models import Membership, Role, Study, StudyImage
from rankings.elicitation import CRITERIA, State

from .errors import AlreadyAnswered, Incomplete, StudyNotOpen
from .models import Assignment, Judgement, Screen, Skip, Verdict, Withdrawal
from .replay import Log, item_of_each_result, rankings_of, read_log, state_of

_SIDES_BLOCK = 8


@dataclass(frozen=True)
class Turn:
    """The screen that waits for an annotator, and the state of its image's rankings."""

    screen: Screen
    state: State
    can_undo: bool
    # What was answered before an undo came back to this screen.
    answers: Mapping[str, str] = field(default_factory=dict)

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
        return self.state.open_criteria(*self.pair)

    @property
    def implied(self) -> dict[str, str]:
        return dict(self.state.implied(*self.pair))


def waiting_turn(study: Study, annotator: User) -> Turn | None:
    """Return what this annotator is asked now; None before the start and after the end."""
    screen = (
        Screen.objects.filter(
            assignment__study=study,
            assignment__annotator=annotator,
            assignment__state=Assignment.State.IN_WORK,
            state=Screen.State.WAITING,
        )
        .select_related("assignment__image__dataset", "assignment__study")
        # An undo can reopen an image while the next one has begun; the earlier comes first.
        .order_by("assignment__position")
        .first()
    )
    if screen is None:
        return None
    return _turn(screen, read_log(screen.assignment))


def _turn(screen: Screen, log: Log) -> Turn:
    taken_back = [
        event
        for event in log.events
        if isinstance(event, Judgement) and event.screen_id == screen.pk
    ]
    return Turn(
        screen=screen,
        state=state_of(screen.assignment, log),
        can_undo=bool(log.in_force) or screen.assignment.position > 1,
        answers=taken_back[-1].verdicts if taken_back else {},
    )


@transaction.atomic
def start(*, study: Study, annotator: User) -> Turn | None:
    """Return the waiting screen, making it (and taking up an image) where there is none.

    None when this annotator has nothing left to rank. Raises Http404 for somebody who is not an
    annotator of the study, and StudyNotOpen.
    """
    return _waiting_or_next(_open_study(annotator, pk=study.pk), annotator)


@transaction.atomic
def record_judgement(
    *,
    screen_id: str,
    annotator: User,
    verdicts: Mapping[str, str],
    seconds_taken: float | None = None,
) -> Turn | None:
    """Store the answer to a screen and return the next one; None when nothing is left.

    The same answer twice is stored once. Raises Http404 for a screen that is not this
    annotator's, StudyNotOpen, AlreadyAnswered if the screen has another answer, and Incomplete
    if a criterion that is asked has no verdict.
    """
    study, screen = _open_screen(screen_id, annotator)
    log = read_log(screen.assignment)
    if screen.state != Screen.State.WAITING:
        _require_same_judgement(screen, log, verdicts)
        return _waiting_or_next(study, annotator)
    judgement = Judgement(
        assignment=screen.assignment,
        number=log.next_number,
        screen=screen,
        attempt=log.attempts(screen),
        seconds_taken=seconds_taken,
        **_asked_verdicts(_turn(screen, log), verdicts),
    )
    judgement.save(force_insert=True)
    _set_state(screen, Screen.State.ANSWERED)
    return _go_on(screen, log.with_event(judgement), annotator)


@transaction.atomic
def record_skip(*, screen_id: str, annotator: User, reason: str, text: str = "") -> Turn | None:
    """Note that a screen cannot be answered and return the next one; None when nothing is left.

    The same skip twice is stored once. Raises as record_judgement does, but for Incomplete.
    """
    study, screen = _open_screen(screen_id, annotator)
    if screen.state == Screen.State.SKIPPED:
        return _waiting_or_next(study, annotator)
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
    )
    skip.save(force_insert=True)
    _set_state(screen, Screen.State.SKIPPED)
    return _go_on(screen, log.with_event(skip), annotator)


@transaction.atomic
def undo(*, study: Study, annotator: User, screen_id: str) -> Turn | None:
    """Take back the annotator's last answer or skip, and return its screen.

    ``screen_id`` is the screen the annotator sees (empty after the last one); another one waiting
    means that the request was sent twice or from an old tab, and raises AlreadyAnswered. With
    nothing to take back the waiting screen is returned. Raises Http404 and StudyNotOpen as start.
    """
    study = _open_study(annotator, pk=study.pk)
    waiting = waiting_turn(study, annotator)
    if screen_id != (waiting.screen.public_id if waiting else ""):
        raise AlreadyAnswered("Something changed in another tab; nothing was taken back.")
    last = _last_event(study, annotator, waiting)
    if last is None:
        return waiting
    event, log = last
    kind = "judgement" if isinstance(event, Judgement) else "skip"
    assignment = event.assignment
    Withdrawal.objects.create(assignment=assignment, number=log.next_number, **{kind: event})
    assignment.screens.filter(state=Screen.State.WAITING).update(state=Screen.State.RETIRED)
    _set_state(event.screen, Screen.State.WAITING)
    _reopen(assignment)
    return waiting_turn(study, annotator)


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


def _open_screen(public_id: str, annotator: User) -> tuple[Study, Screen]:
    """Return one of this annotator's screens and its study, locked; Http404 if it is not theirs."""
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
    return study, screen


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


def _asked_verdicts(turn: Turn, verdicts: Mapping[str, str]) -> dict[str, str]:
    """Return the verdicts of the open criteria; raise Incomplete for what is missing or forged."""
    reasons = {}
    implied = turn.implied
    for criterion in CRITERIA:
        given = verdicts.get(criterion) or ""
        if criterion in implied:
            if given not in ("", implied[criterion]):
                reasons[criterion] = "This follows from your earlier answers."
        elif given not in Verdict.values:
            reasons[criterion] = "Choose left, equal or right."
    if reasons:
        raise Incomplete(reasons)
    return {criterion: verdicts[criterion] for criterion in turn.open_criteria}


def _set_state(screen: Screen, state: Screen.State) -> None:
    screen.state = state
    screen.save(update_fields=["state"])


def _go_on(screen: Screen, log: Log, annotator: User) -> Turn | None:
    assignment = screen.assignment
    state = state_of(assignment, log)
    following = _next_screen(assignment, state, number=screen.last_number + 1)
    if following is not None:
        return Turn(following, state, can_undo=True)
    _finish(assignment, state)
    return _waiting_or_next(assignment.study, annotator)


def _waiting_or_next(study: Study, annotator: User) -> Turn | None:
    # An image that an undo left behind comes before a new one.
    return waiting_turn(study, annotator) or _take_up_next_image(study, annotator)


def _next_screen(assignment: Assignment, state: State, *, number: int) -> Screen | None:
    pair = state.next_pair(assignment.study.strategy)
    if pair is None:
        return None
    earlier, newcomer = (assignment.items[item][0] for item in pair)
    left, right = (
        (newcomer, earlier) if _newcomer_is_left(assignment, number) else (earlier, newcomer)
    )
    return Screen.objects.create(
        assignment=assignment,
        number=number,
        left_id=left,
        right_id=right,
        strategy=assignment.study.strategy,
    )


def _newcomer_is_left(assignment: Assignment, number: int) -> bool:
    """Draw the sides so that every eight screens have the newcomer on each side four times."""
    block, place = divmod(number - 1, _SIDES_BLOCK)
    sides = [True, False] * (_SIDES_BLOCK // 2)
    _drawn(assignment.study, assignment.annotator_id, assignment.image_id, block).shuffle(sides)
    return sides[place]


def _drawn(study: Study, *what: object) -> random.Random:
    """Return a generator that depends on the study's seed and on what is drawn, nothing else."""
    return random.Random("/".join(map(str, (study.seed, *what))))


def _take_up_next_image(study: Study, annotator: User) -> Turn | None:
    """Assign images until one needs an answer. Results that look alike may leave nothing to ask."""
    for image_id in _images_in_order(study, annotator):
        items = _items(study, annotator, image_id)
        if sum(map(len, items)) < 2:
            continue
        n_before = Assignment.objects.filter(study=study, annotator=annotator).count()
        assignment = Assignment.objects.create(
            study=study,
            image_id=image_id,
            annotator=annotator,
            position=n_before + 1,
            items=items,
        )
        state = state_of(assignment, Log(()))
        screen = _next_screen(assignment, state, number=1)
        if screen is not None:
            return Turn(screen, state, can_undo=n_before > 0)
        _finish(assignment, state)
    return None


def _images_in_order(study: Study, annotator: User) -> list[int]:
    """Images not taken up yet, nearest to the number of annotators they need first."""
    rows = (
        StudyImage.objects.filter(study=study)
        .exclude(
            image__in=Assignment.objects.filter(study=study, annotator=annotator).values("image")
        )
        .values_list("image_id", "n_complete")
    )

    def place(row: tuple[int, int]) -> tuple[bool, int, bytes]:
        image_id, n_complete = row
        draw = sha256(f"{study.seed}/{annotator.pk}/{image_id}".encode()).digest()
        return n_complete >= study.min_annotators, -n_complete, draw

    return [image_id for image_id, _ in sorted(rows, key=place)]


def _items(study: Study, annotator: User, image_id: int) -> list[list[int]]:
    """The results to rank in this annotator's order; those that look alike are one item."""
    alike: dict[str, list[int]] = defaultdict(list)
    results = Result.objects.filter(image=image_id, method__in=study.methods.all())
    for result_id, digest in results.order_by("pk").values_list("pk", "sha256"):
        alike[digest].append(result_id)
    items = list(alike.values())
    _drawn(study, annotator.pk, image_id, "items").shuffle(items)
    return items


def _finish(assignment: Assignment, state: State) -> None:
    assignment.finished = timezone.now()
    if state.is_finished:
        assignment.rankings = rankings_of(assignment, state, _method_of_each_result(assignment))
        assignment.state = Assignment.State.COMPLETE
        _count_complete(assignment, +1)
    else:
        assignment.state = Assignment.State.INCOMPLETE
    assignment.save(update_fields=["finished", "rankings", "state"])


def _method_of_each_result(assignment: Assignment) -> dict[int, int]:
    ids = [result for results in assignment.items for result in results]
    return dict(Result.objects.filter(pk__in=ids).values_list("pk", "method_id"))


def _reopen(assignment: Assignment) -> None:
    if assignment.state == Assignment.State.IN_WORK:
        return
    if assignment.state == Assignment.State.COMPLETE:
        _count_complete(assignment, -1)
    assignment.state = Assignment.State.IN_WORK
    assignment.rankings = assignment.finished = None
    assignment.save(update_fields=["finished", "rankings", "state"])


def _count_complete(assignment: Assignment, change: int) -> None:
    StudyImage.objects.filter(study=assignment.study_id, image=assignment.image_id).update(
        n_complete=F("n_complete") + change
    )


def rankings_that_differ() -> Iterator[tuple[Assignment, bool]]:
    """Replay every assignment; say for each whether its stored state differs from its log's."""
    assignments = Assignment.objects.select_related("study", "image", "annotator").order_by("pk")
    for assignment in assignments.iterator():
        state = state_of(assignment, read_log(assignment))
        replayed = None
        if state.is_finished:
            replayed = rankings_of(assignment, state, _method_of_each_result(assignment))
        yield assignment, assignment.rankings != replayed
