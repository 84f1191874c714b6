"""Planned looks at open studies, and ending of studies by rules chosen before they opened."""

import logging
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Final

from django.db import transaction
from django.utils import timezone

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.reports.included import counted_visits
from annotate.studies.models import Study
from annotate.studies.services import end_study
from rankings.inference.sequential import FEWEST_ANNOTATORS, N_LOOKS, planned_look

from .models import Look
from .selectors import look_at, missing, n_answers, planned_rankings

_log = logging.getLogger(__name__)
_BUDGET: Final = "the budget of answers is used up"
_DECIDED: Final = "every pair of protocols is decided"


def take_looks() -> None:
    """Plan looks at every open study, and take those that are due; a worker calls this every minute.

    A closed study at which looks were taken has the last one, at the data there are.
    """
    _for_each(Study.objects.filter(state=Study.State.OPEN), look_if_due)
    last = Look.objects.filter(number=N_LOOKS, taken=None)
    looked_at = Look.objects.filter(taken__isnull=False)
    closed = Study.objects.filter(state=Study.State.CLOSED, looks__in=last)
    _for_each(closed.filter(pk__in=looked_at.values("study")), look_if_due)


def end_by_rules() -> None:
    """End every open study whose budget is used up; a worker calls this every minute."""
    _for_each(Study.objects.filter(state=Study.State.OPEN), end_if_due)


def _for_each(studies: Iterable[Study], work: Callable[[Study], object]) -> None:
    for study in studies:
        try:
            work(study)
        except Exception:  # the other studies must still be looked at
            _log.exception("Failed for %s: %s", study.slug, work.__name__)


def look_if_due(study: Study) -> bool:
    """Take the look that is due; return whether one was taken.

    A look at an open study waits for six annotators with ten images each, and every look for two
    protocols. What it decides and withdraws is stored and logged. A study that ends when every pair
    is decided is then ended. If the study is closed, the last look is due.
    """
    looks = list(study.looks.all()) or _planned(study)
    taken = [one for one in looks if one.taken]
    shares = tuple(one.number / N_LOOKS for one in taken)
    n_counted = counted_visits(study).count()
    is_closed = study.state == Study.State.CLOSED
    share = planned_look(1.0 if is_closed else n_counted / max(looks[-1].due, 1), shares)
    if share is None or not (is_closed or missing(study).n_enough >= FEWEST_ANNOTATORS):
        return False
    before = taken[-1].found if taken else {}
    held = {name: [(a, b) for a, b in own["held"]] for name, own in before.items()}
    by_criterion, n_protocols = look_at(study, held, (*shares, share))
    if not by_criterion:
        return False
    found = {name: asdict(own) for name, own in by_criterion.items()}
    number = round(share * N_LOOKS)
    with transaction.atomic():
        # Another worker may have taken it.
        due = study.looks.filter(number=number, taken=None)
        if not due.update(taken=timezone.now(), n_counted=n_counted, found=found):
            return False
        changed = {
            f"{part}, {name}": own[part]
            for name, own in found.items()
            for part in ("decided", "withdrawn")
            if own[part]
        }
        details = {"look": number, "rankings": n_counted, **changed}
        record(Act.LOOK_TAKEN, study=study, what=study.name, details=details)
        n_pairs = math.comb(n_protocols, 2)
        is_decided = all(len(own.held) == n_pairs for own in by_criterion.values())
        if is_decided and study.ends_by == Study.EndRule.DECIDED and study.ends_by_rule:
            end_study(study=study, n_answers=n_answers(study), why=_DECIDED)
    return True


def _planned(study: Study) -> list[Look]:
    """Store the looks at a study, one after each eighth of the rankings it plans."""
    n = planned_rankings(study)
    looks = [
        Look(study=study, number=at, due=math.ceil(n * at / N_LOOKS))
        for at in range(1, N_LOOKS + 1)
    ]
    Look.objects.bulk_create(looks, ignore_conflicts=True)
    return looks


def end_if_due(study: Study) -> bool:
    """End a study whose budget of answers is used up, the first time; return whether it was ended."""
    if study.answer_budget is None or not study.ends_by_rule:
        return False
    answers = n_answers(study)
    return answers >= study.answer_budget and end_study(study=study, n_answers=answers, why=_BUDGET)
