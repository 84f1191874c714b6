"""Computing in processes of this machine, started once and used for many chunks."""

import multiprocessing
import os
import pickle  # nosec B403
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from typing import Any, Final, TypeVar

from .chunks import ATTEMPTS, Engine, died
from .errors import ChunkFailed, EngineError, EngineUnavailable

T = TypeVar("T")
# A process for each core already: libraries must not start a thread for each core besides.
_ONE_THREAD: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
# A fork server that was killed refuses connections for a moment before the system reports its end.
_PAUSE_SECONDS: Final = 0.2


class _Died(Exception):
    """The process died, or its fork server died before the process had started."""


class _GivenUp(ChunkFailed):
    """The processes that computed one chunk died each time."""


def n_cores() -> int:
    """Return the number of cores that this process may use.

    A container may allow fewer than the machine has.

    Examples
    --------
    >>> 1 <= n_cores() <= os.cpu_count()
    True
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


class Processes(Engine):
    """An executor over processes of its own, each computing one chunk at a time.

    Processes start when there is something to compute. One that dies takes its own chunk with it
    and no other's; it is started anew and the chunk begun again, three times at most. A fork server
    that dies while it starts a process costs the chunk one of these attempts. Processes end with
    this one, even if it is killed.

    Parameters
    ----------
    n_workers : int or None
        None: one for each core.
    preload : sequence of str
        Modules that chunks need, imported once for all processes where the system can do so.
    """

    def __init__(self, n_workers: int | None = None, preload: Sequence[str] = ()) -> None:
        self._n_workers = n_workers or n_cores()
        # A thread for each process: it hands over a chunk and waits for the answer.
        self._threads = ThreadPoolExecutor(self._n_workers, thread_name_prefix="chunk")
        self._context = _context(preload)
        self._of_thread = threading.local()
        self._processes: set[_Process] = set()
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
        """The processes that run now."""
        with self._lock:
            return sorted(process.pid for process in self._processes)

    def submit(self, work: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return self._threads.submit(self._computed, work, args, kwargs)

    def _computed(self, work: Callable[..., T], args: Any, kwargs: Any) -> T:
        asked = pickle.dumps((work, args, kwargs))
        for _ in range(ATTEMPTS):
            try:
                process = self._own_process()
            except _Died:
                time.sleep(_PAUSE_SECONDS)
                continue
            try:
                succeeded, answer = process.answer(asked)
            except _Died:
                self._drop(process)
                continue
            if not succeeded:
                raise answer
            return answer  # type: ignore[no-any-return]
        raise _GivenUp(f"The process that computed it died {ATTEMPTS} times.")

    def _own_process(self) -> "_Process":
        """Return the process of this thread; start one if it has none."""
        process: _Process | None = getattr(self._of_thread, "process", None)
        with self._lock:
            if self._closed:
                raise EngineUnavailable("The processes that compute were ended.")
            if process is None:
                process = self._of_thread.process = _Process(self._context)
                self._processes.add(process)
        return process

    def _drop(self, process: "_Process") -> None:
        with self._lock:
            self._processes.discard(process)
        self._of_thread.process = None
        process.end()

    def explained(self, fault: BaseException, name: str) -> Exception | None:
        return died(name) if isinstance(fault, _GivenUp) else None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes: when all is computed, or at once with ``cancel_futures``."""
        if cancel_futures:
            with self._lock:
                self._closed = True
                for process in self._processes:
                    process.kill()
        self._threads.shutdown(wait=True, cancel_futures=cancel_futures)
        for process in self._processes:
            process.end()
        self._processes.clear()
        self._closed = True


class _Process:
    """One process, and the only end of the pipe that keeps it alive.

    Raises _Died if the fork server dies while it starts the process; the next start makes another
    fork server.
    """

    def __init__(self, context: Any) -> None:
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        try:
            with _one_thread_each():
                self._process.start()
        except (EOFError, ConnectionError) as fault:
            # A process that did start ends with our end of its pipe.
            self._ours.close()
            raise _Died from fault
        finally:
            theirs.close()
        self.pid: int = self._process.pid

    def answer(self, asked: bytes) -> tuple[bool, Any]:
        """Return whether the work succeeded, and what it returned or raised.

        Raises _Died if the process does.
        """
        try:
            self._ours.send_bytes(asked)
            answered = self._ours.recv_bytes()
        except (EOFError, OSError) as fault:
            raise _Died from fault
        # Our own process.
        return pickle.loads(answered)  # type: ignore[no-any-return]  # nosec B301

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()
        self._ours.close()


def _context(preload: Sequence[str]) -> BaseContext:
    """Return how processes start: never as a copy of this one, which has threads and connections."""
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


def _serve(connection: Connection) -> None:
    """Compute what comes through the pipe until its other end is closed, by whatever cause."""
    # Ctrl+C goes to all processes of a terminal; who started this one ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            asked = connection.recv_bytes()
        except (EOFError, OSError):
            return
        answered = _computed(asked)
        try:
            connection.send_bytes(answered)
        except OSError:
            return


def _computed(asked: bytes) -> bytes:
    try:
        # From who started this process.
        work, args, kwargs = pickle.loads(asked)  # nosec B301
        return pickle.dumps((True, work(*args, **kwargs)))
    except BaseException as fault:
        try:
            answered = pickle.dumps((False, fault))
            pickle.loads(answered)  # nosec B301
        except Exception:
            return pickle.dumps((False, EngineError(f"{type(fault).__name__}: {fault}")))
        return answered
