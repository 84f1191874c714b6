"""A user's open tasks: images to rank, incomplete studies, data and jobs to look after."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import Case, Count, OuterRef, Q, QuerySet, When
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.access import permitted
from annotate.datasets.models import Dataset
from annotate.datasets.thumbnails import Thumbnail, covers, first_images
from annotate.design.setup.models import NewStudy
from annotate.imports.models import Draft
from annotate.jobs.models import Job
from annotate.judging.image_allocation import OwnProgress, own_progress
from annotate.judging.models import Assignment
from annotate.studies.models import Exclusion, Membership, Role, Study, StudyImage

# Studies on a page.
PER_PAGE: Final = 12
_LATELY: Final = timedelta(days=7)
_MAX_WAITING: Final = 5
# Of an image: some need more people than the others, to see how far people agree.
_WANTED: Final = Coalesce("n_annotators", "study__min_annotators")
_BY_STATE: Final = Case(
    When(state=Study.State.OPEN, then=0), When(state=Study.State.DRAFT, then=1), default=2
)


def pictures_of(studies: QuerySet[Study]) -> dict[int, list[Thumbnail]]:
    """Return the thumbnails of each study's sample images."""
    images = StudyImage.objects.filter(study=OuterRef("pk")).order_by("image")
    return covers(first_images(studies, images, "image"))


@dataclass(frozen=True)
class ToRank:
    """A study as the home of its annotator shows it."""

    own: OwnProgress
    pictures: Sequence[Thumbnail]
    # The annotator has yet to go through the introduction.
    is_new: bool


def to_rank(person: User) -> tuple[list[ToRank], list[OwnProgress]]:
    """Return the studies a user can work on, begun ones first, and the user's other studies."""
    studies = permitted(person, "annotate.judge_study", Study)
    begun = permitted(person, "annotate.begin_judging", Study).values_list("pk", flat=True)
    begun_keys = set(begun)
    mine = own_progress(studies.order_by(_BY_STATE, "-created")[: 4 * PER_PAGE], person)
    waiting = [own for own in mine if own.study.state == Study.State.OPEN and own.n_left > 0]
    waiting.sort(key=lambda own: (own.n_done == 0, own.study.pk not in begun_keys))
    waiting = waiting[:PER_PAGE]
    pictures = pictures_of(Study.objects.filter(pk__in=[own.study.pk for own in waiting]))
    shown = {own.study.pk for own in waiting}
    return (
        [ToRank(own, pictures[own.study.pk], own.study.pk not in begun_keys) for own in waiting],
        [own for own in mine if own.study.pk not in shown],
    )


@dataclass(frozen=True)
class Followed:
    """A study as the home of its researchers shows it."""

    study: Study
    pictures: Sequence[Thumbnail]
    n_images: int
    # Images with as many complete rankings of people who count as they need.
    n_ready: int
    n_annotators: int
    n_last_days: int

    @property
    def is_complete(self) -> bool:
        return 0 < self.n_images == self.n_ready

    @property
    def lacks(self) -> str:
        """Return why an unfinished study does not advance, as a sentence; empty if it does."""
        if self.study.state == Study.State.CLOSED or self.is_complete:
            return ""
        if not self.n_annotators:
            return _("No annotator takes part yet.")
        if self.n_annotators < self.study.min_annotators:
            return ngettext(
                "An image needs {wanted}, and only {n} person is ranking.",
                "An image needs {wanted}, and only {n} people are ranking.",
                self.n_annotators,
            ).format(wanted=self.study.n_complete(self.study.min_annotators), n=self.n_annotators)
        if self.study.state == Study.State.DRAFT:
            return _("It is not open yet: annotators cannot answer.")
        return "" if self.n_last_days else _("No one completed a ranking in the last 7 days.")


def followed_studies(person: User) -> QuerySet[Study]:
    studies = permitted(person, "annotate.follow_study", Study)
    return studies.order_by(_BY_STATE, "-created")


