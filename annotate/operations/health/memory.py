"""Memory of the watch over the site, in a file of its own because the database may be away."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings


@contextmanager
def remembered() -> Iterator[dict[str, Any]]:
    """Yield the memory for one process at a time; what the block changes in it is stored.

    Raises sqlite3.Error or OSError if another process holds it, or if the disk is full.
    """
    with _opened() as store:
        store.execute("BEGIN IMMEDIATE")
        store.execute("CREATE TABLE IF NOT EXISTS memory (said TEXT)")
        memory = _read(store)
        yield memory
        store.execute("DELETE FROM memory")
        store.execute("INSERT INTO memory VALUES (?)", [json.dumps(memory)])
        store.execute("COMMIT")


def recalled() -> dict[str, Any]:
    """Return what was stored last, also while another process holds the memory; empty before the first."""
    try:
        with _opened() as store:
            return _read(store)
    except (sqlite3.Error, OSError):
        return {}


def _opened() -> closing[sqlite3.Connection]:
    path = Path(settings.DATA_DIR) / "health.sqlite3"
    path.touch(mode=0o600)
    return closing(sqlite3.connect(path, timeout=1, isolation_level=None))


def _read(store: sqlite3.Connection) -> dict[str, Any]:
    row = store.execute("SELECT said FROM memory").fetchone()
    memory: dict[str, Any] = json.loads(row[0]) if row else {}
    return memory
