"""hOCR: the words of a page in HTML, as written by Tesseract and others."""

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any, Final

from protocols.core.regions import Region
from text_rankings.base.i18n import Message

from ..containers import checked
from ..containers.collecting import Collector, reader_of
from ..containers.contents import Kind
from ..containers.documents import Document, image_name, text_of
from ..problems import Fault, Problems, quoted

_SUFFIXES: Final = (".hocr", ".html", ".htm", ".xhtml")
# Parsing damaged HTML can be slow.
_MAX_BYTES: Final = 16 * 1024 * 1024
_IMAGE: Final = re.compile(r"""image\s++(?:"([^"]*+)"|'([^']*+)'|([^\s;]++))""")
_WORDS: Final = {"ocrx_word", "ocr_word"}
_LINES: Final = {"ocr_line", "ocrx_line", "ocr_header", "ocr_textfloat", "ocr_caption"}
_VOID: Final = {"br", "hr", "img", "meta", "link", "input", "wbr", "col", "area", "base"}


def _read_hocr(document: Document, collector: Collector, problems: Problems, _: Kind) -> None:
    """Read the words of an hOCR file, each with its line as parent."""
    if len(document.content) > _MAX_BYTES:
        found = Message("more than {max_bytes} bytes", max_bytes=_MAX_BYTES)
        problems.error("A3", found, "fewer pages in a file", document.entry)
        return
    page = _Pages(document, collector, problems)
    page.feed(text_of(document, problems))
    page.close()
    page.finish()


read_hocr: Final = reader_of("hocr", _SUFFIXES, _read_hocr)


class _Pages(HTMLParser):
    """A parser of one document; an unclosed element closes with its parent."""

    def __init__(self, document: Document, collector: Collector, problems: Problems) -> None:
        super().__init__(convert_charrefs=True)
        self._document = document
        self._collector = collector
        self._problems = problems
        self._image = ""
        self._n_pages = 0
        self._depth = 0
        # Depth and id of the line, and depth and attributes of the word being read.
        self._line: tuple[int, str | None] | None = None
        self._word: tuple[int, Mapping[str, str | None]] | None = None
        self._texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self._depth += 1
        given = dict(attrs)
        classes = set((given.get("class") or "").split())
        try:
            if "ocr_page" in classes:
                self._start_page(given)
            elif classes & _LINES:
                self._line = (self._depth, given.get("id"))
            elif classes & _WORDS and self._image:
                self._finish_word()
                self._word, self._texts = (self._depth, given), []
        except Fault as fault:
            self._problems.fault(fault, self._document.entry, self.getpos()[0])

    def handle_data(self, data: str) -> None:
        if self._word is not None:
            self._texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if self._word is not None and self._word[0] >= self._depth:
            self._finish_word()
        if self._line is not None and self._line[0] >= self._depth:
            self._line = None
        self._depth = max(0, self._depth - 1)

    def finish(self) -> None:
        self._finish_word()
        if not self._n_pages:
            wanted = Message('an element of the class "ocr_page"')
            self._problems.error("A1", "no page", wanted, self._document.entry)

    def _start_page(self, given: Mapping[str, str | None]) -> None:
        self._image, self._n_pages = "", self._n_pages + 1
        title = given.get("title") or ""
        named = _IMAGE.search(title)
        path = next((of for of in named.groups() if of), "") if named else ""
        image = image_name(path) or image_name(self._document.stem)
        if image in self._collector:
            raise self._collector.second(image)
        box = _property(title, "bbox")
        size = None
        if box is not None and len(box) == 4:
            left, top, right, bottom = map(checked.finite_in, box)
            size = checked.size_of(right - left, bottom - top)
        self._collector.image(image, size=size, entry=self._document.entry)
        self._image = image

    def _finish_word(self) -> None:
        if self._word is None:
            return
        (_, given), self._word = self._word, None
        try:
            line = None if self._line is None else self._line[1]
            region = _region(given, "".join(self._texts).strip(), line)
            self._collector.add(self._image, region, entry=self._document.entry)
        except Fault as fault:
            self._problems.fault(fault, self._document.entry, self.getpos()[0])


def _property(title: str, name: str) -> list[str] | None:
    """Return the values of a property in a title, as in "bbox 0 0 9 9; x_wconf 90"."""
    for part in title.split(";"):
        key, *values = part.split()[:20_001] or [""]
        if key == name:
            return values
    return None


def _region(given: Mapping[str, str | None], text: str, line: str | None) -> Region:
    title = given.get("title") or ""
    certainty = _property(title, "x_wconf")
    known: dict[str, Any] = {"text": text, "id": given.get("id"), "parent": line}
    if certainty:
        per_cent = checked.finite_in(certainty[0], Message("a number from 0 to 100"))
        if not 0 <= per_cent <= 100:
            raise Fault("L3", "x_wconf {per_cent:g}", "a number from 0 to 100", per_cent=per_cent)
        known["confidence"] = per_cent / 100
    if polygon := _property(title, "poly"):
        return Region(checked.points_of([checked.finite_in(value) for value in polygon]), **known)
    box = _property(title, "bbox")
    if box is None or len(box) != 4:
        raise Fault(
            "L1", "a word {word} without a bbox", "bbox and four numbers", word=quoted(text)
        )
    left, top, right, bottom = map(checked.finite_in, box)
    if right <= left or bottom <= top:
        raise Fault("L4", "bbox {box}", "right > left and bottom > top", box=" ".join(box))
    return Region.from_box(left, top, right, bottom, **known)
