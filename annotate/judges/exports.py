"""Tables of a study's judges: their settings, their answers, and the rankings that follow."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from django.db.models import Max, Min

from annotate.csv_tables import Column, Row
from annotate.reports.cache import Asked
from annotate.reports.inputs import Inputs
from annotate.studies.models import Study
from rankings.agreement.packed_tables import packed_text
from rankings.agreement.report import report_from_json
from rankings.output.judge_tables import OF_ANSWERS, OF_JUDGES

from .comparison import answered_by, compared, has_few_answers, rankings_of
from .models import Judge
from .services import counts_of, settings_of
from .tasks import asked_of

_OF_ANSWERS: Final = (
    *("repeat", "attempt", "outcome", "recall", "precision", "preference", "finish_reason"),
    *("model", "fingerprint", "tokens_in", "tokens_out", "seconds", "pictures", "raw"),
)
ANSWER_COLUMNS: Final = tuple(
    map(
        Column,
        ("study", "judge", "image", "left", "right", *_OF_ANSWERS, "probability", "margin", "at"),
    )
)


def judges(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield the judges of a study in the order in which they were made; hosts only with ``names``."""
    for judge in study.judges.annotate(first=Min("answers__created"), last=Max("answers__created")):
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
            "first": judge.first and judge.first.isoformat(),
            "last": judge.last and judge.last.isoformat(),
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
            "margin": judge.margin,
            "at": row.created.isoformat(),
        }


def of_report(asked: Asked, inputs: Inputs) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Read the programs of a report that is computed, and return what computes its ``programs``.

    They hold the comparison, and settings and answers of the judges with a row; None if there are
    too many answers. A study without judges has no such part.
    """
    study = asked.study
    if not study.judges.exists():
        return lambda _: {}
    if not has_few_answers(study):
        return lambda _: {"programs": None}
    found = answered_by(study)
    done = [one.judge for one in found if one.rows.is_finished]
    answered = [[row[name] for name in OF_ANSWERS] for judge in done for row in answers_of(judge)]
    settings = [{name: row[name] for name in OF_JUDGES} for row in judges(study)]

    def compute(analysed: Mapping[str, Any]) -> dict[str, Any]:
        table = compared(found, inputs, asked, report_from_json(analysed))
        named = {row["judge"] for of in table["judges"].values() for row in of}
        return {
            "programs": {
                **table,
                "settings": [row for row in settings if row["judge"] in named],
                "answers": packed_text({"rows": [row for row in answered if row[0] in named]}),
            }
        }

    return compute


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
