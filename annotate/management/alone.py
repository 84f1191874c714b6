"""One site on this machine for a folder of data: a second one would show and write the same rows."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


class AnotherSite(Exception):
    """A site that runs already has this folder; the message says where it is."""


@contextmanager
def alone(folder: Path, address: str) -> Iterator[None]:
    """Hold the folder until the block ends, or this process does, however that ends.

    Raises
    ------
    AnotherSite
        If another process holds it.
    """
    says = folder / "site.address"
    # SQLite's lock is the one that works alike on all systems, and it goes with its process.
    with closing(sqlite3.connect(folder / "site.lock", timeout=0, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            where = says.read_text(encoding="utf-8") if says.exists() else "another address"
            raise AnotherSite(
                f"A site runs already on the data in {folder}, at {where}. Stop it, or name another folder."
            ) from fault
        says.write_text(f"http://{address}/", encoding="utf-8")
        try:
            yield
        finally:
            says.unlink(missing_ok=True)
