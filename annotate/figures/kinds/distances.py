"""Box plots of each protocol's distances to the consensus."""

from collections.abc import Sequence

import altair as alt

from ..data import FigureData
from ..figure import Cell, Figure, without_drawing
from ..numbers import Distances, mean, quantile
from ..papers import Paper
from ..parts import fitted, label_width, names_axis
from ..words import (
    DISTANCE_NAMES,
    SHORT_DISTANCE_NAMES,
    capital,
    counted,
    identical,
    missing_images,
    one_image,
)


def figure_of(data: FigureData) -> Figure:
    table = data.table
    return distance_distribution(
        table.distances,
        data.protocols,
        baselines=[row.protocol for row in table.baselines],
        distance=data.settings.distance,
        criterion=data.criterion,
        left_out=table.left_out,
    )


def distance_distribution(
    distances: Distances,
    protocols: Sequence[str],
    *,
    baselines: Sequence[str] = (),
    distance: str = "edit",
    criterion: str = "recall",
    left_out: Sequence[tuple[str, str]] = (),
) -> Figure:
    """Return box plots of each protocol's distances over the images, the nearest first."""
    title = f"Distances to the consensus by {criterion}"
    columns = ("Protocol", "Images", "Smallest", "Quarter", "Median", "Three quarters", "Largest")
    empty = Figure("distances", title, "", "", (*columns, "Mean"), (), (), None)
    missing = missing_images(distances, protocols, left_out)
    if missing:
        return without_drawing(empty, missing)
    of_protocol = {
        name: sorted(row[name] for row in distances.values()) for name in (*protocols, *baselines)
    }
    order = sorted(protocols, key=lambda name: (mean(of_protocol[name]), name))
    rows = tuple(
        (
            name,
            len(of_protocol[name]),
            *(quantile(of_protocol[name], share) for share in (0, 0.25, 0.5, 0.75, 1)),
            mean(of_protocol[name]),
        )
        for name in (*order, *baselines)
    )
    notes = [*one_image(distances), *identical(distances, order)]
    n_images = len(distances)
    return Figure(
        name="distances",
        title=title,
        caption=(
            f"The {DISTANCE_NAMES[distance]} of each protocol's ranking to the consensus by "
            f"{criterion}, over {counted(n_images, 'image')}; lower is nearer to people. Box: the "
            "middle half; line: smallest to largest; bar: median; diamond: mean."
            + (" Paler rows are baselines." if baselines else "")
        ),
        summary=(
            f"Box plot of {counted(len(order), 'protocol')}. Nearest to people on average: "
            f"{order[0]}, {mean(of_protocol[order[0]]):.2f}; farthest: {order[-1]}, "
            f"{mean(of_protocol[order[-1]]):.2f}."
        ),
        columns=empty.columns,
        rows=rows,
        notes=tuple(notes),
        draw=lambda paper: _boxes(paper, rows, set(baselines), distance),
    )


def _boxes(
    paper: Paper, rows: Sequence[tuple[Cell, ...]], baselines: set[str], distance: str
) -> alt.TopLevelMixin:
    keys = ("protocol", "n", "smallest", "q1", "median", "q3", "largest", "mean")
    values = [dict(zip(keys, row, strict=True)) | {"baseline": row[0] in baselines} for row in rows]
    labels = label_width(paper, [str(row[0]) for row in rows])
    largest = max(value["largest"] for value in values)
    colours = paper.theme
    fill = alt.condition("datum.baseline", alt.value(colours.sunken), alt.value(colours.pale))
    edge = alt.condition("datum.baseline", alt.value(colours.soft), alt.value(colours.mark))
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("protocol:N", sort=None, title=None, axis=names_axis(labels))
    )
    title = f"{capital(SHORT_DISTANCE_NAMES[distance])} to the consensus"
    x = alt.X(
        "smallest:Q",
        title=title,
        scale=alt.Scale(domain=[0, largest or 1], nice=True, zero=True),
        axis=alt.Axis(tickCount=6, grid=True),
    )
    return fitted(
        paper,
        alt.layer(
            base.mark_rule(strokeWidth=1).encode(x=x, x2="largest:Q", color=edge),
            base.mark_bar(height=8, strokeWidth=0.75).encode(
                x=alt.X("q1:Q"), x2="q3:Q", fill=fill, stroke=edge
            ),
            base.mark_tick(thickness=2, size=10, color=colours.ink).encode(x="median:Q"),
            base.mark_point(
                shape="diamond", size=22, filled=True, fill=colours.ground, stroke=colours.ink
            ).encode(x="mean:Q"),
        ),
        height_pt=15 * len(rows) + 34,
    )
