"""Hidden checks: a result shown next to a deliberately degraded copy.

They are drawn with the image and stored with its assignment, so that the log alone says what was
shown. The planner never sees them. They show which annotators pay attention; a study's rule may
exclude the others.
"""

import random
from collections import defaultdict
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from annotate.datasets.models import Result
from annotate.prepared_sql import known_answers
from annotate.studies.exclusions import leave_out_by_rule
from annotate.studies.models import Study
from protocols.core.degradation import WORSE_IN, worsened
from protocols.core.regions import decode_regions, encode_regions
from rankings.elicitation.attention_checks import is_below, is_in_doubt, spread_of_checks
from rankings.elicitation.error_rate import wilson
from rankings.elicitation.log import CRITERIA

from .models import Assignment, Judgement, Screen, Skip
from .quotas import Remaining, n_asked
from .visits import Visit

_IN_IMAGES: Final = 10
# Known-answer pairs for an annotator who returns after a week: they show drift.
_AT_RETURN: Final = 2
_A_WEEK: Final = timedelta(days=7)
_NONE_ANSWERED: Final = "none answered"
_RIGHT: Final = "{right} of {n} right ({share} %, {low} to {high})"
_SKIPPED: Final = "{reason}, {n} skipped"


@dataclass(frozen=True, slots=True)
class Tally:
    """An annotator's known-answer pairs: answered, right, and skipped."""

    n: int = 0
    n_right: int = 0
    n_skipped: int = 0

    def __str__(self) -> str:
        if not self.n_skipped:
            return self._answered
        return _SKIPPED.format(reason=self._answered, n=self.n_skipped)

    @property
    def _answered(self) -> str:
        if self.interval is None:
            return _NONE_ANSWERED
        low, high = (f"{limit:.0f}" for limit in self.interval)
        share = f"{self.share:.0f}"
        return _RIGHT.format(right=self.n_right, n=self.n, share=share, low=low, high=high)

    @property
    def share(self) -> float | None:
        """The share of answered pairs that are right in per cent; None without any."""
        return 100 * self.n_right / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the share."""
        if not self.n:
            return None
        low, high = wilson(self.n_right, self.n)
        return 100 * low, 100 * high

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.n + other.n, self.n_right + other.n_right, self.n_skipped + other.n_skipped
        )


def known_pairs(
    study: Study,
    annotator: User,
    visit: Visit,
    *,
    position: int,
    before: datetime | None,
    remaining: Remaining,
) -> list[dict[str, Any]]:
    """Draw an image's known-answer pairs, in the order in which they are asked.

    An annotator who returns after a week gets two or more. ``before``: when they took up the image
    before this one.

    ``place``: after how many other answers; ``result``: the shown result, and on ``side`` its copy,
    ``regions``, degraded by ``kind`` and ``dose`` regions. Fewer than the study requests, or none,
    if results cannot be degraded with certainty.
    """
    is_by_quota = remaining.quota.n_known is not None
    due = _due_by_quota(study, annotator, len(visit.items), remaining) if is_by_quota else None
    n = position * study.n_known // _IN_IMAGES - (position - 1) * study.n_known // _IN_IMAGES
    if due is None and _returns(study, annotator, position, before):
        n = max(n, _AT_RETURN)
    n = n if due is None else len(due)
    if not n or not visit.items:
        return []
    firsts = {item[0] for item in visit.items}
    results = [result for result in visit.shown if result.pk in firsts]
    image = results[0].image
    size = image.size_to_draw([region for result in results for region in result.detections])
    rng = random.Random(f"{study.seed}/{annotator.pk}/{image.pk}/known")
    rng.shuffle(results)
    pairs: list[dict[str, Any]] = []
    for result in results[:n]:
        worse = worsened(result.detections, image.truth_regions, size=size, rng=rng)
        if worse is not None:
            pairs.append(
                {
                    "result": result.pk,
                    "side": rng.choice(["left", "right"]),
                    "kind": worse.kind,
                    "dose": worse.dose,
                    "regions": encode_regions(worse.regions),
                }
            )
    # A ranking of m items takes m - 1 answers or more, so every place is reached.
    places = sorted(rng.sample(range(len(visit.items)), len(pairs))) if due is None else due
    return [{"place": place, **pair} for place, pair in zip(places, pairs, strict=False)]


def _returns(study: Study, annotator: User, position: int, before: datetime | None) -> bool:
    """Return whether this annotator paused for a week since they took up the image before."""
    now = timezone.now()
    if before is None or now - before < _A_WEEK:
        return False
    answered = Judgement.objects.filter(
        assignment__study=study,
        assignment__annotator=annotator,
        assignment__position=position - 1,
    )
    times = [before, *answered.order_by("created").values_list("created", flat=True), now]
    return any(later - earlier >= _A_WEEK for earlier, later in pairwise(times))


def _due_by_quota(study: Study, annotator: User, n_items: int, remaining: Remaining) -> list[int]:
    """Return the places of an image's known-answer pairs, for an annotator with a quota.

    They are spread over the quota, one in each equal part of it and none in its first two pairs.
    Those that earlier images could not take come now; after a wrong answer each image has one, until
    two in a row are right.
    """
    quota = remaining.quota
    n_known = quota.n_known or 0
    n_pairs = quota.max_pairs or (quota.max_images or 0) * (n_items - 1)
    spread = spread_of_checks(
        n_pairs, n_known, random.Random(f"{study.seed}/{annotator.pk}/checks")
    )
    asked = n_asked(study, annotator) if remaining.n_asked is None else remaining.n_asked
    given = answers_so_far(study, annotator) if remaining.known is None else remaining.known
    in_sight = [pair for pair in spread if pair <= asked + n_items - 1]
    n_missing = max(len([pair for pair in in_sight if pair < asked]) - len(given), 0)
    places = [0] * n_missing + [pair - asked for pair in in_sight if pair >= asked]
    if not places and is_in_doubt(given):
        places = [random.Random(f"{study.seed}/{annotator.pk}/{asked}").randrange(n_items)]
    # A place counts the other answers of the image.
    return [max(place - earlier, 0) for earlier, place in enumerate(places[:n_items])]


def answers_so_far(study: Study, annotator: User) -> tuple[bool, ...]:
    """Return whether each known-answer pair was answered rightly, oldest first; skips are wrong."""
    return tuple(
        is_right(pair, dict(zip(CRITERIA, said, strict=True)))
        for pair, said in known_answers(study.pk, annotator.pk)
    )


def known_pair_due(
    assignment: Assignment, *, n_answered: int, asked: Set[int], hidden: Set[int]
) -> int | None:
    """Return the index of the known-answer pair due after this many other answers, or None.

    ``asked``: pairs already answered or skipped; ``hidden``: results of methods that have left.
    """
    for number, pair in enumerate(assignment.known):
        if number not in asked and pair["place"] <= n_answered and pair["result"] not in hidden:
            return number
    return None


def pair_of(screen: Screen) -> dict[str, Any] | None:
    """Return the known-answer pair that a screen shows; None for any other screen."""
    pair: dict[str, Any] | None = (
        None if screen.known is None else screen.assignment.known[screen.known]
    )
    return pair


def copy_of(pair: Mapping[str, Any], original: Result) -> Result:
    """Return the copy as an unsaved result."""
    n_regions = len(decode_regions(pair["regions"]))
    return Result(
        image_id=original.image_id,
        method_id=original.method_id,
        regions=pair["regions"],
        n_regions=n_regions,
    )


def two_results(screen: Screen, results: Mapping[int, Result]) -> tuple[Result, Result]:
    """Return the left and right contents of a screen, from stored results by key."""
    left, right = results[screen.left_id], results[screen.right_id]
    pair = pair_of(screen)
    if pair is None:
        return left, right
    copy = copy_of(pair, left)
    return (copy, right) if pair["side"] == "left" else (left, copy)


def is_right(pair: Mapping[str, Any], verdicts: Mapping[str, str | None]) -> bool:
    """Return whether an answer found the copy worse in every criterion that was degraded."""
    better = "right" if pair["side"] == "left" else "left"
    return all(verdicts.get(criterion) == better for criterion in WORSE_IN[pair["kind"]])


def tallies(assignments: Collection[int] | QuerySet[Assignment]) -> dict[int, Tally]:
    """Return the tallies of assignments in which a known pair was answered or skipped."""
    answers = Judgement.objects.filter(
        screen__known__isnull=False, assignment__in=assignments, withdrawal__isnull=True
    )
    of_each: defaultdict[int, Tally] = defaultdict(Tally)
    for answer in answers.select_related("screen__assignment").iterator():
        pair = pair_of(answer.screen)
        if pair is not None:
            of_each[answer.assignment_id] += Tally(1, int(is_right(pair, answer.verdicts)))
    skips = Skip.objects.filter(
        screen__known__isnull=False, assignment__in=assignments, withdrawal__isnull=True
    )
    for assignment in skips.values_list("assignment", flat=True):
        of_each[assignment] += Tally(n_skipped=1)
    return of_each


def tallies_of_people(study: Study) -> dict[int, Tally]:
    """Return the tally of each person who answered or skipped known-answer pairs of a study."""
    if not study.n_known and not study.memberships.filter(n_known__gt=0).exists():
        return {}
    assignments = study.assignments.exclude(known=[])
    of_each = tallies(assignments)
    of_person: defaultdict[int, Tally] = defaultdict(Tally)
    for assignment, person in assignments.order_by("annotator").values_list("pk", "annotator"):
        if assignment in of_each:
            of_person[person] += of_each[assignment]
    return of_person


def tally_of(study: Study, person: User) -> Tally:
    """Return an annotator's tally over a whole study."""
    own = Assignment.objects.filter(study=study, annotator=person).exclude(known=[])
    return sum(tallies(own).values(), Tally())


def apply_rule(study: Study, person: User) -> None:
    """Exclude an annotator from the reports whose accuracy is clearly below the study's minimum.

    The rule does not apply after an earlier decision about them.
    """
    if study.known_at_least is None:
        return
    tally = tally_of(study, person)
    if is_below(tally.n_right, tally.n, study.known_at_least):
        leave_out_by_rule(
            study=study,
            person=person,
            reason=(
                f"By the study's rule: {tally.n_right} of {tally.n} known-answer pairs right, surely "
                f"below {study.known_at_least:.0%}."
            ),
        )
