"""The columns of the main table, each declared once: Best, Worst and Score ([DPTF18]_, section IV)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..orders.packed_scores import Floats

Number = int | float | None


@dataclass(frozen=True, slots=True)
class Measure:
    """A column of the main table: a line in MEASURES and a function make a new one.

    Attributes
    ----------
    name : str
        In data: CSV, JSON and the API.
    heading : str
        In tables for people.
    of : function
        From distances of shape (images, protocols) to a number for each protocol.
    best : max or min
        The function that chooses the best of several numbers.
    decimals : int
        In tables for people; 0 for counts.
    says : str
        What a number is, without a verb.
    is_relative : bool
        Whether it compares a protocol with the others; baselines have none.
    """

    name: str
    heading: str
    of: Callable[[Floats], Sequence[Number]]
    best: Callable[..., Any]
    decimals: int
    says: str
    is_relative: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table, numbers by the names of measures; those that are undefined are None."""

    protocol: str
    numbers: Mapping[str, Number]

    @property
    def best(self) -> Number:
        return self.numbers["best"]

    @property
    def worst(self) -> Number:
        return self.numbers["worst"]

    @property
    def score(self) -> float | None:
        return self.numbers["score"]

    @property
    def cells(self) -> tuple[Any, ...]:
        """The protocol and its numbers, in the order of MEASURES."""
        return (self.protocol, *(self.numbers[measure.name] for measure in MEASURES))

    def to_json(self) -> dict[str, Any]:
        return {"protocol": self.protocol, **self.numbers}


def row_from_json(data: Mapping[str, Any]) -> Row:
    """Restore a row; a measure that it was stored without is None."""
    return Row(data["protocol"], {measure.name: data.get(measure.name) for measure in MEASURES})


def protocol_rows(protocols: Sequence[str], table: Floats) -> tuple[Row, ...]:
    """Return the rows of protocols, nearest to people first.

    Parameters
    ----------
    protocols : sequence of str
    table : ndarray of shape (images, protocols)
        Distances to the consensus.
    """
    if not protocols:
        return ()
    rows = _rows(protocols, {measure.name: measure.of(table) for measure in MEASURES})
    return tuple(sorted(rows, key=lambda row: (row.score, row.protocol)) if len(table) else rows)


def baseline_rows(names: Sequence[str], table: Floats) -> tuple[Row, ...]:
    """Return the rows of baselines, which no protocol is compared with.

    Parameters
    ----------
    names : sequence of str
    table : ndarray of shape (images, baselines)
        Distances to the consensus.
    """
    undefined = [None] * len(names)
    numbers = {one.name: undefined if one.is_relative else one.of(table) for one in MEASURES}
    return tuple(_rows(names, numbers))


def _rows(names: Sequence[str], numbers: Mapping[str, Sequence[Number]]) -> list[Row]:
    return [
        Row(name, {measure: of_each[at] for measure, of_each in numbers.items()})
        for at, name in enumerate(names)
    ]


def _n_nearest(table: Floats) -> list[int]:
    # Distances are multiples of 1/2, so equal ones compare equal and tied protocols all count.
    counts: list[int] = (table == table.min(axis=1, keepdims=True)).sum(axis=0).tolist()
    return counts


def _n_farthest(table: Floats) -> list[int]:
    counts: list[int] = (table == table.max(axis=1, keepdims=True)).sum(axis=0).tolist()
    return counts


def _mean(table: Floats) -> list[float | None]:
    # Distances are multiples of a quarter: their sum is exact, and only the division rounds.
    return [float(sum_) / len(table) if len(table) else None for sum_ in table.sum(axis=0)]


MEASURES: Final = (
    Measure(
        *("best", "Best", _n_nearest, max, 0),
        "images on which the protocol is nearest to people, ties included",
        is_relative=True,
    ),
    Measure(
        *("worst", "Worst", _n_farthest, min, 0),
        "images on which it is farthest from people, ties included",
        is_relative=True,
    ),
    Measure(
        *("score", "Score", _mean, min, 2),
        "mean distance to people's consensus over the images; lower is better",
    ),
    # Columns that the paper does not have follow here.
)
# The measures of the paper, which captions and notes explain in one sentence.
OF_THE_PAPER: Final = ("best", "worst", "score")


def further_measures() -> list[Measure]:
    """Return the measures that the paper does not have."""
    return [measure for measure in MEASURES if measure.name not in OF_THE_PAPER]
