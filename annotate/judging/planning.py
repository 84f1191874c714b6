"""Planning: the next pair of an image, the next image, and the end of one.

Called after every change of the log: answers, undone answers, methods that join or leave.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.datasets.models import Image, Result
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Study, StudyImage
from protocols import registry
from rankings.agreement.report import RecallPrecision, Settings, values_of
from rankings.elicitation.log import CRITERIA, Answer, Skip, pair_of
from rankings.elicitation.pair_draws import (
    Pair,
    disagreement,
    draw_methods,
    inclusion_probabilities,
    of_members,
)
from rankings.elicitation.rechecks import Ask, ask_of, default_checks
from rankings.errors import MissingScore
from rankings.orders.from_scores import ranking_from_scores

from .attention_checks import known_pair_due, known_pairs
from .current_screen import Outcome, Turn, strategy_of, waiting_turn
from .image_allocation import OwnImages, is_still_to_be_had, own_images
from .models import Assignment, Screen
from .quotas import Remaining, is_used_up, quota_of, remaining_of
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

# Scores are compared as in a report with default settings.
_SETTINGS: Final = Settings()


@dataclass(frozen=True)
class Visit:
    """The results to compare, identical ones as one item, and the sample (check_drawn)."""

    items: list[list[int]]
    drawn: dict[str, Any] | None
    # None without results. Its ground truth is read when it is used.
    image: Image | None

    @property
    def n_results(self) -> int:
        return sum(map(len, self.items))

    @property
    def results(self) -> list[int]:
        return [result for item in self.items for result in item]


def drawn_with(study: Study, *what: object) -> random.Random:
    """Return a random generator that depends only on the study's seed and on ``what``."""
    return random.Random("/".join(map(str, (study.seed, *what))))


def visit_of(study: Study, annotator: User, image_id: int) -> Visit:
    """Return an annotator's results on an image, the same until methods or scores change."""
    alike: dict[str, list[Result]] = defaultdict(list)
    image = None
    for result in _results(image_id, study.pk):
        alike[result.sha256].append(result)
        image = result.image
    items = list(alike.values())
    if study.methods_per_visit is None or _asks_all(study, image_id):
        drawn_with(study, annotator.pk, image_id, "items").shuffle(items)
        return Visit(_keys(items), None, image)
    asked, drawn = _draw(study, items, drawn_with(study, annotator.pk, image_id, "methods"))
    return Visit(_keys(asked), drawn, image)


def _results(image: int, study: int) -> QuerySet[Result]:
    results = Result.objects.filter(image=image, method__studies=study).order_by("pk")
    return results.select_related("method", "image__dataset").defer("regions", "image__truth")


def _keys(items: Sequence[Sequence[Result]]) -> list[list[int]]:
    return [[result.pk for result in item] for item in items]


def _asks_all(study: Study, image_id: int) -> bool:
    if not study.whole_percent:
        return False
    return StudyImage.objects.filter(study=study, image=image_id, asks_all=True).exists()


def _draw(
    study: Study, items: list[list[Result]], rng: random.Random
) -> tuple[list[list[Result]], dict[str, Any]]:
    """Draw some of the items; every pair of their methods is stored with its probability."""
    item_of = {min(result.method.name for result in item): item for item in items}
    members = {name: [str(result.method_id) for result in item] for name, item in item_of.items()}
    every_method = sorted(result.method_id for item in items for result in item)
    k = min(study.methods_per_visit or 2, len(items))
    runs: list[int] = []
    if k < 2:
        # They all look alike, so there is nothing to ask.
        chosen, chances = tuple(item_of), _certain(members)
    else:
        weights = None
        if study.drawn_by == Study.Draw.DISAGREEMENT and k < len(items):
            weights, runs = _disagreement(item_of, weighing_runs(study))
        chosen, _ = draw_methods(rng, list(item_of), k=k, weights=weights)
        every_chance = inclusion_probabilities(list(item_of), k=k, weights=weights)
        chances = of_members(every_chance, members, k=k)
    asked = sorted(int(method) for name in chosen for method in members[name])
    return (
        [item_of[name] for name in chosen],
        {
            "methods": asked,
            "from": every_method,
            # Sums of floats may end just above 1.
            "pairs": [
                [a, b, min(chances[frozenset((str(a), str(b)))], 1.0)]
                for a, b in combinations(asked, 2)
            ],
            "runs": runs,
        },
    )


def _certain(members: Mapping[str, Sequence[str]]) -> dict[Pair, float]:
    methods = [method for of_item in members.values() for method in of_item]
    return {frozenset(pair): 1.0 for pair in combinations(methods, 2)}


