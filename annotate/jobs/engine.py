"""The engine that computes the chunks of jobs: one for each worker process, made on first use."""

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
# Schedulers that answered this process: they are away for a while, where others have a wrong address.
_reached: Final[set[str]] = set()
# A forked process has its parent's engine in memory, and must make its own.
_pid = 0


class NotComputed(JobFailed):
    """The chunks of a job were not computed: no cluster, or a chunk that was given up."""


class ClusterLost(NotComputed, TryLater):
    """A cluster that has answered does no more; the job is begun again a minute later."""


@contextmanager
def computing() -> Iterator[Executor | None]:
    """Yield where a job's chunks are computed, None for in this process.

    Raises NotComputed, with a sentence, where the engine says that it cannot.
    """
    try:
        yield _executor()
    except EngineLost as fault:
        raise ClusterLost(str(fault)) from fault
    except EngineError as fault:
        raise NotComputed(str(fault)) from fault


def close() -> None:
    """End the processes of this worker that compute, and its connection to the cluster."""
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
    """Return the engine of this process; make one if none can compute."""
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
