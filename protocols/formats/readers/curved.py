"""Lines that are not plain coordinates: those of Total-Text, CTW-1500, and CVAT's boxes and polygons.

Total-Text writes ``x: [[115 503 494 115]], y: [[322 346 426 404]], ornt: [u'm'], transcriptions:
[u'nauGHTY']``, with long lists broken over several lines; ``#`` as orientation or transcription is
"don't care". CTW-1500 writes 32 numbers, the box ``xmin,ymin,xmax,ymax`` and 14 points relative to
its top left corner; its later files put ``####`` before each transcription. CVAT and datumaro write
boxes with blanks, ``10.0 20.0 110.0 60.0 "EXIT"``, among polygons with commas.
"""

import math
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from protocols.core.regions import MAX_COORDINATE, Region

from ..containers.contents import IGNORED_TEXT
from ..problems import Fault, quoted

MARK: Final = "####"
_BEGINS: Final = re.compile(r"\s*+x:\s*+\[\[")
_RECORD: Final = re.compile(
    r"\s*+x:\s*+\[\[([^\]]*+)\]\]\s*+,\s*+y:\s*+\[\[([^\]]*+)\]\]"
    r"(?:\s*+,\s*+ornt:\s*+\[([^\]]*+)\])?(?:\s*+,\s*+transcriptions:\s*+\[(.*)\])?\s*+\Z",
    re.DOTALL,
)
_OFFSETS: Final = re.compile(r"(?:\s*+-?\d{1,9}\s*+,){31}\s*+-?\d{1,9}\s*+,?+\s*+\Z", re.ASCII)
_AFTER_NUMBERS: Final = re.compile(r"(?:\s*+-?\d{1,9}(?:\.\d++)?+\s*+,)++", re.ASCII)
_LITERAL: Final = re.compile(r"\s*+u?(['\"])(.*)\1\s*+\Z", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_DECIMAL: Final = r"-?\d{1,9}(?:\.\d{1,20})?"
_SPACED_BOX: Final = re.compile(
    rf"\s*+({_DECIMAL}(?: {_DECIMAL}){{3}})(?: (?!-?\d)(.*))?\Z", re.ASCII
)
_COMMA_POLYGON: Final = re.compile(
    rf"\s*+{_DECIMAL},{_DECIMAL}(?:,{_DECIMAL},{_DECIMAL}){{2,}}(?:,(?!-?\d)(.*))?\Z", re.ASCII
)
_NUMBER: Final = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?\Z", re.ASCII)


class Style(StrEnum):
    """The line style of a curved-text dataset."""

    TOTAL_TEXT = "Total-Text"
    CTW_OFFSETS = "CTW-1500, points relative to the box"
    CTW_MARKED = "CTW-1500, #### before each transcription"
    BOXES_AND_POLYGONS = "CVAT, boxes with blanks and polygons with commas"


def style_of(lines: Sequence[str]) -> Style | None:
    """Return the style in which all lines are written; None for plain coordinates."""
    if not lines:
        return None
    if _BEGINS.match(lines[0]):
        return Style.TOTAL_TEXT
    if all(map(_is_relative, lines)):
        return Style.CTW_OFFSETS
    if all(map(_is_marked, lines)):
        return Style.CTW_MARKED
    return Style.BOXES_AND_POLYGONS if are_boxes_and_polygons(lines) else None


def are_boxes_and_polygons(lines: Iterable[str]) -> bool:
    """Return whether each line is a box with blanks or a polygon with commas, and both are there."""
    are_boxes = set()
    for line in lines:
        is_box = _SPACED_BOX.match(line) is not None
        if not is_box and not _COMMA_POLYGON.match(line):
            return False
        are_boxes.add(is_box)
    return len(are_boxes) == 2


def with_corners(line: str) -> str:
    """Return a box with blanks as a polygon with commas; another line unchanged.

    Raises Fault if the sides of a box are exchanged.

    Examples
    --------
    >>> with_corners('10.0 20.0 110.0 60.0 "EXIT"')
    '10.0,20.0,110.0,20.0,110.0,60.0,10.0,60.0,"EXIT"'
    """
    match = _SPACED_BOX.match(line)
    if match is None:
        return line
    left, top, right, bottom = match[1].split()
    if float(right) < float(left) or float(bottom) < float(top):
        raise Fault("L4", quoted(line), "right >= left and bottom >= top", match.span(1))
    corners = (left, top, right, top, right, bottom, left, bottom)
    return ",".join((*corners, *([match[2]] if match[2] else [])))


def _is_relative(line: str) -> bool:
    """Return whether 28 offsets fill the box before them, unlike absolute points."""
    if not _OFFSETS.match(line):
        return False
    left, top, right, bottom, *offsets = (int(part) for part in line.rstrip(" ,\r").split(","))
    xs, ys = offsets[::2], offsets[1::2]
    return (
        min(xs) >= 0
        and min(ys) >= 0
        and abs(max(xs) - (right - left)) <= 1
        and abs(max(ys) - (bottom - top)) <= 1
    )


def _is_marked(line: str) -> bool:
    numbers = _AFTER_NUMBERS.match(line)
    return numbers is not None and line.startswith(MARK, numbers.end())


def joined(lines: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Join Total-Text's broken records, each under the number of its first line."""
    records: list[tuple[int, list[str]]] = []
    for number, line in lines:
        if _BEGINS.match(line) or not records:
            records.append((number, [line]))
        else:
            records[-1][1].append(line)
    return [(number, " ".join(parts)) for number, parts in records]


def total_text_region(line: str, *, is_truth: bool) -> Region:
    """Return the region of a record; raise Fault if it is invalid."""
    match = _RECORD.match(line)
    if match is None:
        wanted = "x: [[…]], y: [[…]], ornt: […], transcriptions: […]"
        raise Fault("L1", quoted(line), wanted, (0, len(line)))
    xs, ys = _list(match, 1), _list(match, 2)
    if len(xs) != len(ys) or len(xs) < 3:
        found = f"{len(xs)} x and {len(ys)} y in {quoted(line)}"
        raise Fault("L1", found, "as many x as y, three or more", (match.start(1), match.end(2)))
    points = tuple(value for point in zip(xs, ys, strict=True) for value in point)
    if not is_truth or match[4] is None:
        return Region(points)
    text, orientation = _literal(match[4]), _literal(match[3] or "")
    ignored = "#" in (text, orientation) or text == IGNORED_TEXT
    return Region(points, text=IGNORED_TEXT if ignored else text, ignored=ignored)


def _list(match: re.Match[str], group: int) -> list[float]:
    values = []
    for part in re.finditer(r"[^\s,]++", match[group]):
        span = (match.start(group) + part.start(), match.start(group) + part.end())
        if not _NUMBER.match(part[0]):
            raise Fault("L2", quoted(part[0]), "numbers", span)
        value = float(part[0])
        if not math.isfinite(value) or abs(value) > MAX_COORDINATE:
            raise Fault("L3", quoted(part[0]), f"numbers up to {MAX_COORDINATE:.0f}", span)
        values.append(value)
    return values


def _literal(text: str) -> str:
    """Return the text of a Python string literal; without quotes, the text itself."""
    match = _LITERAL.match(text)
    if match is None:
        return text.strip()
    return _ESCAPE.sub(_unescaped, match[2])


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code is None:
        return {"n": "\n", "t": "\t", "r": "\r"}.get(match[3], match[3])
    char = chr(int(code, 16))
    return "\N{REPLACEMENT CHARACTER}" if "\ud800" <= char <= "\udfff" or char == "\0" else char


def offsets_region(line: str) -> Region:
    """Return the region of a CTW-1500 line: 14 points relative to the box before them.

    Raises Fault if it does not have 32 whole numbers.
    """
    if not _OFFSETS.match(line):
        raise Fault("L1", quoted(line), "32 whole numbers: a box and 14 points", (0, len(line)))
    left, top, _, _, *offsets = (float(part) for part in line.rstrip(" ,\r").split(","))
    return Region(tuple(value + (top if at % 2 else left) for at, value in enumerate(offsets)))
