"""A lock that keeps a second site on this machine from using the same folder of data."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import OperationalError


class AnotherSite(Exception):
    """The refusal of a folder that a running site uses; the message gives its address."""


@contextmanager
def alone(folder: Path, address: str) -> Iterator[None]:
    """Lock the folder until the block or this process ends, even if the process is killed.

    Raises AnotherSite if another process holds it, and OSError or OperationalError if nothing can be
    written there.
    """
    says, locked = folder / "site.address", folder / "site.lock"
    locked.touch()
    # SQLite's lock works the same on all systems, and ends with its process.
    with closing(sqlite3.connect(locked, timeout=0, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as fault:
            if fault.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise OperationalError(str(fault)) from fault
            where = says.read_text(encoding="utf-8") if says.exists() else "another address"
            raise AnotherSite(
                f"A site runs already on the data in {folder}, at {where}. Stop it, or name another folder."
            ) from fault
        says.write_text(f"http://{address}/", encoding="utf-8")
        try:
            yield
        finally:
            says.unlink(missing_ok=True)
