"""Plain SQL for the queries of an answer that Django takes longest to build.

Each has a test that compares it with the equivalent query of the models.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

# Of the annotator whose screen it is: attributes of the study that the query returns.
COLUMNS_OF_A_QUOTA: Final = ("max_pairs", "max_images", "n_checks_own")
# The study of a screen, if it is that person's (person's id, role, screen's public id).
_STUDY_OF_A_SCREEN: Final = """
    SELECT study.*, membership.max_pairs, membership.max_images, membership.n_known AS n_checks_own
    FROM annotate_membership AS membership
    JOIN annotate_study AS study ON study.id = membership.study_id
    JOIN annotate_assignment AS assignment
        ON assignment.study_id = study.id AND assignment.annotator_id = membership.person_id
    JOIN annotate_screen AS screen ON screen.assignment_id = assignment.id
    WHERE membership.person_id = %s AND membership.role = %s AND screen.public_id = %s
"""
_LOG_OF_AN_ASSIGNMENT: Final = """
    SELECT screen.number, screen.id, screen.left_id, screen.right_id, screen.purpose, screen.known,
        judgement.id, judgement.number, undone.number, judgement.seconds_taken,
        judgement.recall, judgement."precision", judgement.preference,
        skip.id, skip.number, unskipped.number, skip.reason
    FROM annotate_screen AS screen
    LEFT JOIN annotate_judgement AS judgement ON judgement.screen_id = screen.id
    LEFT JOIN annotate_withdrawal AS undone ON undone.judgement_id = judgement.id
    LEFT JOIN annotate_skip AS skip ON skip.screen_id = screen.id
    LEFT JOIN annotate_withdrawal AS unskipped ON unskipped.skip_id = skip.id
    WHERE screen.assignment_id = %s
"""

# How many pairs were answered or skipped and not undone; ended images have counted theirs (study, annotator).
PAIRS_ASKED: Final = """
    SELECT CAST(COALESCE(SUM(
        CASE assignment.state WHEN 'in_work' THEN (
            SELECT COUNT(*) FROM annotate_judgement AS judgement
            LEFT JOIN annotate_withdrawal AS undone ON undone.judgement_id = judgement.id
            WHERE judgement.assignment_id = assignment.id AND undone.id IS NULL
        ) + (
            SELECT COUNT(*) FROM annotate_skip AS skip
            LEFT JOIN annotate_withdrawal AS undone ON undone.skip_id = skip.id
            WHERE skip.assignment_id = assignment.id AND undone.id IS NULL
        ) ELSE assignment.n_answered + assignment.n_skipped END
    ), 0) AS integer)
    FROM annotate_assignment AS assignment
    WHERE assignment.study_id = %s AND assignment.annotator_id = %s
"""
_KNOWN_ANSWERS: Final = """
    SELECT screen.known, assignment.known,
        judgement.recall, judgement."precision", judgement.preference
    FROM annotate_assignment AS assignment
    JOIN annotate_screen AS screen
        ON screen.assignment_id = assignment.id AND screen.known IS NOT NULL
    LEFT JOIN annotate_judgement AS judgement ON judgement.screen_id = screen.id AND NOT EXISTS (
        SELECT 1 FROM annotate_withdrawal WHERE judgement_id = judgement.id
    )
    LEFT JOIN annotate_skip AS skip ON skip.screen_id = screen.id AND NOT EXISTS (
        SELECT 1 FROM annotate_withdrawal WHERE skip_id = skip.id
    )
    WHERE assignment.study_id = %s AND assignment.annotator_id = %s
        AND (judgement.id IS NOT NULL OR skip.id IS NOT NULL)
    ORDER BY COALESCE(judgement.created, skip.created), screen.id
"""


def study_of_a_screen() -> str:
    """Return the query for Study.objects.raw(); it locks the membership until the transaction ends.

    SQLite has no such lock: a transaction there locks the whole database from its start.
    """
    is_sqlite = connection.vendor == "sqlite"
    return _STUDY_OF_A_SCREEN + ("" if is_sqlite else "FOR UPDATE OF membership")


def log_of_an_assignment(assignment: int) -> list[tuple[Any, ...]]:
    """Return the screens of an assignment, each with its judgements and skips, if it has any."""
    return rows(_LOG_OF_AN_ASSIGNMENT, [assignment])


def known_answers(study: int, annotator: int) -> list[tuple[dict[str, Any], list[str | None]]]:
    """Return the known-answer pairs that a person answered or skipped, oldest first.

    Each comes with the verdicts in force by the planner's criteria; those of a skip are None.
    """
    found = rows(_KNOWN_ANSWERS, [study, annotator])
    return [(json.loads(pairs)[number], verdicts) for number, pairs, *verdicts in found]


def without_compiling(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Let PostgreSQL run plans as they are: compiling them takes longer than our queries.

    By a statement, because poolers of connections refuse such a setting at the start.
    """
    if connection.vendor == "postgresql":
        connection.connection.execute("SET jit TO off")


def rows(sql: str, values: Sequence[int] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return a query's rows. PostgreSQL plans it a few times for a connection, not each time."""
    with _cursor() as cursor:
        cursor.execute(sql, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def _cursor() -> CursorWrapper:
    if connection.vendor != "postgresql" or connection.queries_logged:
        # The log of queries shows values only if Django writes them into the query.
        return connection.cursor()
    import psycopg

    connection.ensure_connection()
    cursor: Any = psycopg.Cursor(connection.connection)
    return connection.make_cursor(cursor)
