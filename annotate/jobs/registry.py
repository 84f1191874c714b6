"""The function that does the work of each kind of job. `annotate/work.py` fills it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Progress(Protocol):
    """Hears how far a piece of work is; raises Stopped when it should end."""

    def tell(self, done: int, total: int, doing: str = "") -> None: ...


# arguments, progress
Work = Callable[[Mapping[str, Any], Progress], None]
_KINDS: dict[str, Work] = {}


def register(kind: str, work: Work) -> None:
    _KINDS[kind] = work


def work_of(kind: str) -> Work:
    return _KINDS[kind]
