"""Quotas: the part of an annotator that ends after some pairs or images, with checks of its own."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Case, Count, F, IntegerField, OuterRef, Subquery, Sum, When
from django.db.models.functions import Coalesce

from annotate.studies.models import Membership, Role, Study

from .models import Assignment, Judgement, Skip


@dataclass(frozen=True, slots=True)
class Quota:
    """Pairs or images after which nothing more is asked, and the known-answer pairs among them."""

    max_pairs: int | None = None
    max_images: int | None = None
    n_known: int | None = None

    def __bool__(self) -> bool:
        return self != Quota()


@dataclass(frozen=True, slots=True)
class Remaining:
    """An annotator's quota, and the pairs or images counted so far, read once."""

    quota: Quota
    # The pairs asked so far; None without a quota of pairs.
    n_asked: int | None
    # The number of this annotator's images; None if nothing has counted them.
    n_images: int | None = None

    @property
    def has_all_pairs(self) -> bool:
        """Whether the quota of pairs is used up."""
        return self.n_asked is not None and self.n_asked >= (self.quota.max_pairs or 0)


def remaining_of(study: Study, annotator: User, quota: Quota) -> Remaining:
    return Remaining(quota, None if quota.max_pairs is None else n_asked(study, annotator))


def quota_of(study: Study, annotator: User) -> Quota:
    """Return an annotator's quota; false if there is none."""
    memberships = Membership.objects.filter(study=study, person=annotator, role=Role.ANNOTATOR)
    values = memberships.values_list("max_pairs", "max_images", "n_known").first()
    return Quota(*values) if values else Quota()


def n_asked(study: Study, annotator: User) -> int:
    """Return how many pairs an annotator has answered or skipped, known-answer pairs included."""
    answered, skipped = (
        of_kind.objects.filter(assignment=OuterRef("pk"), withdrawal__isnull=True)
        .order_by()
        .values("assignment")
        .annotate(n=Count("pk"))
        .values("n")
        for of_kind in (Judgement, Skip)
    )
    so_far = Case(
        When(
            state=Assignment.State.IN_WORK,
            then=Coalesce(Subquery(answered), 0) + Coalesce(Subquery(skipped), 0),
        ),
        default=F("n_answered") + F("n_skipped"),
        output_field=IntegerField(),
    )
    own = Assignment.objects.filter(study=study, annotator=annotator)
    return own.aggregate(n=Sum(so_far))["n"] or 0


def is_used_up(study: Study, annotator: User, remaining: Remaining) -> bool:
    """Return whether an annotator has reached the quota, so that no other image is taken up."""
    max_images = remaining.quota.max_images
    if remaining.n_asked is not None or max_images is None:
        return remaining.has_all_pairs
    ended = Assignment.objects.filter(study=study, annotator=annotator)
    return ended.exclude(state=Assignment.State.IN_WORK).count() >= max_images
