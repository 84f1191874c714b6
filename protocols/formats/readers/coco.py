"""COCO JSON: a dataset with images and annotations, or a plain list of results.

Also read: COCO-Text and TextOCR, where ``imgs`` and ``anns`` are objects by id. A region is the
annotation's ``segmentation`` (one polygon, or run lengths), else ``points`` or ``mask`` as a flat
list, else ``bbox`` as x, y, width, height. Further fields keep this project's names.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from protocols.core.regions import Cell, Region, Run

from ..containers import checked
from ..containers.archives import Limits
from ..containers.collecting import REASONS, Collector, reader_of
from ..containers.contents import IGNORED_TEXT, Archive
from ..containers.documents import Document, json_of, storable
from ..containers.files import Source
from ..containers.folders import unfolded
from ..problems import Fault, quoted
from .spotters import OUTLINES, may_be_controls, spotter_points

_TEXTS: Final = ("text", "utf8_string", "transcription")
# Among the attributes of CVAT and datumaro.
_MARKS: Final = ("ignored", "ignore", "difficult")
# The fields that are read, of those that look like outlines.
_KNOWN: Final = {"segmentation", "points", *OUTLINES}
_CONTROLS: Final = REASONS["maybe-control-points"]
_BOXES: Final = REASONS["unread-outlines"]
_NAMELESS: Final = REASONS["categories-without-names"]
_MAX_PIXELS: Final = 50_000_000
_MAX_RUNS: Final = 100_000
_ILLEGIBLE: Final = "illegible"
_LAYOUT: Final = 'an object with "images" and "annotations", or a list of annotations'


def read_coco(document: Document, collector: Collector, truth: Archive | None = None) -> None:
    """Read a COCO file; ``truth`` has the names of ids that a file of results does not name.

    If annotations or the file's ``info`` have a ``method``, there is a result set for each method,
    and every image of the file counts as processed by each of its methods.
    """
    _Dataset(collector, truth).read(json_of(document))


def with_ids_of(truth: Archive, results: Archive, source: Source) -> Archive:
    """Return COCO results without images or categories of their own under the names of the truth's."""
    is_list = not (results.image_ids and results.categories)
    # Ids of several documents may be of different images.
    is_one = len(set(truth.entries.values())) <= 1
    if results.format != "coco-json" or not (is_list and is_one and truth.image_ids):
        return results
    read_again = reader_of("coco-json", ".json", partial(read_coco, truth=truth))
    return read_again(unfolded(source), "results", results.name, Limits(), None)


