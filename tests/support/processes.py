"""Workers as separate processes that use the test database."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from annotate.jobs import queue
from annotate.jobs.models import LOST_AFTER, Job

_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE_SECONDS = 120


def database_url() -> str:
    of_tests = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{of_tests['NAME']}"
    secret = f":{of_tests['PASSWORD']}" if of_tests["PASSWORD"] else ""
    return f"postgres://{of_tests['USER']}{secret}@{of_tests['HOST']}:{of_tests['PORT']}/{of_tests['NAME']}"


class Workers:
    """Real worker processes, to start, kill and end."""

    def __init__(self) -> None:
        self.all: list[subprocess.Popen[str]] = []

    def start(self, *options: str, **streams: object) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "tests.support.worker", *options]
        self.all.append(subprocess.Popen(command, cwd=_ROOT, text=True, **streams))  # type: ignore[call-overload]
        return self.all[-1]

    def kill(self) -> None:
        """Kill the last worker like a power failure; its job counts as lost at once."""
        self.all[-1].kill()
        self.all[-1].wait()
        lose_running()

    def end(self) -> int:
        """End the last worker as a server does; return its exit code."""
        self.all[-1].send_signal(signal.SIGTERM)
        return self.all[-1].wait(timeout=_PATIENCE_SECONDS)

    def end_all(self) -> None:
        for worker in self.all:
            worker.kill()
            worker.wait()
        wait_for(lambda: not n_busy(), "the end of what killed workers had asked PostgreSQL for")


def n_busy() -> int:
    """Return how many other connections to the test database are not idle; 0 for SQLite."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'"
        )
        return int(cursor.fetchone()[0])


def lose_running() -> None:
    """Backdate the heartbeats of running jobs so far that they count as lost."""
    long_ago = timezone.now() - LOST_AFTER - timedelta(seconds=5)
    Job.objects.filter(state="running").update(heartbeat=long_ago)


def wait_for(happens: Callable[[], bool], what: str = "it") -> None:
    """Wait until a condition holds; fail after two minutes, enough for the slowest machine."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while not happens():
        if time.monotonic() > until:
            pytest.fail(f"{what} did not happen")
        time.sleep(0.02)


def wait_for_end(job: Job) -> Job:
    def has_ended() -> bool:
        job.refresh_from_db()
        return not job.is_open

    wait_for(has_ended, f"the end of {job}")
    return job


def forget_queue() -> None:
    """Empty the queue and close it; a file's is removed with its folder."""
    if settings.QUEUE_URL or connection.vendor != "sqlite":
        queue.opened().storage.flush_queue()
    queue.opened().storage.close()
    queue._opened.cache_clear()


@pytest.fixture
def workers(settings, monkeypatch, transactional_db) -> Iterator[Workers]:
    """Run jobs through the queue, as on a server; no worker outlives the test.

    They end before the tables are emptied, which waits for what they have locked.
    """
    settings.JOBS = "queue"
    monkeypatch.setenv("DATABASE_URL", database_url())
    monkeypatch.setenv("DATA_DIR", str(settings.DATA_DIR))
    queue._opened.cache_clear()
    workers = Workers()
    yield workers
    workers.end_all()
    forget_queue()
