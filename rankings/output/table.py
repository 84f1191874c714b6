"""A table of an analysis: columns, rows, and cells as they are shown."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..agreement.main_table import MEASURES
from ..rounding import in_decimals, p_value

Cell = str | float | int | bool | None
Row = tuple[Cell, ...]
# Data that to_json returns, or a part of them.
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column's head; ``digits`` None for text and counts, else decimals shown."""

    name: str = ""
    is_number: bool = False
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a note for its reader."""

    slug: str
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def shown(self) -> list[list[str]]:
        """Every cell as it is shown."""
        return [
            [_shown(cell, column) for cell, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]


def number(name: str, digits: int | None = 2) -> Column:
    """Return a column of numbers; None shows as many decimals as they have."""
    return Column(name, True, digits)


def main_columns() -> tuple[Column, ...]:
    """Return the columns of the main table; its rows are :attr:`.Row.cells`."""
    return (PROTOCOL, *(number(measure.heading, measure.decimals) for measure in MEASURES))


def count(name: str) -> Column:
    """Return a column of whole numbers."""
    return Column(name, True)


CRITERION: Final = Column("Criterion")
PROTOCOL: Final = Column("Protocol")
_P_VALUES: Final = ("p", "p, adjusted", "p, people", "p, protocol")
_LISTED: Final = json.loads(Path(__file__).with_name("tables.json").read_text(encoding="utf-8"))


def listed(
    slug: str,
    rows: Iterable[Row],
    *more: str,
    columns: Collection[Column] = (),
    without: Collection[str] = (),
    **values: str,
) -> Table:
    """Return a table with the title, note and columns that tables.json has for its slug.

    There a column of text is its name, a column of numbers a list of its name and its decimals, and
    a count a list of its name alone. ``more`` are sentences after the note, ``without`` the columns
    that these rows do not have, ``values`` those of the note's placeholders.
    """
    of = _LISTED[slug]
    note = of["note"] if isinstance(of["note"], list) else [of["note"]]
    said = [sentence.format(**values) if values else sentence for sentence in note]
    own = [
        Column(one) if isinstance(one, str) else number(*one) if len(one) > 1 else count(*one)
        for one in of["columns"]
    ]
    shown = [column for column in own if column.name not in without]
    title = of["title"]
    return Table(slug, title, " ".join([*said, *more]), (*shown, *columns), tuple(rows))


class PValue(float):
    """A p-value among other numbers of its column; it is shown as in a column of its own."""

    __slots__ = ()


def of_criteria(
    criteria: Mapping[str, Any], rows: Callable[[Any], Iterable[Row]]
) -> tuple[Row, ...]:
    """Return the rows that ``rows`` makes of every criterion's data, with the criterion first."""
    return tuple((criterion, *row) for criterion, own in criteria.items() for row in rows(own))


def of_each(data: Data, rows: Callable[[Data], Iterable[Row]]) -> tuple[Row, ...]:
    """Return the rows of every criterion of :meth:`.Analysis.to_json` that has an image."""
    has_images = {
        criterion: around
        for criterion, around in data["analysis"].items()
        if around["intervals"]["n_images"]
    }
    return of_criteria(has_images, rows)


def picked(of: Iterable[Data], *names: str) -> Iterator[tuple[Any, ...]]:
    """Return, for each mapping, a tuple of its values for these names."""
    return (tuple(one[name] for name in names) for one in of)


def with_rows(*tables: Table) -> list[Table]:
    """Return the tables that have a row."""
    return [table for table in tables if table.rows]


def as_columns(table: Table) -> str:
    """Return a table in columns of plain text under its title and note."""
    rows = [[column.name for column in table.columns], *table.shown]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    kinds = [column.is_number for column in table.columns]
    lines = [
        "  ".join(
            text.rjust(width) if is_number else text.ljust(width)
            for text, width, is_number in zip(row, widths, kinds, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join([table.title, table.note, "", *lines, ""])


def _shown(cell: Cell, column: Column) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if column == CRITERION:
        return str(cell)
    if isinstance(cell, str) or column.digits is None:
        return str(cell)
    if isinstance(cell, PValue) or column.name in _P_VALUES:
        return p_value(cell)
    return in_decimals(cell, column.digits)
