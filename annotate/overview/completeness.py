"""Completeness of a dataset: missing images, methods, results of a method, scores of a protocol."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count

from annotate.datasets import selectors
from annotate.datasets.models import Dataset


@dataclass(frozen=True)
class RunCounts:
    """The number of results that one run of a protocol has scored."""

    name: str
    n_scores: int
    n_results: int

    @property
    def percent(self) -> int:
        """Rounded down: 100 only if every result has a score."""
        return 100 * self.n_scores // self.n_results if self.n_results else 0


def run_counts(dataset: Dataset, n_results: int) -> list[RunCounts]:
    """The newest run of each protocol, with the share of the results it has scored."""
    runs = list(dataset.runs.latest_of_each_protocol())
    uncounted = [run.pk for run in runs if run.n_scores is None]
    counted: dict[int, int] = {}
    if uncounted:
        rows = dataset.runs.filter(pk__in=uncounted).order_by()
        counted = dict(rows.annotate(n=Count("scores")).values_list("pk", "n"))
    return [
        RunCounts(
            run.name, counted.get(run.pk, 0) if run.n_scores is None else run.n_scores, n_results
        )
        for run in runs
    ]


@dataclass(frozen=True)
class Completeness:
    """The completeness of a dataset, in a word and in sentences."""

    word: str
    lacks: Sequence[str]

    @property
    def is_complete(self) -> bool:
        return not self.lacks


def completeness(
    n_images: int, methods: Sequence[selectors.MethodCounts], runs: Sequence[RunCounts]
) -> Completeness:
    """Say what a dataset lacks: images, methods, results of a method, scores of a protocol."""
    lacks = []
    if not n_images:
        lacks.append("It has no images.")
    if not methods:
        lacks.append("No method has results on it.")
    for row in methods:
        if row.n_not_evaluated:
            lacks.append(f"{row.method.name} was not evaluated on {row.n_not_evaluated} images.")
    if methods and not runs:
        lacks.append("No protocol has scored it.")
    for run in runs:
        if run.n_scores < run.n_results:
            lacks.append(f"{run.name} lacks {run.n_results - run.n_scores} scores.")
    if not lacks:
        return Completeness("complete", ())
    return Completeness("empty" if not n_images or not methods else "incomplete", lacks)


def completeness_of(datasets: Iterable[Dataset]) -> dict[int, Completeness]:
    """Of datasets that were counted (with_counts) whether anything is missing."""
    return {
        dataset.pk: completeness(
            dataset.n_images,  # type: ignore[attr-defined]  # of with_counts
            methods,
            run_counts(dataset, sum(row.n_results for row in methods)),
        )
        for dataset in datasets
        for methods in [selectors.method_counts(dataset, dataset.n_images)]  # type: ignore[attr-defined]  # of with_counts
    }
