"""All scores of a dataset in one table: every method on every image by every protocol."""

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _

from annotate.csv_tables import as_csv
from annotate.datasets.models import Dataset
from annotate.reports.errors import TooLarge
from annotate.reports.snapshots import snapshot
from annotate.scoring.models import ProtocolRun, Score

from .columns import COLUMNS
from .rows import Row

# About ten seconds of a web process.
MAX_SCORES: Final = 1_000_000
_AT_A_TIME: Final = 2000
_OF_SCORES: Final = [column.name for column in COLUMNS["scores"]][3:-1]


def scores_of(dataset: Dataset, protocol: str = "") -> Iterator[bytes]:
    """Return the scores of the newest run of each protocol, or of one run, as CSV in pieces.

    Raises TooLarge if all are too many for one response and no run is named.
    """
    runs = list(dataset.runs.latest_of_each_protocol())
    n_scores = sum(run.n_scores or 0 for run in runs)
    if n_scores > MAX_SCORES and not protocol:
        refusal = _(
            "{dataset} has {n} scores, and above {most} they are sent by protocol: add "
            "?protocol= and its name."
        )
        raise TooLarge(refusal.format(dataset=dataset, n=n_scores, most=MAX_SCORES))
    return _content(dataset, [run for run in runs if protocol in ("", run.name)])


def _content(dataset: Dataset, runs: list[ProtocolRun]) -> Iterator[bytes]:
    with snapshot():
        for piece in as_csv(COLUMNS["scores"], _rows(dataset, runs)):
            yield piece.encode()


def _rows(dataset: Dataset, runs: list[ProtocolRun]) -> Iterator[Row]:
    """Yield a row for each score, by protocol, method and image; memory does not grow with them."""
    methods = list(dataset.methods.order_by("name"))
    for run in runs:
        for method in methods:
            scores = Score.objects.filter(run=run, result__method=method)
            in_order = scores.order_by("result__image__position", "result__image")
            values = in_order.values_list("result__image__name", *_OF_SCORES)
            for image, *numbers in values.iterator(_AT_A_TIME):
                yield {
                    "protocol": run.name,
                    "method": method.name,
                    "image": image,
                    **dict(zip(_OF_SCORES, numbers, strict=True)),
                    "signature": run.signature,
                }
