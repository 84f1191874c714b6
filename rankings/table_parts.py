"""A table around Best / Worst / Score: columns, rows, and cells as they are shown."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Cell = str | float | int | bool | None
# The data that to_json of an Analysis returns.
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column's head; ``digits`` None for text and counts, else decimals shown."""

    name: str
    is_number: bool = False
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a note for its reader."""

    slug: str
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def shown(self) -> list[list[tuple[str, bool]]]:
        """Every cell as it is shown, and whether it is a number."""
        return [
            [
                (_shown(cell, column), column.is_number)
                for cell, column in zip(row, self.columns, strict=True)
            ]
            for row in self.rows
        ]


def number(name: str, digits: int | None = 2) -> Column:
    return Column(name, True, digits)


def count(name: str) -> Column:
    return Column(name, True)


CRITERION: Final = Column("Criterion")
PROTOCOL: Final = Column("Protocol")
# A p-value never is 0.
ADJUSTED: Final = "p, adjusted"
_P_VALUES: Final = (ADJUSTED, "p", "p, Wilcoxon and Holm")


def of_each(
    data: Data, rows: Callable[[Mapping[str, Any]], Iterator[tuple[Cell, ...]]]
) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (criterion, *row)
        for criterion, around in data["analysis"].items()
        # Without an image there is nothing to say.
        if around["intervals"]["n_images"]
        for row in rows(around)
    )


def _shown(cell: Cell, column: Column) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, str) or column.digits is None:
        return str(cell)
    smallest = 10**-column.digits
    if column.name in _P_VALUES and cell < smallest:
        return f"< {smallest:.3f}"
    # No minus before a zero.
    return f"{round(cell, column.digits) + 0.0:.{column.digits}f}"
