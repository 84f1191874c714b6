"""What of a study's answers counts in its reports."""

from typing import Final

from django.db.models import QuerySet

from annotate.datasets.models import Image, ImageQuerySet
from annotate.judging.known import tallies_of_people
from annotate.judging.models import Assignment
from annotate.studies.exclusions import left_out
from annotate.studies.models import Study
from annotate.studies.pseudonyms import pseudonyms
from engine.words import gettext_noop

_LEFT_OUT: Final = gettext_noop("{name} since {day}: {why}")
_KNOWN: Final = gettext_noop("{name}: {reason}")


def images_of(study: Study) -> ImageQuerySet:
    return Image.objects.filter(studies=study).in_order()


def ranked_images(study: Study) -> ImageQuerySet:
    """Return the images of which a ranking counts."""
    return images_of(study).filter(pk__in=counted_assignments(study).values("image"))


def counted_assignments(study: Study) -> QuerySet[Assignment]:
    """Return the complete rankings that count: of all methods, and not of people who are left out."""
    return counted_visits(study).filter(drawn__isnull=True)


def counted_visits(study: Study) -> QuerySet[Assignment]:
    """Return all that counts: complete rankings, and visits that asked methods that were drawn."""
    complete = Assignment.objects.filter(study=study, state=Assignment.State.COMPLETE)
    return complete.exclude(annotator__in=left_out(study))


def people_left_out(study: Study) -> list[str]:
    """Name who is left out of the reports, since when and why, under pseudonyms."""
    excluded = left_out(study)
    names = pseudonyms(study) if excluded else {}
    return [
        _LEFT_OUT.format(
            name=name, day=f"{excluded[person].since:%Y-%m-%d}", why=excluded[person].reason
        )
        for person, name in names.items()
        if person in excluded
    ]


def known_answers(study: Study) -> list[str]:
    """Say under pseudonyms how often each annotator was right where the answer is known."""
    tallies = tallies_of_people(study)
    names = pseudonyms(study) if tallies else {}
    return [
        _KNOWN.format(name=name, reason=tallies[person])
        for person, name in names.items()
        if person in tallies
    ]
