"""Files of the Robust Reading Competition: zips of ``gt_*.txt`` and ``res_*.txt``, one region a line.

One reader serves two callers: the stand-alone command, which refuses what the competition's
scripts refuse (``Rules.strict``), and the site's loader, which reads what people really send and
says what was odd.
"""

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Final, Literal

import numpy as np
import shapely
from numpy.typing import NDArray

from protocols.core.geometry import Shapes
from protocols.core.regions import Region

from .archives import Limits, Member, OpenArchive, Source, open_archive, source_name
from .contents import Archive as Archive
from .contents import Kind as Kind
from .contents import LineFormat as LineFormat
from .contents import OnEntry, natural_order
from .curved import IGNORED_TEXT as IGNORED_TEXT
from .curved import MARK, Style, joined, offsets_region, style_of, total_text_region
from .problems import KEPT, PASSED_OVER, REORDERED, Fault, Problems, Span, counted, quoted

_BOM: Final = b"\xef\xbb\xbf"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_MIN_NUMBERS: Final = 4
_MAX_NAME: Final = 200
_MAX_LINE: Final = 200_000
_MAX_POINTS: Final = 10_000
# Beyond this areas lose their last digits, and no photograph is a thousand kilometres wide.
_MAX_COORDINATE: Final = 1e9
_GUESSED_FROM: Final = 200
# So many regions are looked at together: enough for one fast call, few enough for memory.
_BATCH: Final = 20_000
_FORMAT_NAMES: Final = {"ltrb": "left,top,right,bottom", "quad": "a quadrilateral"}
# Possessive, so that no line, however long, takes more than one pass.
_NUMBER: Final = re.compile(
    r"\s*+[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?\s*+\Z", re.ASCII
)
_INTEGER: Final = re.compile(r"\s*+-?\d++\s*+\Z", re.ASCII)
_NOT_FINITE: Final = re.compile(r"\s*+[+-]?(?:nan|inf|infinity)\s*+\Z", re.IGNORECASE)
_CONFIDENCE: Final = re.compile(r"\s*+(?:[01]?+\.?+\d*+|\d(?:\.\d*+)?+[eE]-\d++)\s*+\Z", re.ASCII)
_STRICT_CONFIDENCE: Final = re.compile(r"\s*+[01].?\d*\s*\Z", re.ASCII)
_WORD: Final = re.compile(r"\S+")
_PREFIXED: Final = {
    "truth": re.compile(r"(?:poly_)?gt_(.+)\.txt\Z"),
    "results": re.compile(r"res_(.+)\.txt\Z"),
}
_PLAIN: Final = re.compile(r"(.+)\.txt\Z")
# A text file of another case, prefix or suffix than it should have.
_ALMOST: Final = re.compile(
    r"(?:poly_|pred_|det_|gt_|res_|result_|gt|res)?(.+?)(?:\.(?:jpe?g|png))?\.(?:txt|csv|text)\Z",
    re.IGNORECASE,
)
# A line as nearly all are: so many whole numbers, and for ground truth the rest of the line.
_WHOLE: Final = r" ?(-?\d{1,9})"
_USUAL: Final = {
    (kind, n): re.compile(",".join([_WHOLE] * n) + rest, re.ASCII)
    for kind, rest in (("truth", r",(.*)\Z"), ("results", r"\Z"))
    for n in (4, 8)
}


@dataclass(frozen=True, slots=True)
class Rules:
    """What is read as it is, and what is refused.

    Attributes
    ----------
    line_format : LineFormat or None
        None: guessed for the whole archive.
    strict : bool
        Refuse what the competition's scripts refuse: fractions, negative right and bottom sides,
        corners that do not run clockwise, missing transcriptions, unexpected confidences.
    confidences : bool or None
        Whether a number follows the coordinates of results; None: guessed.
    transcriptions : bool
        Whether what follows the coordinates of results is a text, where lines are read strictly.
    crlf_only : bool
        Cut lines at CRLF only.
    keep_quotes : bool
        Leave double quotes around a transcription, as PopEval's own files have them.
    loading : bool
        What the site does when it loads files: turn rings that run counter-clockwise (L7), refuse
        figures without area (L4) and coordinates beyond any image (L3), tell CRLF (L9).
    """

    line_format: LineFormat | None = None
    strict: bool = False
    confidences: bool | None = None
    transcriptions: bool = False
    crlf_only: bool = False
    keep_quotes: bool = False
    loading: bool = False


