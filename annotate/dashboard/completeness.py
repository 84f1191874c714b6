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
from annotate.scoring.services import outdated
from protocols import registry
from protocols.core.fitting import needed_of_results


@dataclass(frozen=True)
class RunCounts:
    """The number of results that one run of a protocol has scored.

    ``n_due`` are those that it can score: some protocols leave out methods without confidences, for
    example.
    """

    name: str
    n_scores: int
    n_results: int
    n_due: int
    # Why its scores may differ if computed again, as a sentence.
    outdated: str = ""

    @property
    def percent(self) -> int:
        """The percentage of scored results, rounded down: 100 only if all have a score."""
        return 100 * self.n_scores // self.n_results if self.n_results else 0


def run_counts(dataset: Dataset, methods: Sequence[selectors.MethodCounts]) -> list[RunCounts]:
    """Return the newest run of each protocol, with the share of the results it has scored."""
    return run_counts_of({dataset.pk: methods})[dataset.pk]


def run_counts_of(
    methods: Mapping[int, Sequence[selectors.MethodCounts]],
) -> dict[int, list[RunCounts]]:
    """Return `run_counts` of several datasets; ``methods`` gives their methods by key."""
    newest = ProtocolRun.objects.filter(dataset__in=methods).latest_of_each_protocol()
    runs = list(newest.select_related("dataset"))
    old = outdated(runs)
    uncounted = [run.pk for run in runs if run.n_scores is None]
    n_scores = {run.pk: run.n_scores or 0 for run in runs}
    if uncounted:
        rows = ProtocolRun.objects.filter(pk__in=uncounted).order_by()
        n_scores |= dict(rows.annotate(n=Count("scores")).values_list("pk", "n"))
    counts: dict[int, list[RunCounts]] = {dataset: [] for dataset in methods}
    for run in runs:
        sizes = {row.method.name: row.n_results for row in methods[run.dataset_id]}
        protocol = registry.PROTOCOLS.get(run.protocol)
        leaves_out = protocol is not None and needed_of_results(protocol())
        due = run.overall if leaves_out else sizes
        n_due = sum(sizes.get(name, 0) for name in due)
        of_run = RunCounts(
            run.name, n_scores[run.pk], sum(sizes.values()), n_due, old.get(run.pk, "")
        )
        counts[run.dataset_id].append(of_run)
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
    """Return whether a dataset is complete, with a sentence about each missing part.

    It is if every method has a result on every image, and every run a score of all results that are due.
    """
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
    for run in runs:
        if run.n_scores < run.n_due:
            words = _("{name} has scored {n} of {total} results.")
            lacks.append(words.format(name=run.name, n=run.n_scores, total=run.n_due))
        if run.outdated:
            lacks.append(run.outdated)
    if not lacks:
        return Completeness("complete" if runs else "unscored", ())
    return Completeness("empty" if not n_images or not methods else "incomplete", lacks)


def completeness_of(n_images: Mapping[int, int]) -> dict[int, Completeness]:
    """Return the completeness of datasets; ``n_images`` gives their numbers of images by key."""
    methods = selectors.method_counts_of(n_images)
    runs = run_counts_of(methods)
    return {
        dataset: completeness(n, methods[dataset], runs[dataset]) for dataset, n in n_images.items()
    }
