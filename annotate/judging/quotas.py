"""Quotas: the part of an annotator that ends after some pairs or images, with checks of its own."""

from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.db.models.expressions import RawSQL

from annotate.prepared_sql import PAIRS_ASKED
from annotate.studies.models import Membership, Role, Study

from .models import Assignment


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
    # The number of this annotator's images; None if not counted.
    n_images: int | None = None
    # Whether each known-answer pair was answered rightly, oldest first; None if not read.
    known: tuple[bool, ...] | None = None

    @property
    def has_all_pairs(self) -> bool:
        """Whether the quota of pairs is used up."""
        return self.n_asked is not None and self.n_asked >= (self.quota.max_pairs or 0)

    @property
    def after_one_more(self) -> "Remaining":
        return self if self.n_asked is None else replace(self, n_asked=self.n_asked + 1)


def remaining_of(study: Study, annotator: User) -> Remaining:
    """Return an annotator's quota, which is false if there is none, and what is used up of it."""
    memberships = Membership.objects.filter(study=study, person=annotator, role=Role.ANNOTATOR)
    columns = ("max_pairs", "max_images", "n_known", asked_so_far(study, annotator))
    *values, n = memberships.order_by().values_list(*columns).first() or (None,) * len(columns)
    quota = Quota(*values)
    return Remaining(quota, None if quota.max_pairs is None else n)


def n_asked(study: Study, annotator: User) -> int:
    """Return how many pairs an annotator has answered or skipped, known-answer pairs included."""
    own = Study.objects.filter(pk=study.pk).annotate(n_asked=asked_so_far(study, annotator))
    n: int = own.values_list("n_asked", flat=True).get()
    return n


def asked_so_far(study: Study, annotator: User) -> RawSQL:
    """Return n_asked() as an expression of another query."""
    return RawSQL(PAIRS_ASKED, (study.pk, annotator.pk))  # nosec B611


def is_used_up(study: Study, annotator: User, remaining: Remaining) -> bool:
    """Return whether an annotator has reached the quota, so that no other image is taken up."""
    max_images = remaining.quota.max_images
    if remaining.n_asked is not None or max_images is None:
        return remaining.has_all_pairs
    ended = Assignment.objects.filter(study=study, annotator=annotator)
    return ended.exclude(state=Assignment.State.IN_WORK).count() >= max_images