def read_archive(
    source: Source,
    *,
    kind: Kind,
    name: str | None = None,
    rules: Rules | None = None,
    limits: Limits | None = None,
    on_entry: OnEntry | None = None,
) -> Archive:
    """Read a ground truth or a result set; whatever is wrong becomes a problem of the answer.

    An image is named after its entry without ``gt_``, ``res_`` and ``.txt``; folders inside the zip do not
    matter. A file without lines is an image without regions. Entries are unpacked one at a time,
    so that memory grows with the regions only; ``on_entry(done, total)`` is called after each,
    and what it raises ends the reading.
    """
    rules = rules or Rules()
    problems = Problems(source_name(source, name))
    texts = _Texts(problems, rules)
    with open_archive(source, problems, limits or Limits()) as archive:
        named = list(_named(archive.members, kind, problems))
        files = _files(archive, named, texts, on_entry)
        # Enough of them to guess the format by; the rest is read when its turn comes.
        first = list(islice(files, _GUESSED_FROM))
        lines = [line for file in first for _, line in file.lines[:50]]
        line_format = rules.line_format or guess_line_format(lines, kind)
        style = None
        if rules.loading and rules.line_format in (None, LineFormat.POLYGON):
            style = style_of(lines)
        if style is not None:
            line_format = LineFormat.POLYGON
        reader = _Reader(kind, rules, line_format, problems, style)
        for file in chain(first, files):
            reader.read(file)
        reader.finish()
    regions: Mapping[str, tuple[Region, ...]] = reader.regions
    if kind == "results" and rules.confidences is None:
        regions = _with_confidences(regions)
    texts.report()
    order = sorted(regions, key=natural_order)
    return Archive(
        problems.archive,
        line_format,
        {image: regions[image] for image in order},
        tuple(problems.found),
        dict(problems.counts),
        format=line_format.value,
        entries={image: reader.entries[image] for image in order},
        lines={image: reader.lines[image] for image in order},
    )


def _files(
    archive: OpenArchive,
    named: Sequence[tuple[str, Member]],
    texts: "_Texts",
    on_entry: OnEntry | None,
) -> Iterator["_File"]:
    for done, (image, member) in enumerate(named, 1):
        content = archive.content(member)
        if content is not None:
            yield _File(image, member.path, texts.lines(content))
        if on_entry is not None:
            on_entry(done, len(named))


def guess_line_format(lines: Iterable[str], kind: Kind = "truth") -> LineFormat:
    """Guess the format from lines: by how many numbers most of them begin with."""
    fields = [_fields(line[:_MAX_LINE]) for line in lines]
    leading = list(map(_leading_numbers, fields))
    runs = Counter(leading)
    if not runs:
        return LineFormat.LTRB
    run = runs.most_common(1)[0][0]
    if run < 8:
        return LineFormat.LTRB
    # A quadrilateral has one number more, its confidence. Longer lines are polygons, even where most
    # have four corners; but where there are words, they may be words of digits and commas.
    if kind == "results" and leading == list(map(len, fields)):
        run = max(runs)
    return LineFormat.QUAD if run < 10 else LineFormat.POLYGON


def _fields(line: str) -> list[str]:
    return line.split(",") if "," in line else line.split()


def _leading_numbers(fields: Sequence[str]) -> int:
    for at, part in enumerate(fields):
        if not _NUMBER.match(part) and not _NOT_FINITE.match(part):
            return at
    return len(fields)


