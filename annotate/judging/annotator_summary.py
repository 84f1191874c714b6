"""An annotator's work in a study, their consistency on repeated pairs, and what is left."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet, Sum
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotate.studies.models import Study
from rankings.elicitation.log import CRITERIA, MIRRORED
from rankings.elicitation.shares import wilson

from .image_allocation import n_images_of
from .models import Assignment, Judgement, Screen, Skip

# Fewer answers to repeated pairs than this say nothing about a person.
FEWEST_REPEATED: Final = 30
N_TIMES: Final = 20
# Doubtful pairs are asked again because they differed, so they would say too much.
_REPEATS: Final = (Screen.Purpose.NEAR, Screen.Purpose.REPEAT)


class Repeats:
    """Verdicts on each pair, and whether a repeated pair got the same answer."""

    def __init__(self) -> None:
        # From the smaller result's side.
        self._said: dict[tuple[int, int, int, str], str] = {}

    def heard(
        self, assignment: int, left: int, right: int, purpose: str, verdicts: Mapping[str, str]
    ) -> list[bool]:
        """Take up an answer; say of each criterion that was asked before whether it is alike."""
        alike = []
        for criterion, verdict in verdicts.items():
            key = (assignment, min(left, right), max(left, right), criterion)
            seen = verdict if left < right else MIRRORED[verdict]
            if purpose in _REPEATS and key in self._said:
                alike.append(self._said[key] == seen)
            self._said[key] = seen
        return alike


@dataclass(frozen=True, slots=True)
class Consistency:
    """Answers to questions that were asked twice, and how many of them said the same again."""

    n: int
    n_alike: int

    @property
    def is_enough(self) -> bool:
        return self.n >= FEWEST_REPEATED

    @property
    def percent(self) -> float:
        return 100 * self.n_alike / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of it."""
        low, high = wilson(self.n_alike, self.n)
        return 100 * low, 100 * high


@dataclass(frozen=True, slots=True)
class OwnWork:
    """One annotator's work in a study; ``minutes`` is None if no page could measure time."""

    n_images: int
    n_done: int
    n_answered: int
    n_skipped: int
    minutes: float | None
    n_days: int
    seconds_a_pair: float | None
    # The pairs an image took on average, re-checks and skips with it; None before the first is done.
    pairs_an_image: float | None

    @property
    def n_left(self) -> int:
        return self.n_images - self.n_done


def own_work(study: Study, annotator: User) -> OwnWork:
    own = Assignment.objects.filter(study=study, annotator=annotator)
    ended = own.exclude(state=Assignment.State.IN_WORK)
    counted = ended.aggregate(n=Count("pk"), answered=Sum("n_answered"), skipped=Sum("n_skipped"))
    n_pairs = (counted["answered"] or 0) + (counted["skipped"] or 0)
    in_force = Judgement.objects.filter(assignment__in=own, withdrawal__isnull=True)
    worked = in_force.aggregate(n=Count("pk"), seconds=Sum("seconds_taken"))
    return OwnWork(
        n_images=n_images_of(study, annotator),
        n_done=counted["n"],
        n_answered=worked["n"],
        n_skipped=Skip.objects.filter(assignment__in=own, withdrawal__isnull=True).count(),
        minutes=None if worked["seconds"] is None else worked["seconds"] / 60,
        n_days=in_force.dates("created", "day").count(),
        seconds_a_pair=seconds_a_pair(study, annotator),
        pairs_an_image=n_pairs / counted["n"] if counted["n"] else None,
    )


def seconds_a_pair(study: Study, annotator: User) -> float | None:
    """Return the median of this annotator's last active times, or None if none was measured."""
    last = [taken for taken in _last_seconds(study.pk, annotator.pk) if taken is not None]
    return median(last) if last else None


def _last_seconds(study: int, annotator: int) -> QuerySet[Judgement, float | None]:
    # For the last images only: all answers of an annotator are thousands of rows.
    own = Assignment.objects.filter(study=study, annotator=annotator).order_by("-position")
    times = Judgement.objects.filter(
        assignment__in=own.values("pk")[:N_TIMES],
        seconds_taken__isnull=False,
    ).order_by("-created", "-pk")
    return times.values_list("seconds_taken", flat=True)[:N_TIMES]


def minutes_left(
    work: OwnWork, n_begun: int, left_of_image: float, done_of_image: int
) -> float | None:
    """Return the expected minutes until the end of the study, at this person's own pace.

    ``left_of_image`` and ``done_of_image`` are the pairs of the image in progress, 0 without one;
    ``n_begun`` counts it among the images. None before anything was timed.
    """
    pairs = work.pairs_an_image
    if pairs is None and left_of_image:
        pairs = left_of_image + done_of_image
    if work.seconds_a_pair is None or pairs is None:
        return None
    n_pairs = left_of_image + pairs * (work.n_images - n_begun)
    return n_pairs * work.seconds_a_pair / 60


def consistency_of(study: Study, annotator: User) -> Consistency:
    """Count a person's answers to questions of which they had answered the same before."""
    rows = (
        Judgement.objects.filter(
            assignment__study=study, assignment__annotator=annotator, withdrawal__isnull=True
        )
        .exclude(screen__purpose=Screen.Purpose.KNOWN)
        .order_by("assignment", "number")
        .values_list("assignment", "screen__left", "screen__right", "screen__purpose", *CRITERIA)
    )
    repeats = Repeats()
    n = n_alike = 0
    for assignment, left, right, purpose, *answers in rows.iterator():
        verdicts = {name: said for name, said in zip(CRITERIA, answers, strict=True) if said}
        alike = repeats.heard(assignment, left, right, purpose, verdicts)
        n += len(alike)
        n_alike += sum(alike)
    return Consistency(n, n_alike)


def in_words(minutes: float) -> str:
    """Return a time as people say it: to 5 minutes, to half an hour, then to the hour."""
    if minutes < 5:
        return _("less than 5 minutes")
    if minutes < 90:
        return _("{n} minutes").format(n=5 * round(minutes / 5))
    hours = round(minutes / 30) / 2
    is_whole = hours >= 10 or hours == int(hours)
    n = str(round(minutes / 60)) if is_whole else number_format(hours, 1)
    return _("{n} hours").format(n=n)
