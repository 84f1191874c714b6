"""ALTO XML: the words of a page, as libraries store them ([LOC]_)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from protocols.core.regions import Region
from text_rankings.base.i18n import Message

from ..containers import checked
from ..containers.collecting import Collector, reader_of
from ..containers.contents import Kind
from ..containers.documents import Document, image_name, parse_xml
from ..problems import Fault, Problems, quoted

_SIDES: Final = ("HPOS", "VPOS", "WIDTH", "HEIGHT")
_UNIT: Final = "pixel"


def _read_alto(document: Document, collector: Collector, problems: Problems, _: Kind) -> None:
    """Read the strings of an ALTO file, each with its line as parent."""
    page = _Page(document, collector, problems)
    if parse_xml(document, page.start, page.end, problems, page.text) and not page.image:
        problems.error("A1", "no Page", "an alto with a Page", document.entry)


read_alto: Final = reader_of("alto-xml", ".xml", _read_alto)


@dataclass
class _Page:
    document: Document
    collector: Collector
    problems: Problems
    image: str = ""
    file_name: list[str] = field(default_factory=list)
    unit: list[str] = field(default_factory=list)
    # The list for the text being read, if any.
    reading: list[str] | None = None
    line: str | None = None
    string: Mapping[str, str] | None = None
    polygon: tuple[float, ...] | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "fileName":
            self.reading = self.file_name
        elif name == "MeasurementUnit":
            self.reading = self.unit
        elif name == "Page":
            self._start_page(attributes)
        elif name == "TextLine":
            self.line = attributes.get("ID")
        elif name == "String" and self.image:
            self.string, self.polygon = attributes, None
        elif name == "Polygon" and self.string is not None:
            numbers = attributes.get("POINTS", "").replace(",", " ").split()
            self.polygon = checked.points_of([checked.finite_in(number) for number in numbers])

    def _start_page(self, attributes: Mapping[str, str]) -> None:
        if self.image:
            raise Fault("N3", "a second Page", "a page for each file")
        unit = "".join(self.unit).strip() or _UNIT
        if unit != _UNIT:
            raise Fault("L2", "measures in {unit}", "measures in pixels", unit=quoted(unit))
        image = image_name("".join(self.file_name).strip() or self.document.stem)
        if image in self.collector:
            raise self.collector.second(image)
        size = None
        if "WIDTH" in attributes and "HEIGHT" in attributes:
            size = checked.size_of(
                checked.finite_in(attributes["WIDTH"]), checked.finite_in(attributes["HEIGHT"])
            )
        self.collector.image(image, size=size, entry=self.document.entry)
        self.image = image

    def text(self, text: str) -> None:
        if self.reading is not None:
            self.reading.append(text)

    def end(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if name in ("fileName", "MeasurementUnit"):
            self.reading = None
        elif name == "TextLine":
            self.line = None
        elif name == "String" and self.string is not None:
            given, self.string = self.string, None
            self.collector.add(self.image, self._region(given), entry=self.document.entry)

    def _region(self, given: Mapping[str, str]) -> Region:
        confidence = given.get("WC")
        known: dict[str, Any] = {
            "text": given.get("CONTENT"),
            "confidence": None
            if confidence is None
            else checked.confidence_of(checked.finite_in(confidence)),
            "id": given.get("ID"),
            "parent": self.line,
        }
        if self.polygon is not None:
            return Region(self.polygon, **known)
        sides = [
            checked.finite_in(given.get(side, ""), Message("a number as {side}", side=side))
            for side in _SIDES
        ]
        return checked.box_region(*sides, **known)
