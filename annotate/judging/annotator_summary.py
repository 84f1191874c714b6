"""An annotator's work in a study, their consistency on repeated pairs, and the work left."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet, Sum
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.studies.models import Study
from rankings.elicitation.error_rate import wilson
from rankings.elicitation.log import CRITERIA, MIRRORED, Remaining
from rankings.elicitation.rechecks import remaining_with_checks

from .current_screen import Turn, strategy_of, waiting_turn
from .image_allocation import first_visit_is_due, n_images_of
from .models import Assignment, Judgement, Screen, Skip
from .planning import is_one_pair, n_checks_of
from .replay import ONE_PAIR, hidden_results

# Fewer answers to repeated pairs than this say nothing about a person.
FEWEST_REPEATED: Final = 30
_N_TIMES: Final = 20
_FEW_TIMES: Final = 3
# No time is given more precisely.
_LEAST_MINUTES: Final = 5
_FEWEST_A_DAY: Final = 10
# Doubtful pairs are asked again because the answers differed, so they would bias the count.
_REPEATS: Final = (Screen.Purpose.NEAR, Screen.Purpose.REPEAT)


class Repeats:
    """Verdicts on each pair, and whether a repeated pair got the same answer."""

    def __init__(self) -> None:
        # From the smaller result's side.
        self._said: dict[tuple[int, int, int, str], str] = {}

    def heard(
        self, assignment: int, left: int, right: int, purpose: str, verdicts: Mapping[str, str]
    ) -> list[bool]:
        """Add an answer; return, for each criterion asked before, whether the verdict agrees."""
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
    """Numbers of repeated questions, and of those that got the same answer again."""

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
        """Wilson's 95 % interval of the percentage."""
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
    # Mean number of pairs per image, including re-checks and skips; None before the first is done.
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
    """Return the median of this annotator's latest active times, or None if none was measured."""
    last = [taken for taken in _last_seconds(study.pk, annotator.pk) if taken is not None]
    return median(last) if last else None


def _last_seconds(study: int, annotator: int) -> QuerySet[Judgement, float | None]:
    # Only the last images: an annotator may have thousands of answers.
    own = Assignment.objects.filter(study=study, annotator=annotator).order_by("-position")
    times = Judgement.objects.filter(
        assignment__in=own.values("pk")[:_N_TIMES],
        seconds_taken__isnull=False,
    ).order_by("-created", "-pk")
    return times.values_list("seconds_taken", flat=True)[:_N_TIMES]


def minutes_left(
    work: OwnWork, n_begun: int, left_of_image: float, done_of_image: int
) -> float | None:
    """Return the expected minutes until the end of the study, at this person's own pace.

    ``left_of_image`` and ``done_of_image`` are the pairs of the image in progress, 0 if there is
    none; ``n_begun`` includes it. None if nothing has been timed yet.
    """
    pairs = work.pairs_an_image
    if pairs is None and left_of_image:
        pairs = left_of_image + done_of_image
    if work.seconds_a_pair is None or pairs is None:
        return None
    n_pairs = left_of_image + pairs * (work.n_images - n_begun)
    return n_pairs * work.seconds_a_pair / 60


def consistency_of(study: Study, annotator: User) -> Consistency:
    """Count a person's answers to repeated questions, and those equal to the earlier answer."""
    return _counted(alike for _, alike in _repeated(study, annotator))


def consistency_by_day(
    study: Study, annotator: User, *, before: date | None = None
) -> list[tuple[date, Consistency]]:
    """Return the consistency of each day with enough repeated questions, the first day first.

    A day is that of the repeated answer; ``before`` leaves out days from then on.
    """
    days: dict[date, list[bool]] = defaultdict(list)
    for day, alike in _repeated(study, annotator):
        if before is None or day < before:
            days[day].append(alike)
    return [(day, _counted(days[day])) for day in sorted(days) if len(days[day]) >= _FEWEST_A_DAY]


def _counted(alike: Iterable[bool]) -> Consistency:
    answers = list(alike)
    return Consistency(len(answers), sum(answers))


def _repeated(study: Study, annotator: User) -> Iterator[tuple[date, bool]]:
    """Yield the day of each answer to a repeated question, and whether it equals the earlier one."""
    rows = (
        Judgement.objects.filter(
            assignment__study=study, assignment__annotator=annotator, withdrawal__isnull=True
        )
        .exclude(screen__purpose=Screen.Purpose.KNOWN)
        .order_by("assignment", "number")
        .values_list(
            "created", "assignment", "screen__left", "screen__right", "screen__purpose", *CRITERIA
        )
    )
    repeats = Repeats()
    for at, assignment, left, right, purpose, *answers in rows.iterator():
        verdicts = {name: said for name, said in zip(CRITERIA, answers, strict=True) if said}
        for alike in repeats.heard(assignment, left, right, purpose, verdicts):
            yield timezone.localdate(at), alike


def about_in_words(minutes: float) -> str:
    """Return an estimated time in words. A bound needs no "about"."""
    time = in_words(minutes)
    return time if minutes < _LEAST_MINUTES else _("about {time}").format(time=time)


def in_words(minutes: float) -> str:
    """Return a rounded time in words: to 5 minutes, to half an hour, then to the hour."""
    if minutes < _LEAST_MINUTES:
        return _("less than 5 minutes")
    if minutes < 90:
        return _("{n} minutes").format(n=5 * round(minutes / 5))
    hours = round(minutes / 30) / 2
    is_whole = hours >= 10 or hours == int(hours)
    n = str(round(minutes / 60)) if is_whole else number_format(hours, 1)
    return _("{n} hours").format(n=n)


