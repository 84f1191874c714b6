"""The description and the source of a figure, for its files."""

import re
from collections.abc import Mapping
from typing import Final

from ..figure import Figure

# Characters that XML does not allow, not even escaped.
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def description(figure: Figure) -> str:
    return " ".join(filter(None, (figure.caption, figure.summary, *figure.notes)))


def source(facts: Mapping[str, str]) -> str:
    """Return the facts about a figure's origin in one line."""
    return "; ".join(f"{name}: {value}" for name, value in facts.items())


def printable(text: str) -> str:
    """Return the text with U+FFFD in place of each character that XML does not allow."""
    return _NOT_XML.sub("\ufffd", text)