class _Dataset:
    """Reader of one document."""

    def __init__(self, collector: Collector, truth: Archive | None) -> None:
        self._collector = collector
        self._images = dict(truth.image_ids) if truth else {}
        self._categories = truth.categories if truth else {}
        self._nameless: Counter[str] = Counter()
        self._method: str | None = None

    def read(self, data: Any) -> None:
        if isinstance(data, list):
            self._read_annotations(data, listed=False)
            return
        self._images = {}
        images, annotations = _lists(data)
        if annotations is None or images is None:
            raise Fault("A1", "something else", _LAYOUT)
        self._collector.recognise()
        with self._collector.catching():
            self._method = _method(_group(data.get("info")))
        if own := categories_of(data):
            self._categories = own
            self._collector.ids[0].update(own)
        methods = {self._method} | {
            of["method"]
            for of in annotations
            if isinstance(of, dict) and isinstance(of.get("method"), str)
        }
        if len(methods) > 1:
            methods.discard(None)
        for at, image in enumerate(images, 1):
            try:
                self._read_image(image, methods)
            except Fault as fault:
                self._collector.tell(fault, f"image {at}")
        self._collector.ids[1].update(self._images)
        self._read_annotations(annotations, listed=True)

    def _read_image(self, image: Any, methods: set[str | None]) -> None:
        if not isinstance(image, dict) or _id(image.get("id")) is None:
            raise Fault("L1", "an image without an id", '"id" and "file_name"')
        given = image.get("name", image.get("file_name", image.get("filename")))
        id_ = _id(image["id"])
        if not isinstance(given, str):
            raise Fault(
                "S3", f"an image {checked.shown(image['id'])} without a name", '"file_name"'
            )
        name = storable(given) if "name" in image else self._collector.named(given)
        if name in self._collector or id_ in self._images:
            raise self._collector.second(name)
        size = checked.size_in(image)
        for method in methods:
            self._collector.image(name, method=method, size=size)
        self._images[id_ or ""] = name

    def _read_annotations(self, annotations: list[Any], *, listed: bool) -> None:
        for at in range(len(annotations)):
            # Release each annotation once its region is made; together they are larger than all
            # regions.
            annotation, annotations[at] = annotations[at], None
            try:
                self._read_annotation(annotation, listed)
            except Fault as fault:
                self._collector.tell(fault, self._place(at + 1, annotation))
        if n := self._nameless.total():
            keys = ", ".join(map(quoted, list(+self._nameless)[:5]))
            self._collector.count(_NAMELESS, n=n, keys=keys)

    def _place(self, n: int, annotation: Any) -> str:
        id_ = _id(annotation.get("image_id")) if isinstance(annotation, dict) else None
        if id_ is None:
            return f"annotation {n}"
        image = quoted(self._images.get(id_, id_))
        return f"annotation {n}, image {image}"

    def _read_annotation(self, annotation: Any, listed: bool) -> None:
        if not isinstance(annotation, dict):
            raise Fault("L1", checked.shown(annotation), "an object for each annotation")
        id_ = _id(annotation.get("image_id"))
        if id_ is None:
            raise Fault("S3", "no image_id", '"image_id" of one of the images')
        image = self._images.get(id_)
        if image is None and not listed:
            image = self._collector.named(id_)
        if image is None:
            raise Fault(
                "N2", f"the image_id {checked.shown(annotation['image_id'])}", "one of the images"
            )
        method = _method(annotation) or self._method
        region = read_region(annotation, self._categories)
        self._count_outlines(annotation, image)
        if "label" not in annotation and region.label is not None:
            self._nameless[region.label] += _category_id(annotation) not in self._categories
        self._collector.image(image, method=method)
        self._collector.add(image, region, method=method, given=annotation)

    def _count_outlines(self, annotation: Mapping[str, Any], image: str) -> None:
        """Count regions whose outline may be in fields that are not read."""
        outlines = checked.unread_outlines(annotation, _KNOWN)
        if outlines and not _has_outline(annotation):
            keys = ", ".join(outlines)
            self._collector.count(_BOXES, image=image, keys=keys)
        if not annotation.get("segmentation") and may_be_controls(annotation):
            self._collector.count(_CONTROLS, image=image)


def _has_outline(annotation: Mapping[str, Any]) -> bool:
    return any(annotation.get(name) for name in ("pixels", "mask", *_KNOWN))


def read_region(
    annotation: Mapping[str, Any], categories: Mapping[str, str] | None = None
) -> Region:
    """Return the region of an annotation.

    ``annotation`` is an object of the list ``annotations``; categories are names by id. Raises
    Fault if it has no usable outline, or a field is of the wrong type.
    """
    fields: dict[str, Any] = {
        "text": next(
            (_text(annotation, key) for key in _TEXTS if annotation.get(key) is not None),
            # Codes of letters, as spotters are trained with, are no text without their alphabet.
            checked.text_in(annotation, "rec") or _text_among_attributes(annotation),
        ),
        "id": _text(annotation, "region_id"),
        "parent": _text(annotation, "parent"),
        "ignored_as": _text(annotation, "ignored_as"),
        "label": (
            _text(annotation, "label")
            if "label" in annotation
            else _category(annotation, categories or {})
        ),
        "cell": _cell(annotation.get("cell")),
    }
    score = annotation.get("score", annotation.get("confidence"))
    if score is not None:
        fields["confidence"] = checked.finite(score, "a score")
    fields["ignored"] = _is_ignored(annotation, fields["text"])
    points, pixels = _shape(annotation)
    return Region(points, pixels=pixels, **fields)


