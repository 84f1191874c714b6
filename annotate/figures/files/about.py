"""The description of a figure that its files carry, and its source."""

import re
from collections.abc import Mapping
from typing import Final

from ..figure import Figure

# XML has no place for these, not even escaped.
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def description(figure: Figure) -> str:
    return " ".join(filter(None, (figure.caption, figure.summary, *figure.notes)))


def source(facts: Mapping[str, str]) -> str:
    """Return where a figure comes from, in one line."""
    return "; ".join(f"{name}: {value}" for name, value in facts.items())


def printable(text: str) -> str:
    """Return the text with a mark in place of each letter that no file can hold."""
    return _NOT_XML.sub("\ufffd", text)
