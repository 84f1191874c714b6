"""Surya: results.json of its recognition or its detection, a list of pages for each file.

From 0.20 on its recognition gives blocks of a layout, with texts in HTML, and no lines.
"""

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REASONS, REGION, Collector
from ..containers.documents import Document, json_of, page_name
from ..containers.pages import units_of
from ..problems import Fault

_LISTS: Final = ("text_lines", "bboxes", "blocks")
_WANTED: Final = 'an object of files, each with pages that have "text_lines", "bboxes" or "blocks"'
_TAG: Final = re.compile(r"<[^<>]*+>")
_PICTURES: Final = ("Picture", "Figure", "Image")
_NO_TEXT: Final = REASONS["pictures-of-layouts"]
_BLOCKS: Final = REASONS["blocks-read"]
_Object = Mapping[str, Any]


def read_files(document: Document, collector: Collector, *, words: bool) -> None:
    """Read the lines or words of files, each a list of pages; raise Fault if they are none."""
    data = json_of(document)
    if not isinstance(data, Mapping):
        raise Fault("A1", checked.shown(data), _WANTED)
    for name in data:
        with collector.catching():
            pages = checked.objects_in(data, name)
            if not pages:
                raise Fault("A1", "a file without pages", _WANTED)
            for at, page in enumerate(pages, 1):
                _read_page(page_name(name, at, len(pages)), page, words, collector)


def _read_page(name: str, page: _Object, words: bool, collector: Collector) -> None:
    key = next((key for key in _LISTS if key in page), None)
    if key is None:
        raise Fault("A1", "a page without lines", _WANTED)
    found: Sequence[_Object] = checked.objects_in(page, key)
    if words:
        of_words = checked.objects_in(page, key, "words")
        bare = [of for of in found if not of.get("words")]
        found = units_of(of_words, bare, [], collector)
    found = _without_pictures(found, name, collector)
    box = page.get("image_bbox")
    size = None
    if isinstance(box, list) and len(box) == 4:
        left, top, right, bottom = map(checked.finite, box)
        size = checked.size_of(right - left, bottom - top)
    collector.image_with(name, found, _region, REGION, size=size)


def _without_pictures(
    found: Sequence[_Object], name: str, collector: Collector
) -> Sequence[_Object]:
    """Return what may be text, and count the blocks of a layout, which have labels."""
    blocks = [of for of in found if isinstance(of.get("label"), str)]
    pictures = [of for of in blocks if of["label"] in _PICTURES]
    if pictures:
        collector.count(_NO_TEXT, n=len(pictures), image=name)
    if len(blocks) > len(pictures):
        collector.count(_BLOCKS, n=len(blocks) - len(pictures), image=name)
    return [of for of in found if of not in pictures] if pictures else found


def _region(given: _Object) -> Region:
    fields: dict[str, Any] = {
        "label": checked.text_in(given, "label"),
        "text": checked.text_in(given, "text") or _plain(checked.text_in(given, "html")),
        "confidence": checked.confidence_of(given.get("confidence")),
    }
    if isinstance(given.get("polygon"), list):
        return Region(checked.points_of_pairs(given["polygon"]), **fields)
    box = given.get("bbox")
    if not isinstance(box, list) or len(box) != 4:
        raise Fault("L1", checked.shown(given), 'an object with "polygon" or "bbox"')
    return checked.box_between(*map(checked.finite, box), **fields)


def _plain(written: str | None) -> str | None:
    """Return the text of a block of HTML, whose tags are blanks."""
    return " ".join(html.unescape(_TAG.sub(" ", written or "")).split()) or None
