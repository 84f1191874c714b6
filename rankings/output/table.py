"""A table around Best / Worst / Score: columns, rows, and cells as they are shown."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from text_rankings.base.i18n import gettext, gettext_noop

from ..rounding import in_decimals, p_value

Cell = str | float | int | bool | None
# The data that to_json of an Analysis returns.
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column's head; ``digits`` None for text and counts, else decimals shown.

    Its name is English, as files have it; pages show its words.
    """

    name: str = ""
    is_number: bool = False
    digits: int | None = None

    @property
    def words(self) -> str:
        return gettext(self.name) if self.name else ""


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
    """Return a column of numbers.

    Parameters
    ----------
    name : str
    digits : int or None
        Decimals that are shown; None: as many as they have.

    Examples
    --------
    >>> Table("scores", "Scores", "", (number("Score"), number("p", 3)), ((1 / 3, 0.05),)).shown
    [[('0.33', True), ('0.050', True)]]
    """
    return Column(name, True, digits)


def count(name: str) -> Column:
    """Return a column of whole numbers.

    Examples
    --------
    >>> count('Best').name
    'Best'
    """
    return Column(name, True)


CRITERION: Final = Column("Criterion")
PROTOCOL: Final = Column("Protocol")
ADJUSTED: Final = gettext_noop("p, adjusted")
P_OF_PEOPLE: Final = gettext_noop("p, people")
P_OF_PROTOCOL: Final = gettext_noop("p, protocol")
_P_VALUES: Final = (ADJUSTED, "p", "p, Wilcoxon and Holm", P_OF_PEOPLE, P_OF_PROTOCOL)


class PValue(float):
    """A p-value among other numbers of its column; it is shown as in a column of its own.

    Examples
    --------
    >>> Table("tests", "Tests", "", (number("Value", 3),), ((0.0004,), (PValue(0.0004),))).shown
    [[('0.000', True)], [('< 0.001', True)]]
    """

    __slots__ = ()


def of_each(
    data: Data, rows: Callable[[Mapping[str, Any]], Iterator[tuple[Cell, ...]]]
) -> tuple[tuple[Cell, ...], ...]:
    """Return the rows of every criterion of an analysis, each with the criterion first.

    Parameters
    ----------
    data : mapping
        :meth:`.Analysis.to_json`; a criterion without an image has no row.
    rows : callable
        Takes a criterion's analysis.

    Examples
    --------
    >>> data = {"analysis": {"recall": {"intervals": {"n_images": 3}}}}
    >>> of_each(data, lambda around: iter([("images", around["intervals"]["n_images"])]))
    (('recall', 'images', 3),)
    """
    return tuple(
        (criterion, *row)
        for criterion, around in data["analysis"].items()
        # Without an image there is nothing to say.
        if around["intervals"]["n_images"]
        for row in rows(around)
    )


def of_criteria(
    data: Data, rows: Callable[[Mapping[str, Any]], Iterator[tuple[Cell, ...]]]
) -> tuple[tuple[Cell, ...], ...]:
    """Return the rows of data that have their criteria side by side, each with the criterion first.

    Parameters
    ----------
    data : mapping
        "criteria": criterion -> what is known of it.
    rows : callable
        Takes what is known of a criterion.

    Examples
    --------
    >>> of_criteria({"criteria": {"recall": {"n_images": 3}}}, lambda own: iter([(own["n_images"],)]))
    (('recall', 3),)
    """
    return tuple(
        (criterion, *row) for criterion, own in data["criteria"].items() for row in rows(own)
    )


def as_columns(table: Table) -> str:
    """Return a table in columns of plain text under its title and note.

    Examples
    --------
    >>> table = Table("scores", "Scores", "", (PROTOCOL, number("Score")), (("iou", 1 / 3),))
    >>> as_columns(table).splitlines()[-2:]
    ['Protocol  Score', 'iou        0.33']
    """
    rows = [[column.name for column in table.columns]]
    rows += [[text for text, _ in row] for row in table.shown]
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
        return gettext("yes") if cell else gettext("no")
    if column == CRITERION:
        return gettext(str(cell))
    if isinstance(cell, str) or column.digits is None:
        return str(cell)
    if isinstance(cell, PValue) or column.name in _P_VALUES:
        return p_value(cell)
    return in_decimals(cell, column.digits)