def progress_data(turn: Turn, n_images: int | None) -> dict[str, Any]:
    """Return the progress of the image or, if it has a single pair, of all images.

    ``n_images`` is needed only for the latter. ``timed``: the expected number of pairs left, which
    gives the time left; None if some images may have more pairs.
    """
    remaining = _remaining(turn)
    return {
        "least": remaining.least,
        "expected": round(remaining.expected, 1),
        "most": remaining.most,
        **_left(turn, remaining, n_images),
        "note": turn.note,
    }


def progress_of_quota(turn: Turn, n_done: int, n_pairs: int) -> dict[str, Any]:
    """Return the progress of an annotator who is asked a number of pairs."""
    n_left = max(n_pairs - n_done, 1)
    return {
        **dict.fromkeys(("least", "most", "expected"), n_left),
        "share": round(n_done / (n_done + n_left), 4),
        "text": ngettext("{n} pair left", "{n} pairs left", n_left).format(n=n_left),
        "timed": n_left,
        "note": turn.note,
    }


def _remaining(turn: Turn) -> Remaining:
    """Return the remaining screens, including known-answer pairs: they must not stand out."""
    assignment = turn.assignment
    left = remaining_with_checks(turn.log.settled, strategy_of(assignment), n_checks_of(assignment))
    hidden = hidden_results(assignment)
    still = [pair for pair in assignment.known if pair["result"] not in hidden]
    more = max(len(still) - len(turn.log.known), 0)
    return Remaining(left.least + more, left.expected + more, left.most + more)


def pace(turn: Turn) -> float | None:
    """Return the median time of a pair, on this image or, if it has too few, the latest ones."""
    if not turn.can_undo:
        # Nothing is answered yet.
        return None
    if len(turn.log.seconds) < _FEW_TIMES:
        return seconds_a_pair(turn.assignment.study, turn.assignment.annotator)
    return median(turn.log.seconds[-_N_TIMES:])


def _left(turn: Turn, remaining: Remaining, n_images: int | None) -> dict[str, Any]:
    """Return the share done, and what is left, in words and in pairs."""
    assignment = turn.assignment
    if n_images is None or not is_one_pair(assignment):
        done = len(turn.log.entries) + len(turn.log.known)
        return {
            # The completed share of the pairs, in [0, 1), matching the text next to it.
            "share": round(done / (done + max(remaining.expected, 1.0)), 4),
            "text": _remaining_text(remaining),
            "timed": round(remaining.expected, 1),
        }
    n_done = assignment.position - 1
    n_left = max(n_images - n_done, 1)
    return {
        "share": round(n_done / (n_done + n_left), 4),
        "text": ngettext("{n} image left", "{n} images left", n_left).format(n=n_left),
        "timed": None if assignment.study.whole_percent else n_left,
    }


def _study_left(study: Study, annotator: User, turn: Turn | None, work: OwnWork) -> str:
    """Return how long the rest of the study takes at this annotator's pace; "" if unknown."""
    begun = Assignment.objects.filter(study=study, annotator=annotator).count()
    left, done = 0.0, 0
    if turn is not None:
        left, done = _remaining(turn).expected, len(turn.log.entries) + len(turn.log.known)
    minutes = minutes_left(work, begun, left, done)
    return "" if minutes is None else about_in_words(minutes)


def _remaining_text(remaining: Remaining) -> str:
    """Return how many pairs of this image are left, as precisely as known."""
    least, most = remaining.least, remaining.most
    if least == most:
        return ngettext("{n} pair left", "{n} pairs left", most).format(n=most)
    about = min(max(round(remaining.expected), least), most)
    words = ngettext(
        "About {n} pair left ({least} to {most})", "About {n} pairs left ({least} to {most})", about
    )
    return words.format(n=about, least=least, most=most)


def own_page(study: Study, annotator: User) -> dict[str, Any]:
    """Return an annotator's work in a study, done and left, as the page shows it."""
    turn, work = waiting_turn(study, annotator), own_work(study, annotator)
    is_open = study.state == Study.State.OPEN
    is_done = turn is None and work.n_left == 0
    return {
        "study": study,
        "work": work,
        "is_open": is_open,
        "is_done": is_done,
        "time_left": _study_left(study, annotator, turn, work) if is_open else "",
        "time_worked": "" if work.minutes is None else in_words(work.minutes),
        # Never before the end: annotators who know their result answer differently.
        "consistency": consistency_of(study, annotator) if is_done or not is_open else None,
        # Of the days before today, for the same reason.
        "days": consistency_by_day(
            study, annotator, before=None if is_done or not is_open else timezone.localdate()
        ),
        "undo_url": reverse("judging:undo", args=[study.slug]),
        "can_undo": is_done and is_open and work.n_answered + work.n_skipped > 0,
        "first_visit_is_due": first_visit_is_due(study, annotator),
    }


def start_page(study: Study, annotator: User) -> dict[str, Any] | None:
    """Return the content of the page before the first image; None if no image is left."""
    n_images = n_images_of(study, annotator)
    n_done = Assignment.objects.filter(study=study, annotator=annotator).count()
    if not n_images or n_done >= n_images:
        return None
    return {
        "study": study,
        "n_images": n_images,
        "n_done": n_done,
        "pairs_each": _pairs_each(study),
        "start_url": reverse("judging:start", args=[study.slug]),
    }


def _pairs_each(study: Study) -> str:
    """Return, in words, how many pairs an image has."""
    if study.methods_per_visit != ONE_PAIR:
        return _("several pairs each")
    return (
        _("one pair each, on some of them several") if study.whole_percent else _("one pair each")
    )
