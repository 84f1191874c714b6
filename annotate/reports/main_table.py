"""The main table as pages show it: the heads of its columns, and rows of cells that may link."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote

from django.template.defaultfilters import floatformat
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from rankings.agreement.baselines import A_PERSON
from rankings.agreement.main_table import (
    MEASURES,
    Measure,
    Number,
    Row,
    further_measures,
    row_from_json,
)
from rankings.agreement.report import CriterionReport, Report
from rankings.analysis.verdicts import place_of_person
from rankings.analysis.words import shortened
from rankings.inference.resampling import FEW_IMAGES
from rankings.orders.buckets import to_text
from rankings.output.verdict_tables import (
    distances_to_people,
    has_few_images,
    losses_of_baselines,
)

from .sentinels import ShownWarning, by_sentinel

_NONE: Final = "–"


@dataclass(frozen=True, slots=True)
class Head:
    words: str
    is_sortable: bool = True
    # Whether the column is shown with *More columns* alone.
    is_further: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A number in words, and the address of what is behind it, to which a press leads."""

    text: str
    address: str = ""
    label: str = ""
    # Next to the number, in small letters.
    small: str = ""
    # Whether it is shown with *More columns* alone.
    is_further: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A row: its name, what it is if it is no protocol, its cells, and the address of its images."""

    name: str
    kind: str
    cells: Sequence[Cell]
    address: str = ""


@dataclass(frozen=True, slots=True)
class Behind:
    """The addresses behind the numbers: in the live study those of each protocol's images."""

    # The page of the images; "" if there are no links.
    images: str = ""
    # The settings of the live report; "" for a kept one.
    query: str = ""


