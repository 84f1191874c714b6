"""Writing of regions in any writable format, checked by reading them back."""

import io
import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from protocols.core.regions import Region
from text_rankings.base.names import natural_order

from ..containers.contents import ByImage, Kind, LineFormat
from ..problems import quoted
from ..readers.hiertext import hiertext_annotation
from ..readers.labelme import labelme_document
from ..readers.maptext import as_maptext, maptext_entry
from ..readers.paddle import paddle_line
from ..readers.page import page_document
from ..recognition.reading import read
from .regions import (
    NOT_IN_FILES,
    NotWritable,
    check_name,
    encoded,
    without_fields,
    write_coco,
    write_rrc_zip,
    write_zip,
)

Sizes = Mapping[str, tuple[int, int]]


def write(
    regions_by_image: ByImage,
    format: str,
    *,
    kind: Kind,
    sizes: Sizes | None = None,
    without: Collection[str] = (),
) -> bytes:
    """Return the file that holds these regions; reading it back gives equal ones.

    The format is one of ``WRITTEN``. PAGE requires sizes, in pixels; ``without`` names fields of
    ``regions.LEFT_OUT``. Raises NotWritable if there is no such format, or it cannot hold a field;
    the message says which.
    """
    if format not in WRITTEN:
        raise NotWritable(f"{quoted(format)} is not written; formats: {', '.join(WRITTEN)}")
    regions = {
        image: tuple(without_fields(region, without) for region in regions_by_image[image])
        for image in sorted(regions_by_image, key=natural_order)
    }
    if format == "maptext":
        regions = {image: as_maptext(of, kind) for image, of in regions.items()}
    content = WRITTEN[format](regions, kind, sizes or {})
    if format in _CHECKED:
        _check(content, regions, format, kind)
    return content


def _check(content: bytes, regions: ByImage, format: str, kind: Kind) -> None:
    archive = read(io.BytesIO(content), kind=kind, format=format, name="what was written")
    if archive.errors:
        raise NotWritable(f"it would not read back: {archive.errors[0]}")
    for image, of_image in regions.items():
        back = archive.regions.get(image, ())
        if len(back) != len(of_image):
            raise NotWritable(f"{quoted(image)} would not read back as the same image")
        for at, (region, found) in enumerate(zip(of_image, back, strict=True)):
            if found != region:
                lost = [of for of in Region.__slots__ if getattr(region, of) != getattr(found, of)]
                raise NotWritable(
                    f"region {at} of {image}: {format} cannot hold its "
                    f"{', '.join(lost)}. Leave that out, or write coco-json"
                )


def _zip(suffix: str, images: Collection[str], text_of: Callable[[str], str]) -> bytes:
    stream = io.BytesIO()
    write_zip(stream, f"{{}}{suffix}", images, text_of)
    return stream.getvalue()


def _dumped(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def _lines(line_format: LineFormat) -> "_Write":
    def write_lines(regions: ByImage, kind: Kind, sizes: Sizes) -> bytes:
        stream = io.BytesIO()
        write_rrc_zip(stream, regions, kind=kind, line_format=line_format)
        return stream.getvalue()

    return write_lines


def _coco(regions: ByImage, kind: Kind, sizes: Sizes) -> bytes:
    stream = io.BytesIO()
    write_coco(stream, regions, kind=kind, sizes=sizes)
    return stream.getvalue()


def _paddle(regions: ByImage, kind: Kind, sizes: Sizes) -> bytes:
    for image in regions:
        check_name(image, NOT_IN_FILES)
    return encoded("".join(f"{paddle_line(image, of)}\n" for image, of in regions.items()))


def _hiertext(regions: ByImage, kind: Kind, sizes: Sizes) -> bytes:
    annotations = [
        hiertext_annotation(image, of, sizes.get(image)) for image, of in regions.items()
    ]
    return encoded(_dumped({"info": {}, "annotations": annotations}) + "\n")


def _maptext(regions: ByImage, kind: Kind, sizes: Sizes) -> bytes:
    entries = [maptext_entry(image, of, kind) for image, of in regions.items()]
    return encoded(_dumped(entries) + "\n")


def _labelme(regions: ByImage, kind: Kind, sizes: Sizes) -> bytes:
    def text_of(image: str) -> str:
        return _dumped(labelme_document(image, regions[image], sizes.get(image)))

    return _zip(".json", regions, text_of)


def _page(regions: ByImage, kind: Kind, sizes: Sizes) -> bytes:
    unknown = [image for image in regions if image not in sizes]
    if unknown:
        raise NotWritable(
            f"PAGE gives the size of each page; the size of {unknown[0]} is not known"
        )
    return _zip(".xml", regions, lambda of: page_document(of, regions[of], sizes[of]))


_Write = Callable[[ByImage, Kind, Sizes], bytes]
WRITTEN: Final[Mapping[str, _Write]] = {
    "ltrb": _lines(LineFormat.LTRB),
    "quad": _lines(LineFormat.QUAD),
    "polygon": _lines(LineFormat.POLYGON),
    "coco-json": _coco,
    "paddle": _paddle,
    "hiertext": _hiertext,
    "maptext": _maptext,
    "labelme": _labelme,
    "page-xml": _page,
}
# The writers of lines and of COCO check each region themselves.
_CHECKED: Final = ("paddle", "hiertext", "maptext", "labelme", "page-xml")
