"""CSV and similar files: a header line, then a line for each region or score."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector
from ..containers.contents import IGNORED_TEXT
from ..containers.documents import Document, text_of
from ..problems import PASSED_OVER, Fault, Problems, quoted

_DELIMITERS: Final = (",", ";", "\t")
_MAX_CORNERS: Final = 100
# Names that each column may have, this project's own first.
_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "image": ("image", "image_name", "file_name", "filename", "file"),
    "method": ("method",),
    "text": ("text", "transcription"),
    "confidence": ("confidence", "score"),
    "ignored": ("ignored", "ignore", "dont_care"),
    "label": ("label",),
    "id": ("id",),
    "parent": ("parent",),
    "image_width": ("image_width",),
    "image_height": ("image_height",),
    "points": ("points", "polygon"),
    "left": ("left", "xmin"),
    "top": ("top", "ymin"),
    "right": ("right", "xmax"),
    "bottom": ("bottom", "ymax"),
    "x": ("x",),
    "y": ("y",),
    "width": ("width", "w"),
    "height": ("height", "h"),
}
_OURS: Final = {alias: name for name, aliases in _NAMES.items() for alias in aliases}
_TRUE: Final = {
    **dict.fromkeys(("1", "true", "t", "yes", "y"), True),
    **dict.fromkeys(("", "0", "false", "f", "no", "n"), False),
}
# Of cells in these columns a comma is none of a number.
_WORDS: Final = frozenset(
    alias for name in ("image", "method", "text", "label", "id", "parent") for alias in _NAMES[name]
)
_DECIMAL_COMMA: Final = re.compile(r"\s*+[+-]?\d*+,\d++\s*+\Z", re.ASCII)
_SHAPES: Final = "points, or left,top,right,bottom, or x,y,width,height, or x1,y1,x2,y2,x3,y3 …"


@dataclass(frozen=True, slots=True)
class Row:
    """A line below the header: cells by the name of their column."""

    line: int
    cells: Mapping[str, str]
    delimiter: str

    @property
    def text(self) -> str:
        return ",".join(self.cells.values())


def delimiter_of(header: str) -> str:
    """Return the most probable separator of a header's fields."""
    return max(_DELIMITERS, key=header.count)


