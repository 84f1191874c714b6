"""Plain SQL for the two queries of an answer that Django takes longest to build.

Each has a test that compares it with the equivalent query of the models.
"""

from typing import Any, Final

from django.db import connection

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


def study_of_a_screen() -> str:
    """Return the query for Study.objects.raw(); it locks the membership until the transaction ends.

    SQLite has no such lock: a transaction there locks the whole database from its start.
    """
    is_sqlite = connection.vendor == "sqlite"
    return _STUDY_OF_A_SCREEN + ("" if is_sqlite else "FOR UPDATE OF membership")


def log_of_an_assignment(assignment: int) -> list[tuple[Any, ...]]:
    """Return the screens of an assignment, each with its judgements and skips, if it has any."""
    with connection.cursor() as cursor:
        cursor.execute(_LOG_OF_AN_ASSIGNMENT, [assignment])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
