"""The engine that computes the chunks of jobs: one per worker process, created on first use."""

import atexit
import logging
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Final

from django.conf import settings

from text_rankings.base.chunks import Engine
from text_rankings.base.errors import EngineError, EngineLost, EngineUnavailable

from .errors import JobFailed, TryLater

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_engines: Final[dict[str, Engine]] = {}
_PRELOADED: Final = (
    *("protocols.registry", "protocols.deteval", "protocols.evaltex.protocol", "protocols.iou"),
    "rankings.analysis.analysis",
)
# Schedulers that once answered: for them an outage is temporary; others may have a wrong address.
_reached: Final[set[str]] = set()
# A forked process has its parent's engine in memory, and must create its own.
_pid = 0


class NotComputed(JobFailed):
    """The chunks of a job were not computed: no cluster, or a chunk that was given up."""


class ClusterLost(NotComputed, TryLater):
    """A cluster that once answered no longer does; the job is retried later."""


@contextmanager
def computing() -> Iterator[Executor | None]:
    """Yield the executor for a job's chunks, or None to compute them in this process.

    Raises NotComputed, with the engine's message, if the engine fails.
    """
    try:
        yield _executor()
    except EngineLost as fault:
        raise ClusterLost(str(fault)) from fault
    except EngineError as fault:
        raise NotComputed(str(fault)) from fault


def close() -> None:
    """End this worker's computing processes and its connection to the cluster."""
    with _lock:
        for engine in _engines.values():
            engine.close()
        _engines.clear()


def _executor() -> Executor | None:
    if not settings.DASK_SCHEDULER:
        return _processes()
    from text_rankings.base.cluster import Cluster

    address = settings.DASK_SCHEDULER
    try:
        engine = _kept("cluster", lambda: Cluster(address))
    except EngineUnavailable as fault:
        if settings.ENGINE_FALLBACK == "local":
            _log.warning("%s Computing on this machine instead.", fault)
            return _processes()
        if address in _reached:
            raise EngineLost(str(fault)) from fault
        raise
    _reached.add(address)
    return engine


def _processes() -> Executor | None:
    from text_rankings.base.processes import Processes, n_cores

    n_workers = n_cores() if settings.ENGINE_WORKERS is None else settings.ENGINE_WORKERS
    if n_workers < 2:
        return None
    return _kept("processes", lambda: Processes(n_workers, _PRELOADED))


def _kept(name: str, make: Callable[[], Engine]) -> Engine:
    """Return this process's engine of this name; create one if none is open."""
    global _pid
    with _lock:
        if _pid != os.getpid():
            _engines.clear()
            _pid = os.getpid()
        engine = _engines.get(name)
        if engine is not None and not engine.is_open:
            _engines.pop(name).close()
            engine = None
        if engine is None:
            engine = _engines[name] = make()
        return engine


atexit.register(close)
