"""View models of the report pages: rows with their intervals, and the images behind them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy

from annotate.languages import numeral
from rankings.agreement.baselines import A_PERSON
from rankings.agreement.report import ALL_TIED, CriterionReport, Report, Row, Settings
from rankings.analysis.verdicts import place_of_person
from rankings.inference.resampling import FEW_IMAGES
from rankings.orders.buckets import to_text
from rankings.output.analysis_tables import tables_of
from rankings.output.table import CRITERION, PROTOCOL, Column, Table
from rankings.output.verdict_tables import distances_to_people, has_few_images

# (value in the address, words)
DISTANCES = [
    ("edit", gettext_lazy("ranking edit distance")),
    ("kemeny", gettext_lazy("Kemeny distance")),
]
CONSENSUSES = [
    ("mean-rank", gettext_lazy("mean rank")),
    ("kemeny", gettext_lazy("Kemeny (the nearest of all rankings)")),
]
CONSENSUS_WORDS = dict(CONSENSUSES)
# Name of a protocol or baseline -> address of the images behind its numbers.
AddressOf = Callable[[str], str]
# Height limit of a table shown among others.
_MOST_ROWS: Final = 30
_LOW: Final = re.compile(r"\blow\b", re.IGNORECASE)
_AGAINST = {
    "recall": gettext_lazy("Rankings by recall against the protocols' recall R"),
    "precision": gettext_lazy("Rankings by precision against the protocols' precision P"),
    "preference": gettext_lazy("Rankings by preference against the protocols' F‑score"),
}
# Heading of a low limit -> heading of the column that has both limits.
_INTERVALS = {
    "Low": gettext_lazy("95 %"),
    "Low, methods too": gettext_lazy("95 %, methods too"),
    "Low, pairs": gettext_lazy("95 %, pairs"),
}
# Facts that are names.
_NAMES: Final = {"study", "dataset", "methods"}
# Most images that a page lists as left out.
_MOST_LEFT_OUT: Final = 200


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row with its uncertainty; limits and cluster are None if undefined."""

    row: Row
    low: float | None
    high: float | None
    cluster: int | None
    # Two protocols share a letter if they do not differ significantly; "" without a test.
    letters: str
    kemeny: float | None
    agreed: float | None
    # Mean distance to single annotators with its limits; empty without a test.
    to_annotators: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownWarning:
    """A sentinel and all protocols that lie farther from people."""

    sentinel: str
    score: float
    protocols: Sequence[str]


@dataclass(frozen=True, slots=True)
class ShownBaseline:
    """A row below the protocols; only that of a person has limits, and a place in the clusters."""

    name: str
    kind: str
    score: float | None
    kemeny: float | None = None
    agreed: float | None = None
    low: float | None = None
    high: float | None = None
    place: str | None = None

    @property
    def is_person(self) -> bool:
        return self.name == A_PERSON


@dataclass(frozen=True, slots=True)
class ImageLinks:
    """The addresses of a study's images under one report's settings."""

    # The address of an image without its name, which follows the last slash.
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
    warnings: Sequence["ShownWarning"]
    baselines: Sequence[ShownBaseline]
    # Whether to show Kemeny distance and agreed pairs next to the Score.
    has_measures: bool = False
    # The number of images that an interval needs, if there are too few; else None.
    needs_images: int | None = None
    # None: images are not linked.
    links: ImageLinks | None = None
    # The page with the other tables; "" on that page.
    page: str = ""

    @property
    def has_means(self) -> bool:
        """Whether the rows have distances to single annotators, by which they are ordered."""
        return any(row.to_annotators for row in self.rows)

    @property
    def differs_by_score(self) -> bool:
        """Whether the Scores have another order than the rows."""
        scores = [one.row.score for one in self.rows if one.row.score is not None]
        return scores != sorted(scores)

    @property
    def title(self) -> str:
        return gettext(self.criterion).capitalize()

    @property
    def left_out(self) -> list[tuple[str, str]]:
        """The first images that do not count, and why."""
        first = self.table.left_out[:_MOST_LEFT_OUT]
        return [(image, reason) for image, reason in first]

    @property
    def images(self) -> list[tuple[str, str, list[float]]]:
        """Image, consensus, and the distance of each row and baseline; none without a protocol."""
        if not self.table.rows:
            return []
        names = [row.protocol for row in (*self.table.rows, *self.table.baselines)]
        return [
            (image, to_text(self.table.consensus[image]), [distances[name] for name in names])
            for image, distances in self.table.distances.items()
        ]

    def image_rows(self, images: Sequence[tuple[str, str, list[float]]]) -> list[SafeString]:
        """Return rows of images; each distinct cell is rendered once, as thousands are alike."""
        occurring = {distance for _, _, distances in images for distance in distances}
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
            for image, consensus, distances in images
        ]