def rows_of(text: str, problems: Problems, entry: str | None) -> Iterator[list[str] | Row]:
    """Yield the header's cells in lower case, then the rows that are not empty.

    A row with a different number of cells from the header, or invalid CSV, becomes a problem. Between
    semicolons or tabs, numbers may have decimal commas, as German and French spreadsheets write them.
    """
    delimiter = delimiter_of(text.partition("\n")[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header: list[str] | None = None
    last, has_commas = 0, False
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as fault:
            found = f"a line that is not CSV ({fault})"
            problems.error("L1", found, "CSV", entry, reader.line_num)
            last = reader.line_num
            continue
        line, last = last + 1, reader.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = [cell.strip().lower() for cell in cells]
            twice = [name for name in header if name and header.count(name) > 1]
            if twice:
                found = f"two columns {quoted(twice[0])}"
                problems.error("L1", found, "each column once", entry, line)
                return
            yield header
            continue
        # Some programs add delimiters at the end.
        if len(cells) > len(header) and not any(cell.strip() for cell in cells[len(header) :]):
            cells = cells[: len(header)]
        if len(cells) != len(header):
            shown = delimiter.join(cells)
            problems.error("L1", f"{len(cells)} cells", ",".join(header), entry, line, text=shown)
            continue
        named = {name: cell for name, cell in zip(header, cells, strict=True) if name}
        if delimiter != "," and (with_points := _with_points(named)):
            if not has_commas:
                problems.warning("L9", "decimal commas", "decimal points", entry, line)
            has_commas = True
            named |= with_points
        yield Row(line, named, delimiter)


def _with_points(cells: Mapping[str, str]) -> dict[str, str]:
    """Return the cells that are numbers with a decimal comma, with a point instead."""
    return {
        name: cell.replace(",", ".")
        for name, cell in cells.items()
        if name not in _WORDS and _DECIMAL_COMMA.match(cell)
    }


def read_document(document: Document, collector: Collector) -> None:
    """Read a CSV file of regions.

    Columns are found by their names: ``image``, an outline (``points`` with blanks between the
    numbers; ``left,top,right,bottom``; ``x,y,width,height``; ``x1,y1,x2,y2,x3,y3 ...``), and
    optionally ``method, text, confidence, ignored, label, id, parent, image_width, image_height``.
    A line with an image and no outline is an image without regions. With a column ``method`` the
    archive has a result set for each method. Ground truth and results have the same columns.
    Raises Fault if there is no such header (L1).
    """
    shape: Sequence[str] | None = None
    has_method = False
    for row in rows_of(text_of(document), document.problems, document.entry):
        if isinstance(row, list):
            columns = {_OURS.get(column, column) for column in row}
            shape = _shape_of(columns)
            has_method = "method" in columns
            if "image" not in columns or shape is None:
                wanted = f"image, and {_SHAPES}"
                found = f"a header {quoted(','.join(row))}"
                raise Fault("L1", found, wanted, line=1)
            collector.recognise()
            others = sorted(columns - _NAMES.keys() - set(shape) - {""})
            if others:
                found = f"further columns: {quoted(', '.join(others))}"
                wanted = "known columns"
                collector.warning("L1", found, wanted, 1, action=PASSED_OVER)
        elif shape is not None:
            cells = {_OURS.get(column, column): cell for column, cell in row.cells.items()}
            with collector.catching(row.line, text=row.text):
                _read_row(cells, shape, has_method, row, collector)
    if shape is None and not document.problems.has_errors:
        raise Fault("L1", "no header", f"image, and {_SHAPES}", line=1)


def _shape_of(columns: set[str]) -> Sequence[str] | None:
    """Return the columns that hold the outline."""
    for shape in (
        ("points",),
        ("left", "top", "right", "bottom"),
        ("x", "y", "width", "height"),
    ):
        if columns.issuperset(shape):
            return shape
    corners = []
    for n in range(1, _MAX_CORNERS + 1):
        if not {f"x{n}", f"y{n}"} <= columns:
            break
        corners += [f"x{n}", f"y{n}"]
    return corners if len(corners) >= 6 else None


def _read_row(
    cells: Mapping[str, str], shape: Sequence[str], has_method: bool, row: Row, collector: Collector
) -> None:
    image = collector.named(cells["image"].strip())
    method = cells["method"].strip() if has_method else None
    if not image or method == "":
        raise Fault("S3", "a line without image or method", "both named")
    collector.image(image, method=method, size=_size(cells))
    if not any(cells[column].strip() for column in shape):
        return
    parts = cells.get("points", "").split()
    if row.delimiter != "," and len(parts) >= 6 and all(map(_DECIMAL_COMMA.match, parts)):
        raise Fault(
            "L2", "points with a comma in each", "decimal points, and blanks between numbers"
        )
    region = _region(cells, shape)
    collector.add(image, region, method=method, line=row.line, text=row.text)


def _size(cells: Mapping[str, str]) -> tuple[int, int] | None:
    sides = [cells.get(column, "").strip() for column in ("image_width", "image_height")]
    if not all(sides):
        return None
    return checked.size_of(*(checked.finite_in(side, "a size in pixels") for side in sides))


def _region(cells: Mapping[str, str], shape: Sequence[str]) -> Region:
    fields: dict[str, Any] = {
        column: cells[column].strip() or None
        for column in ("label", "id", "parent")
        if column in cells
    }
    if "text" in cells:
        fields["text"] = cells["text"]
    ignored = _TRUE.get(cells.get("ignored", "").strip().lower())
    if ignored is None:
        raise Fault("L2", f"{quoted(cells['ignored'])} as ignored", "1 or 0")
    fields["ignored"] = ignored or cells.get("text") == IGNORED_TEXT
    if cells.get("confidence", "").strip():
        fields["confidence"] = checked.finite_in(cells["confidence"], "a confidence")
    if len(shape) == 1:
        return Region(checked.points_in(cells["points"]), **fields)
    numbers = [cells[column].strip() for column in shape]
    if len(shape) == 4:
        values = [checked.finite_in(number) for number in numbers]
        if shape[0] == "x":
            return checked.box_region(*values, **fields)
        return checked.box_between(*values, **fields)
    # Polygons of fewer points leave the last columns empty.
    while numbers and not numbers[-1]:
        numbers.pop()
    return Region(checked.points_of([checked.finite_in(number) for number in numbers]), **fields)