def followed(studies: Sequence[Study]) -> list[Followed]:
    """Return studies with their progress, in a fixed number of queries."""
    keys = [study.pk for study in studies]
    rows = StudyImage.objects.filter(study__in=keys).order_by()
    is_ready = Q(n_complete__gte=_WANTED)
    n_images = {
        study: (n, ready)
        for study, n, ready in rows.values_list("study").annotate(
            n=Count("pk"), ready=Count("pk", filter=is_ready)
        )
    }
    annotators = Membership.objects.filter(study__in=keys, role=Role.ANNOTATOR).order_by()
    n_annotators = dict(annotators.values_list("study").annotate(n=Count("pk")))
    out = _left_out(keys)
    lately = Assignment.objects.filter(
        study__in=keys,
        state=Assignment.State.COMPLETE,
        finished__gte=timezone.now() - _LATELY,
    ).exclude(_of_pairs(out))
    n_lately = dict(lately.order_by().values_list("study").annotate(n=Count("pk")))
    n_unready = _ready_only_by(out)
    pictures = pictures_of(Study.objects.filter(pk__in=keys))
    return [
        Followed(
            study,
            pictures[study.pk],
            n_images.get(study.pk, (0, 0))[0],
            n_images.get(study.pk, (0, 0))[1] - n_unready[study.pk],
            n_annotators.get(study.pk, 0),
            n_lately.get(study.pk, 0),
        )
        for study in studies
    ]


def _left_out(keys: Collection[int]) -> Mapping[int, set[int]]:
    """Return by study the people whose rankings count in no report; the latest decision applies."""
    out: dict[int, set[int]] = defaultdict(set)
    for study, person, is_excluded in Exclusion.objects.filter(study__in=keys).values_list(
        "study", "person", "is_excluded"
    ):
        (out[study].add if is_excluded else out[study].discard)(person)
    return {study: people for study, people in out.items() if people}


def _of_pairs(out: Mapping[int, set[int]]) -> Q:
    """Return the condition for assignments of people who are left out of their study."""
    pairs = Q(pk__in=())
    for study, people in out.items():
        pairs |= Q(study=study, annotator__in=people)
    return pairs


def _ready_only_by(out: Mapping[int, set[int]]) -> Counter[int]:
    """Count by study the images that would have too few rankings without the excluded people."""
    if not out:
        return Counter()
    theirs = Assignment.objects.filter(_of_pairs(out), state=Assignment.State.COMPLETE)
    n_theirs = {
        (study, image): n
        for study, image, n in theirs.order_by()
        .values_list("study", "image")
        .annotate(n=Count("pk"))
    }
    rows = StudyImage.objects.filter(study__in=out, n_complete__gte=_WANTED)
    return Counter(
        study
        for study, image, n_complete, wanted in rows.values_list(
            "study", "image", "n_complete", _WANTED
        )
        if n_complete - n_theirs.get((study, image), 0) < wanted
    )


@dataclass(frozen=True)
class Site:
    """An admin's overview: what is set up, and which work has begun or failed."""

    n_datasets: int
    n_studies: int
    n_people: int
    loads: Sequence[Draft]
    new_studies: Sequence[NewStudy]
    n_at_work: int
    n_failed: int


def site(person: User) -> Site:
    """Return the overview for this admin."""
    jobs: dict[str, Any] = Job.objects.aggregate(
        at_work=Count("pk", filter=Q(state__in=Job.OPEN)),
        failed=Count(
            "pk",
            filter=Q(state=Job.State.FAILED, finished__gte=timezone.now() - _LATELY),
        ),
    )
    loads = Draft.objects.filter(person=person).exclude(state__in=Draft.OVER)
    begun = NewStudy.objects.filter(person=person)
    return Site(
        n_datasets=Dataset.objects.count(),
        n_studies=Study.objects.count(),
        n_people=User.objects.filter(is_active=True).count(),
        loads=list(loads.select_related("dataset")[:_MAX_WAITING]),
        new_studies=list(begun.select_related("dataset")[:_MAX_WAITING]),
        n_at_work=jobs["at_work"],
        n_failed=jobs["failed"],
    )
