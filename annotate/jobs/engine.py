"""The engines that compute the chunks of jobs, created on first use: one for each thread of a worker."""

import atexit
import logging
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar
from weakref import WeakSet

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
_T = TypeVar("_T")
# Raises what ends the job of this thread, if it must end; None outside a job.
must_go_on: ContextVar[Callable[[], None] | None] = ContextVar("must_go_on", default=None)


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
        executor, check = _executor(), must_go_on.get()
        if not isinstance(executor, Engine) or check is None:
            yield executor
            return
        of_job = _OfJob(executor, check)
        try:
            yield of_job
        finally:
            of_job.leave()
    except EngineLost as fault:
        raise ClusterLost(str(fault)) from fault
    except EngineError as fault:
        raise NotComputed(str(fault)) from fault


class _OfJob(Engine):
    """The engine for one job, which stops waiting, and ends its chunks, when the job must end."""

    def __init__(self, engine: Engine, check: Callable[[], None]) -> None:
        self._engine, self._check = engine, check
        self._futures: WeakSet[Future[Any]] = WeakSet()

    @property
    def n_workers(self) -> int:
        return self._engine.n_workers

    @property
    def is_open(self) -> bool:
        return self._engine.is_open

    def submit(self, work: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        self._check()
        future = self._engine.submit(work, *args, **kwargs)
        self._futures.add(future)
        return future

    def check(self) -> None:
        self._check()
        self._engine.check()

    def explained(self, fault: BaseException, name: str) -> Exception | None:
        return self._engine.explained(fault, name)

    def leave(self) -> None:
        self._engine.abandon([future for future in self._futures if not future.done()])


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
    if n_workers < 1:
        return None
    # Each thread has its own, so that no job waits for chunks of another; the system shares the cores.
    name = f"processes of thread {threading.get_ident()}"
    return _kept(name, lambda: Processes(n_workers, _PRELOADED))


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
