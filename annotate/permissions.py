"""The access rules, as a backend of Django's permissions.

No module imports it. Code calls ``person.has_perm("annotate.load_data")``,
``person.has_perm("annotate.follow_study", study)``, or for lists ``access.permitted()``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib.auth.backends import BaseBackend, ModelBackend
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, Q, QuerySet

from .access import Person
from .datasets.models import Dataset, Image
from .learning.services import begun_by
from .studies.models import Role, Study


class Permissions(ModelBackend):
    """Django's backend, for sign-in and the rescue pages, with the rules of this site."""

    def get_user(self, user_id: int) -> User | None:
        """Return the user with preferences, which every page reads, by one query."""
        return _first(User.objects.select_related("preferences"), user_id)

    def has_perm(self, person: Person, permission: str, row: Model | None = None) -> bool:
        """Return whether a user has a permission, for the whole site or for one row.

        Raises PermissionDenied instead of returning False for a permission of this site: the
        backends after this one would query the database for a permission they do not know.
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

        Raises LookupError for an unknown permission, or one for rows of another model.
        """
        model, rule = _OF_ROWS[permission]
        if rows.model is not model:
            raise LookupError(f"{permission} is about {model.__name__}, not {rows.model.__name__}")
        if is_admin(person) and permission not in _OF_ANNOTATORS:
            return rows
        return rows.filter(rule(person))


class Participants(BaseBackend):
    """The backend of sessions that an entrance begins: a request needs the whole visit."""

    def get_user(self, user_id: int) -> User | None:
        """Return the participant with preferences, visit, entrance and study, by one query."""
        related = ("preferences", "arrival__entrance", "arrival__study")
        return _first(User.objects.select_related(*related), user_id)


def _first(people: QuerySet[User], user_id: int) -> User | None:
    # Unlike first(), a slice adds no order, which takes Django long for so many columns.
    return next(iter(people.filter(pk=user_id, is_active=True)[:1]), None)


def is_admin(person: Person) -> bool:
    """Return whether a user may load data, score protocols, set up studies and invite people."""
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
    """Select the datasets of a researcher's studies."""
    return Q(pk__in=_studies(person, Role.RESEARCHER).values("dataset"))


def _sees_image(person: Person) -> Q:
    """Select the images of the datasets a person sees and the studies they annotate.

    This is the right to the photograph; the ground truth needs that to the dataset.
    """
    followed = _studies(person, Role.RESEARCHER).values("dataset")
    annotated = _studies(person, Role.ANNOTATOR)
    return Q(dataset__in=followed) | Q(studies__in=annotated)


_NOTHING: Final = Q(pk__in=())
# Admins are annotators only as members of a study.
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
    # Decide which annotators' rankings count in a study; for users who follow it.
    "annotate.curate_study": (Study, _follows),
    # Invite annotators to a study; for users who follow it.
    "annotate.invite_annotators": (Study, _follows),
    # Make, change and read the entrances of a study; for users who follow it.
    "annotate.recruit_for_study": (Study, _follows),
    # Publish a kept report of a study, or withdraw it; for users who follow it.
    "annotate.publish_study": (Study, _follows),
    # Judge in a study, whatever its state.
    "annotate.judge_study": (Study, _judges),
    # Judge at once: no first visit is due.
    "annotate.begin_judging": (Study, _begins),
    "annotate.see_dataset": (Dataset, _sees_dataset),
    "annotate.see_image": (Image, _sees_image),
}
