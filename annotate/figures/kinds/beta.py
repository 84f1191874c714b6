"""Each protocol's mean distance to the preference consensus as beta grows."""

from collections.abc import Mapping, Sequence
from typing import Final

import altair as alt

from rankings.tuning import beta_search

from ..data import FigureData, noted_as_live
from ..figure import Cell, Figure, without_drawing
from ..papers import Paper
from ..parts import config, label_width
from ..words import (
    DISTANCE_NAMES,
    SHORT_DISTANCE_NAMES,
    counted,
    groups_of_equals,
    listed,
    missing_images,
)

_MARKS: Final = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
_DASHES: Final = ([1, 0], [5, 2], [1.5, 1.5], [7, 2, 1.5, 2], [3, 1.5], [9, 3], [4, 1.5, 1, 1.5])


def figure_of(data: FigureData) -> Figure:
    table = data.preference
    if data.kept_betas:
        return beta_curves(
            {one["protocol"]: tuple(map(tuple, one["curve"])) for one in data.kept_betas},
            {
                one["protocol"]: (one["beta"], one["score"])
                for one in data.kept_betas
                if one["beta"] is not None and one["score"] is not None
            },
            distance=data.settings.distance,
            n_images=table.n_images,
            left_out=table.left_out,
        )
    searched = beta_search(
        data.scores,
        table.consensus,
        decimals=data.settings.decimals,
        distance=data.settings.distance,
    )
    figure = beta_curves(
        {found.protocol: found.curve for found in searched},
        {
            found.protocol: (found.beta, found.score)
            for found in searched
            if found.beta is not None and found.score is not None
        },
        distance=data.settings.distance,
        n_images=table.n_images,
        left_out=table.left_out,
    )
    return noted_as_live(figure, data)


