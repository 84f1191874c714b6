"""View models of the report pages: rows with their intervals, and the images behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any
from urllib.parse import quote

from django.template.defaultfilters import floatformat
from django.utils.html import format_html
from django.utils.safestring import SafeString

from rankings.analysis_tables import tables_of
from rankings.orders import to_text
from rankings.report import CriterionReport, Report, Row
from rankings.resampling import FEW_IMAGES
from rankings.table_parts import Table
from rankings.verdict_tables import has_few_images

_MAX_IMAGES_SHOWN = 250
_AGAINST = {
    "recall": "Rankings by recall against the protocols' recall R",
    "precision": "Rankings by precision against the protocols' precision P",
    "preference": "Rankings by preference against the protocols' F‑score",
}


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row and how sure it is; limits and cluster are None where there are none."""

    row: Row
    low: float | None
    high: float | None
    cluster: int | None
    # Two protocols share a letter where they are not told apart; "" in older reports.
    letters: str


@dataclass(frozen=True, slots=True)
class ShownWarning:
    """A sentinel and all protocols that lie farther from people."""

    sentinel: str
    score: float
    protocols: Sequence[str]


@dataclass(frozen=True, slots=True)
class ShownPerson:
    """The human baseline, and how sure it is; older reports, which call it a ceiling, have no limits."""

    score: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ImageLinks:
    """The addresses of a study's images under one report's settings."""

    # That of an image without its name, which comes before the last slash.
    before: str
    query: str

    def to(self, image: str, criterion: str) -> SafeString:
        address = f"{self.before}{quote(image)}/?criterion={criterion}&{self.query}"
        return format_html('<a href="{}">{}</a>', address, image)


@dataclass(frozen=True, slots=True)
class ShownTable:
    """One criterion of a report."""

    criterion: str
    against: str
    table: CriterionReport
    rows: Sequence[ShownRow]
    # image, consensus, and the distance of each row's protocol, for the first images
    images: Sequence[tuple[str, str, list[float]]]
    warnings: Sequence["ShownWarning"]
    person: ShownPerson | None
    # The number of images that an interval needs, where there are too few; else None.
    needs_images: int | None = None
    # Why protocols are not compared with each other; "" where they are.
    untested: str = ""
    # None: images are not linked.
    links: ImageLinks | None = None

    @property
    def title(self) -> str:
        return self.criterion.capitalize()

    @property
    def image_rows(self) -> list[SafeString]:
        """The images' rows: of thousands of cells few differ, and each is written once."""
        occurring = {distance for _, _, distances in self.images for distance in distances}
        cell = {
            distance: format_html('<td class="number">{}</td>', floatformat(distance, 1))
            for distance in occurring
        }
        return [
            format_html(
                '<tr><th scope="row">{}</th><td>{}</td>{}</tr>',
                self.links.to(image, self.criterion) if self.links else image,
                consensus,
                format_html("{}" * len(distances), *map(cell.__getitem__, distances)),
            )
            for image, consensus, distances in self.images
        ]


def shown_tables(
    report: Report, analysis: Mapping[str, Any], links: ImageLinks | None = None
) -> list[ShownTable]:
    """Return every criterion; ``analysis`` is that of the report's JSON, or empty without one."""
    return [
        replace(_shown(criterion, table, analysis.get(criterion)), links=links)
        for criterion, table in report.criteria.items()
    ]


@dataclass(frozen=True, slots=True)
class ShownAround:
    """A table around Best / Worst / Score, and its rows as cells."""

    table: Table
    rows: Sequence[SafeString]


def shown_around(data: Mapping[str, Any]) -> list[ShownAround]:
    """Return every table that has a row.

    Cells are written here and not in the template, because pairs of protocols make thousands of them.
    """
    return [ShownAround(table, _rows_of(table)) for table in tables_of(data)]


def _rows_of(table: Table) -> list[SafeString]:
    cells = "".join(
        '<td class="number">{}</td>' if column.is_number else "<td>{}</td>"
        for column in table.columns
    )
    return [format_html(cells, *(text for text, _ in row)) for row in table.shown]


def _shown(criterion: str, table: CriterionReport, around: Mapping[str, Any] | None) -> ShownTable:
    has_intervals = around is not None and not has_few_images(around)
    intervals = (
        {row["protocol"]: row for row in around["intervals"]["scores"]}
        if around and has_intervals
        else {}
    )
    rows = [
        ShownRow(
            row,
            intervals.get(row.protocol, {}).get("low"),
            intervals.get(row.protocol, {}).get("high"),
            around["clusters"][row.protocol] if around else None,
            around.get("letters", {}).get(row.protocol) or "" if around else "",
        )
        for row in table.rows
    ]
    return ShownTable(
        criterion,
        _AGAINST.get(criterion, ""),
        table,
        rows,
        _images_behind(table),
        _by_sentinel(around["warnings"]) if around else [],
        _person(around, has_intervals) if around else None,
        FEW_IMAGES if around and not has_intervals else None,
        (around.get("comparisons", {}).get("reason") or "") if around else "",
    )


def _person(around: Mapping[str, Any], has_intervals: bool) -> ShownPerson | None:
    person = around["human_baseline"] if "human_baseline" in around else around["ceiling"]
    if person["score"] is None:
        return None
    limits = (person.get("low"), person.get("high")) if has_intervals else (None, None)
    return ShownPerson(person["score"], *limits)


def _by_sentinel(warnings: Sequence[Mapping[str, Any]]) -> list[ShownWarning]:
    """Gather warnings of single protocols: a list of dozens would not be read."""
    by_sentinel: dict[str, ShownWarning] = {}
    for warning in warnings:
        empty = ShownWarning(warning["sentinel"], warning["sentinel_score"], [])
        gathered = by_sentinel.setdefault(warning["sentinel"], empty)
        by_sentinel[warning["sentinel"]] = replace(
            gathered, protocols=[*gathered.protocols, warning["protocol"]]
        )
    return list(by_sentinel.values())


def _images_behind(table: CriterionReport) -> list[tuple[str, str, list[float]]]:
    protocols = [row.protocol for row in table.rows]
    return [
        (image, to_text(table.consensus[image]), [distances[name] for name in protocols])
        for image, distances in islice(table.distances.items(), _MAX_IMAGES_SHOWN)
    ]