_AGAINST = {
    "recall": gettext_lazy("Rankings by recall against the protocols' recall R"),
    "precision": gettext_lazy("Rankings by precision against the protocols' precision P"),
    "preference": gettext_lazy("Rankings by preference against the protocols' F‑score"),
}
# Most images that a page lists as left out.
_MOST_LEFT_OUT: Final = 200


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row with its uncertainty; what is undefined is None.

    Of the baselines, which are no protocols, only a person has limits and a place in the clusters.
    """

    row: Row
    # The kind of a baseline, in words; "" for a protocol.
    kind: str = ""
    low: float | None = None
    high: float | None = None
    cluster: int | str | None = None
    # Two protocols share a letter if they do not differ significantly; "" without a test.
    letters: str = ""
    kemeny: float | None = None
    agreed: float | None = None
    # Of 100 pairs, how many are ordered differently from single annotators, with limits; empty without
    # a test. In reports kept before the state of November 2026 the mean distance to them.
    to_annotators: tuple[float | None, ...] = ()
    # The protocols of the row, if there are several that order the methods of all images alike.
    alike: Sequence[str] = ()

    @property
    def name(self) -> str:
        return " = ".join(shortened(self.alike)) or self.row.protocol

    @property
    def score(self) -> float | None:
        return self.row.score

    @property
    def is_person(self) -> bool:
        return self.row.protocol == A_PERSON


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
    warnings: Sequence[ShownWarning]
    baselines: Sequence[ShownRow]
    # Whether to show Kemeny distance and agreed pairs next to the Score.
    has_measures: bool = False
    # The number of images that an interval needs, if there are too few; else None.
    needs_images: int | None = None
    # None: images are not linked.
    links: ImageLinks | None = None
    behind: Behind = Behind()
    distance: str = ""
    # Whether what is to annotators is pairs of 100.
    has_pairs: bool = False
    # Whether only intervals and clusters go with the measures.
    is_brief: bool = False
    # Programs that judge, as rows that no protocol is compared with.
    programs: Sequence[ShownRow] = ()

    @property
    def has_person(self) -> bool:
        return any(row.is_person for row in self.baselines)

    @property
    def heads(self) -> list[Head]:
        return list(_Columns(self).heads())

    @property
    def bodies(self) -> list[tuple[str, list[Line]]]:
        """The lines of the protocols by Score, of the baselines and of programs, with CSS classes."""
        line, own = _Columns(self).line, replace(self, behind=Behind())
        by_score = sorted(self.rows, key=lambda one: (one.score is None, one.score or 0))
        further = "baselines" if self.is_brief else "baselines further"
        found = [
            ("", [line(one) for one in by_score]),
            (further, [line(one) for one in self.baselines]),
        ]
        # No page has the images of a program by its distance.
        programs = [_Columns(own).line(one) for one in self.programs]
        return [*found, ("baselines programs", programs)] if programs else found

    @property
    def has_alike(self) -> bool:
        """Whether a row has several protocols."""
        return any(row.alike for row in self.rows)

    @property
    def has_sentinels(self) -> bool:
        return any(row.row in self.table.rows for row in self.baselines)

    @property
    def further(self) -> list[Measure]:
        """The measures that the note explains apart."""
        return further_measures()

    @property
    def has_means(self) -> bool:
        """Whether the rows have distances to single annotators."""
        return any(row.to_annotators for row in self.rows)

    @property
    def title(self) -> str:
        return _(self.criterion).capitalize()

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


def shown_tables(report: Report, analysis: Mapping[str, Any], **more: Any) -> list[ShownTable]:
    """Return every criterion; ``analysis`` is that of the report's JSON, or empty without one.

    ``more`` are fields of the tables.
    """
    distance = report.settings.distance
    return [
        replace(shown_table(criterion, table, analysis.get(criterion)), distance=distance, **more)
        for criterion, table in report.criteria.items()
    ]


def program_rows(rows: Sequence[Mapping[str, Any]], n_images: int) -> list[ShownRow]:
    """Return the rows of judges, which may have been asked about fewer images than count."""
    some = _("program, {n} of {all} images")
    return [
        ShownRow(
            row_from_json(row),
            _("program")
            if row["n_images"] == n_images
            else some.format(n=row["n_images"], all=n_images),
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class _Columns:
    """The heads and cells of a table."""

    shown: ShownTable

    def heads(self) -> Iterator[Head]:
        yield self._head(_("Protocol"))
        yield from (self._head(_(measure.heading)) for measure in MEASURES)
        yield Head(_("95 % of Score"), is_sortable=False)
        if self.shown.is_brief:
            yield Head(_("Cluster"), is_sortable=False)
            return
        if self.shown.has_means:
            yield Head(
                _("Pairs of 100") if self.shown.has_pairs else _("Mean distance to annotators"),
                True,
                True,
            )
            yield Head(_("95 % interval"), is_sortable=False, is_further=True)
        if self._has_kemeny:
            yield Head(_("Kemeny"), is_further=True)
        if self.shown.has_measures:
            yield Head(_("Agreed"), is_further=True)
        yield Head(_("Cluster"), is_sortable=False, is_further=True)

    def _head(self, words: str) -> Head:
        return Head(words, is_sortable=not self.shown.is_brief)

    @property
    def _has_kemeny(self) -> bool:
        return self.shown.has_measures and self.shown.distance != "kemeny"

    def line(self, one: ShownRow) -> Line:
        """Return a row, which links to its images."""
        behind, cells = self.shown.behind, list(self._cells(one))
        address = self._images(one) if behind.images else ""
        return Line(" = ".join(one.alike) or one.name, one.kind, cells, address)

    def _cells(self, one: ShownRow) -> Iterator[Cell]:
        for measure in MEASURES:
            yield self._of_measure(measure, one)
        yield Cell(_NONE if one.low is None else _interval(one.low, one.high))
        cluster = _NONE if one.cluster is None else str(one.cluster)
        if self.shown.is_brief:
            yield Cell(cluster)
            return
        if self.shown.has_means:
            mean, low, high = one.to_annotators or (None, None, None)
            digits = 1 if self.shown.has_pairs else 2
            yield Cell(_rounded(mean, digits), is_further=True)
            yield Cell(_NONE if low is None else _interval(low, high, digits), is_further=True)
        if self._has_kemeny:
            address = self._images(one, "distance=kemeny") if one.kemeny is not None else ""
            yield Cell(_two(one.kemeny), address, is_further=True)
        if self.shown.has_measures:
            yield Cell(_two(one.agreed), is_further=True)
        yield Cell(cluster, small=one.letters, is_further=True)

    def _of_measure(self, measure: Measure, one: ShownRow) -> Cell:
        value = one.row.numbers[measure.name]
        if value is None:
            return Cell(_NONE)
        text = floatformat(value, measure.decimals)
        only = (f"only={measure.name}",) if measure.name in ("best", "worst") else ()
        address = self._images(one, *only) if self.shown.behind.query else ""
        return Cell(text, address, _label(measure, value, text, one.name) if address else "")

    def _images(self, one: ShownRow, *more: str) -> str:
        """Return the address of the images of a row; in a kept report, one page has those of all."""
        behind = self.shown.behind
        asked = [f"criterion={self.shown.criterion}"]
        if behind.query:
            asked += [f"protocol={quote(one.row.protocol, safe='')}", *more, behind.query]
        return f"{behind.images}?{'&'.join(asked)}" if behind.images else ""


def _label(measure: Measure, value: Number, text: str, name: str) -> str:
    if measure.name == "best":
        one, many = "{n} image on which {name} is nearest", "{n} images on which {name} is nearest"
    elif measure.name == "worst":
        one, many = (
            "{n} image on which {name} is farthest",
            "{n} images on which {name} is farthest",
        )
    else:
        words = _("{heading} {number} of {name}: the images behind it")
        return words.format(heading=_(measure.heading), number=text, name=name)
    return ngettext(one, many, int(value or 0)).format(n=text, name=name)


def _rounded(value: float | None, digits: int) -> str:
    return _NONE if value is None else floatformat(value, digits)


def _two(value: float | None) -> str:
    return _rounded(value, 2)


def _interval(low: float | None, high: float | None, digits: int = 2) -> str:
    return _("{low} to {high}").format(low=_rounded(low, digits), high=_rounded(high, digits))


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
    silent = {*around.get("against_silence", ())} if around else set[str]()
    equal = around["comparisons"].get("equal", ()) if around else ()  # Some kept reports have none.
    alike = {same[0]: same for same in equal}
    copies = {name for same in alike.values() for name in same[1:]}
    rows = [
        ShownRow(
            row,
            kind=_("sentinel") if row.protocol in silent else "",
            alike=alike.get(row.protocol, ()),
            low=intervals.get(row.protocol, {}).get("low"),
            high=intervals.get(row.protocol, {}).get("high"),
            cluster=around["clusters"].get(row.protocol) if around else None,
            letters=around["letters"].get(row.protocol) or "" if around else "",
            to_annotators=of_people.get(row.protocol, ()),
            **_measured(measures.get(row.protocol, {})),
        )
        for row in sorted(table.rows, key=lambda row: place.get(row.protocol, 0))
        if row.protocol not in copies
    ]
    sentinels = [row for row in rows if row.kind]
    return ShownTable(
        criterion,
        str(_AGAINST.get(criterion, "")),
        table,
        [row for row in rows if not row.kind],
        by_sentinel(around["warnings"]) if around else [],
        [*sentinels, *_baselines(table, around, has_intervals)],
        bool(measures),
        FEW_IMAGES if around and not has_intervals else None,
        has_pairs=around is not None and "against_silence" in around,
    )


def _baselines(
    table: CriterionReport, around: Mapping[str, Any] | None, has_intervals: bool
) -> list[ShownRow]:
    measures = {row["baseline"]: row for row in around["baselines"]} if around else {}
    losses = losses_of_baselines(around) if around else {}
    rows = [
        ShownRow(
            row,
            _("baseline"),
            to_annotators=losses.get(row.protocol, ()),
            **_measured(measures.get(row.protocol, {})),
        )
        for row in table.baselines
    ]
    person = around["human_baseline"] if around else {"score": None}
    if around and person["score"] is not None:
        row = row_from_json({"protocol": A_PERSON, "score": person["score"]})
        low, high = (person["low"], person["high"]) if has_intervals else (None, None)
        place = place_of_person(around)
        others = _measured(measures.get(A_PERSON, {}))
        pairs = losses.get(A_PERSON, ())
        rows.append(
            ShownRow(row, _("human baseline"), low, high, place, to_annotators=pairs, **others)
        )
    return rows


def _measured(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"kemeny": row.get("kemeny_distance"), "agreed": row.get("pairwise_accuracy")}