def _named(
    members: Sequence[Member], kind: Kind, problems: Problems
) -> Iterator[tuple[str, Member]]:
    """Yield each entry with its image; names that do not fit and second files are problems."""
    prefixed = any(_PREFIXED[kind].match(member.name) for member in members)
    pattern = _PREFIXED[kind] if prefixed else _PLAIN
    prefix = ("gt_" if kind == "truth" else "res_") if prefixed else ""
    expected = f"{prefix}NAME.txt"
    other = _PREFIXED["results" if kind == "truth" else "truth"]
    seen: dict[str, str] = {}
    for member in members:
        name = member.name
        match = pattern.match(name)
        if match is None or (not prefixed and other.match(name)):
            # The competition passes over strange files in ground truth and refuses them in results.
            found = f"the name {quoted(name)}"
            if kind == "truth" and prefixed:
                problems.warning("N1", found, expected, member.path, action=PASSED_OVER)
            else:
                near = _renamed(name, prefix)
                hint = f" (perhaps {near})" if near else ""
                problems.error("N1", found, f"{expected}{hint}", member.path)
        elif len(match[1]) > _MAX_NAME:
            found = f"the name {quoted(name)}"
            problems.error("N1", found, f"at most {_MAX_NAME} characters", member.path)
        elif match[1] in seen:
            problems.error(
                "N3", f"a second file for {match[1]} (beside {seen[match[1]]})", "one", member.path
            )
        else:
            seen[match[1]] = member.path
            yield match[1], member


def _renamed(name: str, prefix: str) -> str | None:
    """Return the name that a misnamed text file most probably should have."""
    match = _ALMOST.match(name)
    return None if match is None else f"{prefix}{match[1]}.txt"


@dataclass(frozen=True, slots=True)
class _File:
    image: str
    path: str
    # (line number, text)
    lines: list[tuple[int, str]]


class _Texts:
    """From bytes to lines, counting what is unusual."""

    def __init__(self, problems: Problems, rules: Rules) -> None:
        self._problems = problems
        self._crlf_only = rules.crlf_only
        self._loading = rules.loading
        self._unusual: Counter[str] = Counter()

    def lines(self, content: bytes) -> list[tuple[int, str]]:
        text = self._text(content)
        if "\0" in text:
            self._unusual["null characters (replaced)"] += 1
            text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
        if self._loading and "\r" in text:
            if "\n" in text:
                self._unusual["CRLF line ends"] += "\r\n" in text
            else:
                self._unusual["CR line ends"] += 1
                text = text.replace("\r", "\n")
        lines = text.split("\r\n" if self._crlf_only else "\n")
        return [
            (number, line.removesuffix("\r"))
            for number, line in enumerate(lines, 1)
            if line.strip()
        ]

    def _text(self, content: bytes) -> str:
        if content.startswith(_UTF16_MARKS):
            self._unusual["UTF-16"] += 1
            return content.decode("utf-16", errors="replace")
        if content.startswith(_BOM):
            self._unusual["a byte order mark"] += 1
            content = content[len(_BOM) :]
        try:
            return content.decode()
        except UnicodeDecodeError:
            self._unusual["bytes that are not UTF-8 (replaced)"] += 1
            return content.decode(errors="replace")

    def report(self) -> None:
        for what, n in self._unusual.items():
            if n:
                self._problems.warning("L9", f"{what} in {counted(n, 'file')}", "plain UTF-8")


