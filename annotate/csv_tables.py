"""Rows as CSV: lists and objects are cells of JSON, undefined values are empty."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeVar

_ROWS_AT_A_TIME: Final = 200
Row = Mapping[str, Any]
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: str = ""
    meaning: str = ""


def as_csv(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[str]:
    """Yield a CSV in pieces."""
    names = [column.name for column in columns]
    lines = ([_cell(row[name]) for name in names] for row in rows)
    for some in some_at_a_time(_with_first(names, lines), _ROWS_AT_A_TIME):
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows(some)
        yield stream.getvalue()


def _with_first(first: list[str], others: Iterable[list[str]]) -> Iterator[list[str]]:
    yield first
    yield from others


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        # Spreadsheets run cells that start like this as formulas.
        return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
    return as_json_text(value)


def as_json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def some_at_a_time(values: Iterable[_Value], n: int) -> Iterator[list[_Value]]:
    """Yield lists of up to n values."""
    iterator = iter(values)
    while some := list(islice(iterator, n)):
        yield some
