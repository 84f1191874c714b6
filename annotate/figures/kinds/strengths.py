"""Strengths of the detectors, by people over all images, with their intervals."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.languages import in_decimals

from ..data import FigureData, noted_as_live
from ..figure import Figure, Spec, without_drawing
from ..parts import drawn, fitted, heads_of, label_width, names_axis
from ..themes import Paper
from ..words import capital, counted_annotators, counted_images, titled


def figure_of(data: FigureData) -> Figure:
    figure = detector_strengths(data.detectors["people"], criterion=data.criterion)
    return figure if data.kept else noted_as_live(figure, data)


def detector_strengths(people: Mapping[str, Any], *, criterion: str = "recall") -> Figure:
    """Return dots for the strengths of the methods, strongest first.

    ``people`` is a :class:`rankings.detectors.method_strengths.Strengths` as JSON-able data.
    """
    title = titled(_("Strengths of the detectors"), criterion)
    strengths, reason = people["strengths"], people["reason"]
    if not strengths:
        text = f"{capital(reason)}." if people["n_images"] else _("No image counts yet.")
        return without_drawing("strengths", title, heads_of("strengths"), text)
    return Figure(
        name="strengths",
        title=title,
        caption=(
            _(
                "How strong people find each method by {criterion} over {images} and {annotators}, by "
                "Davidson's model: of two methods that differ by 1, one is put first 2.7 times as "
                "often as the other. Line: 95 % interval of the strength by Student's t, errors "
                "clustered by image and annotator."
            ).format(
                criterion=_(criterion),
                images=counted_images(people["n_images"]),
                annotators=counted_annotators(people["n_annotators"]),
            )
        ),
        summary=(
            ngettext(
                "Dots with intervals for {n} method. The strongest is {first}, {most}; the weakest "
                "{last}, {least}.",
                "Dots with intervals for {n} methods. The strongest is {first}, {most}; the weakest "
                "{last}, {least}.",
                len(strengths),
            ).format(
                n=len(strengths),
                first=strengths[0]["method"],
                most=in_decimals(strengths[0]["strength"], 2),
                last=strengths[-1]["method"],
                least=in_decimals(strengths[-1]["strength"], 2),
            )
        ),
        columns=heads_of("strengths"),
        rows=tuple((one["method"], one["strength"], one["low"], one["high"]) for one in strengths),
        notes=(f"{capital(reason)}.",) if reason else (),
        draw=partial(_dots, strengths=strengths),
    )


def _dots(paper: Paper, strengths: Sequence[Mapping[str, Any]]) -> Spec:
    chart = drawn(
        "strengths",
        paper,
        rows=[dict(one) for one in strengths],
        names_axis=names_axis(label_width(paper, [one["method"] for one in strengths])),
        title=_("Strength (log odds)"),
        has_limits=strengths[0]["low"] is not None,
    )
    return fitted(paper, chart, height_pt=14 * len(strengths) + 34)
