"""The JSON of ReCTS 2019 (signboards): a file for each image, with its characters and its lines.

``{"chars": [...], "lines": [{"points": [x1, ..., y4], "transcription": "...", "ignore": 0}]}``. The
regions are the lines, as in the competition's detection task; an image is named after its file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import IN_IMAGE, LINE, Collector, reader_of
from ..containers.contents import IGNORED_TEXT, Kind
from ..containers.documents import Document, image_name, json_of
from ..problems import Fault, Problems

_WANTED: Final = 'an object with "lines" for each image'


def _read_rects(document: Document, collector: Collector, problems: Problems, _: Kind) -> None:
    data = json_of(document, problems, unique=True)
    image = image_name(document.stem)
    lines = _lines_of(data)
    if image in collector:
        raise collector.second(image)
    collector.image(image, entry=document.entry)
    for at, given in enumerate(lines, 1):
        try:
            collector.add(image, _region(given), entry=document.entry, given=given)
        except Fault as fault:
            found = IN_IMAGE.format(fault=fault.found, what=LINE, at=at, image=image)
            problems.error(fault.code, found, fault.expected, document.entry)


read_rects: Final = reader_of("rects-json", ".json", _read_rects)


def _lines_of(data: Any) -> Sequence[Any]:
    lines = data.get("lines") if isinstance(data, Mapping) else None
    if not isinstance(lines, list):
        raise Fault("A1", "something else", _WANTED)
    return lines


def _region(given: Any) -> Region:
    points = given.get("points") if isinstance(given, Mapping) else None
    if not isinstance(points, list):
        raise Fault("L1", checked.shown(given), 'an object with "points"')
    text = given.get("transcription")
    return Region(
        checked.points_of(points),
        text if isinstance(text, str) else None,
        ignored=given.get("ignore") in (1, True) or text == IGNORED_TEXT,
    )
