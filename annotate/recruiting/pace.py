"""Pace: pairs that a participant answers faster than almost all others in the study."""

import math
from statistics import median
from typing import Final

from django.db.models import QuerySet

from annotate.judging.models import Judgement
from annotate.studies.exclusions import programs
from annotate.studies.models import Study

from .models import Arrival

# Fewer answers by others say nothing about how fast people can be.
N_LEAST: Final = 50
_N_MOST: Final = 2000
# Three standard deviations below the median of the logarithms, by their median deviation.
_DEVIATIONS: Final = 3 * 1.4826
# So many of the last so many answers are a pace, not a slip.
_FAST_OF_LAST: Final = (6, 8)


def floor_of(study: Study) -> float | None:
    """Return the seconds below which hardly any answer is; None with too few answers."""
    of_people = Judgement.objects.exclude(assignment__annotator__in=programs(study))
    answers = of_people.filter(assignment__study=study).order_by("-pk")[:_N_MOST]
    logs = [math.log(seconds) for seconds in _seconds(answers)]
    if len(logs) < N_LEAST:
        return None
    middle = median(logs)
    spread = median(abs(each - middle) for each in logs)
    return math.exp(middle - _DEVIATIONS * spread)


def n_fast(arrival: Arrival) -> int:
    """Return how many of a participant's answers were faster than the floor."""
    floor = arrival.floor_seconds
    return 0 if floor is None else sum(taken < floor for taken in _seconds(_own(arrival)))


def may_be_fast(arrival: Arrival, seconds: float | None) -> bool:
    """Return whether an answer was faster than the floor; one that the page did not time may be."""
    floor = arrival.floor_seconds
    return floor is not None and (seconds is None or seconds < floor)


def is_too_fast(arrival: Arrival) -> bool:
    """Return whether most of the last answers were faster than the floor."""
    floor = arrival.floor_seconds
    if floor is None:
        return False
    least, last = _FAST_OF_LAST
    latest = _seconds(_own(arrival).order_by("-pk")[:last])
    return sum(taken < floor for taken in latest) >= least


def _own(arrival: Arrival) -> QuerySet[Judgement]:
    return Judgement.objects.filter(
        assignment__study=arrival.study_id, assignment__annotator=arrival.person_id
    )


def _seconds(answers: QuerySet[Judgement]) -> list[float]:
    """Return the time of each answer: the page's, or the server's where it measured none."""
    times = answers.values_list("seconds_taken", "created", "screen__created")
    return [
        max((stored - shown).total_seconds() if seconds is None else seconds, 0.01)
        for seconds, stored, shown in times
    ]
