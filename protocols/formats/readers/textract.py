"""Amazon Textract: the blocks of one answer, or of the list of answers of a long document."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from protocols.core.regions import Region
from text_rankings.base.i18n import Message

from ..containers import checked
from ..containers.collecting import LINES_READ, REGION, Collector, reader_of
from ..containers.contents import KINDS, Kind, Unit
from ..containers.documents import Document, json_of, page_name
from ..problems import Fault, Problems, quoted

_WANTED: Final = Message('an object with "Blocks"')
_DONE: Final = "SUCCEEDED"
_DONE_IN_PART: Final = "PARTIAL_SUCCESS"


def _read_blocks(
    document: Document, collector: Collector, problems: Problems, _: Kind, *, type_: str
) -> None:
    """Read the words or lines of each page; all coordinates are shares of its sides."""
    data = json_of(document, problems)
    answers = data if isinstance(data, list) else [data]
    blocks: list[Mapping[str, Any]] = []
    for answer in answers:
        if not isinstance(answer, Mapping):
            raise Fault("A1", checked.shown(answer), _WANTED)
        _check_job(answer, problems, document.entry)
        if "Blocks" not in answer:
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
        pages.setdefault(checked.page_in(block, "Page", 1), [])
    types = {page: _type_of(blocks, page, type_) for page in pages}
    for block in blocks:
        page = checked.page_in(block, "Page", 1)
        if block.get("BlockType") == types[page]:
            pages[page].append((block, parents.get(checked.text_in(block, "Id") or "")))
    for page, of_page in sorted(pages.items()):
        if types[page] != type_ and of_page:
            collector.count(LINES_READ, document.entry, n=len(of_page))
        name = page_name(document.stem, page, max(pages))
        collector.image_with(name, of_page, _region, REGION, unit=Unit.SHARES, entry=document.entry)


read_words: Final = reader_of(
    "textract", ".json", partial(_read_blocks, type_="WORD"), engine=KINDS
)
read_lines: Final = reader_of(
    "textract-lines", ".json", partial(_read_blocks, type_="LINE"), engine=KINDS
)


def _check_job(answer: Mapping[str, Any], problems: Problems, entry: str | None) -> None:
    """Raise Fault, with Textract's own message, if a job has not succeeded."""
    status, says = answer.get("JobStatus", _DONE), answer.get("StatusMessage")
    if status == _DONE:
        return
    job = Message("a job with the status {status}", status=checked.shown(status))
    if isinstance(says, str):
        job = Message("{job}: {says}", job=job, says=quoted(says))
    if status != _DONE_IN_PART:
        raise Fault("A1", job, "the answer of a job that has succeeded")
    problems.warning("S3", job, "the answer of a job that has succeeded", entry)


def _type_of(blocks: Sequence[Mapping[str, Any]], page: int, type_: str) -> str:
    """Return the type of the blocks that are read: lines, if a page has no words."""
    of_page = {of.get("BlockType") for of in blocks if checked.page_in(of, "Page", 1) == page}
    return "LINE" if type_ not in of_page else type_


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
