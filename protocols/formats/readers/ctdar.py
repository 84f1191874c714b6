"""Files of cTDaR 2019: tables and their cells as XML, one document for each image ([G19]_)."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn
from xml.parsers import expat

from protocols.core.errors import ProtocolError
from protocols.core.regions import Cell, Region
from protocols.tables.relations import MAX_POSITIONS, MAX_RELATIONS

from ..containers.collecting import Collector
from ..containers.documents import Document, image_name
from ..problems import Fault, quoted

_MAX_BYTES: Final = 16 * 1024 * 1024
_MAX_DEPTH: Final = 50
_MAX_TABLES: Final = 1_000
_MAX_CELLS: Final = 5_000
_MAX_POINTS: Final = 10_000
_MAX_INDEX: Final = 99_999
_MAX_COORDINATE: Final = 1e7
_SEPARATORS: Final = re.compile(r"[\s,]+")
_NUMBER: Final = re.compile(r"[+-]?\d{1,12}(\.\d{0,12})?", re.ASCII)
_INDEX: Final = re.compile(r"[+-]?\d{1,12}", re.ASCII)


class DocumentError(ProtocolError, ValueError):
    """A file that is not a cTDaR document; the message names file, table and cell (0 is the first).

    ``code`` is a key of ``problems.CODES``, ``line`` counts from 1, ``found`` is the message
    without the file.
    """

    def __init__(
        self,
        words: str,
        code: str = "A1",
        line: int | None = None,
        *,
        file: str = "",
        place: str = "",
    ) -> None:
        self.code, self.line, self.found = code, line, words
        super().__init__(": ".join(filter(None, (f"{file}{place}", self.found))))
        if place:
            self.found = f"{place.removeprefix(', ')}: {self.found}"


def read_document(content: bytes, place: str, *, with_cells: bool = True) -> tuple[Region, ...]:
    """Return the tables of a document, each with its cells after it, in file order.

    Tables have the label "table" and the ids "0", "1", ...; cells have ``cell`` and the id of their
    table as ``parent``. Coordinates are numbers between blanks and commas in any mixture. A missing
    ``end-row`` or ``end-col`` equals its start. A document without tables has the attribute
    ``filename``, as all of the competition have. ``place`` is the name of the file in messages.
    Track A ignores cells, whatever they contain. Raises DocumentError if it is not XML, declares a
    document type or entities, is too large, or a table or cell is incomplete or unreadable.
    """
    if len(content) > _MAX_BYTES:
        raise DocumentError(f"more than {_MAX_BYTES} bytes", "A3", file=place)
    parser = expat.ParserCreate()
    document = _Document(place, with_cells=with_cells)
    parser.StartElementHandler = document.start
    parser.EndElementHandler = document.end
    parser.StartDoctypeDeclHandler = document.refuse_declaration
    parser.EntityDeclHandler = document.refuse_declaration
    try:
        parser.Parse(content, True)
    except DocumentError as refusal:
        refusal.line = parser.CurrentLineNumber
        raise
    except (expat.ExpatError, LookupError, ValueError) as fault:
        line = getattr(fault, "lineno", None)
        raise DocumentError(f"not readable as XML ({fault})", line=line, file=place) from fault
    return tuple(document.regions)


def read_folder(folder: Path) -> dict[str, Path]:
    """Return the XML files of a folder by their base names, in alphabetical order.

    Raises DocumentError if it is not a folder, or two files have the same base name.
    """
    if not folder.is_dir():
        raise DocumentError("expected a folder of XML files", file=str(folder))
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() != ".xml" or path.name.startswith(".") or not path.is_file():
            continue
        if path.stem in files:
            raise DocumentError(f"a second file for {files[path.stem].name}", file=path.name)
        files[path.stem] = path
    return files


def read_file(path: Path, *, with_cells: bool = True) -> tuple[Region, ...]:
    """Read a document from a file.

    Raises DocumentError as read_document does, and if the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as fault:
        raise DocumentError(f"cannot be read ({fault.strerror})", file=path.name) from fault
    return read_document(content, path.name, with_cells=with_cells)


def read_image(document: Document, collector: Collector) -> None:
    """Read a document of ground truth or results; its image is named after it."""
    image = image_name(document.stem)
    place = document.entry or document.problems.archive
    collector.new_image(image)
    try:
        for region in read_document(document.content, place):
            collector.add(image, region)
    except DocumentError as refusal:
        wanted = "a cTDaR document"
        raise Fault(refusal.code, refusal.found, wanted, line=refusal.line) from refusal


