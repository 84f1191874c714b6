"""A figure: its words, its numbers as a table, and how it is drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from .themes import Paper

# A Vega-Lite specification or a part of one, as its documentation writes it.
Spec = dict[str, Any]
Cell = str | int | float | date | None
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Figure:
    """A figure: words, the numbers behind it, and how to draw it.

    Attributes
    ----------
    caption : str
        Meaning of the marks, for the caption in a paper.
    summary : str
        Description for readers who cannot see it.
    notes : tuple of str
        Limits of the figure, and cautions for its readers.
    draw : callable or None
        A function of a module with its numbers, such that a figure can be kept (see building.py).
        None: there is nothing to draw, and the notes say why.
    """

    name: str
    title: str
    caption: str
    summary: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    draw: Callable[[Paper], Spec] | None

    @property
    def is_empty(self) -> bool:
        return self.draw is None


def without_drawing(name: str, title: str, columns: Sequence[str], reason: str) -> Figure:
    """Return a figure that says which data are missing."""
    return Figure(name, title, "", reason, tuple(columns), (), (reason,), None)
