"""Asking and answering: what the comparison page, and later the API, do to the log."""

import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, OuterRef, Subquery
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Method, Result
from annotate.errors import CHOOSE_A_VERDICT
from annotate.studies.errors import StudyRefused
from annotate.studies.models import Membership, Role, Study, StudyImage
from annotate.studies.selectors import images_to_take_up, n_images_of
from rankings.elicitation import CRITERIA, Answer, State
from rankings.elicitation import Skip as PlannerSkip
from rankings.rechecks import Ask, Settled, ask_of, default_checks

from .changes import history
from .errors import AlreadyAnswered, Incomplete, StudyNotOpen
from .models import Assignment, Judgement, Screen, Skip, Verdict, Withdrawal
from .replay import (
    Log,
    entries_of,
    item_of_each_result,
    rankings_of,
    read_log,
    settled_of,
)

_SIDES_BLOCK = 8
_MIN_METHODS = 2
_TAKEN_BACK = "An answer was taken back."
_CHANGED = "An earlier answer is open again."
_REPAIRED = "An earlier answer has changed, so some pairs are asked again."


@dataclass(frozen=True)
class Turn:
    """The screen that waits for an annotator, and the state of its image's rankings."""

    screen: Screen
    settled: Settled
    # What is in force of the image's log, as the planner has it.
    entries: tuple[Answer | PlannerSkip, ...]
    can_undo: bool
    # What was answered before an undo or a change came back to this screen.
    answers: Mapping[str, str] = field(default_factory=dict)
    # What happened that may make more pairs left than before, for the progress display.
    note: str = ""

    @property
    def state(self) -> State:
        return self.settled.state

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
        """What follows from other answers. A re-check asks all; a changed answer what it asked."""
        if self.screen.is_check:
            return {}
        known = self.state.implied(*self.pair)
        return {
            criterion: verdict
            for criterion, verdict in known.items()
            if criterion not in self.answers
        }


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
        settled=settled_of(screen.assignment, log),
        entries=entries_of(screen.assignment, log),
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
        aids=dict(aids or {}),
        **_asked_verdicts(_turn(screen, log), verdicts, disputed),
    )
    judgement.save(force_insert=True)
    _set_state(screen, Screen.State.ANSWERED)
    return _go_on(screen, log.with_event(judgement), annotator)


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
        environment=dict(environment or {}),
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
        raise AlreadyAnswered("Something changed in another tab; nothing was undone.")
    last = _last_event(study, annotator, waiting)
    if last is None:
        return waiting
    event, log = last
    _take_back(event, log)
    return _with_note(waiting_turn(study, annotator), _TAKEN_BACK)


@transaction.atomic
def change(*, screen_id: str, annotator: User) -> Turn | None:
    """Open one of the annotator's last answered screens again, its answer chosen.

    Later answers stay; those that will contradict the new answer are set aside when it comes.
    Raises Http404, StudyNotOpen, and AlreadyAnswered for a screen that has no answer in force or
    is too far back.
    """
    study, screen = _open_screen(screen_id, annotator)
    log = read_log(screen.assignment)
    event = next((one for one in log.in_force if one.screen_id == screen.pk), None)
    shown = {past.screen.public_id for past in history(study, annotator)}
    if event is None or screen.public_id not in shown:
        raise AlreadyAnswered("This answer can no longer be changed.")
    event.assignment = screen.assignment
    _take_back(event, log)
    return _with_note(waiting_turn(study, annotator), _CHANGED)


def _take_back(event: Judgement | Skip, log: Log) -> None:
    """Withdraw an event and let its screen wait again."""
    kind = "judgement" if isinstance(event, Judgement) else "skip"
    assignment = event.assignment
    Withdrawal.objects.create(assignment=assignment, number=log.next_number, **{kind: event})
    assignment.screens.filter(state=Screen.State.WAITING).update(state=Screen.State.RETIRED)
    _set_state(event.screen, Screen.State.WAITING)
    _reopen(assignment)


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
    screen.assignment.annotator = annotator
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


def _go_on(screen: Screen, log: Log, annotator: User) -> Turn | None:
    assignment = screen.assignment
    settled = settled_of(assignment, log)
    following = _next_screen(assignment, log, settled, number=screen.last_number + 1)
    if following is not None:
        note = _REPAIRED if following.purpose == Screen.Purpose.REPAIR else ""
        return Turn(following, settled, entries_of(assignment, log), can_undo=True, note=note)
    _finish(assignment, settled)
    return _waiting_or_next(assignment.study, annotator)


def _waiting_or_next(study: Study, annotator: User) -> Turn | None:
    # An image that an undo left behind comes before a new one.
    return waiting_turn(study, annotator) or _take_up_next_image(study, annotator)


