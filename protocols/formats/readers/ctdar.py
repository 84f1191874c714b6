"""Files of cTDaR 2019: tables and their cells as XML, one document for each image ([G19]_)."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NoReturn

from protocols.core.errors import ProtocolError
from protocols.core.regions import Cell, Region
from protocols.tables.relations import MAX_POSITIONS, MAX_RELATIONS

from ..containers.collecting import Collector
from ..containers.documents import Document, image_name
from ..containers.elements import Element, element_of
from ..problems import Fault, Problems, quoted

_MAX_BYTES: Final = 16 * 1024 * 1024
_MAX_TABLES: Final = 1_000
_MAX_CELLS: Final = 5_000
_MAX_POINTS: Final = 10_000
_MAX_INDEX: Final = 99_999
_MAX_COORDINATE: Final = 1e7
_NUMBER: Final = re.compile(r"[+-]?\d{1,12}(\.\d{0,12})?", re.ASCII)
_WANTED: Final = "a cTDaR document"
_INDEX: Final = re.compile(r"[+-]?\d{1,12}", re.ASCII)


class DocumentError(ProtocolError, ValueError):
    """A file that is not a cTDaR document; the message names file, table and cell (0 is the first)."""

    def __init__(self, words: str, *, file: str = "") -> None:
        super().__init__(": ".join(filter(None, (file, words))))


def read_document(content: bytes, place: str, *, with_cells: bool = True) -> tuple[Region, ...]:
    """Return the tables of a document, each with its cells after it, in file order.

    Tables have the label "table" and the ids "0", "1", ...; cells have ``cell`` and the id of their
    table as ``parent``. Coordinates are numbers between blanks and commas in any mixture. A missing
    ``end-row`` or ``end-col`` equals its start. A document without tables has the attribute
    ``filename``, as all of the competition have. ``place`` is the name of the file in messages.
    Track A ignores cells, whatever they contain. Raises DocumentError if it is not XML, declares a
    document type or entities, is too large, or a table or cell is incomplete or unreadable.
    """
    try:
        return _tables(Document(None, place, content, Problems(place)), with_cells=with_cells)
    except Fault as fault:
        if fault.expected == _WANTED and fault.found.startswith("table "):
            raise DocumentError(f"{place}, {fault.found}") from fault
        raise DocumentError(f"{fault.found}; expected {fault.expected}", file=place) from fault


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
    collector.new_image(image)
    for region in _tables(document):
        collector.add(image, region)


def _tables(document: Document, *, with_cells: bool = True) -> tuple[Region, ...]:
    if len(document.content) > _MAX_BYTES:
        raise Fault("A3", f"more than {_MAX_BYTES} bytes", _WANTED)
    root = element_of(document, "document")
    tables = list(root.all("table"))
    if len(tables) > _MAX_TABLES:
        raise Fault("A3", f"more than {_MAX_TABLES} tables", _WANTED)
    if not tables and root.inside:
        other = root.inside[0]
        raise Fault(
            "A1", f"no table, but an element {quoted(other.name)}", _WANTED, line=other.line
        )
    if not tables and "filename" not in root.attributes:
        found = 'no table, and no attribute "filename"'
        raise Fault("A1", found, _WANTED, line=root.line)
    for above in (root, *root.all()) if with_cells else ():
        if above.name != "table" and (loose := above.at("cell")):
            raise Fault("L1", "a cell that is not directly in a table", _WANTED, line=loose[0].line)
    return tuple(of for at, table in enumerate(tables) for of in _table(table, at, with_cells))


def _table(table: Element, number: int, with_cells: bool) -> Iterator[Region]:
    place = f"table {number}"
    if any(table.all("table")):
        _refuse("a table inside it", table, place)
    yield Region(_outline(table, place), label="table", id=str(number))
    cells = table.at("cell") if with_cells else []
    if len(cells) > _MAX_CELLS:
        _refuse(f"more than {_MAX_CELLS} cells", table, place, "A3")
    grids: list[Cell] = []
    for at, cell in enumerate(cells):
        of_cell = f"{place}, cell {at}"
        rows, columns = (_range(cell, line, of_cell) for line in ("row", "col"))
        grids.append((rows[0], columns[0], rows[1], columns[1]))
        yield Region(_outline(cell, of_cell), parent=str(number), cell=grids[-1])
    # Relations of larger grids would take too long to count.
    if sum(map(_n_positions, grids)) > MAX_POSITIONS:
        _refuse(f"cells on more than {MAX_POSITIONS} positions of its grid", table, place, "A3")
    if _n_crowded(grids) > MAX_RELATIONS:
        _refuse("too many cells that share positions of its grid", table, place, "A3")


def _refuse(words: str, element: Element, place: str, code: str = "L1") -> NoReturn:
    raise Fault(code, f"{place}: {words}", _WANTED, line=element.line)


def _range(cell: Element, line: str, place: str) -> tuple[int, int]:
    start, end = f"start-{line}", f"end-{line}"
    if start not in cell.attributes:
        _refuse(f"no {start}", cell, place)
    first = _index(cell, start, place)
    last = _index(cell, end, place) if end in cell.attributes else first
    if last < first:
        _refuse(f"{end} {last} before {start} {first}", cell, place, "L4")
    return first, last


def _index(cell: Element, attribute: str, place: str) -> int:
    text = cell.attributes[attribute]
    if not _INDEX.fullmatch(text.strip()):
        _refuse(f"expected a whole number as {attribute}, got {quoted(text)}", cell, place, "L2")
    index = int(text)
    if not 0 <= index <= _MAX_INDEX:
        _refuse(f"{attribute} must be from 0 to {_MAX_INDEX}, got {index}", cell, place, "L4")
    return index


def _outline(element: Element, place: str) -> tuple[float, ...]:
    found = element.at("Coords")
    if len(found) != 1:
        _refuse("a second Coords" if found else "no Coords", element, place)
    [coords] = found
    if "points" not in coords.attributes:
        _refuse("Coords without points", coords, place)
    numbers = coords.attributes["points"].replace(",", " ").split()
    for number in numbers:
        if not _NUMBER.fullmatch(number):
            _refuse(f"expected coordinates x,y x,y ..., got {quoted(number)}", coords, place, "L2")
    if len(numbers) % 2:
        _refuse(f"{len(numbers)} coordinates; a point needs x and y", coords, place)
    n = len(numbers) // 2
    if not 3 <= n <= _MAX_POINTS:
        words = f"{n} points; a polygon needs 3 or more, at most {_MAX_POINTS}"
        _refuse(words, coords, place)
    values = tuple(map(float, numbers))
    largest = max(values, key=abs)
    if abs(largest) > _MAX_COORDINATE:
        words = f"a coordinate of {largest:.0f}; at most {_MAX_COORDINATE:.0f}"
        _refuse(words, coords, place, "L3")
    return values


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
