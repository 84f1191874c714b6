"""Lines of the Robust Reading Competition: coordinates, then a transcription or a confidence."""

import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Final

from protocols.core.regions import MAX_COORDINATE, Region
from text_rankings.base.counts import counted

from ..containers.contents import IGNORED_TEXT, Kind, LineFormat, Tail
from ..containers.limits import MAX_POINTS, NOT_FINITE, NUMBER
from ..problems import Fault, Span, quoted

if TYPE_CHECKING:
    from .curved import Style

_MIN_NUMBERS: Final = 4
_MAX_LINE: Final = 200_000
_FORMAT_NAMES: Final = {"ltrb": "left,top,right,bottom", "quad": "a quadrilateral"}
_INTEGER: Final = re.compile(r"\s*+-?\d++\s*+\Z", re.ASCII)
_CONFIDENCE: Final = re.compile(r"\s*+(?:[01]?+\.?+\d*+|\d(?:\.\d*+)?+[eE]-\d++)\s*+\Z", re.ASCII)
_STRICT_CONFIDENCE: Final = re.compile(r"\s*+[01].?\d*\s*\Z", re.ASCII)
_WORD: Final = re.compile(r"\S+")
_WHOLE: Final = r" ?(-?\d{1,9})"
_REST: Final = {"truth": r",(.*)\Z", "results": r"(?:,(\d?\.\d{1,18}))?\Z"}


