"""Box plots of each protocol's distances to the consensus."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

from django.utils.translation import gettext as _

from annotate.languages import in_decimals

from ..data import FigureData
from ..figure import Figure, Spec, without_drawing
from ..numbers import Distances, five_numbers, mean
from ..parts import drawn, fitted, heads_of, label_width, names_axis
from ..themes import Paper
from ..words import (
    DISTANCE_NAMES,
    counted_images,
    counted_protocols,
    identical,
    missing_images,
    one_image,
    titled,
    to_consensus,
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
    title = titled(_("Distances to the consensus"), criterion)
    missing = missing_images(distances, protocols, left_out)
    if missing:
        return without_drawing("distances", title, heads_of("distances"), missing)
    box_of = {
        name: _box(
            name,
            [of_image[name] for of_image in distances.values()],
        )
        for name in (*protocols, *baselines)
    }
    order = sorted(protocols, key=lambda name: (box_of[name].mean, name))
    boxes = [box_of[name] for name in (*order, *baselines)]
    return Figure(
        name="distances",
        title=title,
        caption=_caption(distance, criterion, len(distances), has_baselines=bool(baselines)),
        summary=_summary([box_of[name] for name in order]),
        columns=heads_of("distances"),
        rows=tuple(tuple(box) for box in boxes),
        notes=(*one_image(distances), *identical(distances, order)),
        draw=partial(_boxes, boxes=boxes, baselines={*baselines}, distance=distance),
    )


def _box(name: str, values: Sequence[float]) -> _Box:
    # Summed in ascending order, so that the mean does not depend on the order of the images.
    return _Box(name, len(values), *five_numbers(values), mean(sorted(values)))


def _caption(distance: str, criterion: str, n_images: int, *, has_baselines: bool) -> str:
    says = [
        _(
            "The {distance} of each protocol's ranking to the consensus by {criterion}, over {images}; "
            "lower is nearer to people. Box: the middle half; line: smallest to largest; bar: median; "
            "diamond: mean."
        ).format(
            distance=DISTANCE_NAMES[distance],
            criterion=_(criterion),
            images=counted_images(n_images),
        )
    ]
    if has_baselines:
        says.append(_("Paler rows are baselines."))
    return " ".join(says)


def _summary(boxes: Sequence[_Box]) -> str:
    nearest, farthest = boxes[0], boxes[-1]
    return _(
        "Box plot of {protocols}. Nearest to people on average: {nearest}, {least}; farthest: "
        "{farthest}, {most}."
    ).format(
        protocols=counted_protocols(len(boxes)),
        nearest=nearest.protocol,
        least=in_decimals(nearest.mean, 2),
        farthest=farthest.protocol,
        most=in_decimals(farthest.mean, 2),
    )


def _boxes(paper: Paper, boxes: Sequence[_Box], baselines: Collection[str], distance: str) -> Spec:
    chart = drawn(
        "distances",
        paper,
        rows=[box._asdict() | {"baseline": box.protocol in baselines} for box in boxes],
        names_axis=names_axis(label_width(paper, [box.protocol for box in boxes])),
        title=to_consensus(distance),
        largest=max(box.largest for box in boxes) or 1,
    )
    return fitted(paper, chart, height_pt=15 * len(boxes) + 34)
