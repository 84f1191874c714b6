"""Amazon Textract: the blocks of one answer, or of the list of answers of a long document."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from protocols.core.regions import Region
from text_rankings.base.i18n import Message

from ..containers import checked
from ..containers.collecting import REGION, Collector, reader_of
from ..containers.contents import Kind, Unit
from ..containers.documents import Document, json_of, page_name
from ..problems import Fault, Problems

_WANTED: Final = Message('an object with "Blocks"')


def _read_blocks(
    document: Document, collector: Collector, problems: Problems, _: Kind, *, type_: str
) -> None:
    """Read the words or lines of each page; all coordinates are shares of its sides."""
    data = json_of(document, problems)
    answers = data if isinstance(data, list) else [data]
    blocks: list[Mapping[str, Any]] = []
    for answer in answers:
        if not isinstance(answer, Mapping) or "Blocks" not in answer:
            raise Fault("A1", checked.shown(answer), _WANTED)
        blocks += checked.objects_in(answer, "Blocks")
    if answers and answers[-1].get("NextToken"):
        found = Message("the first of several answers (NextToken)")
        problems.warning("S3", found, "a list of all answers", document.entry)
    parents = {
        child: checked.text_in(block, "Id")
        for block in blocks
        if block.get("BlockType") == "LINE"
        for child in _children(block)
    }
    # An answer about one image has no number of its page.
    pages: dict[int, list[tuple[Mapping[str, Any], str | None]]] = {} if blocks else {1: []}
    for block in blocks:
        found_here = pages.setdefault(checked.page_in(block, "Page", 1), [])
        if block.get("BlockType") == type_:
            found_here.append((block, parents.get(checked.text_in(block, "Id") or "")))
    for page, of_page in sorted(pages.items()):
        name = page_name(document.stem, page, max(pages))
        collector.image_with(name, of_page, _region, REGION, unit=Unit.SHARES, entry=document.entry)


read_words: Final = reader_of("textract", ".json", partial(_read_blocks, type_="WORD"))
read_lines: Final = reader_of("textract-lines", ".json", partial(_read_blocks, type_="LINE"))


def _children(block: Mapping[str, Any]) -> list[str]:
    return [
        child
        for relation in checked.objects_in(block, "Relationships")
        if relation.get("Type") == "CHILD" and isinstance(relation.get("Ids"), list)
        for child in relation["Ids"]
        if isinstance(child, str)
    ]


def _region(given: tuple[Mapping[str, Any], str | None]) -> Region:
    block, parent = given
    geometry = block.get("Geometry")
    if not isinstance(geometry, Mapping):
        raise Fault("L1", checked.shown(geometry), '"Geometry" with "Polygon" or "BoundingBox"')
    fields: dict[str, Any] = {"id": checked.text_in(block, "Id"), "parent": parent}
    if block.get("Confidence") is not None:
        fields["confidence"] = checked.per_cent_of(block["Confidence"])
    fields["text"] = checked.text_in(block, "Text")
    if geometry.get("Polygon"):
        return Region(checked.points_of_xy(geometry["Polygon"], "X", "Y"), **fields)
    box = geometry.get("BoundingBox")
    if not isinstance(box, Mapping):
        raise Fault("L1", checked.shown(box), '"Geometry" with "Polygon" or "BoundingBox"')
    left, top, width, height = (
        checked.finite(box.get(at)) for at in ("Left", "Top", "Width", "Height")
    )
    return Region.from_box(left, top, left + width, top + height, **fields)