@cache
def _usual(kind: Kind, n: int) -> re.Pattern[str]:
    """Return what nearly all lines match: n whole numbers, and a text or perhaps a confidence."""
    return re.compile(",".join([_WHOLE] * n) + _REST[kind], re.ASCII)


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules for reading: accepted and refused input.

    ``line_format`` is guessed for the whole archive if None, ``tail`` (the fields after the
    coordinates) and ``confidences`` (whether a number follows those of results) from all lines.
    ``strict`` refuses the same input as the competition's scripts: fractions, negative right and bottom
    sides, corners that do not run clockwise, missing transcriptions, unexpected confidences;
    ``transcriptions`` then says whether results have texts. ``crlf_only`` splits lines at CRLF only;
    ``keep_quotes`` keeps double quotes around a transcription, as in PopEval's own files; ``sides``
    reads boxes as left,top,width,height, ``columns`` quadrilaterals as x1,x2,x3,x4,y1,y2,y3,y4.
    Otherwise rings that run counter-clockwise are reversed (L7), coordinates beyond any image refused
    (L3), other encodings than UTF-8 guessed, and semicolons and names of files in capitals accepted.
    ``drop_broken_ignored`` leaves out, with a warning, invalid lines of ground truth whose text is
    ``###``.
    """

    line_format: LineFormat | None = None
    strict: bool = False
    confidences: bool | None = None
    transcriptions: bool = False
    crlf_only: bool = False
    keep_quotes: bool = False
    tail: Tail | None = None
    sides: bool = False
    columns: bool = False
    drop_broken_ignored: bool = False


class LineReader:
    """Reader of lines of one kind and format under fixed rules.

    It counts the lines with blanks between their fields, ``n_spaced``.
    """

    def __init__(
        self, kind: Kind, rules: Rules, line_format: LineFormat, style: "Style | None" = None
    ) -> None:
        self._kind = kind
        self._rules = rules
        self._format = line_format
        self._style = style
        self._number = _INTEGER if rules.strict else NUMBER
        self._n = line_format.n_numbers
        self._tail = rules.tail or Tail.TEXT
        if kind == "results" and rules.confidences and rules.transcriptions:
            self._tail = Tail.CONFIDENCE
        usual = self._tail == Tail.TEXT and (not rules.confidences or kind == "truth")
        self._usual = _usual(kind, self._n) if usual and self._n in (4, 8) else None
        self.n_spaced = 0

    def region(self, line: str) -> Region:
        """Return the region of a line; raise Fault with its position if the line is invalid."""
        if self._style is not None:
            return self._curved_region(line)
        match = self._usual.match(line) if self._usual else None
        groups = match.groups() if match else ()
        if not groups or (self._rules.strict and self._kind == "results" and groups[-1]):
            return self._unusual_region(line)
        points = self._points(tuple(map(float, groups[: self._n])), line)
        if self._kind == "truth":
            text = self._text(groups[-1])
            return Region(points, text, None, text == IGNORED_TEXT)
        return Region(points, groups[-1])

    def _curved_region(self, line: str) -> Region:
        # Curved text is rare, and its expressions take time to compile.
        from .curved import MARK, Style, offsets_region, total_text_region, with_corners

        _refuse_long(line)
        if self._style == Style.TOTAL_TEXT:
            return total_text_region(line, is_truth=self._kind == "truth")
        if self._style == Style.CTW_OFFSETS:
            return offsets_region(line)
        if self._style == Style.BOXES_AND_POLYGONS:
            return self._unusual_region(with_corners(line))
        region = self._unusual_region(line)
        text = (region.text or "").removeprefix(MARK)
        return replace(region, text=text, ignored=text == IGNORED_TEXT)

    def _unusual_region(self, line: str) -> Region:
        _refuse_long(line)
        if self._tail == Tail.FIRST:
            confidence, *others = split_fields(line)
            line = ",".join([*others[: self._n], confidence, *others[self._n :]])
        fields, rest = self._split(line)
        for at, part in enumerate(fields):
            if NOT_FINITE.match(part):
                raise Fault("L3", quoted(line), "finite numbers", _span_of(line, at))
            if not self._number.match(part):
                wanted = "whole numbers" if self._rules.strict else "numbers"
                found = f"{quoted(part)} in {quoted(line)}"
                raise Fault("L2", found, wanted, _span_of(line, at))
        values = tuple(map(float, fields))
        largest = sys.float_info.max if self._rules.strict else MAX_COORDINATE
        if max(map(abs, values)) > largest:
            at = next(at for at, value in enumerate(values) if abs(value) > largest)
            finite = math.isfinite(values[at])
            wanted = f"numbers up to {MAX_COORDINATE:.0f}" if finite else "finite numbers"
            raise Fault("L3", quoted(line), wanted, _span_of(line, at))
        points = self._points(values, line)
        if self._tail != Tail.TEXT:
            return self._tailed(points, rest, line)
        if self._kind == "truth":
            return self._truth(points, rest, line)
        return self._detection(points, rest, line)

    def _split(self, line: str) -> tuple[list[str], str | None]:
        """Return the fields of the coordinates, and the fields after them."""
        n = self._n
        if "," in line:
            fields = line.split(",")
        else:
            self.n_spaced += 1
            fields = line.split() if n is None else line.split(maxsplit=n)
        n_leading = n_leading_numbers(fields)
        if n is None:
            n = self._n_paired(n_leading)
            if n > 2 * MAX_POINTS:
                raise Fault("L1", f"{n // 2} points", f"at most {MAX_POINTS}")
        # A word where the last number should be: a number is missing, not misspelt.
        cut_short = self._kind == "truth" and not any(map(NUMBER.match, fields[n_leading:n]))
        if len(fields) < n or n < self._least or (n_leading < n and cut_short):
            found = f"{counted(n_leading, 'number')} in {quoted(line)}"
            raise Fault("L1", found, self._wants(), (0, len(line)))
        return fields[:n], ",".join(fields[n:]) if len(fields) > n else None

    def _n_paired(self, n_leading: int) -> int:
        """Count the leading numbers that are coordinates of a polygon."""
        if self._tail == Tail.CONFIDENCE and n_leading % 2 == 0:
            # The last two are the confidence and a text of digits.
            return n_leading - 2
        return n_leading - n_leading % 2

    @property
    def _least(self) -> int:
        return 6 if self._n is None else _MIN_NUMBERS

    def _wants(self) -> str:
        n = self._n
        if n is None:
            return "an even number of coordinates, six or more"
        return f"{n} numbers ({_FORMAT_NAMES[self._format]})"

    def _points(self, values: tuple[float, ...], line: str) -> tuple[float, ...]:
        if self._rules.columns:
            values = tuple(chain.from_iterable(zip(values[:4], values[4:], strict=True)))
        if self._format != LineFormat.LTRB:
            if self._rules.strict and self._format == LineFormat.QUAD and turns_left(values):
                span = _span_of(line, 0, len(values) - 1)
                raise Fault("L7", quoted(line), "corners clockwise", span)
            return values
        left, top, right, bottom = values
        if self._rules.sides:
            if right < 0 or bottom < 0:
                raise Fault("L4", quoted(line), "a width and a height", _span_of(line, 2, 3))
            right, bottom = left + right, top + bottom
        if right < left or bottom < top:
            wanted = "right >= left and bottom >= top"
            raise Fault("L4", quoted(line), wanted, _span_of(line, 0, 3))
        if self._rules.strict and (right < 0 or bottom < 0):
            raise Fault("L4", quoted(line), "right and bottom >= 0", _span_of(line, 0, 3))
        return left, top, right, top, right, bottom, left, bottom

    def _tailed(self, points: tuple[float, ...], rest: str | None, line: str) -> Region:
        """Return the region of a line with a script or a confidence before its text."""
        first, comma, text = (rest or "").partition(",")
        if not comma and "," not in line:
            first, comma, text = first.partition(" ")
        text = self._text(text)
        if self._tail == Tail.CLASS:
            if text.strip() not in ("0", "1"):
                raise Fault("L1", quoted(line), "a class and 0 or 1 at the end")
            return Region(points, None, None, text.strip() == "1", label=first.strip() or None)
        if self._tail == Tail.SCRIPT:
            if not comma:
                raise Fault("L1", quoted(line), "a script and a transcription at the end")
            return Region(points, text, None, text == IGNORED_TEXT, label=first.strip() or None)
        if self._tail == Tail.DIFFICULT:
            if first.strip() not in ("0", "1") or not comma:
                raise Fault("L1", quoted(line), "0 or 1 and a transcription at the end")
            return Region(points, text, None, first.strip() == "1" or text == IGNORED_TEXT)
        pattern = _STRICT_CONFIDENCE if self._rules.strict else _CONFIDENCE
        if not pattern.match(first) or not _is_share(first):
            raise Fault("L1", quoted(line), "a confidence (0 to 1) and a text at the end")
        ignored = self._kind == "truth" and text == IGNORED_TEXT
        return Region(points, text if comma else None, float(first), ignored)

    def _truth(self, points: tuple[float, ...], rest: str | None, line: str) -> Region:
        if rest is None and self._rules.strict:
            raise Fault("L1", quoted(line), "a transcription at the end")
        text = None if rest is None else self._text(rest)
        return Region(points, text=text, ignored=text == IGNORED_TEXT)

    def _text(self, rest: str) -> str:
        return rest if self._rules.keep_quotes else unquoted_text(rest)

    def _detection(self, points: tuple[float, ...], rest: str | None, line: str) -> Region:
        if self._rules.confidences:
            if rest is None or not _STRICT_CONFIDENCE.match(rest) or not _is_share(rest):
                raise Fault("L1", quoted(line), "a confidence (0 to 1) at the end")
            return Region(points, confidence=float(rest))
        if rest is None or (not rest.strip() and self._format == LineFormat.LTRB):
            return Region(points)
        if self._rules.strict and not self._rules.transcriptions:
            raise Fault("L1", quoted(line), f"{self._wants()} and no more")
        return Region(points, text=self._text(rest))


def _refuse_long(line: str) -> None:
    if len(line) > _MAX_LINE:
        n, most = len(line), _MAX_LINE
        raise Fault("L1", f"a line of {n} characters", f"at most {most}")


def is_ignored_line(line: str) -> bool:
    """Return whether a line ends with the text of ignored regions, whatever is before it."""
    return unquoted_text(line.rpartition(",")[2]).strip() == IGNORED_TEXT


def telling(lines: Sequence[tuple[int, str]], rules: Rules) -> Sequence[tuple[int, str]]:
    """Return the lines that tell a format: where broken ones are dropped, not those too short for any."""
    if not rules.drop_broken_ignored:
        return lines
    return [
        (number, line)
        for number, line in lines
        if n_leading_numbers(split_fields(line)) >= _MIN_NUMBERS or not is_ignored_line(line)
    ]


def split_fields(line: str) -> list[str]:
    """Return the fields of a line, separated by commas or else by blanks."""
    return line.split(",") if "," in line else line.split()


def n_leading_numbers(fields: Sequence[str]) -> int:
    """Count the leading numeric fields."""
    for at, part in enumerate(fields):
        if not NUMBER.match(part) and not NOT_FINITE.match(part):
            return at
    return len(fields)


def _span_of(line: str, first: int, last: int | None = None) -> Span:
    """Return the position of a range of fields in a line."""
    last = first if last is None else last
    if "," not in line:
        words = [word.span() for word in _WORD.finditer(line)]
        return words[first][0], words[min(last, len(words) - 1)][1]
    starts = [0, *(at + 1 for at, char in enumerate(line) if char == ","), len(line) + 1]
    start, end = starts[first], starts[min(last + 1, len(starts) - 1)] - 1
    part = line[start:end]
    blanks = len(part) - len(part.lstrip())
    return (
        (start + blanks, end - (len(part) - len(part.rstrip()))) if part.strip() else (start, end)
    )


def turns_left(points: Sequence[float]) -> bool:
    """Return whether a ring runs counter-clockwise on screen, tested as the scripts do."""
    xs, ys = points[::2], points[1::2]
    return sum((xs[at] - xs[at - 1]) * (ys[at] + ys[at - 1]) for at in range(len(xs))) > 0


def unquoted_text(text: str) -> str:
    """Return a transcription without the quotes around it."""
    stripped = text.strip()
    if len(stripped) >= 2 and stripped.startswith('"') and stripped.endswith('"'):
        return stripped[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return text


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) < 2
    except ValueError:
        return False


def looks_like_confidence(text: str) -> bool:
    """Return whether a text at the end of a line would be read as a confidence."""
    return _CONFIDENCE.match(text) is not None and _is_share(text)


def quoted_text(text: str) -> str:
    """Return a transcription in the format of ground truth: in quotes, escaped inside."""
    if text == IGNORED_TEXT:
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
