"""The formats that can be read: those of this package, listed in formats.json, and of plug-ins."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..containers.archives import Limits
from ..containers.collecting import reader_of
from ..containers.contents import KINDS, Archive, Kind, OnEntry, Read
from ..containers.files import Source
from ..readers.fitting_lines import FORMATS_OF_LINES
from ..readers.layouts import rules_named
from ..readers.rrc import read_archive
from ..readers.rrc_lines import Rules

if TYPE_CHECKING:
    from protocols.plugins import Broken, Found

BOTH: Final = KINDS
# The files of an engine.
_ENGINES: Final[Mapping[str | None, tuple[Kind, ...]]] = {
    None: (),
    "results": ("results",),
    "both": KINDS,
}


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


def lines_as(rules: Rules) -> Read:
    """Return a reader of lines; what the rules leave open is detected from all of them."""

    def read_lines(
        source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
    ) -> Archive:
        return read_archive(
            source, kind=kind, name=name, rules=rules, limits=limits, on_entry=on_entry
        )

    return read_lines


def _lazily(slug: str, of: Mapping[str, Any]) -> Read:
    """Return a reader by its name, "module.function"; the module is imported on first use.

    One with suffixes reads a document, with the given options; any other a whole file.
    """
    module, _, function = of["reader"].partition(".")

    def read_lazily(
        source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
    ) -> Archive:
        found = getattr(import_module(f"protocols.formats.readers.{module}"), function)
        if suffixes := tuple(of.get("suffixes", ())):
            read_document = partial(found, **of.get("with", {}))
            found = reader_of(slug, suffixes, read_document, engine=_ENGINES[of.get("engine")])
        archive: Archive = found(source, kind, name, limits, on_entry)
        return archive

    return read_lazily


def _listed(slug: str, of: Mapping[str, Any]) -> Format:
    if "table" in of:
        suffix = ".xml" if "root" in of["table"] else ".json"
        of = {
            "reader": "declared.read_declared",
            "suffixes": [suffix],
            "with": {"table": of["table"]},
            **of,
        }
    read = _lazily(slug, of) if "reader" in of else lines_as(rules_named(slug))
    return Format(slug, of["name"], of["description"], BOTH, read, of["kept"])


_LIST: Final = Path(__file__).with_name("formats.json")
_OURS: Final[Mapping[str, Format]] = {
    slug: _listed(slug, of) for slug, of in json.loads(_LIST.read_text(encoding="utf-8")).items()
}


@cache
def _plugged() -> "Found[Format]":
    from protocols import plugins

    def fitting(name: str, loaded: object) -> Format:
        if not isinstance(loaded, Format):
            raise plugins.Unfit("it is no Format")
        if loaded.slug != name:
            raise plugins.Unfit(
                f"its slug is {loaded.slug!r}, and its entry point must be the same"
            )
        if not loaded.kinds or not set(loaded.kinds) <= set(BOTH):
            raise plugins.Unfit(f"its kinds are {loaded.kinds}, not some of {BOTH}")
        return loaded

    return plugins.loaded(plugins.FORMATS, fitting, _OURS)


class _Formats(Mapping[str, Format]):
    """The formats by slug; plug-ins come last, and are searched for on first use."""

    def __getitem__(self, slug: str) -> Format:
        return _OURS[slug] if slug in _OURS else _plugged().things[slug]

    def __iter__(self) -> Iterator[str]:
        yield from _OURS
        yield from _plugged().things

    def __len__(self) -> int:
        return len(_OURS) + len(_plugged().things)


FORMATS: Final[Mapping[str, Format]] = _Formats()


def broken_plugins() -> "tuple[Broken, ...]":
    """Return the plug-ins whose format cannot be used, each with the reason."""
    return _plugged().broken


# Formats of lines. If a file is guessed to have one, all its lines are examined to read it.
LINES: Final = FORMATS_OF_LINES
