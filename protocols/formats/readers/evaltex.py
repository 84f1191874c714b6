"""EvaLTex files in this project's layout: all images of a dataset as text or as XML.

Text: images separated by an empty line, each with its name, ``height,width``, and a line for each
object: ``object id,region id,"transcription",reject,x,y,w,h`` in ground truth, ``object
id,x,y,w,h`` in detections; six or more numbers instead of four are the points of a polygon. XML:
``<evaltex kind="groundtruth"><image name= width= height=><region id=><object id= x= y= width=
height= reject= transcription=/></region> <object points="x,y x,y ..."/></image></evaltex>``.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector, reader_of
from ..containers.contents import Kind
from ..containers.documents import Document, image_name, text_of
from ..containers.elements import Elements, parse_xml
from ..problems import PASSED_OVER, Fault, Problems, Span, quoted

_MAX_LINE: Final = 200_000
_KINDS: Final[Mapping[str, Kind]] = {"groundtruth": "truth", "detections": "results"}
_TRUE: Final = {
    "t": True,
    "true": True,
    "1": True,
    "f": False,
    "false": False,
    "0": False,
    "": False,
}
_SEPARATORS: Final = re.compile(r"[\s,]++")
_SIDES: Final = ("x", "y", "width", "height")


def _read_text(document: Document, collector: Collector, problems: Problems, kind: Kind) -> None:
    for block in _blocks(text_of(document, problems)):
        _read_block(block, kind, document.entry, collector, problems)


read_text: Final = reader_of("evaltex-text", ".txt", _read_text)


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


def _read_block(
    block: Sequence[tuple[int, str]],
    kind: Kind,
    entry: str | None,
    collector: Collector,
    problems: Problems,
) -> None:
    (number, line), *rest = block
    image = collector.named(line.strip())
    try:
        if image in collector:
            raise collector.second(image)
        if not rest:
            raise Fault("L1", f"{quoted(image)} without its size", "height,width below the name")
        number, line = rest[0]
        collector.image(image, size=_size(line), entry=entry)
    except Fault as fault:
        problems.fault(fault, entry, number, text=line)
        return
    for number, line in rest[1:]:
        try:
            region = _region(line, kind)
        except Fault as fault:
            problems.fault(fault, entry, number, text=line)
        else:
            collector.add(image, region, entry=entry, line=number, text=line)


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


def _read_xml(document: Document, collector: Collector, problems: Problems, kind: Kind) -> None:
    reader = _Images(document, kind, collector, problems)
    if parse_xml(document, reader, problems) and not reader.has_image:
        problems.error("A1", "no image", "an <evaltex> of images", document.entry)


read_xml: Final = reader_of("evaltex-xml", ".xml", _read_xml)


class _Images(Elements):
    """A collector of regions from the parser's events."""

    root = "evaltex"

    def __init__(
        self, document: Document, kind: Kind, collector: Collector, problems: Problems
    ) -> None:
        super().__init__()
        self.has_image = False
        self._document = document
        self._kind = kind
        self._collector = collector
        self._problems = problems
        self._image: str | None = None
        self._parent: str | None = None

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if len(self.open) == 1:
            self._check_kind(attributes.get("kind"))
        elif name == "image":
            self.has_image = True
            self._start_image(attributes)
        elif self._image is None:
            return
        elif name == "region":
            self._parent = attributes.get("id", "").strip() or None
            if {"points", *_SIDES} & attributes.keys():
                found = "a shape of the region {value}".format(value=quoted(self._parent or ""))
                wanted = "the shapes of its objects"
                self._problems.warning(
                    "L1", found, wanted, self._document.entry, action=PASSED_OVER
                )
        elif name == "object":
            region = self._region(attributes)
            self._collector.add(self._image, region, entry=self._document.entry)

    def end(self, name: str) -> None:
        if name == "image":
            self._image = None
        elif name == "region":
            self._parent = None

    def _check_kind(self, kind: str | None) -> None:
        if kind is not None and _KINDS.get(kind) != self._kind:
            asked = next(name for name, of in _KINDS.items() if of == self._kind)
            raise Fault("A1", f"a document of the kind {quoted(kind)}", asked)

    def _start_image(self, attributes: Mapping[str, str]) -> None:
        self._image, above = None, self.open[-2]
        image = image_name(attributes.get("name", "").strip())
        if above != "evaltex":
            raise Fault("L1", f"an image inside {quoted(above)}", "images directly in <evaltex>")
        if image in self._collector:
            raise self._collector.second(image)
        size = None
        if "width" in attributes or "height" in attributes:
            size = checked.size_of(
                checked.finite_in(attributes.get("width", ""), "a width in pixels"),
                checked.finite_in(attributes.get("height", ""), "a height in pixels"),
            )
        self._collector.image(image, size=size, entry=self._document.entry)
        self._image = image

    def _region(self, attributes: Mapping[str, str]) -> Region:
        fields: dict[str, str | bool | None] = {
            "id": attributes.get("id", "").strip() or None,
            "parent": self._parent or attributes.get("region", "").strip() or None,
            "text": attributes.get("transcription"),
        }
        reject = attributes.get("reject", "")
        ignored = _TRUE.get(reject.strip().lower())
        if ignored is None:
            raise Fault("L2", quoted(reject), "true or false as reject")
        fields["ignored"] = ignored
        if "points" in attributes:
            parts = [part for part in _SEPARATORS.split(attributes["points"]) if part]
            values = checked.points_of([checked.finite_in(part) for part in parts])
            return Region(values, **fields)  # type: ignore[arg-type]  # by their names
        lacking = [side for side in _SIDES if side not in attributes]
        if lacking:
            raise Fault("L1", f"an object without {', '.join(lacking)}", "a box, or points")
        left, top, width, height = (checked.finite_in(attributes[side], side) for side in _SIDES)
        return checked.box_region(left, top, width, height, **fields)
