"""The version of the scores: a number that goes up when a protocol's scores may change.

The program's own version changes with every release; scores of one version can be compared, whatever
program made them. `tests/test_stored_numbers.py` compares stored scores with the version.
"""

from dataclasses import dataclass
from typing import Final

from . import registry

MAX_LENGTH: Final = 40


@dataclass(frozen=True, slots=True)
class Change:
    """The protocols whose scores a version changed, and the reason."""

    protocols: tuple[str, ...]
    why: str


# One for each version after the first: its sentence is shown where scores are to be computed again.
CHANGES: Final[tuple[Change, ...]] = ()
VERSION: Final = str(1 + len(CHANGES))
# Signatures and runs had the program's version before scores had one of their own.
_BEFORE: Final = {"0.1.0": "1"}


def version_of(slug: str) -> str:
    """Return the version of a protocol's scores; for a plug-in, also its package and version.

    Examples
    --------
    >>> version_of("iou") == VERSION
    True
    """
    return _whole(VERSION, registry.package_of(slug))


def why_other(slug: str, version: str) -> str:
    """Return why scores of a version may differ from today's; empty if they do not.

    Parameters
    ----------
    slug : str
        Of a known protocol.
    version : str
        As ``version_of`` gave it, at most ``MAX_LENGTH`` characters of it.

    Examples
    --------
    >>> why_other("iou", VERSION), why_other("iou", "999")
    ('', 'their version 999 is not known here')
    """
    number, _, package = version.partition(" + ")
    installed = registry.package_of(slug)
    if version != _whole(number, installed)[:MAX_LENGTH]:
        names = (package or "this program", installed or "this program")
        return "they were made by {}, and now {} makes them".format(*names)
    number = _BEFORE.get(number, number)
    if not number.isdecimal() or not 1 <= int(number) <= int(VERSION):
        return f"their version {number} is not known here"
    changes = enumerate(CHANGES[int(number) - 1 :], int(number) + 1)
    return "; ".join(f"version {at}: {of.why}" for at, of in changes if slug in of.protocols)


def _whole(number: str, package: str) -> str:
    return f"{number} + {package}" if package else number
