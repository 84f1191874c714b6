"""Amazon Textract: the blocks of one answer, or of the list of answers of a long document."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REASONS, REGION, Collector
from ..containers.contents import Unit
from ..containers.documents import Document, json_of, page_name
from ..containers.pages import units_of
from ..problems import Fault, quoted

_WANTED: Final = 'an object with "Blocks"'
_LAYOUT: Final = "LAYOUT_"
# Areas that are no text, and those whose texts are areas too.
_NO_TEXT: Final = ("LAYOUT_FIGURE", "LAYOUT_TABLE", "LAYOUT_LIST", "LAYOUT_KEY_VALUE")
_OTHER_TYPES: Final = REASONS["other-blocks"]
_DONE: Final = "SUCCEEDED"
_DONE_IN_PART: Final = "PARTIAL_SUCCESS"
# A block and the line that it belongs to.
_Block = tuple[Mapping[str, Any], str | None]


def read_blocks(document: Document, collector: Collector, *, type_: str) -> None:
    """Read the words or lines of each page, in shares of its sides; raise Fault without blocks."""
    data = json_of(document)
    answers = data if isinstance(data, list) else [data]
    blocks: list[Mapping[str, Any]] = []
    for answer in answers:
        if not isinstance(answer, Mapping):
            raise Fault("A1", checked.shown(answer), _WANTED)
        _check_job(answer, collector)
        if "Blocks" not in answer:
            raise Fault("A1", checked.shown(answer), _WANTED)
        blocks += checked.objects_in(answer, "Blocks")
    if answers and answers[-1].get("NextToken"):
        found = "the first of several answers (NextToken)"
        collector.warning("S3", found, "a list of all answers")
    parents = {
        child: checked.text_in(block, "Id")
        for block in blocks
        if block.get("BlockType") == "LINE"
        for child in _children(block)
    }
    # An answer about one image has no number of its page.
    pages: dict[int, list[_Block]] = {} if blocks else {1: []}
    for block in blocks:
        pages.setdefault(checked.page_in(block, "Page", 1), [])
    for block in blocks:
        page = checked.page_in(block, "Page", 1)
        pages[page].append((block, parents.get(checked.text_in(block, "Id") or "")))
    for page, of_page in sorted(pages.items()):
        name = page_name(document.stem, page, max(pages))
        units = _units(of_page, type_, collector)
        collector.image_with(name, units, _region, REGION, unit=Unit.SHARES)


def _check_job(answer: Mapping[str, Any], collector: Collector) -> None:
    """Raise Fault, with Textract's own message, if a job has not succeeded."""
    status, says = answer.get("JobStatus", _DONE), answer.get("StatusMessage")
    if status == _DONE:
        return
    job = f"a job with the status {checked.shown(status)}"
    if isinstance(says, str):
        job = f"{job}: {quoted(says)}"
    if status != _DONE_IN_PART:
        raise Fault("A1", job, "the answer of a job that has succeeded")
    collector.warning("S3", job, "the answer of a job that has succeeded")


def _units(of_page: Sequence[_Block], type_: str, collector: Collector) -> Sequence[_Block]:
    """Return the words or lines of a page, or else the areas of its layout; count the others."""
    by_type: dict[str, list[_Block]] = {}
    for one in of_page:
        by_type.setdefault(checked.text_in(one[0], "BlockType") or "", []).append(one)
    if "" in by_type:
        raise Fault("A1", "a block without a type", '"BlockType"')
    words, lines = by_type.get("WORD", []), by_type.get("LINE", [])
    if words or lines:
        other = type_ == "LINE" or not words
        return units_of(words, lines if other else [], [], collector, of_lines=type_ == "LINE")
    areas: list[_Block] = []
    for of, of_type in by_type.items():
        if of.startswith(_LAYOUT) and of not in _NO_TEXT:
            areas += of_type
        elif of != "PAGE":
            collector.count(_OTHER_TYPES, n=len(of_type), type=of)
    return units_of([], [], areas, collector)


def _children(block: Mapping[str, Any]) -> list[str]:
    return [
        child
        for relation in checked.objects_in(block, "Relationships")
        if relation.get("Type") == "CHILD" and isinstance(relation.get("Ids"), list)
        for child in relation["Ids"]
        if isinstance(child, str)
    ]


def _region(given: _Block) -> Region:
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
    sides = (checked.finite(box.get(at)) for at in ("Left", "Top", "Width", "Height"))
    return checked.box_region(*sides, **fields)
