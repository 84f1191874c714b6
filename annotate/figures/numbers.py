"""Numbers that several figures show."""

import statistics
from collections.abc import Mapping, Sequence

from rankings.orders.buckets import Ranking

# image -> protocol or baseline -> distance to the consensus
Distances = Mapping[str, Mapping[str, float]]
# annotator -> image -> ranking
Rankings = Mapping[str, Mapping[str, Ranking]]
Matrix = Sequence[Sequence[float | None]]


def five_numbers(values: Sequence[float]) -> tuple[float, float, float, float, float]:
    """Return the minimum, the lower quartile, the median, the upper quartile and the maximum."""
    at_least_two = values if len(values) > 1 else [*values, *values]
    lower, median, upper = statistics.quantiles(at_least_two, n=4, method="inclusive")
    return min(values), lower, median, upper, max(values)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
