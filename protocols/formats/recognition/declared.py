"""A format that can be read, and how formats are declared."""

from dataclasses import dataclass
from importlib import import_module
from typing import Final

from ..containers.archives import Limits, Source
from ..containers.contents import Archive, Kind, OnEntry, Read

BOTH: Final[tuple[Kind, ...]] = ("truth", "results")


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read.

    Attributes
    ----------
    slug : str
    name : str
        Name for people.
    description : str
        One sentence and an example.
    kinds : tuple of str
        Possible contents: "truth", "results".
    read : callable
        Takes source, kind, name, limits and a callback for each entry; returns an Archive.
    kept : str
        Fields kept in addition to the outline.
    """

    slug: str
    name: str
    description: str
    kinds: tuple[Kind, ...]
    read: Read
    kept: str = ""


def lazily(module: str, function: str) -> Read:
    """Return a reader whose module is imported on first use."""

    def read_it(
        source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
    ) -> Archive:
        found: Read = getattr(import_module(f"protocols.formats.readers.{module}"), function)
        return found(source, kind, name, limits, on_entry)

    return read_it
