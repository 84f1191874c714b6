"""Annotators' verdicts on two results of an image, and what was visible when they answered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from annotate.datasets.models import Result
from annotate.judging.models import Judgement, Screen
from annotate.studies.models import Study
from rankings.elicitation.log import CRITERIA, MIRRORED


@dataclass(frozen=True, slots=True)
class InSight:
    """The result that was shown first ("" if unknown), and the seconds that each was shown."""

    first: str
    left: float | None
    right: float | None

    @classmethod
    def of(cls, event: Judgement) -> "InSight":
        seen = event.seen
        first = "" if seen["first"] == "unknown" else seen["first"]
        return cls(first, seen.get("left"), seen.get("right"))

    def mirrored(self) -> "InSight":
        return InSight(MIRRORED.get(self.first, self.first), self.right, self.left)


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """One valid answer, left and right as on this page; ``was_swapped``: shown reversed."""

    key: str
    name: str
    # By criterion; empty where the verdict followed from earlier answers.
    verdicts: tuple[str, ...]
    was_swapped: bool
    in_sight: InSight
    # {"n": places that differ, "seen": those looked at}, or None.
    places: Mapping[str, int] | None
    at: datetime


def answers_to(
    study: Study, left: Result, right: Result, names: Mapping[int, tuple[str, str]]
) -> Iterator[PairAnswer]:
    """Yield the answers to this pair; ``names`` gives each person's key and displayed name."""
    pair = Q(screen__left=left, screen__right=right) | Q(screen__left=right, screen__right=left)
    answers = Judgement.objects.filter(
        pair, assignment__study=study, withdrawal__isnull=True
    ).select_related("screen", "assignment")
    # One side of a known-answer pair is a changed copy, so it does not compare the two results.
    answers = answers.exclude(screen__purpose=Screen.Purpose.KNOWN)
    for answer in answers.order_by("created", "pk"):
        is_swapped = answer.screen.left_id != left.pk
        key, name = names[answer.assignment.annotator_id]
        given = [answer.verdicts.get(criterion, "") for criterion in CRITERIA]
        in_sight = InSight.of(answer)
        yield PairAnswer(
            key,
            name,
            tuple(MIRRORED.get(said, said) for said in given) if is_swapped else tuple(given),
            is_swapped,
            in_sight.mirrored() if is_swapped else in_sight,
            answer.places,
            answer.created,
        )
