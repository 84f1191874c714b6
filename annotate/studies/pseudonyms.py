"""Pseudonyms: the names of a study's people where their user names are hidden."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction

from .models import Pseudonym, Role, Study


def pseudonyms(study: Study) -> dict[int, str]:
    """Return the name under which each person of a study appears, by user id.

    Annotators are annotator-1, annotator-2 ..., and members who only follow the study are
    researcher-1 ..., in the order in which they joined. Numbers stay the same when members leave.
    """
    rows = numbered(study)
    annotators = {row.person_id: str(row) for row in rows if row.role == Role.ANNOTATOR}
    others = {row.person_id: str(row) for row in rows if row.role != Role.ANNOTATOR}
    # A member with both roles gets an annotator's pseudonym.
    return annotators | {key: name for key, name in others.items() if key not in annotators}


def names_of(study: Study, *, real: bool) -> dict[int, str]:
    """Return pseudonyms or, if ``real``, user names, in the same order."""
    name_of = pseudonyms(study)
    return usernames(name_of) if real else name_of


def keys_and_names(study: Study, *, real: bool) -> dict[int, tuple[str, str]]:
    """Return each person's pseudonym, as a key, and the name of `names_of`."""
    key_of = pseudonyms(study)
    shown = usernames(key_of) if real else key_of
    return {person: (key, shown[person]) for person, key in key_of.items()}


def usernames(people: Collection[int]) -> dict[int, str]:
    """Return user names, in the order of the people."""
    of_person = dict(User.objects.filter(pk__in=people).values_list("pk", "username"))
    return {person: of_person[person] for person in people}


@transaction.atomic
def give_pseudonyms(study: Study) -> None:
    """Store the pseudonyms of all members, before a member joins, leaves or is named."""
    Study.objects.select_for_update().get(pk=study.pk)
    give_pseudonyms_under_lock(study)


def give_pseudonyms_under_lock(study: Study) -> None:
    """Do so in a transaction that has locked the study."""
    Pseudonym.objects.bulk_create(row for row in numbered(study) if row.pk is None)


def numbered(study: Study) -> list[Pseudonym]:
    """Return all pseudonyms: first the stored ones, then new ones with the next numbers."""
    stored = list(study.pseudonyms.order_by("number"))
    known = {(row.person_id, row.role) for row in stored}
    last = {
        role: max((row.number for row in stored if row.role == role), default=0) for role in Role
    }
    rows = [*stored]
    for person, role in _in_order_of_joining(study):
        if (person, role) not in known:
            last[role] += 1
            rows.append(Pseudonym(study=study, person_id=person, role=role, number=last[role]))
    return rows


def _in_order_of_joining(study: Study) -> list[tuple[int, Role]]:
    """Return members by when they joined. A former member with answers has a stored pseudonym."""
    of_role = study.memberships.order_by("created", "pk").values_list("person", "role")
    annotators = dict.fromkeys(person for person, role in of_role if role == Role.ANNOTATOR)
    others = dict.fromkeys(
        person for person, role in of_role if role != Role.ANNOTATOR and person not in annotators
    )
    return [
        *((person, Role.ANNOTATOR) for person in annotators),
        *((person, Role.RESEARCHER) for person in others),
    ]
