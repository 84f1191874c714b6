"""Figures as their page shows them: texts, numbers as text, and the addresses of their files."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Final

from django.core.serializers.json import DjangoJSONEncoder
from django.http import QueryDict
from django.urls import reverse

from annotate.languages import in_decimals
from rankings.analysis.detector_verdicts import beside_figures, preferred
from rankings.elicitation.log import CRITERIA

from .building import NO_FILES, build, can_write
from .data import FigureData
from .figure import Cell, Figure
from .files import FORMATS
from .kinds import NAMES, participants
from .parts import drawing
from .themes import ON_PAGES, ON_SCREEN, WIDTHS_MM, Paper
from .words import titled

# figure, file name extension, paper -> address
AddressOf = Callable[[Figure, str, Paper], str]
# Parts of drawings, each part before those that contain it, as {"part": its number}; the last is the
# Vega-Lite specification by "wide" or "narrow". static/js/figures/page.js draws it.
Drawings = Sequence[Any]
# Number of characters above which a part is sent once.
_LONG: Final = 40


@dataclass(frozen=True)
class ShownFigure(Figure):
    """A figure as templates/reports/figure.html needs it, its numbers as text."""

    # Without the criterion, which the page states.
    short_title: str
    drawings: Drawings | None
    # (width in mm, [(label, address)])
    downloads: list[tuple[int, list[tuple[str, str]]]]
    # Shown in place of downloads.
    no_files: ClassVar = NO_FILES

    @property
    def alt(self) -> str:
        return f"{self.title}. {self.summary}"


def shown_figures(
    data: FigureData, query: QueryDict, names: Sequence[str] = NAMES
) -> list[ShownFigure]:
    """Return figures for a page; their files have the settings of ``query``, the page's own.

    The flow of participants is left out of the page of a study without entrances.
    """
    address = _Addresses(data, query).file
    return [
        shown(figure, address)
        for figure in build(data, names).values()
        if figure.name != participants.NAME or not figure.is_empty
    ]


def shown_figure(name: str, data: FigureData, query: QueryDict) -> ShownFigure:
    """Return one figure for a page."""
    [figure] = shown_figures(data, query, [name])
    return figure


def criteria_links(query: QueryDict) -> Iterator[tuple[str, str]]:
    """Yield each criterion and the query that shows it under the same settings."""
    for criterion in CRITERIA:
        changed = query.copy()
        changed["criterion"] = criterion
        yield criterion, changed.urlencode()


class _Addresses:
    """The addresses of files with the settings of the page that shows them."""

    def __init__(self, data: FigureData, query: QueryDict) -> None:
        self._settings = query.copy()
        # Each file has its own theme, width and language.
        for name in ("theme", "width", "language", "whole"):
            self._settings.pop(name, None)
        self._settings["criterion"] = data.criterion
        self._of = [data.study.slug, data.kept.pk] if data.kept else [data.study.slug]
        self._view = "figures:kept_figure" if data.kept else "figures:figure"

    def file(self, figure: Figure, extension: str, paper: Paper) -> str:
        query = self._settings.copy()
        query.update({"theme": paper.theme_name, "width": paper.width_name})
        path = reverse(self._view, args=[*self._of, figure.name, extension])
        return f"{path}?{query.urlencode()}"


def shown(figure: Figure, file: AddressOf) -> ShownFigure:
    """Return a figure with its drawings and the addresses of its files."""
    texts = tuple(tuple(map(_cell, row)) for row in figure.rows)
    short_title = figure.title
    for criterion in CRITERIA:
        short_title = short_title.removesuffix(titled("", criterion))
    return ShownFigure(
        **{**vars(figure), "rows": texts},
        short_title=short_title,
        drawings=None if figure.is_empty else drawings(figure),
        downloads=_downloads(figure, file) if can_write() and not figure.is_empty else [],
    )


def drawings(figure: Figure, wide: str = ON_PAGES) -> Drawings:
    """Return the drawings of a figure that is not empty; ``wide`` is the paper of large windows."""
    widths = {"wide": wide, "narrow": "single"}
    # JSON -> the part's number
    numbers: dict[str, int] = {}

    def shortened(part: Any) -> Any:
        """Return the part, or its number if it is long: most parts occur in both widths."""
        if isinstance(part, float):
            return float(f"{part:.6g}")
        if isinstance(part, dict):
            part = {key: shortened(value) for key, value in part.items()}
        elif isinstance(part, list | tuple):
            part = [shortened(value) for value in part]
        text = json.dumps(part, cls=DjangoJSONEncoder)
        return {"part": numbers.setdefault(text, len(numbers))} if len(text) > _LONG else part

    whole = {size: drawing(figure, Paper(ON_SCREEN, width)) for size, width in widths.items()}
    last = {size: shortened(spec) for size, spec in whole.items()}
    return [*map(json.loads, numbers), last]


def _downloads(figure: Figure, file: AddressOf) -> list[tuple[int, list[tuple[str, str]]]]:
    return [
        (
            millimetres,
            [
                (file_format.label, file(figure, extension, Paper("light", width)))
                for extension, file_format in FORMATS.items()
            ],
        )
        for width, millimetres in WIDTHS_MM.items()
    ]


def _cell(value: Cell) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return in_decimals(value, 3).rstrip("0").rstrip(".,")
    return value.isoformat() if isinstance(value, date) else str(value)


@dataclass(frozen=True, slots=True)
class Preferred:
    """The sentence on people's preferences between the detectors, and further sentences."""

    headline: str
    sentences: Sequence[str]


def preferred_of(criterion: str, detectors: Mapping[str, Any]) -> Preferred | None:
    """Return the sentences by one criterion; None without a ranking, or in older kept reports.

    ``detectors`` is the criterion's :class:`.CriterionDetectors` as JSON, or its preferences alone.
    """
    if "preferences" not in detectors:
        return None
    found = detectors["preferences"]
    said = preferred(criterion, found)
    return Preferred(said, beside_figures(found)) if said else None
