"""Sums of a study's protocols over its images, read from their scores."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from annotate.datasets.models import Image
from annotate.scoring.models import TALLY, ProtocolRun, Score
from annotate.studies.models import Study
from rankings.detectors.tallies import Tallies, tallies_of_rows
from text_rankings.base.i18n import gettext_noop

WITHOUT_SUMS: Final = gettext_noop("it was scored before sums were kept; score it again")
_AT_ONCE: Final = 20_000


def protocol_tallies(
    study: Study, runs: Sequence[ProtocolRun]
) -> tuple[Tallies, list[tuple[str, str]]]:
    """Return the sums of the study's methods on its images by the runs' names, and who has none, and why.

    A run that was computed here has the sums of its official figures. Of an imported one only scores are
    known: its figures are means over the images where they are defined.
    """
    tallies, without = tallies_of_rows(
        dict(Image.objects.filter(studies=study).in_order().values_list("pk", "name")),
        {run.pk: run.name for run in runs},
        dict(study.methods.order_by("name").values_list("pk", "name")),
        _batches(study, runs),
        means=[run.pk for run in runs if run.origin == ProtocolRun.Origin.IMPORTED],
    )
    return tallies, [(name, WITHOUT_SUMS) for name in without]


def _batches(study: Study, runs: Sequence[ProtocolRun]) -> Iterator[list[Any]]:
    rows = (
        Score.objects.filter(
            run__in=[run.pk for run in runs],
            result__method__in=study.methods.all(),
            result__image__in=study.images.all(),
        )
        .values_list("result__image", "run", "result__method", "recall", "precision", *TALLY)
        .iterator(_AT_ONCE)
    )
    while some := list(islice(rows, _AT_ONCE)):
        yield some
