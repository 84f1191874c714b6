"""Google Cloud Vision: answers to TEXT_DETECTION and DOCUMENT_TEXT_DETECTION, one or several in a file."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REGION, Collector
from ..containers.contents import Unit
from ..containers.documents import Document, json_of, page_name
from ..containers.pages import OTHERS, units_of
from ..problems import Fault

_WANTED: Final = 'an object with "responses", "fullTextAnnotation" or "textAnnotations"'
_SNAKE: Final = re.compile(rb'"[a-z]++(?:_[a-z]++)++"\s*+:')
# The last symbol of a word says what follows it, by a name or the name's number.
_SPACES: Final = ("SPACE", "SURE_SPACE", 1, 2)
_LINE_BREAKS: Final = ("EOL_SURE_SPACE", "HYPHEN", "LINE_BREAK", 3, 4, 5)
# By name or number; others are tables, pictures, rulers and barcodes.
_TEXT_BLOCKS: Final = (None, "UNKNOWN", "TEXT", 0, 1)
_Object = Mapping[str, Any]


def read_answers(document: Document, collector: Collector, *, lines: bool) -> None:
    """Read the words or lines of answers, one image or page each."""
    # Google's library for Python writes full_text_annotation.
    content = _SNAKE.sub(
        lambda name: re.sub(rb"_([a-z])", lambda of: of[1].upper(), name[0]), document.content
    )
    data = json_of(replace(document, content=content))
    if not data:
        name = page_name(document.stem, 1, 1)
        if data == {}:
            # Google's library writes so an answer that found nothing.
            collector.bare(name)
        else:
            collector.image_with(name, [], _region, REGION)
        return
    answers = list(_answers(data))
    pages = [page for answer in answers for page in _pages(answer, document.stem)]
    stems = [stem for stem, _number, _page in pages]
    for at, (stem, number, page) in enumerate(pages):
        n_before, n_pages = stems[:at].count(stem), stems.count(stem)
        with collector.catching():
            name = page_name(stem, number or n_before + 1, 2 if number else n_pages)
            _read_page(name, page, lines, collector)


def _is_member(name: str) -> bool:
    """Return whether a member of an answer has a name that Google's answers have."""
    return name in ("context", "error") or name.endswith(("Annotation", "Annotations"))


def _answers(data: Any) -> Iterator[_Object]:
    if isinstance(data, Mapping) and isinstance(data.get("responses"), list):
        data = data["responses"]
    for answer in data if isinstance(data, list) else [data]:
        if not isinstance(answer, Mapping) or (answer and not any(map(_is_member, answer))):
            raise Fault("A1", checked.shown(answer), _WANTED)
        if says := checked.error_in(answer):
            raise Fault("A1", f"the fault {says}", _WANTED)
        yield answer


def _pages(answer: _Object, stem: str) -> Iterator[tuple[str, int | None, _Object]]:
    """Yield the file's name, the page's number if it is known, and the page."""
    context = checked.object_in(answer, "context")
    stem, number = checked.text_in(context, "uri") or stem, context.get("pageNumber")
    number = number if isinstance(number, int) and 0 < number < 10**6 else None
    full = checked.object_in(answer, "fullTextAnnotation")
    if pages := checked.objects_in(full, "pages"):
        yield from ((stem, number, page) for page in pages)
    else:
        # The first entry is the whole text, the others its words; nothing was found without any.
        found = checked.objects_in(answer, "textAnnotations")
        if full.get("text") and not found:
            raise Fault("A1", "a text without pages", _WANTED)
        yield stem, number, {"words": found[1:], "whole": found[:1]}


def _read_page(name: str, page: _Object, lines: bool, collector: Collector) -> None:
    paragraphs = checked.objects_in(page, "blocks", "paragraphs")
    words = [word for paragraph in paragraphs for word in checked.objects_in(paragraph, "words")]
    words = words or checked.objects_in(page, "words")
    blocks = [of for of in checked.objects_in(page, "blocks") if not of.get("paragraphs")]
    texts = [of for of in blocks if of.get("blockType") in _TEXT_BLOCKS]
    texts += [of for of in paragraphs if not of.get("words")]
    if not words and not texts:
        texts = checked.objects_in(page, "whole")
        if blocks:
            collector.count(OTHERS, n=len(blocks))
    of_lines = [line for paragraph in paragraphs for line in _lines(paragraph)] if lines else []
    found = units_of(words, of_lines, texts, collector, of_lines=lines)
    unit = Unit.SHARES if any(map(_in_shares, [*words, *texts])) else None
    size = None
    if page.get("width") and page.get("height"):
        size = checked.size_of(page["width"], page["height"])
    collector.image_with(name, found, _region, REGION, size=size, unit=unit)


def _box_of(given: _Object) -> _Object:
    box = given.get("boundingBox", given.get("boundingPoly"))
    return box if isinstance(box, Mapping) else {}


def _in_shares(word: _Object) -> bool:
    return "normalizedVertices" in _box_of(word) and not _box_of(word).get("vertices")


def _lines(paragraph: _Object) -> Iterator[_Object]:
    """Yield each line of a paragraph as an object of its words."""
    words: list[_Object] = []
    for word in checked.objects_in(paragraph, "words"):
        words.append(word)
        if _break_behind(word) in _LINE_BREAKS:
            yield {"line": words}
            words = []
    if words:
        yield {"line": words}


def _break_behind(word: _Object) -> Any:
    symbols = checked.objects_in(word, "symbols")
    properties = checked.object_in(symbols[-1], "property") if symbols else None
    found = checked.object_in(properties, "detectedBreak")
    return found.get("type", found.get("type_"))


def _region(given: _Object) -> Region:
    if "line" in given:
        return _line(given["line"])
    box = _box_of(given)
    symbols = checked.objects_in(given, "symbols")
    text = "".join(checked.text_in(symbol, "text") or "" for symbol in symbols)
    return Region(
        checked.points_of_xy(box.get("vertices") or box.get("normalizedVertices")),
        text if symbols else checked.text_in(given, "description"),
        # Google's library writes 0 where a confidence is not set, as in TEXT_DETECTION.
        checked.confidence_of(given.get("confidence")) or None,
    )


def _line(words: list[_Object]) -> Region:
    """Return the smallest rectangle around words that has the direction of the first one."""
    regions = [_region(word) for word in words]
    points = np.concatenate([np.reshape(of.points, (-1, 2)) for of in regions])
    along = points[1] - points[0]
    length = float(np.hypot(*along))
    across = (
        np.array([[along[0], -along[1]], [along[1], along[0]]]) / length if length else np.eye(2)
    )
    turned = points @ across
    (left, top), (right, bottom) = turned.min(axis=0), turned.max(axis=0)
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) @ across.T
    breaks = [" " if _break_behind(word) in _SPACES else "" for word in words]
    text = "".join(f"{of.text or ''}{end}" for of, end in zip(regions, breaks, strict=True))
    return Region(tuple(corners.ravel().tolist()), text.strip())
