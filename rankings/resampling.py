"""How sure the Scores are: bootstrap intervals over images, and over images and annotators."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .distances import Distance, distances_between, require_distance
from .errors import RankingError
from .orders import Ranking, checked, require_same_methods
from .packed import dense_places, doubled_ranks_of, packed_rankings
from .packed_scores import Floats

N_RESAMPLES = 2000
LEVEL = 0.95
SEED = 2018

# So many images at a time: the weights of 2,000 resamples are then 16 MiB.
_BLOCK = 1024
_TWO_WAY_BLOCK = 256
# So many resamples at a time.
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Interval:
    """A Score with its percentile interval; None where there is no image, or too few for one."""

    protocol: str
    score: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The Score of ``first`` minus that of ``second``; below 0 where ``first`` is nearer to people."""

    first: str
    second: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Intervals:
    """An interval for every Score and for every difference of two, and what they were made from.

    Attributes
    ----------
    scores : tuple of Interval
        In the order of the protocols given.
    differences : tuple of Difference
        Every pair, the one given first as ``first``.
    n_resamples : int
        Those that could be used.
    n_annotators : int or None
        None: annotators were not resampled.
    """

    scores: tuple[Interval, ...]
    differences: tuple[Difference, ...]
    n_images: int
    n_resamples: int
    n_annotators: int | None
    level: float
    seed: int


def distance_table(
    distances: Mapping[str, Mapping[str, float]], protocols: Sequence[str]
) -> Floats:
    """Return the distances of a report as a matrix.

    Parameters
    ----------
    distances : image -> protocol or baseline -> distance
    protocols : sequence of str, length p
        The columns; what else a report holds, such as baselines, is left out.

    Returns
    -------
    ndarray of shape (n, p)
        Images in order of name, so that equal reports give equal tables; (0, p) without an image.

    Raises
    ------
    RankingError
        If an image lacks the distance of a protocol; names both.
    """
    rows = []
    for image in sorted(distances):
        row = distances[image]
        try:
            rows.append([row[protocol] for protocol in protocols])
        except KeyError as missing:
            raise RankingError(f"{image} has no distance of {missing.args[0]}") from missing
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(protocols))


