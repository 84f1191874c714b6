"""The figure of a leaderboard: each method's official figure with its interval and letters."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from annotate.figures.figure import Figure, Spec, without_drawing
from annotate.figures.parts import (
    data_of,
    fitted,
    label_width,
    marks,
    names_axis,
    nominal,
    quantitative,
)
from annotate.figures.themes import Paper
from rankings.output.leaderboard_tables import leaderboard_table
from text_rankings.base.i18n import gettext

from .selectors import Boards

NAME = "leaderboard"


def figure_of(boards: Boards) -> Figure:
    """Return dots with intervals in the order of the deciding protocol."""
    table = leaderboard_table({boards.by: boards.board}, boards.by, boards.figure)
    title, columns = gettext(table.title), tuple(gettext(one.name) for one in table.columns)
    dots = [
        {"name": name, "letters": letters or "", "value": value, "low": low, "high": high}
        for name, letters, value, low, high in table.rows
        if value is not None
    ]
    if not dots:
        return without_drawing(NAME, title, columns, _("No method has this figure."))
    return Figure(
        name=NAME,
        title=title,
        caption=gettext(table.note),
        summary=_("{n} methods from {first} to {last} by {protocol}.").format(
            n=len(dots), first=dots[0]["name"], last=dots[-1]["name"], protocol=boards.by
        ),
        columns=columns,
        rows=table.rows,
        notes=(),
        draw=partial(_drawing, dots=dots, title=f"{boards.by}, {title}"),
    )


def _drawing(paper: Paper, dots: Sequence[dict[str, Any]], title: str) -> Spec:
    theme, names = paper.theme, [dot["name"] for dot in dots]
    y = {"y": nominal("name", sort=names, title=None, axis=names_axis(label_width(paper, names)))}
    x = quantitative("value", title=title, scale={"nice": True, "zero": False})
    limits = {"x": quantitative("low"), "x2": {"field": "high"}}
    letters = {**y, "x": {"value": "width"}, "text": nominal("letters")}
    chart = {
        "data": data_of(dots),
        "layer": [
            {
                **marks("rule", {**y, **limits}, strokeWidth=1.5, color=theme.mark),
                "transform": [{"filter": "isValid(datum.low)"}],
            },
            marks("point", {**y, "x": x}, size=26, filled=True, color=theme.mark),
            marks("text", letters, align="left", dx=3, color=theme.soft),
        ],
    }
    return fitted(paper, chart, height_pt=14 * len(dots) + 34)
