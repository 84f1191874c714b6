"""A connection to SQLite whose transactions wait for each other in a queue.

One transaction writes at a time. Who finds the database busy is put to sleep by SQLite, up to a tenth of a
second before each new try, and whoever comes meanwhile goes first: some answers then wait half a second for
a transaction of two milliseconds. So the threads of a process line up here, and only the first of them tries,
every millisecond. Other processes would hardly find a gap between two of one line, so every second one leaves
them time to try. (``benchmarks/load.py --sqlite`` shows what people wait for.)
"""

import sqlite3
import time
from functools import lru_cache
from threading import Lock
from typing import Any, Final

from django.db.backends.sqlite3 import base

_TRY_AGAIN_SECONDS: Final = 0.001
# SQLite's own, where the settings have none.
_TIMEOUT_SECONDS: Final = 5.0
# Longer queries, of many rows at once, are not kept.
_LONG: Final = 4000
# So many of one line go on at once; the last of them waits until others have tried.
_AT_ONCE: Final = 2


class _Line:
    """The threads of this process that want to write to one file."""

    def __init__(self) -> None:
        self.turn = Lock()
        self.n_at_once = 0


# By the file of the database.
_lines: Final[dict[str, _Line]] = {}


class _Cursor(base.SQLiteCursorWrapper):
    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        if param_names is None and len(query) < _LONG:
            return _with_marks(query)
        return super().convert_query(query, param_names=param_names)


@lru_cache(maxsize=1000)
def _with_marks(query: str) -> str:
    """Return what Django's cursor makes of a query each time, which takes as long as a short answer to it."""
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")


class DatabaseWrapper(base.DatabaseWrapper):
    # Held from the beginning of a transaction to its end.
    _turn: "Lock | None" = None

    def create_cursor(self, name: str | None = None) -> Any:
        return self.connection.cursor(factory=_Cursor)

    def _start_transaction_under_autocommit(self) -> None:
        """Begin a transaction; raise OperationalError, "database is locked", when ``timeout`` is over."""
        if self.is_in_memory_db():
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # private
            return
        timeout = self._timeout_seconds()
        until = time.monotonic() + timeout
        line = _lines.setdefault(str(self.settings_dict["NAME"]), _Line())
        has_waited = not line.turn.acquire(blocking=False)
        if not has_waited or line.turn.acquire(timeout=timeout):
            self._turn = line.turn
        try:
            line.n_at_once = line.n_at_once + 1 if has_waited else 0
            if line.n_at_once == _AT_ONCE:
                line.n_at_once = 0
                time.sleep(2 * _TRY_AGAIN_SECONDS)
            self._begin(until)
        except BaseException:
            self._pass_on()
            raise

    def _begin(self, until: float) -> None:
        # Past Django's cursors: a try takes microseconds.
        execute = self.connection.execute
        begin = f"BEGIN {self.settings_dict['OPTIONS'].get('transaction_mode', '')}"
        with self.wrap_database_errors:
            execute("PRAGMA busy_timeout = 0")
            try:
                while True:
                    try:
                        execute(begin)
                        return
                    except sqlite3.OperationalError as fault:
                        if "locked" not in str(fault) or time.monotonic() > until:
                            raise
                    time.sleep(_TRY_AGAIN_SECONDS)
            finally:
                # What is written outside of transactions waits as SQLite does.
                execute(f"PRAGMA busy_timeout = {round(1000 * self._timeout_seconds())}")

    def _timeout_seconds(self) -> float:
        return float(self.settings_dict["OPTIONS"].get("timeout", _TIMEOUT_SECONDS))

    def _pass_on(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.release()

    def _commit(self) -> Any:
        try:
            return super()._commit()  # type: ignore[misc]  # private
        finally:
            self._pass_on()

    def _rollback(self) -> Any:
        try:
            return super()._rollback()  # type: ignore[misc]  # private
        finally:
            self._pass_on()

    def _close(self) -> Any:
        try:
            return super()._close()  # type: ignore[misc]  # private
        finally:
            self._pass_on()
