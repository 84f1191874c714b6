"""Leaderboards of a run: the methods by each figure, kept until the run's scores change.

All that stores scores computes them, because a page of 10,000 images could not in its time.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.core.cache import cache
from django.db.models import QuerySet

from annotate.csv_tables import some_at_a_time
from annotate.datasets.models import Dataset, ImageQuerySet, Method
from protocols.registry import PROTOCOLS
from rankings.detectors.leaderboard import Leaderboard, leaderboard
from rankings.detectors.tallies import Tallies, evaluated, tallies_of_rows

from .models import TALLY, ProtocolRun, Score

FIGURES: Final = ("f_score", "recall", "precision")
_YEAR: Final = 365 * 24 * 3600


def newest_runs(dataset: Dataset) -> list[ProtocolRun]:
    """Return the newest run of each name that has scored a result, in the order of the protocols."""
    place = {slug: at for at, slug in enumerate(PROTOCOLS)}
    runs = dataset.runs.latest_of_each_protocol().select_related("dataset")
    scored = [run for run in runs if run.n_scores != 0]
    return sorted(scored, key=lambda run: (place.get(run.protocol, len(place)), run.name))


def leaderboards_of(run: ProtocolRun, *, shared_only: bool = False) -> Mapping[str, Leaderboard]:
    """Return the leaderboard of each of FIGURES; computed again only if the run has changed.

    A run computed here shows its official figures. The figures of an imported run are means over
    the images where they are defined. ``shared_only`` counts the images of all methods alone.
    """
    key = f"leaderboards-of-sets-{run.pk}-{run.n_scores}"
    found: dict[bool, Mapping[str, Leaderboard]] | None = cache.get(key)
    if found is None:
        found = _computed(run)
        cache.set(key, found, _YEAR)
    return found[shared_only]


def _computed(run: ProtocolRun) -> dict[bool, Mapping[str, Leaderboard]]:
    is_imported = run.origin == ProtocolRun.Origin.IMPORTED
    tallies = protocol_tallies(run.dataset.images.all(), run.dataset.methods.all(), [run])
    # Without the methods that were loaded after the run.
    scored = tallies.scored_by(run.name) if is_imported else sorted(run.overall)
    own = tallies.of(tallies.images, [run.name], scored)
    is_evaluated = own.is_scored[:, 0]
    if run.name not in tallies.protocols:
        # It has no sums, only official figures.
        scores = run.scores.values_list("result__image__name", "result__method__name")
        is_evaluated = evaluated(own, scores)
    return {
        shared_only: {
            figure: leaderboard(
                own.sums[:, 0],
                scored,
                figure,
                official=None if is_imported else [run.overall[name][figure] for name in scored],
                is_evaluated=is_evaluated,
                shared_only=shared_only,
            )
            for figure in FIGURES
        }
        for shared_only in (False, True)
    }


_AT_ONCE: Final = 20_000


def protocol_tallies(
    images: ImageQuerySet, methods: QuerySet[Method], runs: Sequence[ProtocolRun]
) -> Tallies:
    """Return the sums of methods over images by run name.

    A run that was computed here has the sums of its official figures. An imported one has only
    scores: its figures are means over the images where they are defined.
    """
    return tallies_of_rows(
        dict(images.in_order().values_list("pk", "name")),
        {run.pk: run.name for run in runs},
        dict(methods.order_by("name").values_list("pk", "name")),
        _batches(images, methods, runs),
        means=[run.pk for run in runs if run.origin == ProtocolRun.Origin.IMPORTED],
    )


def _batches(
    images: ImageQuerySet, methods: QuerySet[Method], runs: Sequence[ProtocolRun]
) -> Iterator[list[Any]]:
    rows = (
        Score.objects.filter(
            run__in=[run.pk for run in runs],
            result__method__in=methods,
            result__image__in=images,
        )
        .values_list("result__image", "run", "result__method", "recall", "precision", *TALLY)
        .iterator(_AT_ONCE)
    )
    return some_at_a_time(rows, _AT_ONCE)
