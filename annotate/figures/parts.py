"""Parts that drawings share: marks and fields, the style of axes and text, a matrix of cells."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.dates import MONTHS, MONTHS_AP, WEEKDAYS, WEEKDAYS_ABBR
from django.utils.formats import get_format
from django.utils.translation import get_language

from text_rankings.base.i18n import numeral

from .figure import Cell, Figure, Spec
from .numbers import Matrix
from .themes import Paper, text_width_pt
from .words import percent_sign

# The language of files for papers, and the drawing program's default for numbers and days.
ENGLISH: Final = "en"
_SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.4.1.json"


def drawing(figure: Figure, paper: Paper) -> Spec:
    return in_words(figure, paper) if figure.draw is None else figure.draw(paper)


def in_words(figure: Figure, paper: Paper) -> Spec:
    """Return a drawing that states what is missing from the figure."""
    n_letters = int(paper.width_pt / 4.2)
    lines: list[str] = []
    for word in " ".join(figure.notes).split():
        if lines and len(lines[-1]) + 1 + len(word) <= n_letters:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    words = marks(
        "text",
        {"text": {"value": lines}, "x": {"value": 0}, "y": {"value": 0}},
        align="left",
        baseline="top",
        lineHeight=11,
        color=paper.theme.ink,
    )
    size = {"width": paper.width_pt - 12, "height": 11 * len(lines)}
    return finished(paper, {"data": data_of([{}]), **words, **size}, padding=6)


def data_of(rows: Sequence[Mapping[str, Cell]]) -> Spec:
    """Return the rows as inline data of a drawing."""
    return {"values": list(rows)}


def marks(kind: str, encoding: Spec, **look: Any) -> Spec:
    """Return one mark per row: rows set the channels of ``encoding``; ``look`` applies to all."""
    return {"mark": {"type": kind, **look}, "encoding": encoding}


def quantitative(field: str, **options: Any) -> Spec:
    return {"field": field, "type": "quantitative", **options}


def nominal(field: str, **options: Any) -> Spec:
    return {"field": field, "type": "nominal", **options}


def fitted(paper: Paper, chart: Spec, *, height_pt: float) -> Spec:
    """Return the drawing with axes and labels inside the width of the paper."""
    size = {"width": paper.width_pt, "height": height_pt}
    return finished(paper, {**chart, **size, "autosize": {"type": "fit", "contains": "padding"}})


def finished(paper: Paper, chart: Spec, *, padding: float = 3) -> Spec:
    """Return the drawing with the colours and the font of the paper."""
    look = {
        "font": paper.font,
        "padding": padding,
        # The file paints the background, even where a drawing is narrower than its paper.
        "background": "transparent",
        "view": {"stroke": None},
        # Transparent marks differ in print, and order the parts of a PDF unpredictably.
        "mark": {"opacity": 1},
        "axis": _axes(paper),
        "legend": {**_labels_and_titles(paper), "titlePadding": 3},
        "text": {"font": paper.font, "fontSize": 7, "fontWeight": "normal"},
        **_numbers_and_days(),
    }
    # Scripts scale a wider drawing down to its paper (static/js/figures/page.js).
    return {
        "$schema": _SCHEMA,
        "usermeta": {"paper": paper.width_pt},
        **chart,
        "config": look,
    }


def _numbers_and_days() -> Spec:
    """Return how axes write numbers and days in the reader's language."""
    if get_language() in {None, ENGLISH}:
        return {}
    # The drawing program's weeks start on Sunday.
    days = [(at - 1) % 7 for at in range(7)]
    number = {
        "decimal": get_format("DECIMAL_SEPARATOR"),
        "thousands": get_format("THOUSAND_SEPARATOR"),
        "grouping": [3],
        "currency": ["", ""],
        "percent": percent_sign(),
    }
    time = {
        "dateTime": "%x %X",
        "date": "%Y-%m-%d",
        "time": "%H:%M:%S",
        "periods": ["AM", "PM"],
        "days": [str(WEEKDAYS[day]) for day in days],
        "shortDays": [str(WEEKDAYS_ABBR[day]) for day in days],
        "months": [str(month) for month in MONTHS.values()],
        "shortMonths": [str(month) for month in MONTHS_AP.values()],
    }
    return {"locale": {"number": number, "time": time}}


