"""Bars of the components of the variance of a difference between two protocols."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..data import FigureData, noted_as_live
from ..figure import Figure, Spec, without_drawing
from ..parts import drawn, fitted, heads_of, label_width, names_axis
from ..themes import Paper
from ..words import capital, counted_annotators, counted_images, percent, titled

_NAMES: Final = {
    "images": gettext_lazy("images"),
    "taste": gettext_lazy("taste of annotators"),
    "rest": gettext_lazy("a single ranking"),
}


def figure_of(data: FigureData) -> Figure:
    disparity = data.questions["disparity"]
    figure = variance_components(
        disparity["components"],
        criterion=data.criterion,
        n_images=disparity["n_images"],
        n_annotators=disparity["n_annotators"],
        reason=disparity["reason"],
    )
    return figure if data.holds_questions else noted_as_live(figure, data)


def variance_components(
    components: Sequence[Mapping[str, Any]],
    *,
    criterion: str = "recall",
    n_images: int = 0,
    n_annotators: int = 0,
    reason: str | None = None,
) -> Figure:
    """Return bars of the shares of images, taste and rest, with their intervals.

    Components have the fields of :class:`rankings.inference.disparity.Component`.
    """
    title = titled(_("What makes protocols differ"), criterion)
    missing = ""
    if reason:
        missing = f"{capital(reason)}."
    elif any(part["share"] is None for part in components):
        missing = _("Every ranking finds the same difference between any two protocols.")
    if missing:
        return without_drawing("variance", title, heads_of("variance"), missing)
    rows = [{**part, "name": str(_NAMES[part["source"]])} for part in components]
    largest = max(rows, key=lambda row: row["share"])
    notes = [
        *(
            capital(_("{source} plays no part here.").format(source=row["name"]))
            for row in rows
            if not row["share"]
        ),
        *(
            [_("No intervals: they need ten images and three annotators.")]
            if rows[0]["low"] is None
            else []
        ),
    ]
    return Figure(
        name="variance",
        title=title,
        caption=(
            _(
                "The variance of the difference between two protocols' distances to one ranking by "
                "{criterion}, mean over all pairs of protocols, by where it comes from; {images}, "
                "{annotators}. Lines: 95 % intervals of the shares by jackknife, images and annotators "
                "random."
            ).format(
                criterion=_(criterion),
                images=counted_images(n_images),
                annotators=counted_annotators(n_annotators),
            )
        ),
        summary=(
            _("Bars of three shares: {shares}. The largest is {largest}.").format(
                shares=", ".join(f"{row['name']} {percent(row['share'])}" for row in rows),
                largest=largest["name"],
            )
        ),
        columns=heads_of("variance"),
        rows=tuple(
            (row["name"], row["variance"], row["share"], row["low"], row["high"]) for row in rows
        ),
        notes=tuple(notes),
        draw=partial(_bars, rows=rows),
    )


def _bars(paper: Paper, rows: Sequence[Mapping[str, Any]]) -> Spec:
    axis = names_axis(label_width(paper, [row["name"] for row in rows]))
    title = _("Share of the variance")
    chart = drawn("variance", paper, rows=list(rows), names_axis=axis, title=title)
    return fitted(paper, chart, height_pt=22 * len(rows) + 34)
