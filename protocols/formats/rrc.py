"""Files of the Robust Reading Competition: zips of ``gt_*.txt`` and ``res_*.txt``, one region a line.

One reader serves two callers: the stand-alone command, which refuses what the competition's
scripts refuse (``Rules.strict``), and the site's loader, which reads what people really send and
says what was odd.
"""

import io
import math
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Literal

import numpy as np
import shapely
from numpy.typing import NDArray

from protocols.geometry import Shapes
from protocols.regions import Region

from .archives import Entry, Limits, Source, read_entries, source_name
from .problems import Problem, Problems, counted, quoted

Kind = Literal["truth", "results"]
IGNORED_TEXT: Final = "###"
_BOM: Final = b"\xef\xbb\xbf"
_MIN_NUMBERS: Final = 4
_MAX_NAME: Final = 200
_FORMAT_NAMES: Final = {"ltrb": "left,top,right,bottom", "quad": "a quadrilateral"}
_NUMBER: Final = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*\Z", re.ASCII)
_INTEGER: Final = re.compile(r"\s*-?\d+\s*\Z", re.ASCII)
_NOT_FINITE: Final = re.compile(r"\s*[+-]?(?:nan|inf|infinity)\s*\Z", re.IGNORECASE)
_CONFIDENCE: Final = re.compile(r"\s*[01]?\.?\d*\s*\Z", re.ASCII)
_STRICT_CONFIDENCE: Final = re.compile(r"\s*[01].?\d*\s*\Z", re.ASCII)
_PREFIXED: Final = {
    "truth": re.compile(r"(?:poly_)?gt_(.+)\.txt\Z"),
    "results": re.compile(r"res_(.+)\.txt\Z"),
}
_PLAIN: Final = re.compile(r"(.+)\.txt\Z")
# A line as nearly all are: so many whole numbers, and for ground truth the rest of the line.
_WHOLE: Final = r" ?(-?\d{1,9})"
_USUAL: Final = {
    (kind, n): re.compile(",".join([_WHOLE] * n) + rest, re.ASCII)
    for kind, rest in (("truth", r",(.*)\Z"), ("results", r"\Z"))
    for n in (4, 8)
}


