"""Exclusions of annotators from a study's reports, with reason and time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotate.audit.models import Act, AuditEntry
from annotate.audit.services import record

from .errors import StudyRefused
from .models import Exclusion, Role, Study
from .pseudonyms import give_pseudonyms, pseudonyms


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The reason and the time of an annotator's exclusion from a study's reports."""

    reason: str
    since: datetime


def left_out(study: Study) -> Mapping[int, LeftOut]:
    """Return the current exclusions by user id; the last decision on each person holds."""
    last_word: dict[int, LeftOut] = {}
    for row in study.exclusions.all():
        last_word.pop(row.person_id, None)
        if row.is_excluded:
            last_word[row.person_id] = LeftOut(row.reason, row.created)
    return last_word


def programs(study: Study) -> QuerySet[Any]:
    """Return a query of the users whose answers came from a program, for ``exclude(... in)``."""
    acts = AuditEntry.objects.filter(study=study, act=Act.JUDGE_MADE, about__isnull=False)
    return acts.order_by().values("about")


def declared_since(study: Study, at: datetime) -> list[str]:
    """Return the pseudonyms of annotators who were declared programs after a time."""
    names = pseudonyms(study)
    people = programs(study).filter(created__gt=at).order_by("pk").values_list("about", flat=True)
    return [names[person] for person in people if person in names]


def leave_out_by_rule(*, study: Study, person: User, reason: str) -> None:
    """Exclude an annotator by a rule of the study, unless there is a decision on them already."""
    if study.exclusions.filter(person=person).exists():
        return
    give_pseudonyms(study)
    Exclusion.objects.create(study=study, person=person, is_excluded=True, reason=reason)
    record(Act.EXCLUDED, study=study, about=person, what=study.name, details={"by": "rule"})


@transaction.atomic
def decide(*, study: Study, person: User, is_excluded: bool, reason: str, by: User) -> Exclusion:
    """Exclude an annotator's rankings from all reports from now on, or include them again.

    Kept reports do not change. Raises StudyRefused if there is no reason, if the user does not
    rank in the study, or if nothing would change.
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
    if programs(study).filter(about=person).exists():
        raise StudyRefused(
            _("These answers came from a program, which is never counted as a person.")
        )
    decided = Exclusion.objects.create(
        study=study, person=person, is_excluded=is_excluded, reason=reason, created_by=by
    )
    act = Act.EXCLUDED if is_excluded else Act.INCLUDED
    record(act, study=study, about=person, actor=by, what=study.name)
    return decided
