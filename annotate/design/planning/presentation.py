"""Presentation of a plan: the designs with all people, the map, and links to set up a study."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotate.datasets.models import Dataset
from annotate.figures.figure import Figure
from annotate.figures.presentation import ShownFigure, shown
from annotate.figures.themes import Paper
from annotate.tables import Cell, Column, Table
from rankings.design.kinds import kinds_table
from rankings.design.pilots import USUAL_METHODS
from rankings.design.study_plans import ASKED, Choice, Plan
from rankings.design.trials import Trial
from rankings.elicitation.strategies import Way

from .services import settings_of


@dataclass(frozen=True)
class ShownChoice:
    """A design of a plan, and the address that sets up a study with it."""

    choice: Choice
    asked: str
    sharing: str
    mark: str
    address: str


def panel(
    found: Plan,
    path: str,
    strategy: Way,
    *,
    is_enlarged: bool = False,
    in_hours: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the context of a plan's panel; ``path`` is the page to send a design's settings to."""
    wider = found.within_reach
    return {
        "plan": found,
        "cheapest": _shown(found.cheapest, path, strategy) if found.cheapest else None,
        "advised": _shown(found.advised, path, strategy) if found.advised else None,
        "wider": None if wider is None else round(100 * wider, 1),
        "is_enlarged": is_enlarged,
        "in_hours": in_hours,
        "share": f"{100 * found.question.share:g}",
        "unlucky": None if found.unlucky is None else f"{100 * found.unlucky:.0f}",
    }


def shown_trial(trial: Trial | None) -> dict[str, str] | None:
    """Return the numbers of a trial in percent."""
    if trial is None:
        return None
    percents = {name: number_format(100 * value, 1) for name, value in asdict(trial).items()}
    return percents | {"n_studies": number_format(trial.n_studies)}


def choices_with_all(found: Plan, path: str, strategy: Way) -> list[ShownChoice]:
    """Return the designs that use all people: those that fit first, then by hours."""
    rows = [one for one in found.choices if one.n_annotators == found.question.people]
    rows.sort(key=lambda one: (not one.fits, one.hours is None, one.hours or 0.0))
    return [_shown(one, path, strategy) for one in rows]


def kinds_of(found: Plan) -> tuple[Table, str]:
    """Return pairs and wrong pairs of a ranking by kind of people, and a note."""
    table = kinds_table(round(found.pilot.methods or USUAL_METHODS))
    columns = [Column(one.name, is_number=one.is_number) for one in table.columns]
    rows = [
        [Cell(row[0], is_heading=True), *(Cell(text, is_number=True) for text in row[1:])]
        for row in table.shown
    ]
    return Table(columns, rows, label=table.title), table.note


def differences_of(found: Plan) -> tuple[str, str, str] | None:
    """Return the least, largest and median difference of the pilot's protocols, pairs in 100."""
    values = found.pilot.differences
    if not values:
        return None
    least, most, middle = (
        number_format(f"{100 * value:.1f}") for value in (values[0], values[-1], median(values))
    )
    return least, most, middle


def _shown(choice: Choice, path: str, strategy: Way) -> ShownChoice:
    separator = "&" if "?" in path else "?"
    address = f"{path}{separator}{urlencode(settings_of(choice, strategy))}"
    return ShownChoice(
        choice, ASKED[choice.asking], choice.sharing, ", ".join(_marks(choice)), address
    )


def _marks(choice: Choice) -> Iterator[str]:
    if choice.n_images is None:
        yield _("too few people")
    elif not choice.fits:
        yield _("too few images")
    if choice.is_cheapest:
        yield _("cheapest")
    if choice.is_advised:
        yield _("advised")


def shown_map(figure: Figure, dataset: Dataset, query: QueryDict) -> ShownFigure:
    """Return the map of a plan; the addresses of its files contain the page's question.

    Its notes are omitted, because the page shows them above it.
    """

    def address(figure: Figure, extension: str, paper: Paper) -> str:
        asked = query.copy()
        asked["theme"], asked["width"] = paper.theme_name, paper.width_name
        path = reverse("planning:map", args=[dataset.slug, extension])
        return f"{path}?{asked.urlencode()}"

    return shown(figure if figure.is_empty else replace(figure, notes=()), address)
