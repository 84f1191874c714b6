"""Chunks: independent pieces of computation, and their answers in order."""

from abc import abstractmethod
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

from .errors import ChunkFailed, EngineUnavailable

Answer = TypeVar("Answer", covariant=True)
T = TypeVar("T")
C = TypeVar("C", bound="Chunk[Any]")

# Time between checks that an engine still works, while waiting for an answer.
BEAT_SECONDS: Final = 2.0
# How many times a chunk is started, at most, if the processes that compute it die.
ATTEMPTS: Final = 3
# Chunks handed out for each worker before the first answer is fetched: no worker waits for work,
# and few chunks are in memory.
_AHEAD: Final = 4


class Chunk(Protocol[Answer]):
    """A piece of computation that can be pickled; its answer depends only on its contents."""

    @property
    def name(self) -> str:
        """The chunk's name for users, such as "images 1 to 64 of a.zip"."""

    def __call__(self) -> Answer: ...


class Engine(Executor):
    """An executor that knows how many chunks it computes at once and explains its failures."""

    @property
    @abstractmethod
    def n_workers(self) -> int: ...

    @property
    @abstractmethod
    def is_open(self) -> bool:
        """Whether the engine can still compute."""

    def check(self) -> None:
        """Raise EngineUnavailable if no workers are left."""

    def explained(self, fault: BaseException, name: str) -> Exception | None:
        """Return an exception that explains a chunk's failure, or None if it is the chunk's own."""
        return None

    def abandon(self, futures: Iterable[Future[Any]]) -> None:
        """Cancel chunks whose answers are no longer needed; one that is being computed may go on."""
        for future in futures:
            future.cancel()

    def close(self) -> None:
        """Cancel waiting and running chunks, and leave nothing behind."""
        self.shutdown(cancel_futures=True)


def answers(executor: Executor | None, chunks: Iterable[C]) -> Iterator[tuple[C, Any]]:
    """Yield each chunk with its answer, in the order of the chunks.

    Any executor of ``concurrent.futures`` will do; None computes chunks here, one after the other.
    Chunks are consumed as workers become free, so that they may be read from a file meanwhile.

    Raises ChunkFailed if a chunk, named in the message, needs too much memory or its process died
    each time, EngineUnavailable if a cluster is lost or has no workers, and any exception of a
    chunk. Chunks that are still waiting are then cancelled.
    """
    chunks = iter(chunks)
    waiting: deque[tuple[C, Future[Any]]] = deque()
    try:
        if executor is None:
            for chunk in chunks:
                yield chunk, _computed_here(chunk)
            return
        n_ahead = _AHEAD * (executor.n_workers if isinstance(executor, Engine) else 4)
        while True:
            for chunk in islice(chunks, n_ahead - len(waiting)):
                waiting.append((chunk, _submitted(executor, chunk)))
            if not waiting:
                return
            chunk, future = waiting.popleft()
            yield chunk, _answer(executor, chunk.name, future)
    finally:
        for _, future in waiting:
            future.cancel()
        if isinstance(chunks, Generator):
            # Release its source now, and not when the failure is garbage-collected.
            chunks.close()


def _computed_here(chunk: Chunk[T]) -> T:
    try:
        return chunk()
    except MemoryError as fault:
        raise _needs_memory(chunk.name) from fault


def _submitted(executor: Executor, chunk: Chunk[T]) -> Future[T]:
    try:
        return executor.submit(chunk)
    except Exception as fault:
        explained = _explained(executor, fault, chunk.name)
        raise explained or fault from fault


def _answer(executor: Executor, name: str, future: Future[T]) -> T:
    """Wait for an answer, and check now and then that the engine still works."""
    while not wait([future], BEAT_SECONDS).done:
        if isinstance(executor, Engine):
            executor.check()
    try:
        return future.result()
    except (Exception, CancelledError) as fault:
        explained = _explained(executor, fault, name)
        if explained is None:
            raise
        raise explained from fault


def _explained(executor: Executor, fault: BaseException, name: str) -> Exception | None:
    if isinstance(executor, Engine) and (explained := executor.explained(fault, name)):
        return explained
    if isinstance(fault, MemoryError):
        return _needs_memory(name)
    if isinstance(fault, BrokenExecutor):
        return died(name)
    if isinstance(fault, CancelledError):
        return EngineUnavailable(f"{name}: cancelled by the executor that computed it")
    return None


def _needs_memory(name: str) -> ChunkFailed:
    return ChunkFailed(f"{name} needs more memory than there is. Fewer workers need less.")


def died(name: str) -> ChunkFailed:
    """Return the failure of a chunk whose processes were killed."""
    return ChunkFailed(
        f"{name} was given up: the process that computed it died, and again when it was tried "
        "again, perhaps for want of memory. Fewer workers need less."
    )
