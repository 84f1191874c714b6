"""Filters and orders of images: by name, by ground truth, by how far protocols differ."""

import random
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from typing import Any, Final, NamedTuple

from django.core.cache import cache
from django.db.models import Count, Max

from annotate.datasets.mending import mended
from annotate.datasets.models import Dataset, Result
from annotate.scoring.models import Score

# Regions of larger datasets are not counted, because that takes too long.
MAX_LOOKED_AT: Final = 30_000
# Images times pairs of methods times protocols; about a second.
_MAX_COMPARED: Final = 2_000_000
_DAY: Final = 24 * 3600


class Fact(NamedTuple):
    """Properties of an image; ``n_regions`` and ``smallest_px`` are of ground truth that counts.

    None: not counted; for the smallest side also if there is no such region.
    """

    pk: int
    name: str
    has_photograph: bool
    n_regions: int | None
    smallest_px: float | None


def facts(dataset: Dataset) -> list[Fact]:
    """Return the facts of a dataset's images in order, cached until new data are loaded."""
    rows = dataset.images.aggregate(n=Count("pk"), last=Max("pk"))
    loads = dataset.imports.aggregate(last=Max("pk"), undone=Max("undone"))
    key = f"facts-{dataset.pk}-{_short((rows, loads, mended(dataset)))}"
    found: list[Fact] | None = cache.get(key)
    if found is None:
        found = _facts(dataset, with_regions=rows["n"] <= MAX_LOOKED_AT)
        cache.set(key, found, _DAY)
    return found


def _short(state: Any) -> str:
    return sha256(repr(state).encode()).hexdigest()


def _facts(dataset: Dataset, *, with_regions: bool) -> list[Fact]:
    fields = ("pk", "name", "sha256", *(("truth",) if with_regions else ()))
    return [
        Fact(pk, name, bool(photograph), *(_of_truth(*truth) if truth else (None, None)))
        for pk, name, photograph, *truth in dataset.images.in_order()
        .values_list(*fields)
        .iterator()
    ]


def _of_truth(truth: Mapping[str, Any]) -> tuple[int, float | None]:
    """Return the number of regions that count and the shorter side of the smallest one's box."""
    sides = [
        min(max(points[::2]) - min(points[::2]), max(points[1::2]) - min(points[1::2]))
        for region in truth["regions"]
        if not region.get("ignored")
        for points in [region["points"]]
    ]
    return len(sides), min(sides, default=None)


@dataclass(frozen=True)
class Filter:
    """Filter on images. None or empty means no constraint."""

    words: str = ""
    show: str = ""
    order: str = ""
    regions_from: int | None = None
    regions_to: int | None = None
    side_from: float | None = None
    side_to: float | None = None
    # Keys of images.
    among: Collection[int] | None = None


def passing(
    wanted: Filter,
    of_dataset: Sequence[Fact],
    *,
    comparable: set[int],
    chosen: set[int],
    apart: Mapping[int, float],
) -> list[Fact]:
    """Return the comparable images that pass a filter, in the order it specifies."""
    words = wanted.words.casefold()
    passed = [
        fact
        for fact in of_dataset
        if fact.pk in comparable
        and (wanted.among is None or fact.pk in wanted.among)
        and words in fact.name.casefold()
        and _is_between(fact.n_regions, wanted.regions_from, wanted.regions_to)
        and _is_between(fact.smallest_px, wanted.side_from, wanted.side_to)
        and _is_shown(wanted.show, fact, chosen)
    ]
    if wanted.order == "regions":
        passed.sort(key=lambda fact: -(fact.n_regions or 0))
    elif wanted.order == "small":
        passed.sort(key=lambda fact: (fact.smallest_px is None, fact.smallest_px))
    elif wanted.order == "apart":
        passed.sort(key=lambda fact: -apart.get(fact.pk, 0.0))
    return passed


def _is_between(value: float | None, least: float | None, most: float | None) -> bool:
    if least is None and most is None:
        return True
    if value is None:
        return False
    return (least is None or value >= least) and (most is None or value <= most)


def _is_shown(show: str, fact: Fact, chosen: set[int]) -> bool:
    if show == "chosen":
        return fact.pk in chosen
    if show == "left":
        return fact.pk not in chosen
    return show != "photograph" or fact.has_photograph


def at_random(images: Sequence[Fact], n: int, seed: int) -> list[int]:
    """Return n random images; equal seeds give equal images, whatever the order of display."""
    keys = sorted(fact.pk for fact in images)
    return sorted(random.Random(seed).sample(keys, min(n, len(keys))))  # nosec B311


def runs_to_compare(dataset: Dataset) -> list[int]:
    """Return the newest run of each protocol; none if there is only one, or too much to compare."""
    runs = list(dataset.runs.latest_of_each_protocol().values_list("pk", flat=True))
    n_images, n_methods = dataset.images.count(), dataset.methods.count()
    takes_long = n_images * n_methods**2 * len(runs) > 2 * _MAX_COMPARED
    return [] if len(runs) < 2 or takes_long else runs


def apart(dataset: Dataset, runs: Sequence[int]) -> dict[int, float]:
    """Return by image how often two protocols order two methods the opposite way.

    The share is over all pairs of protocols and pairs of methods, by F-score. It is cached, because
    large datasets take seconds.
    """
    key = f"apart-{dataset.pk}-{_short((runs, dataset.images.count(), dataset.methods.count()))}"
    found: dict[int, float] | None = cache.get(key)
    if found is None:
        found = apart_on(dataset.images.values("pk"), runs)
        cache.set(key, found, _DAY)
    return found


def apart_on(images: Any, runs: Sequence[int]) -> dict[int, float]:
    """Return the shares of `apart` for the images with these keys, without the cache."""
    results = Result.objects.filter(image__in=images)
    rows = Score.objects.filter(run__in=runs, result__in=results).order_by()
    # image -> method -> run -> F-score
    scores: dict[int, dict[int, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for image, method, run, *values in rows.values_list(
        "result__image", "result__method", "run", "f_score", "recall", "precision"
    ).iterator():
        f_score = _f_score(*values)
        if f_score is not None:
            scores[image][method][run] = f_score
    return {image: opposite_share(list(of_image.values())) for image, of_image in scores.items()}


def _f_score(f_score: float | None, recall: float | None, precision: float | None) -> float | None:
    """Return the F-score; if scores were imported without one, the harmonic mean."""
    if f_score is not None or recall is None or precision is None:
        return f_score
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def opposite_share(of_methods: Sequence[Mapping[int, float]]) -> float:
    """Return the share of pairs of methods that pairs of protocols order the opposite way.

    ``of_methods`` holds each method's F-score in each run. 0 if nothing can be compared.
    """
    n_opposite = n_compared = 0
    for one, other in combinations(of_methods, 2):
        runs = one.keys() & other.keys()
        up = sum(one[run] > other[run] for run in runs)
        down = sum(one[run] < other[run] for run in runs)
        n_opposite += up * down
        n_compared += len(runs) * (len(runs) - 1) // 2
    return n_opposite / n_compared if n_compared else 0.0