def n_checks_of(assignment: Assignment) -> int:
    """How many re-checks the image gets."""
    n_checks = assignment.study.n_checks
    return default_checks(len(assignment.items)) if n_checks is None else n_checks


def _next_screen(
    assignment: Assignment, log: Log, settled: Settled, *, number: int
) -> Screen | None:
    ask = ask_of(
        settled,
        entries_of(assignment, log),
        assignment.study.strategy,
        n_checks=n_checks_of(assignment),
        seed=f"{assignment.study.seed}/{assignment.annotator_id}/{assignment.image_id}",
    )
    if ask is None:
        return None
    left, right = _sides(assignment, ask, number)
    return Screen.objects.create(
        assignment=assignment,
        number=number,
        left_id=left,
        right_id=right,
        purpose=ask.purpose,
        strategy=assignment.study.strategy,
    )


def _sides(assignment: Assignment, ask: Ask, number: int) -> tuple[int, int]:
    """Return the results on the left and on the right; a re-check says its sides itself."""
    first, second = (assignment.items[item][0] for item in (ask.left, ask.right))
    is_placing = ask.purpose in (Screen.Purpose.PLACE, Screen.Purpose.REPAIR)
    if is_placing and _newcomer_is_left(assignment, number):
        return second, first
    return first, second


def _newcomer_is_left(assignment: Assignment, number: int) -> bool:
    """Draw the sides so that every eight screens have the newcomer on each side four times.

    A re-check among the eight takes a place of the draw and goes by its own rule.
    """
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
        if sum(map(len, items)) < 2 or not _is_still_to_be_had(study, image_id):
            continue
        n_before = Assignment.objects.filter(study=study, annotator=annotator).count()
        assignment = Assignment.objects.create(
            study=study,
            image_id=image_id,
            annotator=annotator,
            position=n_before + 1,
            items=items,
        )
        nothing = Log(())
        settled = settled_of(assignment, nothing)
        screen = _next_screen(assignment, nothing, settled, number=1)
        if screen is not None:
            return Turn(screen, settled, (), can_undo=n_before > 0)
        _finish(assignment, settled)
    return None


def _is_still_to_be_had(study: Study, image_id: int) -> bool:
    """Look again under a lock where images are shared out, so that nobody takes one too many.

    A row that another person holds is passed over and not waited for: whoever waits while holding
    other rows may wait for ever.
    """
    if study.max_annotators is None:
        return True
    rows = StudyImage.objects.select_for_update(skip_locked=True)
    if rows.filter(study=study, image=image_id).first() is None:
        return False
    taken_up = Assignment.objects.filter(study=study, image=image_id)
    return taken_up.count() < study.max_annotators


def has_begun_all(study: Study, annotator: User) -> bool:
    """Whether this annotator has taken up every image there is for them."""
    n_begun = Assignment.objects.filter(study=study, annotator=annotator).count()
    return n_images_of(study, annotator) <= n_begun


def next_image(study: Study, annotator: User) -> int | None:
    """Return the image this annotator will most likely get next, for fetching it in advance."""
    for image_id in _images_in_order(study, annotator):
        if sum(map(len, _items(study, annotator, image_id))) > 1:
            return image_id
    return None


def _images_in_order(study: Study, annotator: User) -> list[int]:
    """Images not taken up yet, nearest to the number of annotators they need first."""
    rows = images_to_take_up(study, annotator).values_list("image_id", "n_complete")

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


def _finish(assignment: Assignment, settled: Settled) -> None:
    state = settled.state
    assignment.finished = timezone.now()
    # Doubts that nothing was left for stand as they are, and are said.
    assignment.unsettled = sorted({*settled.unsettled, *settled.doubtful})
    if state.is_finished:
        assignment.rankings = rankings_of(assignment, state, _method_of_each_result(assignment))
        assignment.state = Assignment.State.COMPLETE
        _count_complete(assignment, +1)
    else:
        assignment.state = Assignment.State.INCOMPLETE
    assignment.save(update_fields=["finished", "rankings", "state", "unsettled"])


def _method_of_each_result(assignment: Assignment) -> dict[int, int]:
    """Return the method of each result whose method takes part in the study."""
    ids = [result for results in assignment.items for result in results]
    taking_part = Result.objects.filter(pk__in=ids, method__studies=assignment.study_id)
    return dict(taking_part.values_list("pk", "method_id"))


