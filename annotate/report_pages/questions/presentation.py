"""The page of the open questions: each with a short answer, its tables and its figure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from annotate.figures.presentation import ShownFigure
from annotate.languages import in_decimals
from annotate.reports.presentation import AddressOf, images_behind, of_criterion, row_of
from annotate.studies.models import Study
from rankings.agreement.report import ALL_TIED, Settings
from rankings.output.analysis_tables import tables_of
from rankings.output.question_tables import change_tables
from rankings.output.table import PROTOCOL, Column, Table
from rankings.tuning.slices import slice_label

FIGURES: Final = ("variance", "parts")
# The tables that need new scores, and the questions they answer.
_CHANGES: Final = {
    "weights": gettext_lazy("Does important text weigh more?"),
    "nothing": gettext_lazy("What is the precision of finding nothing?"),
    "thresholds": gettext_lazy("Which thresholds would people choose?"),
}


@dataclass(frozen=True, slots=True)
class Page:
    """The study, criterion, settings and query string of the page."""

    study: Study
    criterion: str
    settings: Settings
    query: str

    @property
    def address_of(self) -> AddressOf:
        """Return the function that links to images on which a protocol and people disagree."""
        return images_behind(self.study.slug, self.criterion, self.settings)


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A table of the page: the rows of one criterion, without the criterion's column."""

    slug: str
    title: str
    note: str
    columns: Sequence[Column]
    rows: Sequence[SafeString]
    # Address of its files without extension; "" if another part of the same table has them.
    files: str


@dataclass(frozen=True, slots=True)
class Section:
    """A question. ``is_work`` marks effects of other parameters, which may not be computed yet."""

    slug: str
    question: str
    answer: str
    parts: Sequence[ShownPart]
    figure: ShownFigure | None = None
    is_work: bool = False


def sections(
    data: Mapping[str, Any],
    changes: Mapping[str, Any] | None,
    figures: Sequence[ShownFigure],
    asked: Page,
) -> list[Section]:
    """Return every question with its answer under one criterion; no ``changes`` if not computed."""
    around = data["analysis"][asked.criterion]
    tables = {table.slug: table for table in tables_of(data)}
    drawn = {figure.name: figure for figure in figures}

    def parts(*slugs: str) -> list[ShownPart]:
        report = reverse("reports:report", args=[asked.study.slug])
        return [
            shown
            for slug in slugs
            if slug in tables and (shown := _part(tables[slug], asked, f"{report}{slug}"))
        ]

    found = [
        Section(
            *("annotators", _("How far do annotators differ?"), _variance(around)),
            # The figure has the numbers of the table "variance".
            parts(*([] if "variance" in drawn else ["variance"]), "taste", "agreement"),
            drawn.get("variance"),
        ),
        Section("values", _("Do values say more than ranks?"), _values(around), parts("values")),
        Section(
            "ties", _("Do people and protocols tie equally often?"), _ties(around), parts("ties")
        ),
        Section(
            *("beta", _("Which F-score do people prefer?"), _betas(around, asked.criterion)),
            parts("beta"),
        ),
    ]
    found += _of_changes(changes, asked)
    found.append(
        Section(
            *("slices", _("Where does it hold?"), nearest_by_part(around)),
            list(_of_slices(around, tables.get("slices"), asked)),
            drawn.get("parts"),
        )
    )
    return found


def _of_changes(changes: Mapping[str, Any] | None, asked: Page) -> Iterator[Section]:
    """Yield the questions that need new scores."""
    by_slug = {table.slug: table for table in change_tables(changes)} if changes else {}
    page = reverse("questions:questions", args=[asked.study.slug])
    for slug, question in _CHANGES.items():
        shown = _part(by_slug[slug], asked, f"{page}{slug}") if slug in by_slug else None
        answer = _change(slug, changes, asked.criterion)
        yield Section(slug, str(question), answer, [shown] if shown else [], is_work=True)


