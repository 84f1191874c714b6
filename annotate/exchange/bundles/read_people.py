"""A bundle's people: accounts, members, pseudonyms and exclusions."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib.auth.models import User

from annotate.studies.models import Exclusion, Membership, Pseudonym, Study
from protocols.formats.problems import quoted

from .members import Bundle, checked_list, reading
from .records import decoded
from .storing import store

_MAX_USERNAME: Final = 150


class PeopleReader:
    """Loader of members and their roles; later parts find people by name in it."""

    def __init__(self, bundle: Bundle, study: Study) -> None:
        self._bundle = bundle
        self._study = study
        self.people: dict[str, User] = {}

    def make_people(self, names: Sequence[str]) -> None:
        """Create an inactive account without a password for each person, so none can sign in."""
        for name in names:
            if name in self.people:
                raise ValueError(f"{quoted(name)} is named twice")
            self.people[name] = person_elsewhere(name, self._study.slug)

    def load_members(self) -> None:
        for part in self._bundle.parts("members"):
            members = []
            for number, row in self._bundle.lines(part):
                with reading(part, number):
                    person = self.people[row.pop("person")]
                    members.append(decoded(Membership, row, study=self._study, person=person))
            with reading(part):
                store(members)
            self._bundle.counts["members"] += len(members)

    def load_pseudonyms(self, numbers: Any) -> None:
        rows = []
        for person, role, number in checked_list(numbers):
            row = decoded(Pseudonym, {"role": role, "number": number}, study=self._study)
            row.person = self.people[person]
            rows.append(row)
        store(rows)

    def load_exclusions(self) -> None:
        for part in self._bundle.parts("exclusions"):
            rows = []
            for number, row in self._bundle.lines(part):
                with reading(part, number):
                    person, by = self.people[row.pop("person")], row.pop("by")
                    decided = decoded(Exclusion, row, study=self._study, person=person)
                    decided.created_by = None if by is None else self.people[by]
                    rows.append(decided)
            with reading(part):
                store(rows)
            self._bundle.counts["exclusions"] += len(rows)


def person_elsewhere(name: str, slug: str) -> User:
    """Create an inactive account without a password for a person of another site or tool."""
    person = User(username=_free_username(f"{name}.{slug}"), is_active=False)
    person.set_unusable_password()
    person.clean_fields()
    person.save()
    return person


def _free_username(wanted: str) -> str:
    name, number = wanted[:_MAX_USERNAME], 1
    while User.objects.filter(username=name).exists():
        number += 1
        name = f"{wanted[: _MAX_USERNAME - 8]}-{number}"
    return name
