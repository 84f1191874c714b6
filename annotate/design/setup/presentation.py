"""Presentation of a new study: its steps and a summary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate.datasets.selectors import said_of_same_photographs
from annotate.design.planning import services as planning
from annotate.studies.models import Role, Study
from rankings.design.study_plans import USUAL_PEOPLE

from . import services
from .models import NewStudy

_TWO: Final = 2
STEPS: Final = ("data", "design", "images", "people", "look", "open")
_TITLES: Final = {
    "data": gettext_lazy("Data"),
    "design": gettext_lazy("Design"),
    "images": gettext_lazy("Images"),
    "people": gettext_lazy("People"),
    "look": gettext_lazy("Appearance"),
    "open": gettext_lazy("Open"),
}


@dataclass(frozen=True)
class Step:
    title: str
    url: str
    is_here: bool
    is_done: bool


def address(new: NewStudy, step: str) -> str:
    if step == "images":
        return reverse("setup:images", args=[new.pk])
    if step == "open":
        return reverse("setup:finish", args=[new.pk])
    return reverse("setup:step", args=[new.pk, step])


def after(step: str) -> str:
    return STEPS[STEPS.index(step) + 1]


def steps(new: NewStudy | None, here: str) -> list[Step]:
    """Return the steps; they have no addresses before the first is stored."""
    return [
        Step(
            str(_TITLES[name]),
            "" if new is None else address(new, name),
            name == here,
            new is not None and name in new.steps,
        )
        for name in STEPS
    ]


@dataclass(frozen=True)
class Summary:
    """Size of a study, and steps with sentences on missing parts; ``blocks`` prevent creation."""

    n_images: int
    n_without_photograph: int
    n_methods: int
    n_annotators: int
    n_researchers: int
    min_annotators: int
    blocks: Sequence[tuple[str, str]]
    lacks: Sequence[tuple[str, str]]


def summary(new: NewStudy, settings: Callable[[str], Any]) -> Summary:
    """Return the summary of a new study; ``settings`` returns a setting's value by its name."""
    images = services.chosen(new)
    n_images = images.count()
    n_without = images.filter(sha256="").count()
    n_methods = services.methods_of(new).count()
    people = services.members_of(new)
    n_annotators = sum(role == Role.ANNOTATOR for _, role in people)
    n_researchers = len(people) - n_annotators
    least = settings("min_annotators")
    study = Study(methods_per_visit=settings("methods_per_visit"))
    blocks = []
    if n_methods < 2:
        blocks.append(("data", _("Fewer than two methods are chosen.")))
    elif not n_images:
        blocks.append(
            ("images", _("None of the chosen images has results from at least two methods."))
        )
    lacks = []
    if n_images and n_without:
        lacks.append(
            (
                "images",
                ngettext(
                    "{n} of {total} images has no photograph; there people see boxes alone.",
                    "{n} of {total} images have no photograph; there people see boxes alone.",
                    n_without,
                ).format(n=n_without, total=n_images),
            )
        )
    if said := said_of_same_photographs(images):
        lacks.append(("images", said))
    if not n_annotators:
        lacks.append(
            ("people", _("No one ranks yet. You can invite people once the study is created."))
        )
    elif n_annotators < least:
        lacks.append(
            (
                "people",
                ngettext(
                    "An image needs {wanted}, and only {n} person is ranking.",
                    "An image needs {wanted}, and only {n} people are ranking.",
                    n_annotators,
                ).format(wanted=study.n_complete(least), n=n_annotators),
            )
        )
    if not n_researchers and not settings("contact"):
        lacks.append(
            ("people", _("No researcher is named, so annotators do not know whom to ask."))
        )
    return Summary(
        n_images, n_without, n_methods, n_annotators, n_researchers, least, blocks, lacks
    )


def finds(
    new: NewStudy, settings: Callable[[str], Any], n_images: int, n_annotators: int
) -> tuple[str, ...]:
    """Return what a new study finds with its images and people; without people, with the usual number."""
    n_methods = services.methods_of(new).count()
    if n_images < _TWO or n_methods < _TWO:
        return ()
    if n_annotators == 1:
        return (_("One annotator says nothing about others: invite more people."),)
    names = ("max_annotators", "agreement_percent", "agreement_annotators", "methods_per_visit")
    study = Study(**{name: settings(name) for name in (*names, "whole_percent", "strategy")})
    said = planning.finds(
        dataset=new.dataset,
        person=new.person,
        study=study,
        images=n_images,
        people=n_annotators or USUAL_PEOPLE,
        n_methods=n_methods,
    )
    assumed = _("No one ranks yet; if {n} people do:").format(n=USUAL_PEOPLE)
    return (said,) if n_annotators else (assumed, said)


def lacks_of(n_images: int, n_methods: int) -> str:
    """Return why no study can be set up on a dataset; empty if one can."""
    if not n_images:
        return _("It has no images.")
    if n_methods < 2:
        return (
            _("People compare two methods; it has only one.")
            if n_methods
            else _("No method has results.")
        )
    return ""
