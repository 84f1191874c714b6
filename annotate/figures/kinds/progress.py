"""The number of rankings completed on each day."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ..data import FigureData, completed_per_day, noted_as_live
from ..figure import Figure, Row, Spec, without_drawing
from ..parts import drawn, fitted
from ..themes import Paper
from ..words import whole

_A_DAY: Final = timedelta(days=1)


def figure_of(data: FigureData) -> Figure:
    return noted_as_live(progress_over_time(completed_per_day(data.study)), data)


def progress_over_time(days: Sequence[tuple[date, int]]) -> Figure:
    """Return bars of the rankings completed on each day; days without any are omitted."""
    title = _("Complete rankings per day")
    columns = (_("Day"), _("Complete rankings"), _("In total"))
    if not days:
        reason = _("No image has been ranked completely yet.")
        return without_drawing("progress", title, columns, reason)
    order = sorted(days)
    rows: list[Row] = []
    total = 0
    for day, n in order:
        total += n
        rows.append((day, n, total))
    busiest = max(order, key=lambda item: item[1])
    notes = (_("All on one day."),) if len(order) == 1 else ()
    return Figure(
        name="progress",
        title=title,
        caption=_("Rankings completed on each day (UTC), over all images and annotators."),
        summary=(
            _(
                "Bar chart of {days} from {first} to {last}: {rankings}, most on {busiest} ({most})."
            ).format(
                days=ngettext("{n} day", "{n} days", len(order)).format(n=whole(len(order))),
                first=order[0][0],
                last=order[-1][0],
                rankings=ngettext("{n} complete ranking", "{n} complete rankings", total).format(
                    n=whole(total)
                ),
                busiest=busiest[0],
                most=whole(busiest[1]),
            )
        ),
        columns=columns,
        rows=tuple(rows),
        notes=notes,
        draw=partial(_days, days=order),
    )


def _days(paper: Paper, days: Sequence[tuple[date, int]]) -> Spec:
    first, last = days[0][0], days[-1][0]
    # With only a few days, the bars would be as wide as the page.
    short = max(0, 7 - ((last - first).days + 1))
    start, end = first - (short // 2) * _A_DAY, last + (short - short // 2 + 1) * _A_DAY
    n_days = (end - start).days
    inset = 0.12 if n_days <= 60 else 0.0
    rows = [
        {
            "day": f"{day:%Y-%m-%d}",
            "rankings": n,
            "start": _milliseconds(day) + inset * 86_400_000,
            "end": _milliseconds(day) + (1 - inset) * 86_400_000,
        }
        for day, n in days
    ]
    chart = drawn(
        "progress",
        paper,
        rows=rows,
        domain=[_milliseconds(start), _milliseconds(end)],
        days_axis=_days_axis([day for day, _ in days], n_days),
        title=_("Complete rankings"),
        most=max(n for _, n in days),
    )
    return fitted(paper, chart, height_pt=130 if paper.is_wide else 110)


def _days_axis(days: Sequence[date], n_days: int) -> Spec:
    shared = {"grid": False, "labelOverlap": True}
    if len(days) == 1:
        noon = _milliseconds(days[0]) + 43_200_000
        return {**shared, "format": "%-d %b %Y", "values": [noon]}
    day_format = "%-d %b %Y" if n_days > 300 else "%-d %b"
    return {**shared, "format": day_format, "tickCount": min(n_days, 6)}


def _milliseconds(day: date) -> int:
    return (day - date(1970, 1, 1)).days * 86_400_000
