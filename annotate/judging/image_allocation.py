"""The images an annotator may take up, whether or not images are shared out."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import md5
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Count, Exists, F, FilteredRelation, OuterRef, Q, QuerySet, Subquery
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


@dataclass(frozen=True)
class OwnImages:
    """The images of a study for one annotator, read at one time: taken up, and still available."""

    study: Study
    annotator: User
    # State and time of each image taken up, in the order of their positions.
    begun: list[tuple[str, datetime]]
    # Image, rankings that count, complete rankings and the image's own number of annotators.
    others: list[tuple[int, int, int, int | None]]
    # Rankings in progress of each image; counted only if a number of annotators is enough.
    in_work: Mapping[int, int]
    # No image is shared with another annotator yet.
    is_alone: bool
    # For each available image of a scene, how many images of it this annotator has taken up.
    n_of_scene: Mapping[int, int]

    @property
    def n_images(self) -> int:
        return len(self.begun) + sum(self._has_room(row, alone=False) for row in self.others)

    @property
    def last_begun(self) -> datetime | None:
        return self.begun[-1][1] if self.begun else None

    @property
    def has_one_in_work(self) -> bool:
        return any(state == Assignment.State.IN_WORK for state, _ in self.begun)

    def _has_room(self, row: tuple[int, int, int, int | None], *, alone: bool) -> bool:
        """Return whether too few others take an image.

        For an ``alone`` annotator, images with their own number of annotators accept one more.
        """
        image, n, _, n_annotators = row
        if self.study.max_annotators is None:
            return True
        return n + self.in_work.get(image, 0) < _limit(self.study, n_annotators, alone)

    def in_order(self) -> Iterator[int]:
        """Yield available images, those nearest to the number of annotators they need first.

        An annotator who is alone starts with an image that others have begun, or that more people
        see, so that any two annotators are linked by shared images. Of equally near images, those of
        scenes that the annotator has seen least come first, in random order.
        """
        study, alone = self.study, self.is_alone
        of_others = _of_others(study.pk, self.annotator.pk).values_list("image", flat=True)
        shared = {*of_others} if alone else set()
        groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for row in self.others:
            if self._has_room(row, alone=alone):
                image, _, n_complete, n_annotators = row
                need = _need(study, n_complete, n_annotators)
                first = _connects(n_complete, n_annotators, image in shared) if alone else 0
                groups[first, *need].append(image)
        for group in sorted(groups):
            yield from sorted(groups[group], key=self._turn)

    def _turn(self, image: int) -> tuple[int, bytes]:
        return self.n_of_scene.get(image, 0), _draw(self.study, self.annotator, image)


def own_images(study: Study, annotator: User) -> OwnImages:
    """Read an annotator's images: one query, and two more if a number of annotators is enough."""
    own = FilteredRelation(
        "image__assignments",
        condition=Q(image__assignments__study=study, image__assignments__annotator=annotator),
    )
    n: Combinable = F("n_complete")
    in_work = Counter[int]()
    if study.max_annotators is not None:
        n = n_counted(study, list(left_out(study)))
        in_work.update(_in_work(study).values_list("image", flat=True))
    is_alone = ~Exists(_shared_images(study.pk, annotator.pk))
    images = StudyImage.objects.filter(study=study).annotate(own=own, n=n, is_alone=is_alone)
    rows = images.order_by("own__position").values_list(
        *("own__state", "own__created", "is_alone", "image__scene"),
        *("image", "n", "n_complete", "n_annotators"),
    )
    begun, others, alone = [], [], []
    scene_of: dict[int, str] = {}
    n_of = Counter[str]()
    for state, created, is_one, scene, *image in rows:
        alone.append(is_one)
        if state is not None:
            begun.append((state, created))
            n_of[scene] += 1
            continue
        others.append(tuple(image))
        if scene:
            scene_of[image[0]] = scene
    n_of_scene = {image: n_of[scene] for image, scene in scene_of.items()}
    return OwnImages(study, annotator, begun, others, in_work, all(alone), n_of_scene)


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


def _shared_images(study: int, annotator: int) -> QuerySet[Assignment]:
    own = Assignment.objects.filter(study=study, annotator=annotator).exclude(state=_SKIPPED)
    return _of_others(study, annotator).filter(image__in=own.values("image"))


def _of_others(study: int, annotator: int) -> QuerySet[Assignment]:
    of_others = Assignment.objects.filter(study=study).exclude(annotator=annotator)
    return of_others.exclude(state=_SKIPPED)


def n_images_of(study: Study, annotator: User) -> int:
    """Return the number of images of this annotator: taken up, and still available."""
    if study.max_annotators is None:
        return study.study_images.count()
    return own_images(study, annotator).n_images


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
