"""PAGE XML: regions of a page, their lines and words, each with an outline and a text ([P10]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from xml.sax.saxutils import escape, quoteattr  # nosec B406

from protocols.core.regions import Region
from text_rankings.base.i18n import Message

from ..containers import checked
from ..containers.collecting import Collector, reader_of
from ..containers.contents import Kind
from ..containers.documents import Document, image_name, parse_xml
from ..containers.limits import shortest
from ..problems import Fault, Problems

_LEVELS: Final = ("TextRegion", "TextLine", "Word")
# Prefix of the ids written for regions without one: the schema requires an id.
_UNNAMED: Final = "unnamed-"
_IGNORED: Final = "ignored"
_NAMESPACE: Final = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"


@dataclass
class _Element:
    """A region, line or word that is being read."""

    level: str
    id: str | None
    parent: str | None
    is_ignored: bool
    line: int | None = None
    points: tuple[float, ...] | None = None
    text: str | None = None
    confidence: float | None = None


def _read_page(document: Document, collector: Collector, problems: Problems, _: Kind) -> None:
    """Read the words of a page; if there are none, its lines; else its regions."""
    _Page(document, collector, problems).read()


read_page: Final = reader_of("page-xml", ".xml", _read_page)


@dataclass
class _Page:
    document: Document
    collector: Collector
    problems: Problems
    image: str = ""
    open: list[_Element] = field(default_factory=list)
    # The text being read, inside a Unicode element.
    texts: list[str] | None = None
    corners: list[str] = field(default_factory=list)
    found: dict[str, list[Region]] = field(default_factory=dict)

    def read(self) -> None:
        is_read = parse_xml(self.document, self._start, self._end, self.problems, self._text)
        if is_read and not self.image:
            wanted = Message("a PcGts with a Page that names its image")
            self.problems.error("A1", "no Page", wanted, self.document.entry)
        for level in reversed(_LEVELS):
            if regions := self.found.get(level):
                for region in regions:
                    try:
                        self.collector.add(self.image, region, entry=self.document.entry)
                    except Fault as fault:
                        self.problems.fault(fault, self.document.entry)
                return

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "Page":
            self._start_page(attributes)
        elif name in _LEVELS and self.image:
            id_ = attributes.get("id")
            is_ignored = _IGNORED in attributes.get("custom", "").split()
            parent = self.open[-1].id if self.open else None
            shown = None if id_ is None or id_.startswith(_UNNAMED) else id_
            self.open.append(_Element(name, shown, parent, is_ignored))
        elif not self.open:
            return
        elif name == "Coords":
            self.corners = []
            if "points" in attributes:
                self._take_points(attributes["points"].replace(",", " ").split())
        elif name == "Point":
            self.corners += [attributes.get("x", ""), attributes.get("y", "")]
        elif name == "TextEquiv" and self.open[-1].text is None:
            if (confidence := attributes.get("conf")) is not None:
                self.open[-1].confidence = checked.confidence_of(
                    checked.finite_in(confidence, "a confidence")
                )
        elif name == "Unicode" and self.open[-1].text is None:
            self.texts = []

    def _start_page(self, attributes: Mapping[str, str]) -> None:
        if self.image:
            raise Fault("N3", "a second Page", "a page for each file")
        image = image_name(attributes.get("imageFilename", "") or self.document.stem)
        if image in self.collector:
            raise self.collector.second(image)
        size = None
        if "imageWidth" in attributes and "imageHeight" in attributes:
            sides = [checked.finite_in(attributes[side]) for side in ("imageWidth", "imageHeight")]
            size = checked.size_of(*sides)
        self.collector.image(image, size=size, entry=self.document.entry)
        self.image = image

    def _take_points(self, numbers: Sequence[str]) -> None:
        element = self.open[-1]
        if element.points is None:
            element.points = checked.points_of([checked.finite_in(number) for number in numbers])

    def _text(self, text: str) -> None:
        if self.texts is not None:
            self.texts.append(text)

    def _end(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if name == "Unicode" and self.texts is not None:
            if self.open:
                self.open[-1].text = "".join(self.texts)
            self.texts = None
        elif name == "Coords" and self.corners and self.open:
            corners, self.corners = self.corners, []
            self._take_points(corners)
        elif name in _LEVELS and self.open and self.open[-1].level == name:
            element = self.open.pop()
            if element.points is None:
                raise Fault("S3", "a {name} without an outline", "Coords with points", name=name)
            region = Region(
                element.points,
                element.text,
                element.confidence,
                element.is_ignored,
                id=element.id,
                # Regions of a page may be nested; only a word has its line, and a line its region.
                parent=None if name == _LEVELS[0] else element.parent,
            )
            self.found.setdefault(name, []).append(region)


def page_document(image: str, regions: Sequence[Region], size: tuple[int, int]) -> str:
    """Return the PAGE file of an image; regions become lines of one text region, without parents.

    The size is in pixels.
    """
    lines = []
    for at, region in enumerate(regions, 1):
        pairs = zip(region.points[::2], region.points[1::2], strict=True)
        points = " ".join(f"{shortest(x)},{shortest(y)}" for x, y in pairs)
        id_ = quoteattr(f"{_UNNAMED}{at}" if region.id is None else region.id)
        custom = f' custom="{_IGNORED}"' if region.ignored else ""
        said = ""
        if region.text is not None or region.confidence is not None:
            conf = "" if region.confidence is None else f' conf="{region.confidence!r}"'
            unicode = "" if region.text is None else f"<Unicode>{_written(region.text)}</Unicode>"
            said = f"<TextEquiv{conf}>{unicode}</TextEquiv>"
        lines.append(f'<TextLine id={id_}{custom}><Coords points="{points}"/>{said}</TextLine>\n')
    width, height = size
    inside = (
        f'<TextRegion id="{_UNNAMED}0"><Coords points="0,0 {width},0 {width},{height} 0,{height}"/>\n'
        f"{''.join(lines)}</TextRegion>\n"
        if lines
        else ""
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<PcGts xmlns="{_NAMESPACE}">\n'
        f'<Page imageFilename={quoteattr(image)} imageWidth="{width}" imageHeight="{height}">\n'
        f"{inside}</Page>\n</PcGts>\n"
    )


def _written(text: str) -> str:
    # XML readers turn carriage returns into line feeds, unless they are character references.
    return escape(text, {"\r": "&#13;"})
