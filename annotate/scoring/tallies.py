"""Sums of protocols over images, read from their scores."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from django.db.models import QuerySet

from annotate.datasets.models import ImageQuerySet, Method
from rankings.detectors.tallies import Tallies, tallies_of_rows

from .models import TALLY, ProtocolRun, Score

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
    while some := list(islice(rows, _AT_ONCE)):
        yield some
