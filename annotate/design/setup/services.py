"""Storing the choices of each step, and creating the study."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotate.datasets.models import Dataset, Image, ImageQuerySet, Method, Result, Selection
from annotate.studies import services as studies
from annotate.studies.models import Role, Study
from annotate.studies.settings import BY_NAME, usual

from .models import NewStudy


@transaction.atomic
def begin(
    *,
    person: User,
    dataset: Dataset,
    name: str,
    methods: Sequence[Method],
    like: Study | None = None,
    settings: Mapping[str, Any] | None = None,
    selection: Selection | None = None,
) -> NewStudy:
    """Store the first step of a new study, with the settings known so far.

    The images of ``selection`` are chosen, or the images and settings of ``like`` copied, a study of
    the same dataset.
    """
    new = NewStudy(person=person, dataset=dataset, settings={"seed": usual("seed")})
    if like is not None:
        new.settings |= {name: getattr(like, name) for name in BY_NAME}
        keys = list(Image.objects.filter(studies=like).in_order().values_list("pk", flat=True))
        new.images = None if len(keys) == dataset.images.count() else keys
    elif selection is not None:
        new.images = list(selection.images.in_order().values_list("pk", flat=True))
    elif dataset.images.exclude(sha256="").exists():
        # People rank better on photographs: if only some images have one, those are preselected.
        with_photograph = dataset.images.exclude(sha256="").in_order()
        if dataset.images.filter(sha256="").exists():
            new.images = list(with_photograph.values_list("pk", flat=True))
    new.settings |= settings or {}
    keep_data(new=new, name=name, methods=methods)
    return new


def keep_data(*, new: NewStudy, name: str, methods: Sequence[Method]) -> None:
    new.methods = [method.pk for method in methods]
    _keep(new, "data", {"name": name})


def keep_settings(*, new: NewStudy, step: str, settings: Mapping[str, Any]) -> None:
    _keep(new, step, settings)


def keep_images(*, new: NewStudy, images: Sequence[int] | None) -> None:
    """Store the chosen images; None means all comparable images."""
    new.images = None if images is None else list(images)
    _keep(new, "images", {})


def keep_people(*, new: NewStudy, people: Mapping[str, Iterable[User]]) -> None:
    new.people = {role: [person.pk for person in chosen] for role, chosen in people.items()}
    _keep(new, "people", {})


def _keep(new: NewStudy, step: str, settings: Mapping[str, Any]) -> None:
    new.settings = {**new.settings, **settings}
    new.steps = [*dict.fromkeys([*new.steps, step])]
    new.save()


def offered(dataset: Dataset) -> list[Method]:
    """Return the methods that have results."""
    return list(dataset.methods.filter(Exists(Result.objects.filter(method=OuterRef("pk")))))


def methods_of(new: NewStudy) -> QuerySet[Method]:
    return new.dataset.methods.filter(pk__in=new.methods)


def comparable(new: NewStudy) -> ImageQuerySet:
    """Return the images on which two of the chosen methods have results."""
    return studies.comparable(new.dataset, methods_of(new))


def chosen(new: NewStudy) -> ImageQuerySet:
    """Return the images that the study would have."""
    images = comparable(new)
    return images if new.images is None else images.filter(pk__in=new.images)


def members_of(new: NewStudy) -> list[tuple[User, Role]]:
    """Return members and their roles, without deleted accounts."""
    people = User.objects.filter(is_active=True).in_bulk(
        {pk for chosen in new.people.values() for pk in chosen}
    )
    return [
        (people[pk], Role(role))
        for role, chosen in new.people.items()
        for pk in chosen
        if pk in people
    ]


@transaction.atomic
def make(*, new: NewStudy, is_open: bool = False, on_blank_pages: bool = False) -> Study:
    """Create the study, add its members, and end the draft; on StudyRefused nothing is stored."""
    study = studies.create_study(
        dataset=new.dataset,
        methods=list(methods_of(new)),
        images=None if new.images is None else list(chosen(new).only("pk")),
        **new.settings,
    )
    for person, role in members_of(new):
        studies.add_member(study=study, username=person.username, role=role)
    if is_open:
        studies.set_state(study=study, state=Study.State.OPEN, on_blank_pages=on_blank_pages)
    new.delete()
    return study
