"""First visits for the researchers of a study, and its size for those who begin."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.judging.annotator_summary import in_words
from annotate.judging.image_allocation import n_images_of
from annotate.judging.models import CRITERION_NAMES
from annotate.studies.models import Role, Study

from .models import FirstVisit
from .services import Practice


@dataclass(frozen=True)
class PracticeResult:
    """One annotator's consent and practice; ``is_flagged`` is the note to the researcher."""

    person: User
    consented: datetime
    finished: datetime | None
    outcome: str  # in words
    is_flagged: bool
    # One text for each complete round: "Recall 6 of 6, Precision 4 of 6".
    rounds: tuple[str, ...]


def practice_results(study: Study) -> list[PracticeResult]:
    """Return the first visits to a study by user name. They are no part of its results."""
    visits = study.first_visits.select_related("annotator").order_by("annotator__username")
    return [
        PracticeResult(
            person=visit.annotator,
            consented=visit.consented,
            finished=visit.finished,
            outcome=visit.get_practice_display(),
            is_flagged=visit.practice == FirstVisit.Practice.NOT_PASSED,
            rounds=tuple(
                ", ".join(
                    _("{criterion} {n} of {total}").format(
                        criterion=CRITERION_NAMES[criterion], n=n, total=practised.n_answered
                    )
                    for criterion, n in practised.n_right.items()
                )
                for practised in Practice(visit).complete_rounds
            ),
        )
        for visit in visits
    ]


def contacts(study: Study) -> list[User]:
    """Return the researchers of a study, whom annotators may ask."""
    return list(
        User.objects.filter(
            memberships__study=study, memberships__role=Role.RESEARCHER, is_active=True
        ).order_by("username")
    )


@dataclass(frozen=True)
class Size:
    """A rough estimate of the work that a study is for one annotator."""

    n_images: int
    n_pairs: int  # pairs that an image usually needs in total
    minutes_an_image: int

    @property
    def hours(self) -> str:
        """The time for all images together, in words."""
        return in_words(self.n_images * self.minutes_an_image)

    @property
    def sentence(self) -> str:
        n_images = ngettext("{n} image", "{n} images", self.n_images).format(n=self.n_images)
        n_pairs = ngettext("{n} pair", "{n} pairs", self.n_pairs).format(n=self.n_pairs)
        minutes = ngettext("{n} minute", "{n} minutes", self.minutes_an_image)
        return _(
            "Then come {images}, each with roughly {pairs} and {minutes}: about {hours} in all, in as "
            "many sittings as you like."
        ).format(
            images=n_images,
            pairs=n_pairs,
            minutes=minutes.format(n=self.minutes_an_image),
            hours=self.hours,
        )


_SECONDS_A_PAIR = 12


def size(study: Study, annotator: User) -> Size:
    # All methods, or those that are drawn for one visit.
    n_methods = study.methods.count()
    n_methods = min(study.methods_per_visit or n_methods, n_methods)
    # The k-th result is placed among k - 1 by halving; the three criteria rarely part ways.
    n_pairs = sum((k - 1).bit_length() for k in range(2, n_methods + 1))
    minutes = max(1, round(n_pairs * _SECONDS_A_PAIR / 60))
    return Size(n_images_of(study, annotator), n_pairs, minutes)
