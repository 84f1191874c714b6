"""Who may see and do what. Pages, API and commands ask here and nowhere else."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Q, QuerySet

from annotate.datasets.models import Dataset, Image

from .models import Role, Study

Person = AbstractBaseUser | AnonymousUser | Any


def may_load_data(person: Person) -> bool:
    """Admins load datasets, results and scores, score protocols, and set up studies."""
    return bool(person.is_active and person.is_staff)


def may_manage_people(person: Person) -> bool:
    """Admins invite, add and remove people, and read the log of the whole site."""
    return may_load_data(person)


def studies_to_follow(person: Person) -> QuerySet[Study]:
    """The studies whose progress and report this person may see."""
    if may_load_data(person):
        return Study.objects.all()
    return Study.objects.filter(pk__in=_of_role(person, Role.RESEARCHER))


def studies_to_curate(person: Person) -> QuerySet[Study]:
    """The studies of which this person may say whose rankings count: those they follow."""
    return studies_to_follow(person)


def studies_to_judge(person: Person) -> QuerySet[Study]:
    """The studies this person is an annotator of, whatever their state."""
    return Study.objects.filter(pk__in=_of_role(person, Role.ANNOTATOR))


def datasets_to_see(person: Person) -> QuerySet[Dataset]:
    """Admins see all datasets, researchers those of their studies."""
    if may_load_data(person):
        return Dataset.objects.all()
    return Dataset.objects.filter(studies__in=studies_to_follow(person)).distinct()


def images_to_see(person: Person) -> QuerySet[Image]:
    """Images of the datasets a person sees, and those of the studies they annotate."""
    if may_load_data(person):
        return Image.objects.all()
    return Image.objects.filter(
        Q(dataset__in=datasets_to_see(person)) | Q(studies__in=studies_to_judge(person))
    )


def _of_role(person: Person, role: Role) -> Any:
    if not person.is_authenticated or not person.is_active:
        return []
    return person.memberships.filter(role=role).values("study")
