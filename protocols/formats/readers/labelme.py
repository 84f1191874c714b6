"""LabelMe: a JSON file per image; shapes have a label, perhaps their text, and perhaps a description."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import SHAPE, Collector
from ..containers.contents import IGNORED_TEXT
from ..containers.documents import Document, image_name, json_of
from ..problems import Fault

_WANTED: Final = 'an object with "shapes"'
# With their corners as points; X-AnyLabeling names a turned rectangle otherwise than LabelMe.
_OUTLINES: Final = ("polygon", "rectangle", "rotation", "oriented_rectangle", "quadrilateral")
# Label of shapes that have no other label.
_LABEL: Final = "text"


def read_image(document: Document, collector: Collector, *, text: str) -> None:
    """Read the shapes of an image, with their texts in the named member; raise Fault if there are none."""
    data = json_of(document)
    if not isinstance(data, Mapping) or not isinstance(data.get("shapes"), list):
        raise Fault("A1", checked.shown(data), _WANTED)
    image = image_name(checked.text_in(data, "imagePath") or document.stem)
    size = checked.size_in(data, "imageWidth", "imageHeight")
    region = partial(_region, text_in=text)
    collector.image_with(image, data["shapes"], region, SHAPE, size=size)


def _region(shape: Any, text_in: str) -> Region:
    if not isinstance(shape, Mapping) or not isinstance(shape.get("points"), list):
        raise Fault("L1", checked.shown(shape), 'a shape with "points"')
    type_ = shape.get("shape_type") or "polygon"
    points = shape["points"]
    if type_ == "rectangle" and len(points) == 2:
        if not all(isinstance(point, list) and len(point) == 2 for point in points):
            raise Fault("L1", "points of something else", "points as [x, y]")
        (x1, y1), (x2, y2) = ([checked.finite(value) for value in point] for point in points)
        outline = Region.from_box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)).points
    elif type_ in _OUTLINES:
        outline = checked.points_of_pairs(points)
    else:
        raise Fault("L1", f"a shape of the type {checked.shown(type_)}", "a polygon or a rectangle")
    label, text = checked.text_in(shape, "label"), checked.text_in(shape, text_in)
    flags = shape.get("flags")
    is_flagged = isinstance(flags, Mapping) and flags.get("ignored") is True
    # X-AnyLabeling has a field for it.
    is_ignored = is_flagged or shape.get("difficult") is True or IGNORED_TEXT in (label, text)
    return Region(
        outline,
        text,
        checked.confidence_of(shape.get("score")),
        is_ignored,
        label=None if label in ("", _LABEL) or text_in == "label" else label,
    )


def labelme_document(
    image: str, regions: Sequence[Region], size: tuple[int, int] | None
) -> dict[str, Any]:
    """Return the LabelMe file of an image.

    The size is in pixels.
    """
    shapes = []
    for region in regions:
        shape: dict[str, Any] = {
            "label": _LABEL if region.label is None else region.label,
            "points": checked.pairs_of(region),
            "group_id": None,
            "shape_type": "polygon",
            "flags": {"ignored": True} if region.ignored else {},
        }
        if region.text is not None:
            shape["description"] = region.text
        if region.confidence is not None:
            shape["score"] = region.confidence
        shapes.append(shape)
    return {
        "version": "5.4.1",
        "flags": {},
        "shapes": shapes,
        "imagePath": image,
        "imageData": None,
        "imageHeight": None if size is None else size[1],
        "imageWidth": None if size is None else size[0],
    }
