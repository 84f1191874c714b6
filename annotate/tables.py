"""Tables of pages: columns and cells shaped in Python, drawn by elements/table.html."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.template.defaultfilters import date, floatformat
from django.utils.html import format_html, format_html_join
from django.utils.timezone import localtime

NONE: Final = format_html('<span class="none">{}</span>', "–")


@dataclass(frozen=True, slots=True)
class Column:
    words: str
    is_number: bool = False
    sorts: bool = True


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: ``words`` are linked to ``href``, and followed by ``small`` print or a badge."""

    words: str
    href: str = ""
    # The link's accessible name.
    label: str = ""
    small: str = ""
    badge: str = ""
    is_number: bool = False
    is_heading: bool = False
    # A CSS class.
    kind: str = ""
    # The value that the column is sorted by, if it is not the words.
    value: str | None = None

    @property
    def classes(self) -> str:
        return " ".join(filter(None, ("number" if self.is_number else "", self.kind)))


@dataclass(frozen=True, slots=True)
class Table:
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    # The rows that a filter above the table names (filter.js); "" without a filter.
    filters: str = ""
    # Accessible name, which also lets the keyboard scroll the table.
    label: str = ""

    @property
    def sorts(self) -> bool:
        return any(column.sorts for column in self.columns)


def number(
    value: float | None,
    decimals: int = 0,
    *,
    unit: str = "",
    href: str = "",
    small: str = "",
    badge: str = "",
) -> Cell:
    """Return the cell of a number; a dash if it is None."""
    if value is None:
        return Cell(NONE, is_number=True)
    words = format_html("{}{}", floatformat(value, decimals), unit)
    exact = f"{value:.4f}" if unit else None
    return Cell(words, href, small=small, badge=badge, is_number=True, value=exact)


def plain_number(value: float | None, decimals: int, *, sign: str = "") -> Cell:
    """Return the cell of a number; an undefined one sorts like the others."""
    words = "–" if value is None else f"{sign}{floatformat(value, decimals)}"
    return Cell(words, is_number=True)


def moment(at: datetime) -> Cell:
    words = date(localtime(at), "Y-m-d H:i T")
    shown = format_html('<time datetime="{}">{}</time>', date(at, "c"), words)
    return Cell(shown, value=date(at, "U"))


def badges(words: Iterable[str]) -> Cell:
    """Return the cell of marks; a dash without any."""
    marks = format_html_join(
        " ", '<span class="badge badge--warning">{}</span>', ((one,) for one in words)
    )
    return Cell(marks or NONE)
