"""Planning: the next pair of an image, the next image, and the end of one.

Answers, undone answers and methods that join or leave all come here when the log has changed.
"""

import random
from collections import defaultdict
from collections.abc import Iterator

from django.contrib.auth.models import User
from django.db.models import CharField, Count, F, Value
from django.db.models.functions import MD5, Cast, Concat
from django.utils import timezone

from annotate.datasets.models import Result
from annotate.studies.models import Study, StudyImage
from rankings.rechecks import Ask, Settled, ask_of, default_checks

from .models import Assignment, Screen
from .replay import Log, entries_of, method_of_each_result, rankings_of, settled_of
from .sharing import images_to_take_up, n_images_of
from .turns import Turn, strategy_of, waiting_turn

_SIDES_BLOCK = 8
_FIRST_IMAGES = 20
_OF_THE_END = ("finished", "n_answered", "n_skipped")
_REPAIRED = "An earlier answer has changed, so some pairs are asked again."


def go_on(screen: Screen, log: Log, annotator: User, *, number: int) -> Turn | None:
    """Return what comes after an answer; ``number`` is that of the image's next screen."""
    assignment = screen.assignment
    settled = settled_of(assignment, log)
    following = next_screen(assignment, log, settled, number=number)
    if following is not None:
        note = _REPAIRED if following.purpose == Screen.Purpose.REPAIR else ""
        return Turn(following, settled, entries_of(assignment, log), can_undo=True, note=note)
    finish(assignment, settled)
    return waiting_or_next(assignment.study, annotator)


def waiting_or_next(study: Study, annotator: User) -> Turn | None:
    # An image that an undo left behind comes before a new one.
    return waiting_turn(study, annotator) or _take_up_next_image(study, annotator)


def n_checks_of(assignment: Assignment) -> int:
    """Return the number of re-checks that the image gets."""
    n_checks = assignment.study.n_checks
    return default_checks(len(assignment.items)) if n_checks is None else n_checks


def next_screen(
    assignment: Assignment, log: Log, settled: Settled, *, number: int
) -> Screen | None:
    ask = ask_of(
        settled,
        entries_of(assignment, log),
        strategy_of(assignment.study),
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
        screen = next_screen(assignment, nothing, settled, number=1)
        if screen is not None:
            return Turn(screen, settled, (), can_undo=n_before > 0)
        finish(assignment, settled)
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
    """Say whether this annotator has taken up every image there is for them."""
    n_begun = Assignment.objects.filter(study=study, annotator=annotator).count()
    return n_images_of(study, annotator) <= n_begun


def next_image(study: Study, annotator: User) -> int | None:
    """Return the image this annotator will most likely get next, for fetching it in advance."""
    for image_id in _images_in_order(study, annotator):
        if sum(map(len, _items(study, annotator, image_id))) > 1:
            return image_id
    return None


def _images_in_order(study: Study, annotator: User) -> Iterator[int]:
    """Images not taken up yet, nearest to the number of annotators they need first.

    Images that are equally near are drawn, by the database, and only as many as are asked for.
    """
    rows = images_to_take_up(study, annotator).order_by()
    counts = rows.values_list("n_complete", flat=True).distinct()
    draw = MD5(Concat(Value(f"{study.seed}/{annotator.pk}/"), Cast("image_id", CharField())))
    for n_complete in sorted(counts, key=lambda n: (n >= study.min_annotators, -n)):
        alike = rows.filter(n_complete=n_complete).order_by(draw).values_list("image_id", flat=True)
        # Nearly always the first is taken.
        first = list(alike[:_FIRST_IMAGES])
        yield from first
        if len(first) == _FIRST_IMAGES:
            yield from alike.exclude(image_id__in=first)


def _items(study: Study, annotator: User, image_id: int) -> list[list[int]]:
    """The results to rank in this annotator's order; those that look alike are one item."""
    alike: dict[str, list[int]] = defaultdict(list)
    results = Result.objects.filter(image=image_id, method__in=study.methods.all())
    for result_id, digest in results.order_by("pk").values_list("pk", "sha256"):
        alike[digest].append(result_id)
    items = list(alike.values())
    _drawn(study, annotator.pk, image_id, "items").shuffle(items)
    return items


def finish(assignment: Assignment, settled: Settled) -> None:
    state = settled.state
    assignment.finished = timezone.now()
    n_screens = dict(assignment.screens.values_list("state").annotate(n=Count("pk")))
    assignment.n_answered = n_screens.get(Screen.State.ANSWERED, 0)
    assignment.n_skipped = n_screens.get(Screen.State.SKIPPED, 0)
    # Doubts that nothing was left for stand as they are, and are said.
    assignment.unsettled = sorted({*settled.unsettled, *settled.doubtful})
    if state.is_finished:
        assignment.rankings = rankings_of(assignment, state, method_of_each_result(assignment))
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
