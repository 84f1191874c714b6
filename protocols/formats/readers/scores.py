"""Per-image scores computed by other programs, as CSV or JSON.

CSV has a line for each image and method, ``image,method,recall,precision``; without the column
``method`` the file belongs to one method. JSON is a list of such rows as objects, or ``{"method":
{"image": {"recall": ..., "precision": ...}}}``, or, for one method, ``{"image": {"recall": ...,
"precision": ...}}``. Fractions are in [0, 1]; an empty cell, a dash or null is an undefined score.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, Literal

from protocols.core.errors import ProtocolError
from text_rankings.base.counts import counted

from ..containers import checked
from ..containers.documents import Document, json_of, storable, text_of
from ..containers.files import Source, first_bytes, read_whole, source_name
from ..problems import PASSED_OVER, Problem, Problems, quoted
from .separated import Row, rows_of

COLUMNS: Final = ("image", "method", "recall", "precision")
# Unit of the numbers; None asks the user if they exceed 1.
Unit = Literal["fraction", "per cent"]
_MAX_BYTES: Final = 256 * 1024 * 1024
_MAX_NAME: Final = 200
_UNDEFINED: Final = ("", "-", "–")
_SCORES: Final = ("recall", "precision")
_LAYOUT: Final = (
    '[{"image", "method", "recall", "precision"} …] or {method: {image: {"recall", "precision"}}}'
)


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A method's score on an image, fractions in [0, 1]; None is undefined.

    ``line`` is the line in a CSV file, or the number of the row (from 1) in JSON.
    """

    image: str
    method: str
    recall: float | None
    precision: float | None
    line: int


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The scores of a file, and all faults."""

    name: str
    rows: tuple[ScoreRow, ...]
    problems: tuple[Problem, ...]
    format: str = "csv"


class NotWritable(ProtocolError, ValueError):
    """Scores that cannot be written; the message names the row."""


def read_scores(
    source: Source,
    *,
    name: str | None = None,
    method: str | None = None,
    unit: Unit | None = "fraction",
) -> ScoreTable:
    """Read scores; faults become problems of the returned table.

    A byte order mark, CRLF, semicolons and tabs are accepted; other columns are skipped with a
    warning. ``name`` is the name of the file in messages, ``method`` that of the method if the file
    does not name it. A unit of None means fractions, unless a number is above 1 and none above 100,
    which gives a question (S2): ask the user, and read again with the answer.
    """
    problems = Problems(source_name(source, name))
    is_json = first_bytes(source, 64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
    format = "json" if is_json else "csv"
    content = read_whole(source, problems, _MAX_BYTES, "a CSV or JSON file")
    rows: tuple[ScoreRow, ...] = ()
    if content is not None:
        document = Document(None, problems.archive, content, problems)
        reader = _Reader(problems, method, unit)
        if is_json:
            with problems.catching(None):
                data = json_of(document, unique=True)
                rows = tuple(reader.rows(_given_in(data, problems)))
        elif b"\0" in content and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
            problems.error("A1", "a binary file", "a CSV or JSON file")
        else:
            rows = tuple(reader.rows(reader.lines(text_of(document))))
        reader.report()
    return ScoreTable(problems.archive, rows, tuple(problems.found), format)


@dataclass(frozen=True, slots=True)
class _Given:
    """A row before its values are checked; ``method`` is None if the file does not name it."""

    image: Any
    method: Any
    scores: Mapping[str, Any]
    number: int
    text: str | None


class _Reader:
    """Checker of rows, which converts them to numbers."""

    def __init__(self, problems: Problems, method: str | None, unit: Unit | None) -> None:
        self._problems = problems
        self._method = method
        self._unit = unit
        self._n_percent = 0
        self._first_percent = ""

    def lines(self, text: str) -> Iterator[_Given]:
        """Yield the rows of a CSV file below its header."""
        header: list[str] | None = None
        for row in rows_of(text, self._problems, None):
            if isinstance(row, Row):
                cells = {name: cell.strip() for name, cell in row.cells.items()}
                scores = {name: cells[name] for name in _SCORES}
                method = cells.get("method", self._method)
                yield _Given(cells["image"], method, scores, row.line, row.text)
                continue
            header = row
            missing = [
                column
                for column in COLUMNS
                if column not in header and (column != "method" or self._method is None)
            ]
            if missing:
                self._lacks(missing)
                return
            others = [name for name in header if name not in COLUMNS and name]
            if others:
                found = f"further columns: {quoted(', '.join(others))}"
                self._problems.warning("L1", found, ",".join(COLUMNS), line=1, action=PASSED_OVER)
        if header is None:
            self._lacks(list(COLUMNS))

    def _lacks(self, columns: list[str]) -> None:
        found = f"a header without {', '.join(columns)}"
        self._problems.error("L1", found, ",".join(COLUMNS), line=1)

    def rows(self, given: Iterable[_Given]) -> Iterator[ScoreRow]:
        seen: dict[tuple[str, str], int] = {}
        for row in given:
            before = sum(self._problems.counts.values()), self._n_percent
            method = self._method if row.method is None else row.method
            image = self._name(row.image, "an image", row)
            method = self._name(method, "a method", row)
            if image is None or method is None:
                continue
            if (image, method) in seen:
                self._problems.error(
                    "N3",
                    f"{image}, {method} again (first in line {seen[image, method]})",
                    "one",
                    line=row.number,
                    text=row.text,
                )
                continue
            seen[image, method] = row.number
            recall, precision = (self._score(row, name) for name in _SCORES)
            if (sum(self._problems.counts.values()), self._n_percent) == before:
                yield ScoreRow(image, method, recall, precision, row.number)

    def _name(self, value: Any, what: str, row: _Given) -> str | None:
        if isinstance(value, str) and value.strip() and len(value) <= _MAX_NAME:
            return storable(value.strip())
        if value is None or (isinstance(value, str) and not value.strip()):
            found = "a line without image or method"
            self._problems.error("S3", found, "both named", line=row.number, text=row.text)
        else:
            self._problems.error(
                "L2", f"{checked.shown(value)} as {what}", "a name", line=row.number, text=row.text
            )
        return None

    def _score(self, row: _Given, name: str) -> float | None:
        value = row.scores.get(name)
        score = _number(value)
        wanted = "a number in [0, 1]" if self._unit != "per cent" else "a number in [0, 100]"
        if score is None:
            return None
        if isinstance(score, str):
            self._tell(score, value, wanted, row)
            return None
        if self._unit == "per cent":
            score /= 100
        if 0 <= score <= 1:
            return score
        if self._unit is None and 1 < score <= 100:
            self._first_percent = self._first_percent or checked.shown(value)
            self._n_percent += 1
            return None
        hint = ""
        if self._unit == "fraction" and 1 < score <= 100:
            hint = " (looks like a percentage: divide by 100)"
        self._tell("S2", value, wanted, row, hint)
        return None

    def _tell(self, code: str, value: Any, wanted: str, row: _Given, hint: str = "") -> None:
        at = -1 if row.text is None or not isinstance(value, str) else row.text.rfind(value)
        span = None if at < 0 else (at, at + len(str(value)))
        self._problems.error(
            code, checked.shown(value) + hint, wanted, line=row.number, text=row.text, span=span
        )

    def report(self) -> None:
        """Ask the questions about the whole file."""
        if self._n_percent:
            found = f"{counted(self._n_percent, 'score')} above 1, as {self._first_percent}"
            expected = "numbers in [0, 1]; these look like percentages: are they?"
            self._problems.question("S2", found, expected)


def _number(value: Any) -> float | str | None:
    """Return a number, None if it is undefined, or the code of its fault."""
    if value is None or (isinstance(value, str) and value.strip() in _UNDEFINED):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return "L2"
    try:
        if isinstance(value, str) and ("_" in value or len(value) > _MAX_NAME):
            return "L2"
        score = float(value)
    except ValueError:
        return "L2"
    except OverflowError:
        return "L3"
    return score if math.isfinite(score) else "L3"


def _given_in(data: Any, problems: Problems) -> Iterator[_Given]:
    """Yield the rows of JSON data, in whichever layout."""
    if isinstance(data, list):
        for number, row in enumerate(data, 1):
            if isinstance(row, dict):
                yield _Given(row.get("image"), row.get("method"), row, number, None)
            else:
                problems.error("L1", checked.shown(row), _LAYOUT, line=number)
        return
    if not isinstance(data, dict):
        problems.error("A1", "something else", _LAYOUT)
        return
    number = 0
    for outer, inner in data.items():
        if not isinstance(inner, dict):
            problems.error("L1", f"{checked.shown(inner)} for {quoted(outer)}", _LAYOUT)
        elif inner and not any(isinstance(of, dict) for of in inner.values()):
            number += 1
            yield _Given(outer, None, inner, number, None)
        else:
            for image, scores in inner.items():
                number += 1
                if isinstance(scores, dict):
                    yield _Given(image, outer, scores, number, None)
                else:
                    problems.error("L1", f"{checked.shown(scores)} for {quoted(image)}", _LAYOUT)


def write_scores(stream: BinaryIO, rows: Iterable[ScoreRow]) -> None:
    """Write scores as a JSON list that read_scores reads back with exactly the same numbers.

    Raises NotWritable if a name or number could not be read back; the message names the row.
    """
    stream.write(b"[")
    for at, row in enumerate(rows):
        data = {name: getattr(row, name) for name in COLUMNS}
        if any(
            not name or name != storable(name.strip()) or len(name) > _MAX_NAME
            for name in (row.image, row.method)
        ):
            raise NotWritable(f"row {at} has a name that cannot be written: {data}")
        if any(score is not None and not 0 <= score <= 1 for score in (row.recall, row.precision)):
            raise NotWritable(f"row {at} has a score outside [0, 1]: {data}")
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
        stream.write(f"{',' if at else ''}\n{text}".encode())
    stream.write(b"\n]\n")
