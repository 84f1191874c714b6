"""Quotas: the part of an annotator that ends after some pairs or images, with checks of its own."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Sum

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


def quota_of(study: Study, annotator: User) -> Quota:
    """Return an annotator's quota; false if there is none."""
    stored = vars(study)
    # The query that locks an answer's study reads them with it.
    if "n_checks_own" in stored:
        return Quota(stored["max_pairs"], stored["max_images"], stored["n_checks_own"])
    memberships = Membership.objects.filter(study=study, person=annotator, role=Role.ANNOTATOR)
    values = memberships.values_list("max_pairs", "max_images", "n_known").first()
    return Quota(*values) if values else Quota()


def n_asked(study: Study, annotator: User) -> int:
    """Return how many pairs an annotator has answered or skipped, known-answer pairs included."""
    own = Assignment.objects.filter(study=study, annotator=annotator)
    ended = own.exclude(state=Assignment.State.IN_WORK)
    counted = ended.aggregate(answered=Sum("n_answered"), skipped=Sum("n_skipped"))
    in_work = own.filter(state=Assignment.State.IN_WORK)
    events = (
        of_kind.objects.filter(assignment__in=in_work, withdrawal__isnull=True).count()
        for of_kind in (Judgement, Skip)
    )
    return (counted["answered"] or 0) + (counted["skipped"] or 0) + sum(events)


def is_used_up(study: Study, annotator: User) -> bool:
    """Return whether an annotator has reached the quota, so that no other image is taken up."""
    quota = quota_of(study, annotator)
    if quota.max_pairs is not None:
        return n_asked(study, annotator) >= quota.max_pairs
    if quota.max_images is not None:
        ended = Assignment.objects.filter(study=study, annotator=annotator)
        return ended.exclude(state=Assignment.State.IN_WORK).count() >= quota.max_images
    return False
