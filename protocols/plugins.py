"""Protocols and formats from other installed packages, found by entry points.

An unusable plug-in is left out and named, so that a fault in one does not stop the rest.
"""

import logging
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Final, Generic, TypeVar

Thing = TypeVar("Thing")

PROTOCOLS: Final = "text_rankings.protocols"
FORMATS: Final = "text_rankings.formats"
_log = logging.getLogger(__name__)


class Unfit(Exception):
    """A plug-in that does not fit its group; the message says why."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A plug-in that is left out: entry point, distribution with its version, and reason."""

    name: str
    package: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name} of {self.package} is left out: {self.reason}"


@dataclass(frozen=True, slots=True)
class Found(Generic[Thing]):
    """Plug-ins by name, with their packages, and those left out."""

    things: Mapping[str, Thing]
    packages: Mapping[str, str]
    broken: tuple[Broken, ...]


def loaded(
    group: str, fitting: Callable[[str, object], Thing], taken: Container[str]
) -> Found[Thing]:
    """Load every plug-in of a group, in the order of their names.

    ``fitting`` takes a name and a loaded object and returns the object to use, or raises Unfit; no
    plug-in may have a name that is taken. Each one left out is also logged, once.
    """
    things: dict[str, Thing] = {}
    packages: dict[str, str] = {}
    broken = []
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        package = f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown package"
        try:
            if point.name in taken:
                raise Unfit("this name is taken")
            if point.name in things:
                raise Unfit(f"{packages[point.name]} brings one of this name, too")
            things[point.name] = fitting(point.name, point.load())
            packages[point.name] = package
        # A module of another package may raise anything.
        except Exception as fault:
            reason = str(fault) if isinstance(fault, Unfit) else f"{type(fault).__name__}: {fault}"
            broken.append(Broken(point.name, package, reason))
            _log.warning("%s", broken[-1])
    return Found(things, packages, tuple(broken))
