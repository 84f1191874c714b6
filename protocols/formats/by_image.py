"""JSON by image, as ArT 2019 and LSVT 2019 have it; and what JSON of other data sets looks like.

``{"gt_1": [{"points": [[x, y], ...], "transcription": "word", "illegibility": false}]}``; results have
``res_1`` and ``confidence``. An illegible region counts for nobody; ArT's ``language`` is its label.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from protocols.core.regions import Region

from .archives import Limits, Source, source_name
from .collecting import Collector, finite, points_of, shown
from .contents import IGNORED_TEXT, Archive, Kind, OnEntry
from .documents import documents, json_of, storable
from .problems import Fault, Problems

_PREFIX: Final = re.compile(r"(?:gt|res)_(?=.)", re.DOTALL)
_BEGINS: Final = re.compile(r'\s*+\{\s*+"(?:gt|res)_[^"]{1,50}"\s*+:\s*+\[')
_WANTED: Final = 'an object of lists by image, {"gt_1": [{"points": …}]}'


def is_by_image(text: str) -> bool:
    """Say whether JSON begins as that of ArT and LSVT does."""
    return _BEGINS.match(text) is not None


def look_alike(keys: set[str]) -> str | None:
    """Return the data set whose JSON, which is not read, has these keys."""
    if {"paragraphs", "image_id"} <= keys:
        return "HierText"
    return "ReCTS" if {"chars", "lines"} <= keys else None


def read_by_image(
    source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
) -> Archive:
    """Read a JSON file with a list of regions for each image, or a zip of such files."""
    problems = Problems(source_name(source, name))
    collector = Collector(problems, "art-json")
    for document in documents(source, problems, limits, ".json", on_entry):
        data = json_of(document, problems, unique=True)
        if data is None:
            continue
        if not isinstance(data, dict):
            problems.error("A1", "something else", _WANTED, document.entry)
            continue
        for image, regions in data.items():
            _read_image(
                _PREFIX.sub("", image, count=1), regions, collector, problems, document.entry
            )
    return collector.archive()


def _read_image(
    image: str, regions: Any, collector: Collector, problems: Problems, entry: str | None
) -> None:
    image = storable(image)
    try:
        if not isinstance(regions, list):
            raise Fault("L1", f"{shown(regions)} for {shown(image)}", _WANTED)
        if image in collector:
            raise Fault("N3", f"a second image {shown(image)}", "each image once")
        collector.image(image, entry=entry)
    except Fault as fault:
        problems.fault(fault, entry)
        return
    for at, given in enumerate(regions, 1):
        try:
            collector.add(image, _region(given), entry=entry)
        except Fault as fault:
            found = f"{fault.found} (region {at} of {image})"
            problems.error(fault.code, found, fault.expected, entry)


def _region(given: Any) -> Region:
    if not isinstance(given, Mapping) or not isinstance(given.get("points"), list):
        raise Fault("L1", shown(given), 'an object with "points"')
    points = given["points"]
    if not all(isinstance(point, list) and len(point) == 2 for point in points):
        raise Fault("L1", "points of something else", "points as [x, y]")
    text, label = given.get("transcription"), given.get("language")
    confidence = given.get("confidence")
    if confidence is not None:
        confidence = finite(confidence, "a confidence")
        if not 0 <= confidence <= 1:
            raise Fault("L3", f"a confidence of {confidence:g}", "a confidence in [0, 1]")
    is_ignored = given.get("illegibility") is True or text == IGNORED_TEXT
    return Region(
        points_of([value for point in points for value in point]),
        text if isinstance(text, str) else None,
        confidence,
        is_ignored,
        label=label if isinstance(label, str) and label else None,
    )
