"""A large study as rows of PostgreSQL, written set by set: minutes for five million judgements.

Photographs are left out. Images repeat some scenes, and annotators some simulated logs, so that
sizes and times are those of real rows; every constraint is restored and checked afterwards, and the
counts that services keep are computed.
"""

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

_N_SCENES = 50
_N_WORDS = 8
_N_LOGS = 64
# Images that no one has begun, so that some remain to be asked.
_UNTOUCHED = 50
_FILLED = (
    "image",
    "result",
    "score",
    "studyimage",
    "assignment",
    "screen",
    "judgement",
    "auditentry",
    "job",
)


@dataclass(frozen=True)
class Size:
    """The size of a study."""

    n_images: int
    n_methods: int = 10
    n_annotators: int = 200
    # Complete rankings of an image.
    n_rankings: int = 2
    n_runs: int = 3


def fill(size: Size) -> Any:
    """Write a study of this size into an empty database and return it."""
    from django.db import connection

    from .own_site import make_annotators

    with connection.cursor() as cursor:
        # On one machine with everything else, so no more memory than a small server has.
        cursor.execute("SET maintenance_work_mem = '256MB'")
        cursor.execute("SET work_mem = '64MB'")
        _write_scenes(cursor, size)
        with _without_indexes(cursor, ("image", "result", "score")):
            dataset = _write_dataset(cursor, size)
            _write_scores(cursor, size, dataset)
        cursor.execute("VACUUM ANALYZE")
        study = _write_study(dataset, size)
        people = make_annotators(study, size.n_annotators)
        _write_logs(cursor, size)
        with _without_indexes(cursor, ("assignment", "screen", "judgement", "auditentry", "job")):
            _write_judgements(cursor, size, study, people[0].pk)
            _write_acts(cursor, size, study)
        for table in _FILLED:
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('annotate_{table}', 'id'),"
                f" greatest((SELECT max(id) FROM annotate_{table}), 1))"
            )
        cursor.execute("VACUUM ANALYZE")
    return study


@contextmanager
def _without_indexes(cursor: Any, tables: Sequence[str]) -> Iterator[None]:
    """Take indexes, unique constraints and foreign keys away, and put them back, checked.

    Primary keys and the constraints of single rows stay.
    """
    names = [f"annotate_{table}" for table in tables]
    cursor.execute(
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE conrelid::regclass::text = ANY(%s) AND contype IN ('u', 'f')"
        # Unique ones first: another table's foreign key never refers to them.
        " ORDER BY contype DESC",
        [names],
    )
    constraints = cursor.fetchall()
    cursor.execute(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
        " WHERE indrelid::regclass::text = ANY(%s) AND NOT EXISTS"
        " (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))",
        [names],
    )
    indexes = cursor.fetchall()
    for table, name, _ in constraints:
        cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
    for name, _ in indexes:
        cursor.execute(f"DROP INDEX {name}")
    yield
    for _, definition in indexes:
        cursor.execute(definition)
    for table, name, definition in constraints:
        cursor.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')


def _write_scenes(cursor: Any, size: Size) -> None:
    """Write scenes to draw images from: ground truth (method 0) and detections, all different."""
    from protocols.core.regions import Region, canonical_bytes, encode_regions

    rng = random.Random(1)
    cursor.execute(
        "CREATE TEMPORARY TABLE scene (scene int, method int, regions jsonb, n int, sha256 text)"
    )
    rows = []
    for scene in range(_N_SCENES):
        words = [_word(rng, place) for place in range(_N_WORDS)]
        for method in range(size.n_methods + 1):
            seen = words if method == 0 else [_shaken(rng, word) for word in words[method % 3 :]]
            regions = [Region.from_box(*word) for word in seen]
            encoded = json.dumps(encode_regions(regions))
            digest = sha256(canonical_bytes(regions)).hexdigest()
            rows.append((scene, method, encoded, len(regions), digest))
    cursor.executemany("INSERT INTO scene VALUES (%s, %s, %s, %s, %s)", rows)


def _word(rng: random.Random, place: int) -> tuple[float, ...]:
    left, top = rng.randrange(1200), 90 * place + rng.randrange(20)
    return left, top, left + rng.randint(40, 200), top + rng.randint(15, 60)


