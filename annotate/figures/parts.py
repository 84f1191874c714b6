"""Drawings from their files in drawings/, the style of axes and text, a matrix of cells."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from django.utils.dates import MONTHS, MONTHS_AP, WEEKDAYS, WEEKDAYS_ABBR
from django.utils.formats import get_format
from django.utils.translation import get_language, gettext

from annotate.languages import numeral

from .figure import Figure, Spec
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
    notes = " ".join(figure.notes)
    lines = wrap(notes, n_letters, break_long_words=False, break_on_hyphens=False)
    words = {
        "data": {"values": [{}]},
        "mark": {
            "type": "text",
            "align": "left",
            "baseline": "top",
            "lineHeight": 11,
            "color": paper.theme.ink,
        },
        "encoding": {"text": {"value": lines}, "x": {"value": 0}, "y": {"value": 0}},
    }
    size = {"width": paper.width_pt - 12, "height": 11 * len(lines)}
    return finished(paper, {**words, **size}, padding=6)


def drawn(name: str, paper: Paper, **values: Any) -> Spec:
    """Return the drawing of a file in drawings/, a Vega-Lite specification with placeholders.

    The text "$x" is replaced by the value x, or by the part of this name under "let", "$theme.ink" by
    a colour of the paper. A layer with "if" is left out if that value is false or empty. "heads" are
    not drawn.
    """
    template = _template(name)
    known = {"font": paper.font, **values}

    def filled(part: Any) -> Any:
        if isinstance(part, str) and part.startswith("$theme."):
            colour = getattr(paper.theme, part.removeprefix("$theme."))
            return colour if isinstance(colour, str) else list(colour)
        if isinstance(part, str) and part.startswith("$"):
            return known[part[1:]]
        if isinstance(part, list):
            return [filled(one) for one in part if _is_there(one)]
        if isinstance(part, dict):
            return {name: filled(one) for name, one in part.items() if name != "if"}
        return part

    def _is_there(part: Any) -> bool:
        return not isinstance(part, dict) or "if" not in part or bool(known[part["if"]])

    for name_of_part, part in template.get("let", {}).items():
        known[name_of_part] = filled(part)
    parts = {name: part for name, part in template.items() if name not in ("heads", "let")}
    chart: Spec = filled(parts)
    return chart


def heads_of(name: str) -> tuple[str, ...]:
    """Return the heads of the columns of a figure's numbers, in the reader's language."""
    return tuple(map(gettext, _template(name)["heads"]))


@cache
def _template(name: str) -> Spec:
    path = Path(__file__).with_name("drawings") / f"{name}.json"
    template: Spec = json.loads(path.read_text(encoding="utf-8"))
    return template


def fitted(paper: Paper, chart: Spec, *, height_pt: float) -> Spec:
    """Return the drawing with axes and labels inside the width of the paper."""
    size = {"width": paper.width_pt, "height": height_pt}
    return finished(paper, {**chart, **size, "autosize": {"type": "fit", "contains": "padding"}})


def finished(paper: Paper, chart: Spec, *, padding: float = 3) -> Spec:
    """Return the drawing with the colours and the font of the paper."""
    # The file paints the background, even where a drawing is narrower than its paper. Transparent
    # marks differ in print, and order the parts of a PDF unpredictably.
    look = drawn("config", paper, padding=padding)
    # Scripts scale a wider drawing down to its paper (static/js/figures/page.js).
    return {
        "$schema": _SCHEMA,
        "usermeta": {"paper": paper.width_pt},
        **chart,
        "config": look | _numbers_and_days(),
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


def names_axis(limit_pt: float) -> Spec:
    # Browsers may render small letters wider than the drawing program measures them.
    return {
        "domain": False,
        "ticks": False,
        "grid": False,
        "labelLimit": limit_pt,
        "minExtent": limit_pt,
        "labelPadding": 4,
    }


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
    cells = [
        {
            "row": rows[at],
            "column": heads[to],
            "value": value,
            "text": "–" if value is None else numeral(f"{value:.{digits}f}"),
            "ink": paper.theme.ink_on(0.0 if value is None else value / top),
        }
        for at, row in enumerate(matrix)
        for to, value in enumerate(row)
    ]
    chart = drawn(
        "matrix",
        paper,
        cells=cells,
        side=side,
        heads=heads,
        head_size=min(7.0, 0.62 * size),
        rows=rows,
        names_axis=names_axis(labels),
        top=top,
        has_numbers=has_numbers,
        key=None if has_numbers else _key(legend, side),
    )
    return finished(paper, chart)


def _heads(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the headings above the columns and before the rows.

    Long names would have to be rotated to fit above columns, so columns are numbered instead.
    """
    if max(map(len, names)) <= 3:
        return list(names), list(names)
    numbers = [str(at) for at in range(1, len(names) + 1)]
    return numbers, [f"{number}  {name}" for number, name in zip(numbers, names, strict=True)]


def _key(title: str, side: float) -> Spec:
    return {
        "orient": "bottom",
        "title": title,
        "direction": "horizontal",
        "gradientLength": min(side, 90),
        "gradientThickness": 6,
        "tickCount": 3,
    }
