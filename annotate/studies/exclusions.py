"""Whose rankings a study's reports leave out, why, and since when."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotate.audit.models import Act
from annotate.audit.services import record
from text_rankings.base.i18n import gettext as _

from .errors import StudyRefused
from .models import Exclusion, Role, Study
from .pseudonyms import give_pseudonyms, pseudonyms


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The reason why an annotator's rankings count in no report of a study, and since when."""

    reason: str
    since: datetime


def left_out(study: Study) -> Mapping[int, LeftOut]:
    """Return whose rankings count in no report, by user id: the last word on each person holds."""
    last_word: dict[int, LeftOut] = {}
    for row in study.exclusions.all():
        last_word.pop(row.person_id, None)
        if row.is_excluded:
            last_word[row.person_id] = LeftOut(row.reason, row.created)
    return last_word


def leave_out_by_rule(*, study: Study, person: User, reason: str) -> None:
    """Leave an annotator out by a rule of the study, unless it was ever decided about them before."""
    if study.exclusions.filter(person=person).exists():
        return
    give_pseudonyms(study)
    Exclusion.objects.create(study=study, person=person, is_excluded=True, reason=reason)
    record(Act.EXCLUDED, study=study, about=person, what=study.name, details={"by": "rule"})


@transaction.atomic
def decide(*, study: Study, person: User, is_excluded: bool, reason: str, by: User) -> Exclusion:
    """Leave an annotator's rankings out of all reports from now on, or count them again.

    Kept reports stay as they are. Raises StudyRefused without a reason, for a user who does not
    rank in the study, and if nothing would change.
    """
    reason = " ".join(reason.split())
    if not reason:
        raise StudyRefused(_("Give the reason: every report shows it."))
    give_pseudonyms(study)
    name = pseudonyms(study).get(person.pk, "")
    if not name.startswith(Role.ANNOTATOR):
        raise StudyRefused(_("This person does not rank in the study."))
    if is_excluded == (person.pk in left_out(study)):
        raise StudyRefused(
            _("This person's rankings are left out of the reports already.")
            if is_excluded
            else _("This person's rankings are counted in the reports already.")
        )
    decided = Exclusion.objects.create(
        study=study, person=person, is_excluded=is_excluded, reason=reason, created_by=by
    )
    act = Act.EXCLUDED if is_excluded else Act.INCLUDED
    record(act, study=study, about=person, actor=by, what=study.name)
    return decided
