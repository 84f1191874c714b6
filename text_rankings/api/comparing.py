"""Methods by protocols, with paired intervals over images, and where protocols disagree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from protocols.core.base import ImageScore, Protocol, official
from rankings.detectors.tallies import figures, parts_of_score
from rankings.inference.resampling import (
    BLOCK,
    LEVEL,
    N_RESAMPLES,
    SEED,
    percentile_limits,
    require_usable,
    resampled_weights,
)
from rankings.output.table import PROTOCOL, Column, Table, number
from text_rankings.base.image_sets import may_have_interval

from .inputs import NotData
from .scoring import Protocols, Scores, require_figure, score
from .tables import Plot, Shown, dots

Floats = NDArray[np.float64]
_SAME: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Value:
    """A method's official figure by a protocol, with its percentile interval over images."""

    protocol: str
    method: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The figure of ``first`` minus that of ``second``, on the same images of each resample."""

    protocol: str
    first: str
    second: str
    value: float | None
    low: float | None
    high: float | None

    @property
    def is_certain(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two methods that protocols order differently.

    ``for_first`` and ``for_second`` are the protocols that put the one or the other ahead;
    ``is_certain`` if on both sides a protocol's interval excludes 0.
    """

    first: str
    second: str
    for_first: tuple[str, ...]
    for_second: tuple[str, ...]
    is_certain: bool


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Shown):
    """Methods by protocols.

    Attributes
    ----------
    scores : Scores
        Of every image.
    figure : str
        "f_score", "recall" or "precision".
    values : tuple of Value
    differences : tuple of Difference
        Of every two methods, by every protocol.
    level : float
        Of the intervals.
    """

    scores: Scores
    figure: str
    values: tuple[Value, ...]
    differences: tuple[Difference, ...]
    level: float

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """Every two methods that protocols order differently, certain ones first."""
        found = []
        for first, second in combinations(self.scores.scenes, 2):
            own = [one for one in self.differences if (one.first, one.second) == (first, second)]
            ahead = [one for one in own if one.value is not None and one.value > _SAME]
            behind = [one for one in own if one.value is not None and one.value < -_SAME]
            if ahead and behind:
                is_certain = all(any(one.is_certain for one in side) for side in (ahead, behind))
                for_first, for_second = (
                    tuple(one.protocol for one in side) for side in (ahead, behind)
                )
                found.append(Disagreement(first, second, for_first, for_second, is_certain))
        return tuple(sorted(found, key=lambda one: not one.is_certain))

    def rows(self) -> list[dict[str, Any]]:
        signatures = {
            (row["protocol"], row["method"]): row["signature"] for row in self.scores.overall_rows()
        }
        return [
            {**asdict(of), "signature": signatures[of.protocol, of.method]} for of in self.values
        ]

    def tables(self) -> list[Table]:
        methods = list(self.scores.scenes)
        cell = {(one.protocol, one.method): one.value for one in self.values}
        name = self.figure.replace("_", "-").capitalize()
        note = self.scores.said_of_images
        by_protocol = Table(
            "comparison",
            f"{name} of each method",
            note,
            (PROTOCOL, *(number(method, 4) for method in methods)),
            tuple((one, *(cell[one, of] for of in methods)) for one in self.scores.protocols),
        )
        columns = (PROTOCOL, Column("First"), Column("Second"))
        limits = (number("Difference", 4), number("Low", 4), number("High", 4))
        rows = tuple(
            (one.protocol, one.first, one.second, one.value, one.low, one.high)
            for one in self.differences
        )
        note = f"First minus second; {self.level:.0%} intervals, paired over images."
        differences = Table("differences", "Differences", note, (*columns, *limits), rows)
        heads = tuple(
            map(Column, ("First", "Second", "Put first ahead", "Put second ahead", "Certain"))
        )
        disagreements = tuple(
            (
                *(one.first, one.second, ", ".join(one.for_first), ", ".join(one.for_second)),
                "yes" if one.is_certain else "no",
            )
            for one in self.disagreements
        )
        note = "Certain: on both sides an interval excludes 0."
        where = Table("disagreements", "Where protocols disagree", note, heads, disagreements)
        tables = (by_protocol, differences, where, self.scores.table_of_signatures())
        return [table for table in tables if table.rows]

    def plot(self) -> Plot:
        """Return a plot of the figure of each method and protocol with its interval."""
        return dots(self.rows(), "value", "protocol", "method", self.figure.replace("_", "-"))