def _part(table: Table, asked: Page, files: str) -> ShownPart | None:
    """Return the rows of one criterion, or None if the table does not have it."""
    shown = of_criterion(table, asked.criterion, asked.address_of)
    if shown is None:
        return None
    own = shown.table
    return ShownPart(own.slug, own.title, own.note, own.columns, shown.rows, files)


def _of_slices(around: Mapping[str, Any], table: Table | None, asked: Page) -> Iterator[ShownPart]:
    """Yield a table for each property: protocols by parts, with the number of images per part."""
    slices = around.get("questions", {}).get("slices", [])
    files = f"{reverse('reports:report', args=[asked.study.slug])}slices"
    for at, name in enumerate(dict.fromkeys(cut["by"] for cut in slices)):
        cuts = [cut for cut in slices if cut["by"] == name]
        columns = [
            PROTOCOL,
            *(
                Column(
                    ngettext("{part} ({n} image)", "{part} ({n} images)", cut["n_images"]).format(
                        part=slice_label(cut["least"], cut["most"], cut["unit"]), n=cut["n_images"]
                    ),
                    True,
                )
                for cut in cuts
            ),
        ]
        rows = [
            row_of([scores[0]["protocol"], *map(_with_limits, scores)], columns, asked.address_of)
            for scores in zip(*(cut["scores"] for cut in cuts), strict=True)
        ]
        note = table.note if table and not at else ""
        yield ShownPart(f"slices-{at}", gettext(name), note, columns, rows, files if not at else "")


def _with_limits(score: Mapping[str, Any]) -> str:
    value = _figure(score["score"])
    if score["low"] is None:
        return value
    return _("{value} ({low} to {high})").format(
        value=value, low=_figure(score["low"]), high=_figure(score["high"])
    )


def _figure(value: float) -> str:
    return number_format(in_decimals(value, 2))


def _percent(share: float) -> str:
    return _("{n} %").format(n=in_decimals(100 * share, 0))


def _variance(around: Mapping[str, Any]) -> str:
    found = around["questions"]["disparity"]
    if found["reason"]:
        return _("Not known: {reason}.").format(reason=found["reason"])
    share = {part["source"]: part for part in found["components"]}
    if share["images"]["share"] is None:
        return _("Every ranking finds the same difference between any two protocols.")

    def words(source: str) -> str:
        part = share[source]
        if part["low"] is None:
            return _percent(part["share"])
        return _("{value} ({low} to {high})").format(
            value=_percent(part["share"]), low=_percent(part["low"]), high=_percent(part["high"])
        )

    told = sum(one["high"] is not None and one["high"] < 0 for one in found["tastes"])
    of_parts = _(
        "Of the variance that makes one protocol nearer than another, {images} comes from"
        " images, {taste} from annotators' taste, and {rest} from single rankings."
    ).format(images=words("images"), taste=words("taste"), rest=words("rest"))
    of_people = ngettext(
        "The preferences of {n} of {total} annotators differ detectably from the group's.",
        "The preferences of {n} of {total} annotators differ detectably from the group's.",
        told,
    ).format(n=told, total=found["n_annotators"])
    return f"{of_parts} {of_people}"


def _values(around: Mapping[str, Any]) -> str:
    gains = [
        one["gain"] for one in around["questions"]["strengths"] if one["gain"]["low"] is not None
    ]
    if not gains:
        return _(
            "Not known: it takes ten images with two rankings on which people prefer some method."
        )
    return _(
        "For {more} of {n} protocols, score differences track the strength of people's preferences "
        "better than ranks do; for {less}, they track it worse; for the others, this is unclear."
    ).format(
        n=len(gains),
        more=sum(gain["low"] > 0 for gain in gains),
        less=sum(gain["high"] < 0 for gain in gains),
    )


