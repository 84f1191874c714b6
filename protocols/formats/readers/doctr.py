"""docTR: the export of a document, and the labels of its datasets."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REASONS, REGION, Collector
from ..containers.documents import Document, image_name, json_of, page_name
from ..containers.pages import CELLS, units_of
from ..problems import Fault

_WANTED: Final = 'an object with "pages", or with "img_dimensions" of each image'
_POINTS: Final = "[[left, top], [right, bottom]] or four points"
_LAYOUT: Final = REASONS["blocks-of-layouts"]
_Object = Mapping[str, Any]


def read_document(document: Document, collector: Collector, *, lines: bool) -> None:
    """Read the words or lines of pages, or labels for training; raise Fault without any."""
    data = json_of(document)
    if not isinstance(data, Mapping):
        raise Fault("A1", checked.shown(data), _WANTED)
    if "pages" not in data:
        _read_labels(data, collector)
        return
    pages = checked.objects_in(data, "pages")
    numbers = [1 + checked.page_in(of, "page_idx", at, 0) for at, of in enumerate(pages)]
    for number, page in zip(numbers, pages, strict=True):
        sides = page.get("dimensions")
        if not isinstance(sides, list) or len(sides) != 2:
            raise Fault("S3", "a page without dimensions", "[height, width]")
        size = checked.size_of(sides[1], sides[0])
        _count_cells(page, collector)
        collector.image_with(
            page_name(document.stem, number, max(numbers)),
            _units(page, lines, collector),
            partial(_region, size=size),
            REGION,
            size=size,
        )


def _units(page: _Object, lines: bool, collector: Collector) -> Sequence[_Object]:
    predictions = page.get("predictions")
    if isinstance(predictions, Mapping):
        return [word for name in predictions for word in checked.objects_in(predictions, name)]
    if not {"blocks", "tables"} & page.keys():
        raise Fault("A1", "a page without blocks", _WANTED)
    blocks = checked.objects_in(page, "blocks")
    of_lines = checked.objects_in(page, "blocks", "lines")
    areas = checked.objects_in(page, "layout")
    if areas and not blocks:
        collector.count(_LAYOUT, n=len(areas))
    return units_of(
        [word for line in of_lines for word in checked.objects_in(line, "words")],
        [of for of in of_lines if lines or not of.get("words")],
        [of for of in blocks if not of.get("lines")],
        collector,
        of_lines=lines,
    )


def _count_cells(page: _Object, collector: Collector) -> None:
    """Count the cells of tables: docTR 1.1 takes their words out of the lines, with their boxes."""
    n_cells = len(checked.objects_in(page, "tables", "cells"))
    if n_cells:
        collector.count(CELLS, n=n_cells)


def _region(given: _Object, size: tuple[int, int]) -> Region:
    """Return a word, or a line with the texts of its words, from shares of the page's sides."""
    points = given.get("geometry")
    if not isinstance(points, list) or len(points) < 2:
        raise Fault("L1", checked.shown(points), _POINTS)
    if not all(isinstance(point, list) and len(point) == 2 for point in points):
        raise Fault("L1", "points of something else", _POINTS)
    text = checked.text_in(given, "value")
    if words := checked.objects_in(given, "words"):
        text = " ".join(checked.text_in(word, "value") or "" for word in words)
    confidence = checked.confidence_of(given.get("confidence"))
    scaled = [[checked.finite(x) * size[0], checked.finite(y) * size[1]] for x, y in points]
    if len(scaled) == 2:
        (left, top), (right, bottom) = scaled
        return checked.box_region(
            left, top, right - left, bottom - top, text=text, confidence=confidence
        )
    return Region(checked.points_of_pairs(scaled), text, confidence)


def _read_labels(data: _Object, collector: Collector) -> None:
    """Read labels for the training of detectors: outlines in pixels, perhaps by class."""
    for name, given in data.items():
        polygons = given.get("polygons") if isinstance(given, Mapping) else None
        by_class = polygons if isinstance(polygons, Mapping) else {None: polygons}
        with collector.catching():
            outlines = []
            for label, of_class in by_class.items():
                if not isinstance(of_class, list):
                    raise Fault("A1", checked.shown(given), _WANTED)
                outlines += [(label, points) for points in of_class]
            sides = given.get("img_dimensions")
            size = None
            if isinstance(sides, list) and len(sides) == 2:
                size = checked.size_of(sides[1], sides[0])
            collector.image_with(image_name(name), outlines, _labelled, REGION, size=size)


def _labelled(given: tuple[str | None, Any]) -> Region:
    label, points = given
    if not isinstance(points, list):
        raise Fault("L1", checked.shown(points), _POINTS)
    return Region(checked.points_of_pairs(points), label=label)
