"""Parts that drawings share: the look of axes and text, fitting to a paper, a matrix of cells."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from .figure import Figure
from .numbers import Matrix
from .papers import Paper, text_width_pt


def drawing(figure: Figure, paper: Paper) -> alt.TopLevelMixin:
    return in_words(figure, paper) if figure.draw is None else figure.draw(paper)


def in_words(figure: Figure, paper: Paper) -> alt.TopLevelMixin:
    """Return a drawing that says what the figure cannot show."""
    n_letters = int(paper.width_pt / 4.2)
    lines: list[str] = []
    for word in " ".join(figure.notes).split():
        if lines and len(lines[-1]) + 1 + len(word) <= n_letters:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return (
        alt.Chart(alt.Data(values=[{}]))
        .mark_text(align="left", baseline="top", lineHeight=11, color=paper.theme.ink)
        .encode(text=alt.value(lines), x=alt.value(0), y=alt.value(0))
        .properties(width=paper.width_pt - 12, height=11 * len(lines))
        .configure(**config(paper, padding=6))
    )


def fitted(paper: Paper, chart: Any, *, height_pt: float) -> alt.TopLevelMixin:
    """Return the chart with axes and labels inside the width of the paper."""
    return chart.properties(
        width=paper.width_pt,
        height=height_pt,
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
    ).configure(**config(paper))


def config(paper: Paper, padding: float = 3) -> dict[str, Any]:
    colours = paper.theme
    words = {"labelFont": paper.font, "titleFont": paper.font, "titleFontWeight": "normal"}
    sizes = {"labelFontSize": 7, "titleFontSize": 7.5}
    return {
        "font": paper.font,
        "padding": padding,
        # The file paints the ground, also where a drawing is narrower than its paper.
        "background": "transparent",
        "view": alt.ViewConfig(stroke=None),
        # See-through marks differ in print, and make a PDF of parts in no fixed order.
        "mark": alt.MarkConfig(opacity=1),
        "axis": alt.AxisConfig(
            **words,
            **sizes,
            labelColor=colours.ink,
            titleColor=colours.ink,
            titlePadding=5,
            domainColor=colours.edge,
            domainWidth=0.75,
            tickColor=colours.edge,
            tickWidth=0.75,
            tickSize=3,
            gridColor=colours.line,
            gridWidth=0.5,
            labelPadding=2,
            labelFlush=False,
        ),
        "legend": alt.LegendConfig(
            **words, **sizes, labelColor=colours.ink, titleColor=colours.ink, titlePadding=3
        ),
        "text": alt.MarkConfig(font=paper.font, fontSize=7, fontWeight="normal"),
    }


def names_axis(limit_pt: float) -> alt.Axis:
    return alt.Axis(
        labelLimit=limit_pt, minExtent=0, domain=False, ticks=False, grid=False, labelPadding=4
    )


def label_width(paper: Paper, names: Sequence[str]) -> float:
    return min(max(map(text_width_pt, names)) + 4, 0.4 * paper.width_pt)


def matrix_of_cells(
    paper: Paper, names: Sequence[str], matrix: Matrix, *, top: float, digits: int, legend: str
) -> alt.TopLevelMixin:
    """Return a square of shaded cells; numbers stand in them where they fit, else there is a key."""
    # Long names would have to be turned to stand above columns: there they are numbered.
    is_short = max(map(len, names)) <= 3
    heads = list(names) if is_short else [str(at) for at in range(1, len(names) + 1)]
    numbered = (
        heads if is_short else [f"{at}  {name}" for at, name in zip(heads, names, strict=True)]
    )
    labels = label_width(paper, numbered)
    size = min(26.0, (paper.width_pt - labels - 10) / len(names))
    has_numbers = size >= 15
    values = [
        {
            "row": numbered[at],
            "column": heads[to],
            "value": value,
            "text": "–" if value is None else f"{value:.{digits}f}",
            "ink": paper.theme.ink_on(0.0 if value is None else value / top),
        }
        for at, row in enumerate(matrix)
        for to, value in enumerate(row)
    ]
    side = size * len(names)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "column:N",
            sort=heads,
            title=None,
            axis=alt.Axis(
                orient="top",
                labelAngle=0,
                labelFontSize=min(7.0, 0.62 * size),
                domain=False,
                ticks=False,
                grid=False,
            ),
        ),
        y=alt.Y("row:N", sort=numbered, title=None, axis=names_axis(labels)),
    )
    key = alt.Legend(
        orient="bottom",
        title=legend,
        direction="horizontal",
        gradientLength=min(side, 90),
        gradientThickness=6,
        tickCount=3,
    )
    cells = base.mark_rect(stroke=paper.theme.ground, strokeWidth=1).encode(
        color=alt.Color(
            "value:Q",
            scale=alt.Scale(domain=[0, top], range=list(paper.theme.ramp), interpolate="rgb"),
            legend=None if has_numbers else key,
        )
    )
    # Without a value a cell has the colour of no share.
    blank = base.mark_rect(fill=paper.theme.sunken, stroke=paper.theme.ground).transform_filter(
        "!isValid(datum.value)"
    )
    layers = [cells.transform_filter("isValid(datum.value)"), blank]
    if has_numbers:
        layers.append(
            base.mark_text(fontSize=6.5).encode(text="text:N", color=alt.Color("ink:N", scale=None))
        )
    return (
        alt.layer(*layers)
        .resolve_scale(color="independent")
        .properties(width=side, height=side)
        .configure(**config(paper))
    )
