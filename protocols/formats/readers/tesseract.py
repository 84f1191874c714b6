"""Tesseract: its table of words and lines (TSV), and its boxes of characters or lines (.box)."""

import csv
import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import WITHOUT_TEXT, Collector
from ..containers.contents import Unit
from ..containers.documents import Document, lines_of, page_name, text_of
from ..containers.pages import PAGES_OF_LINES, PAGES_OF_WORDS
from ..problems import Fault, quoted

COLUMNS: Final = (
    *("level", "page_num", "block_num", "par_num", "line_num", "word_num"),
    *("left", "top", "width", "height", "conf", "text"),
)
# The row of a page, which begins a table.
PAGE_ROW: Final = re.compile(r"1\t\d{1,9}(?:\t0){6}(?:\t\d{1,9}){2}\t-1\t\s*+\Z")
_HEADER: Final = f"the columns {', '.join(COLUMNS)}, with tabulators between"
_PAGE: Final = "1"
_LINE: Final = "4"
_WORD: Final = "5"
_BOX_LINE: Final = "a character, left, bottom, right, top and page, with blanks between"
_Row = Mapping[str, str]
_READ_INSTEAD: Final = {_LINE: PAGES_OF_LINES, _WORD: PAGES_OF_WORDS}


def read_table(document: Document, collector: Collector, *, level: str) -> None:
    """Read the words or lines of a table, by their level; raise Fault for other columns."""
    text = text_of(document)
    # Tesseract quotes nothing; a table that Python wrote again is CSV.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    n_before = 1
    if PAGE_ROW.match(lines[0]):
        # tesserocr writes no header.
        lines.insert(0, "\t".join(COLUMNS))
        n_before = 0
    header, reader = lines[0].split(","), csv.reader(lines[1:])
    if "\t" in lines[0]:
        header = lines[0].split("\t")
        reader = csv.reader(lines[1:], delimiter="\t", quoting=csv.QUOTE_NONE)
    if not set(COLUMNS) <= set(header):
        raise Fault("A1", quoted(lines[0]), _HEADER)
    rows: list[tuple[int, _Row]] = []
    while True:
        try:
            cells = next(reader)
            if len(cells) == len(header):
                rows.append((reader.line_num + n_before, dict(zip(header, cells, strict=True))))
            elif cells:
                with collector.catching(reader.line_num + n_before):
                    raise Fault("L1", f"{len(cells)} cells", _HEADER)
        except StopIteration:
            break
        except csv.Error as fault:
            with collector.catching(reader.line_num + n_before):
                raise Fault("L1", f"a line that is not CSV ({fault})", "CSV") from fault
    pages: dict[str, list[tuple[int, _Row]]] = {}
    for at, row in rows:
        pages.setdefault(row["page_num"], []).append((at, row))
    for number, of_page in enumerate(pages.values(), 1):
        name = page_name(document.stem, number, len(pages))
        _read_page(name, of_page, level, collector)


def _read_page(name: str, rows: list[tuple[int, _Row]], level: str, collector: Collector) -> None:
    if name in collector:
        raise collector.second(name)
    size = next((_size(row) for _, row in rows if row["level"] == _PAGE), None)
    levels = {row["level"] for _, row in rows}
    if level not in levels and (other := _WORD if level == _LINE else _LINE) in levels:
        collector.count(_READ_INSTEAD[other], rows[0][0])
        level = other
    collector.level = "word" if level == _WORD else "line"
    collector.image(name, size=size)
    words: dict[str, list[str]] = {}
    for _number, row in rows:
        if row["level"] == _WORD and row["text"].strip():
            words.setdefault(_line_of(row), []).append(row["text"].strip())
    for at, row in rows:
        text = " ".join(words.get(_line_of(row), ())) if level == _LINE else row["text"].strip()
        if row["level"] != level:
            continue
        # Rules and pictures are words and lines of blanks. Without words, no line has a text.
        if not text and _WORD in levels:
            collector.count(WITHOUT_TEXT, at)
        else:
            with collector.catching(at, text="\t".join(row.values())):
                region = _region(row, text or None)
                collector.add(name, region, line=at)


def _line_of(row: _Row) -> str:
    return ".".join(row[column] for column in ("block_num", "par_num", "line_num"))


def _size(row: _Row) -> tuple[int, int]:
    return checked.size_of(checked.finite_in(row["width"]), checked.finite_in(row["height"]))


def _region(row: _Row, text: str | None) -> Region:
    sides = [checked.finite_in(row[column]) for column in ("left", "top", "width", "height")]
    known: dict[str, Any] = {"text": text, "id": _line_of(row)}
    if row["level"] == _WORD:
        known = {"text": text, "id": f"{_line_of(row)}.{row['word_num']}", "parent": _line_of(row)}
    confidence = checked.finite_in(row["conf"])
    # -1 is "no word".
    if confidence != -1:
        known["confidence"] = checked.per_cent_of(confidence)
    return checked.box_region(*sides, **known)


def read_box(document: Document, collector: Collector) -> None:
    """Read characters, or lines: after WordStr, or characters of one box; what raises Fault is reported."""
    found: list[tuple[str, tuple[str, ...], str, int]] = []
    for number, line in lines_of(document):
        # A tabulator ends a line of characters.
        if not line.startswith("\t"):
            head, _hash, text = line.partition(" #")
            character, *numbers = head.rsplit(" ", 5)
            if len(numbers) != 5:
                with collector.catching(number, text=line):
                    raise Fault("L1", quoted(line), _BOX_LINE)
                continue
            is_line = character == "WordStr"
            found.append((text if is_line else character, tuple(numbers[:4]), numbers[4], number))
    pages = list(dict.fromkeys(page for _, _, page, _ in found)) or ["0"]
    names = {page: page_name(document.stem, at, len(pages)) for at, page in enumerate(pages, 1)}
    for name in names.values():
        collector.new_image(name, unit=Unit.FROM_BELOW)
    for (box, page), same in groupby(found, key=lambda of: of[1:3]):
        parts = list(same)
        with collector.catching(parts[0][3]):
            left, bottom, right, top = map(checked.finite_in, box)
            text = "".join(part[0] for part in parts).strip()
            if not text:
                # A rule, as a line of blanks.
                collector.count(WITHOUT_TEXT, parts[0][3])
                continue
            region = checked.box_between(left, -top, right, -bottom, text=text)
            collector.add(names[page], region, line=parts[0][3])
