"""Pairs and seconds that a study takes, on every page: measured, or the usual ones without answers."""

from statistics import median
from typing import Final

from django.db.models import Avg, Count, Exists, OuterRef

from annotate.studies.draws import n_methods_of_visit
from annotate.studies.exclusions import programs
from annotate.studies.models import Study
from rankings.elicitation.strategies import SECONDS_A_PAIR, Way, pairs_of_ranking

from .models import Assignment, Judgement, Withdrawal

_N_TIMES: Final = 500
# Fewer answers do not say how fast people are in this study.
ENOUGH_TIMES: Final = 50
ENOUGH_RANKINGS: Final = 5


def last_seconds(study: Study, n: int) -> list[float]:
    """Return the active times of the study's last n answers in force that have one."""
    # PostgreSQL expects many rows of this condition, so it reads from the end; of a join, few.
    in_force = ~Exists(Withdrawal.objects.filter(judgement=OuterRef("pk")))
    times = Judgement.objects.filter(in_force, assignment__study=study, seconds_taken__isnull=False)
    times = times.exclude(assignment__annotator__in=programs(study))
    latest = times.order_by("-pk").values_list("seconds_taken", flat=True)[:n]
    return [seconds for seconds in latest if seconds is not None]


def seconds_a_pair(study: Study) -> float:
    """Return the median seconds of the study's last answers, or the usual ones if there are few."""
    taken = last_seconds(study, _N_TIMES)
    return median(taken) if len(taken) >= ENOUGH_TIMES else SECONDS_A_PAIR


def way_of(study: Study) -> Way:
    """Return the way in which a study's annotators rank, as far as its cost differs."""
    if study.strategy != Study.Strategy.CAREFUL:
        return "insertion"
    return "every-pair" if study.certainty == 1 else "careful"


def pairs_an_image(study: Study) -> float:
    """Return the mean pairs of the study's rankings, or those that its methods take if there are few."""
    usual = pairs_of_ranking(n_methods_of_visit(study), way=way_of(study))
    ranked = study.assignments.filter(state=Assignment.State.COMPLETE)
    ranked = ranked.exclude(annotator__in=programs(study))
    counted = ranked.aggregate(n=Count("pk"), mean=Avg("n_answered"))
    return counted["mean"] or usual if counted["n"] >= ENOUGH_RANKINGS else usual
