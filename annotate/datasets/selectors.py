"""What a dataset holds, counted."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from .models import Dataset, Method, Result


@dataclass(frozen=True)
class MethodCounts:
    """How much of a dataset one method was evaluated on."""

    method: Method
    n_results: int
    n_boxes: int
    n_empty: int
    n_without_file: int
    n_not_evaluated: int


def with_counts(datasets: QuerySet[Dataset]) -> QuerySet[Dataset, Any]:
    """Add n_images and n_methods, counted apart so that they do not multiply."""
    return datasets.annotate(
        n_images=Count("images", distinct=True), n_methods=Count("methods", distinct=True)
    )


def method_counts(dataset: Dataset) -> list[MethodCounts]:
    n_images = dataset.images.count()
    counts = {
        row["method"]: row
        for row in Result.objects.filter(method__dataset=dataset)
        .values("method")
        .annotate(
            n=Count("pk"),
            boxes=Sum("n_regions"),
            empty=Count("pk", filter=Q(n_regions=0)),
            without_file=Count("pk", filter=Q(had_file=False)),
        )
    }
    nothing = {"n": 0, "boxes": 0, "empty": 0, "without_file": 0}
    return [
        MethodCounts(
            method=method,
            n_results=row["n"],
            n_boxes=row["boxes"],
            n_empty=row["empty"],
            n_without_file=row["without_file"],
            n_not_evaluated=n_images - row["n"],
        )
        for method in dataset.methods.all()
        for row in [counts.get(method.pk, nothing)]
    ]
