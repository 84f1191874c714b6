"""View models of the report pages: tables around the main one, settings and facts."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from annotate.languages import in_decimals, numeral
from rankings.agreement.report import Report, report_from_json
from rankings.agreement.settings import Declared, Settings, as_text, declared_settings
from rankings.output.analysis_tables import tables_of
from rankings.output.pair_tables import pair_tables
from rankings.output.table import CRITERION, PROTOCOL, Column, Table

from .comparison import compared
from .models import KeptReport

# Name of a protocol or baseline -> address of the images behind its numbers.
AddressOf = Callable[[str], str]
# Height limit of a table shown among others.
_MOST_ROWS: Final = 30
_LOW: Final = re.compile(r"\blow\b", re.IGNORECASE)
# Heading of a low limit -> heading of the column that has both limits.
_INTERVALS = {
    "Low": gettext_lazy("95 %"),
    "Low, methods too": gettext_lazy("95 %, methods too"),
    "Low, pairs": gettext_lazy("95 %, pairs"),
}


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
    return urlencode({name: as_text(value) for name, value in asdict(settings).items()})


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
        (gettext(declared.words), _said(declared, given[name]))
        for name, declared in declared_settings().items()
    ]


def _said(declared: Declared, value: Any) -> str:
    words = declared.said(value)
    return gettext(words) if value in declared.choices else numeral(words)


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


@dataclass(frozen=True)
class ShownPairs:
    """Results of pairs, for a page."""

    rests: Sequence[str]
    left_out: Sequence[Mapping[str, Any]]
    tables: Sequence[ShownAround]


def shown_pairs(data: Mapping[str, Any] | None) -> ShownPairs | None:
    """Return a report's section about pairs, or None if it has none."""
    if data is None:
        return None
    criteria = data["criteria"]
    first = next(iter(criteria.values()))
    left_out = first["left_out"]
    tables = [of_all_criteria(table) for table in pair_tables(data)]
    return ShownPairs(_rests(first, data["seconds"]), left_out, tables)


def _rests(own: Mapping[str, Any], seconds: Mapping[str, float | None]) -> list[str]:
    n_whole = own["n_rankings"]
    if n_whole:
        rest = _(
            "Best, Worst, Score and everything that needs a consensus or an edit distance are "
            "based on whole rankings only: {n}."
        ).format(n=n_whole)
        losses = _(
            "The losses are based on {visits} with drawn methods and on the {rankings}: {pairs} on "
            "{images} by {annotators}."
        )
    else:
        rest = _(
            "There are no whole rankings, so there is no Best, Worst and Score, no consensus and no edit "
            "distance."
        )
        losses = _(
            "The losses are based on {visits} with drawn methods: {pairs} on {images} by {annotators}."
        )
    n_images, n_annotators = own["n_images"], own["n_annotators"]
    counts = {
        "visits": ngettext("{n} visit", "{n} visits", own["n_visits"]),
        "rankings": ngettext("{n} whole ranking", "{n} whole rankings", n_whole),
        "pairs": ngettext("{n} pair", "{n} pairs", own["n_pairs"]),
        "images": ngettext("{n} image", "{n} images", n_images),
        "annotators": ngettext("{n} annotator", "{n} annotators", n_annotators),
    }
    numbers = (own["n_visits"], n_whole, own["n_pairs"], n_images, n_annotators)
    counted = {
        what: words.format(n=numeral(f"{n:,}"))
        for (what, words), n in zip(counts.items(), numbers, strict=True)
    }
    return [
        rest,
        losses.format(**counted),
        *_skips(own),
        *_times(seconds["drawn"], seconds["whole"]),
    ]


def _skips(own: Mapping[str, Any]) -> list[str]:
    """Return sentences about losses to skipped pairs."""
    skipped = own["skipped"]
    n_visits, n_rankings = skipped["n_visits"], skipped["n_rankings"]
    if not n_visits + n_rankings:
        return []
    sentences = []
    if n_visits:
        n_all = n_visits + own["n_visits"]
        words = ngettext(
            "{n} of {all} visits is missing, because a pair in it was skipped.",
            "{n} of {all} visits are missing, because pairs in them were skipped.",
            n_visits,
        )
        sentences.append(words.format(n=numeral(f"{n_visits:,}"), all=numeral(f"{n_all:,}")))
    if n_rankings:
        n_all = n_rankings + own["n_rankings"]
        words = ngettext(
            "{n} of {all} whole rankings is missing, because a pair in it was skipped.",
            "{n} of {all} whole rankings are missing, because pairs in them were skipped.",
            n_rankings,
        )
        sentences.append(words.format(n=numeral(f"{n_rankings:,}"), all=numeral(f"{n_all:,}")))
    if n_kept := skipped["n_kept"]:
        words = ngettext(
            "The other answers of {n} of these count in the losses.",
            "The other answers of {n} of these count in the losses.",
            n_kept,
        )
        sentences.append(words.format(n=numeral(f"{n_kept:,}")))
    sentences.append(
        _(
            "Pairs that look alike are skipped most, so this can move every loss: the limits in "
            "the tables show by how much at most."
        )
    )
    return [" ".join(sentences)]


def _times(drawn: float | None, whole: float | None) -> list[str]:
    if drawn is None:
        return []
    if whole is None:
        words = _("An answer took {drawn} s in a visit (median).")
    else:
        words = _("An answer took {drawn} s in a visit (median), {whole} s in a whole ranking.")
    return [words.format(drawn=in_decimals(drawn, 1), whole=in_decimals(whole or 0, 1))]


def since_kept(kept: KeptReport | None, report: Report) -> str:
    """Return how many numbers of the tables differ from those of a kept report; "" without one."""
    if kept is None:
        return ""
    cells = compared(report_from_json(kept.data), report)
    words = _("Since report {number} of {day}, {n} of {total} numbers of the tables have changed.")
    n = sum(cell.before != cell.after for cell in cells)
    return words.format(number=kept.pk, day=f"{kept.created:%Y-%m-%d}", n=n, total=len(cells))
