"""Box plots of each protocol's distances to the consensus."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

from ..data import FigureData
from ..figure import Figure, Spec, without_drawing
from ..numbers import Distances, five_numbers, mean
from ..papers import Paper
from ..parts import data_of, fitted, label_width, marks, names_axis, nominal, quantitative
from ..words import (
    DISTANCE_NAMES,
    SHORT_DISTANCE_NAMES,
    capital,
    counted,
    identical,
    missing_images,
    one_image,
)

_COLUMNS = (
    "Protocol",
    "Images",
    "Smallest",
    "Quarter",
    "Median",
    "Three quarters",
    "Largest",
    "Mean",
)


class _Box(NamedTuple):
    """A protocol's or baseline's distances over all images."""

    protocol: str
    n: int
    smallest: float
    q1: float
    median: float
    q3: float
    largest: float
    mean: float


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
    missing = missing_images(distances, protocols, left_out)
    if missing:
        return without_drawing("distances", title, _COLUMNS, missing)
    box_of = {
        name: _box(name, [of_image[name] for of_image in distances.values()])
        for name in (*protocols, *baselines)
    }
    order = sorted(protocols, key=lambda name: (box_of[name].mean, name))
    boxes = [box_of[name] for name in (*order, *baselines)]
    return Figure(
        name="distances",
        title=title,
        caption=_caption(distance, criterion, len(distances), has_baselines=bool(baselines)),
        summary=_summary([box_of[name] for name in order]),
        columns=_COLUMNS,
        rows=tuple(tuple(box) for box in boxes),
        notes=(*one_image(distances), *identical(distances, order)),
        draw=partial(_boxes, boxes=boxes, baselines=set(baselines), distance=distance),
    )


def _box(name: str, values: Sequence[float]) -> _Box:
    # Added up in ascending order, so that the mean does not hang on the order of the images.
    return _Box(name, len(values), *five_numbers(values), mean(sorted(values)))


def _caption(distance: str, criterion: str, n_images: int, *, has_baselines: bool) -> str:
    return (
        f"The {DISTANCE_NAMES[distance]} of each protocol's ranking to the consensus by "
        f"{criterion}, over {counted(n_images, 'image')}; lower is nearer to people. Box: the "
        "middle half; line: smallest to largest; bar: median; diamond: mean."
        + (" Paler rows are baselines." if has_baselines else "")
    )


def _summary(boxes: Sequence[_Box]) -> str:
    nearest, farthest = boxes[0], boxes[-1]
    return (
        f"Box plot of {counted(len(boxes), 'protocol')}. Nearest to people on average: "
        f"{nearest.protocol}, {nearest.mean:.2f}; farthest: {farthest.protocol}, "
        f"{farthest.mean:.2f}."
    )


def _boxes(paper: Paper, boxes: Sequence[_Box], baselines: Collection[str], distance: str) -> Spec:
    labels = label_width(paper, [box.protocol for box in boxes])
    largest = max(box.largest for box in boxes)
    theme = paper.theme
    fill = _for_baselines(theme.sunken, others=theme.pale)
    edge = _for_baselines(theme.soft, others=theme.mark)
    x = quantitative(
        "smallest",
        title=f"{capital(SHORT_DISTANCE_NAMES[distance])} to the consensus",
        scale={"domain": [0, largest or 1], "nice": True, "zero": True},
        axis={"tickCount": 6, "grid": True},
    )
    line = {"x": x, "x2": {"field": "largest"}, "color": edge}
    box = {"x": quantitative("q1"), "x2": {"field": "q3"}, "fill": fill, "stroke": edge}
    diamond = {"shape": "diamond", "size": 22, "fill": theme.ground, "stroke": theme.ink}
    chart = {
        "data": data_of([box._asdict() | {"baseline": box.protocol in baselines} for box in boxes]),
        "encoding": {"y": nominal("protocol", sort=None, title=None, axis=names_axis(labels))},
        "layer": [
            marks("rule", line, strokeWidth=1),
            marks("bar", box, height=8, strokeWidth=0.75),
            marks("tick", {"x": quantitative("median")}, thickness=2, size=10, color=theme.ink),
            marks("point", {"x": quantitative("mean")}, filled=True, **diamond),
        ],
    }
    return fitted(paper, chart, height_pt=15 * len(boxes) + 34)


def _for_baselines(colour: str, *, others: str) -> Spec:
    return {"condition": {"test": "datum.baseline", "value": colour}, "value": others}
