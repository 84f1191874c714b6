"""Per-image scores from CSV: ``image,method,recall,precision``, as competitions publish them."""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .archives import Source, source_name
from .problems import Problem, Problems, quoted

COLUMNS: Final = ("image", "method", "recall", "precision")
_MAX_BYTES: Final = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One line: a method's score on an image, fractions in [0, 1]; None is undefined."""

    image: str
    method: str
    recall: float | None
    precision: float | None
    line: int


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """What was read, and all faults."""

    name: str
    rows: tuple[ScoreRow, ...]
    problems: tuple[Problem, ...]


def read_scores(source: Source, *, name: str | None = None) -> ScoreTable:
    """Read scores; whatever is wrong becomes a problem of the answer.

    A byte order mark, CRLF and semicolons are read; other columns are passed over with a warning.
    An empty cell or a dash is an undefined score.
    """
    problems = Problems(source_name(source, name))
    text = _text(source, problems)
    rows = tuple(_rows(text, problems)) if text is not None else ()
    return ScoreTable(problems.archive, rows, tuple(problems.found))


def _text(source: Source, problems: Problems) -> str | None:
    try:
        content = _bytes(source)
    except OSError as fault:
        problems.error("A1", f"a file that cannot be read ({fault.strerror})", "a CSV file")
        return None
    if len(content) > _MAX_BYTES:
        problems.error("A3", "a larger file", f"at most {_MAX_BYTES} bytes")
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        problems.error("L9", "bytes that are not UTF-8", "a CSV file in UTF-8")
        return None
    if "\0" in text:
        problems.error("A1", "a binary file", "a CSV file")
        return None
    return text


def _bytes(source: Source) -> bytes:
    if isinstance(source, str | Path):
        with open(source, "rb") as file:
            return file.read(_MAX_BYTES + 1)
    return source.read(_MAX_BYTES + 1)


def _rows(text: str, problems: Problems) -> Iterator[ScoreRow]:
    first = text.split("\n", 1)[0]
    delimiter = ";" if ";" in first and "," not in first else ","
    lines = _lines(text, delimiter, problems)
    _, header = next(lines, (1, []))
    columns = _columns(header, problems)
    if columns is None:
        return
    seen: dict[tuple[str, str], int] = {}
    for line, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) <= max(columns):
            problems.error("L1", f"{len(cells)} cells", ", ".join(COLUMNS), line=line)
            continue
        image, method, *numbers = (cells[at].strip() for at in columns)
        if not image or not method:
            problems.error("S3", "a line without image or method", "both named", line=line)
            continue
        if (image, method) in seen:
            problems.error(
                "N3",
                f"{image}, {method} again (beside line {seen[image, method]})",
                "one",
                line=line,
            )
            continue
        seen[image, method] = line
        before = len(problems.found)
        recall, precision = (_score(number, line, problems) for number in numbers)
        if len(problems.found) == before:
            yield ScoreRow(image, method, recall, precision, line)


def _lines(text: str, delimiter: str, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as fault:
        problems.error("L1", f"a line that is no CSV ({fault})", "CSV", line=reader.line_num)


def _columns(header: Sequence[str], problems: Problems) -> list[int] | None:
    names = [cell.strip().lower() for cell in header]
    missing = [column for column in COLUMNS if column not in names]
    if missing:
        problems.error("L1", f"a header without {', '.join(missing)}", ",".join(COLUMNS), line=1)
        return None
    others = [name for name in names if name not in COLUMNS and name]
    if others:
        problems.warning("L1", f"further columns: {', '.join(others)}", "to be passed over", line=1)
    return [names.index(column) for column in COLUMNS]


def _score(text: str, line: int, problems: Problems) -> float | None:
    if text in ("", "-", "–"):
        return None
    try:
        score = float(text)
    except ValueError:
        problems.error("L2", quoted(text), "a number in [0, 1]", line=line)
        return None
    if not math.isfinite(score):
        problems.error("L3", quoted(text), "a number in [0, 1]", line=line)
        return None
    if not 0 <= score <= 1:
        hint = " (looks like per cent: divide by 100)" if 1 < score <= 100 else ""
        problems.error("S2", quoted(text) + hint, "a number in [0, 1]", line=line)
        return None
    return score
