"""BDD100K and Scalabel: frames with boxes or polygons."""

from collections.abc import Mapping
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REGION, Collector, reader_of
from ..containers.contents import Kind
from ..containers.documents import Document, json_of
from ..problems import Fault, Problems

_WANTED: Final = 'frames with "name" and "labels"'


def _read_frames(document: Document, collector: Collector, problems: Problems, _: Kind) -> None:
    data = json_of(document, problems)
    frames = data if isinstance(data, list) else [data]
    if isinstance(data, Mapping) and "frames" in data:
        # A file of one image has its name outside of its frame.
        named = {"name": data["name"]} if "name" in data else {}
        frames = [{**of, **named} for of in checked.objects_in(data, "frames")]
    for frame in frames:
        with problems.catching(document.entry):
            if not isinstance(frame, Mapping) or not isinstance(frame.get("name"), str):
                raise Fault("A1", checked.shown(frame), _WANTED)
            labels = checked.objects_in(frame, "labels") or checked.objects_in(frame, "objects")
            image = collector.named(frame["name"])
            collector.image_with(image, labels, _region, REGION, entry=document.entry)


read_frames: Final = reader_of("bdd", ".json", _read_frames)


def _region(given: Mapping[str, Any]) -> Region:
    attributes = given.get("attributes")
    said: Mapping[str, Any] = attributes if isinstance(attributes, Mapping) else {}
    id_ = given.get("id")
    fields: dict[str, Any] = {
        "text": checked.text_in(said, "text"),
        "confidence": checked.confidence_of(given.get("score")),
        "ignored": said.get("ignored") is True or said.get("crowd") is True,
        "label": checked.text_in(given, "category"),
        "id": None if id_ is None else str(id_)[:100],
    }
    box, polygons = given.get("box2d"), given.get("poly2d")
    if isinstance(box, Mapping):
        left, top, right, bottom = (
            checked.finite(box.get(side)) for side in ("x1", "y1", "x2", "y2")
        )
        return checked.box_region(left, top, right - left, bottom - top, **fields)
    polygon = polygons[0] if isinstance(polygons, list) and len(polygons) == 1 else None
    if not isinstance(polygon, Mapping) or not isinstance(polygon.get("vertices"), list):
        raise Fault("L1", checked.shown(given), 'a label with "box2d" or one "poly2d"')
    return Region(checked.points_of_pairs(polygon["vertices"]), **fields)
