"""A Dask cluster on this machine for tests: a scheduler and workers that are real processes."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.chunks import until

_ROOT = Path(__file__).resolve().parents[2]


@dataclass
class StartedCluster:
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: subprocess.Popen[bytes]


@contextmanager
def started_cluster(
    folder: Path, n_workers: int = 2, scheduler_path: str = str(_ROOT)
) -> Iterator[StartedCluster]:
    """Start scheduler and workers; end all their processes."""
    paths = {"scheduler": scheduler_path, "worker": str(_ROOT)}
    environment = {
        **os.environ,
        "DASK_TEMPORARY_DIRECTORY": str(folder),
        # A chunk is given up when its worker died twice, so that tests need not kill many.
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    }
    log = folder / "scheduler.log"
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (folder / f"{name}.log").open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", name, "--host", "127.0.0.1", *arguments],
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
        workers = start(
            *("worker", address(), "--nworkers", str(n_workers), "--nthreads", "1"),
            *("--no-dashboard", "--memory-limit", "0"),
        )
        until(lambda: log.read_text().count("Register worker") >= n_workers)
        yield StartedCluster(address(), scheduler, workers)
    finally:
        for process in started:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and those it started, which are in its session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()
