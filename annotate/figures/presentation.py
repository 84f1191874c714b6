"""Figures as their page shows them: words, numbers as text, and the addresses of their files."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from django.http import QueryDict
from django.urls import reverse

from rankings.elicitation import CRITERIA

from .building import Sizes, build, sizes
from .data import FigureData
from .figure import Cell, Figure
from .files import FORMATS
from .kinds import NAMES
from .papers import THEMES, WIDTHS_MM, Paper


@dataclass(frozen=True)
class Picture:
    """The addresses of one theme's drawings, with their sizes in CSS pixels."""

    theme: str
    wide: str
    wide_size: tuple[int, int]
    narrow: str
    narrow_size: tuple[int, int]


@dataclass(frozen=True)
class ShownFigure:
    """A figure as templates/reports/figure.html needs it."""

    name: str
    title: str
    caption: str
    alt: str
    notes: tuple[str, ...]
    is_empty: bool
    columns: tuple[str, ...]
    rows: list[list[str]]
    pictures: list[Picture]
    # (width in mm, [(label, address)])
    downloads: list[tuple[int, list[tuple[str, str]]]]


def shown_figures(data: FigureData, query: QueryDict) -> list[ShownFigure]:
    """Return all figures for a page; ``query`` is the page's, whose settings its files share."""
    addresses = _Addresses(data, query)
    figures = build(data, NAMES)
    sizes_of = sizes(data, figures.values())
    return [_shown(figure, addresses, sizes_of.get(name)) for name, figure in figures.items()]


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
        # How a file is drawn is its own.
        for name in ("theme", "width"):
            self._settings.pop(name, None)
        self._settings["criterion"] = data.criterion
        self._of = [data.study.slug, data.kept.pk] if data.kept else [data.study.slug]
        self._view = "figures:kept_figure" if data.kept else "figures:figure"

    def file(self, figure: Figure, extension: str, paper: Paper) -> str:
        query = self._settings.copy()
        query.update({"theme": paper.theme_name, "width": paper.width_name})
        path = reverse(self._view, args=[*self._of, figure.name, extension])
        return f"{path}?{query.urlencode()}"


def _shown(figure: Figure, addresses: _Addresses, sizes_px: Sizes | None) -> ShownFigure:
    """Without sizes, there is nothing to draw."""
    return ShownFigure(
        name=figure.name,
        title=figure.title,
        caption=figure.caption,
        alt=f"{figure.title}. {figure.summary}",
        notes=figure.notes,
        is_empty=figure.is_empty,
        columns=figure.columns,
        rows=[[_cell(value) for value in row] for row in figure.rows],
        pictures=[] if sizes_px is None else _pictures(figure, addresses, sizes_px),
        downloads=[] if figure.is_empty else _downloads(figure, addresses),
    )


def _pictures(figure: Figure, addresses: _Addresses, sizes_px: Sizes) -> list[Picture]:
    return [
        Picture(
            theme,
            addresses.file(figure, "svg", Paper(theme, "double")),
            sizes_px["double"],
            addresses.file(figure, "svg", Paper(theme, "single")),
            sizes_px["single"],
        )
        for theme in THEMES
    ]


def _downloads(figure: Figure, addresses: _Addresses) -> list[tuple[int, list[tuple[str, str]]]]:
    return [
        (
            millimetres,
            [
                (file_format.label, addresses.file(figure, extension, Paper("light", width)))
                for extension, file_format in FORMATS.items()
            ],
        )
        for width, millimetres in WIDTHS_MM.items()
    ]


def _cell(value: Cell) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return value.isoformat() if isinstance(value, date) else str(value)
