"""The function that does the work of each kind of job. `annotate/work.py` fills it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.contrib.auth.models import User


class Progress(Protocol):
    """Hears how far a piece of work is; raises Stopped when it should end."""

    def tell(self, done: int, total: int, doing: str = "") -> None: ...


@dataclass
class Outcome:
    """What came of a job: a sentence, the page to go on to, rows, a file in the results' folder."""

    text: str = ""
    address: str = ""
    # By kind, the primary keys of what was made.
    made: dict[str, int] = field(default_factory=dict)
    file: str = ""
    file_name: str = ""


class Running(Progress, Protocol):
    """A job at work, which can write its result once."""

    @property
    def pk(self) -> int:
        """The key of the job's row."""

    @property
    def person(self) -> User | None:
        """Who asked for it."""

    def publishing(self) -> AbstractContextManager[Outcome]:
        """Open the transaction in which the result is written and the job is done, or neither.

        Raises Superseded where another worker has the job, Cancelled where a person stopped it.
        """


# arguments, job
Work = Callable[[Mapping[str, Any], Running], None]
_KINDS: dict[str, Work] = {}
# Done once an hour by one worker: what nobody would miss is cleared away.
UPKEEP: list[Callable[[], object]] = []
# Looked after once a minute by every worker, and so nothing that may not be done twice.
EVERY_MINUTE: list[Callable[[], object]] = []


def register(kind: str, work: Work) -> None:
    _KINDS[kind] = work


def work_of(kind: str) -> Work:
    """Return the function that does the work of a kind; raises KeyError for an unknown kind."""
    return _KINDS[kind]
