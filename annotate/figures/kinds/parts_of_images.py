"""Dots for each protocol on parts of the images: small or large text, few or many words."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext as _

from rankings.agreement.report import ALL_TIED
from rankings.analysis.verdicts import earlier_loss
from rankings.tuning.slices import slice_label

from ..data import FigureData, noted_as_live
from ..figure import Figure, Row, Spec, without_drawing
from ..parts import drawn, finished, heads_of, label_width, names_axis
from ..themes import Paper
from ..words import (
    counted_images,
    counted_protocols,
    missing_images,
    titled,
    whole,
)

# Continuations of "Images with the".
_PLACES: Final = (
    pgettext_lazy("images", "smallest"),
    pgettext_lazy("images", "middle"),
    pgettext_lazy("images", "largest"),
)
# More would be too small to read; the table has all protocols.
_MOST_PROTOCOLS: Final = 10


def figure_of(data: FigureData) -> Figure:
    figure = losses_by_part(
        data.questions["slices"],
        data.protocols,
        criterion=data.criterion,
        missing=missing_images(data.table.distances, data.protocols, data.table.left_out)
        or (earlier_loss(data.kept.data) if data.kept is not None else ""),
    )
    return figure if data.holds_questions else noted_as_live(figure, data)


def losses_by_part(
    slices: Sequence[Mapping[str, Any]],
    protocols: Sequence[str],
    *,
    criterion: str = "recall",
    missing: str = "",
) -> Figure:
    """Return dots for the mean losses of protocols on thirds of the images, with intervals.

    Slices have the fields of :class:`rankings.tuning.slices.Slice`; of the protocols, nearest
    first, ten are drawn.
    """
    title = titled(_("Pairs ordered differently, on parts of the images"), criterion)
    known = [cut for cut in slices if cut["least"] is not None]
    properties = [
        name
        for name in dict.fromkeys(cut["by"] for cut in known)
        if sum(cut["by"] == name for cut in known) > 1
    ]
    if not missing and not properties:
        missing = _(
            "The images do not differ in any property by which they could be divided into parts."
        )
    if missing:
        return without_drawing("parts", title, heads_of("parts"), missing)
    drawn = protocols[:_MOST_PROTOCOLS]
    said_of = {**{name: name for name in drawn}, ALL_TIED: ALL_TIED}
    rows = [
        {
            "by": gettext(name),
            "place": place,
            "protocol": said_of[score["protocol"]],
            **_numbers(score),
        }
        for name in properties
        for place, cut in _placed([cut for cut in known if cut["by"] == name])
        for score in cut["scores"]
        if score["protocol"] in said_of
    ]
    return Figure(
        name="parts",
        title=title,
        caption=_caption(known, properties, criterion),
        summary=_summary(len(drawn), len(properties)),
        columns=heads_of("parts"),
        rows=tuple(_rows_of(slices)),
        notes=tuple(_notes(slices, protocols)),
        draw=partial(
            _dots,
            rows=rows,
            protocols=list(said_of.values()),
            properties=[gettext(name) for name in properties],
        ),
    )


def _caption(known: Sequence[Mapping[str, Any]], properties: Sequence[str], criterion: str) -> str:
    return _(
        "Of 100 pairs of methods, how many are ordered differently from annotators by {criterion} on "
        "the images with the smallest, middle and largest numbers, about a third each; lower is nearer "
        "to people. Lines: 95 % intervals by Student's t over the images of a part, these annotators "
        "fixed. {ranges}."
    ).format(
        criterion=_(criterion),
        ranges=_ranges(known, properties),
    )


def _summary(n_protocols: int, n_properties: int) -> str:
    return ngettext(
        "Dots of {protocols} and the baseline that ties everything, by {n} property of the images.",
        "Dots of {protocols} and the baseline that ties everything, by {n} properties of the "
        "images.",
        n_properties,
    ).format(protocols=counted_protocols(n_protocols), n=n_properties)


def _ranges(known: Sequence[Mapping[str, Any]], properties: Sequence[str]) -> str:
    """Return the parts of each property in words."""
    labels = {
        name: [
            slice_label(cut["least"], cut["most"], cut["unit"])
            for cut in known
            if cut["by"] == name
        ]
        for name in properties
    }
    return _("; ").join(
        _("{name}: {parts}").format(name=gettext(name), parts=", ".join(parts))
        for name, parts in labels.items()
    )


def _numbers(score: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: score[name] for name in ("score", "low", "high")}


def _placed(cuts: Sequence[Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the parts with their places; two parts are the smallest and the largest."""
    places = _places() if len(cuts) == len(_PLACES) else (_places()[0], _places()[-1])
    return list(zip(places, cuts, strict=True))


def _places() -> list[str]:
    return [str(place) for place in _PLACES]


def _rows_of(slices: Sequence[Mapping[str, Any]]) -> list[Row]:
    return [
        (
            *(
                gettext(by),
                slice_label(cut["least"], cut["most"], cut["unit"]),
                cut["n_images"],
            ),
            score["protocol"],
            *_numbers(score).values(),
        )
        for cut in slices
        for by in [cut["by"]]
        for score in cut["scores"]
    ]


def _notes(slices: Sequence[Mapping[str, Any]], protocols: Sequence[str]) -> list[str]:
    notes = []
    if len(protocols) > _MOST_PROTOCOLS:
        notes.append(
            _(
                "The {n} protocols with the best Scores are drawn; the table of numbers has all."
            ).format(n=_MOST_PROTOCOLS)
        )
    few = [cut for cut in slices if cut["scores"] and cut["scores"][0]["low"] is None]
    if few:
        notes.append(
            ngettext(
                "{n} part of fewer than ten images has no interval.",
                "{n} parts of fewer than ten images have no interval.",
                len(few),
            ).format(n=whole(len(few)))
        )
    without = {cut["by"]: cut["n_images"] for cut in slices if cut["least"] is None}
    notes += [
        _("{property} is not known for {images}.").format(
            property=gettext(name), images=counted_images(n)
        )
        for name, n in without.items()
    ]
    return notes


def _dots(
    paper: Paper,
    rows: Sequence[Mapping[str, Any]],
    protocols: Sequence[str],
    properties: Sequence[str],
) -> Spec:
    labels, lines = label_width(paper, protocols), paper.theme.lines
    n_columns = len(properties) if paper.is_wide else min(len(properties), 2)
    chart = drawn(
        "parts",
        paper,
        rows=list(rows),
        properties=list(properties),
        n_columns=n_columns,
        width=(paper.width_pt - labels - 24 - 10 * (n_columns - 1)) / n_columns,
        height=20 * len(protocols),
        protocols=list(protocols),
        names_axis=names_axis(labels),
        places=_places(),
        colours=[lines[2], lines[0], lines[1]],
        legend_title=_("Images with the"),
        title=_("Of 100 pairs, ordered differently"),
        largest=max(row["score"] if row["high"] is None else row["high"] for row in rows) or 1,
    )
    return finished(paper, chart)