def compare(
    truth: Any,
    results: Mapping[str, Any],
    protocols: Protocols = "iou",
    *,
    figure: str = "f_score",
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
    seed: int = SEED,
    **options: Any,
) -> Comparison:
    """Compare methods by protocols, with paired bootstrap intervals over images.

    Parameters
    ----------
    truth, results, protocols
        As :func:`.score` takes them, with results of two methods or more.
    figure : "f_score", "recall" or "precision"
        The official figure that is compared.
    n_resamples, level, seed
        Of the intervals; equal seeds give equal ones. Fewer than ten images give none.
    **options
        Further options of :func:`.score`.

    Raises
    ------
    ProtocolError
        As :func:`.score`; also if there are fewer than two methods.
    ValueError
        If there is no such figure.
    RankingError
        If the number of resamples or the level cannot be.

    Examples
    --------
    >>> truth = {name: [[0, 0, 100, 40]] for name in "abcdefghij"}
    >>> east = {name: [[1, 0, 100, 40]] for name in truth}
    >>> found = compare(truth, {"east": east, "blind": {}}, ["iou", "deteval"], figure="recall")
    >>> [difference] = [one for one in found.differences if one.protocol == "iou"]
    >>> difference.value, difference.low, difference.is_certain
    (1.0, 1.0, True)
    >>> found.disagreements
    ()
    """
    require_figure(figure)
    require_usable(n_resamples, level)
    scores = score(truth, results, protocols, **options)
    if len(scores.scenes) < 2:
        raise NotData("a comparison needs the results of two methods or more, in a dictionary")
    weights = _weights(len(scores.images), n_resamples, seed)
    values: list[Value] = []
    differences: list[Difference] = []
    for name, protocol in scores.protocols.items():
        own = [scores.scores[name][method] for method in scores.scenes]
        whole = np.array([_value(protocol, of, figure) for of in own])
        resampled = _resampled(protocol, own, whole, figure, weights)
        methods = list(scores.scenes)
        limits = _limits(resampled, level)
        for at, method in enumerate(methods):
            values.append(Value(name, method, _or_none(whole[at]), *limits[at]))
        pairs = list(combinations(range(len(methods)), 2))
        first, second = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
        of_pairs = _limits(resampled[:, first] - resampled[:, second], level)
        for at, (a, b) in enumerate(pairs):
            difference = _or_none(whole[a] - whole[b])
            differences.append(Difference(name, methods[a], methods[b], difference, *of_pairs[at]))
    return Comparison(scores, figure, tuple(values), tuple(differences), level)


def _weights(n: int, n_resamples: int, seed: int) -> Floats:
    """Return how often each resample holds each image: (n_resamples, n); (0, n) for few images."""
    if not may_have_interval(n):
        return np.empty((0, n))
    blocks = resampled_weights(np.random.default_rng(seed), n, n_resamples, BLOCK)
    return np.concatenate([weights for _, weights in blocks], axis=1)


def _value(protocol: Protocol, scores: Sequence[ImageScore], figure: str) -> float:
    value = getattr(official(protocol, scores), figure)
    return np.nan if value is None else float(value)


def _resampled(
    protocol: Protocol,
    scores: Sequence[Sequence[ImageScore]],
    whole: Floats,
    figure: str,
    weights: Floats,
) -> Floats:
    """Return the official figure of each resample and method: (n_resamples, methods)."""
    for parts in _parts(scores):
        if np.allclose(figures(parts.sum(axis=0), figure, 1.0), whole, rtol=0, atol=_SAME):
            sums = np.tensordot(weights, parts, axes=1)
            return figures(sums, figure, 1.0)
    # Its official figures are no quotients of sums over images.
    return np.array(
        [
            [_value(protocol, list(_repeated(own, counts)), figure) for own in scores]
            for counts in weights
        ]
    ).reshape(len(weights), len(scores))


def _parts(scores: Sequence[Sequence[ImageScore]]) -> Iterator[Floats]:
    """Yield the parts of sums over images, and of means over images: (images, methods, 4)."""
    tallies = [[one.tally for one in own] for own in scores]
    yield np.array(
        [[(of.recalled, of.n_truth, of.precise, of.n_detections) for of in own] for own in tallies],
        dtype=np.float64,
    ).swapaxes(0, 1)
    yield np.array(
        [[parts_of_score(of.recall, of.precision) for of in own] for own in scores]
    ).swapaxes(0, 1)


def _repeated(scores: Sequence[ImageScore], counts: Floats) -> Iterator[ImageScore]:
    for one, count in zip(scores, counts.tolist(), strict=True):
        for _ in range(int(count)):
            yield one


def _limits(resampled: Floats, level: float) -> list[tuple[float | None, float | None]]:
    if not len(resampled):
        return [(None, None)] * resampled.shape[1]
    low, high = percentile_limits(resampled, level)
    return list(zip(map(_or_none, low), map(_or_none, high), strict=True))


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