def weighing_runs(study: Study) -> QuerySet[ProtocolRun]:
    """Return the runs that weight the draw: the newest of each protocol that uses the truth."""
    runs = ProtocolRun.objects.filter(dataset=study.dataset_id)
    sentinels = filter(registry.is_sentinel, registry.PROTOCOLS)
    return runs.latest_of_each_protocol().exclude(protocol__in=list(sentinels))


def _disagreement(
    item_of: Mapping[str, Sequence[Result]], runs: QuerySet[ProtocolRun]
) -> tuple[dict[Pair, float], list[int]]:
    """Return how much the runs' rankings disagree on each pair of items, and the runs with scores.

    Disagreements are summed over the criteria.
    """
    name_of = {item[0].pk: name for name, item in item_of.items()}
    scores: dict[str, dict[str, RecallPrecision]] = defaultdict(dict)
    rows = Score.objects.filter(run__in=runs.order_by().values("pk"), result__in=name_of)
    for run, result, *score in rows.order_by("run").values_list(
        "run", "result", "recall", "precision"
    ):
        scores[str(run)][name_of[result]] = (score[0], score[1])
    weights: dict[Pair, float] = defaultdict(float)
    for criterion in CRITERIA:
        values = values_of(criterion, {"": scores}, _SETTINGS)[""]
        rankings = []
        for of_run in values.values():
            try:
                rankings.append(
                    ranking_from_scores(
                        {name: of_run.get(name) for name in item_of}, _SETTINGS.decimals
                    )
                )
            except MissingScore:
                continue  # It does not order this image.
        for pair, share in disagreement(rankings).items():
            weights[pair] += share
    return weights, [int(run) for run in scores]


_SIDES_BLOCK = 8
_OF_THE_END = ("finished", "n_answered", "n_skipped")


def go_on(screen: Screen, log: Log, remaining: Remaining) -> Outcome:
    """Return the outcome of an answer that was just stored."""
    assignment = screen.assignment
    study = assignment.study
    if study.state != Study.State.OPEN:
        # The study has ended: an image completed by this answer counts, but nothing more is asked.
        if log.settled.state.is_finished:
            finish(assignment, log, last=screen)
        return Outcome(study, None, remaining)
    following = _following(assignment, log)
    if following is not None and not remaining.has_all_pairs:
        following.save(force_insert=True)
        note = ""
        if following.purpose == Screen.Purpose.REPAIR:
            note = _("An earlier answer has changed, so some pairs are asked again.")
        return Outcome(study, Turn(following, log, can_undo=True, note=note), remaining)
    finish(assignment, log, last=screen)
    return waiting_or_next(study, assignment.annotator, remaining)


def waiting_or_next(study: Study, annotator: User, remaining: Remaining) -> Outcome:
    if study.state != Study.State.OPEN:
        return Outcome(study, None, remaining)
    own = own_images(study, annotator)
    # An image that an undo left behind comes before a new one.
    turn = waiting_turn(study, annotator) if own.has_one_in_work else None
    turn = turn or _take_up_next_image(own, remaining)
    return Outcome(study, turn, replace(remaining, n_images=own.n_images) if turn else remaining)


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
    if is_used_up(study, annotator, remaining):
        return None
    position, before = len(own.begun), own.last_begun
    earlier = Assignment.objects.filter(study=study, annotator=annotator).order_by("position")
    for image, visit in _visits(own):
        if not is_still_to_be_had(study, image.pk, alone=own.is_alone):
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
                *(study, annotator, image, visit.items),
                position=position,
                before=before,
                remaining=remaining,
            ),
        )
        assignment.save(force_insert=True)
        nothing = Log.of(assignment)
        screen = next_screen(assignment, nothing)
        if screen is not None:
            return Turn(screen, nothing, can_undo=position > 1)
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
    remaining = remaining_of(study, annotator, quota_of(study, annotator))
    position, before = len(own.begun), own.last_begun
    for image, visit in islice(_visits(own), n):
        position += 1
        known = known_pairs(
            *(study, annotator, image, visit.items),
            position=position,
            before=before,
            remaining=remaining,
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
    """Return the method of each result that takes part; a visit of one pair has just shown both."""
    shown = [] if last is None else [last.left, last.right]
    is_all = sorted([result.pk] for result in shown) == sorted(assignment.items)
    if is_all and not assignment.hidden:
        return {result.pk: result.method_id for result in shown}
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