class _Reader:
    """Reads the files of one archive under fixed rules."""

    def __init__(
        self,
        kind: Kind,
        rules: Rules,
        line_format: LineFormat,
        problems: Problems,
        style: Style | None = None,
    ) -> None:
        self._kind = kind
        self._style = style
        self._rules = rules
        self._format = line_format
        self._problems = problems
        self._number = _INTEGER if rules.strict else _NUMBER
        self._n = line_format.n_numbers
        usual = not rules.confidences or kind == "truth"
        self._usual = _USUAL.get((kind, self._n or 0)) if usual else None
        self._n_spaced = 0
        self.regions: dict[str, tuple[Region, ...]] = {}
        self.entries: dict[str, str] = {}
        self.lines: dict[str, tuple[int, ...]] = {}
        # The files whose shapes are still to be looked at, and how many regions they have.
        self._waiting: list[_File] = []
        self._n_waiting = 0

    def read(self, file: "_File") -> None:
        regions = []
        lines = []
        seen: dict[tuple[float, ...], int] = {}
        read_line = self.line if self._style is None else self._curved_region
        records = joined(file.lines) if self._style == Style.TOTAL_TEXT else file.lines
        for number, line in records:
            try:
                region = read_line(line)
            except Fault as fault:
                self._problems.fault(fault, file.path, number, text=line)
                continue
            if region.points in seen and not self._rules.strict:
                self._problems.warning(
                    "L8",
                    f"the box of line {seen[region.points]} again",
                    "each box once",
                    file.path,
                    number,
                    text=line,
                    action=KEPT,
                )
            seen.setdefault(region.points, number)
            regions.append(region)
            lines.append((number, line))
        self.regions[file.image] = tuple(regions)
        self.entries[file.image] = file.path
        self.lines[file.image] = tuple([number for number, _ in lines])
        if self._format != LineFormat.LTRB and regions:
            self._waiting.append(_File(file.image, file.path, lines))
            self._n_waiting += len(regions)
            if self._n_waiting >= _BATCH:
                self._look_at_shapes()

    def line(self, line: str) -> Region:
        """Return the region of a line; raise a Fault where it is none."""
        match = self._usual.match(line) if self._usual else None
        if match is None:
            return self._unusual_region(line)
        groups = match.groups()
        points = self._points(tuple(map(float, groups[: self._n])), line)
        if self._kind == "truth":
            text = self._text(groups[-1])
            return Region(points, text, None, text == IGNORED_TEXT)
        return Region(points)

    def _curved_region(self, line: str) -> Region:
        if len(line) > _MAX_LINE:
            raise Fault("L1", f"a line of {len(line)} characters", f"at most {_MAX_LINE}")
        if self._style == Style.TOTAL_TEXT:
            return total_text_region(line, is_truth=self._kind == "truth")
        if self._style == Style.CTW_OFFSETS:
            return offsets_region(line)
        region = self._unusual_region(line)
        text = (region.text or "").removeprefix(MARK)
        return replace(region, text=text, ignored=text == IGNORED_TEXT)

    def _unusual_region(self, line: str) -> Region:
        if len(line) > _MAX_LINE:
            raise Fault("L1", f"a line of {len(line)} characters", f"at most {_MAX_LINE}")
        fields, rest = self._split(line)
        for at, part in enumerate(fields):
            if _NOT_FINITE.match(part):
                raise Fault("L3", quoted(line), "finite numbers", _span(line, at))
            if not self._number.match(part):
                wanted = "whole numbers" if self._rules.strict else "numbers"
                found = f"{quoted(part)} in {quoted(line)}"
                raise Fault("L2", found, wanted, _span(line, at))
        values = tuple(map(float, fields))
        largest = _MAX_COORDINATE if self._rules.loading else sys.float_info.max
        if max(map(abs, values)) > largest:
            at = next(at for at, value in enumerate(values) if abs(value) > largest)
            finite = math.isfinite(values[at])
            wanted = f"numbers up to {_MAX_COORDINATE:.0f}" if finite else "finite numbers"
            raise Fault("L3", quoted(line), wanted, _span(line, at))
        points = self._points(values, line)
        if self._kind == "truth":
            return self._truth(points, rest, line)
        return self._detection(points, rest, line)

    def _split(self, line: str) -> tuple[list[str], str | None]:
        """Return the fields of the coordinates, and what follows them."""
        n = self._n
        if "," in line:
            fields = line.split(",")
        else:
            self._n_spaced += 1
            fields = line.split() if n is None else line.split(maxsplit=n)
        n_leading = _leading_numbers(fields)
        if n is None:
            n = n_leading - n_leading % 2
            if n > 2 * _MAX_POINTS:
                raise Fault("L1", f"{n // 2} points", f"at most {_MAX_POINTS}")
        # A word where the last number should be: one is missing, not misspelt.
        cut_short = self._kind == "truth" and not any(map(_NUMBER.match, fields[n_leading:n]))
        if len(fields) < n or n < self._least or (n_leading < n and cut_short):
            found = f"{counted(n_leading, 'number')} in {quoted(line)}"
            raise Fault("L1", found, self._wants(), (0, len(line)))
        return fields[:n], ",".join(fields[n:]) if len(fields) > n else None

    @property
    def _least(self) -> int:
        return 6 if self._n is None else _MIN_NUMBERS

    def _wants(self) -> str:
        n = self._n
        if n is None:
            return "an even number of coordinates, six or more"
        return f"{n} numbers ({_FORMAT_NAMES[self._format]})"

    def _points(self, values: tuple[float, ...], line: str) -> tuple[float, ...]:
        if self._format != LineFormat.LTRB:
            if self._rules.strict and self._format == LineFormat.QUAD and _turns_left(values):
                span = _span(line, 0, len(values) - 1)
                raise Fault("L7", quoted(line), "corners clockwise", span)
            return values
        left, top, right, bottom = values
        if right < left or bottom < top:
            wanted = "right >= left and bottom >= top"
            raise Fault("L4", quoted(line), wanted, _span(line, 0, 3))
        if self._rules.strict and (right < 0 or bottom < 0):
            raise Fault("L4", quoted(line), "right and bottom >= 0", _span(line, 0, 3))
        return left, top, right, top, right, bottom, left, bottom

    def _truth(self, points: tuple[float, ...], rest: str | None, line: str) -> Region:
        if rest is None and self._rules.strict:
            raise Fault("L1", quoted(line), "a transcription at the end")
        text = None if rest is None else self._text(rest)
        return Region(points, text=text, ignored=text == IGNORED_TEXT)

    def _text(self, rest: str) -> str:
        return rest if self._rules.keep_quotes else _unquoted(rest)

    def _detection(self, points: tuple[float, ...], rest: str | None, line: str) -> Region:
        if self._rules.confidences:
            if rest is None or not _STRICT_CONFIDENCE.match(rest) or not _is_share(rest):
                raise Fault("L1", quoted(line), "a confidence (0 to 1) at the end")
            return Region(points, confidence=float(rest))
        if rest is None or (not rest.strip() and self._format == LineFormat.LTRB):
            return Region(points)
        if self._rules.strict and not self._rules.transcriptions:
            raise Fault("L1", quoted(line), f"{self._wants()} and no more")
        return Region(points, text=self._text(rest) if self._rules.transcriptions else rest)

    def finish(self) -> None:
        """Look at what is left, and say what can only be said of the whole archive."""
        self._look_at_shapes()
        if self._style is not None:
            self._problems.warning("L9", f"lines in the style of {self._style}", "coordinates")
        if self._n_spaced and not self._rules.strict:
            self._problems.warning(
                "L9", f"blanks between the fields of {counted(self._n_spaced, 'line')}", "commas"
            )

    def _look_at_shapes(self) -> None:
        files, self._waiting, self._n_waiting = self._waiting, [], 0
        regions = [region for file in files for region in self.regions[file.image]]
        if not regions:
            return
        places = [(file, at) for file in files for at in range(len(file.lines))]
        turned: dict[str, list[Region]] = {}
        for at, code, repair in odd_shapes(regions, flat=self._rules.loading):
            if code == "L7" and self._rules.strict:
                continue
            file, index = places[at]
            number, line = file.lines[index]
            tell_shape(
                self._problems,
                code,
                regions[at],
                repair,
                (file.path, number, line),
                reordered=self._rules.loading,
            )
            if code == "L7" and self._rules.loading:
                of_image = turned.setdefault(file.image, list(self.regions[file.image]))
                of_image[index] = turned_round(regions[at])
        self.regions.update((image, tuple(of)) for image, of in turned.items())


