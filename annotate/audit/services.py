"""Writing to the log. Every service that performs an administrative act calls record()."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.contrib.auth.models import User

from .models import Act, AuditEntry

_MAX_WHAT = AuditEntry._meta.get_field("what").max_length
# Called only when something is recorded: the user of a request is known late, or never.
_who_acts: ContextVar[Callable[[], Any] | None] = ContextVar("who_acts", default=None)


def record(
    act: Act,
    *,
    what: str = "",
    study: Any = None,
    about: User | None = None,
    actor: User | None = None,
    details: dict[str, Any] | None = None,
) -> AuditEntry:
    """Add an entry. Call it in the transaction of the act, so that neither is stored alone.

    ``actor`` defaults to the user of the request, and in a command to none. ``what`` and
    ``details`` must not name or describe a person: use ``about`` for that.
    """
    return AuditEntry.objects.create(
        act=act,
        what=what[:_MAX_WHAT],
        study=study,
        about=about,
        actor=actor or _whoever_acts(),
        details=details or {},
    )


@contextmanager
def acting(who: Callable[[], Any]) -> Iterator[None]:
    """Attribute everything recorded inside to the person that ``who`` returns."""
    before = _who_acts.set(who)
    try:
        yield
    finally:
        _who_acts.reset(before)


def _whoever_acts() -> User | None:
    who = _who_acts.get()
    person = who() if who is not None else None
    return person if person is not None and person.is_authenticated else None