def _shaken(rng: random.Random, word: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(side + rng.gauss(0, 3), 1) for side in word)


def _write_dataset(cursor: Any, size: Size) -> Any:
    from annotate.datasets.models import Dataset, Method

    dataset = Dataset.objects.create(
        name="Large", slug="large", line_format="ltrb", box_convention="points"
    )
    methods = Method.objects.bulk_create(
        Method(dataset=dataset, name=f"method {at:02}", slug=f"method-{at:02}")
        for at in range(1, size.n_methods + 1)
    )
    cursor.execute(
        "INSERT INTO annotate_image (id, dataset_id, name, position, sha256, content_type, truth)"
        " SELECT i, %s, 'img_' || i, i - 1, '', '', regions FROM generate_series(1, %s) AS i"
        " JOIN scene ON scene = i %% %s AND method = 0",
        [dataset.pk, size.n_images, _N_SCENES],
    )
    # Keys by count: result (i - 1) * methods + m is that of image i and method m.
    cursor.execute(
        "INSERT INTO annotate_result (id, image_id, method_id, regions, n_regions, had_file, sha256)"
        " SELECT (i - 1) * %(methods)s + m, i, %(first)s + m - 1, regions, n, true, sha256"
        " FROM generate_series(1, %(images)s) AS i, generate_series(1, %(methods)s) AS m"
        " JOIN scene ON method = m WHERE scene = i %% %(scenes)s",
        {
            "methods": size.n_methods,
            "first": methods[0].pk,
            "images": size.n_images,
            "scenes": _N_SCENES,
        },
    )
    cursor.execute(
        "UPDATE annotate_method SET totals = jsonb_build_object('n', t.n, 'boxes', t.boxes,"
        " 'empty', 0, 'without_file', 0) FROM (SELECT method_id, count(*) AS n,"
        " sum(n_regions) AS boxes FROM annotate_result GROUP BY method_id) AS t"
        " WHERE t.method_id = annotate_method.id"
    )
    return dataset


def _write_scores(cursor: Any, size: Size, dataset: Any) -> None:
    from annotate.scoring.models import ProtocolRun

    for number in range(1, size.n_runs + 1):
        run = ProtocolRun.objects.create(
            dataset=dataset,
            name=f"Protocol {number}",
            version="1",
            origin="imported",
            n_scores=size.n_images * size.n_methods,
        )
        cursor.execute(
            "INSERT INTO annotate_score"
            " (run_id, result_id, recall, precision, f_score, indicators)"
            " SELECT %s, id, round(random()::numeric, 3), round(random()::numeric, 3),"
            " round(random()::numeric, 3), '{}' FROM annotate_result ORDER BY id",
            [run.pk],
        )


def _write_study(dataset: Any, size: Size) -> Any:
    from annotate.studies.services import create_study

    return create_study(
        name="Large",
        dataset=dataset,
        methods=list(dataset.methods.all()),
        seed=2018,
        state="open",
        n_checks=0,
        min_annotators=size.n_rankings,
        max_annotators=size.n_rankings,
    )


def _write_logs(cursor: Any, size: Size) -> None:
    """Write logs to draw assignments from: questions, answers, and the resulting rankings."""
    from annotate.datasets.models import Method
    from rankings.elicitation.log import CRITERIA, replay, simulate

    from .elicitation import REGIMES, answering, truth

    methods = list(Method.objects.order_by("pk").values_list("pk", flat=True))
    cursor.execute(
        "CREATE TEMPORARY TABLE answer (log int, number int, l int, r int, recall text,"
        ' "precision" text, preference text)'
    )
    cursor.execute("CREATE TEMPORARY TABLE ranking (log int, rankings jsonb)")
    for log in range(_N_LOGS):
        level = truth(log % len(REGIMES), size.n_methods, log)
        entries = simulate(size.n_methods, answering(level))
        rows = [
            (log, number, of.left, of.right, *(of.verdicts.get(name, "") for name in CRITERIA))
            for number, of in enumerate(entries, 1)
        ]
        cursor.executemany("INSERT INTO answer VALUES (%s, %s, %s, %s, %s, %s, %s)", rows)
        rankings = replay(size.n_methods, entries).rankings() or {}
        stored = {
            criterion: [sorted(methods[item] for item in bucket) for bucket in buckets]
            for criterion, buckets in rankings.items()
        }
        cursor.execute("INSERT INTO ranking VALUES (%s, %s)", [log, json.dumps(stored)])
    cursor.execute("ANALYZE answer")


