"""Writing of result sets and ground truth that read back as the same regions.

Lines of the Robust Reading Competition hold coordinates and a transcription or, in results only, a
confidence. They cannot hold a line feed in a text, a text ``###`` that is not "don't care", an
ignored region with a text of its own, a text and a confidence, nor label, id, parent, table cell
and mask. A region that would lose data is refused, unless the caller names the field in
``without``. COCO holds everything.
"""

import json
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, Final

from protocols.core.errors import ProtocolError
from protocols.core.regions import Region
from text_rankings.base.names import has_unseen, natural_order

from ..containers.contents import IGNORED_TEXT, Kind, LineFormat
from ..containers.documents import storable
from ..containers.limits import MAX_NAME, shortest
from ..problems import Fault, quoted
from ..readers.coco import read_region
from ..readers.rrc_lines import LineReader, Rules, looks_like_confidence, quoted_text

# Fields that lines cannot hold.
LEFT_OUT: Final = (
    *("label", "id", "parent", "cell", "pixels", "ignored_as", "confidence", "text"),
)
# Characters that would make the name a path or a drive.
NOT_IN_FILES: Final = "/\\:"
_CATEGORY: Final = "text"


class NotWritable(ProtocolError, ValueError):
    """Data that a format cannot hold; the message names image and region."""


def write_rrc_zip(
    stream: BinaryIO,
    regions_by_image: Mapping[str, Sequence[Region]],
    *,
    kind: Kind,
    line_format: LineFormat | str,
    without: Collection[str] = (),
) -> None:
    """Write a zip of ``gt_NAME.txt`` or ``res_NAME.txt``; equal regions give equal bytes.

    Numbers are written so that they read back exactly. Each line is read again before it is
    written, so nothing is lost silently. A counter-clockwise polygon is written as it is;
    ``reading.read`` reverses it and reports that (L7). An image without regions gives an empty
    file; ``without`` names fields of ``LEFT_OUT``. Raises NotWritable if the format cannot hold
    some of the data; then the stream holds a part of the archive.
    """
    line_format = LineFormat(line_format)
    regions = {
        image: [without_fields(region, without) for region in of_image]
        for image, of_image in regions_by_image.items()
    }
    with_confidences = kind == "results" and _has_confidences(regions)
    line_of = _line_writer(kind, line_format, with_confidences)
    if kind == "results" and not with_confidences:
        _check_texts(regions)
    prefix = "gt_" if kind == "truth" else "res_"

    def text_of(image: str) -> str:
        lines = (line_of(of, f"region {at} of {image}") for at, of in enumerate(regions[image]))
        return "".join(f"{line}\r\n" for line in lines)

    write_zip(stream, f"{prefix}{{}}.txt", sorted(regions, key=natural_order), text_of)


def write_zip(
    stream: BinaryIO, name: str, images: Iterable[str], text_of: Callable[[str], str]
) -> None:
    """Write a zip of a text for each image, named as in "gt_{}.txt"; equal texts give equal bytes.

    Raises NotWritable if a name or text cannot be written.
    """
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for image in images:
            check_name(image, NOT_IN_FILES)
            text = text_of(image)
            info = zipfile.ZipInfo(name.format(image), date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, encoded(text))


def encoded(text: str) -> bytes:
    """Return a text in UTF-8; raise NotWritable if it has half a character."""
    try:
        return text.encode()
    except UnicodeEncodeError as fault:
        raise NotWritable("a text has half a character, which UTF-8 cannot hold") from fault


def without_fields(region: Region, fields: Collection[str]) -> Region:
    """Return a region without these fields, which are names from ``LEFT_OUT``.

    Raises NotWritable if one cannot be left out.
    """
    unknown = set(fields) - set(LEFT_OUT)
    if unknown:
        raise NotWritable(f"{', '.join(sorted(unknown))} cannot be left out, only {LEFT_OUT}")
    given: dict[str, Any] = {field: None for field in fields if getattr(region, field) is not None}
    if region.ignored and region.text is not None and "text" in given:
        # An ignored region keeps the mark that it is ignored as its only text.
        given["text"] = IGNORED_TEXT
    return replace(region, **given) if given else region


def _has_confidences(regions: Mapping[str, Sequence[Region]]) -> bool:
    found = [region.confidence is not None for of in regions.values() for region in of]
    if any(found) and not all(found):
        lacking = len(found) - sum(found)
        raise NotWritable(
            f"{lacking} of {len(found)} regions have no confidence; lines have one "
            "each, or none has. Leave confidences out, or write COCO."
        )
    return any(found)


def _check_texts(regions: Mapping[str, Sequence[Region]]) -> None:
    texts = [region.text for of in regions.values() for region in of if region.text]
    if texts and all(map(looks_like_confidence, texts)):
        raise NotWritable(
            "every text looks like a confidence and would be read as one. Leave texts out, or "
            "write COCO."
        )


def check_name(image: str, forbidden: str = "") -> None:
    """Check that a file can contain an image of this name, without any of the forbidden characters.

    Raises NotWritable if it cannot.
    """
    if (
        not image.strip()
        or len(image) > MAX_NAME
        or has_unseen(image)
        or not set(image).isdisjoint(forbidden)
    ):
        raise NotWritable(f"{quoted(image)} cannot be the name of an image in a file")


def _line_writer(
    kind: Kind, line_format: LineFormat, with_confidences: bool
) -> Callable[[Region, str], str]:
    """Return a function that writes a region as a line, or refuses one that would not read back."""
    reader = LineReader(kind, Rules(line_format=line_format), line_format)

    def line_of(region: Region, place: str) -> str:
        line = _line(region, kind, line_format, place)
        try:
            found = reader.region(line)
        except Fault as fault:
            raise NotWritable(f"{place} would not read back: {fault.found}") from fault
        if with_confidences and found.text is not None and looks_like_confidence(found.text):
            found = replace(found, text=None, confidence=float(found.text))
        if found != region:
            raise NotWritable(f"{place}: lines cannot hold {_lost(region, found)}")
        return line

    return line_of


