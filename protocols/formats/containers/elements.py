"""The elements of XML documents, one after the other."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from xml.parsers import expat

from ..problems import Fault, Problems, quoted, visible
from .documents import Document

_MAX_DEPTH: Final = 50


class Elements:
    """Base of readers of XML: ``start`` and ``end`` are called with the names of elements.

    Names come without prefixes. ``root`` is the only name of the outermost element; ``open`` holds
    the names of all open elements, the current one last; ``line`` is that of the document.
    """

    root: str = ""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.line = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Read the beginning of an element; a Fault becomes a problem with its line."""

    def end(self, name: str) -> None:
        """Read the end of an element; a Fault becomes a problem with its line."""

    def text(self, text: str) -> None:
        """Read a piece of the text between elements."""


def parse_xml(document: Document, elements: Elements, problems: Problems) -> bool:
    """Pass the elements of a document to a reader; return whether all could be read.

    Document types and entities are refused, so nothing is fetched or expanded, and so is a document
    of another format, by its root. After a Fault of the reader parsing continues.
    """
    parser = expat.ParserCreate()

    def opened(tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if not elements.open and name != elements.root:
            raise _Stopped("A1", f"a document {quoted(tag)}", f"<{elements.root}>")
        elements.open.append(name)
        if len(elements.open) > _MAX_DEPTH:
            raise _Stopped("A3", f"elements nested more than {_MAX_DEPTH} deep", "fewer")
        _guarded(lambda: elements.start(name, attributes))

    def closed(tag: str) -> None:
        _guarded(lambda: elements.end(elements.open[-1]))
        elements.open.pop()

    def _guarded(work: Callable[[], None]) -> None:
        elements.line = parser.CurrentLineNumber
        try:
            work()
        except Fault as fault:
            problems.fault(fault, document.entry, elements.line)

    def declared(*_: object) -> None:
        raise _Stopped("A2", "a document type or entity declaration", "plain elements")

    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.CharacterDataHandler = elements.text
    parser.StartDoctypeDeclHandler = declared
    parser.EntityDeclHandler = declared
    try:
        parser.Parse(document.content, True)
    except _Stopped as fault:
        problems.fault(fault, document.entry, parser.CurrentLineNumber)
        return False
    except (expat.ExpatError, LookupError, ValueError) as fault:
        found = f"no XML: {visible(str(fault))[:200]}"
        line = getattr(fault, "lineno", None)
        problems.error("A1", found, "an XML document", document.entry, line)
        return False
    return True


def tree_of(document: Document, root: str, problems: Problems) -> dict[str, Any] | None:
    """Return a document as an object: attributes and inner elements by name, text as ``#``.

    Several elements of a name are a list, and one with a text alone is that text. None if the
    document is not read; see ``parse_xml``.
    """
    tree = _Tree(root)
    if not parse_xml(document, tree, problems):
        return None
    whole = tree.whole
    return whole if isinstance(whole, dict) else {"#": whole}


class _Tree(Elements):
    def __init__(self, root: str) -> None:
        super().__init__()
        self.root = root
        self._inside: list[dict[str, Any]] = []
        self.whole: dict[str, Any] | str = {}

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._inside.append(dict(attributes))

    def end(self, name: str) -> None:
        element = self._inside.pop()
        text = element.pop("#", "").strip()
        found: dict[str, Any] | str = element or text
        if element and text:
            element["#"] = text
        if not self._inside:
            self.whole = found
            return
        around = self._inside[-1]
        before = around.get(name)
        if isinstance(before, list):
            before.append(found)
        else:
            around[name] = found if before is None else [before, found]

    def text(self, text: str) -> None:
        if self._inside:
            self._inside[-1]["#"] = self._inside[-1].get("#", "") + text


class _Stopped(Fault):
    """A fault that ends the reading of a document."""
