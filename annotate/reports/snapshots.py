"""A consistent snapshot of a study."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Read everything in one snapshot, without blocking annotators.

    Inside another snapshot or a transaction, that one is used.
    """
    if _is_in_transaction():
        yield
    elif connection.vendor == "sqlite":
        # Not atomic(), which starts by taking the write lock.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield


def _is_in_transaction() -> bool:
    """Return whether a transaction is open; Django does not know about SQLite's, started above."""
    if connection.in_atomic_block or connection.vendor != "sqlite":
        return connection.in_atomic_block
    return connection.connection is not None and bool(connection.connection.in_transaction)
