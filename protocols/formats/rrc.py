"""Files of the Robust Reading Competition: zips of ``gt_*.txt`` and ``res_*.txt``, one region a line.

One reader serves two callers: the stand-alone command, which refuses what the competition's
scripts refuse (``Rules.strict``), and the site's loader, which reads what people really send and
says what was odd.
"""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Literal

import numpy as np
import shapely

from protocols.regions import Region

from .archives import Entry, Limits, Source, read_entries, source_name
from .problems import Problem, Problems, counted, quoted

Kind = Literal["truth", "results"]
IGNORED_TEXT: Final = "###"
_BOM: Final = b"\xef\xbb\xbf"
_SIZE_NAMES: Final = {4: "left,top,right,bottom", 8: "a quadrilateral"}
_NUMBER: Final = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*\Z", re.ASCII)
_INTEGER: Final = re.compile(r"\s*-?\d+\s*\Z", re.ASCII)
_NOT_FINITE: Final = re.compile(r"\s*[+-]?(?:nan|inf|infinity)\s*\Z", re.IGNORECASE)
_CONFIDENCE: Final = re.compile(r"\s*[01]?\.?\d*\s*\Z", re.ASCII)
_STRICT_CONFIDENCE: Final = re.compile(r"\s*[01].?\d*\s*\Z", re.ASCII)
_PREFIXED: Final = {"truth": re.compile(r"(?:poly_)?gt_(.+)\.txt\Z"), "results": re.compile(r"res_(.+)\.txt\Z")}
_PLAIN: Final = re.compile(r"(.+)\.txt\Z")


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
    crlf_only : bool
        Cut lines at CRLF only.
    """

    line_format: LineFormat | None = None
    strict: bool = False
    confidences: bool | None = None
    crlf_only: bool = False


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
    reader = _Reader(kind, replace(rules, line_format=line_format), problems)
    regions = {file.image: reader.read(file) for file in files}
    if kind == "results" and rules.confidences is None:
        regions = _with_confidences(regions)
    reader.check_shapes(files, regions)
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


def _named(
    entries: Iterable[Entry], kind: Kind, problems: Problems
) -> Iterable[tuple[str, Entry]]:
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
        if crlf_only:
            lines = text.split("\r\n")
        else:
            lines = [line.removesuffix("\r") for line in text.split("\n")]
        return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]

    def report(self) -> None:
        for what, n in self._unusual.items():
            self._problems.warning("L9", f"{what} in {counted(n, 'file')}", "plain UTF-8; read anyway")


class _Reader:
    """Reads the lines of one archive under fixed rules."""

    def __init__(self, kind: Kind, rules: Rules, problems: Problems) -> None:
        if rules.line_format is None:
            raise ValueError("the line format must be settled before lines are read")
        self._kind = kind
        self._rules = rules
        self._format = rules.line_format
        self._problems = problems
        self._number = _INTEGER if rules.strict else _NUMBER
        self._n_spaced = 0
        self._line_of: dict[str, list[int]] = {}

    def read(self, file: _File) -> tuple[Region, ...]:
        regions = []
        numbers = []
        seen: dict[tuple[float, ...], int] = {}
        for number, line in file.lines:
            region = self._region(line, file.path, number)
            if region is None:
                continue
            if region.points in seen and not self._rules.strict:
                self._problems.warning(
                    "L8", f"the box of line {seen[region.points]} again", "each box once; kept",
                    file.path, number,
                )
            seen.setdefault(region.points, number)
            regions.append(region)
            numbers.append(number)
        self._line_of[file.image] = numbers
        return tuple(regions)

    def _region(self, line: str, path: str, number: int) -> Region | None:
        fields, rest = self._split(line)
        if fields is None:
            return None if rest is None else self._refuse("L1", rest, self._wants(), path, number)
        values = []
        for part in fields:
            if _NOT_FINITE.match(part):
                return self._refuse("L3", quoted(line), "finite numbers", path, number)
            if not self._number.match(part):
                wanted = "whole numbers" if self._rules.strict else "numbers"
                return self._refuse("L2", f"{quoted(part)} in {quoted(line)}", wanted, path, number)
            values.append(float(part))
        if not np.isfinite(values).all():
            return self._refuse("L3", quoted(line), "finite numbers", path, number)
        points = self._points(values, line, path, number)
        if points is None:
            return None
        return self._with_rest(points, rest, line, path, number)

    def _split(self, line: str) -> tuple[list[str] | None, str | None]:
        """Return the coordinate fields and what follows them; (None, reason) for a wrong number."""
        separated = line
        if "," not in line:
            self._n_spaced += 1
            wanted = self._format.n_numbers
            separated = ",".join(line.split(maxsplit=wanted) if wanted else line.split())
        fields = separated.split(",")
        n = self._format.n_numbers
        if n is None:
            run = _leading_numbers(fields)
            n = run - run % 2
            if n < 6:
                return None, f"{counted(run, 'number')} in {quoted(line)}"
        if len(fields) < n:
            return None, f"{counted(len(fields), 'field')} in {quoted(line)}"
        numbers = _leading_numbers(fields)
        if numbers < n and not fields[numbers].strip().lstrip("+-.").replace(".", "").isalnum():
            # "1,2,3,4,5,6,7," or "…,7,\"text\"": a number is missing rather than misspelt.
            return None, f"{counted(numbers, 'number')} in {quoted(line)}"
        return fields[:n], ",".join(fields[n:]) if len(fields) > n else None

    def _wants(self) -> str:
        n = self._format.n_numbers
        if n is None:
            return "an even number of coordinates, six or more"
        return f"{n} numbers ({_SIZE_NAMES[n]})"

    def _refuse(self, code: str, found: str, expected: str, path: str, number: int) -> None:
        self._problems.error(code, found, expected, path, number)

    def _points(
        self, values: list[float], line: str, path: str, number: int
    ) -> tuple[float, ...] | None:
        if self._format != LineFormat.LTRB:
            if self._rules.strict and self._format == LineFormat.QUAD and _turns_left(values):
                return self._refuse("L7", quoted(line), "corners clockwise", path, number)
            return tuple(values)
        left, top, right, bottom = values
        if right < left or bottom < top:
            return self._refuse(
                "L4", quoted(line), "right >= left and bottom >= top", path, number
            )
        if self._rules.strict and (right < 0 or bottom < 0):
            return self._refuse("L4", quoted(line), "right and bottom >= 0", path, number)
        return Region.from_box(left, top, right, bottom).points

    def _with_rest(
        self, points: tuple[float, ...], rest: str | None, line: str, path: str, number: int
    ) -> Region | None:
        strict = self._rules.strict
        if self._kind == "truth":
            if rest is None and strict:
                return self._refuse("L1", quoted(line), "a transcription at the end", path, number)
            text = None if rest is None else _unquoted(rest)
            return Region(points, text=text, ignored=text == IGNORED_TEXT)
        if self._rules.confidences:
            if rest is None or not _STRICT_CONFIDENCE.match(rest):
                return self._refuse("L1", quoted(line), "a confidence at the end", path, number)
            try:
                return Region(points, confidence=float(rest))
            except ValueError:
                return self._refuse("L2", quoted(rest), "a confidence", path, number)
        if rest is None or (not rest.strip() and self._format == LineFormat.LTRB):
            return Region(points)
        if strict:
            return self._refuse("L1", quoted(line), f"{self._wants()} and no more", path, number)
        return Region(points, text=rest)

    def check_shapes(
        self, files: Sequence[_File], regions: Mapping[str, tuple[Region, ...]]
    ) -> None:
        """Find polygons that cross themselves, and those whose corners do not run clockwise."""
        if self._format == LineFormat.LTRB:
            return
        places = [
            (file.path, number, region)
            for file in files
            for number, region in zip(
                self._line_of[file.image], regions[file.image], strict=True
            )
        ]
        if not places:
            return
        for (path, number, region), crossing in zip(places, _self_crossing(places), strict=True):
            if crossing:
                self._problems.warning(
                    "L5",
                    f"a polygon that crosses itself, {quoted(_shown(region))}",
                    "a simple polygon; kept, and repaired where its area is needed",
                    path,
                    number,
                )
            elif not self._rules.strict and _turns_left(region.points):
                self._problems.warning(
                    "L7", f"corners that run counter-clockwise, {quoted(_shown(region))}",
                    "clockwise; kept as they are", path, number,
                )

    def report(self) -> None:
        if self._n_spaced and not self._rules.strict:
            self._problems.warning(
                "L9", f"blanks between the fields of {counted(self._n_spaced, 'line')}",
                "commas; read anyway",
            )


def _turns_left(points: Sequence[float]) -> bool:
    """Say whether a ring runs counter-clockwise on screen, as the competition's scripts test it."""
    ring = np.reshape(points, (-1, 2))
    following = np.roll(ring, -1, axis=0)
    return bool(((following[:, 0] - ring[:, 0]) * (following[:, 1] + ring[:, 1])).sum() > 0)


def _self_crossing(places: Sequence[tuple[str, int, Region]]) -> np.ndarray:
    regions = [region for _, _, region in places]
    rings = np.repeat(np.arange(len(regions)), [region.n_points for region in regions])
    coordinates = np.array([value for region in regions for value in region.points])
    made = shapely.linearrings(coordinates.reshape(-1, 2), indices=rings)
    # A ring that lies on one line encloses nothing; it is degenerate, not crossing.
    flat = shapely.area(shapely.convex_hull(made)) == 0
    return np.asarray(~shapely.is_simple(made) & ~flat)


def _shown(region: Region) -> str:
    return ",".join(f"{value:g}" for value in region.points)


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
            raise ValueError(f"{place} is no upright rectangle; left,top,right,bottom cannot say it")
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
