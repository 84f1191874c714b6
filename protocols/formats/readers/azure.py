"""Azure: answers of Read (Computer Vision 3), Image Analysis 4 and Document Intelligence."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REGION, Collector
from ..containers.contents import Unit
from ..containers.documents import Document, json_of, page_name
from ..containers.pages import OTHERS, units_of
from ..problems import Fault

_WANTED: Final = 'an object with "analyzeResult" or "readResult"'
# Members of the versions for the same thing.
_DONE: Final = "succeeded"
_OUTLINES: Final = ("polygon", "boundingPolygon", "boundingBox")
_TEXTS: Final = ("content", "text")
_Object = Mapping[str, Any]
# Degrees from which a page has another side up.
_TURNED: Final = 45


def read_pages(document: Document, collector: Collector, *, lines: bool) -> None:
    """Read the words or lines of an answer's pages; raise Fault if it has none."""
    data = json_of(document)
    _check_status(data)
    pages = list(_pages(data))
    # Version 3 of Read calls it page.
    numbers = [
        checked.page_in(of, "pageNumber" if "pageNumber" in of else "page", at)
        for at, of in enumerate(pages, 1)
    ]
    areas_by_page = _areas(data)
    n_before = collector.n_found
    for number, page in zip(numbers, pages, strict=True):
        unit, sides = None, (page.get("width"), page.get("height"))
        scale = (1.0, 1.0)
        if page.get("unit") == "inch":
            # A page in inches has no size in pixels; its shares are those of its picture.
            width, height = (
                checked.finite(page.get(side), f"{side} of a page in inches")
                for side in ("width", "height")
            )
            if not width > 0 < height:
                raise Fault("L4", f"a page of {width} x {height} inches", "sides above 0")
            unit, scale = Unit.SHARES, (1 / width, 1 / height)
        elif (
            None in sides and abs(angle := checked.finite(page.get("angle", 0), "angle")) > _TURNED
        ):
            # Its pixels may be those of the picture before or after it was turned.
            turned = f"page {number} rotated by {angle:g}°, without its size"
            raise Fault("L4", turned, "width and height of the page, or a page that is upright")
        areas = areas_by_page.get(number, [])
        found = _units(page, areas, lines, collector)
        collector.image_with(
            page_name(document.stem, number, max(numbers)),
            found,
            partial(_region, scale=scale),
            REGION,
            size=None if unit or None in sides else checked.size_of(*sides),
            unit=unit,
        )
    result = data.get("analyzeResult", data)
    tables = checked.objects_in(result, "tables")
    # Each page counts as one.
    if tables and collector.n_found == n_before + len(pages):
        collector.count(OTHERS, n=len(tables))


def _check_status(data: Any) -> None:
    """Raise Fault, with Azure's own message, if an operation has not succeeded."""
    status = data.get("status") if isinstance(data, Mapping) else None
    says = checked.error_in(data)
    if status in (None, _DONE) and not says:
        return
    found = f"an operation with the status {checked.shown(status)}"
    if says:
        found = f"the fault {says}" if status is None else f"{found}: {says}"
    raise Fault("A1", found, "the answer of an operation that has succeeded")


def _pages(data: Any) -> Iterator[_Object]:
    data = data if isinstance(data, Mapping) else {}
    result = data.get("analyzeResult", data.get("readResult", data))
    if not isinstance(result, Mapping):
        raise Fault("A1", checked.shown(result), _WANTED)
    for name in ("readResults", "pages"):
        if name in result:
            yield from checked.objects_in(result, name)
            return
    if "blocks" not in result:
        raise Fault("A1", "something else", _WANTED)
    lines = checked.objects_in(result, "blocks", "lines")
    yield {**checked.object_in(data, "metadata"), "lines": lines}


def _areas(data: Any) -> dict[int, list[_Object]]:
    """Return paragraphs of the whole document with their outlines on each page."""
    result = data.get("analyzeResult", data)
    areas: dict[int, list[_Object]] = {}
    for given in checked.objects_in(result, "paragraphs") if isinstance(result, Mapping) else ():
        for place in checked.objects_in(given, "boundingRegions"):
            area = {**given, **place}
            areas.setdefault(checked.page_in(place, "pageNumber", 1), []).append(area)
    return areas


def _units(
    page: _Object, areas: list[_Object], of_lines: bool, collector: Collector
) -> Sequence[_Object]:
    """Return the words or lines of a page, or else its paragraphs, which count only without these."""
    if not {"words", "lines", "width", "height"} & page.keys() and not areas:
        raise Fault("A1", "a page without lines", _WANTED)
    lines = checked.objects_in(page, "lines")
    words = checked.objects_in(page, "words")
    bare = [] if words and not of_lines else lines
    if "words" not in page:
        words = checked.objects_in(page, "lines", "words")
        bare = [of for of in lines if of_lines or not of.get("words")]
    return units_of(words, bare, [] if words or bare else areas, collector, of_lines=of_lines)


def _region(given: _Object, scale: tuple[float, float]) -> Region:
    outline = next((given[name] for name in _OUTLINES if name in given), None)
    if not isinstance(outline, list):
        raise Fault("L1", checked.shown(given), 'a region with "polygon" or "boundingBox"')
    is_flat = not outline or not isinstance(outline[0], Mapping)
    points = checked.points_of(outline) if is_flat else checked.points_of_xy(outline)
    return Region(
        tuple(value * scale[at % 2] for at, value in enumerate(points)),
        next((checked.text_in(given, name) for name in _TEXTS if name in given), None),
        checked.confidence_of(given.get("confidence")),
    )
