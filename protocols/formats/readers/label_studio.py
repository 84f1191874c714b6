"""Label Studio: its JSON of tasks with annotations or predictions, and its short JSON (JSON-MIN)."""

import math
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REASONS, REGION, Collector
from ..containers.contents import IGNORED_TEXT, Unit
from ..containers.documents import Document, image_name, json_of
from ..problems import Fault

_WANTED: Final = "a list of tasks"
_SIDES: Final = ("original_width", "original_height")
_LISTS: Final = ("annotations", "completions", "predictions")
# Members of a task, of which one is there at least if it has no region.
_MARKS: Final = {
    *_LISTS,
    *("data", "annotation_id", "annotator", "completed_by", "lead_time", "created_at"),
}
_NOT_DONE: Final = REASONS["unsubmitted-annotations"]
_LABELS: Final = ("rectanglelabels", "polygonlabels", "labels")
# An upload has eight characters before its name.
_UPLOADED: Final = re.compile(r"/upload/(?:.*/)?[0-9a-f]{8}-")
_Object = Mapping[str, Any]


def read_tasks(document: Document, collector: Collector) -> None:
    """Read tasks, each with the regions of an image; what raises Fault is reported."""
    data = json_of(document)
    tasks = data if isinstance(data, list) else [data]
    for task in tasks:
        with collector.catching():
            if not isinstance(task, Mapping):
                raise Fault("A1", checked.shown(task), _WANTED)
            _read_task(task, collector)


def _read_task(task: _Object, collector: Collector) -> None:
    given = task.get("data")
    name = _image(given if isinstance(given, Mapping) else task)
    given_up = [of for of in task.get("drafts") or () if isinstance(of, Mapping)]
    done: list[_Object] = []
    for of in (of for key in _LISTS for of in checked.objects_in(task, key)):
        (given_up if of.get("was_cancelled") else done).append(of)
    if given_up:
        collector.count(_NOT_DONE, n=len(given_up), image=name)
    is_short = not any(key in task for key in _LISTS)
    if len(done) > 1:
        found = f"{len(done)} annotations of {checked.shown(name)}"
        collector.warning("N3", found, "one; the first is read")
    records = list(_short(task, collector)) if is_short else []
    if not _MARKS & task.keys() and ("imagePath" in task or not records):
        raise Fault("A1", "a file of another tool", _WANTED)
    if done:
        records = _merged(checked.objects_in(done[0], "result"))
    size = next(
        (checked.size_in(of, *_SIDES) for of in records if checked.size_in(of, *_SIDES)), None
    )
    unit = None if size else Unit.SHARES
    region = partial(_region, size=size)
    collector.image_with(name, records, region, REGION, size=size, unit=unit)


def _image(given: _Object) -> str:
    for value in given.values():
        if isinstance(value, str):
            name = image_name(_UPLOADED.sub("/upload/", value))
            if name != image_name(f"{value}.jpg"):
                return name
    raise Fault("S3", "a task without an image", "the path of the image")


def _merged(results: list[_Object]) -> list[_Object]:
    """Return one record a region; its outline, labels and text are results with the same id."""
    records: dict[str, dict[str, Any]] = {}
    for at, result in enumerate(results):
        value = result.get("value")
        record = records.setdefault(str(result.get("id", at))[:100], {})
        record |= {side: result[side] for side in (*_SIDES, "score") if side in result}
        record |= value if isinstance(value, Mapping) else {}
    # The others are about the whole image.
    return [of for of in records.values() if _has_place(of)]


def _has_place(record: _Object) -> bool:
    return any(name in record for name in ("x", "points", "rle"))


def _short(task: _Object, collector: Collector) -> Iterator[_Object]:
    """Yield the regions of short JSON: those with labels, then others, with the texts in this order."""
    lists = [of for of in task.values() if isinstance(of, list) and of]
    placed = [of for of in lists if all(isinstance(at, Mapping) and _has_place(at) for at in of)]
    placed.sort(key=lambda of: not any(name in of[0] for name in _LABELS))
    records: dict[str, _Object] = {}
    for one in (one for of in placed for one in of):
        place = {key: one.get(key) for key in ("x", "y", "width", "height", "rotation", "points")}
        records.setdefault(repr(place), one)
    texts = task.get("transcription", task.get("text"))
    texts = [texts] if isinstance(texts, str) else texts
    if isinstance(texts, list) and len(texts) == len(records):
        yield from ({**of, "text": text} for of, text in zip(records.values(), texts, strict=True))
        return
    if texts:
        found = f"other than {len(records)} texts for {len(records)} regions"
        collector.warning("S3", found, "a text for each region, as in the full JSON")
    yield from records.values()


def _region(given: _Object, size: tuple[int, int] | None) -> Region:
    """Return a region from per cent of the image's sides; without its size, as shares."""
    width, height = (of / 100 for of in size or (1, 1))
    texts = given.get("text")
    text = " ".join(map(str, texts)) if isinstance(texts, list) else texts
    labels = next((given[name] for name in _LABELS if given.get(name)), None)
    label = labels[0] if isinstance(labels, list) else None
    fields: dict[str, Any] = {
        "text": text if isinstance(text, str) else None,
        "confidence": checked.confidence_of(given.get("score")),
        "ignored": IGNORED_TEXT in (text, label),
        "label": label if isinstance(label, str) else None,
    }
    if isinstance(given.get("points"), list):
        points = checked.points_of_pairs(given["points"])
        scaled = [value * (height if at % 2 else width) for at, value in enumerate(points)]
        return Region(tuple(scaled), **fields)
    if not {"x", "y", "width", "height"} <= given.keys():
        raise Fault("L1", "a shape of another type", "a rectangle or a polygon")
    left, top = checked.finite(given["x"]) * width, checked.finite(given["y"]) * height
    right, below = checked.finite(given["width"]) * width, checked.finite(given["height"]) * height
    box = checked.box_region(left, top, right, below, **fields)
    turn = math.radians(checked.finite(given.get("rotation") or 0))
    if turn and size is None:
        raise Fault("S3", "a box that is turned, without the size of its image", '"original_width"')
    if not turn:
        return box
    cos, sin = math.cos(turn), math.sin(turn)
    # It is turned about its top left corner.
    corners = ((0, 0), (right, 0), (right, below), (0, below))
    turned = [(left + x * cos - y * sin, top + x * sin + y * cos) for x, y in corners]
    return Region(tuple(value for point in turned for value in point), **fields)
