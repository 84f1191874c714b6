"""Completeness of a dataset: missing images, methods, results of a method, scores of a protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate.datasets import selectors
from annotate.datasets.models import Dataset
from annotate.scoring.models import ProtocolRun
from protocols import registry
from protocols.core.fitting import needed_of_results


@dataclass(frozen=True)
class RunCounts:
    """The number of results that one run of a protocol has scored."""

    name: str
    n_scores: int
    n_results: int
    # It needs something of results, such as confidences, and leaves out methods without it.
    leaves_out: bool = False

    @property
    def percent(self) -> int:
        """The percentage of scored results, rounded down: 100 only if all have a score."""
        return 100 * self.n_scores // self.n_results if self.n_results else 0


def run_counts(dataset: Dataset, n_results: int) -> list[RunCounts]:
    """Return the newest run of each protocol, with the share of the results it has scored."""
    return run_counts_of({dataset.pk: n_results})[dataset.pk]


def run_counts_of(n_results: Mapping[int, int]) -> dict[int, list[RunCounts]]:
    """Return `run_counts` of several datasets; ``n_results`` gives their numbers by key."""
    runs = list(ProtocolRun.objects.filter(dataset__in=n_results).latest_of_each_protocol())
    uncounted = [run.pk for run in runs if run.n_scores is None]
    n_scores = {run.pk: run.n_scores or 0 for run in runs}
    if uncounted:
        rows = ProtocolRun.objects.filter(pk__in=uncounted).order_by()
        n_scores |= dict(rows.annotate(n=Count("scores")).values_list("pk", "n"))
    counts: dict[int, list[RunCounts]] = {dataset: [] for dataset in n_results}
    for run in runs:
        protocol = registry.PROTOCOLS.get(run.protocol)
        leaves_out = bool(protocol and needed_of_results(protocol()))
        of_dataset = RunCounts(run.name, n_scores[run.pk], n_results[run.dataset_id], leaves_out)
        counts[run.dataset_id].append(of_dataset)
    return counts


_WORDS: Final = {
    "complete": gettext_lazy("complete"),
    "incomplete": gettext_lazy("incomplete"),
    "unscored": gettext_lazy("not scored yet"),
    "empty": gettext_lazy("empty"),
}


@dataclass(frozen=True)
class Completeness:
    """The completeness of a dataset, in a word and in sentences."""

    state: str
    lacks: Sequence[str]

    @property
    def word(self) -> str:
        return str(_WORDS[self.state])

    @property
    def is_complete(self) -> bool:
        return self.state == "complete"


def completeness(
    n_images: int, methods: Sequence[selectors.MethodCounts], runs: Sequence[RunCounts]
) -> Completeness:
    """Return whether a dataset is complete, with a sentence about each missing part."""
    lacks = []
    if not n_images:
        lacks.append(_("It has no images."))
    if not methods:
        lacks.append(_("No method has results on it."))
    for row in methods:
        if row.n_not_evaluated:
            lacks.append(
                ngettext(
                    "{name} was not evaluated on {n} image.",
                    "{name} was not evaluated on {n} images.",
                    row.n_not_evaluated,
                ).format(name=row.method.name, n=row.n_not_evaluated)
            )
    sizes = [row.n_results for row in methods]
    for run in runs:
        if run.n_scores >= run.n_results:
            continue
        if run.leaves_out and not _are_whole_methods(run.n_scores, sizes):
            words = _("{name} has scored {n} of {total} results.")
            lacks.append(words.format(name=run.name, n=run.n_scores, total=run.n_results))
        elif not run.leaves_out:
            n = run.n_results - run.n_scores
            lacks.append(
                ngettext(
                    "{name} has no score for {n} image.", "{name} has no score for {n} images.", n
                ).format(name=run.name, n=n)
            )
    if not lacks:
        return Completeness("complete" if runs else "unscored", ())
    return Completeness("empty" if not n_images or not methods else "incomplete", lacks)


def _are_whole_methods(n_scores: int, sizes: Sequence[int]) -> bool:
    """Return whether so many scores can be all results of some methods, which have these numbers."""
    reached = 1  # bit n: n results are all those of some methods
    for size in sizes:
        reached |= reached << size
    return bool(reached >> n_scores & 1)


def completeness_of(n_images: Mapping[int, int]) -> dict[int, Completeness]:
    """Return the completeness of datasets; ``n_images`` gives their numbers of images by key."""
    methods = selectors.method_counts_of(n_images)
    n_results = {
        dataset: sum(row.n_results for row in of_dataset) for dataset, of_dataset in methods.items()
    }
    runs = run_counts_of(n_results)
    return {
        dataset: completeness(n, methods[dataset], runs[dataset]) for dataset, n in n_images.items()
    }
