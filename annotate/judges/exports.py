"""Tables of a study's judges: their settings, their answers, and the rankings that follow."""

from collections.abc import Iterator
from typing import Any, Final

from django.db.models import Max, Min

from annotate.csv_tables import Column, Row
from annotate.reports.cache import Asked
from annotate.studies.models import Study

from .comparison import is_small, programs_and_people, rankings_of
from .models import Judge
from .services import counts_of, settings_of
from .tasks import asked_of

_OF_ANSWERS: Final = (
    *("repeat", "attempt", "outcome", "recall", "precision", "preference", "finish_reason"),
    *("model", "fingerprint", "tokens_in", "tokens_out", "seconds", "pictures", "raw"),
)
ANSWER_COLUMNS: Final = tuple(
    map(Column, ("study", "judge", "image", "left", "right", *_OF_ANSWERS, "probability", "at"))
)


def judges(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield the judges of a study in the order in which they were made; hosts only with ``names``."""
    for judge in study.judges.all():
        yield {
            **settings_of(judge),
            "study": study.name,
            "judge": judge.name,
            "host": judge.host if names else None,
            "prompt_sha256": judge.prompt_sha256,
            "answered_as": counts_of(judge)["answered_as"],
            "software_version": judge.software_version,
            "created": judge.created.isoformat(),
            "closed": judge.closed and judge.closed.isoformat(),
        }


def answers(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield every answer of a study's judges, the oldest of each first; ``names`` is ignored."""
    for judge in study.judges.all():
        yield from answers_of(judge)


def answers_of(judge: Judge) -> Iterator[Row]:
    drawn = asked_of(judge) if judge.pairs.startswith("sample") else ()
    chance = {frozenset((pair.one, pair.other)): pair.probability for pair in drawn}
    rows = judge.answers.select_related("image", "left__method", "right__method", "judge__study")
    for row in rows.defer("image__truth", "left__regions", "right__regions").iterator():
        yield {
            "study": row.judge.study.name,
            "judge": judge.name,
            "image": row.image.name,
            "left": row.left.method.name,
            "right": row.right.method.name,
            **{name: getattr(row, name) for name in _OF_ANSWERS},
            "probability": chance.get(frozenset((row.left_id, row.right_id)), 1.0),
            "at": row.created.isoformat(),
        }


def of_paper(asked: Asked) -> dict[str, Any] | None:
    """Return the programs of a report for the files of a paper; None without one that is done."""
    if not asked.study.judges.exists() or not is_small(asked.study):
        return None
    table = programs_and_people(asked)["judges"]
    names = {row["judge"] for of in table.values() for row in of}
    if not names:
        return None
    done = asked.study.judges.filter(name__in=names)
    times = {
        judge.name: judge.answers.aggregate(first=Min("created"), last=Max("created"))
        for judge in done
    }
    settings = [row for row in judges(asked.study) if row["judge"] in times]
    return {
        "table": table,
        "answers": [row for judge in done for row in answers_of(judge)],
        "judges": [
            {**row, **{name: at.isoformat() for name, at in times[row["judge"]].items()}}
            for row in settings
        ],
    }


def rankings(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield every ranking that follows from the answers of a study's judges; ``names`` is ignored."""
    for judge in study.judges.all():
        for criterion, of_image in rankings_of(judge).items():
            for image, buckets in of_image.items():
                yield {
                    "study": study.name,
                    "judge": judge.name,
                    "image": image,
                    "criterion": criterion,
                    "buckets": [[*bucket] for bucket in buckets],
                }
