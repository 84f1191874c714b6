"""Tables of judges: their answers, one row each."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Final

from .models import Judge

COLUMNS: Final = (
    *("judge", "image", "left", "right", "repeat", "attempt", "outcome"),
    *("recall", "precision", "preference", "finish_reason", "model", "fingerprint"),
    *("tokens_in", "tokens_out", "seconds", "pictures", "created", "raw"),
)


def rows_of(judge: Judge) -> Iterator[tuple[object, ...]]:
    """Yield the answers of a judge, oldest first, with the values of COLUMNS."""
    answers = judge.answers.select_related("image", "left__method", "right__method")
    for one in answers.defer("image__truth", "left__regions", "right__regions").iterator():
        yield (
            *(judge.name, one.image.name, one.left.method.name, one.right.method.name),
            *(one.repeat, one.attempt, one.outcome, one.recall, one.precision, one.preference),
            *(one.finish_reason, one.model, one.fingerprint, one.tokens_in, one.tokens_out),
            *(one.seconds, " ".join(one.pictures), one.created.isoformat(), one.raw),
        )


def csv_lines(judges: Iterable[Judge]) -> Iterator[str]:
    """Yield the lines of a CSV with a header."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for judge in judges:
        for row in rows_of(judge):
            writer.writerow(row)
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()
