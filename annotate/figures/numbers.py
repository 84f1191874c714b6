"""Numbers that several figures show."""

from collections.abc import Iterable, Mapping, Sequence

from rankings.orders.buckets import Ranking

# image -> protocol or baseline -> distance to the consensus
Distances = Mapping[str, Mapping[str, float]]
# annotator -> image -> ranking
Rankings = Mapping[str, Mapping[str, Ranking]]
Matrix = Sequence[Sequence[float | None]]


def five_numbers(values: Iterable[float]) -> tuple[float, float, float, float, float]:
    """Return the minimum, the lower quartile, the median, the upper quartile and the maximum."""
    ordered = sorted(values)
    return (
        quantile(ordered, 0),
        quantile(ordered, 0.25),
        quantile(ordered, 0.5),
        quantile(ordered, 0.75),
        quantile(ordered, 1),
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile by linear interpolation between the two nearest values."""
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
