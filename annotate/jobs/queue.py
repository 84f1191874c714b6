"""The queue that hands jobs to workers. It only announces jobs: their rows are authoritative.

A message is the key of a job. `sweep` puts a lost message back; a duplicate finds the job already
taken. Huey stores the messages: in a file next to the database, in the site's own PostgreSQL, or in
Redis if QUEUE_URL is set.
"""

import json
import logging
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Final

from django.conf import settings
from django.db import close_old_connections, connections
from huey import Huey, PostgresHuey, PriorityRedisHuey, SqliteHuey, crontab
from huey.api import TaskWrapper
from huey.registry import Message
from huey.serializer import Serializer

from .errors import QueueAway
from .models import Job
from .registry import EVERY_MINUTE, UPKEEP
from .running import run_one
from .versions import VERSION, is_newer

_log = logging.getLogger(__name__)
_NAME: Final = "rankings"
# Any more are put back in later rounds.
_MAX_PUT_BACK: Final = 1000


class _Json(Serializer):  # type: ignore[misc]  # the library has no types
    """Serializer to JSON: write access to the queue must not allow running code here."""

    def serialize(self, data: Message) -> bytes:
        return json.dumps(data).encode()

    def deserialize(self, data: bytes) -> Message:
        return Message(*json.loads(bytes(data)))


@cache
def _opened() -> tuple[Huey, TaskWrapper]:
    huey = _storage()
    huey.periodic_task(crontab(minute="7"), name="upkeep")(_connected(upkeep))
    huey.periodic_task(crontab(), name="every-minute")(_connected(look_after))
    return huey, huey.task(name="run")(_connected(run))


def _storage() -> Huey:
    kept: dict[str, Any] = {"results": False, "serializer": _Json()}
    if settings.QUEUE_URL:
        return PriorityRedisHuey(_NAME, url=settings.QUEUE_URL, **kept)
    if connections["default"].vendor == "postgresql":
        return PostgresHuey(_NAME, connection=_connect, **kept)
    return SqliteHuey(_NAME, filename=str(settings.DATA_DIR / "queue.sqlite3"), **kept)


def _connect() -> Any:
    """Open a separate connection to the site's PostgreSQL for the queue."""
    import psycopg

    site = connections["default"].settings_dict
    return psycopg.connect(
        host=site["HOST"] or None,
        port=site["PORT"] or None,
        user=site["USER"] or None,
        password=site["PASSWORD"] or None,
        dbname=site["NAME"],
        sslmode=site["OPTIONS"].get("sslmode"),
    )


def opened() -> Huey:
    """Return this process's connection to the queue. Raises QueueAway if there is none."""
    try:
        return _opened()[0]
    except Exception as fault:  # each storage has errors of its own
        raise QueueAway(str(fault)) from fault


def opened_by_worker(n_places: int) -> Huey:
    """Return the queue for a worker that runs this many jobs at once. Raises QueueAway."""
    huey = opened()
    _opened()[1].unregister()
    huey.task(name="run")(_connected(partial(run, n_places=n_places)))
    return huey


def _connected(task: Callable[..., object]) -> Callable[..., None]:
    """Return a task that closes broken and expired database connections before and after."""

    def connected(*arguments: Any) -> None:
        close_old_connections()
        try:
            task(*arguments)
        finally:
            close_old_connections()

    return connected


def upkeep() -> None:
    """Delete expired data; failures are logged and retried in an hour."""
    do_all(UPKEEP)


def look_after() -> None:
    """Run the tasks of every minute; failures are logged and retried in a minute."""
    do_all(EVERY_MINUTE)


def do_all(tasks: Sequence[Callable[[], object]]) -> None:
    """Run every task, whether others fail; failures are logged."""
    for task in tasks:
        try:
            task()
        except Exception:
            _log.exception("Failed: %s", task.__qualname__)


def run(pk: int, n_places: int = 1) -> None:
    """Run a job, and announce those that were left for later meanwhile."""
    if run_one(pk, n_places=n_places):
        sweep()


def put(pk: int, priority: int = 0) -> None:
    """Announce that a job can start; a worker's sweep finds it if the queue is out of reach."""
    try:
        _enqueue(pk, priority)
    except Exception as fault:  # each storage has errors of its own, and none may stop a request
        _log.warning("Job %s could not be put into the queue: %s", pk, fault)


def _enqueue(pk: int, priority: int) -> None:
    huey, task = _opened()
    huey.enqueue(task.s(pk, priority=priority))


def sweep() -> int:
    """Put back every job that has no worker and is not in the queue; return how many.

    This repairs every kind of loss: a message that was never written, a worker killed with its job,
    a queue that was emptied. Raises the storage's own error if the queue is out of reach.
    """
    queued = {task.args[0] for task in opened().pending() if task.args}
    waiting = Job.objects.to_take_up().values_list("pk", "priority", "version")
    n_put_back = 0
    for pk, priority, version in waiting[:_MAX_PUT_BACK]:
        if pk not in queued and not is_newer(version, VERSION):
            _enqueue(pk, priority)
            n_put_back += 1
    return n_put_back