def shown_tables(
    report: Report, analysis: Mapping[str, Any], links: ImageLinks | None = None
) -> list[ShownTable]:
    """Return every criterion; ``analysis`` is that of the report's JSON, or empty without one."""
    return [
        replace(shown_table(criterion, table, analysis.get(criterion)), links=links)
        for criterion, table in report.criteria.items()
    ]


@dataclass(frozen=True, slots=True)
class ShownAround:
    """A table around Best / Worst / Score, and its rows as cells."""

    table: Table
    rows: Sequence[SafeString]

    @property
    def is_long(self) -> bool:
        """Whether the table scrolls in a box of its own."""
        return len(self.rows) > _MOST_ROWS


def settings_query(settings: Settings) -> str:
    """Return a report's settings as a query string."""
    texts = {name: "none" if value is None else value for name, value in asdict(settings).items()}
    return urlencode(texts)


def images_behind(slug: str, criterion: str, settings: Settings) -> AddressOf:
    """Return a function from a protocol or baseline to the address of its images by distance."""
    page = reverse("evidence:disagreement", args=[slug])
    others = settings_query(settings)

    def address_of(name: str) -> str:
        return f"{page}?{urlencode({'criterion': criterion, 'protocol': name})}&{others}"

    return address_of


def shown_around(
    data: Mapping[str, Any], criterion: str, address_of: AddressOf | None = None
) -> dict[str, ShownAround]:
    """Return, by slug, every table that has a row of the criterion or covers all criteria."""
    tables = (of_criterion(table, criterion, address_of) for table in tables_of(data))
    return {shown.table.slug: shown for shown in tables if shown is not None}


def of_criterion(
    table: Table, criterion: str, address_of: AddressOf | None = None
) -> ShownAround | None:
    """Return the rows of one criterion without its column, low and high limits in one cell.

    None if there is no row. ``address_of`` gives the links of protocol names.
    """
    has_criteria = table.columns[0] == CRITERION
    rows = [row for row in table.rows if not has_criteria or row[0] == criterion]
    if not rows:
        return None
    first = 1 if has_criteria else 0
    own = replace(
        table, columns=table.columns[first:], rows=tuple(tuple(row[first:]) for row in rows)
    )
    columns, texts = _with_intervals(own.columns, own.shown)
    cells = [row_of(row, columns, address_of) for row in texts]
    return ShownAround(replace(own, columns=tuple(columns)), cells)


def of_all_criteria(table: Table) -> ShownAround:
    """Return a table unchanged, with the criterion as a column."""
    return ShownAround(table, [row_of(row, table.columns) for row in table.shown])


