"""Properties by which reports split a study's images: size of text, words, orientation."""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from annotate.datasets.models import Image
from annotate.studies.models import Study
from protocols.core.regions import decode_regions
from rankings.tuning.slices import ImageProperty
from text_rankings.base.i18n import gettext_noop

HEIGHT: Final = gettext_noop("Height of the words")
WORDS: Final = gettext_noop("Number of words")
TURNED: Final = gettext_noop("Rotated words")
# In degrees from the horizontal; words at larger angles count as rotated.
_TURNED_FROM: Final = 10.0


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
        n_turned = sum(angle > _TURNED_FROM for _, angle in shapes)
        heights[name] = median(known) if known else None
        words[name] = len(shapes)
        turned[name] = 100 * n_turned / len(shapes) if shapes else None
    return [
        ImageProperty(HEIGHT, "px", heights),
        ImageProperty(WORDS, "", words),
        ImageProperty(TURNED, "%", turned),
    ]


def shape_of(points: Sequence[float]) -> tuple[float | None, float]:
    """Return a word's height, its area over the length of its upper line, and its angle in degrees.

    The first half of the points is the upper line, as is usual in files of the field. The angle is
    between the horizontal and the line from its first to its last point, in [0, 90]. If the upper
    line has no length, the height is None.
    """
    corners = list(zip(points[::2], points[1::2], strict=True))
    following = [*corners[1:], corners[0]]
    area = abs(
        sum(
            x * next_y - next_x * y
            for (x, y), (next_x, next_y) in zip(corners, following, strict=True)
        )
    )
    upper = corners[: max(2, len(corners) // 2)]
    length = sum(math.dist(a, b) for a, b in pairwise(upper))
    angle = abs(math.degrees(math.atan2(upper[-1][1] - upper[0][1], upper[-1][0] - upper[0][0])))
    return (area / 2 / length if length else None), min(angle, 180 - angle)
