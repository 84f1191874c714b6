"""Ending studies by the rules that were chosen before they opened."""

import logging

from django.utils.translation import gettext_noop

from annotate.studies.models import Study
from annotate.studies.services import end_study

from .selectors import decisions_of, n_answers

_log = logging.getLogger(__name__)


def end_by_rules() -> None:
    """End every open study whose rule says so; a worker does it every minute."""
    ruled = Study.objects.filter(state=Study.State.OPEN, ended__isnull=True)
    for study in ruled.exclude(ends_by=Study.EndRule.NEVER):
        try:
            end_if_due(study)
        except Exception:  # the other studies end all the same
            _log.exception("Whether %s ends could not be told.", study.slug)


def end_if_due(study: Study) -> bool:
    """End a study if its rule says so; say whether it was ended."""
    answers = n_answers(study)
    if study.answer_budget is not None and answers >= study.answer_budget:
        return end_study(
            study=study, n_answers=answers, why=gettext_noop("the budget of answers is used up")
        )
    if study.ends_by == Study.EndRule.DECIDED and _all_decided(study):
        return end_study(
            study=study, n_answers=answers, why=gettext_noop("every pair of protocols is decided")
        )
    return False


def _all_decided(study: Study) -> bool:
    found = decisions_of(study).values()
    n_pairs = sum(len(own.pairs) for own in found)
    return n_pairs > 0 and sum(own.n_decided for own in found) == n_pairs