def categories_of(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of a document's categories by their ids."""
    given = data.get("categories")
    return {
        str(of.get("id")): of["name"]
        for of in (given if isinstance(given, list) else ())
        if isinstance(of, Mapping) and isinstance(of.get("name"), str)
    }


def _category(annotation: Mapping[str, Any], categories: Mapping[str, str]) -> str | None:
    """Return the name of a category, or its number if others have names."""
    id_ = _category_id(annotation)
    return categories.get(id_, id_) if categories and id_ is not None else None


def _category_id(annotation: Mapping[str, Any]) -> str | None:
    id_ = annotation.get("category_id")
    return _id(int(id_) if isinstance(id_, float) and id_.is_integer() else id_)


def _lists(data: Any) -> tuple[list[Any] | None, list[Any] | None]:
    """Return images and annotations, in whichever layout."""
    if not isinstance(data, dict):
        return None, None
    images = data.get("images", data.get("imgs"))
    annotations = data.get("annotations", data.get("anns"))
    if isinstance(images, dict):
        images = [{"id": id_, **_group(image)} for id_, image in images.items()]
    if isinstance(annotations, dict):
        annotations = list(annotations.values())
    return (
        images if isinstance(images, list) else None,
        annotations if isinstance(annotations, list) else None,
    )


def _group(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _id(value: Any) -> str | None:
    """Return an id as text: a number and a text that look alike are equal."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, int) and abs(value) > 10**30:
        return None
    return str(value)


def _method(given: Mapping[str, Any]) -> str | None:
    method = given.get("method")
    if method is not None and (not isinstance(method, str) or not method.strip()):
        raise Fault("S3", f"{checked.shown(method)} as method", "a name")
    return None if method is None else storable(method)


def _text(annotation: Mapping[str, Any], key: str) -> str | None:
    value = annotation.get(key)
    if value is not None and not isinstance(value, str):
        raise Fault("L2", f"{checked.shown(value)} as {key}", "a text")
    return value


def _text_among_attributes(annotation: Mapping[str, Any]) -> str | None:
    """Return the text among the attributes of a shape, as CVAT and datumaro write it."""
    attributes = _group(annotation.get("attributes"))
    return next((text for key in _TEXTS if (text := checked.text_in(attributes, key))), None)


def _is_ignored(annotation: Mapping[str, Any], text: str | None) -> bool:
    for key in ("ignored", "ignore", "iscrowd"):
        if annotation.get(key) is not None:
            if annotation[key] not in (0, 1):
                raise Fault("L2", f"{checked.shown(annotation[key])} as {key}", "0 or 1")
            if key == "ignored" or annotation[key]:
                return bool(annotation[key])
    # TextOCR writes a full stop for what cannot be read; COCO-Text has a field for that.
    attributes = _group(annotation.get("attributes"))
    if any(attributes.get(key) is True for key in _MARKS):
        return True
    is_stop = annotation.get("utf8_string") == "." and "legibility" not in annotation
    return is_stop or text == IGNORED_TEXT or annotation.get("legibility") == _ILLEGIBLE


def _cell(value: Any) -> Cell | None:
    if value is None:
        return None
    if (
        not isinstance(value, list)
        or len(value) != 4
        or not all(isinstance(of, int) and 0 <= of < 10**6 for of in value)
    ):
        raise Fault("L1", f"{checked.shown(value)} as cell", "four whole numbers")
    first_row, first_column, last_row, last_column = value
    return first_row, first_column, last_row, last_column


def _shape(annotation: Mapping[str, Any]) -> tuple[tuple[float, ...], tuple[Run, ...] | None]:
    """Return the points and, for a mask, the runs of its pixels."""
    if annotation.get("pixels") is not None:
        return _mask(list(_runs(annotation["pixels"])))
    segmentation = annotation.get("segmentation")
    if isinstance(segmentation, dict):
        return _mask(list(_decoded(segmentation)))
    if isinstance(segmentation, list) and segmentation:
        if all(isinstance(part, list) for part in segmentation):
            if len(segmentation) > 1:
                raise Fault("L1", f"{len(segmentation)} polygons", "one; a region has one outline")
            segmentation = segmentation[0]
        return checked.points_of(segmentation), None
    for key in ("points", "mask"):
        if isinstance(annotation.get(key), list) and annotation[key]:
            return checked.points_of(annotation[key]), None
    if (points := spotter_points(annotation)) is not None:
        return points, None
    box = annotation.get("bbox")
    if not isinstance(box, list):
        raise Fault("L1", "no outline", '"segmentation" or "bbox"')
    if len(box) != 4:
        raise Fault("L1", f"{len(box)} numbers as bbox", "x, y, width, height")
    return checked.box_region(*map(checked.finite, box)).points, None


def _mask(runs: Sequence[Run]) -> tuple[tuple[float, ...], tuple[Run, ...]]:
    if not runs:
        raise Fault("L4", "a mask without a pixel", "one pixel or more")
    left, right = min(run[1] for run in runs), max(run[2] for run in runs)
    top, bottom = min(run[0] for run in runs), max(run[0] for run in runs) + 1
    box = Region.from_box(float(left), float(top), float(right), float(bottom))
    return box.points, tuple(runs)


def _runs(given: Any) -> Iterator[Run]:
    wanted = "a list of [row, first column, column after the last]"
    if not isinstance(given, list) or len(given) > _MAX_RUNS:
        raise Fault("L1", f"{checked.shown(given)} as pixels", wanted)
    for run in given:
        if not isinstance(run, list) or len(run) != 3:
            raise Fault("L1", f"{checked.shown(run)} in pixels", wanted)
        if not all(isinstance(of, int) and abs(of) < 10**6 for of in run) or run[1] >= run[2]:
            raise Fault("L2", f"{checked.shown(str(run)[:100])} in pixels", wanted)
        yield run[0], run[1], run[2]


def _decoded(given: Mapping[str, Any]) -> Iterator[Run]:
    """Yield the runs of pixels in rows."""
    is_set = decoded_mask(given)
    for row in np.flatnonzero(is_set.any(axis=1)).tolist():
        edges = np.flatnonzero(np.diff(is_set[row], prepend=False, append=False)).tolist()
        yield from ((row, first, last) for first, last in zip(edges[::2], edges[1::2], strict=True))


def decoded_mask(given: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return the pixels of COCO's run lengths, which go down the columns.

    ``given`` has ``size`` (height, width) and ``counts``, a list or COCO's text. The shape is
    (height, width). Raises Fault if the run lengths are damaged, or the mask is too large.
    """
    size, counts = given.get("size"), given.get("counts")
    if not isinstance(size, list) or len(size) != 2:
        raise Fault("L1", "run lengths without their size", '"size": [height, width]')
    width, height = checked.size_of(size[1], size[0])
    if width * height > _MAX_PIXELS:
        raise Fault("A3", f"a mask of {width} x {height}", f"at most {_MAX_PIXELS} pixels")
    if isinstance(counts, str):
        counts = list(_lengths(counts))
    if not isinstance(counts, list) or not all(
        isinstance(n, int) and 0 <= n <= width * height for n in counts
    ):
        raise Fault("L2", "values that are not run lengths", '"counts" as whole numbers or as text')
    if sum(counts) != width * height:
        wanted = f"{width * height} pixels"
        raise Fault("L1", f"run lengths of {sum(counts)} pixels", wanted)
    pixels = np.repeat(np.arange(len(counts)) % 2 == 1, counts)
    return np.asarray(pixels.reshape(width, height).T)


def _lengths(text: str) -> Iterator[int]:
    """Yield the lengths in COCO's text, 5 bits a character; from the fourth on, as differences."""
    found: list[int] = []
    value = shift = 0
    for char in text:
        bits = ord(char) - 48
        if not 0 <= bits < 64 or shift > 60:
            raise Fault(
                "L2", f"{checked.shown(char)} in compressed run lengths", "COCO's characters"
            )
        value |= (bits & 31) << shift
        shift += 5
        if not bits & 32:
            if bits & 16:
                value -= 1 << shift
            found.append(value + (found[-2] if len(found) > 2 else 0))
            yield found[-1]
            value = shift = 0