def _labels_and_titles(paper: Paper) -> Spec:
    return {
        "labelFont": paper.font,
        "titleFont": paper.font,
        "titleFontWeight": "normal",
        "labelFontSize": 7,
        "titleFontSize": 7.5,
        "labelColor": paper.theme.ink,
        "titleColor": paper.theme.ink,
    }


def _axes(paper: Paper) -> Spec:
    return {
        **_labels_and_titles(paper),
        "titlePadding": 5,
        "domainColor": paper.theme.edge,
        "domainWidth": 0.75,
        "tickColor": paper.theme.edge,
        "tickWidth": 0.75,
        "tickSize": 3,
        "gridColor": paper.theme.line,
        "gridWidth": 0.5,
        "labelPadding": 2,
        "labelFlush": False,
    }


_WITHOUT_LINES: Final[Spec] = {"domain": False, "ticks": False, "grid": False}


def names_axis(limit_pt: float) -> Spec:
    # Browsers may render small letters wider than the drawing program measures them.
    return {**_WITHOUT_LINES, "labelLimit": limit_pt, "minExtent": limit_pt, "labelPadding": 4}


def label_width(paper: Paper, names: Sequence[str]) -> float:
    return min(max(map(text_width_pt, names)) + 4, 0.4 * paper.width_pt)


def matrix_of_cells(
    paper: Paper, names: Sequence[str], matrix: Matrix, *, top: float, digits: int, legend: str
) -> Spec:
    """Return a square of shaded cells, with numbers in them if these fit, otherwise with a key."""
    heads, rows = _heads(names)
    labels = label_width(paper, rows)
    size = min(26.0, (paper.width_pt - labels - 10) / len(names))
    side = size * len(names)
    has_numbers = size >= 15
    theme = paper.theme
    values: list[dict[str, Cell]] = [
        {
            "row": rows[at],
            "column": heads[to],
            "value": value,
            "text": "–" if value is None else numeral(f"{value:.{digits}f}"),
            "ink": theme.ink_on(0.0 if value is None else value / top),
        }
        for at, row in enumerate(matrix)
        for to, value in enumerate(row)
    ]
    shade = quantitative(
        "value",
        scale={"domain": [0, top], "range": list(theme.ramp), "interpolate": "rgb"},
        legend=None if has_numbers else _key(legend, side),
    )
    cells = marks("rect", {"color": shade}, stroke=theme.ground, strokeWidth=1)
    # A cell without a value has a colour that is not on the scale.
    blank = marks("rect", {}, fill=theme.sunken, stroke=theme.ground)
    layers = [
        {**cells, "transform": [{"filter": "isValid(datum.value)"}]},
        {**blank, "transform": [{"filter": "!isValid(datum.value)"}]},
    ]
    if has_numbers:
        words = {"text": nominal("text"), "color": nominal("ink", scale=None)}
        layers.append(marks("text", words, fontSize=6.5))
    square = {
        "data": data_of(values),
        "width": side,
        "height": side,
        "encoding": {
            "x": nominal("column", sort=heads, title=None, axis=_heads_axis(size)),
            "y": nominal("row", sort=rows, title=None, axis=names_axis(labels)),
        },
        "layer": layers,
        "resolve": {"scale": {"color": "independent"}},
    }
    return finished(paper, square)


def _heads(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the headings above the columns and before the rows.

    Long names would have to be rotated to fit above columns, so columns are numbered instead.
    """
    if max(map(len, names)) <= 3:
        return list(names), list(names)
    numbers = [str(at) for at in range(1, len(names) + 1)]
    return numbers, [f"{number}  {name}" for number, name in zip(numbers, names, strict=True)]


def _heads_axis(size: float) -> Spec:
    return {
        **_WITHOUT_LINES,
        "orient": "top",
        "labelAngle": 0,
        "labelFontSize": min(7.0, 0.62 * size),
    }


def _key(title: str, side: float) -> Spec:
    return {
        "orient": "bottom",
        "title": title,
        "direction": "horizontal",
        "gradientLength": min(side, 90),
        "gradientThickness": 6,
        "tickCount": 3,
    }