class _Document:
    """Collector of regions from the parser's events."""

    def __init__(self, place: str, *, with_cells: bool) -> None:
        self.regions: list[Region] = []
        self._file = place
        self._with_cells = with_cells
        self._open: list[str] = []
        self._n_tables = 0
        # The first element in the document that is no table.
        self._other: str | None = None
        self._is_named = False
        # State of the open table and cell.
        self._outline: tuple[float, ...] | None = None
        self._cells: list[Region] = []
        self._n_cells = 0
        self._grid: Cell | None = None
        self._cell_outline: tuple[float, ...] | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        parent = self._open[-1] if self._open else None
        self._open.append(tag)
        if parent is None and tag != "document":
            self._refuse(f'expected a root element "document", got {quoted(tag)}', code="A1")
        if parent is None:
            self._is_named = "filename" in attributes
        if len(self._open) > _MAX_DEPTH:
            self._refuse(f"elements nested more than {_MAX_DEPTH} deep", code="A3")
        if len(self._open) == 2 and tag != "table":
            self._other = self._other or tag
        if tag == "table":
            self._start_table()
        elif tag == "cell" and self._with_cells:
            self._start_cell(parent, attributes)
        elif tag == "Coords" and parent == "table":
            if self._outline is not None:
                self._refuse("a second Coords", self._table)
            self._outline = self._points(attributes, self._table)
        elif tag == "Coords" and parent == "cell" and self._with_cells:
            if self._cell_outline is not None:
                self._refuse("a second Coords", self._cell)
            self._cell_outline = self._points(attributes, self._cell)

    def end(self, tag: str) -> None:
        self._open.pop()
        if tag == "cell" and self._with_cells:
            if self._cell_outline is None:
                self._refuse("no Coords", self._cell)
            table = str(self._n_tables)
            self._cells.append(Region(self._cell_outline, parent=table, cell=self._grid))
            self._n_cells += 1
        elif tag == "table":
            if self._outline is None:
                self._refuse("no Coords", self._table)
            self._check_grid()
            self.regions.append(Region(self._outline, label="table", id=str(self._n_tables)))
            self.regions += self._cells
            self._n_tables += 1
        elif not self._open and not self._n_tables:
            self._check_empty()

    def _check_empty(self) -> None:
        """Refuse a document without tables, unless it names its image as those of the competition."""
        if self._other is not None:
            self._refuse(f"no table, but an element {quoted(self._other)}", code="A1")
        if not self._is_named:
            self._refuse('no table, and no attribute "filename"', code="A1")

    def refuse_declaration(self, *_: object) -> None:
        self._refuse("a document type or entity declaration, which is not accepted", code="A2")

    @property
    def _table(self) -> str:
        return f", table {self._n_tables}"

    @property
    def _cell(self) -> str:
        return f"{self._table}, cell {self._n_cells}"

    def _refuse(self, words: str, place: str = "", code: str = "L1") -> NoReturn:
        raise DocumentError(words, code, None, file=self._file, place=place)

    def _start_table(self) -> None:
        if "table" in self._open[:-1]:
            self._refuse("a table inside it", self._table)
        if self._n_tables == _MAX_TABLES:
            self._refuse(f"more than {_MAX_TABLES} tables", code="A3")
        self._outline, self._cells, self._n_cells = None, [], 0

    def _start_cell(self, parent: str | None, attributes: Mapping[str, str]) -> None:
        if parent != "table":
            self._refuse("a cell that is not directly in a table")
        if self._n_cells == _MAX_CELLS:
            self._refuse(f"more than {_MAX_CELLS} cells", self._table, "A3")
        first_row, last_row = self._range(attributes, "row")
        first_column, last_column = self._range(attributes, "col")
        self._grid = first_row, first_column, last_row, last_column
        self._cell_outline = None

    def _range(self, attributes: Mapping[str, str], line: str) -> tuple[int, int]:
        start, end = f"start-{line}", f"end-{line}"
        if start not in attributes:
            self._refuse(f"no {start}", self._cell)
        first = self._index(attributes[start], start)
        last = self._index(attributes[end], end) if end in attributes else first
        if last < first:
            self._refuse(f"{end} {last} before {start} {first}", self._cell, "L4")
        return first, last

    def _index(self, text: str, attribute: str) -> int:
        if not _INDEX.fullmatch(text.strip()):
            self._refuse(
                f"expected a whole number as {attribute}, got {quoted(text)}",
                self._cell,
                "L2",
            )
        index = int(text)
        if not 0 <= index <= _MAX_INDEX:
            self._refuse(
                f"{attribute} must be from 0 to {_MAX_INDEX}, got {index}", self._cell, "L4"
            )
        return index

    def _points(self, attributes: Mapping[str, str], place: str) -> tuple[float, ...]:
        if "points" not in attributes:
            self._refuse("Coords without points", place)
        numbers = [part for part in _SEPARATORS.split(attributes["points"]) if part]
        for number in numbers:
            if not _NUMBER.fullmatch(number):
                self._refuse(f"expected coordinates x,y x,y ..., got {quoted(number)}", place, "L2")
        if len(numbers) % 2:
            self._refuse(f"{len(numbers)} coordinates; a point needs x and y", place)
        if not 3 <= len(numbers) // 2 <= _MAX_POINTS:
            self._refuse(
                f"{len(numbers) // 2} points; a polygon needs 3 or more, at most {_MAX_POINTS}",
                place,
            )
        values = tuple(map(float, numbers))
        largest = max(values, key=abs)
        if abs(largest) > _MAX_COORDINATE:
            self._refuse(
                f"a coordinate of {largest:.0f}; at most {_MAX_COORDINATE:.0f}", place, "L3"
            )
        return values

    def _check_grid(self) -> None:
        """Refuse a grid whose relations would take too long to count."""
        grids = [cell.cell for cell in self._cells if cell.cell is not None]
        if sum(map(_n_positions, grids)) > MAX_POSITIONS:
            self._refuse(
                f"cells on more than {MAX_POSITIONS} positions of its grid", self._table, "A3"
            )
        if _n_crowded(grids) > MAX_RELATIONS:
            self._refuse("too many cells that share positions of its grid", self._table, "A3")


def _n_positions(cell: Cell) -> int:
    return (cell[2] - cell[0] + 1) * (cell[3] - cell[1] + 1)


def _n_crowded(grids: Sequence[Cell]) -> int:
    """Return an upper bound on relations in one direction: summed squares of cells per position."""
    n_cells = Counter(
        (row, column)
        for first_row, first_column, last_row, last_column in grids
        for row in range(first_row, last_row + 1)
        for column in range(first_column, last_column + 1)
    )
    return sum(n * n for n in n_cells.values())
