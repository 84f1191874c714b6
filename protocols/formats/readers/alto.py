"""ALTO XML: the words of a page, as libraries store them ([LOC]_)."""

from collections.abc import Mapping
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector, reader_of
from ..containers.contents import Kind
from ..containers.documents import Document
from ..containers.elements import Elements, parse_xml
from ..containers.pages import BLOCK, LINE, WORD, Page, Unit, add_pages
from ..problems import Fault, Problems, quoted

_SIDES: Final = ("HPOS", "VPOS", "WIDTH", "HEIGHT")
_POINTS: Final = "POINTS"
_UNIT: Final = "pixel"
_OTHERS: Final = ("Illustration", "GraphicalElement")
_LEVELS: Final = {"TextBlock": BLOCK, "TextLine": LINE, "String": WORD}


def _read_alto(document: Document, collector: Collector, problems: Problems, kind: Kind) -> None:
    """Read the words of each page with their lines as parents, or the lines of a page without words."""
    alto = _Alto()
    if parse_xml(document, alto, problems) and not alto.has_page:
        problems.error("A1", "no Page", "an alto with a Page", document.entry)
    add_pages(alto.pages, document, collector, problems, kind, _region)


read_alto: Final = reader_of("alto-xml", ".xml", _read_alto)


class _Alto(Elements):
    root = "alto"

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[Page] = []
        self.has_page = False
        self._page: Page | None = None
        # The open block, line and string: attributes, and the points of their own outlines.
        self._open: list[Unit] = []
        # The strings of the open line.
        self._strings: list[Unit] = []
        self._texts: dict[str, list[str]] = {}

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Page":
            self._page, self.has_page = None, True
            self._open.clear()
            self._page = self._started(attributes)
            self.pages.append(self._page)
        elif self._page is None:
            return
        elif name in _LEVELS:
            parent = self._open[-1].id if self._open else None
            given = dict(attributes)
            unit = Unit(_LEVELS[name], self.line, given, attributes.get("ID"), parent)
            unit.text = attributes.get("CONTENT")
            self._open.append(unit)
        elif name in _OTHERS:
            self._page.n_others += 1
        elif name == "Polygon" and self._open and self.open[-3] in _LEVELS:
            self._open[-1].given.setdefault(_POINTS, attributes.get(_POINTS, ""))

    def text(self, text: str) -> None:
        if self.open[-1] in ("fileName", "MeasurementUnit"):
            self._texts.setdefault(self.open[-1], []).append(text)

    def end(self, name: str) -> None:
        if name not in _LEVELS or not self._open or self._page is None:
            return
        unit = self._open.pop()
        if unit.level == WORD:
            self._strings.append(unit)
            if not any(side in unit.given for side in (*_SIDES, _POINTS)):
                # A text of its line.
                return
        elif unit.level == LINE:
            self._end_line(unit)
        self._page.add(unit, self._open)

    def _started(self, attributes: Mapping[str, str]) -> Page:
        unit = self._told("MeasurementUnit") or _UNIT
        if unit != _UNIT:
            raise Fault("L2", f"measures in {quoted(unit)}", "measures in pixels")
        size = None
        if "WIDTH" in attributes and "HEIGHT" in attributes:
            sides = [checked.finite_in(attributes[side]) for side in ("WIDTH", "HEIGHT")]
            size = checked.size_of(*sides)
        return Page(self._told("fileName"), self.line, size)

    def _told(self, name: str) -> str:
        return "".join(self._texts.get(name, ())).strip()

    def _end_line(self, line: Unit) -> None:
        """Give a line the texts of its strings, and the outline to a string that is all of it."""
        strings, self._strings = self._strings, []
        if strings:
            line.text = " ".join(string.text or "" for string in strings)
        if len(strings) == 1:
            [string] = strings
            if "WC" in string.given:
                line.given["WC"] = string.given["WC"]
            points = line.given.get(_POINTS)
            if points and _POINTS not in string.given and _is_box_of(string.given, points):
                string.given[_POINTS] = points


def _is_box_of(given: Mapping[str, str], points: str) -> bool:
    """Return whether sides are those of the box around points, to the pixel."""
    try:
        left, top, width, height = (float(given[side]) for side in _SIDES)
        numbers = list(map(float, points.replace(",", " ").split()))
    except (KeyError, ValueError):
        return False
    xs, ys = numbers[::2], numbers[1::2]
    box = (min(xs), min(ys), max(xs), max(ys)) if ys else ()
    sides = (left, top, left + width, top + height)
    return bool(box) and all(abs(a - b) <= 1 for a, b in zip(box, sides, strict=True))


def _region(unit: Unit) -> Region:
    given, confidence = unit.given, unit.given.get("WC")
    if confidence is not None:
        confidence = checked.confidence_of(checked.finite_in(confidence))
    known: dict[str, Any] = {"text": unit.text or None, "confidence": confidence}
    known |= {"id": unit.id, "parent": unit.parent}
    if _POINTS in given:
        numbers = given[_POINTS].replace(",", " ").split()
        return Region(checked.points_of([checked.finite_in(of) for of in numbers]), **known)
    if not any(side in given for side in _SIDES):
        wanted = "HPOS, VPOS, WIDTH and HEIGHT, or a Shape"
        name = next(name for name, level in _LEVELS.items() if level == unit.level)
        raise Fault("S3", f"a {name} without an outline", wanted)
    sides = [checked.finite_in(given.get(side, ""), f"a number as {side}") for side in _SIDES]
    return checked.box_region(*sides, **known)
