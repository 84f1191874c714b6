"""Lists of regions, texts and confidences, as EasyOCR, RapidOCR and PaddleOCR 2 return and write them."""

import ast
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REGION, Collector
from ..containers.documents import Document, image_name, json_in, text_of
from ..problems import Fault, quoted

_WANTED: Final = '[points, text, confidence], or "box", "txt" and "score", of each region'
_POINTS: Final = ("box", "boxes", "points", "dt_boxes")
_TEXTS: Final = ("txt", "text", "rec_txt")
_SCORES: Final = ("score", "confident", "confidence")
_MAX_PRINTED: Final = 100_000


def read_list(document: Document, collector: Collector) -> None:
    """Read the regions of one image, or an object with those of several, by name."""
    text = text_of(document)
    data = _data(text)
    if isinstance(data, Mapping) and not _is_record(data):
        images = [(collector.named(name), regions) for name, regions in data.items()]
    else:
        images = [(image_name(document.stem), [data] if isinstance(data, Mapping) else data)]
    for name, regions in images:
        with collector.catching():
            given = _unpacked(regions)
            collector.image_with(name, given, _region, REGION)


def _data(text: str) -> Any:
    """Return JSON, or a list of what the lines hold: JSON, or tuples as Python prints them."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2 and not text.startswith("("):
            raise Fault("A1", f"no JSON: {quoted(str(fault))}", _WANTED) from fault
        return [_line(line) for line in lines]


def _line(line: str) -> Any:
    if not line.startswith("("):
        return json_in(line)
    try:
        if len(line) > _MAX_PRINTED:
            raise ValueError
        return ast.literal_eval(line.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError) as fault:
        raise Fault("L1", quoted(line), _WANTED) from fault


def _is_record(given: Mapping[str, Any]) -> bool:
    return any(name in given for name in _POINTS)


def _unpacked(regions: Any) -> list[Any]:
    """Return the regions of an image, out of the list of pages in which PaddleOCR 2 has them."""
    if regions is None or regions == [None]:
        return []
    if not isinstance(regions, list):
        raise Fault("L1", checked.shown(regions), _WANTED)
    [page] = regions if len(regions) == 1 else [None]
    if isinstance(page, list) and not _is_region(page) and all(map(_is_region, page)):
        return page
    return regions


def _is_region(given: Any) -> bool:
    if not isinstance(given, list) or not 2 <= len(given) <= 3:
        return _is_points(given)
    return _is_points(given) or (_is_points(given[0]) and not _is_points(given[1]))


def _is_points(given: Any) -> bool:
    """Return whether this begins as [[x, y], …] does."""
    point = given[0] if isinstance(given, list) and given else None
    return isinstance(point, list) and bool(point) and isinstance(point[0], int | float)


def _region(given: Any) -> Region:
    points, text, score = _parts(json_in(given) if isinstance(given, str) else given)
    if not isinstance(points, list) or not (text is None or isinstance(text, str)):
        raise Fault("L1", checked.shown(given), _WANTED)
    # RapidOCR 1 has its confidences as texts.
    confidence = checked.finite_in(score, "a confidence") if isinstance(score, str) else score
    return Region(checked.points_of_pairs(points), text, checked.confidence_of(confidence))


def _parts(given: Any) -> Iterator[Any]:
    if isinstance(given, Mapping):
        for names in (_POINTS, _TEXTS, _SCORES):
            yield next((given[name] for name in names if name in given), None)
    elif _is_points(given):
        yield from (given, None, None)
    elif isinstance(given, list | tuple) and len(given) == 3:
        yield from given
    elif isinstance(given, list | tuple) and len(given) == 2 and isinstance(given[1], list | tuple):
        points, recognised = given
        if len(recognised) != 2:
            raise Fault("L1", checked.shown(given), _WANTED)
        yield from (points, *recognised)
    else:
        raise Fault("L1", checked.shown(given), _WANTED)
