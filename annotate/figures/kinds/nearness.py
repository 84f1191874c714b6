"""Dots for how many pairs each protocol orders differently, with intervals, clusters and baselines.

Without an analysis, and in reports that were kept when tests had another loss, dots are Scores.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from django.utils.translation import gettext as _

from annotate.languages import in_decimals
from annotate.reports.main_table import ShownTable, shown_table

from ..data import FigureData
from ..figure import Figure, Spec, without_drawing
from ..parts import drawn, fitted, heads_of, label_width, names_axis
from ..themes import Paper
from ..words import (
    DISTANCE_NAMES,
    counted_images,
    counted_protocols,
    missing_images,
    titled,
    to_consensus,
)


class _Dot(NamedTuple):
    """A row: a protocol, or a baseline, which has no letters."""

    name: str
    score: float
    low: float | None
    high: float | None
    cluster: str
    letters: str
    is_baseline: bool
    is_person: bool


def figure_of(data: FigureData) -> Figure:
    return nearness(
        shown_table(data.criterion, data.table, data.around), distance=data.settings.distance
    )


def nearness(shown: ShownTable, *, distance: str = "edit") -> Figure:
    """Return dots for each protocol, nearest to people first, with the baselines below."""
    table = shown.table
    title = titled(_("Distance to people"), shown.criterion)
    protocols = [one.row.protocol for one in shown.rows]
    missing = missing_images(table.consensus, protocols, table.left_out)
    if missing:
        return without_drawing("nearness", title, _heads(shown), missing)
    dots = _dots_of(shown)
    own = [dot for dot in dots if not dot.is_baseline]
    return Figure(
        name="nearness",
        title=title,
        caption=_caption(shown, dots, distance),
        summary=_summary(own, dots),
        columns=_heads(shown),
        rows=tuple(tuple(dot[:-2]) for dot in dots),
        notes=tuple(_notes(shown)),
        draw=partial(
            _drawing,
            dots=dots,
            title=_("Of 100 pairs, ordered differently")
            if shown.has_pairs
            else to_consensus(distance),
        ),
    )


def _heads(shown: ShownTable) -> tuple[str, ...]:
    name, score, *others = heads_of("nearness")
    return name, _("Pairs of 100") if shown.has_pairs else score, *others


def _dots_of(shown: ShownTable) -> list[_Dot]:
    rows = [(one, False) for one in shown.rows] + [(one, True) for one in shown.baselines]
    dots = []
    for one, is_baseline in rows:
        value, low, high = one.score, one.low, one.high
        if shown.has_pairs:
            value, low, high = one.to_annotators or (None, None, None)
        if value is not None:
            cluster = "" if one.cluster is None else str(one.cluster)
            ends = (one.letters, is_baseline, one.is_person)
            dots.append(_Dot(one.name, value, low, high, cluster, *ends))
    return dots


def _caption(shown: ShownTable, dots: Sequence[_Dot], distance: str) -> str:
    if shown.has_pairs:
        return _caption_of_pairs(shown, dots)
    says = [
        _(
            "Dot: Score, the mean {distance} to the consensus by {criterion} over {images}; lower is "
            "nearer to people."
        ).format(
            distance=DISTANCE_NAMES[distance],
            criterion=_(shown.criterion),
            images=counted_images(shown.table.n_images),
        )
    ]
    if any(dot.low is not None for dot in dots):
        says.append(
            _(
                "Line: 95 % interval of the Score, by percentile bootstrap over images with these "
                "annotators."
            )
        )
    if any(dot.letters for dot in dots):
        says.append(
            _(
                "Protocols that share a letter do not differ significantly, with annotators and "
                "images random."
            )
        )
    if any(dot.is_person for dot in dots):
        says.append(_("Band: a person against the consensus of the others."))
    return " ".join([*says, _hollow(shown)])


def _hollow(shown: ShownTable) -> str:
    if shown.has_sentinels:
        return _("Hollow dots: baselines and sentinels.")
    return _("Hollow dots: baselines.")


def _caption_of_pairs(shown: ShownTable, dots: Sequence[_Dot]) -> str:
    says = [
        _(
            "Dot: of 100 pairs of methods, how many are ordered differently from an annotator by "
            "{criterion}, mean over rankings of {images}; lower is nearer to people."
        ).format(criterion=_(shown.criterion), images=counted_images(shown.table.n_images))
    ]
    if any(dot.low is not None for dot in dots):
        says.append(_("Line: 95 % interval by Student's t, with annotators and images random."))
    if any(dot.letters for dot in dots):
        says.append(_("Protocols that share a letter do not differ significantly."))
    if any(dot.is_person for dot in dots):
        says.append(_("A person: how much two annotators differ."))
    return " ".join([*says, _hollow(shown)])


def _summary(own: Sequence[_Dot], dots: Sequence[_Dot]) -> str:
    by_score = sorted(own, key=lambda dot: dot.score)
    nearest, farthest = by_score[0], by_score[-1]
    says = [
        _(
            "Dots with intervals for {protocols}. Nearest to people: {nearest}, {least}; farthest: "
            "{farthest}, {most}."
        ).format(
            protocols=counted_protocols(len(own)),
            nearest=nearest.name,
            least=in_decimals(nearest.score, 2),
            farthest=farthest.name,
            most=in_decimals(farthest.score, 2),
        )
    ]
    says += [
        _("A person: {score}.").format(score=in_decimals(dot.score, 2))
        for dot in dots
        if dot.is_person
    ]
    return " ".join(says)


def _notes(shown: ShownTable) -> list[str]:
    if shown.needs_images:
        return [
            _(
                "With {images} the uncertainty of a Score cannot be estimated: an interval needs {n}."
            ).format(images=counted_images(shown.table.n_images), n=shown.needs_images)
        ]
    if not shown.has_measures:
        return [_("Intervals and clusters take a while: keep the report to see them.")]
    return []


def _drawing(paper: Paper, dots: Sequence[_Dot], title: str) -> Spec:
    names = [dot.name for dot in dots]
    rows = [dot._asdict() for dot in dots]
    person = [row for row in rows if row["is_person"]]
    chart = drawn(
        "nearness",
        paper,
        rows=rows,
        names=names,
        names_axis=names_axis(label_width(paper, names)),
        title=title,
        largest=max(dot.score if dot.high is None else dot.high for dot in dots) or 1,
        person=person,
        has_band=person and person[0]["low"] is not None,
    )
    return fitted(paper, chart, height_pt=14 * len(dots) + 34)
