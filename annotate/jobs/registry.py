"""Registry of the kinds of jobs: their functions, and the permissions they need.

`annotate/work.py` fills it.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.contrib.auth.models import User
from django.db.models import QuerySet


class Progress(Protocol):
    """Receiver of a job's progress; raises Stopped when the work must end."""

    def tell(self, done: int, total: int, doing: str = "") -> None: ...

    def require_permission(self) -> None:
        """Raise NotAllowed if the person may no longer have this work done.

        Work that writes rows in a transaction of its own calls it last in that transaction.
        """


@dataclass
class Outcome:
    """Result of a job: a sentence, the next page, created rows, a file in the results folder."""

    text: str = ""
    address: str = ""
    # Primary keys of the created rows by kind.
    made: dict[str, int] = field(default_factory=dict)
    file: str = ""
    file_name: str = ""


class Running(Progress, Protocol):
    """A running job, which can publish its result once."""

    @property
    def pk(self) -> int:
        """The key of the job's row."""

    @property
    def person(self) -> User | None:
        """The user who requested the job."""

    def publishing(self) -> AbstractContextManager[Outcome]:
        """Open the transaction that writes the result and marks the job as done, or neither.

        Raises Superseded if another worker has the job, Cancelled if a person stopped it, and
        NotAllowed if its person has lost the permission.
        """


# arguments, job
Work = Callable[[Mapping[str, Any], Running], None]


@dataclass(frozen=True)
class Needed:
    """The permission a person needs to request a kind of work and to download its file."""

    permission: str
    # Returns the row that the job's arguments name. None: the permission is for the whole site.
    row: Callable[[Mapping[str, Any]], QuerySet[Any]] | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of job: its function and the permission it needs; None: only the site starts it."""

    work: Work
    needed: Needed | None


_KINDS: dict[str, Kind] = {}
# Tasks of every hour: deleting expired data.
UPKEEP: list[Callable[[], object]] = []
# Tasks of every minute. Every worker may run them, so they must be safe to repeat.
EVERY_MINUTE: list[Callable[[], object]] = []
# Tasks that every worker does itself each minute, whether the queue works or not.
WATCHES: list[Callable[[], object]] = []


def register(kind: str, work: Work, needed: Needed | None) -> None:
    _KINDS[kind] = Kind(work, needed)


def work_of(kind: str) -> Work:
    """Return the function that does the work of a kind; raises KeyError for an unknown kind."""
    return _KINDS[kind].work


def needed_for(kind: str) -> Needed | None:
    """Return the permission that a kind needs, or None for the site's own kinds."""
    return _KINDS[kind].needed if kind in _KINDS else None


def kinds() -> frozenset[str]:
    """Return the names of all kinds."""
    return frozenset(_KINDS)
