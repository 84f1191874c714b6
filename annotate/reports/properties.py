"""Properties by which reports split a study's images: size of text, words, orientation."""

from statistics import median
from typing import Final

from django.utils.translation import gettext_noop

from annotate.datasets.facts import TURNED_FROM, shape_of
from annotate.datasets.models import Image
from annotate.studies.models import Study
from protocols.core.regions import decode_regions
from rankings.tuning.slices import ImageProperty

HEIGHT: Final = gettext_noop("Height of the words")
WORDS: Final = gettext_noop("Number of words")
TURNED: Final = gettext_noop("Rotated words")


def image_properties(study: Study) -> list[ImageProperty]:
    """Return the properties of the study's images by their ground truth, in one query.

    The height is the median over the words that count; an image without such words has neither a
    height nor a share of turned words.
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
    return [
        ImageProperty(HEIGHT, "px", heights),
        ImageProperty(WORDS, "", words),
        ImageProperty(TURNED, "%", turned),
    ]
