"""The figure of a leaderboard: each method's official figure with its interval and letters."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from annotate.figures.figure import Figure, Spec, without_drawing
from annotate.figures.parts import drawn, fitted, label_width, names_axis
from annotate.figures.themes import Paper
from rankings.output.detector_tables import leaderboard_table

from .selectors import Boards

NAME = "leaderboard"


def figure_of(boards: Boards) -> Figure:
    """Return dots with intervals in the order of the deciding protocol."""
    table = leaderboard_table({boards.by: boards.board}, boards.by, boards.figure)
    title, columns = table.title, tuple(one.name for one in table.columns)
    dots = [
        {
            # A dot of other images than its neighbours carries their number.
            "name": name if place else f"{name} ({images})",
            "letters": letters or "",
            "value": value,
            "low": low,
            "high": high,
        }
        for name, images, place, letters, value, low, high in table.rows
        if value is not None
    ]
    if not dots:
        return without_drawing(NAME, title, columns, _("No method has this figure."))
    return Figure(
        name=NAME,
        title=title,
        caption=table.note,
        summary=_("{n} methods from {first} to {last} by {protocol}.").format(
            n=len(dots), first=dots[0]["name"], last=dots[-1]["name"], protocol=boards.by
        ),
        columns=columns,
        rows=table.rows,
        notes=(),
        draw=partial(_drawing, dots=dots, title=f"{boards.by}, {title}"),
    )


def _drawing(paper: Paper, dots: Sequence[dict[str, Any]], title: str) -> Spec:
    names = [dot["name"] for dot in dots]
    axis = names_axis(label_width(paper, names))
    chart = drawn("leaderboard", paper, rows=dots, names=names, names_axis=axis, title=title)
    return fitted(paper, chart, height_pt=14 * len(dots) + 34)
