"""Planning: the next pair of an image, the next image, and the end of one.

Called after every change of the log: answers, undone answers, methods that join or leave.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.datasets.models import Image
from annotate.studies.models import Study, StudyImage
from rankings.elicitation.log import Answer, Skip, pair_of
from rankings.elicitation.rechecks import Ask, ask_of, default_checks

from .attention_checks import known_pair_due, known_pairs
from .current_screen import Turn, strategy_of, waiting_turn
from .image_allocation import images_in_order, is_alone, is_still_to_be_had, n_images_of
from .models import Assignment, Screen
from .quotas import is_used_up, quota_of
from .replay import (
    ONE_PAIR,
    Log,
    careful_rules_of,
    complete_rankings_of,
    hidden_results,
    method_of_each_result,
    read_log,
    slip_prior_after,
)
from .sampling import Visit, drawn_with, visit_of

_SIDES_BLOCK = 8
_OF_THE_END = ("finished", "n_answered", "n_skipped")


def go_on(screen: Screen, log: Log, annotator: User) -> Turn | None:
    """Return the next turn after an answer."""
    assignment = screen.assignment
    if assignment.study.state != Study.State.OPEN:
        # The study has ended: an image completed by this answer counts, but nothing more is asked.
        if log.settled.state.is_finished:
            finish(assignment, log)
        return None
    is_over = quota_of(assignment.study, annotator).max_pairs and is_used_up(
        assignment.study, annotator
    )
    following = None if is_over else next_screen(assignment, log)
    if following is not None:
        note = ""
        if following.purpose == Screen.Purpose.REPAIR:
            note = _("An earlier answer has changed, so some pairs are asked again.")
        return Turn(following, log, can_undo=True, note=note)
    finish(assignment, log)
    return waiting_or_next(assignment.study, annotator)


def waiting_or_next(study: Study, annotator: User) -> Turn | None:
    if study.state != Study.State.OPEN:
        return None
    # An image that an undo left behind comes before a new one.
    return waiting_turn(study, annotator) or _take_up_next_image(study, annotator)


def n_checks_of(assignment: Assignment) -> int:
    """Return the number of re-checks of the image: none for a single pair or in the careful order."""
    n_checks = assignment.study.n_checks
    if is_one_pair(assignment) or careful_rules_of(assignment) is not None:
        return 0
    return default_checks(len(assignment.items)) if n_checks is None else n_checks


def is_one_pair(assignment: Assignment) -> bool:
    """Return whether the visit asks exactly one pair."""
    return assignment.drawn is not None and len(assignment.items) <= ONE_PAIR


def next_screen(assignment: Assignment, log: Log) -> Screen | None:
    """Store the next screen of an image and return it; None if nothing is left to ask."""
    number = log.last_screen + 1
    entries = log.entries
    known = known_pair_due(
        assignment, n_answered=len(entries), asked=log.known, hidden=hidden_results(assignment)
    )
    if known is not None:
        result = assignment.known[known]["result"]
        return _new_screen(assignment, number, result, result, Screen.Purpose.KNOWN, known)
    ask = ask_of(
        log.settled,
        strategy_of(assignment),
        n_checks=n_checks_of(assignment),
        seed=f"{assignment.study.seed}/{assignment.annotator_id}/{assignment.image_id}",
    )
    if ask is None or (assignment.drawn is not None and _was_skipped(ask, entries)):
        return None
    left, right = _sides(assignment, ask, number)
    return _new_screen(assignment, number, left, right, ask.purpose)


def _new_screen(
    assignment: Assignment,
    number: int,
    left: int,
    right: int,
    purpose: str,
    known: int | None = None,
) -> Screen:
    screen = Screen(
        assignment=assignment,
        number=number,
        left_id=left,
        right_id=right,
        purpose=purpose,
        known=known,
        strategy=strategy_of(assignment),
        first="left" if _is_drawn(assignment, number, "first") else "right",
    )
    screen.save(force_insert=True)
    return screen


def _was_skipped(ask: Ask, entries: Sequence[Answer | Skip]) -> bool:
    """Return whether the pair was skipped: a visit is too short to ask it again later."""
    pair = pair_of(ask.left, ask.right)
    skips = (entry for entry in entries if isinstance(entry, Skip))
    return any(pair_of(skip.left, skip.right) == pair for skip in skips)


def _sides(assignment: Assignment, ask: Ask, number: int) -> tuple[int, int]:
    """Return the left and the right result; a re-check determines its own sides."""
    first, second = (assignment.items[item][0] for item in (ask.left, ask.right))
    is_placing = ask.purpose in (Screen.Purpose.PLACE, Screen.Purpose.REPAIR)
    # The new result is on the left. A re-check uses up a place of the draw but follows its own
    # rule.
    if is_placing and _is_drawn(assignment, number):
        return second, first
    return first, second


def _is_drawn(assignment: Assignment, number: int, *what: str) -> bool:
    """Draw one of two sides for a screen, each four times in every eight screens of an image."""
    block, place = divmod(number - 1, _SIDES_BLOCK)
    sides = [True, False] * (_SIDES_BLOCK // 2)
    drawn = drawn_with(assignment.study, assignment.annotator_id, assignment.image_id, block, *what)
    drawn.shuffle(sides)
    return sides[place]


def _take_up_next_image(study: Study, annotator: User) -> Turn | None:
    """Assign images until one needs an answer; images whose results look alike need none."""
    if is_used_up(study, annotator):
        return None
    quota = quota_of(study, annotator)
    alone = is_alone(study, annotator)
    for image_id in images_in_order(study, annotator, alone=alone):
        visit = visit_of(study, annotator, image_id)
        if visit.n_results < 2 or not is_still_to_be_had(study, image_id, alone=alone):
            continue
        own = Assignment.objects.filter(study=study, annotator=annotator)
        earlier = own.select_related("study").order_by("position")
        n_before = earlier.count()
        is_careful = study.strategy == Study.Strategy.CAREFUL
        image = Image.objects.select_related("dataset").get(pk=image_id)
        assignment = Assignment(
            study=study,
            image=image,
            annotator=annotator,
            position=n_before + 1,
            items=visit.items,
            drawn=visit.drawn,
            slip_prior=slip_prior_after(earlier.last()) if is_careful else None,
            known=known_pairs(
                study, annotator, image_id, visit.items, position=n_before + 1, quota=quota
            ),
        )
        assignment.save(force_insert=True)
        nothing = Log(assignment, ())
        screen = next_screen(assignment, nothing)
        if screen is not None:
            return Turn(screen, nothing, can_undo=n_before > 0)
        finish(assignment, nothing)
    return None


def has_begun_all(study: Study, annotator: User) -> bool:
    """Return whether this annotator has begun every available image."""
    n_begun = Assignment.objects.filter(study=study, annotator=annotator).count()
    return n_images_of(study, annotator) <= n_begun


def next_visits(
    study: Study, annotator: User, n: int
) -> Iterator[tuple[int, Visit, list[dict[str, Any]]]]:
    """Yield the annotator's ``n`` most likely next images, their visits and known-answer pairs."""
    position = Assignment.objects.filter(study=study, annotator=annotator).count() + 1
    quota = quota_of(study, annotator)
    alone = is_alone(study, annotator)
    for image_id in images_in_order(study, annotator, alone=alone):
        if n <= 0:
            return
        visit = visit_of(study, annotator, image_id)
        if visit.n_results > 1:
            known = known_pairs(
                study, annotator, image_id, visit.items, position=position, quota=quota
            )
            yield image_id, visit, known
            n, position = n - 1, position + 1