def odd_shapes(
    regions: Sequence[Region], *, flat: bool
) -> Iterator[tuple[int, Literal["L4", "L5", "L7"], str]]:
    """Yield index, code and repaired figure of polygons that cross themselves or run the wrong way.

    With ``flat`` also those that enclose nothing (L4).
    """
    shapes = Shapes(regions)
    # Rectangles and convex quadrilaterals cross nothing; the rest is looked at.
    odd = ~(shapes.rectangular | shapes.simple)
    crossing = np.zeros(len(regions), dtype=bool)
    crossing[odd] = _self_crossing([regions[at] for at in np.flatnonzero(odd).tolist()])
    empty = (shapes.areas == 0) & ~crossing & flat
    leftward = shapes.turns_left() & ~crossing & ~empty
    for at in np.flatnonzero(crossing | leftward | empty).tolist():
        if crossing[at]:
            yield at, "L5", _repair(shapes.polygons(np.array([at]))[0])
        else:
            yield at, "L4" if empty[at] else "L7", ""


def tell_shape(
    problems: Problems,
    code: Literal["L4", "L5", "L7"],
    region: Region,
    repair: str,
    place: tuple[str | None, int | None, str | None],
    *,
    reordered: bool,
) -> None:
    """Add the problem of a shape; ``place`` is the entry, the line's number and the line."""
    if problems.is_full(code):
        # The sentences below take longer than reading the line did.
        problems.counts[code] += 1
        return
    entry, number, line = place
    shown = quoted(_numbers(region.points))
    if code == "L4":
        found = f"a figure without area, {shown}"
        wanted = "a figure with an area"
        if region.cell is not None:
            # Published tables have empty cells that are drawn as a line.
            problems.warning(code, found, wanted, entry, number, text=line, action=KEPT)
        else:
            problems.error(code, found, wanted, entry, number, text=line)
    elif code == "L5":
        problems.warning(
            code,
            f"a polygon that crosses itself, {shown}",
            "a simple polygon",
            entry,
            number,
            text=line,
            action=f"kept; measured as {repair}",
        )
    else:
        problems.warning(
            code,
            f"corners that run counter-clockwise, {shown}",
            "clockwise",
            entry,
            number,
            text=line,
            action=REORDERED if reordered else KEPT,
        )


