"""The images an annotator may take up, whether or not images are shared out."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.auth.models import User
from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from annotate.access import permitted
from annotate.studies.exclusions import left_out
from annotate.studies.models import Study, StudyImage

from .image_order import ImageOrder
from .models import Assignment, Judgement


def is_answered(study: Study) -> bool:
    """Return whether any annotator has answered a pair, even if the answer was undone."""
    return Judgement.objects.filter(assignment__study=study).exists()


@dataclass(frozen=True)
class OwnImages:
    """An annotator's images of a study, those taken up and the next one, read at one time."""

    study: Study
    annotator: User
    n_begun: int
    last_begun: datetime | None
    has_one_in_work: bool
    # Taken up and available; None if not counted.
    n_images: int | None
    # No image is shared with another annotator yet.
    is_alone: bool
    # None if no image is left.
    first: int | None

    def in_order(self) -> Iterator[int]:
        """Yield available images, those nearest to the number of annotators they need first.

        An annotator who is alone starts with an image that others have begun, or that more people
        see, so that any two annotators are linked by shared images. Of equally near images, those of
        scenes that the annotator has seen least come first, from a place drawn for each image on.
        """
        image, passed = self.first, list[int]()
        while image is not None:
            yield image
            passed.append(image)
            image = own_images(self.study, self.annotator, passed).first


def own_images(
    study: Study, annotator: User, passed: Collection[int] = (), *, counts: bool = False
) -> OwnImages:
    """Read an annotator's images, without those passed over; all are counted if ``counts``.

    One query; a second one if the annotator is alone or has seen images of scenes, and one for the
    people left out of the reports if images are shared out.
    """
    order = _order(study, annotator, passed)
    levels = order.levels(counts=counts)
    n_begun, last_begun, has_one_in_work, n_available, is_alone, has_scenes, place, *_ = levels[0]
    first = None
    if is_alone or has_scenes:
        first = order.first_of_all(is_alone=bool(is_alone), has_scenes=bool(has_scenes))
    if first is None:
        nearest = [
            (*_need(study, n, is_full), image < place, image)
            for *_, n, usual, wanted, full in levels
            for image, is_full in (
                (usual, n is not None and n >= study.min_annotators),
                (wanted, False),
                (full, True),
            )
            if image is not None
        ]
        first = min(nearest)[-1] if nearest else None
    if last_begun is not None and last_begun.tzinfo is None:
        # SQLite's times are in UTC.
        last_begun = last_begun.replace(tzinfo=UTC)
    n_images = n_begun + n_available if counts else None
    return OwnImages(
        *(study, annotator, n_begun, last_begun, bool(has_one_in_work)),
        *(n_images, bool(is_alone), first),
    )


def _order(study: Study, annotator: User, passed: Collection[int] = ()) -> ImageOrder:
    is_shared_out = study.max_annotators is not None
    return ImageOrder(study, annotator, passed, list(left_out(study)) if is_shared_out else ())


def n_counted(study: Study, excluded: Sequence[int]) -> Combinable:
    """Return an expression for an image's complete rankings, without those of excluded people."""
    if not excluded:
        return F("n_complete")
    uncounted = (
        study.assignments.filter(
            image=OuterRef("image"), annotator__in=excluded, state=Assignment.State.COMPLETE
        )
        .order_by()
        .values("image")
        .annotate(n=Count("pk"))
        .values("n")
    )
    return F("n_complete") - Coalesce(Subquery(uncounted), 0)


def is_still_to_be_had(own: OwnImages, image_id: int) -> bool:
    """Check again, under a lock, that an image is available, so that not too many people take it.

    A row locked by another transaction is skipped, because waiting while holding other rows could
    deadlock.
    """
    study = own.study
    if study.max_annotators is None:
        return True
    row = StudyImage.objects.select_for_update(skip_locked=True).filter(study=study, image=image_id)
    return bool(row) and _order(study, own.annotator).has(image_id, is_alone=own.is_alone)


def _need(study: Study, n_complete: int, is_full: bool) -> tuple[int, int]:
    """Return an image's sort key: those with fewest missing rankings first, full ones last.

    Images that reports count already but that more people should see come among those not begun, so
    that many people share them, not only the first few.
    """
    is_for_agreement = not is_full and n_complete >= study.min_annotators
    return int(is_full), 0 if is_for_agreement else -n_complete


def n_images_of(study: Study, annotator: User) -> int:
    """Return the number of images of this annotator: taken up, and still available."""
    if study.max_annotators is None:
        return study.study_images.count()
    begun = Assignment.objects.filter(study=study, annotator=annotator)
    return begun.count() + _order(study, annotator).n_available()


def first_visit_is_due(study: Study, annotator: User) -> bool:
    """Return whether this annotator must complete the first visit before the first pair."""
    begun = permitted(annotator, "annotate.begin_judging", Study)
    return not begun.filter(pk=study.pk).exists()


@dataclass(frozen=True)
class OwnProgress:
    """A study in the list of one of its annotators."""

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
            # It depends on the person only if images are shared out.
            n_images=study.n_images if study.max_annotators is None else n_images_of(study, person),
            n_done=done.get(study.pk, 0),
        )
        for study in studies.annotate(n_images=n_images)
    ]
