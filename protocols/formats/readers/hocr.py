"""hOCR: the words of pages in HTML, as written by Tesseract and others."""

import re
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import Collector
from ..containers.documents import Document, text_of
from ..containers.limits import NUMBER
from ..containers.pages import BLOCK, CELLS, LINE, WORD, Page, Unit, add_pages
from ..problems import Fault, quoted

_SUFFIXES: Final = (".hocr", ".html", ".htm", ".xhtml")
# Parsing damaged HTML can be slow.
_MAX_BYTES: Final = 16 * 1024 * 1024
_IMAGE: Final = re.compile(r"""(?:\A|[\s;])image\s++(?:"([^"]*+)"|'([^']*+)'|([^;]++))""")
_LEVELS: Final = {
    **dict.fromkeys(("ocrx_word", "ocr_word"), WORD),
    **dict.fromkeys(("ocr_line", "ocrx_line", "ocr_header", "ocr_textfloat", "ocr_caption"), LINE),
    **dict.fromkeys(("ocr_carea", "ocrx_block", "ocr_par"), BLOCK),
}
# Parts of a word: its characters, each with a box, or what else each of them may be.
_PARTS: Final = {"ocrx_cinfo", "ocr_cinfo", "ocr_symbol", "ocr_glyph"}
_OTHERS: Final = {
    *("ocr_photo", "ocr_image", "ocr_linedrawing", "ocr_separator", "ocr_table", "ocr_float"),
}
# docTR 1.1 writes a table as an area with rows as lines and cells as words; only the ids say so.
_CELL: Final = re.compile(r"table_[0-9]+_cell_[0-9]+_[0-9]+")
_BOXES: Final = ("x_bboxes", "bbox")
_VOID: Final = {"br", "hr", "img", "meta", "link", "input", "wbr", "col", "area", "base"}


def read_hocr(document: Document, collector: Collector) -> None:
    """Read the words of each page, or the lines of one without words; raise Fault if it is large."""
    if len(document.content) > _MAX_BYTES:
        raise Fault("A3", f"more than {_MAX_BYTES} bytes", "fewer pages in a file")
    parser = _Pages(collector)
    parser.feed(text_of(document))
    parser.close()
    parser.finish()
    with collector.catching():
        if not parser.has_page:
            raise Fault("A1", "no page", 'an element of the class "ocr_page"')
    with collector.catching():
        if parser.is_cut_off:
            raise Fault("A1", "no end of the document", "</html>")
    region_of = partial(_region, are_shares=parser.are_shares)
    if parser.n_cells:
        collector.count(CELLS, n=parser.n_cells)
    add_pages(parser.pages, document, collector, region_of)


@dataclass(slots=True)
class _Open:
    """A unit, its element's tag and depth, its own text and that of its characters."""

    unit: Unit
    tag: str
    depth: int
    own: list[str] = field(default_factory=list)
    characters: list[str] = field(default_factory=list)
    has_cells: bool = False