def _write_judgements(cursor: Any, size: Size, study: Any, first_annotator: int) -> None:
    values = {
        "study": study.pk,
        "images": size.n_images - size.n_images // _UNTOUCHED,
        "rankings": size.n_rankings,
        "annotators": size.n_annotators,
        "methods": size.n_methods,
        "first": first_annotator,
        "logs": _N_LOGS,
    }
    # Neighbouring images go to neighbouring people, so that all have equally many.
    cursor.execute(
        "INSERT INTO annotate_assignment (id, study_id, image_id, annotator_id, position, state,"
        " items, hidden, rankings, unsettled, created, finished, n_answered, n_skipped)"
        " SELECT at + 1, %(study)s, image, %(first)s + at %% %(annotators)s,"
        " at / %(annotators)s + 1, 'complete', items, '[]', rankings, '[]', moment, moment, n, 0"
        " FROM (SELECT at, at / %(rankings)s + 1 AS image,"
        " now() - (%(images)s * %(rankings)s - at) * interval '30 days' / (%(images)s * %(rankings)s)"
        " AS moment FROM generate_series(0, %(images)s * %(rankings)s - 1) AS at) AS given"
        " JOIN ranking ON log = at %% %(logs)s"
        " JOIN (SELECT log, count(*) AS n FROM answer GROUP BY log) AS length USING (log)"
        " CROSS JOIN LATERAL (SELECT jsonb_agg(jsonb_build_array((image - 1) * %(methods)s + m)"
        " ORDER BY m) AS items FROM generate_series(1, %(methods)s) AS m) AS shown",
        values,
    )
    cursor.execute("ANALYZE annotate_assignment")
    cursor.execute(
        "INSERT INTO annotate_screen (public_id, assignment_id, number, left_id, right_id, purpose,"
        " strategy, first, state, created)"
        " SELECT substr(md5(a.id || '/' || number), 1, 16), a.id, number,"
        " (image_id - 1) * %(methods)s + l + 1, (image_id - 1) * %(methods)s + r + 1, 'place',"
        " 'insertion', 'left', 'answered', a.created FROM annotate_assignment AS a"
        " JOIN answer ON log = (a.id - 1) %% %(logs)s ORDER BY a.id, number",
        values,
    )
    cursor.execute(
        "INSERT INTO annotate_judgement (assignment_id, number, created, screen_id, attempt, recall,"
        ' "precision", preference, seconds_taken, aids, seen)'
        " SELECT assignment_id, s.number, s.created, s.id, 0, recall, a.precision, preference,"
        " round((2 + 7 * random())::numeric, 1), '{}', '{\"first\": \"unknown\"}' FROM annotate_screen AS s"
        " JOIN answer AS a ON log = (assignment_id - 1) %% %(logs)s AND a.number = s.number"
        " ORDER BY s.id",
        values,
    )
    cursor.execute(
        "UPDATE annotate_studyimage SET n_complete = %(rankings)s WHERE study_id = %(study)s"
        " AND image_id <= %(images)s",
        values,
    )


def _write_acts(cursor: Any, size: Size, study: Any) -> None:
    """Write a log of acts and jobs that ended, one for ten images."""
    n_acts = size.n_images // 10
    cursor.execute(
        "INSERT INTO annotate_auditentry (created, study_id, act, what, details)"
        " SELECT now() - i * interval '1 minute', %s, 'study_changed', 'Large', '{}'"
        " FROM generate_series(1, %s) AS i",
        [study.pk, n_acts],
    )
    cursor.execute(
        "INSERT INTO annotate_job (kind, title, arguments, key, version, priority, state, done,"
        " total, doing, cancel_requested, failure, outcome, address, made, file, file_name, worker,"
        " n_attempts, created, finished, seen, wants_mail)"
        " SELECT 'score', 'Score', '{}', '', '', 0, 'done', 1, 1, '', false, '', 'Done.', '', '{}',"
        " '', '', '', 1, moment, moment, moment, false FROM (SELECT now() - i * interval '1 minute'"
        " AS moment FROM generate_series(1, %s) AS i) AS ended",
        [n_acts],
    )
