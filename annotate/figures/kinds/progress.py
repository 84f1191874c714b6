"""The number of rankings completed on each day."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

import altair as alt

from ..data import FigureData, completed_per_day, noted_as_live
from ..figure import Cell, Figure, Row, without_drawing
from ..papers import Paper
from ..parts import data_of, fitted
from ..words import counted

_A_DAY: Final = timedelta(days=1)


def figure_of(data: FigureData) -> Figure:
    return noted_as_live(progress_over_time(completed_per_day(data.study)), data)


def progress_over_time(days: Sequence[tuple[date, int]]) -> Figure:
    """Return how many rankings were completed on each day; days without any are left out."""
    title = "Complete rankings per day"
    columns = ("Day", "Complete rankings", "In total")
    if not days:
        reason = "No image has been ranked completely yet."
        return without_drawing("progress", title, columns, reason)
    order = sorted(days)
    rows: list[Row] = []
    total = 0
    for day, n in order:
        total += n
        rows.append((day, n, total))
    busiest = max(order, key=lambda item: item[1])
    notes = ("All on one day.",) if len(order) == 1 else ()
    return Figure(
        name="progress",
        title=title,
        caption="Rankings completed on each day (UTC), over all images and annotators.",
        summary=(
            f"Bar chart of {counted(len(order), 'day')} from {order[0][0]} to {order[-1][0]}: "
            f"{counted(total, 'complete ranking')}, most on {busiest[0]} ({busiest[1]})."
        ),
        columns=columns,
        rows=tuple(rows),
        notes=notes,
        draw=lambda paper: _days(paper, order),
    )


def _days(paper: Paper, days: Sequence[tuple[date, int]]) -> alt.TopLevelMixin:
    first, last = days[0][0], days[-1][0]
    # A few days alone would be bars as broad as the page.
    short = max(0, 7 - ((last - first).days + 1))
    start, end = first - (short // 2) * _A_DAY, last + (short - short // 2 + 1) * _A_DAY
    n_days = (end - start).days
    inset = 0.12 if n_days <= 60 else 0.0
    values: list[dict[str, Cell]] = [
        {
            "day": f"{day:%Y-%m-%d}",
            "rankings": n,
            "start": _milliseconds(day) + inset * 86_400_000,
            "end": _milliseconds(day) + (1 - inset) * 86_400_000,
        }
        for day, n in days
    ]
    bars = (
        alt.Chart(data_of(values))
        .mark_bar(color=paper.theme.mark)
        .encode(
            x=alt.X(
                "start:T",
                title=None,
                scale=alt.Scale(type="utc", domain=[_milliseconds(start), _milliseconds(end)]),
                axis=_days_axis([day for day, _ in days], n_days),
            ),
            x2="end:T",
            y=alt.Y(
                "rankings:Q",
                title="Complete rankings",
                scale=alt.Scale(domain=[0, max(n for _, n in days)], nice=True),
                axis=alt.Axis(tickMinStep=1, tickCount=4, format="d"),
            ),
            y2=alt.datum(0),
        )
    )
    return fitted(paper, bars, height_pt=130 if paper.is_wide else 110)


def _days_axis(days: Sequence[date], n_days: int) -> alt.Axis:
    if len(days) == 1:
        noon = _milliseconds(days[0]) + 43_200_000
        return alt.Axis(format="%-d %b %Y", grid=False, labelOverlap=True, values=[noon])
    day_format = "%-d %b %Y" if n_days > 300 else "%-d %b"
    return alt.Axis(format=day_format, grid=False, labelOverlap=True, tickCount=min(n_days, 6))


def _milliseconds(day: date) -> int:
    return (day - date(1970, 1, 1)).days * 86_400_000
