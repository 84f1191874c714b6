"""Computing on a Dask cluster: the same chunks, on any number of machines."""

import asyncio
import importlib
import logging
import pickle  # nosec B403
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from time import monotonic
from typing import Any, Final, TypeVar

from .chunks import Engine, died
from .errors import ChunkFailed, EngineLost, EngineUnavailable

T = TypeVar("T")
# A scheduler that does not answer is reported after this time.
CONNECT_SECONDS: Final = 5.0
# A scheduler counts as lost if it is silent this long while a chunk is pending.
ANSWER_SECONDS: Final = 15.0
# A cluster may be without workers for this long, because batch systems start them slowly.
NO_WORKER_SECONDS: Final = 120.0
# Libraries that, like the program itself, determine the last digit of a result.
_LIBRARIES: Final = ("numpy", "scipy", "shapely")


class VersionsDiffer(ChunkFailed):
    """A worker with other versions than the caller; the message names them."""


class Cluster(Engine):
    """An executor over the workers of a Dask cluster.

    If a worker dies, the scheduler restarts its chunk on another one. Workers need this program and
    its libraries in the same versions; each chunk checks them. ``address`` is that of the
    scheduler, such as tcp://10.0.0.5:8786. Raises EngineUnavailable if Dask is not installed, or
    the scheduler does not answer within ``timeout`` seconds.
    """

    def __init__(self, address: str, timeout: float = CONNECT_SECONDS) -> None:
        self.address = address
        try:
            from distributed import Client
        except ImportError as fault:
            raise EngineUnavailable(
                "Computing on a cluster needs Dask: pip install 'text-detection-rankings[cluster]'"
            ) from fault
        # Dask logs lost connections with stack traces; errors here explain them.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        try:
            # In a thread of its own, because the caller's may have a running event loop, as in a
            # notebook.
            with ThreadPoolExecutor(1) as thread:
                thread.submit(lambda: asyncio.run(_greet(address, timeout - 0.5))).result()
            self._client: Any = Client(address, timeout=timeout, set_as_default=False)
        # Another program may be listening there, whose answer can break the client in any way.
        except Exception as fault:
            raise EngineUnavailable(
                f"No Dask scheduler answered at {address!r} within {timeout:g} s. Start it, or correct "
                "its address."
            ) from fault
        self._executor: Any = self._client.get_executor(pure=False)
        self._worker_seen = monotonic()
        self._n_threads = self._n_threads_now()

    @property
    def n_workers(self) -> int:
        # Workers may still be starting.
        return max(self._n_threads, 4)

    def submit(self, work: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        # As bytes, because the library would search any other object for futures.
        asked = pickle.dumps((work, args, kwargs))
        future: Future[T] = self._executor.submit(_run_there, _versions_of(work), asked)
        return future

    def check(self) -> None:
        try:
            self._n_threads = self._n_threads_now()
        except (OSError, ValueError, RuntimeError, CancelledError) as fault:
            raise self._lost() from fault
        if self._n_threads:
            self._worker_seen = monotonic()
        elif monotonic() - self._worker_seen > NO_WORKER_SECONDS:
            raise EngineUnavailable(
                f"The Dask scheduler at {self.address} has had no worker for "
                f"{NO_WORKER_SECONDS:.0f} s. Start workers with this program on their PYTHONPATH "
                "(without it they end at their first chunk), and try again."
            )

    @property
    def is_open(self) -> bool:
        return self._client.status == "running"  # type: ignore[no-any-return]

    def _n_threads_now(self) -> int:
        if not self.is_open:
            raise OSError("the connection is closed")
        asked = self._client.scheduler.identity
        told = self._client.sync(asked, n_workers=0, callback_timeout=ANSWER_SECONDS)
        return int(told["total_threads"])

    def _lost(self) -> EngineLost:
        return EngineLost(
            f"The connection to the Dask scheduler at {self.address} was lost. Nothing was kept; "
            "when it runs again, start anew."
        )

    def explained(self, fault: BaseException, name: str) -> Exception | None:
        from distributed import KilledWorker

        if isinstance(fault, KilledWorker):
            return died(name)
        if isinstance(fault, CancelledError) or not self.is_open:
            return self._lost()
        # The scheduler wraps the error of an import.
        missing = fault if isinstance(fault, ModuleNotFoundError) else fault.__cause__
        if isinstance(missing, ModuleNotFoundError):
            where = "A worker" if missing is fault else "The scheduler"
            return VersionsDiffer(
                f"{where} of the cluster does not find the module {missing.name}. Put this program "
                "on its PYTHONPATH, install its extra [cluster] there, and start it again."
            )
        return None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        # The library cannot close a connection that is lost or is just being lost.
        with suppress(Exception):
            self._executor.shutdown(wait=wait and not cancel_futures)
        with suppress(Exception):
            self._client.close(timeout=2)


async def _greet(address: str, timeout: float) -> None:
    """Raise an error if no scheduler answers, without a client, which would take long to close."""
    from distributed.comm import connect

    if not address.strip():
        raise ValueError("no address")
    comm = await connect(address, timeout=timeout)
    await comm.close()


def _run_there(expected: Mapping[str, str], asked: bytes) -> Any:
    """Compute a chunk on a worker; raise VersionsDiffer if its versions are not those expected."""
    own = _versions(next(iter(expected)))
    differing = [name for name in expected if own[name] != expected[name]]
    if differing:
        there = ", ".join(f"{name} {own[name] or 'missing'}" for name in differing)
        here = ", ".join(f"{name} {expected[name]}" for name in differing)
        raise VersionsDiffer(
            f"A worker of the cluster has {there}; expected {here}. Results could differ: install "
            "the same versions, and start the worker again."
        )
    # Safe to unpickle: it comes from a client of the same cluster.
    work, args, kwargs = pickle.loads(asked)  # nosec B301
    return work(*args, **kwargs)


def _versions_of(work: Callable[..., Any]) -> dict[str, str]:
    module = getattr(work, "__module__", None) or type(work).__module__
    return _versions(module.partition(".")[0])


def _versions(package: str) -> dict[str, str]:
    """Return the versions of the package of a chunk (first), of Python and of the libraries."""
    program = importlib.import_module(package)
    versions = {package: str(getattr(program, "__version__", ""))}
    versions["Python"] = ".".join(map(str, sys.version_info[:2]))
    for name in _LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = ""
    return versions
