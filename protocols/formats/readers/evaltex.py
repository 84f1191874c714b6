"""EvaLTex files in this project's layout: all images of a dataset as text or as XML.

Text: images separated by an empty line, each with its name, ``height,width``, and a line for each
object: ``object id,region id,"transcription",reject,x,y,w,h`` in ground truth, ``object
id,x,y,w,h`` in detections; six or more numbers instead of four are the points of a polygon. XML:
``<evaltex kind="groundtruth"><image name= width= height=><region id=><object id= x= y= width=
height= reject= transcription=/></region> <object points="x,y x,y ..."/></image></evaltex>``.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector
from ..containers.contents import Kind
from ..containers.documents import Document, image_name, text_of
from ..containers.elements import Element, element_of
from ..problems import PASSED_OVER, Fault, Span, quoted

_MAX_LINE: Final = 200_000
_KINDS: Final[Mapping[str, Kind]] = {"groundtruth": "truth", "detections": "results"}
_TRUE: Final = {
    **dict.fromkeys(("t", "true", "1"), True),
    **dict.fromkeys(("f", "false", "0", ""), False),
}
_SIDES: Final = ("x", "y", "width", "height")


def read_text(document: Document, collector: Collector) -> None:
    """Read all images of a text, each a block of lines; a Fault that it raises is reported."""
    for (number, line), *rest in _blocks(text_of(document)):
        with collector.catching(number, text=line):
            image = collector.named(line.strip())
            if image in collector:
                raise collector.second(image)
            if not rest:
                found = f"{quoted(image)} without its size"
                raise Fault("L1", found, "height,width below the name")
            with collector.catching(rest[0][0], text=rest[0][1]):
                collector.image(image, size=_size(rest[0][1]))
                for number, line in rest[1:]:
                    with collector.catching(number, text=line):
                        region = _region(line, collector.kind)
                        collector.add(image, region, line=number, text=line)


def _blocks(text: str) -> Iterator[list[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _size(line: str) -> tuple[int, int]:
    sides = line.split(",")
    if len(sides) != 2:
        raise Fault("L1", quoted(line), "height,width", (0, len(line)))
    height, width = (checked.finite_in(side, "height,width", _span(line, side)) for side in sides)
    return checked.size_of(width, height)


def _region(line: str, kind: Kind) -> Region:
    if len(line) > _MAX_LINE:
        raise Fault("L1", f"a line of {len(line)} characters", f"at most {_MAX_LINE}")
    try:
        fields = next(csv.reader([line], skipinitialspace=True, strict=True))
    except csv.Error as fault:
        raise Fault("L1", f"a line that cannot be read ({fault})", "fields with commas") from fault
    n_before = 4 if kind == "truth" else 1
    wanted = (
        'object id,region id,"transcription",reject,x,y,w,h'
        if kind == "truth"
        else "object id,x,y,w,h"
    )
    if len(fields) < n_before + 4:
        raise Fault("L1", f"{len(fields)} fields in {quoted(line)}", wanted, (0, len(line)))
    values = [checked.finite_in(field, wanted, _span(line, field)) for field in fields[n_before:]]
    if kind == "results":
        return _shaped(values, id=fields[0].strip() or None)
    id_, parent, text, reject = fields[:4]
    ignored = _TRUE.get(reject.strip().lower())
    if ignored is None:
        raise Fault("L2", quoted(reject), "t or f as reject", _span(line, reject))
    parent = parent.strip()
    return _shaped(
        values,
        id=id_.strip() or None,
        parent=None if parent in ("", "0") else parent,
        text=text,
        ignored=ignored,
    )


def _shaped(values: Sequence[float], **fields: str | bool | None) -> Region:
    if len(values) == 4:
        left, top, width, height = values
        return checked.box_region(left, top, width, height, **fields)
    return Region(checked.points_of(values), **fields)  # type: ignore[arg-type]  # by their names


def _span(line: str, field: str) -> Span | None:
    at = line.rfind(field) if field.strip() else -1
    return None if at < 0 else (at, at + len(field))


def read_xml(document: Document, collector: Collector) -> None:
    """Read all images of an XML document; raise Fault if it has none."""
    root = element_of(document, "evaltex")
    kind = root.attributes.get("kind")
    with collector.catching(root.line):
        if kind is not None and _KINDS.get(kind) != collector.kind:
            asked = next(name for name, of in _KINDS.items() if of == collector.kind)
            raise Fault("A1", f"a document of the kind {quoted(kind)}", asked)
    images = [(above, of) for above in (root, *root.all()) for of in above.at("image")]
    if not images:
        raise Fault("A1", "no image", "an <evaltex> of images")
    for above, element in images:
        with collector.catching(element.line):
            if above is not root:
                wanted = "images directly in <evaltex>"
                raise Fault("L1", f"an image inside {quoted(above.name)}", wanted)
            _read_image(element, collector)
        # All elements together are larger than all regions.
        element.inside = ()


def _read_image(element: Element, collector: Collector) -> None:
    given = element.attributes
    image, size = image_name(given.get("name", "").strip()), None
    if image in collector:
        raise collector.second(image)
    if "width" in given or "height" in given:
        size = checked.size_of(
            checked.finite_in(given.get("width", ""), "a width in pixels"),
            checked.finite_in(given.get("height", ""), "a height in pixels"),
        )
    collector.image(image, size=size)
    for of, parent in _objects(element, None, collector):
        with collector.catching(of.line):
            collector.add(image, _region_of(of.attributes, parent))


def _objects(
    element: Element, parent: str | None, collector: Collector
) -> Iterator[tuple[Element, str | None]]:
    """Yield the objects inside an element, each with the id of the region that it is in."""
    for inner in element.inside:
        id_ = parent
        if inner.name == "object":
            yield inner, parent
        elif inner.name == "region":
            id_ = inner.attributes.get("id", "").strip() or None
            if {"points", *_SIDES} & inner.attributes.keys():
                found = f"a shape of the region {quoted(id_ or '')}"
                collector.warning("L1", found, "the shapes of its objects", action=PASSED_OVER)
        if inner.inside and inner.name != "image":
            yield from _objects(inner, id_, collector)


def _region_of(given: Mapping[str, str], parent: str | None) -> Region:
    fields: dict[str, str | bool | None] = {
        "id": given.get("id", "").strip() or None,
        "parent": parent or given.get("region", "").strip() or None,
        "text": given.get("transcription"),
    }
    reject = given.get("reject", "")
    ignored = _TRUE.get(reject.strip().lower())
    if ignored is None:
        raise Fault("L2", quoted(reject), "true or false as reject")
    fields["ignored"] = ignored
    if "points" in given:
        return Region(checked.points_in(given["points"]), **fields)  # type: ignore[arg-type]  # by their names
    lacking = [side for side in _SIDES if side not in given]
    if lacking:
        raise Fault("L1", f"an object without {', '.join(lacking)}", "a box, or points")
    left, top, width, height = (checked.finite_in(given[side], side) for side in _SIDES)
    return checked.box_region(left, top, width, height, **fields)
