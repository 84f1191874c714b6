"""PAGE XML: regions of a page, their lines and words, each with an outline and a text ([P10]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final
from xml.sax.saxutils import escape, quoteattr  # nosec B406

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector, reader_of
from ..containers.contents import Kind
from ..containers.documents import Document
from ..containers.elements import Elements, parse_xml
from ..containers.limits import shortest
from ..containers.pages import BLOCK, LINE, WORD, Page, Unit, add_pages
from ..problems import Fault, Problems

_LEVELS: Final = {"TextRegion": BLOCK, "TextLine": LINE, "Word": WORD}
# Prefix of the ids written for regions without one: the schema requires an id.
_UNNAMED: Final = "unnamed-"
_IGNORED: Final = "ignored"
_NAMESPACE: Final = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"


def _read_page(document: Document, collector: Collector, problems: Problems, kind: Kind) -> None:
    """Read the words of a page; if there are none, its lines; else its regions."""
    page = _Page()
    if parse_xml(document, page, problems) and not page.has_page:
        wanted = "a PcGts with a Page that names its image"
        problems.error("A1", "no Page", wanted, document.entry)
    add_pages(page.pages, document, collector, problems, kind, _region)


read_page: Final = reader_of("page-xml", ".xml", _read_page)


@dataclass(slots=True)
class _Own:
    """Own properties of a region, line or word, without those of its parts."""

    name: str
    # None without an outline.
    numbers: list[str] | None = None
    # Index, text and confidence of the TextEquiv that counts.
    index: float = inf
    confidence: str | None = None


class _Page(Elements):
    root = "PcGts"

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[Page] = []
        self.has_page = False
        self._page: Page | None = None
        self._open: list[Unit] = []
        # Whether the TextEquiv that is being read counts, and the parts of its text.
        self._counts = False
        self._texts: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Page":
            self._page, self.has_page = None, True
            self._open.clear()
            self._page = self._started(attributes)
            self.pages.append(self._page)
        elif name in _LEVELS and self._page is not None:
            self._start_unit(name, attributes)
        elif name.endswith("Region") and self._page is not None:
            self._page.n_others += 1
        elif not self._open:
            return
        elif name == "Coords" and self.open[-2] in _LEVELS:
            if "points" in attributes:
                self._open[-1].given.numbers = attributes["points"].replace(",", " ").split()
        elif name == "Point" and self.open[-2] == "Coords" and self.open[-3] in _LEVELS:
            own = self._open[-1].given
            own.numbers = own.numbers or []
            own.numbers += [attributes.get("x", ""), attributes.get("y", "")]
        elif name == "TextEquiv" and self.open[-2] in _LEVELS:
            self._start_text(attributes)
        elif name == "Unicode":
            self._texts = []

    def _started(self, attributes: Mapping[str, str]) -> Page:
        size = None
        if "imageWidth" in attributes and "imageHeight" in attributes:
            sides = [checked.finite_in(attributes[side]) for side in ("imageWidth", "imageHeight")]
            size = checked.size_of(*sides)
        return Page(attributes.get("imageFilename", ""), self.line, size)

    def _start_unit(self, name: str, attributes: Mapping[str, str]) -> None:
        id_ = attributes.get("id")
        self._open.append(
            Unit(
                _LEVELS[name],
                self.line,
                _Own(name),
                None if id_ is None or id_.startswith(_UNNAMED) else id_,
                # Regions of a page may be nested; only a word has its line, and a line its region.
                self._open[-1].id if self._open and name != "TextRegion" else None,
                ignored=_IGNORED in attributes.get("custom", "").split(),
            )
        )

    def _start_text(self, attributes: Mapping[str, str]) -> None:
        """Decide whether a text counts: that of the lowest index, or the first without one."""
        own = self._open[-1].given
        index = attributes.get("index")
        at = -inf if index is None else checked.finite_in(index, "a number as index")
        self._counts = at < own.index
        if self._counts:
            own.index, own.confidence = at, attributes.get("conf")
            self._open[-1].text = None

    def text(self, text: str) -> None:
        if self.open[-1] == "Unicode":
            self._texts.append(text)

    def end(self, name: str) -> None:
        if name == "Unicode" and self._counts:
            self._open[-1].text = "".join(self._texts)
        elif name == "TextEquiv":
            self._counts = False
        elif name in _LEVELS and self._open and self._page is not None:
            self._page.add(self._open.pop(), self._open)


def _region(unit: Unit) -> Region:
    own: _Own = unit.given
    if own.numbers is None:
        raise Fault("S3", f"a {own.name} without an outline", "Coords with points")
    confidence = own.confidence
    return Region(
        checked.points_of([checked.finite_in(number) for number in own.numbers]),
        unit.text,
        None
        if confidence is None
        else checked.confidence_of(checked.finite_in(confidence, "a confidence")),
        unit.ignored,
        id=unit.id,
        parent=unit.parent,
    )


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
