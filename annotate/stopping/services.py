"""Ending of studies by rules chosen before they opened."""

import logging

from annotate.studies.models import Study
from annotate.studies.services import end_study
from text_rankings.base.i18n import gettext_noop

from .selectors import n_answers

_log = logging.getLogger(__name__)


def end_by_rules() -> None:
    """End every open study whose rule applies; a worker calls this every minute."""
    ruled = Study.objects.filter(state=Study.State.OPEN, ended__isnull=True)
    for study in ruled.exclude(ends_by=Study.EndRule.NEVER):
        try:
            end_if_due(study)
        except Exception:  # the other studies must still end
            _log.exception("Whether %s ends could not be told.", study.slug)


def end_if_due(study: Study) -> bool:
    """End a study whose budget of answers is used up; return whether it was ended.

    No study ends because its protocols seem to differ: annotators arrive one after another, and the
    first need not be typical.
    """
    answers = n_answers(study)
    if study.answer_budget is None or answers < study.answer_budget:
        return False
    return end_study(
        study=study, n_answers=answers, why=gettext_noop("the budget of answers is used up")
    )
