"""A figure: its texts, its numbers as a table, and its drawing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from .themes import Paper

# A Vega-Lite specification or a part of one, as in the documentation of Vega-Lite.
Spec = dict[str, Any]
Cell = str | int | float | date | None
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Figure:
    """A figure: its texts, the numbers behind it, and a function that draws it.

    ``caption`` says what the marks mean, ``summary`` describes it for readers who cannot see it,
    ``notes`` are limits and cautions. ``draw`` is a module-level function with its numbers, so that
    figures can be cached (see building.py); None if there is nothing to draw: the notes say why.
    """

    name: str
    title: str
    caption: str
    summary: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    # Of equal figures from a cache, the functions differ.
    draw: Callable[[Paper], Spec] | None = field(compare=False)

    @property
    def is_empty(self) -> bool:
        return self.draw is None


def without_drawing(name: str, title: str, columns: Sequence[str], reason: str) -> Figure:
    """Return a figure that states which data are missing."""
    return Figure(name, title, "", reason, tuple(columns), (), (reason,), None)
