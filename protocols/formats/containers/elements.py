"""The elements of XML documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final
from xml.parsers import expat

from ..problems import Fault, quoted, visible
from .documents import Document

_MAX_DEPTH: Final = 50
# All are in memory at once; a page, or the words of a dataset, has far fewer.
_MAX_ELEMENTS: Final = 10_000_000


@dataclass(slots=True, eq=False)
class Element:
    """An element: its name without a prefix, attributes, line, inner elements, and own text."""

    name: str
    attributes: dict[str, str]
    line: int
    # Most elements have none, and lists of them would take a third of the time.
    inside: "Sequence[Element]" = ()
    text: str = ""

    def all(self, name: str | None = None) -> Iterator["Element"]:
        """Yield all inner elements in the order of the document; of a name, none inside another."""
        for inner in self.inside:
            is_wanted = name in (None, inner.name)
            if is_wanted:
                yield inner
            if name is None or not is_wanted:
                yield from inner.all(name)

    def at(self, name: str) -> list["Element"]:
        """Return the elements of a name that are directly inside."""
        return [inner for inner in self.inside if inner.name == name]


def element_of(document: Document, root: str) -> Element:
    """Return the outermost element of a document, whose name is ``root``.

    Document types and entities are refused, so nothing is fetched or expanded. Raises Fault, with its
    line, for these (A2), elements nested too deeply (A3), and what is no XML of this root (A1).
    """
    parser = expat.ParserCreate()
    parser.buffer_text, parser.buffer_size = True, 2**16
    opened = [Element("", {}, 0)]
    # Of the open elements, by depth: a text that grows would be copied for each of its parts.
    texts: list[list[str]] = [[] for _ in range(_MAX_DEPTH + 1)]
    numbers = count(1)

    def start(tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2] if ":" in tag else tag
        if len(opened) == 1 and name != root:
            raise Fault("A1", f"a document {quoted(tag)}", f"<{root}>")
        if len(opened) > _MAX_DEPTH:
            raise Fault("A3", f"elements nested more than {_MAX_DEPTH} deep", "fewer")
        if next(numbers) > _MAX_ELEMENTS:
            raise Fault("A3", f"more than {_MAX_ELEMENTS} elements", "fewer")
        element, around = Element(name, attributes, parser.CurrentLineNumber), opened[-1]
        if isinstance(around.inside, list):
            around.inside.append(element)
        else:
            around.inside = [element]
        opened.append(element)

    def end(tag: str) -> None:
        element, parts = opened.pop(), texts[len(opened)]
        if parts:
            element.text = "".join(parts)
            parts.clear()

    def add_text(text: str) -> None:
        texts[len(opened) - 1].append(text)

    def refuse(*_: object) -> None:
        raise Fault("A2", "a document type or entity declaration", "plain elements")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = add_text
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(document.content, True)
    except Fault as fault:
        fault.line = parser.CurrentLineNumber
        raise
    except (expat.ExpatError, LookupError, ValueError) as fault:
        found, line = f"no XML: {visible(str(fault))[:200]}", getattr(fault, "lineno", None)
        raise Fault("A1", found, "an XML document", line=line) from fault
    return opened[0].inside[0]


def tree_of(element: Element) -> dict[str, Any] | str:
    """Return an element as an object: attributes and inner elements by name, text as ``#``.

    Several elements of a name are a list, and one with a text alone is that text.
    """
    found: dict[str, Any] = dict(element.attributes)
    for inner in element.inside:
        value, before = tree_of(inner), found.get(inner.name)
        if isinstance(before, list):
            before.append(value)
        else:
            found[inner.name] = value if before is None else [before, value]
    text = element.text.strip()
    if found and text:
        found["#"] = text
    return found or text
