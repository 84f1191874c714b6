"""The images an annotator may take up, whether or not images are shared out."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import md5
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from annotate.access import permitted
from annotate.studies.exclusions import left_out
from annotate.studies.models import Membership, Role, Study, StudyImage

from .models import Assignment, Judgement

_SKIPPED: Final = Assignment.State.INCOMPLETE


def is_answered(study: Study) -> bool:
    """Return whether any annotator has answered a pair, even if the answer was undone."""
    return Judgement.objects.filter(assignment__study=study).exists()


def images_to_take_up(
    study: Study, annotator: User, *, alone: bool = False
) -> QuerySet[StudyImage]:
    """Return the images this annotator has not taken up and that are not taken by enough others.

    For an ``alone`` annotator, images with their own number of annotators accept one more.
    """
    taken_up = Assignment.objects.filter(study=study, image=OuterRef("image"), annotator=annotator)
    images = StudyImage.objects.filter(study=study).exclude(Exists(taken_up))
    if study.max_annotators is None:
        return images
    counted = n_counted(study, list(left_out(study)))
    # Few rankings are in progress at any time; only their images need counting.
    in_work = Counter(_in_work(study).values_list("image", flat=True))
    begun = StudyImage.objects.filter(study=study, image__in=list(in_work))
    full = [
        image
        for image, n_complete, n_annotators in begun.values_list("image", counted, "n_annotators")
        if n_complete + in_work[image] >= _limit(study, n_annotators, alone)
    ]
    limit = Coalesce(F("n_annotators") + int(alone), Value(study.max_annotators))
    return images.alias(n_counted=counted).filter(n_counted__lt=limit).exclude(image__in=full)


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


def _limit(study: Study, n_annotators: int | None, alone: bool) -> int:
    return (study.max_annotators or 0) if n_annotators is None else n_annotators + alone


def _in_work(study: Study) -> QuerySet[Assignment]:
    """Return the rankings in progress, except of people who have left: others may replace them."""
    still = Membership.objects.filter(study=study, role=Role.ANNOTATOR, person__is_active=True)
    in_work = Assignment.objects.filter(study=study, state=Assignment.State.IN_WORK)
    return in_work.filter(annotator__in=still.values("person"))


def is_still_to_be_had(study: Study, image_id: int, *, alone: bool) -> bool:
    """Check again, under a lock, that an image is available, so that not too many people take it.

    A row locked by another transaction is skipped, because waiting while holding other rows could
    deadlock.
    """
    if study.max_annotators is None:
        return True
    rows = StudyImage.objects.select_for_update(skip_locked=True)
    row = rows.filter(study=study, image=image_id).first()
    if row is None:
        return False
    excluded = Assignment.objects.filter(
        study=study,
        image=image_id,
        state=Assignment.State.COMPLETE,
        annotator__in=list(left_out(study)),
    )
    n_taken = row.n_complete + _in_work(study).filter(image=image_id).count() - excluded.count()
    return n_taken < _limit(study, row.n_annotators, alone)


def images_in_order(study: Study, annotator: User, *, alone: bool) -> Iterator[int]:
    """Yield images not taken up yet, those nearest to the number of annotators they need first.

    An ``alone`` annotator starts with an image that others have begun, or that more people see, so
    that any two annotators are linked by shared images. Equally near images are in random order.
    """
    rows = images_to_take_up(study, annotator, alone=alone).order_by()
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    begun = (
        {*_of_others(study.pk, annotator.pk).values_list("image", flat=True)} if alone else set()
    )
    for image, n_complete, n_annotators in rows.values_list("image", "n_complete", "n_annotators"):
        need = _need(study, n_complete, n_annotators)
        first = _connects(n_complete, n_annotators, image in begun) if alone else 0
        groups[first, *need].append(image)
    for group in sorted(groups):
        yield from sorted(groups[group], key=lambda image: _draw(study, annotator, image))


def _draw(study: Study, annotator: User, image: int) -> bytes:
    # It determines the order and protects no secret.
    return md5(f"{study.seed}/{annotator.pk}/{image}".encode(), usedforsecurity=False).digest()


def _need(study: Study, n_complete: int, n_annotators: int | None) -> tuple[int, int]:
    """Return an image's sort key: those with fewest missing rankings first, full ones last.

    Images that reports count already but that more people should see come among those not begun, so
    that many people share them, not only the first few.
    """
    is_full = n_complete >= (n_annotators or study.min_annotators)
    is_for_agreement = not is_full and n_complete >= study.min_annotators
    return int(is_full), 0 if is_for_agreement else -n_complete


def _connects(n_complete: int, n_annotators: int | None, is_begun: bool) -> int:
    """Return an image's rank for an annotator who shares none: those begun by others first."""
    if is_begun:
        return 0 if n_annotators is None or n_complete < n_annotators else 1
    return 3 if n_annotators is None else 2


def is_alone(study: Study, annotator: User) -> bool:
    """Return whether this annotator shares no image with another yet."""
    return not _shared_images(study.pk, annotator.pk).exists()


def _shared_images(study: int, annotator: int) -> QuerySet[Assignment]:
    own = Assignment.objects.filter(study=study, annotator=annotator).exclude(state=_SKIPPED)
    return _of_others(study, annotator).filter(image__in=own.values("image"))


def _of_others(study: int, annotator: int) -> QuerySet[Assignment]:
    of_others = Assignment.objects.filter(study=study).exclude(annotator=annotator)
    return of_others.exclude(state=_SKIPPED)


def n_images_of(study: Study, annotator: User, *, at_most: int | None = None) -> int:
    """Return the number of images of this annotator: taken up, and still available."""
    if study.max_annotators is None:
        n = study.study_images.count()
    else:
        taken_up = Assignment.objects.filter(study=study, annotator=annotator)
        n = taken_up.count() + images_to_take_up(study, annotator).count()
    return n if at_most is None else min(n, at_most)


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
