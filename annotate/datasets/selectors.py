"""Contents of datasets: counts, made without reading regions, and the regions of some images."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any, Final, TypedDict

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import ngettext

from protocols.core.regions import Region, decode_regions
from text_rankings.base.counts import some_of

from .models import Dataset, Image, ImageQuerySet, Method, Result


class Totals(TypedDict):
    """Numbers of a method's results, boxes, empty results and results without a file."""

    n: int
    boxes: int
    empty: int
    without_file: int


# Photographs, and names of each, that a sentence lists.
_SOME: Final = 3
_NOTHING: Final = Totals(n=0, boxes=0, empty=0, without_file=0)


@dataclass(frozen=True)
class MethodCounts:
    """Counts of one method's results, and of the images that it was not evaluated on."""

    method: Method
    n_results: int
    n_boxes: int
    n_empty: int
    n_without_file: int
    n_not_evaluated: int


def with_counts(datasets: QuerySet[Dataset]) -> QuerySet[Dataset, Any]:
    """Add n_images and n_methods, counted separately because a join would multiply them."""
    return datasets.annotate(
        n_images=_counted(Image.objects.all()), n_methods=_counted(Method.objects.all())
    )


def _counted(rows: QuerySet[Any]) -> Coalesce:
    of_dataset = rows.filter(dataset=OuterRef("pk")).order_by().values("dataset")
    return Coalesce(Subquery(of_dataset.annotate(n=Count("pk")).values("n")), 0)


def method_counts(dataset: Dataset, n_images: int | None = None) -> list[MethodCounts]:
    n_images = dataset.images.count() if n_images is None else n_images
    return method_counts_of({dataset.pk: n_images})[dataset.pk]


def method_counts_of(n_images: Mapping[int, int]) -> dict[int, list[MethodCounts]]:
    """Return the counts of methods by dataset; ``n_images`` gives the numbers of images."""
    counts: dict[int, list[MethodCounts]] = {dataset: [] for dataset in n_images}
    methods = list(Method.objects.filter(dataset__in=n_images))
    totals = _totals(methods)
    for method in methods:
        of = totals[method.pk]
        counts[method.dataset_id].append(
            MethodCounts(
                method=method,
                n_results=of["n"],
                n_boxes=of["boxes"],
                n_empty=of["empty"],
                n_without_file=of["without_file"],
                n_not_evaluated=n_images[method.dataset_id] - of["n"],
            )
        )
    return counts


def _totals(methods: Iterable[Method]) -> Mapping[int, Totals]:
    """Return the stored counts by method, after counting the missing ones."""
    methods = list(methods)
    totals: dict[int, Totals] = {method.pk: method.totals or _NOTHING for method in methods}
    uncounted = [method.pk for method in methods if method.totals is None]
    if uncounted:
        rows = Result.objects.filter(method__in=uncounted).values("method").order_by()
        for row in rows.annotate(
            n=Count("pk"),
            boxes=Sum("n_regions"),
            empty=Count("pk", filter=Q(n_regions=0)),
            without_file=Count("pk", filter=Q(had_file=False)),
        ):
            totals[row["method"]] = Totals(
                n=row["n"],
                boxes=row["boxes"],
                empty=row["empty"],
                without_file=row["without_file"],
            )
    return totals


@dataclass(frozen=True)
class Cell:
    """The result of one method on one image, counted."""

    method: Method
    # None: not evaluated.
    n_boxes: int | None
    had_file: bool


@dataclass(frozen=True)
class Row:
    """One image of the matrix."""

    image: Image
    n_regions: int
    cells: Sequence[Cell]

    @property
    def n_boxes(self) -> int:
        return sum(cell.n_boxes or 0 for cell in self.cells)

    @property
    def n_missing(self) -> int:
        return sum(cell.n_boxes is None for cell in self.cells)


def matrix(images: Sequence[Image], methods: Sequence[Method]) -> list[Row]:
    """Return a row of the matrix for each image, with a cell for each method."""
    results = {
        (image, method): (n_regions, had_file)
        for image, method, n_regions, had_file in Result.objects.filter(
            image__in=images
        ).values_list("image", "method", "n_regions", "had_file")
    }
    return [
        Row(
            image,
            len(image.truth["regions"]),
            [
                Cell(method, *results.get((image.pk, method.pk), (None, False)))
                for method in methods
            ],
        )
        for image in images
    ]


