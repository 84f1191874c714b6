"""Zips of lines read as the competition's scripts read them, refusals included.

Names and lines are matched against the same patterns: any whitespace around numbers, ASCII digits
only; whatever a pattern leaves open is accepted.
"""

import re
import sys
import zipfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

from ..core.regions import Region
from ..formats.containers.archives import Limits, plain_content
from ..formats.containers.contents import IGNORED_TEXT, Kind, LineFormat
from ..formats.problems import Problems
from ..formats.readers.layouts import Survey, asked_instead, decide
from ..formats.readers.rrc_lines import Rules, is_ignored_line, turns_left
from ..formats.readers.uniform_lines import read_usual
from ..formats.summaries import left_out

_BYTES: Final = Limits().total_bytes
_QUOTED: Final = re.compile(r'\s*"(.*)"\s*$')
# Parts of an entry's name that CLEval removes; the rest is the image.
_TAKEN_OUT: Final = ("gt_", "res_", ".txt", ".json", ".jpg")
_LTRB, _QUAD = 4, 8
_EXPECTED: Final = {_LTRB: "xmin,ymin,xmax,ymax", _QUAD: "x1,y1,x2,y2,x3,y3,x4,y4"}


class Refused(Exception):
    """A submission that the scripts refuse; the message says why."""


class Asked(Exception):
    """Ground truth that can be read in two ways; the message names them and how to choose one."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Names and formats of the files of a zip.

    ``names`` is a pattern for the start of an entry's name, whose first group is the image; empty:
    the image is the name without the usual prefixes and suffixes. ``ltrb``: boxes of four numbers
    instead of quadrilaterals of eight; ``crlf``: lines end with CRLF only; ``confidences`` and
    ``texts`` follow the numbers; ``drops``: leave out invalid lines of ignored text.
    """

    kind: Kind
    names: str
    ltrb: bool
    crlf: bool = False
    confidences: bool = False
    texts: bool = False
    drops: bool = False


def read_lines(path: str, lines: Lines, *, ask: bool = True) -> dict[str, tuple[Region, ...]]:
    """Return the regions of each image, in the order of the zip.

    Raises Refused for input that the scripts refuse, and with ``ask`` Asked if the lines of ground
    truth can be read in two ways.
    """
    n = _LTRB if lines.ltrb else _QUAD
    rules = Rules(LineFormat.LTRB if lines.ltrb else LineFormat.QUAD, strict=True)
    usual_only = not lines.crlf and not lines.confidences and lines.texts == (lines.kind == "truth")
    asks = ask and lines.kind == "truth"
    survey = Survey()
    images = {}
    for name, (entry, content) in _entries(path, lines).items():
        text = content.removeprefix(BOM_UTF8).decode(errors="replace")
        # As published, a right side of -0 is refused, and escapes are undone in a different order.
        is_careful = not usual_only or "\\" in text or "-0" in text
        usual = None if is_careful else read_usual(text, lines.kind, rules)
        if usual is not None and usual.n_numbers != n:
            usual = None
        if usual is not None and usual.is_plain:
            images[name] = usual.regions
            if asks:
                survey.add_usual(usual, partial(str, text), lines.kind, entry)
            continue
        ends = "\r\n" if lines.crlf else "\n"
        kept = [line.replace("\r", "").replace("\n", "") for line in text.split(ends)]
        numbered = [(number, line) for number, line in enumerate(kept, 1) if line]
        images[name] = tuple(_regions(numbered, lines, entry)) if usual is None else usual.regions
        if asks:
            survey.add(numbered, lines.kind, entry)
    if asks:
        _ask(survey, path, rules)
    return images


def _regions(numbered: Sequence[tuple[int, str]], lines: Lines, entry: str) -> Iterator[Region]:
    for at, line in numbered:
        try:
            yield _region(line, lines, f"{entry}, line {at}")
        except Refused:
            if not (lines.drops and is_ignored_line(line)):
                raise
            print(f"{entry}, line {at}: {left_out(1)}", file=sys.stderr)


def _ask(survey: Survey, path: str, rules: Rules) -> None:
    problems = Problems(path)
    decision = asked_instead(decide(survey, "truth", rules.line_format), survey, "truth")
    decision.tell(problems, "truth")
    for question in problems.found:
        raise Asked(f"{question} Name it: --format={question.expected.rpartition(': ')[2]}.")


def _entries(path: str, lines: Lines) -> Mapping[str, tuple[str, bytes]]:
    """Return the name and bytes of each image's entry; if it has several, of the last one."""
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _BYTES:
                raise Refused(
                    f"Error loading the ZIP archive: {path} is larger than {_BYTES} bytes"
                )
            return {
                image: (entry.filename, _content(archive, entry))
                for image, entry in _named(archive.infolist(), lines)
            }
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error) as fault:
        raise Refused(f"Error loading the ZIP archive: {path}: {fault}") from fault


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    plain = plain_content(archive, entry, _BYTES)
    return archive.read(entry) if plain is None else plain


def _named(
    entries: Sequence[zipfile.ZipInfo], lines: Lines
) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    pattern = re.compile(lines.names)
    for entry in entries:
        image = name = entry.filename
        if not lines.names:
            for part in _TAKEN_OUT:
                image = image.replace(part, "")
            yield image, entry
            continue
        match = pattern.match(name)
        if match is not None:
            yield (match[1] if pattern.groups else name), entry
        elif lines.kind == "results":
            raise Refused(f"ZIP entry not valid: {name}")


@cache
def _pattern(n: int, confidences: bool, texts: bool) -> re.Pattern[str]:
    """Return the pattern of a line; as published, a confidence may have any sign as its point."""
    whole, positive = r"\s*(-?[0-9]+)\s*", r"\s*([0-9]+)\s*"
    numbers = [whole, whole, positive, positive] if n == _LTRB else [whole] * n
    tail = r",\s*([0-1].?[0-9]*)\s*" if confidences else ""
    if texts:
        tail += ",(.*)"
    elif not confidences:
        tail = r",?\s*" if n == _LTRB else ""
    return re.compile(f"{','.join(numbers)}{tail}$")


def _region(line: str, lines: Lines, place: str) -> Region:
    n = _LTRB if lines.ltrb else _QUAD
    match = _pattern(n, lines.confidences, lines.texts).match(line)
    if match is None:
        expected = _EXPECTED[n] + lines.confidences * ",confidence" + lines.texts * ",transcription"
        raise _refusal(line, place, f"Format incorrect. Should be: {expected}")
    points = tuple(map(float, match.groups()[:n]))
    if lines.ltrb:
        left, top, right, bottom = points
        if right < left or bottom < top:
            raise _refusal(line, place, "right < left or bottom < top")
        points = (left, top, right, top, right, bottom, left, bottom)
    elif turns_left(points):
        raise _refusal(line, place, "Points are not clockwise")
    confidence = None
    if lines.confidences:
        try:
            confidence = float(match[n + 1])
        except ValueError:
            raise _refusal(line, place, "Confidence value must be a float") from None
    text = _text(match.groups()[-1]) if lines.texts else None
    ignored = lines.kind == "truth" and text == IGNORED_TEXT
    return Region(points, text, confidence, ignored)


def _text(rest: str) -> str:
    quoted = _QUOTED.match(rest)
    # In this order, as published.
    return rest if quoted is None else quoted[1].replace("\\\\", "\\").replace('\\"', '"')


def _refusal(line: str, place: str, why: str) -> Refused:
    return Refused(f"Line in sample not valid. Sample: {place}: {line!r}. Error: {why}")
