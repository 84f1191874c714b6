"""Performance graphs: how recall and precision depend on each threshold ([WJ06]_, section 5)."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from .base import Protocol, Scene, f_score, official
from .errors import ParameterError

_MAX_STEPS = 1000


@dataclass(frozen=True, slots=True)
class Point:
    """The official figures of a result set at one value of a threshold; None is undefined."""

    threshold: float
    recall: float | None
    precision: float | None
    f_score: float | None


@dataclass(frozen=True, slots=True)
class Graph:
    """Figures against one threshold, and the areas under their curves.

    The area is the mean over the thresholds, as in equation (14) of [WJ06]_; None if a point is
    undefined.
    """

    parameter: str
    points: tuple[Point, ...]
    recall_area: float | None
    precision_area: float | None
    f_score_area: float | None


@dataclass(frozen=True, slots=True)
class PerformanceGraphs:
    """One graph for each threshold, with the others at their set values.

    The overall recall is the mean of the areas under the recall curves, the overall precision that
    of the precision curves; the F-score is their harmonic mean.
    """

    graphs: tuple[Graph, ...]
    recall: float | None
    precision: float | None
    f_score: float | None

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


def performance_graphs(
    protocol: Protocol, scenes: Sequence[Scene], steps: int = 20
) -> PerformanceGraphs:
    """Return a result set's figures as each threshold in turn goes from 1/steps to 1.

    Thresholds are the parameters of the protocol whose name begins with ``min_`` and whose range is
    [0, 1]. There are ``steps`` equally spaced values; the scenes are the whole result set. Raises
    ParameterError if the protocol has no threshold, or ``steps`` is outside 1 to 1000.
    """
    if not 1 <= steps <= _MAX_STEPS:
        raise ParameterError(f"steps must be in [1, {_MAX_STEPS}], got {steps}")
    names = [
        declared.name
        for declared in protocol.declared()
        if declared.name.startswith("min_") and declared.metadata.get("high") == 1.0
    ]
    if not names:
        raise ParameterError(f"{protocol.slug} has no threshold to draw graphs over")
    graphs = tuple(_graph(protocol, scenes, name, steps) for name in names)
    recall = _mean([graph.recall_area for graph in graphs])
    precision = _mean([graph.precision_area for graph in graphs])
    return PerformanceGraphs(graphs, recall, precision, f_score(recall, precision))


def _graph(protocol: Protocol, scenes: Sequence[Scene], name: str, steps: int) -> Graph:
    points = []
    for step in range(1, steps + 1):
        changed = replace(protocol, **{name: step / steps})
        overall = official(changed, changed.score(scenes))
        points.append(Point(step / steps, overall.recall, overall.precision, overall.f_score))
    return Graph(
        name,
        tuple(points),
        _mean([point.recall for point in points]),
        _mean([point.precision for point in points]),
        _mean([point.f_score for point in points]),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if len(defined) == len(values) else None
