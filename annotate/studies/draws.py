"""Draws of a study: methods of a visit, and by its seed images with whole rankings or more annotators."""

import random
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from .models import Study, StudyImage

_AT_ONCE: Final = 500
# Parts of seeds.
_WHOLE: Final = "whole"


def n_methods_of_visit(study: Study) -> int:
    """Return how many methods a visit asks about: those drawn, or all that the study has."""
    n_methods = study.methods.count()
    return min(study.methods_per_visit or n_methods, n_methods)


@transaction.atomic
def draw_images(study: Study) -> None:
    """Draw the images on which all methods are ranked, and those that more people see."""
    images = study.study_images.order_by("image")
    images.update(asks_all=False, n_annotators=None)
    keys = list(images.values_list("pk", flat=True))
    if study.methods_per_visit is not None:
        _mark(study, keys, _WHOLE, study.whole_percent, asks_all=True)
    _mark(
        study,
        keys,
        "agreement",
        study.agreement_percent,
        n_annotators=study.agreement_annotators,
    )


def _mark(study: Study, keys: list[int], what: str, percent: int, **marks: Any) -> None:
    # Any share above 0 draws at least one image.
    n = max(round(len(keys) * percent / 100), 1) if percent else 0
    drawn = random.Random(f"{study.seed}/{what}").sample(keys, n)
    for start in range(0, n, _AT_ONCE):
        StudyImage.objects.filter(pk__in=drawn[start : start + _AT_ONCE]).update(**marks)


def in_words(study: Study) -> list[str]:
    """Describe the pairs of a visit, and the images with whole rankings or more annotators."""
    sentences = []
    if (k := study.methods_per_visit) is not None:
        sentences.append(
            ngettext(
                "A visit asks about {n} pair of an image, drawn {how}.",
                "A visit asks about {n} methods of an image, drawn {how}.",
                1 if k == 2 else k,
            ).format(n=1 if k == 2 else k, how=study.get_drawn_by_display())
        )
        if study.whole_percent:
            n = study.study_images.filter(asks_all=True).count()
            sentences.append(
                ngettext(
                    "On {n} image all methods are ranked.",
                    "On {n} images all methods are ranked.",
                    n,
                ).format(n=n)
            )
    if study.agreement_percent:
        n = study.study_images.filter(n_annotators__isnull=False).count()
        sentences.append(
            ngettext(
                "{n} image goes to {people} people.", "{n} images go to {people} people.", n
            ).format(n=n, people=study.agreement_annotators)
        )
        if study.max_annotators == 1:
            # The first people may all be on all of these images; each then takes one more.
            most = study.agreement_annotators + n
            sentences.append(
                _(
                    "These images connect {most} annotators for certain; for more people, let more "
                    "images go to several."
                ).format(most=most)
            )
    return sentences