class _Pages(HTMLParser):
    """A parser of one document; an unclosed element closes with its parent, or the next of its kind."""

    def __init__(self, collector: Collector) -> None:
        super().__init__(convert_charrefs=True)
        self.pages: list[Page] = []
        self.has_page = False
        # Whether an element "html" has begun and not ended; it may be left out on both sides.
        self.is_cut_off = False
        # Whether all confidences of characters are from 0 to 1.
        self.are_shares = True
        self.n_cells = 0
        self._collector = collector
        self._page: Page | None = None
        self._depth = 0
        self._open: list[_Open] = []
        # Depths of the open parts of a word, and whether each is a character.
        self._parts: list[tuple[int, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self._depth += 1
        self.is_cut_off |= tag == "html"
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        title = given.get("title") or ""
        if "ocr_page" in classes:
            self._start_page(title)
        elif self._page is None or not classes:
            return
        elif "ocr_par" in classes and _property(title, "bbox") is None:
            # Its text is that of the area around it.
            return
        elif level := next((_LEVELS[of] for of in classes if of in _LEVELS), None):
            self._start_unit(tag, level, given.get("id"), title)
        elif self._open and not _PARTS.isdisjoint(classes):
            is_character = any(_property(title, box) is not None for box in _BOXES)
            self._parts.append((self._depth, is_character))
        elif not _OTHERS.isdisjoint(classes):
            self._page.n_others += 1

    def handle_data(self, data: str) -> None:
        if not self._open:
            if self._page is not None and data.strip():
                self._page.n_loose += 1
            return
        if not self._parts:
            self._open[-1].own.append(data)
        elif all(is_character for _depth, is_character in self._parts):
            self._open[-1].characters.append(data)

    def handle_endtag(self, tag: str) -> None:
        self.is_cut_off &= tag != "html"
        if tag not in _VOID:
            self._close(self._depth)
            self._depth = max(0, self._depth - 1)

    def finish(self) -> None:
        self._close(0)

    def _start_page(self, title: str) -> None:
        self._close(0)
        self._page, self.has_page = None, True
        line = self.getpos()[0]
        with self._collector.catching(line):
            named = _IMAGE.search(title)
            path = next((of for of in named.groups() if of), "") if named else ""
            box = _property(title, "bbox")
            size = None
            if box is not None and len(box) == 4:
                left, top, right, bottom = map(checked.finite_in, box)
                size = checked.size_of(right - left, bottom - top)
            self._page = Page(path.strip(), line, size)
            self.pages.append(self._page)

    def _start_unit(self, tag: str, level: str, id_: str | None, title: str) -> None:
        if level != BLOCK:
            inner = next((of for of in self._open if of.unit.level in (WORD, level)), None)
            self._close(self._depth if inner is None else inner.depth)
        elif inner := next((of for of in self._open if of.tag == tag == "p"), None):
            self._close(inner.depth)
        for of in self._open:
            # An area with paragraphs is no region.
            of.unit.has_units |= level == BLOCK
        parent = self._open[-1].unit.id if self._open else None
        unit = Unit(level, self.getpos()[0], title, id_, parent)
        if level == WORD:
            confidences = _property(title, "x_confs") or ()
            self.are_shares &= all(map(_is_share, confidences))
        self._open.append(_Open(unit, tag, self._depth))

    def _close(self, depth: int) -> None:
        """Close what begins at this depth or deeper."""
        while self._parts and self._parts[-1][0] >= depth:
            self._parts.pop()
        while self._open and self._open[-1].depth >= depth and self._page is not None:
            closed = self._open.pop()
            is_cell = closed.unit.level == WORD and _CELL.fullmatch(closed.unit.id or "")
            if is_cell or closed.has_cells:
                self.n_cells += bool(is_cell)
                for of in self._open:
                    of.has_cells = True
                continue
            closed.unit.text = _text(closed)
            self._page.add(closed.unit, [of.unit for of in self._open])


def _text(of: _Open) -> str | None:
    """Return the text of a word or line, or that of its characters; blanks at the ends are kept."""
    own = "".join(of.own)
    if not own.strip() and of.characters:
        own = "".join(of.characters)
    if of.unit.level == WORD:
        # A word may be indented inside.
        return "".join(map(str.strip, own.split("\n"))) or own
    own = " ".join(own.split())
    return own or None if of.unit.level == BLOCK else own


def _property(title: str, name: str) -> list[str] | None:
    """Return the values of a property in a title, as in "bbox 0 0 9 9; x_wconf 90"."""
    for part in title.split(";"):
        key, *values = part.split()[:20_001] or [""]
        if key == name:
            return values
    return None


def _is_share(number: str) -> bool:
    return not NUMBER.match(number) or float(number) <= 1


def _region(unit: Unit, *, are_shares: bool) -> Region:
    title = unit.given
    known: dict[str, Any] = {"text": unit.text or None, "id": unit.id, "parent": unit.parent}
    known["confidence"] = _confidence(title, are_shares)
    if polygon := _property(title, "poly"):
        points = checked.points_of([checked.finite_in(value) for value in polygon])
        return Region(points, **known)
    box = _property(title, "bbox")
    if box is None or len(box) != 4:
        what = quoted(unit.text or unit.id or "")
        raise Fault("L1", f"{what} without a bbox", "bbox and four numbers")
    return checked.box_between(*map(checked.finite_in, box), **known)


def _confidence(title: str, are_shares: bool) -> float | None:
    """Return the confidence of a word, or the mean of those of its characters."""
    if certainty := _property(title, "x_wconf"):
        per_cent = checked.finite_in(certainty[0], "a number from 0 to 100")
        if not 0 <= per_cent <= 100:
            raise Fault("L3", f"x_wconf {per_cent:g}", "a number from 0 to 100")
        return per_cent / 100
    confidences = list(map(checked.finite_in, _property(title, "x_confs") or ()))
    if not confidences:
        return None
    mean = sum(confidences) / len(confidences)
    return checked.confidence_of(mean if are_shares else mean / 100)
