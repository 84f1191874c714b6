"""How far a study is, per image and per annotator.

Assignments belong to a later subject (judging); they are reached through the study's relations.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from .models import Membership, Role, Study, StudyImage


@dataclass(frozen=True)
class Figures:
    """The study in one row of numbers."""

    n_images: int
    n_ready: int  # images with the required number of complete rankings
    n_begun: int  # images with some work, but fewer
    n_rankings: int
    n_screens: int

    @property
    def n_untouched(self) -> int:
        return self.n_images - self.n_ready - self.n_begun


@dataclass(frozen=True)
class AnnotatorProgress:
    """What one annotator has done in a study."""

    person: User
    n_complete: int
    n_in_work: int
    n_incomplete: int
    n_screens: int
    n_skips: int
    n_images: int

    @property
    def share(self) -> float:
        return self.n_complete / self.n_images if self.n_images else 0.0


@dataclass(frozen=True)
class ImageProgress:
    """One image's row: the state of each annotator's ranking ('' where it was not begun)."""

    name: str
    n_complete: int
    states: Sequence[str]


def figures(study: Study) -> Figures:
    begun = study.assignments.values("image")
    counts = study.study_images.aggregate(
        images=Count("pk"),
        ready=Count("pk", filter=Q(n_complete__gte=study.min_annotators)),
        begun=Count("pk", filter=Q(n_complete__lt=study.min_annotators, image__in=begun)),
    )
    return Figures(
        n_images=counts["images"],
        n_ready=counts["ready"],
        n_begun=counts["begun"],
        n_rankings=study.assignments.filter(state="complete").count(),
        n_screens=study.assignments.filter(screens__state="answered").count(),
    )


def annotators(study: Study) -> list[User]:
    """The study's annotators, and whoever has answered in it before they left."""
    members = Q(memberships__study=study, memberships__role=Role.ANNOTATOR)
    return list(
        User.objects.filter(members | Q(assignments__study=study)).distinct().order_by("username")
    )


@dataclass(frozen=True)
class Member:
    """A membership with what the person has done in the study."""

    membership: Membership
    n_screens: int
    n_complete: int


def members(study: Study) -> list[Member]:
    screens = _count_by_annotator(
        study.assignments.filter(screens__state="answered").values("annotator")
    )
    complete = _count_by_annotator(study.assignments.filter(state="complete").values("annotator"))
    return [
        Member(membership, screens.get(person, 0), complete.get(person, 0))
        for membership in study.memberships.select_related("person").order_by(
            "person__username", "role"
        )
        for person in [membership.person_id]
    ]


def _count_by_annotator(rows: QuerySet[Any, dict[str, Any]]) -> dict[int, int]:
    return {row["annotator"]: row["n"] for row in rows.annotate(n=Count("pk"))}


def people_who_left(study: Study) -> list[User]:
    """Those who have answered in the study and are no annotators of it any more."""
    still = study.memberships.filter(role=Role.ANNOTATOR).values("person")
    return list(
        User.objects.filter(assignments__study=study)
        .exclude(pk__in=still)
        .distinct()
        .order_by("username")
    )


def annotator_progress(study: Study, people: Sequence[User]) -> list[AnnotatorProgress]:
    by_state: dict[tuple[int, str], int] = {
        (row["annotator"], row["state"]): row["n"]
        for row in study.assignments.values("annotator", "state").annotate(n=Count("pk"))
    }
    by_screen: dict[tuple[int, str], int] = {
        (row["annotator"], row["screens__state"]): row["n"]
        for row in study.assignments.values("annotator", "screens__state").annotate(
            n=Count("screens")
        )
    }
    n_images = study.study_images.count()
    return [
        AnnotatorProgress(
            person=person,
            n_complete=by_state.get((person.pk, "complete"), 0),
            n_in_work=by_state.get((person.pk, "in_work"), 0),
            n_incomplete=by_state.get((person.pk, "incomplete"), 0),
            n_screens=by_screen.get((person.pk, "answered"), 0),
            n_skips=by_screen.get((person.pk, "skipped"), 0),
            n_images=n_images,
        )
        for person in people
    ]


def images_in_order(study: Study) -> QuerySet[StudyImage]:
    return study.study_images.select_related("image").order_by("image__position", "image__pk")


def image_progress(
    study: Study, rows: Sequence[StudyImage], people: Sequence[User]
) -> list[ImageProgress]:
    states: dict[tuple[int, int], str] = defaultdict(str)
    found = study.assignments.filter(image__in=[row.image_id for row in rows])
    for image, annotator, state in found.values_list("image", "annotator", "state"):
        states[image, annotator] = state
    return [
        ImageProgress(
            name=row.image.name,
            n_complete=row.n_complete,
            states=[states[row.image_id, person.pk] for person in people],
        )
        for row in rows
    ]


def what_blocks(study: Study, counted: Figures, n_annotators: int) -> list[str]:
    """Say in sentences what stands between this study and a complete report."""
    sentences = []
    if study.state == Study.State.DRAFT:
        sentences.append("The study is not open yet: nobody can answer.")
    if n_annotators == 0:
        sentences.append("No annotator takes part yet.")
    elif n_annotators < study.min_annotators:
        sentences.append(
            f"A report needs {study.min_annotators} complete rankings per image, and only "
            f"{n_annotators} annotator{' takes' if n_annotators == 1 else 's take'} part."
        )
    lacking = counted.n_images - counted.n_ready
    if lacking:
        needed = study.min_annotators
        sentences.append(
            f"{lacking} of {counted.n_images} images have fewer than {needed} complete "
            f"ranking{'' if needed == 1 else 's'}."
        )
    return sentences


def is_answered(study: Study) -> bool:
    """Whether anybody has answered a pair, even if the answer was taken back."""
    return study.assignments.filter(screens__judgements__isnull=False).exists()


def images_to_take_up(study: Study, annotator: User) -> QuerySet[StudyImage]:
    """Images this annotator has not taken up and that are not shared out to others already."""
    taken_up = study.assignments.filter(image=OuterRef("image"))
    images = StudyImage.objects.filter(study=study).exclude(
        Exists(taken_up.filter(annotator=annotator))
    )
    if study.max_annotators is None:
        return images
    n_taken_up = taken_up.order_by().values("image").annotate(n=Count("pk")).values("n")
    return images.alias(n_taken_up=Coalesce(Subquery(n_taken_up), 0)).filter(
        n_taken_up__lt=study.max_annotators
    )


def n_images_of(study: Study, annotator: User) -> int:
    """How many images are this annotator's, as far as it is known: taken up, and to be had."""
    if study.max_annotators is None:
        return study.study_images.count()
    taken_up = study.assignments.filter(annotator=annotator)
    return taken_up.count() + images_to_take_up(study, annotator).count()


@dataclass(frozen=True)
class OwnProgress:
    """A study as one of its annotators sees it in the list."""

    study: Study
    n_images: int
    n_done: int

    @property
    def n_left(self) -> int:
        return self.n_images - self.n_done


def own_progress(studies: QuerySet[Study], person: User) -> list[OwnProgress]:
    done = {
        row["pk"]: row["n"]
        for row in studies.values("pk").annotate(
            n=Count(
                "assignments",
                filter=Q(assignments__annotator=person) & ~Q(assignments__state="in_work"),
                distinct=True,
            )
        )
    }
    return [
        OwnProgress(study=study, n_images=n_images_of(study, person), n_done=done.get(study.pk, 0))
        for study in studies
    ]