def _ties(around: Mapping[str, Any]) -> str:
    shares = around["ties"]
    people = [share for share in shares["annotators"].values() if share is not None]
    tied = [share for share in shares["protocols"].values() if share is not None]
    if not people or not tied:
        return _("Not known: no image has a pair of methods.")
    return _(
        "Single annotators tie {mean} of the pairs (from {least} to {most}), their consensus "
        "{consensus}, protocols from {low} to {high}."
    ).format(
        mean=_percent(sum(people) / len(people)),
        least=_percent(min(people)),
        most=_percent(max(people)),
        consensus=_percent(shares["consensus"]),
        low=_percent(min(tied)),
        high=_percent(max(tied)),
    )


def _betas(around: Mapping[str, Any], criterion: str) -> str:
    if criterion != "preference":
        return _("Only preference is compared with an F-score: choose it above.")
    return _gained(around["beta_gains"], _("another beta"))


def _change(slug: str, changes: Mapping[str, Any] | None, criterion: str) -> str:
    if changes is None:
        return ""
    found = changes["changes"][criterion]
    if slug == "thresholds":
        every = [one["gain"] for of in found for one in of["searches"]]
        if not every:
            return _("No protocol has a threshold to search.")
        return _gained(every, _("another value"))
    if slug == "weights":
        every = [one["gain"] for of in found for one in of["weights"]]
        return (
            _gained(every, _("another weight")) if every else _("No protocol can weight regions.")
        )
    if criterion == "recall":
        return _("Recall plays no part here: choose precision or preference above.")
    every = [one["gain"] for of in found for one in of["rules"]]
    if not every:
        return _("No protocol lets the rule be chosen.")
    return _gained(every, _("another rule"))


def _gained(gains: Sequence[Mapping[str, Any]], what: str) -> str:
    tested = [gain for gain in gains if gain["holm_p_value"] is not None]
    if not tested:
        return _("Not known: it takes ten images and two annotators.")
    nearer = [gain for gain in tested if gain["holm_p_value"] <= 0.05 and gain["difference"] < 0]
    farther = [gain for gain in tested if gain["holm_p_value"] <= 0.05 and gain["difference"] > 0]
    if not nearer and not farther:
        return _(
            "In none of {n} cases does {what} bring a protocol significantly nearer to people."
        ).format(n=len(tested), what=what)
    words = _(
        "Of {n} cases, {what} brings a protocol significantly nearer to people in {nearer}, and "
        "farther in {farther}; the others are unclear."
    )
    said = words.format(n=len(tested), what=what, nearer=len(nearer), farther=len(farther))
    best = min(nearer, key=lambda gain: gain["difference"], default=None)
    if best is None:
        return said
    most = _("The most: {protocol}, by {value} of 100 pairs, 95 % {low} to {high}.").format(
        protocol=best["protocol"],
        value=_figure(-best["difference"]),
        low=_figure(-best["high"]),
        high=_figure(-best["low"]),
    )
    return f"{said} {most}"


def nearest_by_part(around: Mapping[str, Any]) -> str:
    """Return which protocols are nearest on parts of the images, from a criterion's analysis."""
    slices = around["questions"]["slices"]
    if not slices:
        return _("Not known: no image counts yet.")
    n_parts = Counter(cut["by"] for cut in slices)
    # A property that all images share divides nothing.
    slices = [cut for cut in slices if n_parts[cut["by"]] > 1]
    if not slices:
        return _("All images are alike in every property by which they could be divided.")
    nearest: Counter[str] = Counter()
    for cut in slices:
        scores = [score for score in cut["scores"] if score["protocol"] != ALL_TIED]
        least = min((score["score"] for score in scores), default=None)
        if least is not None:
            nearest[" = ".join(of["protocol"] for of in scores if of["score"] == least)] += 1
    counted = sorted(nearest.items(), key=lambda one: (-one[1], one[0]))
    names = ", ".join(f"{name} ({n})" for name, n in counted[:4])
    words = _("Over {n} parts of the images the nearest protocol is {names}.")
    if len(counted) > 4:
        words = _("Over {n} parts of the images the nearest protocol is {names} and others.")
    return words.format(n=len(slices), names=names)