class LineFormat(StrEnum):
    """How the regions of a file are written."""

    LTRB = "ltrb"
    QUAD = "quad"
    POLYGON = "polygon"

    @property
    def n_numbers(self) -> int | None:
        """Numbers of a region; None where it varies."""
        return {"ltrb": 4, "quad": 8}.get(self.value)


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
    """

    line_format: LineFormat | None = None
    strict: bool = False
    confidences: bool | None = None
    transcriptions: bool = False
    crlf_only: bool = False
    keep_quotes: bool = False


@dataclass(frozen=True, slots=True)
class Archive:
    """What was read from one zip: the regions of each image in natural order, and all faults."""

    name: str
    line_format: LineFormat
    regions: Mapping[str, tuple[Region, ...]]
    problems: tuple[Problem, ...]
    counts: Mapping[str, int]

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity == "warning")

    @property
    def n_regions(self) -> int:
        return sum(map(len, self.regions.values()))

    @property
    def n_ignored(self) -> int:
        return sum(region.ignored for regions in self.regions.values() for region in regions)


def read_archive(
    source: Source,
    *,
    kind: Kind,
    name: str | None = None,
    rules: Rules | None = None,
    limits: Limits | None = None,
) -> Archive:
    """Read a ground truth or a result set; whatever is wrong becomes a problem of the answer.

    An image is named after its entry without ``gt_``, ``res_`` and ``.txt``; folders inside the zip do not
    matter. A file without lines is an image without regions.
    """
    rules = rules or Rules()
    problems = Problems(source_name(source, name))
    entries = list(_named(read_entries(source, problems, limits or Limits()), kind, problems))
    texts = _Texts(problems)
    files = [
        _File(image, entry.path, texts.lines(entry, crlf_only=rules.crlf_only))
        for image, entry in entries
    ]
    line_format = rules.line_format or guess_line_format(
        line for file in files[:200] for _, line in file.lines[:50]
    )
    reader = _Reader(kind, rules, line_format, problems)
    regions = {file.image: reader.read(file) for file in files}
    if kind == "results" and rules.confidences is None:
        regions = _with_confidences(regions)
    texts.report()
    reader.report()
    return Archive(
        problems.archive,
        line_format,
        {image: regions[image] for image in sorted(regions, key=natural_order)},
        tuple(problems.found),
        dict(problems.counts),
    )


def natural_order(name: str) -> tuple[tuple[bool, int, str], ...]:
    """Return a sort key by which img_2 comes before img_10."""
    parts = re.findall(r"\d+|\D+", name, re.ASCII)
    return tuple((part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts)


def guess_line_format(lines: Iterable[str]) -> LineFormat:
    """Guess the format from lines: by how many numbers most of them begin with."""
    runs = Counter(_leading_numbers(_fields(line)) for line in lines)
    if not runs:
        return LineFormat.LTRB
    run = runs.most_common(1)[0][0]
    if run < 8:
        return LineFormat.LTRB
    return LineFormat.QUAD if run < 12 else LineFormat.POLYGON


def _fields(line: str) -> list[str]:
    return line.split(",") if "," in line else line.split()


def _leading_numbers(fields: Sequence[str]) -> int:
    for at, part in enumerate(fields):
        if not _NUMBER.match(part) and not _NOT_FINITE.match(part):
            return at
    return len(fields)


def _named(entries: Iterable[Entry], kind: Kind, problems: Problems) -> Iterable[tuple[str, Entry]]:
    """Yield each entry with its image; names that do not fit and second files are problems."""
    found = list(entries)
    prefixed = any(_PREFIXED[kind].match(entry.name) for entry in found)
    pattern = _PREFIXED[kind] if prefixed else _PLAIN
    expected = f"{'gt_' if kind == 'truth' else 'res_'}NAME.txt" if prefixed else "NAME.txt"
    other = _PREFIXED["results" if kind == "truth" else "truth"]
    seen: dict[str, str] = {}
    for entry in found:
        match = pattern.match(entry.name)
        if match is None or (not prefixed and other.match(entry.name)):
            # The competition passes over strange files in ground truth and refuses them in results.
            report = problems.warning if kind == "truth" and prefixed else problems.error
            report("N1", f"the name {quoted(entry.name)}", expected, entry.path)
        elif len(match[1]) > _MAX_NAME:
            problems.error(
                "N1", f"the name {quoted(entry.name)}", f"at most {_MAX_NAME} characters"
            )
        elif match[1] in seen:
            problems.error(
                "N3", f"a second file for {match[1]} (beside {seen[match[1]]})", "one", entry.path
            )
        else:
            seen[match[1]] = entry.path
            yield match[1], entry


@dataclass(frozen=True, slots=True)
class _File:
    image: str
    path: str
    # (line number, text)
    lines: list[tuple[int, str]]


class _Texts:
    """From bytes to lines, counting what is unusual."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._unusual: Counter[str] = Counter()

    def lines(self, entry: Entry, *, crlf_only: bool) -> list[tuple[int, str]]:
        content = entry.content
        if content.startswith(_BOM):
            self._unusual["a byte order mark"] += 1
            content = content[len(_BOM) :]
        try:
            text = content.decode()
        except UnicodeDecodeError:
            self._unusual["bytes that are not UTF-8 (replaced)"] += 1
            text = content.decode(errors="replace")
        if "\0" in text:
            self._unusual["null characters (replaced)"] += 1
            text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
        lines = text.split("\r\n" if crlf_only else "\n")
        return [
            (number, line.removesuffix("\r"))
            for number, line in enumerate(lines, 1)
            if line.strip()
        ]

    def report(self) -> None:
        for what, n in self._unusual.items():
            self._problems.warning(
                "L9", f"{what} in {counted(n, 'file')}", "plain UTF-8; read anyway"
            )


class _Refused(Exception):
    """A line cannot be used."""

    def __init__(self, code: str, found: str, expected: str) -> None:
        super().__init__(found)
        self.code, self.found, self.expected = code, found, expected


