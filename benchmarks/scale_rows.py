"""A large study: a small one made through the site's services, with its rows copied.

Photographs are left out. Copies have new keys and times, and the counts that services keep are
computed. On PostgreSQL every index and constraint is dropped first, then restored and checked.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from .own_site import make_annotators, make_study, verdicts

# Images of the small study. Some of their rankings stay open, so that annotators have work left.
N_BASE = 50
_N_OPEN = 2
_N_WORDS = 8
PROTOCOLS = ("icdar13", "deteval", "evaltex", "tiou", "total-area")


@dataclass(frozen=True)
class Size:
    """The size of a study; images come in multiples of N_BASE."""

    n_images: int
    n_methods: int = 10
    n_annotators: int = 200
    # Number of complete rankings per image.
    n_rankings: int = 2
    n_runs: int = 3


def fill(size: Size) -> Any:
    """Write a study of this size into an empty database and return it."""
    from django.db import connection

    study = _small_study(size)
    copies = size.n_images // N_BASE
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # It shares the machine with everything else, so it gets no more memory than a small
            # server has.
            cursor.execute("SET maintenance_work_mem = '256MB'")
            cursor.execute("SET work_mem = '64MB'")
        _copy_rows(cursor, study, size, copies)
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    _count(study, copies)
    return study


def _small_study(size: Size) -> Any:
    from django.utils import timezone

    from annotate.jobs.models import Job
    from annotate.scoring.causes import explain
    from annotate.scoring.services import score_protocol

    study = make_study(
        size.n_methods,
        N_BASE,
        n_words=_N_WORDS,
        n_checks=0,
        min_annotators=size.n_rankings,
        max_annotators=size.n_rankings,
    )
    people = make_annotators(study, size.n_annotators)
    for at in range(N_BASE * size.n_rankings - _N_OPEN):
        _rank_an_image(study, people[at % len(people)])
    for slug in PROTOCOLS[: size.n_runs]:
        explain(score_protocol(dataset=study.dataset, slug=slug))
    Job.objects.create(
        kind="score", title="Score", state="done", outcome="Done.", finished=timezone.now()
    )
    return study


def _rank_an_image(study: Any, annotator: Any) -> None:
    from annotate.judging.presentation import payload
    from annotate.judging.services import record_judgement, start

    found = start(study=study, annotator=annotator)
    if found.turn is None:
        raise RuntimeError("No image is left for this annotator: take more annotators.")
    image = found.turn.assignment.image_id
    while (turn := found.turn) is not None and turn.assignment.image_id == image:
        found = record_judgement(
            screen_id=turn.screen.public_id,
            annotator=annotator,
            verdicts=verdicts(payload(turn, found.remaining)),
            seconds_taken=4.2,
            seen={"first": "both", "left": 4.0, "right": 4.0},
        )
    if turn is not None:
        # The annotator's next image has been begun.
        turn.screen.delete()
        turn.assignment.delete()


def _copy_rows(cursor: Any, study: Any, size: Size, copies: int) -> None:
    from annotate.audit.models import AuditEntry
    from annotate.datasets.models import Image, ImageFacts, Result
    from annotate.jobs.models import Job
    from annotate.judging.models import Assignment, Judgement, Screen
    from annotate.scoring.models import ImageLoss, Score
    from annotate.studies.models import StudyImage

    n_assignments = Assignment.objects.count()
    [first, *_] = sorted(study.memberships.values_list("person", flat=True))
    number = f"(row_number() OVER (ORDER BY k, id) - 1 + {n_assignments})"
    n_results = Result.objects.order_by("-pk").values_list("pk", flat=True)[0]
    # How each copy of a row differs; k is the number of the copy.
    differing: Mapping[Any, Mapping[str, str]] = {
        Image: {
            "name": f"'img_' || (position + 1 + k * {N_BASE})",
            "position": f"position + k * {N_BASE}",
        },
        ImageFacts: {},
        Result: {},
        Score: {},
        ImageLoss: {},
        StudyImage: {},
        Assignment: {
            # Neighbouring images go to neighbouring people, so that all have the same number.
            "annotator_id": f"{first} + {number} % {size.n_annotators}",
            "position": f"{number} / {size.n_annotators} + 1",
            "items": _ITEMS[cursor.db.vendor].format(n=n_results),
        },
        Screen: {"public_id": "substr(md5(public_id || '/' || k), 1, 16)"},
        Judgement: {},
        AuditEntry: {},
        Job: {},
    }
    n_acts = size.n_images // 10
    strides: dict[Any, int] = {}
    tables = [model._meta.db_table for model in differing]
    is_postgres = cursor.db.vendor == "postgresql"
    with _without_indexes(cursor, tables) if is_postgres else nullcontext():
        for model, expressions in differing.items():
            strides[model] = model.objects.order_by("-pk").values_list("pk", flat=True)[0]
            is_log = model in (AuditEntry, Job)
            times = max(1, n_acts // model.objects.count()) if is_log else copies
            _copy(cursor, model, times, strides, expressions)


# Results of an assignment's items, by database.
_ITEMS = {
    "postgresql": "(SELECT jsonb_agg((SELECT jsonb_agg(result::int + k * {n})"
    " FROM jsonb_array_elements_text(item) AS result) ORDER BY at)"
    " FROM jsonb_array_elements(items) WITH ORDINALITY AS of (item, at))",
    "sqlite": "(SELECT json_group_array(json((SELECT json_group_array(result.value + k * {n})"
    " FROM json_each(item.value) AS result))) FROM json_each(items) AS item)",
}
# A time before that of a column, by the share of 30 days.
_EARLIER = {
    "postgresql": "{column} - {share} * interval '30 days'",
    "sqlite": "strftime('%Y-%m-%d %H:%M:%f', {column}, (-30.0 * {share}) || ' days')",
}


def _copy(
    cursor: Any,
    model: Any,
    times: int,
    strides: Mapping[Any, int],
    expressions: Mapping[str, str],
) -> None:
    """Add copies of all rows of a table, ``times`` - 1 of each, spread over the last 30 days."""
    table, values = model._meta.db_table, {}
    for field in model._meta.concrete_fields:
        column = f'"{field.column}"'
        stride = strides.get(model if field.primary_key else field.related_model)
        if field.get_internal_type() == "DateTimeField":
            share = f"(1.0 * k / {times})"
            values[column] = _EARLIER[cursor.db.vendor].format(column=column, share=share)
        else:
            moved = column if stride is None else f"{column} + k * {stride}"
            values[column] = expressions.get(field.column, moved)
    key = model._meta.pk.column
    cursor.execute(
        f"WITH RECURSIVE copies (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM copies"
        f" WHERE k < {times - 1}) INSERT INTO {table} ({', '.join(values)})"
        f" SELECT {', '.join(values.values())} FROM {table}, copies WHERE k > 0 ORDER BY k, {key}"
    )
    if cursor.db.vendor == "postgresql" and key == "id":
        cursor.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
        )


def _count(study: Any, copies: int) -> None:
    from django.db.models import Count, F, Q, Sum
    from django.db.models.functions import Coalesce

    study.dataset.runs.update(n_scores=F("n_scores") * copies)
    for method in study.methods.all():
        method.totals = method.results.aggregate(
            n=Count("pk"),
            boxes=Coalesce(Sum("n_regions"), 0),
            empty=Count("pk", Q(n_regions=0)),
            without_file=Count("pk", Q(had_file=False)),
        )
        method.save()


@contextmanager
def _without_indexes(cursor: Any, tables: Sequence[str]) -> Iterator[None]:
    """Drop indexes, unique constraints and foreign keys, then restore and check them.

    Primary keys and the constraints of single rows stay.
    """
    of_tables = "::regclass::text = ANY(%s)"
    cursor.execute(
        "SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I', conrelid::regclass, conname),"
        " format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s',"
        " conrelid::regclass, conname, pg_get_constraintdef(oid))"
        f" FROM pg_constraint WHERE conrelid{of_tables} AND contype IN ('u', 'f')"
        # Unique ones first: another table's foreign key never refers to them.
        " ORDER BY contype DESC",
        [tables],
    )
    constraints = cursor.fetchall()
    cursor.execute(
        "SELECT format('DROP INDEX %%s', indexrelid::regclass), pg_get_indexdef(indexrelid)"
        f" FROM pg_index WHERE indrelid{of_tables} AND NOT EXISTS"
        " (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))",
        [tables],
    )
    indexes = cursor.fetchall()
    for drop, _ in (*constraints, *indexes):
        cursor.execute(drop)
    yield
    for _, make in (*indexes, *constraints):
        cursor.execute(make)