def beta_curves(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    best: Mapping[str, tuple[float, float]],
    *,
    distance: str = "edit",
    n_images: int,
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return each protocol's mean distance to the preference consensus as beta grows.

    Parameters
    ----------
    curves : protocol -> (beta, mean distance), betas ascending
    best : protocol -> (beta, mean distance) of its optimum
    """
    title = "Recall or precision: the F‑score's beta against preference"
    columns = ("Beta", *curves)
    empty = Figure("beta", title, "", "", columns, (), (), None)
    missing = missing_images(range(n_images), tuple(curves), left_out)
    if missing:
        return without_drawing(empty, missing)
    betas = [beta for beta, _ in next(iter(curves.values()))]
    rows: list[tuple[Cell, ...]] = [
        (beta, *(curve[at][1] for curve in curves.values())) for at, beta in enumerate(betas)
    ]
    notes = ["One image: its curve says nothing about others."] if n_images == 1 else []
    flat = [name for name, curve in curves.items() if len({value for _, value in curve}) == 1]
    if flat:
        notes.append(f"Beta changes nothing for {listed(flat)}.")
    notes += [
        f"The same curve: {listed(group)}."
        for group in groups_of_equals({name: tuple(curve) for name, curve in curves.items()})
    ]
    order = sorted(best, key=lambda name: (best[name][1], name))
    return Figure(
        name="beta",
        title=title,
        caption=(
            f"Mean {DISTANCE_NAMES[distance]} between the preference consensus and the ranking by "
            f"F-score, over {counted(n_images, 'image')}, as beta weighs recall more (right) or "
            "precision more (left). Mark: each protocol's best beta."
        ),
        summary=f"{counted(len(curves), 'line')}. Best beta: "
        + "; ".join(f"{name} {best[name][0]:.2f} ({best[name][1]:.2f})" for name in order)
        + ".",
        columns=columns,
        rows=tuple(rows),
        notes=tuple(notes),
        draw=lambda paper: _curves(paper, curves, best, distance),
    )


def _curves(
    paper: Paper,
    curves: Mapping[str, Sequence[tuple[float, float]]],
    best: Mapping[str, tuple[float, float]],
    distance: str,
) -> alt.TopLevelMixin:
    names = list(curves)
    labels = label_width(paper, names)
    width = paper.width_pt - labels - 50
    height = max(120.0 if paper.is_wide else 100.0, 9.0 * len(names))
    every = [value for curve in curves.values() for _, value in curve]
    space = 0.05 * (max(every) - min(every)) or 0.5
    low, high = max(0.0, min(every) - space), max(every) + space
    last = {name: curve[-1][1] for name, curve in curves.items()}
    label_at = _spread(last, low, high, 8.5 * (high - low) / height)
    style = {name: _style(paper, at) for at, name in enumerate(names)}
    lines = [
        {"protocol": name, "beta": beta, "distance": value}
        for name, curve in curves.items()
        for beta, value in curve
    ]
    ends = [
        {"protocol": name, "beta": best[name][0], "distance": best[name][1], "end": last[name]}
        | {"label": label_at[name]}
        for name in names
    ]
    colour = alt.Color(
        "protocol:N",
        legend=None,
        scale=alt.Scale(domain=names, range=[style[name][0] for name in names]),
    )
    dash = alt.StrokeDash(
        "protocol:N",
        legend=None,
        scale=alt.Scale(domain=names, range=[style[name][1] for name in names]),
    )
    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    lowest, highest = lines[0]["beta"], max(line["beta"] for line in lines)
    x = alt.X(
        "beta:Q",
        title="Beta (log scale)",
        scale=alt.Scale(type="log", base=2, domain=[lowest, highest], nice=False),
        axis=alt.Axis(
            values=[1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8],
            labelExpr="datum.value < 1 ? '1/' + format(1 / datum.value, 'd')"
            " : format(datum.value, 'd')",
        ),
    )
    y = alt.Y(
        "distance:Q",
        title=f"Mean {SHORT_DISTANCE_NAMES[distance]}",
        scale=scale,
        axis=alt.Axis(tickCount=5),
    )
    ending = alt.Chart(alt.Data(values=ends))
    return (
        alt.layer(
            alt.Chart(alt.Data(values=lines))
            .mark_line(strokeWidth=1.25)
            .encode(x=x, y=y, color=colour, strokeDash=dash),
            ending.mark_point(size=28, filled=True, opacity=1).encode(
                x=x,
                y=y,
                color=colour,
                shape=alt.Shape(
                    "protocol:N",
                    legend=None,
                    scale=alt.Scale(domain=names, range=[style[name][2] for name in names]),
                ),
            ),
            ending.mark_rule(strokeWidth=0.75).encode(
                x=alt.value(width + 1),
                x2=alt.value(width + 13),
                y=alt.Y("end:Q", scale=scale),
                y2="label:Q",
                color=colour,
                strokeDash=dash,
            ),
            ending.mark_text(
                align="left", baseline="middle", limit=labels, color=paper.theme.ink
            ).encode(x=alt.value(width + 16), y=alt.Y("label:Q", scale=scale), text="protocol:N"),
        )
        .properties(width=width, height=height)
        .configure(**config(paper))
    )


def _style(paper: Paper, at: int) -> tuple[str, list[float], str]:
    """Return colour, dash and mark of the line number ``at``: they differ in grey, too."""
    lines = paper.theme.lines
    return lines[at % len(lines)], _DASHES[at % len(_DASHES)], _MARKS[at % len(_MARKS)]


def _spread(wanted: Mapping[str, float], low: float, high: float, gap: float) -> dict[str, float]:
    """Return places near the wanted ones, within [low, high] and a gap apart as far as that goes."""
    order = sorted(wanted, key=lambda name: (wanted[name], name))
    places: list[float] = []
    for name in order:
        places.append(max(wanted[name], places[-1] + gap if places else low))
    ceiling = high
    for at in reversed(range(len(places))):
        places[at] = min(places[at], ceiling)
        ceiling = places[at] - gap
    return dict(zip(order, places, strict=True))
