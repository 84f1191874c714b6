"""A critical-difference diagram: average ranks, and bars over what is not told apart."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from rankings.resampling import distance_table
from rankings.significance import CriticalDifference, friedman_test
from rankings.significance import critical_difference as nemenyi_test

from ..data import FigureData
from ..figure import Figure, without_drawing
from ..papers import Paper, text_width_pt
from ..parts import config
from ..words import counted, listed, missing_images


def figure_of(data: FigureData) -> Figure:
    table = distance_table(data.table.distances, data.protocols)
    return critical_difference(
        nemenyi_test(table, data.protocols),
        criterion=data.criterion,
        p_value=friedman_test(table, data.protocols).p_value,
        left_out=data.table.left_out,
    )


def critical_difference(
    found: CriticalDifference,
    *,
    criterion: str = "recall",
    p_value: float | None = None,
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return a critical-difference diagram: average ranks, and bars over what is not told apart."""
    title = f"Average ranks of the protocols by {criterion}"
    columns = ("Protocol", "Average rank", "Not told apart in")
    empty = Figure("critical-difference", title, "", "", columns, (), (), None)
    protocols = [name for name, _ in found.average_ranks]
    missing = missing_images(range(found.n_images), protocols, left_out)
    if missing:
        return without_drawing(empty, missing)
    limit = found.critical_difference
    if limit is None:
        return without_drawing(empty, "One protocol has no rank among others.")
    ranks = {name: rank for name, rank in found.average_ranks if rank is not None}
    rows = tuple(
        (
            name,
            rank,
            ", ".join(f"group {at}" for at, group in enumerate(found.groups, 1) if name in group)
            or "no group",
        )
        for name, rank in ranks.items()
    )
    notes = [f"The critical difference is {limit:.2f} at level {found.alpha:g}."]
    if p_value is None:
        notes.append("Friedman's test cannot be made of these distances.")
    else:
        notes.append(f"Friedman's test that all protocols are alike: {_p_text(p_value)}.")
    if limit >= len(protocols) - 1:
        notes.append("With so few images no difference of ranks could be told from chance.")
    if len(set(ranks.values())) == 1:
        notes.append("All protocols have the same average rank.")
    first, last = protocols[0], protocols[-1]
    return Figure(
        name="critical-difference",
        title=title,
        caption=(
            f"Average rank of each protocol's distance over {counted(found.n_images, 'image')} "
            f"(1 is nearest to people). Bars join protocols that Nemenyi's test does not tell "
            f"apart; CD is its critical difference at level {found.alpha:g}."
        ),
        summary=(
            f"Critical-difference diagram of {len(protocols)} protocols, from {first} "
            f"({ranks[first]:.2f}) to {last} ({ranks[last]:.2f}); "
            + (
                "; ".join(f"not told apart: {listed(group)}" for group in found.groups)
                or "all are told apart"
            )
            + "."
        ),
        columns=columns,
        rows=rows,
        notes=tuple(notes),
        draw=lambda paper: _ranks(paper, ranks, found.groups, limit),
    )


def _ranks(
    paper: Paper, ranks: Mapping[str, float], groups: Sequence[Sequence[str]], limit: float
) -> alt.TopLevelMixin:
    """Return the diagram in points: its lines belong to no axis that Vega-Lite has."""
    n = len(ranks)
    colours = paper.theme
    longest = max(map(text_width_pt, ranks)) + 8
    margin = min(longest, 0.34 * paper.width_pt)
    unit = (paper.width_pt - 2 * margin - 8) / (n - 1)
    place = {name: margin + 4 + (rank - 1) * unit for name, rank in ranks.items()}
    axis_y, lane = 34.0, 5.0
    first_y = axis_y + 10 + lane * len(groups)
    lines: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []

    def line(x: float, y: float, x2: float, y2: float, width: float, colour: str) -> None:
        lines.append({"x": x, "y": y, "x2": x2, "y2": y2, "width": width, "colour": colour})

    def text(x: float, y: float, words: str, align: str, colour: str = colours.ink) -> None:
        texts.append({"x": x, "y": y, "text": words, "align": align, "colour": colour})

    line(margin + 4, axis_y, paper.width_pt - margin - 4, axis_y, 1, colours.ink)
    step = max(1, round(14 / unit))
    for rank in range(1, n + 1):
        x = margin + 4 + (rank - 1) * unit
        line(x, axis_y - 4, x, axis_y, 1, colours.ink)
        if (rank - 1) % step == 0:
            text(x, axis_y - 9, str(rank), "center")
    drawn = min(limit, n - 1)
    start, end = margin + 4, margin + 4 + drawn * unit
    line(start, 8, end, 8, 1, colours.soft)
    line(start, 5, start, 11, 1, colours.soft)
    if drawn == limit:
        line(end, 5, end, 11, 1, colours.soft)
    text(end + 4, 8, f"CD = {limit:.2f}", "left", colours.soft)
    for at, group in enumerate(groups):
        y = axis_y + 6 + lane * at
        ends = [place[name] for name in group]
        line(min(ends) - 2, y, max(ends) + 2, y, 3, colours.mark)
    half = (n + 1) // 2
    for at, name in enumerate(ranks):
        is_left = at < half
        y = first_y + 12 * (at if is_left else n - 1 - at)
        edge = margin if is_left else paper.width_pt - margin
        line(place[name], axis_y, place[name], y, 0.75, colours.ink)
        line(place[name], y, edge, y, 0.75, colours.ink)
        text(edge + (-3 if is_left else 3), y, name, "right" if is_left else "left")
        texts[-1] |= {"limit": margin - 4}
    height = first_y + 12 * (half - 1) + 8
    canvas_x = alt.Scale(domain=[0, paper.width_pt], range=[0, paper.width_pt], nice=False)
    canvas_y = alt.Scale(domain=[0, height], range=[0, height], nice=False)
    drawn_lines = (
        alt.Chart(alt.Data(values=lines))
        .mark_rule(strokeCap="butt", opacity=1)
        .encode(
            x=alt.X("x:Q", axis=None, scale=canvas_x),
            x2="x2:Q",
            y=alt.Y("y:Q", axis=None, scale=canvas_y),
            y2="y2:Q",
            strokeWidth=alt.StrokeWidth("width:Q", scale=None),
            color=alt.Color("colour:N", scale=None),
        )
    )
    words = [
        alt.Chart(alt.Data(values=[one for one in texts if one["align"] == align]))
        .mark_text(align=align, baseline="middle", limit=margin if align == "right" else 0)
        .encode(
            x=alt.X("x:Q", axis=None, scale=canvas_x),
            y=alt.Y("y:Q", axis=None, scale=canvas_y),
            text="text:N",
            color=alt.Color("colour:N", scale=None),
        )
        for align in ("left", "center", "right")
    ]
    return (
        alt.layer(drawn_lines, *words)
        .properties(width=paper.width_pt, height=height)
        .configure(**config(paper, padding=0))
    )


def _p_text(p_value: float) -> str:
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
