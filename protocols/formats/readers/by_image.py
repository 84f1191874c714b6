"""JSON by image, the format of ArT 2019 and LSVT 2019.

``{"gt_1": [{"points": [[x, y], ...], "transcription": "word", "illegibility": false}]}``; results
have ``res_1`` and ``confidence``. An illegible region is ignored; ArT's ``language`` is its
label.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REGION, Collector, reader_of
from ..containers.contents import IGNORED_TEXT, Kind
from ..containers.documents import Document, json_of, storable
from ..problems import Fault, Problems

_PREFIX: Final = re.compile(r"(?:gt|res)_(?=.)", re.DOTALL)
_BEGINS: Final = re.compile(r'\s*+\{\s*+"(?:gt|res)_[^"]{1,50}"\s*+:\s*+\[')
_WANTED: Final = 'an object of lists by image, {"gt_1": [{"points": …}]}'


def is_by_image(text: str) -> bool:
    """Return whether JSON starts like that of ArT and LSVT."""
    return _BEGINS.match(text) is not None


def _read_by_image(document: Document, collector: Collector, problems: Problems, _: Kind) -> None:
    data = json_of(document, problems, unique=True)
    if not isinstance(data, dict):
        raise Fault("A1", "something else", _WANTED)
    for image, regions in data.items():
        with problems.catching(document.entry):
            _read_image(_PREFIX.sub("", image, count=1), regions, collector, document.entry)


read_by_image: Final = reader_of("art-json", ".json", _read_by_image)


def _read_image(image: str, regions: Any, collector: Collector, entry: str | None) -> None:
    image = storable(image)
    if not isinstance(regions, list):
        raise Fault("L1", f"{checked.shown(regions)} for {checked.shown(image)}", _WANTED)
    collector.image_with(image, regions, _region, REGION, entry=entry)


def _region(given: Any) -> Region:
    if not isinstance(given, Mapping) or not isinstance(given.get("points"), list):
        raise Fault("L1", checked.shown(given), 'an object with "points"')
    text, label = checked.text_in(given, "transcription"), checked.text_in(given, "language")
    is_ignored = given.get("illegibility") is True or text == IGNORED_TEXT
    return Region(
        checked.points_of_pairs(given["points"]),
        text,
        checked.confidence_of(given.get("confidence")),
        is_ignored,
        label=label or None,
    )
