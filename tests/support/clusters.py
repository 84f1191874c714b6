"""A local Dask cluster for tests, with a scheduler and workers as real processes."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.chunks import until

_RESTARTING = ("sh", "-c", 'while :; do "$@"; sleep 0.5; done', "sh")
_ROOT = Path(__file__).resolve().parents[2]


@dataclass
class StartedCluster:
    address: str
    scheduler: subprocess.Popen[bytes]


@contextmanager
def started_cluster(
    folder: Path, n_workers: int = 2, scheduler_path: str = str(_ROOT)
) -> Iterator[StartedCluster]:
    """Start a scheduler and workers; at the end, kill all their processes.

    A worker that was killed is restarted by a shell. Dask's own supervisor, the nanny, gives up a
    worker that dies before it has reported its address.
    """
    paths = {"scheduler": scheduler_path, "worker": str(_ROOT)}
    environment = {
        **os.environ,
        "DASK_TEMPORARY_DIRECTORY": str(folder),
        # A chunk fails after two workers died of it, so tests need not kill many.
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    }
    log = folder / "scheduler.log"
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, *arguments: str) -> subprocess.Popen[bytes]:
        supervisor = _RESTARTING if name == "worker" else ()
        with (folder / f"{name}.log").open("ab") as stream:
            process = subprocess.Popen(
                [
                    *supervisor,
                    sys.executable,
                    "-m",
                    "dask",
                    name,
                    "--host",
                    "127.0.0.1",
                    *arguments,
                ],
                stdout=stream,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env=environment | {"PYTHONPATH": paths[name]},
                cwd=folder,
                start_new_session=True,
            )
        started.append(process)
        return process

    def address() -> str:
        told = re.search(r"Scheduler at:\s+(tcp://[\d.:]+)", log.read_text())
        return told[1] if told else ""

    try:
        scheduler = start("scheduler", "--port", "0", "--no-dashboard")
        until(address)
        for _ in range(n_workers):
            start("worker", address(), "--no-nanny", "--nthreads", "1", "--no-dashboard")
        until(lambda: log.read_text().count("Register worker") >= n_workers)
        yield StartedCluster(address(), scheduler)
    finally:
        for process in started:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children, which are in its session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()