def facts_shown(header: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return a report's header facts in the reader's language; they are stored in English."""
    return [(gettext(name), value) for name, value in header.items()]


def _with_intervals(
    columns: Sequence[Column], rows: Sequence[Sequence[str]]
) -> tuple[list[Column], list[list[str]]]:
    """Return the table with each low and high limit in one column."""
    is_low = [_LOW.search(column.name) is not None for column in columns]
    kept = [at for at in range(len(columns)) if not (at and is_low[at - 1])]

    def cell(texts: Sequence[str], at: int) -> str:
        if not is_low[at]:
            return texts[at]
        if texts[at] == "–":
            return "–"
        return gettext("{low} to {high}").format(low=texts[at], high=texts[at + 1])

    def head(at: int) -> Column:
        # "Low, methods too" names its population; "Values, low" follows the column it belongs to.
        return Column(str(_INTERVALS.get(columns[at].name, _INTERVALS["Low"])), True)

    return (
        [head(at) if is_low[at] else columns[at] for at in kept],
        [[cell(texts, at) for at in kept] for texts in rows],
    )


def said_of_settings(settings: Settings) -> list[tuple[str, str]]:
    """Return a report's settings in words: the label of a choice, otherwise the value."""
    given = asdict(settings)
    return [
        (gettext("Distance"), dict(DISTANCES).get(given["distance"], given["distance"])),
        (gettext("Consensus"), CONSENSUS_WORDS.get(given["consensus"], given["consensus"])),
        (
            gettext("Decimals of the scores"),
            gettext("not rounded") if given["decimals"] is None else str(given["decimals"]),
        ),
        (gettext("Beta of the F-score"), numeral(f"{given['beta']:g}")),
        (gettext("Annotators per image, at least"), str(given["min_annotators"])),
    ]


def row_of(
    texts: Sequence[str], columns: Sequence[Column], address_of: AddressOf | None = None
) -> SafeString:
    """Return the cells of a row as HTML; not a template, because pairs make thousands of rows."""
    cells = []
    for text, column in zip(texts, columns, strict=True):
        name = text
        if column == PROTOCOL and address_of is not None:
            cells.append(
                format_html('<th scope="row"><a href="{}">{}</a></th>', address_of(text), name)
            )
        elif column == PROTOCOL:
            cells.append(format_html('<th scope="row">{}</th>', name))
        elif column.is_number:
            cells.append(format_html('<td class="number">{}</td>', text))
        else:
            cells.append(format_html("<td>{}</td>", text))
    return format_html("{}" * len(cells), *cells)


def shown_table(
    criterion: str, table: CriterionReport, around: Mapping[str, Any] | None
) -> ShownTable:
    """Return one criterion; ``around`` is its analysis as JSON, or None."""
    has_intervals = around is not None and not has_few_images(around)
    intervals = (
        {row["protocol"]: row for row in around["intervals"]["scores"]}
        if around and has_intervals
        else {}
    )
    measures = {row["protocol"]: row for row in around["measures"]} if around else {}
    of_people = distances_to_people(around) if around else {}
    place = {name: at for at, name in enumerate(of_people)}
    rows = [
        ShownRow(
            row,
            intervals.get(row.protocol, {}).get("low"),
            intervals.get(row.protocol, {}).get("high"),
            around["clusters"][row.protocol] if around else None,
            around["letters"].get(row.protocol) or "" if around else "",
            measures.get(row.protocol, {}).get("kemeny_distance"),
            measures.get(row.protocol, {}).get("pairwise_accuracy"),
            of_people.get(row.protocol, ()),
        )
        for row in sorted(table.rows, key=lambda row: place.get(row.protocol, 0))
    ]
    return ShownTable(
        criterion,
        str(_AGAINST.get(criterion, "")),
        table,
        rows,
        _by_sentinel(around["warnings"]) if around else [],
        _baselines(table, around, has_intervals),
        bool(measures),
        FEW_IMAGES if around and not has_intervals else None,
    )


def _baselines(
    table: CriterionReport, around: Mapping[str, Any] | None, has_intervals: bool
) -> list[ShownBaseline]:
    measures = {row["baseline"]: row for row in around["baselines"]} if around else {}

    def measured(name: str) -> tuple[float | None, float | None]:
        row = measures.get(name, {})
        return row.get("kemeny_distance"), row.get("pairwise_accuracy")

    rows = [
        ShownBaseline(row.protocol, gettext("baseline"), row.score, *measured(row.protocol))
        for row in table.baselines
    ]
    if around:
        person = around["human_baseline"]
        low, high = (person["low"], person["high"]) if has_intervals else (None, None)
        if person["score"] is not None:
            rows.append(
                ShownBaseline(
                    A_PERSON,
                    gettext("human baseline"),
                    person["score"],
                    *measured(A_PERSON),
                    low=low,
                    high=high,
                    place=place_of_person(around),
                )
            )
    return rows


def _by_sentinel(warnings: Sequence[Mapping[str, Any]]) -> list[ShownWarning]:
    """Group the warnings by sentinel, because a list of dozens would not be read.

    The verdicts already cover the ranking that ties all.
    """
    by_sentinel: dict[str, ShownWarning] = {}
    for warning in warnings:
        if warning["sentinel"] == ALL_TIED:
            continue
        empty = ShownWarning(warning["sentinel"], warning["sentinel_score"], [])
        gathered = by_sentinel.setdefault(warning["sentinel"], empty)
        by_sentinel[warning["sentinel"]] = replace(
            gathered, protocols=[*gathered.protocols, warning["protocol"]]
        )
    return list(by_sentinel.values())
