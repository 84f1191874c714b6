"""Chunks for tests of the engine: workers import this module to compute them."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep


@dataclass(frozen=True)
class Square:
    number: int

    @property
    def name(self) -> str:
        return f"the square of {self.number}"

    def __call__(self) -> int:
        return self.number**2


@dataclass(frozen=True)
class WhoComputes:
    number: int
    name: str = "who computes"

    def __call__(self) -> int:
        return os.getpid()


@dataclass(frozen=True)
class Raises:
    fault: BaseException
    name: str = "a chunk that raises"

    def __call__(self) -> None:
        raise self.fault


class CannotTravel(Exception):
    """An exception that cannot be restored from its pickle."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{what} in {where}")


@dataclass(frozen=True)
class RaisesWhatCannotTravel:
    name: str = "a chunk"

    def __call__(self) -> None:
        raise CannotTravel("a fault", "line 3")


@dataclass(frozen=True)
class Dies:
    """A chunk that kills its process, every time or only the first ``times``."""

    folder: Path
    times: int = 1_000_000
    name: str = "images 3 to 4 of a.zip"

    def __call__(self) -> int:
        n_before = len(list(self.folder.iterdir()))
        if n_before < self.times:
            (self.folder / str(n_before)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return n_before


@dataclass(frozen=True)
class Meets:
    """A chunk that returns its process id once two processes compute such chunks together."""

    folder: Path
    name: str = "a chunk that meets another"

    def __call__(self) -> int:
        (self.folder / f"pid-{os.getpid()}").touch()
        until(lambda: len(list(self.folder.glob("pid-*"))) == 2)
        return os.getpid()


@dataclass(frozen=True)
class Waits:
    """A chunk that writes its process id to a file name, and ends once a file ``go`` exists."""

    folder: Path
    name: str = "a chunk that waits"

    def __call__(self) -> str:
        (self.folder / f"pid-{os.getpid()}").touch()
        until(lambda: (self.folder / "go").exists())
        return "done"


def pid_of_waiting(folder: Path) -> int:
    until(lambda: any(folder.glob("pid-*")))
    return int(next(folder.glob("pid-*")).name.removeprefix("pid-"))


def until(is_so, seconds: float = 120.0) -> None:
    """Wait until a condition holds; fail after ``seconds``, enough for the slowest machine."""
    end = monotonic() + seconds
    while not is_so():
        if monotonic() > end:
            raise AssertionError(f"not so after {seconds} s")
        sleep(0.01)


def parent_of(pid: int) -> int:
    """Return the parent of a process, for an engine's processes the fork server."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
