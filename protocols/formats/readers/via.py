"""The VGG Image Annotator, version 2: annotations or a whole project as JSON."""

from collections.abc import Mapping
from typing import Any, Final

from protocols.core.regions import Region
from text_rankings.base.i18n import Message

from ..containers.collecting import (
    REGION,
    Collector,
    box_region,
    confidence_of,
    finite,
    points_of,
    reader_of,
    shown,
    text_in,
)
from ..containers.contents import IGNORED_TEXT, Kind
from ..containers.documents import Document, image_name, json_of
from ..problems import Fault, Problems

_WANTED: Final = Message('an object of files, each with "filename" and "regions"')
_METADATA: Final = "_via_img_metadata"
# Annotators choose the names of attributes.
_TEXTS: Final = ("transcription", "text", "word", "description")
_LABELS: Final = ("label", "type", "class", "language")


def _read_via(document: Document, collector: Collector, problems: Problems, _: Kind) -> None:
    data = json_of(document, problems)
    if isinstance(data, Mapping) and _METADATA in data:
        data = data[_METADATA]
    if data is None:
        return
    if not isinstance(data, Mapping):
        problems.error("A1", "something else", _WANTED, document.entry)
        return
    for given in data.values():
        try:
            _read_image(given, collector, document.entry)
        except Fault as fault:
            problems.fault(fault, document.entry)


read_via: Final = reader_of("via", ".json", _read_via)


def _read_image(given: Any, collector: Collector, entry: str | None) -> None:
    if not isinstance(given, Mapping) or not isinstance(given.get("filename"), str):
        raise Fault("L1", shown(given), _WANTED)
    image = image_name(given["filename"])
    regions = given.get("regions") or []
    if isinstance(regions, Mapping):
        # Version 1.
        regions = list(regions.values())
    if not isinstance(regions, list):
        raise Fault(
            "L1",
            "{regions} for {image}",
            'a list of "regions"',
            regions=shown(regions),
            image=shown(image),
        )
    collector.image_with(image, regions, _region, REGION, entry=entry)


def _region(given: Any) -> Region:
    shape = given.get("shape_attributes") if isinstance(given, Mapping) else None
    if not isinstance(shape, Mapping):
        raise Fault("L1", shown(given), 'a region with "shape_attributes"')
    attributes = given.get("region_attributes")
    said: Mapping[str, Any] = attributes if isinstance(attributes, Mapping) else {}
    text = next((of for name in _TEXTS if (of := text_in(said, name)) is not None), None)
    label = next((of for name in _LABELS if (of := text_in(said, name))), None)
    return Region(
        _outline(shape),
        text,
        confidence_of(said.get("score")),
        text == IGNORED_TEXT or said.get("ignored") in (True, "true", "1"),
        label=label,
    )


def _outline(shape: Mapping[str, Any]) -> tuple[float, ...]:
    name = shape.get("name")
    if name == "rect":
        sides = [
            finite(shape.get(side), Message("a number as {side}", side=side))
            for side in ("x", "y", "width", "height")
        ]
        return box_region(*sides).points
    if name in ("polygon", "polyline"):
        xs, ys = shape.get("all_points_x"), shape.get("all_points_y")
        if not isinstance(xs, list) or not isinstance(ys, list) or len(xs) != len(ys):
            raise Fault("L1", "a polygon", "as many all_points_x as all_points_y")
        return points_of([value for pair in zip(xs, ys, strict=True) for value in pair])
    raise Fault("L1", "a shape of the type {name}", "a rect or a polygon", name=shown(name))
