"""Figures as their page shows them: texts, numbers as text, and the addresses of their files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import get_language

from rankings.elicitation.log import CRITERIA
from rankings.rounding import in_decimals

from .building import Sizes, build, sizes
from .data import FigureData
from .figure import Cell, Figure
from .files import FORMATS
from .kinds import NAMES
from .parts import ENGLISH
from .themes import ON_PAGES, THEMES, WIDTHS_MM, Paper
from .words import titled

# figure, file name extension, paper -> address
AddressOf = Callable[[Figure, str, Paper], str]


@dataclass(frozen=True)
class Picture:
    """The addresses of one theme's drawings, with their sizes in CSS pixels if known."""

    theme: str
    wide: str
    wide_size: tuple[int, int] | None
    narrow: str
    narrow_size: tuple[int, int] | None


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
    # Without the criterion, which the page states.
    short_title: str
    pictures: list[Picture]
    # (width in mm, [(label, address)])
    downloads: list[tuple[int, list[tuple[str, str]]]]


def shown_figures(
    data: FigureData, query: QueryDict, names: Sequence[str] = NAMES
) -> list[ShownFigure]:
    """Return figures for a page; their files have the settings of ``query``, the page's own.

    Nothing is drawn until a browser requests it, so some sizes are unknown.
    """
    addresses = _Addresses(data, query)
    figures = build(data, names)
    sizes_of = sizes(data, figures.values(), may_draw=False)
    return [shown(figure, addresses.file, sizes_of.get(name)) for name, figure in figures.items()]


def shown_figure(name: str, data: FigureData, query: QueryDict) -> ShownFigure:
    """Return one figure for a page."""
    figure = build(data, [name])[name]
    return shown(figure, _Addresses(data, query).file, sizes(data, [figure]).get(name))


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
        for name in ("theme", "width", "language"):
            self._settings.pop(name, None)
        self._settings["criterion"] = data.criterion
        self._of = [data.study.slug, data.kept.pk] if data.kept else [data.study.slug]
        self._view = "figures:kept_figure" if data.kept else "figures:figure"

    def file(self, figure: Figure, extension: str, paper: Paper) -> str:
        query = self._settings.copy()
        query.update({"theme": paper.theme_name, "width": paper.width_name})
        path = reverse(self._view, args=[*self._of, figure.name, extension])
        return f"{path}?{query.urlencode()}"


def shown(figure: Figure, file: AddressOf, sizes_px: Sizes | None) -> ShownFigure:
    """Return a figure with the addresses of its files; sizes are None if it has no drawing."""
    return ShownFigure(
        name=figure.name,
        title=figure.title,
        caption=figure.caption,
        alt=f"{figure.title}. {figure.summary}",
        notes=figure.notes,
        is_empty=figure.is_empty,
        columns=figure.columns,
        rows=[[_cell(value) for value in row] for row in figure.rows],
        short_title=_without_criterion(figure.title),
        pictures=[] if sizes_px is None else _pictures(figure, file, sizes_px),
        downloads=[] if figure.is_empty else _downloads(figure, file),
    )


def _without_criterion(title: str) -> str:
    for criterion in CRITERIA:
        title = title.removesuffix(titled("", criterion))
    return title


def in_language(address: str) -> str:
    """Return the address of a drawing in the reader's language; English needs no parameter."""
    language = get_language() or ENGLISH
    if language == ENGLISH:
        return address
    return f"{address}{'&' if '?' in address else '?'}language={language}"


def _pictures(figure: Figure, file: AddressOf, sizes_px: Sizes) -> list[Picture]:
    return [
        Picture(
            theme,
            in_language(file(figure, "svg", Paper(theme, ON_PAGES))),
            sizes_px[ON_PAGES],
            in_language(file(figure, "svg", Paper(theme, "single"))),
            sizes_px["single"],
        )
        for theme in THEMES
    ]


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
