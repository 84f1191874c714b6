"""Properties by which reports split a study's images: its words, and how its results were seen."""

from statistics import median
from typing import Final

from django.db.models import Count, Q
from django.utils.translation import gettext_noop

from annotate.datasets.facts import TURNED_FROM, shape_of
from annotate.datasets.models import Image
from annotate.judging.models import Judgement
from annotate.studies.exclusions import programs
from annotate.studies.models import Study
from protocols.core.regions import decode_regions
from rankings.tuning.slices import ImageProperty

HEIGHT: Final = gettext_noop("Height of the words")
WORDS: Final = gettext_noop("Number of words")
TURNED: Final = gettext_noop("Rotated words")
SINGLE: Final = gettext_noop("Answers in single view")


def image_properties(study: Study) -> list[ImageProperty]:
    """Return the properties of the study's images by their ground truth and answers, in two queries.

    The height is the median over the words that count; an image without such words has neither a
    height nor a share of turned words. How results were seen is a property if any answer says it.
    """
    heights: dict[str, float | None] = {}
    words: dict[str, float | None] = {}
    turned: dict[str, float | None] = {}
    rows = Image.objects.filter(studies=study).values_list("name", "truth")
    for name, truth in rows.iterator():
        shapes = [shape_of(region.points) for region in decode_regions(truth) if not region.ignored]
        known = [height for height, _ in shapes if height is not None]
        n_turned = sum(angle > TURNED_FROM for _, angle in shapes)
        heights[name] = median(known) if known else None
        words[name] = len(shapes)
        turned[name] = 100 * n_turned / len(shapes) if shapes else None
    of_answers = _in_single_view(study)
    return [
        ImageProperty(HEIGHT, "px", heights),
        ImageProperty(WORDS, "", words),
        ImageProperty(TURNED, "%", turned),
        *([ImageProperty(SINGLE, "%", of_answers)] if of_answers else []),
    ]


def _in_single_view(study: Study) -> dict[str, float | None]:
    """Return the share of an image's answers that were given with one result in view at a time."""
    answers = Judgement.objects.filter(assignment__study=study, withdrawal__isnull=True)
    answers = answers.exclude(assignment__annotator__in=programs(study))
    of_image = answers.filter(layout__isnull=False).values_list("assignment__image__name")
    counted = of_image.annotate(n=Count("pk"), n_one=Count("pk", filter=Q(layout__panes="one")))
    return {name: 100 * n_one / n for name, n, n_one in counted}
