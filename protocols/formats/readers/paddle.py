"""PaddleOCR's Label.txt: a line for each image, its path, a tab, and its regions as JSON."""

import json
from collections.abc import Mapping
from typing import Any, Final

from protocols.core.regions import Region
from text_rankings.base.i18n import Message

from ..containers.collecting import (
    REGION,
    Collector,
    confidence_of,
    points_of,
    reader_of,
    shown,
    text_in,
)
from ..containers.contents import IGNORED_TEXT, Kind
from ..containers.documents import Document, image_name, json_in, text_of
from ..problems import Fault, Problems, quoted

# Texts that PaddleOCR's own readers ignore.
_IGNORED: Final = (IGNORED_TEXT, "*")
_WANTED: Final = Message('a path, a tab and a list of regions, [{"transcription": …, "points": …}]')


def _read_paddle(document: Document, collector: Collector, problems: Problems, _: Kind) -> None:
    for number, line in enumerate(text_of(document, problems).split("\n"), 1):
        if line.strip():
            try:
                _read_line(line.removesuffix("\r"), number, collector, document.entry)
            except Fault as fault:
                problems.fault(fault, document.entry, number, text=line)


read_paddle: Final = reader_of("paddle", ".txt", _read_paddle)


def _read_line(line: str, number: int, collector: Collector, entry: str | None) -> None:
    path, tab, written = line.partition("\t")
    if not tab:
        raise Fault("L1", quoted(line), _WANTED)
    regions = json_in(written)
    if not isinstance(regions, list):
        raise Fault("L1", shown(regions), _WANTED)
    image = image_name(path.strip())
    collector.image_with(image, regions, _region, REGION, entry=entry, line=number)


def _region(given: Any) -> Region:
    if not isinstance(given, Mapping) or not isinstance(given.get("points"), list):
        raise Fault("L1", shown(given), 'an object with "points"')
    text, label = text_in(given, "transcription"), text_in(given, "key_cls")
    return Region(
        points_of_pairs(given["points"]),
        text,
        confidence_of(given.get("score")),
        given.get("difficult") is True or text in _IGNORED,
        label=label or None,
    )


def points_of_pairs(points: list[Any]) -> tuple[float, ...]:
    """Return the points of a polygon written as [[x, y], …].

    Raises
    ------
    Fault
        As points_of() does.

    Examples
    --------
    >>> points_of_pairs([[0, 0], [9, 0], [9, 4]])
    (0.0, 0.0, 9.0, 0.0, 9.0, 4.0)
    """
    if not all(isinstance(point, list) and len(point) == 2 for point in points):
        raise Fault("L1", "points of something else", "points as [x, y]")
    return points_of([value for point in points for value in point])


def paddle_line(image: str, regions: tuple[Region, ...]) -> str:
    """Return the line of an image, without its end.

    Parameters
    ----------
    image : str
    regions : sequence of Region

    Examples
    --------
    >>> print(paddle_line("street", (Region.from_box(0, 0, 9, 4, text="exit"),)).expandtabs(1))
    street [{"points": [[0, 0], [9, 0], [9, 4], [0, 4]], "difficult": false, "transcription": "exit"}]
    """
    written = []
    for region in regions:
        points = list(map(list, zip(region.points[::2], region.points[1::2], strict=True)))
        given: dict[str, Any] = {"points": points, "difficult": region.ignored}
        if region.text is not None:
            given["transcription"] = region.text
        if region.confidence is not None:
            given["score"] = region.confidence
        if region.label is not None:
            given["key_cls"] = region.label
        written.append(given)
    return f"{image}\t{json.dumps(written, ensure_ascii=False, allow_nan=False)}"