@transaction.atomic
def add_method(*, study: Study, method: Method) -> int:
    """Let another method take part; return how many rankings wait for it.

    Its results are placed in the rankings that exist, with few screens; nothing is asked again.
    Raises StudyRefused for a method of another dataset or one that takes part already.
    """
    if method.dataset_id != study.dataset_id:
        raise StudyRefused(f"{method} is no method of {study.dataset}.")
    if study.methods.contains(method):
        raise StudyRefused(f"{method} takes part already.")
    _lock_members(study)
    study.methods.add(method)
    record(Act.METHOD_ADDED, study=study, what=method.name)
    results = {
        result.image_id: result
        for result in method.results.filter(image__study_images__study=study)
    }
    n_waiting = 0
    for assignment in _assignments(study):
        result = results.get(assignment.image_id)
        if result is not None:
            _extend(assignment, result)
            n_waiting += _take_stock(assignment)
    return n_waiting


@transaction.atomic
def withdraw_method(*, study: Study, method: Method) -> None:
    """Let a method take part no more. Its answers stay in the log; rankings leave it out.

    Raises StudyRefused for a method that does not take part, and if fewer than two would be left.
    """
    if not study.methods.contains(method):
        raise StudyRefused(f"{method} does not take part in {study}.")
    if study.methods.count() <= _MIN_METHODS:
        raise StudyRefused("A study compares at least two methods; this one has no more than that.")
    _lock_members(study)
    study.methods.remove(method)
    record(Act.METHOD_WITHDRAWN, study=study, what=method.name)
    for assignment in _assignments(study):
        method_of = _method_of_each_result(assignment)
        hidden = [
            item
            for item, results in enumerate(assignment.items)
            if not any(result in method_of for result in results)
        ]
        if hidden != assignment.hidden or assignment.rankings is not None:
            assignment.hidden = hidden
            assignment.save(update_fields=["hidden"])
            _take_stock(assignment)


def _lock_members(study: Study) -> None:
    """Keep every annotator's answers waiting until the study's methods have changed."""
    list(Membership.objects.select_for_update().filter(study=study).order_by("pk"))


def _assignments(study: Study) -> list[Assignment]:
    found = Assignment.objects.filter(study=study).order_by("pk")
    return list(found.select_related("study", "image__dataset"))


def _extend(assignment: Assignment, result: Result) -> None:
    """Give a result its place among the planner's items: a new one, or that of its like."""
    ids = [results[0] for results in assignment.items]
    digest_of = dict(Result.objects.filter(pk__in=ids).values_list("pk", "sha256"))
    for item, results in enumerate(assignment.items):
        if digest_of.get(results[0]) == result.sha256:
            if result.pk not in results:
                results.append(result.pk)
            assignment.hidden = [one for one in assignment.hidden if one != item]
            break
    else:
        assignment.items.append([result.pk])
    assignment.save(update_fields=["items", "hidden"])


def _take_stock(assignment: Assignment) -> bool:
    """Bring an assignment's state up to date with its log; say whether it now waits for answers."""
    log = read_log(assignment)
    settled = settled_of(assignment, log)
    _reopen(assignment)
    waiting = assignment.screens.filter(state=Screen.State.WAITING)
    asked_still = [screen for screen in waiting if not _is_out_of_date(assignment, screen, settled)]
    if asked_still:
        return True
    waiting.update(state=Screen.State.RETIRED)
    last = assignment.screens.order_by("-number").values_list("number", flat=True).first() or 0
    if _next_screen(assignment, log, settled, number=last + 1) is not None:
        return True
    _finish(assignment, settled)
    return False


def _is_out_of_date(assignment: Assignment, screen: Screen, settled: Settled) -> bool:
    item_of = item_of_each_result(assignment)
    pair = item_of[screen.left_id], item_of[screen.right_id]
    if not set(settled.state.items).issuperset(pair):
        return True
    return not screen.is_check and not settled.state.open_criteria(*pair)


def _reopen(assignment: Assignment) -> None:
    if assignment.state == Assignment.State.IN_WORK:
        return
    if assignment.state == Assignment.State.COMPLETE:
        _count_complete(assignment, -1)
    assignment.state = Assignment.State.IN_WORK
    assignment.rankings = assignment.finished = None
    assignment.unsettled = []
    assignment.save(update_fields=["finished", "rankings", "state", "unsettled"])


def _count_complete(assignment: Assignment, change: int) -> None:
    StudyImage.objects.filter(study=assignment.study_id, image=assignment.image_id).update(
        n_complete=F("n_complete") + change
    )


def rankings_that_differ() -> Iterator[tuple[Assignment, bool]]:
    """Replay every assignment; say for each whether its stored state differs from its log's."""
    assignments = Assignment.objects.select_related("study", "image", "annotator").order_by("pk")
    for assignment in assignments.iterator():
        state = settled_of(assignment, read_log(assignment)).state
        replayed = None
        # Once all pairs are placed, re-checks may still wait: the ranking is stored after them.
        waits = assignment.screens.filter(state=Screen.State.WAITING).exists()
        if state.is_finished and not waits:
            replayed = rankings_of(assignment, state, _method_of_each_result(assignment))
        yield assignment, assignment.rankings != replayed
