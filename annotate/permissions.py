"""The access rules, as a backend of Django's permissions.

No module imports it. Code calls ``person.has_perm("annotate.load_data")``,
``person.has_perm("annotate.follow_study", study)``, or for lists ``access.permitted()``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, Q, QuerySet

from .access import Person
from .datasets.models import Dataset, Image
from .learning.services import begun_by
from .studies.models import Role, Study


class Permissions(ModelBackend):
    """Django's backend, which signs in and knows the rescue pages, with the rules of this site."""

    def has_perm(self, person: Person, permission: str, row: Model | None = None) -> bool:
        """Return whether a user has a permission, for the whole site or for one row.

        Raises PermissionDenied instead of saying no to a permission of ours, which ends the
        question: the backends after this one would ask the database and know nothing of it.
        """
        if permission in _OF_THE_SITE:
            is_allowed = _OF_THE_SITE[permission](person)
        elif permission in _OF_ROWS and row is not None:
            rows = self.permitted(person, permission, type(row)._default_manager.all())
            is_allowed = rows.filter(pk=row.pk).exists()
        else:
            return super().has_perm(person, permission, row)
        if not is_allowed:
            raise PermissionDenied
        return True

    def permitted(self, person: Person, permission: str, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows for which a user has a permission.

        Raises LookupError for an unknown permission, or one that is not about rows of this model.
        """
        model, rule = _OF_ROWS[permission]
        if rows.model is not model:
            raise LookupError(f"{permission} is about {model.__name__}, not {rows.model.__name__}")
        if is_admin(person) and permission not in _OF_ANNOTATORS:
            return rows
        return rows.filter(rule(person))


def is_admin(person: Person) -> bool:
    """Return whether a user loads data, scores protocols, sets up studies and invites people."""
    return bool(person.is_active and person.is_staff)


def _studies(person: Person, role: Role) -> QuerySet[Study]:
    if not isinstance(person, User) or not person.is_active:
        return Study.objects.none()
    return Study.objects.filter(memberships__person=person, memberships__role=role)


def _follows(person: Person) -> Q:
    return Q(pk__in=_studies(person, Role.RESEARCHER))


def _judges(person: Person) -> Q:
    return Q(pk__in=_studies(person, Role.ANNOTATOR))


def _begins(person: Person) -> Q:
    return _judges(person) & begun_by(person) if isinstance(person, User) else _NOTHING


def _sees_dataset(person: Person) -> Q:
    """Researchers see the datasets of their studies."""
    return Q(pk__in=_studies(person, Role.RESEARCHER).values("dataset"))


def _sees_image(person: Person) -> Q:
    """Images of the datasets a person sees, and those of the studies they annotate."""
    followed = _studies(person, Role.RESEARCHER).values("dataset")
    return Q(dataset__in=followed) | Q(studies__in=_studies(person, Role.ANNOTATOR))


_NOTHING: Final = Q(pk__in=())
# An admin is an annotator only as a member.
_OF_ANNOTATORS: Final = frozenset({"annotate.judge_study", "annotate.begin_judging"})
_OF_THE_SITE: Final[Mapping[str, Callable[[Person], bool]]] = {
    # Load datasets, results and scores, score protocols, set up studies.
    "annotate.load_data": is_admin,
    # Invite, add and remove people, read the log of the whole site.
    "annotate.manage_people": is_admin,
}
_OF_ROWS: Final[Mapping[str, tuple[type[Model], Callable[[Person], Q]]]] = {
    # See a study's progress and report.
    "annotate.follow_study": (Study, _follows),
    # Decides whose rankings count in a study: those who follow it.
    "annotate.curate_study": (Study, _follows),
    # Make a kept report of a study public, and take it back: those who follow it.
    "annotate.publish_study": (Study, _follows),
    # Be asked, whatever the study's state.
    "annotate.judge_study": (Study, _judges),
    # Be asked at once: the first visit is over.
    "annotate.begin_judging": (Study, _begins),
    "annotate.see_dataset": (Dataset, _sees_dataset),
    "annotate.see_image": (Image, _sees_image),
}