def beside(image: Image) -> tuple[str | None, str | None]:
    """Return the names of the previous and the next image, in the order of the dataset."""
    others = Image.objects.filter(dataset=image.dataset_id).defer("truth")
    at = (image.position, image.pk)
    before = others.filter(Q(position__lt=at[0]) | Q(position=at[0], pk__lt=at[1]))
    after = others.filter(Q(position__gt=at[0]) | Q(position=at[0], pk__gt=at[1]))
    previous = before.order_by("-position", "-pk").values_list("name", flat=True).first()
    following = after.order_by("position", "pk").values_list("name", flat=True).first()
    return previous, following


def truths_of(dataset: Dataset, names: Sequence[str]) -> dict[str, tuple[Region, ...]]:
    """Return the ground truth of some images, in the order of these names."""
    truths = {image.name: image.truth_regions for image in dataset.images.filter(name__in=names)}
    return {name: truths[name] for name in names}


def results_on(
    dataset: Dataset, names: Sequence[str], n_methods: int
) -> dict[str, dict[str, tuple[Region, ...]]]:
    """Return the detections of the first methods on some images, by method and image."""
    methods = list(dataset.methods.all()[:n_methods])
    found: dict[str, dict[str, tuple[Region, ...]]] = {method.name: {} for method in methods}
    rows = Result.objects.filter(method__in=methods, image__name__in=names)
    for method, image, regions in rows.values_list("method__name", "image__name", "regions"):
        found[method][image] = decode_regions(regions)
    return found


@dataclass(frozen=True)
class Holdings:
    """Regions of some images of a dataset, true and found; numbers of images and photographs."""

    n_images: int
    n_photographs: int
    n_looked_at: int
    # Methods that have results.
    methods: Sequence[Method]
    truths: Sequence[Region]
    # By the key of the method.
    found_by: Mapping[int, Sequence[Region]]

    @property
    def found(self) -> Iterator[Region]:
        return chain.from_iterable(self.found_by.values())


# Sample sizes: images for the ground truth, and results of all methods together.
_MAX_LOOKED_AT: Final = 200
_MAX_RESULTS_LOOKED_AT: Final = 600


def holdings(dataset: Dataset) -> Holdings:
    """Inspect a random sample of a dataset's images, and of the results on them.

    The same images are drawn each time.
    """
    n_images = dataset.images.count()
    looked_at = dict(some_images(dataset, n_images, _MAX_LOOKED_AT).values_list("pk", "truth"))
    methods = list(dataset.methods.filter(Exists(Result.objects.filter(method=OuterRef("pk")))))
    most = max(1, _MAX_RESULTS_LOOKED_AT // max(1, len(methods)))
    some = random.Random(n_images).sample(list(looked_at), min(most, len(looked_at)))  # nosec B311
    found_by: dict[int, list[Region]] = {method.pk: [] for method in methods}
    results = Result.objects.filter(method__in=methods, image__in=some)
    for method, regions in results.values_list("method", "regions"):
        found_by[method] += decode_regions(regions)
    return Holdings(
        n_images,
        n_images - dataset.images.filter(sha256="").count(),
        len(looked_at),
        methods,
        [region for truth in looked_at.values() for region in decode_regions(truth)],
        found_by,
    )


def some_images(dataset: Dataset, n_images: int, most: int) -> ImageQuerySet:
    """Return all images of a small dataset, or a random sample of a larger one, in order.

    Without reading the others; the same images are drawn each time.
    """
    images = dataset.images.in_order()
    if n_images <= most:
        return images
    last = images.aggregate(last=Max("position"))["last"]
    drawn = random.Random(n_images).sample(range(last + 1), min(most, last + 1))  # nosec B311
    return images.filter(position__in=drawn)


def said_of_same_photographs(images: QuerySet[Image]) -> str:
    """Return a sentence on images that show one photograph; empty if there are none."""
    # Apart from the annotations that the images may come with.
    shown = Image.objects.filter(pk__in=images.order_by().values("pk")).exclude(sha256="")
    counted = shown.values("sha256").annotate(n=Count("pk")).filter(n__gt=1).order_by("sha256")
    same = list(counted.values_list("sha256", flat=True))
    if not same:
        return ""
    names = shown.filter(sha256__in=same[: _SOME + 1]).order_by("sha256", "name")
    by_photograph = groupby(names.values_list("sha256", "name"), itemgetter(0))
    some = some_of(
        [", ".join(name for _, name in islice(of, _SOME)) for _, of in by_photograph], _SOME, "; "
    )
    return ngettext(
        "{n} photograph has two or more names, so that people judge it more than once: {some}.",
        "{n} photographs have two or more names, so that people judge them more than once: {some}.",
        len(same),
    ).format(n=len(same), some=some)
