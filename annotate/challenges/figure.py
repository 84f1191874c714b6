"""The figure of a challenge: the best score of each team by date."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from django.utils.translation import gettext as _

from annotate.figures.figure import Figure, Spec, without_drawing
from annotate.figures.parts import drawn, fitted
from annotate.figures.themes import Paper

from .models import Challenge
from .selectors import PUBLIC, Reader, best_by_date

NAME: Final = "best-by-date"
# Further teams are in the table only.
_N_TEAMS: Final = 8
_HEIGHT_PT: Final = 170


def figure_of(challenge: Challenge, split: str, reader: Reader = PUBLIC) -> Figure:
    """Return steps: from each entry on, the best score that its team has."""
    title, by = _("The best score of each team by date"), challenge.names[0]
    columns = (_("Team"), _("Date"), by)
    points = best_by_date(challenge, split, reader)
    if not points:
        return without_drawing(NAME, title, columns, _("No entry has a score yet."))
    best: dict[str, float] = {}
    for team, _moment, value in points:
        best[team] = max(value, best.get(team, 0))
    teams = sorted(best, key=lambda team: -best[team])[:_N_TEAMS]
    written = [(team, f"{moment:%Y-%m-%d %H:%M}", value) for team, moment, value in points]
    dots = [
        {"team": team, "date": moment.isoformat(), "value": value}
        for team, moment, value in points
        if team in teams
    ]
    return Figure(
        name=NAME,
        title=title,
        caption=_("{by}, by time of upload (UTC); the teams with the {n} best scores.").format(
            by=by, n=len(teams)
        ),
        summary=_("{n} teams; the best is {team}.").format(n=len(best), team=teams[0]),
        columns=columns,
        rows=tuple(written),
        notes=(),
        draw=partial(_drawing, dots=dots, teams=teams, by=by),
    )


def _drawing(paper: Paper, dots: Sequence[dict[str, Any]], teams: Sequence[str], by: str) -> Spec:
    colours = [paper.theme.lines[at % len(paper.theme.lines)] for at in range(len(teams))]
    chart = drawn("best-by-date", paper, rows=dots, teams=list(teams), colours=colours, by=by)
    return fitted(paper, chart, height_pt=_HEIGHT_PT)
