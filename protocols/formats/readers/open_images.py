"""Open Images: CSV of boxes in shares of images."""

from typing import Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector
from ..containers.contents import Kind, Unit
from ..containers.documents import Document, image_name, text_of
from ..problems import Fault, quoted
from .separated import Row, rows_of

COLUMNS: Final = ("imageid", "xmin", "xmax", "ymin", "ymax")
_WANTED: Final = "a header ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax …"


def read_boxes(document: Document, collector: Collector) -> None:
    """Read boxes, one a line with its image; raise Fault for other columns."""
    for row in rows_of(text_of(document), document.problems, document.entry):
        if isinstance(row, list):
            if not set(COLUMNS) <= set(row):
                raise Fault("A1", f"a header {quoted(','.join(row))}", _WANTED)
            collector.recognise()
            continue
        with collector.catching(row.line, text=row.text):
            image = image_name(row.cells["imageid"].strip())
            collector.image(image, unit=Unit.SHARES)
            region = _region(row, collector.kind)
            collector.add(image, region, line=row.line, text=row.text)


def _region(row: Row, kind: Kind) -> Region:
    left, right, top, bottom = (checked.finite_in(row.cells[name]) for name in COLUMNS[1:])
    given = row.cells.get("confidence", "").strip()
    # In ground truth it says that a person has looked.
    has_confidence = kind == "results" and bool(given)
    return checked.box_between(
        left,
        top,
        right,
        bottom,
        confidence=checked.confidence_of(checked.finite_in(given)) if has_confidence else None,
        ignored=row.cells.get("isgroupof") == "1",
        label=row.cells.get("labelname") or None,
    )