def turned_round(region: Region) -> Region:
    """Return the region with its corners in the other direction, from the same first one."""
    points = region.points
    xs, ys = points[:1] + points[-2:1:-2], points[1:2] + points[:2:-2]
    return replace(region, points=tuple(chain.from_iterable(zip(xs, ys, strict=True))))


def _numbers(values: Sequence[float]) -> str:
    return ",".join(f"{value:g}" for value in values)


def _repair(polygon: shapely.Geometry) -> str:
    """Return the parts of a repaired figure that have an area, as coordinates."""
    parts = [part for part in shapely.get_parts(polygon) if shapely.area(part) > 0]
    rings = [
        _numbers(shapely.get_coordinates(part)[:-1].ravel().tolist())
        for part in parts
        if shapely.get_type_id(part) == shapely.GeometryType.POLYGON
    ]
    if not rings:
        return "nothing: it has no area"
    more = f" and {counted(len(rings) - 3, 'further part')}" if len(rings) > 3 else ""
    return " and ".join(quoted(ring) for ring in rings[:3]) + more


def _span(line: str, first: int, last: int | None = None) -> Span:
    """Return where the fields from one to another stand in a line."""
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


def _turns_left(points: Sequence[float]) -> bool:
    """Say whether a ring runs counter-clockwise on screen, as the competition's scripts test it."""
    xs, ys = points[::2], points[1::2]
    return sum((xs[at] - xs[at - 1]) * (ys[at] + ys[at - 1]) for at in range(len(xs))) > 0


def _self_crossing(regions: Sequence[Region]) -> NDArray[np.bool_]:
    if not regions:
        return np.zeros(0, dtype=bool)
    rings = np.repeat(np.arange(len(regions)), [region.n_points for region in regions])
    coordinates = np.array([value for region in regions for value in region.points])
    made = shapely.linearrings(coordinates.reshape(-1, 2), indices=rings)
    # A ring that lies on one line encloses nothing; it is degenerate, not crossing.
    flat = shapely.area(shapely.convex_hull(made)) == 0
    return np.asarray(~shapely.is_simple(made) & ~flat)


def _unquoted(text: str) -> str:
    stripped = text.strip()
    if len(stripped) >= 2 and stripped.startswith('"') and stripped.endswith('"'):
        return stripped[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return text


def _with_confidences(
    regions: Mapping[str, tuple[Region, ...]],
) -> dict[str, tuple[Region, ...]]:
    """Turn texts into confidences if all of them in the archive look like one."""
    texts = [region.text for of_image in regions.values() for region in of_image if region.text]
    if not texts or not all(map(looks_like_confidence, texts)):
        return dict(regions)
    return {
        image: tuple(
            replace(region, text=None, confidence=float(region.text)) if region.text else region
            for region in of_image
        )
        for image, of_image in regions.items()
    }


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) < 2
    except ValueError:
        return False


def reader_of_lines(kind: Kind, line_format: LineFormat) -> Callable[[str], Region]:
    """Return what makes a region of a single line, and raises a Fault where it cannot."""
    rules = Rules(line_format=line_format, loading=True)
    return _Reader(kind, rules, line_format, Problems("")).line


def looks_like_confidence(text: str) -> bool:
    """Say whether a text at the end of a line would be read as a confidence."""
    return _CONFIDENCE.match(text) is not None and _is_share(text)


def quoted_text(text: str) -> str:
    """Return a transcription as ground truth has it: in quotes, what is inside them escaped."""
    if text == IGNORED_TEXT:
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
