"""Facts about the ground truth of images: size, orientation, script and text of its words."""

import math
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from django.core.cache import cache

from annotate.csv_tables import some_at_a_time
from protocols.core.regions import Region

from .models import Dataset, Image, ImageFacts

# In degrees from the horizontal; words at larger angles count as rotated.
TURNED_FROM: Final = 10.0
_BATCH: Final = 1000


def fill_facts(dataset: Dataset) -> None:
    """Store the facts of the images that have none yet."""
    images = Image.objects.filter(dataset=dataset, facts=None).order_by().iterator(_BATCH)
    for batch in some_at_a_time(images, _BATCH):
        ImageFacts.objects.bulk_create(map(facts_of, batch), ignore_conflicts=True)
    cache.delete(_key(dataset))


def scripts_of(dataset: Dataset) -> list[str]:
    """Return the scripts of the words of a dataset, kept for minutes, or until facts are stored."""
    found: list[str] | None = cache.get(_key(dataset))
    if found is None:
        rows = ImageFacts.objects.filter(image__dataset=dataset).order_by()
        scripts = rows.values_list("scripts", flat=True).distinct()
        found = sorted({script for some in scripts for script in some.split()})
        cache.set(_key(dataset), found)
    return found


def _key(dataset: Dataset) -> str:
    return f"scripts-{dataset.pk}"


def facts_of(image: Image) -> ImageFacts:
    words = [region for region in image.truth_regions if not region.ignored]
    shapes = [shape_of(region.points) for region in words]
    heights = [height for height, _ in shapes if height is not None]
    return ImageFacts(
        image=image,
        n_words=len(words),
        height_px=median(heights) if heights else None,
        n_turned=sum(angle > TURNED_FROM for _, angle in shapes),
        scripts=_scripts(words),
        words="\n".join(region.text.lower() for region in words if region.text),
    )


def _scripts(words: Iterable[Region]) -> str:
    """Return the scripts of the letters, the first word of each letter's name in Unicode."""
    letters = {letter for region in words for letter in region.text or "" if letter.isalpha()}
    named = {unicodedata.name(letter, "").partition(" ")[0].lower() for letter in letters}
    # The prefix of full-width forms is no script.
    return f" {' '.join(sorted(named - {'', 'fullwidth', 'halfwidth'}))} "[:200]


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