def _line(region: Region, kind: Kind, line_format: LineFormat, place: str) -> str:
    values: Sequence[float] = region.points
    if line_format == LineFormat.LTRB:
        if not region.is_rectangle:
            raise NotWritable(
                f"{place} is not an upright rectangle; left,top,right,bottom cannot describe it"
            )
        values = region.box
    elif line_format == LineFormat.QUAD and region.n_points != 4:
        raise NotWritable(f"{place} has {region.n_points} corners; a quadrilateral has 4")
    fields = list(map(shortest, values))
    if kind == "truth":
        if region.ignored:
            fields.append(IGNORED_TEXT)
        elif region.text is not None:
            fields.append(quoted_text(region.text))
    elif region.confidence is not None:
        fields.append(repr(region.confidence))
    elif region.text is not None:
        fields.append(region.text)
    line = ",".join(fields)
    if "\n" in line or "\r" in line or storable(line) != line:
        raise NotWritable(f"{place} has a text that one line of UTF-8 cannot hold")
    return line


def _lost(region: Region, found: Region) -> str:
    lost = [name for name in Region.__slots__ if getattr(region, name) != getattr(found, name)]
    if lost == ["points"]:
        return "its corners in this order; write quadrilaterals"
    return f"its {', '.join(lost)}. Leave them out, or write COCO"


def write_coco(
    stream: BinaryIO,
    regions_by_image: Mapping[str, Sequence[Region]],
    *,
    kind: Kind,
    sizes: Mapping[str, tuple[int, int]] | None = None,
    method: str | None = None,
) -> None:
    """Write a COCO dataset that reads back with all fields of each region.

    Points are the ``segmentation``, with ``bbox``, ``area`` of the box and ``iscrowd``; a
    confidence is the ``score``; text, ignored, label, parent, cell and pixels are in fields of
    these names, an id in ``region_id``. Categories are the labels; ``info`` has the kind and the
    method. Sizes are in pixels. Raises NotWritable if a text holds a null character or half a
    character, or an image has an unusable name; then the stream holds a part of the file.
    """
    if method is not None and (not method.strip() or storable(method) != method):
        raise NotWritable(f"{quoted(method)} cannot be the name of a method")
    for image in regions_by_image:
        check_name(image)
    labels = {of.label for regions in regions_by_image.values() for of in regions} - {None}
    names = [_CATEGORY, *sorted(label for label in labels if label and label != _CATEGORY)]
    categories = {name: at for at, name in enumerate(names, 1)}
    order = sorted(regions_by_image, key=natural_order)
    info: dict[str, str] = {"kind": kind} | ({} if method is None else {"method": method})
    _write(stream, '{"info": ', info, ',\n"categories": ')
    _write(stream, "", [{"id": at, "name": name} for name, at in categories.items()], "")
    _write_list(stream, "images", _images(order, sizes or {}))
    _write_list(stream, "annotations", _annotations(order, regions_by_image, categories))
    stream.write(b"\n}\n")


def _write(stream: BinaryIO, before: str, data: Any, after: str) -> None:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    stream.write(f"{before}{text}{after}".encode())


def _write_list(stream: BinaryIO, name: str, items: Iterator[Mapping[str, Any]]) -> None:
    stream.write(f',\n"{name}": ['.encode())
    for at, item in enumerate(items):
        _write(stream, ",\n" if at else "\n", item, "")
    stream.write(b"]")


def _images(
    order: Sequence[str], sizes: Mapping[str, tuple[int, int]]
) -> Iterator[Mapping[str, Any]]:
    for number, image in enumerate(order, 1):
        size = dict(zip(("width", "height"), sizes.get(image, ()), strict=False))
        yield {"id": number, "file_name": image, "name": image, **size}


def _annotations(
    order: Sequence[str],
    regions_by_image: Mapping[str, Sequence[Region]],
    categories: Mapping[str, int],
) -> Iterator[Mapping[str, Any]]:
    number = 0
    for image_id, image in enumerate(order, 1):
        for at, region in enumerate(regions_by_image[image]):
            number += 1
            annotation = _annotation(region, number, image_id, categories)
            try:
                found = read_region(annotation)
            except Fault as fault:
                raise NotWritable(f"region {at} of {image}: {fault.found}") from fault
            if found != region:
                raise NotWritable(f"region {at} of {image}: COCO cannot hold it exactly")
            yield annotation


def _annotation(
    region: Region, number: int, image_id: int, categories: Mapping[str, int]
) -> Mapping[str, Any]:
    texts = (region.text, region.label, region.id, region.parent)
    if any(text is not None and storable(text) != text for text in texts):
        raise NotWritable(f"annotation {number} has a text that UTF-8 cannot hold")
    left, top, right, bottom = region.box
    annotation: dict[str, Any] = {
        "id": number,
        "image_id": image_id,
        "category_id": categories[region.label or _CATEGORY],
        "segmentation": [list(region.points)],
        "bbox": [left, top, right - left, bottom - top],
        "area": (right - left) * (bottom - top),
        "iscrowd": 0,
        "label": region.label,
        "ignored": region.ignored,
    }
    others = {
        "text": region.text,
        "score": region.confidence,
        "region_id": region.id,
        "parent": region.parent,
        "cell": None if region.cell is None else list(region.cell),
        "pixels": None if region.pixels is None else list(map(list, region.pixels)),
        "ignored_as": region.ignored_as,
    }
    return annotation | {name: value for name, value in others.items() if value is not None}
