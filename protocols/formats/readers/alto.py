"""ALTO XML: the words of a page, as libraries store them ([LOC]_)."""

from collections.abc import Mapping
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector
from ..containers.documents import Document
from ..containers.elements import Element, element_of
from ..containers.pages import BLOCK, LINE, WORD, Page, Unit, add_pages, add_units
from ..problems import Fault, quoted

_SIDES: Final = ("HPOS", "VPOS", "WIDTH", "HEIGHT")
_POINTS: Final = "POINTS"
_UNIT: Final = "pixel"
_OTHERS: Final = ("Illustration", "GraphicalElement")
_LEVELS: Final = {"TextBlock": BLOCK, "TextLine": LINE, "String": WORD}


def read_alto(document: Document, collector: Collector) -> None:
    """Read the words of each page, or the lines of one without words; raise Fault without a page."""
    add_pages(_pages(document, collector), document, collector, _region)


def _pages(document: Document, collector: Collector) -> list[Page]:
    alto = element_of(document, "alto")
    unit, name = _told(alto, "MeasurementUnit") or _UNIT, _told(alto, "fileName")
    elements, pages = list(alto.all("Page")), []
    if not elements:
        raise Fault("A1", "no Page", "an alto with a Page")
    for element in elements:
        with collector.catching(element.line):
            if unit != _UNIT:
                raise Fault("L2", f"measures in {quoted(unit)}", "measures in pixels")
            size = checked.size_in_attributes(element.attributes, "WIDTH", "HEIGHT")
            pages.append(Page(name, element.line, size))
            add_units(element, pages[-1], _LEVELS, _unit, _OTHERS.__contains__)
    return pages


def _told(alto: Element, name: str) -> str:
    parts = (part for part in alto.inside if part.name != "Layout")
    found = (of for part in parts for of in (part, *part.all()) if of.name == name)
    return "".join(of.text for of in found).strip()


def _unit(element: Element, parent: str | None) -> Unit | None:
    """Return a unit with its own outline; None for a string without one, which is a text of its line."""
    given = element.attributes
    for polygon in _polygons(element):
        given.setdefault(_POINTS, polygon.attributes.get(_POINTS, ""))
    level = _LEVELS[element.name]
    if level == WORD and not any(side in given for side in (*_SIDES, _POINTS)):
        return None
    unit = Unit(level, element.line, given, given.get("ID"), parent, given.get("CONTENT"))
    if strings := element.at("String") if level == LINE else ():
        unit.text = " ".join(string.attributes.get("CONTENT", "") for string in strings)
    if len(strings) == 1:
        [string] = strings
        if "WC" in string.attributes:
            given["WC"] = string.attributes["WC"]
        points = given.get(_POINTS)
        has_own = _POINTS in string.attributes or _polygons(string)
        if points and not has_own and _is_box_of(string.attributes, points):
            # The outline of the line is that of the string that is all of it.
            string.attributes[_POINTS] = points
    return unit


def _polygons(element: Element) -> list[Element]:
    return [polygon for shape in element.at("Shape") for polygon in shape.at("Polygon")]


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
        return Region(checked.points_in(given[_POINTS]), **known)
    if not any(side in given for side in _SIDES):
        wanted = "HPOS, VPOS, WIDTH and HEIGHT, or a Shape"
        name = next(name for name, level in _LEVELS.items() if level == unit.level)
        raise Fault("S3", f"a {name} without an outline", wanted)
    sides = [checked.finite_in(given.get(side, ""), f"a number as {side}") for side in _SIDES]
    return checked.box_region(*sides, **known)
