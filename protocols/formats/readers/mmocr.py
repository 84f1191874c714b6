"""MMOCR: a dataset's ``data_list``, or one file of predictions per image."""

from collections.abc import Mapping
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector, reader_of
from ..containers.contents import IGNORED_TEXT, Kind
from ..containers.documents import Document, json_of
from ..problems import Fault, Problems

_WANTED: Final = 'an object with "data_list", or with "det_polygons"'


def _read_mmocr(document: Document, collector: Collector, problems: Problems, _: Kind) -> None:
    """Read a dataset, or the predictions of one image."""
    data = json_of(document, problems)
    images: list[tuple[str | None, Any]] = []
    if isinstance(data, Mapping) and isinstance(data.get("data_list"), list):
        images = [(None, given) for given in data["data_list"]]
    elif isinstance(data, Mapping) and isinstance(data.get("det_polygons"), list):
        images = [(document.stem, {"instances": _predicted(data)})]
    else:
        raise Fault("A1", checked.shown(data), _WANTED)
    for stem, given in images:
        with problems.catching(document.entry):
            _read_image(stem, given, collector, document.entry)


read_mmocr: Final = reader_of("mmocr", ".json", _read_mmocr, engine=("results",))


def _predicted(data: Mapping[str, Any]) -> list[Any]:
    """Return predictions, which are parallel lists, as instances."""

    def at(name: str, index: int) -> Any:
        values = data.get(name)
        return values[index] if isinstance(values, list) and index < len(values) else None

    return [
        {"polygon": polygon, "score": at("det_scores", index), "text": at("rec_texts", index)}
        for index, polygon in enumerate(data["det_polygons"])
    ]


def _read_image(stem: str | None, given: Any, collector: Collector, entry: str | None) -> None:
    if not isinstance(given, Mapping) or not isinstance(given.get("instances"), list):
        raise Fault("L1", checked.shown(given), 'an object with "instances"')
    path = stem or checked.text_in(given, "img_path")
    if path is None:
        raise Fault("S3", "no img_path", "the path of the image")
    name, size = collector.named(path), checked.size_in(given)
    collector.image_with(name, given["instances"], _region, "instance", size=size, entry=entry)


def _region(given: Any) -> Region:
    if not isinstance(given, Mapping):
        raise Fault("L1", checked.shown(given), 'an object with "polygon" or "bbox"')
    polygon, box = given.get("polygon"), given.get("bbox")
    if isinstance(polygon, list):
        points = checked.points_of(polygon)
    elif isinstance(box, list) and len(box) == 4:
        left, top, right, bottom = map(checked.finite, box)
        if right < left or bottom < top:
            raise Fault("L4", "a bbox", "right >= left and bottom >= top")
        points = Region.from_box(left, top, right, bottom).points
    else:
        raise Fault("L1", checked.shown(given), 'an object with "polygon" or "bbox"')
    text = checked.text_in(given, "text")
    is_ignored = given.get("ignore") in (True, 1) or text == IGNORED_TEXT
    return Region(points, text, checked.confidence_of(given.get("score")), is_ignored)
