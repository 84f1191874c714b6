"""Planning: the next pair of an image, the next image, and the end of one.

Called after every change of the log: answers, undone answers, methods that join or leave.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.datasets.models import Image
from annotate.studies.models import Study, StudyImage
from rankings.elicitation.log import Answer, Skip, pair_of
from rankings.elicitation.rechecks import Ask, ask_of, default_checks

from .attention_checks import answers_so_far, known_pair_due, known_pairs
from .current_screen import Outcome, Turn, strategy_of, waiting_turn
from .image_allocation import OwnImages, is_still_to_be_had, own_images
from .models import Assignment, Screen
from .quotas import Remaining, is_used_up, remaining_of
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
from .visits import Visit, drawn_with, visit_of

_SIDES_BLOCK = 8
_OF_THE_END = ("finished", "n_answered", "n_skipped")


def go_on(screen: Screen, log: Log, remaining: Remaining) -> Outcome:
    """Return the outcome of an answer that was just stored."""
    assignment, event = screen.assignment, log.events[-1]
    study = assignment.study
    if study.state != Study.State.OPEN:
        # The study has ended: an image completed by this answer counts, but nothing more is asked.
        if log.settled.state.is_finished:
            finish(assignment, log, last=screen)
        return Outcome(study, None, remaining, event)
    following = _following(assignment, log)
    if following is not None and not remaining.has_all_pairs:
        following.save(force_insert=True)
        note = ""
        if following.purpose == Screen.Purpose.REPAIR:
            note = _("An earlier answer has changed, so some pairs are asked again.")
        return Outcome(study, Turn(following, log, can_undo=True, note=note), remaining, event)
    finish(assignment, log, last=screen)
    return replace(waiting_or_next(study, assignment.annotator, remaining), event=event)


def waiting_or_next(study: Study, annotator: User, remaining: Remaining) -> Outcome:
    if study.state != Study.State.OPEN:
        return Outcome(study, None, remaining)
    # A quota of pairs is counted instead.
    own = own_images(study, annotator, counts=remaining.n_asked is None)
    # An image that an undo left behind comes before a new one.
    turn = waiting_turn(study, annotator) if own.has_one_in_work else None
    if turn is None and not is_used_up(study, annotator, remaining):
        if remaining.quota.n_known is not None:
            is_new = remaining.n_asked == 0
            known = () if is_new else answers_so_far(study, annotator)
            remaining = replace(remaining, known=known)
        turn = _take_up_next_image(own, remaining)
    return Outcome(study, turn, replace(remaining, n_images=own.n_images))


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
    screen = _following(assignment, log)
    if screen is not None:
        screen.save(force_insert=True)
    return screen


def _following(assignment: Assignment, log: Log) -> Screen | None:
    """Return the next screen of an image, not stored yet."""
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
    return Screen(
        assignment=assignment,
        number=number,
        left_id=left,
        right_id=right,
        purpose=purpose,
        known=known,
        strategy=strategy_of(assignment),
        first="left" if _is_drawn(assignment, number, "first") else "right",
    )


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


def _take_up_next_image(own: OwnImages, remaining: Remaining) -> Turn | None:
    """Assign images until one needs an answer; images whose results look alike need none."""
    study, annotator = own.study, own.annotator
    position, before = own.n_begun, own.last_begun
    earlier = Assignment.objects.filter(study=study, annotator=annotator).order_by("position")
    for image, visit in _visits(own):
        if not is_still_to_be_had(own, image.pk):
            continue
        position += 1
        is_careful = study.strategy == Study.Strategy.CAREFUL
        assignment = Assignment(
            study=study,
            image=image,
            annotator=annotator,
            position=position,
            items=visit.items,
            drawn=visit.drawn,
            slip_prior=slip_prior_after(earlier.select_related("study").last())
            if is_careful
            else None,
            known=known_pairs(
                *(study, annotator, visit), position=position, before=before, remaining=remaining
            ),
        )
        assignment.save(force_insert=True)
        nothing = Log.of(assignment)
        screen = next_screen(assignment, nothing)
        if screen is not None:
            return Turn(screen, nothing, can_undo=position > 1, visit=visit)
        finish(assignment, nothing)
        before = assignment.created
    return None


def _visits(own: OwnImages) -> Iterator[tuple[Image, Visit]]:
    """Yield the available images with something to compare, the next one first."""
    for image_id in own.in_order():
        visit = visit_of(own.study, own.annotator, image_id)
        if visit.image is not None and visit.n_results > 1:
            yield visit.image, visit


def next_visits(
    study: Study, annotator: User, n: int
) -> Iterator[tuple[Image, Visit, list[dict[str, Any]]]]:
    """Yield the annotator's ``n`` most likely next images, their visits and known-answer pairs."""
    own = own_images(study, annotator)
    remaining = remaining_of(study, annotator)
    position, before = own.n_begun, own.last_begun
    for image, visit in islice(_visits(own), n):
        position += 1
        known = known_pairs(
            *(study, annotator, visit), position=position, before=before, remaining=remaining
        )
        yield image, visit, known
        before = None


def end(study: Study, annotator: User) -> None:
    """End the images in progress as they are; the pairs that wait are asked no more."""
    in_work = Assignment.State.IN_WORK
    for assignment in Assignment.objects.filter(study=study, annotator=annotator, state=in_work):
        assignment.screens.filter(state=Screen.State.WAITING).update(state=Screen.State.RETIRED)
        finish(assignment, read_log(assignment))


def finish(assignment: Assignment, log: Log, *, last: Screen | None = None) -> None:
    """End an image. ``last``: the screen just answered, with its results."""
    settled = log.settled
    assignment.finished = timezone.now()
    assignment.n_skipped = sum(event.is_skip for event in log.in_force)
    assignment.n_answered = len(log.in_force) - assignment.n_skipped
    # Doubts for which no screens were left stay unsettled and are reported.
    assignment.unsettled = sorted({*settled.unsettled, *settled.doubtful})
    rankings = complete_rankings_of(assignment, settled.state, _methods(assignment, last))
    if rankings is not None:
        assignment.rankings = rankings
        assignment.state = Assignment.State.COMPLETE
        _count_complete(assignment, +1)
    else:
        assignment.state = Assignment.State.INCOMPLETE
    assignment.save(update_fields=[*_OF_THE_END, "rankings", "state", "unsettled"])


def _methods(assignment: Assignment, last: Screen | None) -> dict[int, int]:
    """Return the method of each result that takes part; a visit of one pair has just shown them.

    If it showed one of the two next to its copy, the other result is by the other method drawn.
    """
    if last is None or assignment.drawn is None or assignment.hidden:
        return method_of_each_result(assignment)
    shown = {result.pk: result.method_id for result in (last.left, last.right)}
    others = [result for item in assignment.items for result in item if result not in shown]
    methods = [one for one in assignment.drawn["methods"] if one not in shown.values()]
    if len(others) == len(methods) <= 1:
        return shown | dict(zip(others, methods, strict=True))
    return method_of_each_result(assignment)


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
