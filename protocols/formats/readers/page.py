"""PAGE XML: regions of a page, their lines and words, each with an outline and a text ([P10]_)."""

from collections.abc import Sequence
from functools import partial
from math import inf
from typing import Final
from xml.sax.saxutils import escape, quoteattr  # nosec B406

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector
from ..containers.documents import Document
from ..containers.elements import Element, element_of
from ..containers.limits import shortest
from ..containers.pages import BLOCK, LINE, WORD, Page, Unit, add_pages, add_units
from ..problems import Fault

_LEVELS: Final = {"TextRegion": BLOCK, "TextLine": LINE, "Word": WORD}
# Prefix of the ids written for regions without one: the schema requires an id.
_UNNAMED: Final = "unnamed-"
_IGNORED: Final = "ignored"
_NAMESPACE: Final = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"


def read_page(document: Document, collector: Collector) -> None:
    """Read the words of a page, else its lines, else its regions; raise Fault without a page."""
    add_pages(_pages(document, collector), document, collector, _region)


def _pages(document: Document, collector: Collector) -> list[Page]:
    root = element_of(document, "PcGts")
    unit_of = partial(_unit, collector=collector)
    elements, pages = list(root.all("Page")), []
    if not elements:
        raise Fault("A1", "no Page", "a PcGts with a Page that names its image")
    for element in elements:
        with collector.catching(element.line):
            given = element.attributes
            size = checked.size_in_attributes(given, "imageWidth", "imageHeight")
            pages.append(Page(given.get("imageFilename", ""), element.line, size))
            add_units(element, pages[-1], _LEVELS, unit_of, lambda name: name.endswith("Region"))
    return pages


def _unit(element: Element, parent: str | None, collector: Collector) -> Unit:
    given = element.attributes
    id_ = given.get("id")
    # Regions of a page may be nested; only a word has its line, and a line its region.
    parent = parent if element.name != "TextRegion" else None
    id_ = None if id_ is None or id_.startswith(_UNNAMED) else id_
    said = _equivalent(element, collector)
    confidence = said.attributes.get("conf") if said else None
    # Not the element itself, so that the others in it can be forgotten.
    own = element.name, element.at("Coords"), confidence
    unit = Unit(_LEVELS[element.name], element.line, own, id_, parent)
    unit.ignored = _IGNORED in given.get("custom", "").split()
    for text in said.at("Unicode") if said else ():
        unit.text = text.text
    return unit


def _equivalent(element: Element, collector: Collector) -> Element | None:
    """Return the text that counts: that of the lowest index, or the first without one."""
    found, lowest = None, inf
    for of in element.at("TextEquiv"):
        index = of.attributes.get("index")
        at = -inf if index is None else inf
        if index is not None:
            with collector.catching(of.line):
                at = checked.finite_in(index, "a number as index")
        if at < lowest:
            found, lowest = of, at
    return found


def _region(unit: Unit) -> Region:
    name, outlines, confidence = unit.given
    numbers: list[str] | None = None
    for coords in outlines:
        if "points" in coords.attributes:
            numbers = coords.attributes["points"].replace(",", " ").split()
        for point in coords.at("Point") if coords.inside else ():
            numbers = numbers or []
            numbers += [point.attributes.get(axis, "") for axis in "xy"]
    if numbers is None:
        raise Fault("S3", f"a {name} without an outline", "Coords with points")
    points = checked.points_of([checked.finite_in(number) for number in numbers])
    if confidence is not None:
        confidence = checked.confidence_of(checked.finite_in(confidence, "a confidence"))
    return Region(points, unit.text, confidence, unit.ignored, id=unit.id, parent=unit.parent)


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
