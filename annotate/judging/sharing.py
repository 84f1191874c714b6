"""Which images an annotator may take up, where images are shared out and where they are not."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotate.access import permitted
from annotate.studies.models import Study, StudyImage

from .models import Assignment, Judgement


def is_answered(study: Study) -> bool:
    """Say whether anybody has answered a pair, even if the answer was undone."""
    return Judgement.objects.filter(assignment__study=study).exists()


def images_to_take_up(study: Study, annotator: User) -> QuerySet[StudyImage]:
    """Images this annotator has not taken up and that are not shared out to others already."""
    taken_up = Assignment.objects.filter(study=study, image=OuterRef("image"))
    images = StudyImage.objects.filter(study=study).exclude(
        Exists(taken_up.filter(annotator=annotator))
    )
    if study.max_annotators is None:
        return images
    # Few rankings are begun and not complete at any time; only their images need counting.
    begun = Assignment.objects.filter(study=study).exclude(state=Assignment.State.COMPLETE)
    n_begun = begun.filter(image=OuterRef("image")).order_by().values("image")
    shared_out = (
        StudyImage.objects.filter(study=study, image__in=begun.values("image"))
        .alias(n_begun=Subquery(n_begun.annotate(n=Count("pk")).values("n")))
        .filter(n_complete__gte=study.max_annotators - F("n_begun"))
    )
    return images.filter(n_complete__lt=study.max_annotators).exclude(
        image__in=shared_out.values("image")
    )


def n_images_of(study: Study, annotator: User) -> int:
    """Return the number of images that are this annotator's so far: taken up, and still available."""
    if study.max_annotators is None:
        return study.study_images.count()
    taken_up = Assignment.objects.filter(study=study, annotator=annotator)
    return taken_up.count() + images_to_take_up(study, annotator).count()


def first_visit_is_due(study: Study, annotator: User) -> bool:
    """Say whether to lead this annotator through the first visit before the first pair."""
    begun = permitted(annotator, "annotate.begin_judging", Study)
    return not begun.filter(pk=study.pk).exists()


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
    ended = Assignment.objects.filter(annotator=person).exclude(state=Assignment.State.IN_WORK)
    done = dict(ended.order_by().values_list("study").annotate(n=Count("pk")))
    images = StudyImage.objects.filter(study=OuterRef("pk")).order_by().values("study")
    n_images = Coalesce(Subquery(images.annotate(n=Count("pk")).values("n")), 0)
    return [
        OwnProgress(
            study=study,
            # Only where images are shared out it depends on the person.
            n_images=study.n_images if study.max_annotators is None else n_images_of(study, person),
            n_done=done.get(study.pk, 0),
        )
        for study in studies.annotate(n_images=n_images)
    ]