def checked_table(table: Floats, protocols: Sequence[str]) -> Floats:
    """Return the distances as an array of floats.

    Raises
    ------
    RankingError
        If there is not one column for each protocol, a name stands twice or a distance is not a
        finite number.
    """
    table = np.asarray(table, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(protocols):
        raise RankingError(
            f"expected a table of {len(protocols)} columns, got one of shape {table.shape}"
        )
    if len(set(protocols)) < len(protocols):
        raise RankingError(f"a protocol stands twice in {', '.join(protocols)}")
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        row, column = wrong[0]
        raise RankingError(
            f"image {row}: the distance of {protocols[column]} is {table[row, column]}"
        )
    return table


def score_intervals(
    table: Floats,
    protocols: Sequence[str],
    *,
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
    seed: int = SEED,
) -> Intervals:
    """Return percentile bootstrap intervals over images ([ET93]_, section 13.3).

    A resample draws as many images as there are, with replacement, the same for all protocols, so
    that differences are paired. The limits are the (1 - level) / 2 and (1 + level) / 2 quantiles
    of the resampled means, interpolated linearly.

    Time grows with resamples x images; memory does not grow with the number of images beside the
    table, because images are drawn block by block (how many of a resample's images fall into each
    block is drawn first, which gives the same distribution).

    Parameters
    ----------
    table : ndarray of shape (n, p)
        The distance of p protocols to the consensus on n images.
    protocols : sequence of str, length p

    Returns
    -------
    Intervals
        Without an image there is no Score; with one image there is a Score without limits,
        because one image says nothing about others. Identical protocols differ by 0, from 0 to 0;
        constant ones have intervals of no width.

    Raises
    ------
    RankingError
        If the table does not fit the protocols, a distance is not finite, there is no resample or
        the level is not between 0 and 1.
    """
    table = checked_table(table, protocols)
    _require_usable(n_resamples, level)
    n = len(table)
    if n < 2:
        return _intervals(_means(table), np.empty((0, len(protocols))), protocols, n, level, seed)
    sums = np.zeros((n_resamples, len(protocols)))
    for block, weights in _resampled(np.random.default_rng(seed), n, n_resamples, _BLOCK):
        sums += weights @ table[block]
    return _intervals(_means(table), sums / n, protocols, n, level, seed)


def _require_usable(n_resamples: int, level: float) -> None:
    if n_resamples < 1:
        raise RankingError(f"n_resamples must be at least 1, got {n_resamples}")
    if not 0 < level < 1:
        raise RankingError(f"level must be between 0 and 1, got {level}")


def _means(table: Floats) -> Floats | None:
    return table.sum(axis=0) / len(table) if len(table) else None


def _resampled(
    rng: np.random.Generator, n: int, n_resamples: int, size: int
) -> Iterator[tuple[slice, Floats]]:
    """Yield, block by block, how often each resample holds each image: (n_resamples, block)."""
    starts = range(0, n, size)
    sizes = np.array([min(size, n - start) for start in starts])
    n_drawn = rng.multinomial(n, sizes / n, size=n_resamples)
    for at, start in enumerate(starts):
        width = int(sizes[at])
        weights = np.empty((n_resamples, width))
        # Some resamples at a time, so that what is counted stays in the processor's cache.
        for first in range(0, n_resamples, _AT_ONCE):
            drawn = n_drawn[first : first + _AT_ONCE, at]
            cells = np.repeat(np.arange(len(drawn)) * width, drawn)
            cells += rng.integers(0, width, size=len(cells), dtype=np.int32)
            counts = np.bincount(cells, minlength=len(drawn) * width)
            weights[first : first + _AT_ONCE] = counts.reshape(-1, width)
        yield slice(start, start + width), weights


def _intervals(
    scores: Floats | None,
    resampled: Floats,
    protocols: Sequence[str],
    n_images: int,
    level: float,
    seed: int,
    n_annotators: int | None = None,
) -> Intervals:
    quantiles = [(1 - level) / 2, (1 + level) / 2]

    def limits(values: Floats) -> tuple[float | None, float | None]:
        if not len(values):
            return None, None
        low, high = np.quantile(values, quantiles)
        return float(low), float(high)

    def score(at: int) -> float | None:
        return None if scores is None else float(scores[at])

    return Intervals(
        scores=tuple(
            Interval(protocol, score(at), *limits(resampled[:, at]))
            for at, protocol in enumerate(protocols)
        ),
        differences=tuple(
            Difference(
                protocols[a],
                protocols[b],
                None if scores is None else float(scores[a] - scores[b]),
                *limits(resampled[:, a] - resampled[:, b]),
            )
            for a, b in combinations(range(len(protocols)), 2)
        ),
        n_images=n_images,
        n_resamples=len(resampled),
        n_annotators=n_annotators,
        level=level,
        seed=seed,
    )


def two_way_intervals(
    annotator_rankings: Mapping[str, Mapping[str, Ranking]],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    *,
    distance: Distance = "edit",
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
    seed: int = SEED,
) -> Intervals:
    """Return bootstrap intervals over images and annotators at once.

    Each resample draws images and, independently, annotators of the whole study, both with
    replacement ([Owe07]_). An annotator drawn twice counts twice in the mean ranks of every image
    that he or she ranked. An image none of whose annotators was drawn is not in that resample; a
    resample without any image is not used. With few annotators the interval is rough: three give
    ten different draws.

    The mean-rank consensus of a draw is a weighted sum of integers (doubled ranks). It depends on
    the draw only through the image's own annotators, and draws in the same proportion agree, so
    every image is aggregated once for each different proportion: with three annotators ten times
    whatever the number of resamples, with many at most once for each resample. Time: images x
    proportions x (methods + protocols x methods^2) + resamples x images x protocols. Memory:
    proportions x protocols for 256 images at a time.

    Parameters
    ----------
    annotator_rankings : image -> annotator -> ranking
    protocol_rankings : image -> protocol -> ranking
        For every image above, the same protocols; other images are not looked at.
    distance : "edit" or "kemeny"

    Returns
    -------
    Intervals
        Protocols in order of name. As :func:`score_intervals`; no limits with a single annotator
        either, who says nothing about others.

    Raises
    ------
    RankingError
        If an image has no ranking, its rankings are of different methods, a protocol's ranking is
        missing, or a setting cannot be; names the image.
    """
    _require_usable(n_resamples, level)
    require_distance(distance)
    images = sorted(annotator_rankings)
    protocols = _common_protocols(images, protocol_rankings)
    annotators = sorted({name for of in annotator_rankings.values() for name in of})
    n, n_annotators = len(images), len(annotators)
    rng = np.random.default_rng(seed)
    alone = n < 2 or n_annotators < 2
    one = np.ones((1, n_annotators), dtype=np.intp)
    if alone:
        patterns, pattern_of = one[:0], np.empty(0, dtype=np.intp)
    else:
        drawn = rng.multinomial(n_annotators, np.full(n_annotators, 1 / n_annotators), n_resamples)
        patterns, pattern_of = np.unique(drawn, axis=0, return_inverse=True)
    sums = np.zeros((len(pattern_of), len(protocols)))
    n_used = np.zeros(len(pattern_of))
    total = np.zeros(len(protocols))
    blocks: Iterator[tuple[slice, Floats]] = (
        iter([(slice(0, n), np.empty((0, n)))])
        if alone
        else _resampled(rng, n, n_resamples, _TWO_WAY_BLOCK)
    )
    members = _members(pattern_of, len(patterns))
    for block, weights in blocks:
        chosen = images[block]
        # The first pattern is everybody once: the Score itself.
        table, counted = _tables(
            chosen,
            annotator_rankings,
            protocol_rankings,
            annotators,
            protocols,
            np.concatenate([one, patterns]),
            distance,
        )
        total += table[0].sum(axis=0)
        for at, rows in enumerate(members, 1):
            present = weights[rows] * counted[at]
            sums[rows] += present @ table[at]
            n_used[rows] += present.sum(axis=1)
    used = n_used > 0
    resampled = sums[used] / n_used[used, np.newaxis]
    return _intervals(total / n if n else None, resampled, protocols, n, level, seed, n_annotators)


def _common_protocols(
    images: Sequence[str], protocol_rankings: Mapping[str, Mapping[str, Ranking]]
) -> list[str]:
    if not images:
        return sorted({name for of in protocol_rankings.values() for name in of})
    expected = set(protocol_rankings.get(images[0], {}))
    for image in images:
        differing = expected ^ set(protocol_rankings.get(image, {}))
        if differing:
            raise RankingError(
                f"{image}: not ranked on every image by {', '.join(sorted(differing))}"
            )
    return sorted(expected)


def _members(group_of: NDArray[np.intp], n_groups: int) -> list[NDArray[np.intp]]:
    order = np.argsort(group_of, kind="stable")
    ends = np.cumsum(np.bincount(group_of, minlength=n_groups))
    return np.split(order, ends[:-1]) if n_groups else []


def _tables(
    images: Sequence[str],
    annotator_rankings: Mapping[str, Mapping[str, Ranking]],
    protocol_rankings: Mapping[str, Mapping[str, Ranking]],
    annotators: Sequence[str],
    protocols: Sequence[str],
    patterns: NDArray[np.intp],
    distance: Distance,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the distances for each pattern of annotators, and which images have a consensus.

    Shapes (patterns, images, protocols) and (patterns, images).
    """
    column = {name: at for at, name in enumerate(annotators)}
    # Of each image those of people, in order of name, then those of the protocols.
    rankings = [
        [
            *(annotator_rankings[image][name] for name in sorted(annotator_rankings[image])),
            *(protocol_rankings[image][protocol] for protocol in protocols),
        ]
        for image in images
    ]

    def refuse(at: int) -> None:
        try:
            require_same_methods(*map(checked, rankings[at]))
        except RankingError as refusal:
            raise RankingError(f"{images[at]}: {refusal}") from refusal

    for image in images:
        if not annotator_rankings[image]:
            raise RankingError(f"{image} has no ranking")
    table = np.zeros((len(patterns), len(images), len(protocols)))
    counted = np.zeros((len(patterns), len(images)), dtype=bool)
    for group in packed_rankings(rankings, refuse):
        teams: dict[tuple[str, ...], list[int]] = {}
        for at, row in enumerate(group.rows.tolist()):
            teams.setdefault(tuple(sorted(annotator_rankings[images[row]])), []).append(at)
        for team, of_team in teams.items():
            places, rows = group.places[of_team], group.rows[of_team]
            own = patterns[:, [column[name] for name in team]]
            common = np.gcd.reduce(own, axis=1)
            weights, weights_of = np.unique(
                own // np.maximum(common, 1)[:, np.newaxis], axis=0, return_inverse=True
            )
            ranks = doubled_ranks_of(places[:, : len(team)])
            # Mean ranks are in the order of sums.
            goals = dense_places(np.einsum("qa,gan->qgn", weights, ranks))[:, :, np.newaxis]
            found = distances_between(places[:, len(team) :], goals, distance)
            table[:, rows] = found[weights_of]
            counted[:, rows] = (common > 0)[:, np.newaxis]
    return table, counted