class _Reader:
    """Reads the lines of one archive under fixed rules."""

    def __init__(
        self, kind: Kind, rules: Rules, line_format: LineFormat, problems: Problems
    ) -> None:
        self._kind = kind
        self._rules = rules
        self._format = line_format
        self._problems = problems
        self._number = _INTEGER if rules.strict else _NUMBER
        self._n = line_format.n_numbers
        usual = not rules.confidences or kind == "truth"
        self._usual = _USUAL.get((kind, self._n or 0)) if usual else None
        self._n_spaced = 0
        # Of every region that was read: its entry and line.
        self._places: list[tuple[str, int, Region]] = []

    def read(self, file: _File) -> tuple[Region, ...]:
        regions = []
        seen: dict[tuple[float, ...], int] = {}
        for number, line in file.lines:
            try:
                region = self._region(line)
            except _Refused as refused:
                self._problems.error(
                    refused.code, refused.found, refused.expected, file.path, number
                )
                continue
            if region.points in seen and not self._rules.strict:
                self._problems.warning(
                    "L8",
                    f"the box of line {seen[region.points]} again",
                    "each box once; kept",
                    file.path,
                    number,
                )
            seen.setdefault(region.points, number)
            regions.append(region)
            self._places.append((file.path, number, region))
        return tuple(regions)

    def _region(self, line: str) -> Region:
        match = self._usual.match(line) if self._usual else None
        if match is None:
            return self._unusual_region(line)
        groups = match.groups()
        points = self._points(tuple(map(float, groups[: self._n])), line)
        if self._kind == "truth":
            text = self._text(groups[-1])
            return Region(points, text, None, text == IGNORED_TEXT)
        return Region(points)

    def _unusual_region(self, line: str) -> Region:
        fields, rest = self._split(line)
        for part in fields:
            if _NOT_FINITE.match(part):
                raise _Refused("L3", quoted(line), "finite numbers")
            if not self._number.match(part):
                wanted = "whole numbers" if self._rules.strict else "numbers"
                raise _Refused("L2", f"{quoted(part)} in {quoted(line)}", wanted)
        values = tuple(map(float, fields))
        if not all(map(math.isfinite, values)):
            raise _Refused("L3", quoted(line), "finite numbers")
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
        # A word where the last number should be: one is missing, not misspelt.
        cut_short = self._kind == "truth" and not any(map(_NUMBER.match, fields[n_leading:n]))
        if len(fields) < n or n < _MIN_NUMBERS or (n_leading < n and cut_short):
            raise _Refused("L1", f"{counted(n_leading, 'number')} in {quoted(line)}", self._wants())
        return fields[:n], ",".join(fields[n:]) if len(fields) > n else None

    def _wants(self) -> str:
        n = self._n
        if n is None:
            return "an even number of coordinates, six or more"
        return f"{n} numbers ({_FORMAT_NAMES[self._format]})"

    def _points(self, values: tuple[float, ...], line: str) -> tuple[float, ...]:
        if self._format != LineFormat.LTRB:
            if self._rules.strict and self._format == LineFormat.QUAD and _turns_left(values):
                raise _Refused("L7", quoted(line), "corners clockwise")
            return values
        left, top, right, bottom = values
        if right < left or bottom < top:
            raise _Refused("L4", quoted(line), "right >= left and bottom >= top")
        if self._rules.strict and (right < 0 or bottom < 0):
            raise _Refused("L4", quoted(line), "right and bottom >= 0")
        return left, top, right, top, right, bottom, left, bottom

    def _truth(self, points: tuple[float, ...], rest: str | None, line: str) -> Region:
        if rest is None and self._rules.strict:
            raise _Refused("L1", quoted(line), "a transcription at the end")
        text = None if rest is None else self._text(rest)
        return Region(points, text=text, ignored=text == IGNORED_TEXT)

    def _text(self, rest: str) -> str:
        return rest if self._rules.keep_quotes else _unquoted(rest)

    def _detection(self, points: tuple[float, ...], rest: str | None, line: str) -> Region:
        if self._rules.confidences:
            if rest is None or not _STRICT_CONFIDENCE.match(rest) or not _is_share(rest):
                raise _Refused("L1", quoted(line), "a confidence (0 to 1) at the end")
            return Region(points, confidence=float(rest))
        if rest is None or (not rest.strip() and self._format == LineFormat.LTRB):
            return Region(points)
        if self._rules.strict and not self._rules.transcriptions:
            raise _Refused("L1", quoted(line), f"{self._wants()} and no more")
        return Region(points, text=self._text(rest) if self._rules.transcriptions else rest)

    def report(self) -> None:
        """Say what can only be said of the whole archive."""
        if self._format != LineFormat.LTRB and self._places:
            self._report_shapes()
        if self._n_spaced and not self._rules.strict:
            self._problems.warning(
                "L9",
                f"blanks between the fields of {counted(self._n_spaced, 'line')}",
                "commas; read anyway",
            )

    def _report_shapes(self) -> None:
        """Find polygons that cross themselves, and those whose corners do not run clockwise."""
        regions = [region for _, _, region in self._places]
        shapes = Shapes(regions)
        # Rectangles and convex quadrilaterals cross nothing; the rest is looked at.
        odd = ~(shapes.rectangular | shapes.simple)
        crossing = np.zeros(len(regions), dtype=bool)
        crossing[odd] = _self_crossing([regions[at] for at in np.flatnonzero(odd)])
        leftward = shapes.turns_left() & ~crossing & (not self._rules.strict)
        for at in np.flatnonzero(crossing | leftward).tolist():
            path, number, region = self._places[at]
            shown = quoted(",".join(f"{value:g}" for value in region.points))
            if crossing[at]:
                self._problems.warning(
                    "L5",
                    f"a polygon that crosses itself, {shown}",
                    "a simple polygon; kept, and repaired where its area is needed",
                    path,
                    number,
                )
            else:
                self._problems.warning(
                    "L7",
                    f"corners that run counter-clockwise, {shown}",
                    "clockwise; kept as they are",
                    path,
                    number,
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
    if not texts or not all(_CONFIDENCE.match(text) and _is_share(text) for text in texts):
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


def write_archive(
    regions: Mapping[str, Sequence[Region]],
    kind: Kind,
    line_format: LineFormat | str,
    *,
    with_confidences: bool = False,
) -> bytes:
    """Return the zip that read_archive reads back; equal regions give equal bytes.

    Raises
    ------
    ValueError
        If a region cannot be written in the format; names the image and the region.
    """
    line_format = LineFormat(line_format)
    prefix = "gt_" if kind == "truth" else "res_"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for image in sorted(regions, key=natural_order):
            lines = [
                _line(region, kind, line_format, with_confidences, f"region {at} of {image}")
                for at, region in enumerate(regions[image])
            ]
            info = zipfile.ZipInfo(f"{prefix}{image}.txt", date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, "".join(f"{line}\r\n" for line in lines))
    return stream.getvalue()


def _line(
    region: Region, kind: Kind, line_format: LineFormat, with_confidences: bool, place: str
) -> str:
    values: Sequence[float] = region.points
    if line_format == LineFormat.LTRB:
        if not region.is_rectangle:
            raise ValueError(
                f"{place} is no upright rectangle; left,top,right,bottom cannot say it"
            )
        values = region.box
    elif line_format == LineFormat.QUAD and region.n_points != 4:
        raise ValueError(f"{place} has {region.n_points} corners; a quadrilateral has 4")
    fields = [repr(int(value)) if value == int(value) else repr(value) for value in values]
    if kind == "truth":
        fields.append(_quoted_text(IGNORED_TEXT if region.ignored else region.text or ""))
    elif with_confidences:
        fields.append(repr(region.confidence if region.confidence is not None else 0.0))
    elif region.text is not None:
        fields.append(region.text)
    return ",".join(fields)


def _quoted_text(text: str) -> str:
    if text == IGNORED_TEXT:
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
