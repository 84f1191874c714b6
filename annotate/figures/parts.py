"""Parts that drawings share: the look of axes and text, fitting to a paper, a matrix of cells."""

from collections.abc import Mapping, Sequence

import altair as alt

from .figure import Cell, Figure
from .numbers import Matrix
from .papers import Paper, text_width_pt

# What Altair says that layers with a size are.
Layers = alt.LayerChart | alt.FacetChart


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
    words = (
        alt.Chart(data_of([{}]))
        .mark_text(align="left", baseline="top", lineHeight=11, color=paper.theme.ink)
        .encode(text=alt.value(lines), x=alt.value(0), y=alt.value(0))
        .properties(width=paper.width_pt - 12, height=11 * len(lines))
    )
    return finished(paper, words, padding=6)


def data_of(rows: Sequence[Mapping[str, Cell]]) -> alt.Data:
    """Return the rows as data that stand in the chart that uses them."""
    return alt.Data(values=list(rows))  # type: ignore[no-untyped-call]  # Altair leaves it untyped


def fitted(paper: Paper, chart: alt.Chart | Layers, *, height_pt: float) -> alt.TopLevelMixin:
    """Return the chart with axes and labels inside the width of the paper."""
    sized = chart.properties(
        width=paper.width_pt,
        height=height_pt,
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
    )
    return finished(paper, sized)


def finished(
    paper: Paper, chart: alt.Chart | Layers | alt.ConcatChart, *, padding: float = 3
) -> alt.TopLevelMixin:
    """Return the chart with the colours and the font of the paper."""
    configured: alt.TopLevelMixin = chart.configure(
        font=paper.font,
        padding=padding,
        # The file paints the ground, also where a drawing is narrower than its paper.
        background="transparent",
        view=alt.ViewConfig(stroke=None),
        # See-through marks differ in print, and make a PDF of parts in no fixed order.
        mark=alt.MarkConfig(opacity=1),
        axis=_axes(paper),
        legend=alt.LegendConfig(
            labelFont=paper.font,
            titleFont=paper.font,
            titleFontWeight="normal",
            labelFontSize=7,
            titleFontSize=7.5,
            labelColor=paper.theme.ink,
            titleColor=paper.theme.ink,
            titlePadding=3,
        ),
        text=alt.MarkConfig(font=paper.font, fontSize=7, fontWeight="normal"),
    )
    return configured


def _axes(paper: Paper) -> alt.AxisConfig:
    colours = paper.theme
    return alt.AxisConfig(
        labelFont=paper.font,
        titleFont=paper.font,
        titleFontWeight="normal",
        labelFontSize=7,
        titleFontSize=7.5,
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
    )


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
    heads, rows = _heads(names)
    labels = label_width(paper, rows)
    size = min(26.0, (paper.width_pt - labels - 10) / len(names))
    side = size * len(names)
    has_numbers = size >= 15
    values: list[dict[str, Cell]] = [
        {
            "row": rows[at],
            "column": heads[to],
            "value": value,
            "text": "–" if value is None else f"{value:.{digits}f}",
            "ink": paper.theme.ink_on(0.0 if value is None else value / top),
        }
        for at, row in enumerate(matrix)
        for to, value in enumerate(row)
    ]
    base = alt.Chart(data_of(values)).encode(
        x=alt.X("column:N", sort=heads, title=None, axis=_heads_axis(size)),
        y=alt.Y("row:N", sort=rows, title=None, axis=names_axis(labels)),
    )
    cells = base.mark_rect(stroke=paper.theme.ground, strokeWidth=1).encode(
        color=alt.Color(
            "value:Q",
            scale=alt.Scale(domain=[0, top], range=list(paper.theme.ramp), interpolate="rgb"),
            legend=None if has_numbers else _key(legend, side),
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
    square = alt.layer(*layers).resolve_scale(color="independent")
    return finished(paper, square.properties(width=side, height=side))


def _heads(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return what stands above the columns and before the rows.

    Long names would have to be turned to stand above columns, so there they are numbered.
    """
    if max(map(len, names)) <= 3:
        return list(names), list(names)
    numbers = [str(at) for at in range(1, len(names) + 1)]
    return numbers, [f"{number}  {name}" for number, name in zip(numbers, names, strict=True)]


def _heads_axis(size: float) -> alt.Axis:
    return alt.Axis(
        orient="top",
        labelAngle=0,
        labelFontSize=min(7.0, 0.62 * size),
        domain=False,
        ticks=False,
        grid=False,
    )


def _key(title: str, side: float) -> alt.Legend:
    return alt.Legend(
        orient="bottom",
        title=title,
        direction="horizontal",
        gradientLength=min(side, 90),
        gradientThickness=6,
        tickCount=3,
    )
