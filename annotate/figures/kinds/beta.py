"""Each protocol's mean distance to the preference consensus as beta grows."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.languages import in_decimals
from rankings.tuning.beta import beta_search

from ..data import FigureData, noted_as_live
from ..figure import Figure, Spec, without_drawing
from ..parts import drawn, finished, label_width
from ..themes import Paper
from ..words import (
    DISTANCE_NAMES,
    SHORT_DISTANCE_NAMES,
    capital,
    counted_images,
    groups_of_equals,
    listed,
    missing_images,
    whole,
)

_MARKS: Final = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
_DASHES: Final[Sequence[list[float]]] = (
    [1, 0],
    [5, 2],
    [1.5, 1.5],
    [7, 2, 1.5, 2],
    [3, 1.5],
    [9, 3],
    [4, 1.5, 1, 1.5],
)
# protocol -> (beta, mean distance), betas ascending
_Curves = Mapping[str, Sequence[tuple[float, float]]]
# protocol -> (beta, mean distance) of its optimum
_Optima = Mapping[str, tuple[float, float]]


def figure_of(data: FigureData) -> Figure:
    kept = data.kept_betas
    if kept:
        searched = [(row["protocol"], row["curve"], row["beta"], row["score"]) for row in kept]
    else:
        searched = [
            (search.protocol, search.curve, search.beta, search.score)
            for search in beta_search(
                data.scores,
                data.preference.consensus,
                decimals=data.settings.decimals,
                distance=data.settings.distance,
            )
        ]
    figure = beta_curves(
        {protocol: [(beta, mean) for beta, mean in curve] for protocol, curve, _, _ in searched},
        {
            protocol: (beta, mean)
            for protocol, _, beta, mean in searched
            if beta is not None and mean is not None
        },
        distance=data.settings.distance,
        n_images=data.preference.n_images,
        left_out=data.preference.left_out,
    )
    return figure if kept else noted_as_live(figure, data)


def beta_curves(
    curves: _Curves,
    optima: _Optima,
    *,
    distance: str = "edit",
    n_images: int,
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return lines of each protocol's mean distance to the preference consensus as beta grows.

    Curves and optima are (beta, mean distance) by protocol, betas ascending.
    """
    title = _("Recall or precision: the F‑score's beta against preference")
    columns = (_("Beta"), *curves)
    missing = missing_images(range(n_images), tuple(curves), left_out)
    if missing:
        return without_drawing("beta", title, columns, missing)
    betas = [beta for beta, _ in next(iter(curves.values()))]
    return Figure(
        name="beta",
        title=title,
        caption=(
            _(
                "Mean {distance} between the preference consensus and the ranking by F-score, over "
                "{images}, as beta weighs recall more (right) or precision more (left). Mark: each "
                "protocol's best beta."
            ).format(distance=DISTANCE_NAMES[distance], images=counted_images(n_images))
        ),
        summary=_summary(curves, optima),
        columns=columns,
        rows=tuple(
            (beta, *(curve[at][1] for curve in curves.values())) for at, beta in enumerate(betas)
        ),
        notes=tuple(_notes(curves, n_images)),
        draw=partial(_drawing, curves=curves, optima=optima, distance=distance),
    )


def _summary(curves: _Curves, optima: _Optima) -> str:
    nearest_first = sorted(optima, key=lambda name: (optima[name][1], name))
    best = (
        f"{name} {in_decimals(optima[name][0], 2)} ({in_decimals(optima[name][1], 2)})"
        for name in nearest_first
    )
    return ngettext(
        "{n} line. Best beta: {best}.", "{n} lines. Best beta: {best}.", len(curves)
    ).format(n=whole(len(curves)), best=_("; ").join(best))


def _notes(curves: _Curves, n_images: int) -> list[str]:
    notes = [_("One image: its curve says nothing about others.")] if n_images == 1 else []
    flat = [name for name, curve in curves.items() if len({value for _, value in curve}) == 1]
    if flat:
        notes.append(_("Beta changes nothing for {names}.").format(names=listed(flat)))
    equals = groups_of_equals({name: tuple(curve) for name, curve in curves.items()})
    return [
        *notes,
        *(_("The same curve: {names}.").format(names=listed(names)) for names in equals),
    ]


def _drawing(paper: Paper, curves: _Curves, optima: _Optima, distance: str) -> Spec:
    names, lines = list(curves), paper.theme.lines
    labels = label_width(paper, names)
    width = paper.width_pt - labels - 50
    height = max(120.0 if paper.is_wide else 100.0, 9.0 * len(names))
    low, high = _limits(curves)
    ends = {name: curve[-1][1] for name, curve in curves.items()}
    # Labels are at least 8.5 points apart.
    label_at = _spread(ends, low, high, 8.5 * (high - low) / height)
    betas = [beta for curve in curves.values() for beta, _ in curve]
    # Dashes and marks distinguish lines in greyscale, too.
    chart = drawn(
        "beta",
        paper,
        points=_points(curves),
        ends=_ends(names, optima, ends, label_at),
        width=width,
        height=height,
        x_title=_("Beta (log scale)"),
        y_title=capital(_("mean {distance}").format(distance=SHORT_DISTANCE_NAMES[distance])),
        betas=[betas[0], max(betas)],
        limits=[low, high],
        names=names,
        colours=[lines[at % len(lines)] for at in range(len(names))],
        dashes=[_DASHES[at % len(_DASHES)] for at in range(len(names))],
        shapes=[_MARKS[at % len(_MARKS)] for at in range(len(names))],
        labels=labels,
        edge=width + 1,
        edge_of_labels=width + 13,
        labels_from=width + 16,
    )
    return finished(paper, chart)


def _limits(curves: _Curves) -> tuple[float, float]:
    """Return the limits of the distance axis: the curves' range and a margin, never below 0."""
    values = [value for curve in curves.values() for _, value in curve]
    space = 0.05 * (max(values) - min(values)) or 0.5
    return max(0.0, min(values) - space), max(values) + space


def _points(curves: _Curves) -> list[dict[str, str | float]]:
    return [
        {"protocol": name, "beta": beta, "distance": value}
        for name, curve in curves.items()
        for beta, value in curve
    ]


def _ends(
    names: Sequence[str],
    optima: _Optima,
    ends: Mapping[str, float],
    label_at: Mapping[str, float],
) -> list[dict[str, str | float]]:
    """Return each protocol's best beta, the end of its line, and the position of its label."""
    return [
        {
            "protocol": name,
            "beta": optima[name][0],
            "distance": optima[name][1],
            "end": ends[name],
            "label": label_at[name],
        }
        for name in names
    ]


def _spread(wanted: Mapping[str, float], low: float, high: float, gap: float) -> dict[str, float]:
    """Return positions near the wanted ones, a gap apart and, if they fit, within [low, high]."""
    order = sorted(wanted, key=lambda name: (wanted[name], name))
    places: list[float] = []
    for name in order:
        places.append(max(wanted[name], places[-1] + gap if places else low))
    ceiling = high
    for at in reversed(range(len(places))):
        places[at] = min(places[at], ceiling)
        ceiling = places[at] - gap
    return dict(zip(order, places, strict=True))
