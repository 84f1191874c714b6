"""An executor over processes of this machine that survives the death of its workers."""

import multiprocessing
import os
import pickle  # nosec B403
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from .chunks import ATTEMPTS, Engine, died
from .errors import ChunkFailed, EngineError, EngineUnavailable

T = TypeVar("T")
# There is already a process for each core: libraries must not start a thread for each core, too.
_ONE_THREAD: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
# A fork server that was killed refuses connections for a moment before the system reports its end.
_PAUSE_SECONDS: Final = 0.2
_DIED: Final = (BrokenProcessPool, EOFError, ConnectionError)


class _GivenUp(ChunkFailed):
    """Failure of a chunk whose worker process died on each attempt."""


def n_cores() -> int:
    """Return the number of cores that this process may use.

    A container may allow fewer than the machine has.
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


class _Asked:
    """A chunk, pickled; the process that computes it now; and whether it should end."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.pid: int | None = None
        self.is_abandoned = False


class Processes(Engine):
    """An executor whose threads, one for each core by default, each have a pool of one worker.

    A worker that dies therefore breaks only its own pool. Its chunk is tried again in a new one, at
    most three times in all. If the fork server dies, that costs one of these attempts, too. Workers
    end with this process, even if it is killed. Modules to ``preload`` are imported once for all
    workers if the system allows it.
    """

    def __init__(self, n_workers: int | None = None, preload: Sequence[str] = ()) -> None:
        self._n_workers = n_workers or n_cores()
        self._threads = ThreadPoolExecutor(self._n_workers, thread_name_prefix="chunk")
        self._context = _context(preload)
        self._of_thread = threading.local()
        # The process ID of each pool's worker.
        self._workers: dict[ProcessPoolExecutor, int] = {}
        self._asked: WeakKeyDictionary[Future[Any], _Asked] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def n_workers(self) -> int:
        return self._n_workers

    @property
    def is_open(self) -> bool:
        return not self._closed

    @property
    def pids(self) -> list[int]:
        """Process IDs of the running workers."""
        with self._lock:
            return sorted(self._workers.values())

    def submit(self, work: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        asked = _Asked(pickle.dumps((work, args, kwargs)))
        future = self._threads.submit(self._computed, asked)
        self._asked[future] = asked
        return future

    def abandon(self, futures: Iterable[Future[Any]]) -> None:
        """Cancel chunks, and kill the processes that compute them: new ones are started when needed."""
        for future in futures:
            asked = self._asked.get(future)
            if future.cancel() or asked is None:
                continue
            with self._lock:
                asked.is_abandoned = True
                if asked.pid is not None:
                    _kill(asked.pid)

    def _computed(self, asked: _Asked) -> Any:
        for _ in range(ATTEMPTS):
            try:
                pool = self._pool()
                with self._lock:
                    if asked.is_abandoned:
                        raise CancelledError
                    asked.pid = self._workers[pool]
                succeeded, answer = pickle.loads(pool.submit(_run, asked.content).result())  # nosec B301
            except _DIED:
                self._drop()
                time.sleep(_PAUSE_SECONDS)
                continue
            finally:
                with self._lock:
                    asked.pid = None
            if not succeeded:
                raise answer
            return answer
        raise _GivenUp(f"Its worker process died {ATTEMPTS} times.")

    def _pool(self) -> ProcessPoolExecutor:
        """Return the pool of this thread; start one if it has none."""
        pool: ProcessPoolExecutor | None = getattr(self._of_thread, "pool", None)
        if pool is None:
            with self._lock, _one_thread_each(), _without_interrupt():
                self._require_open()
                pool = ProcessPoolExecutor(1, self._context, initializer=_begin)
                self._of_thread.pool = pool
                first = pool.submit(os.getpid)
            pid = first.result()
            with self._lock:
                self._workers[pool] = pid
        self._require_open()
        return pool

    def _require_open(self) -> None:
        if self._closed:
            raise EngineUnavailable("The worker processes were ended.")

    def _drop(self) -> None:
        pool: ProcessPoolExecutor | None = self._of_thread.__dict__.pop("pool", None)
        if pool is not None:
            with self._lock:
                self._workers.pop(pool, None)
            pool.shutdown(wait=False, cancel_futures=True)

    def explained(self, fault: BaseException, name: str) -> Exception | None:
        return died(name) if isinstance(fault, _GivenUp) else None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers: when all chunks are computed, or at once with ``cancel_futures``."""
        if cancel_futures:
            with self._lock:
                self._closed = True
                for pid in self._workers.values():
                    _kill(pid)
        self._threads.shutdown(wait=True, cancel_futures=cancel_futures)
        for pool in self._workers:
            pool.shutdown()
        self._workers.clear()
        self._closed = True


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _context(preload: Sequence[str]) -> BaseContext:
    """Return a context that never forks this process, which has threads and connections."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *preload])
    return context


@contextmanager
def _one_thread_each() -> Iterator[None]:
    added = [name for name in _ONE_THREAD if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


@contextmanager
def _without_interrupt() -> Iterator[None]:
    """Block Ctrl+C in this thread and in what it starts, which would report it while it loads."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Prepare a worker: leave Ctrl+C to its parent, and end when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _run(asked: bytes) -> bytes:
    """Return, pickled, whether the work succeeded, and what it returned or raised.

    An exception that cannot be unpickled would break the pool, so its message is sent instead.
    """
    try:
        # Safe to unpickle: it comes from the process that started this one.
        work, args, kwargs = pickle.loads(asked)  # nosec B301
        return pickle.dumps((True, work(*args, **kwargs)))
    except BaseException as fault:
        try:
            answered = pickle.dumps((False, fault))
            pickle.loads(answered)  # nosec B301
        except Exception:
            return pickle.dumps((False, EngineError(f"{type(fault).__name__}: {fault}")))
        return answered