def end(study: Study, annotator: User) -> None:
    """End the images in progress as they are; the pairs that wait are asked no more."""
    in_work = Assignment.State.IN_WORK
    for assignment in Assignment.objects.filter(study=study, annotator=annotator, state=in_work):
        assignment.screens.filter(state=Screen.State.WAITING).update(state=Screen.State.RETIRED)
        finish(assignment, read_log(assignment))


def finish(assignment: Assignment, log: Log) -> None:
    settled = log.settled
    assignment.finished = timezone.now()
    assignment.n_skipped = sum(event.is_skip for event in log.in_force)
    assignment.n_answered = len(log.in_force) - assignment.n_skipped
    # Doubts for which no screens were left stay unsettled and are reported.
    assignment.unsettled = sorted({*settled.unsettled, *settled.doubtful})
    rankings = complete_rankings_of(assignment, settled.state, method_of_each_result(assignment))
    if rankings is not None:
        assignment.rankings = rankings
        assignment.state = Assignment.State.COMPLETE
        _count_complete(assignment, +1)
    else:
        assignment.state = Assignment.State.INCOMPLETE
    assignment.save(update_fields=[*_OF_THE_END, "rankings", "state", "unsettled"])


def reopen(assignment: Assignment) -> None:
    if assignment.state == Assignment.State.IN_WORK:
        return
    if assignment.state == Assignment.State.COMPLETE:
        _count_complete(assignment, -1)
    assignment.state = Assignment.State.IN_WORK
    assignment.rankings = assignment.finished = None
    assignment.unsettled = []
    assignment.n_answered = assignment.n_skipped = 0
    assignment.save(update_fields=[*_OF_THE_END, "rankings", "state", "unsettled"])


def _count_complete(assignment: Assignment, change: int) -> None:
    StudyImage.objects.filter(study=assignment.study_id, image=assignment.image_id).update(
        n_complete=F("n_complete") + change
    )
