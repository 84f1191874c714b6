"""Bootstrap intervals of the Scores, over images."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from text_rankings.base.image_sets import FEW_IMAGES as FEW_IMAGES

from ..errors import RankingError
from ..orders.packed_scores import Floats

N_RESAMPLES = 2000
LEVEL = 0.95
SEED = 2018

# Images taken at a time: the weights of 2,000 resamples are then 16 MiB.
BLOCK = 1024
# Resamples counted at a time.
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Interval:
    """A Score, None if there is no image, with its interval, None if there are too few images."""

    protocol: str
    score: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The Score of ``first`` minus that of ``second``; below 0 if ``first`` is nearer to people."""

    first: str
    second: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Intervals:
    """An interval for every Score and for every difference of two, and the settings behind them.

    Only the ``n_resamples`` that had an image were used. Annotators are not resampled.
    """

    scores: tuple[Interval, ...]
    differences: tuple[Difference, ...]
    n_images: int
    n_resamples: int
    level: float
    seed: int


def distance_table(
    distances: Mapping[str, Mapping[str, float]], protocols: Sequence[str]
) -> Floats:
    """Return the distances of a report as a matrix of shape (images, protocols).

    Other rows of a report, such as baselines, are left out. Images are in order of name, so that
    equal reports give equal tables. Raises RankingError if an image has no distance for a protocol;
    the message names both.
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
    """Return the distances, of shape (images, protocols), as an array of floats.

    Raises RankingError if there is not one column for each protocol, a name is duplicated or a
    distance is not a finite number.
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

    ``table`` of shape (images, protocols) has the distances to the consensus. A resample draws as
    many images as there are, with replacement, the same for all protocols, so that differences are
    paired. The limits are those of the resampled means. With one image there is a Score without
    limits, because one image says nothing about others. Identical protocols differ by 0, from 0 to
    0.

    Time grows with resamples x images; apart from the table, memory does not grow with the number
    of images, because images are drawn block by block (the number of a resample's images in each
    block is drawn first, which gives the same distribution).

    Raises RankingError if the table does not fit the protocols, a distance is not finite, there is
    no resample or the level is not between 0 and 1.
    """
    table = checked_table(table, protocols)
    require_usable(n_resamples, level)
    n = len(table)
    means = (table.sum(axis=0) / max(n, 1)).tolist()
    resampled = np.empty((0, len(protocols)))
    if n > 1:
        rng = np.random.default_rng(seed)
        resampled = resampled_sums(table, rng, n_resamples, BLOCK) / n

    def limits(values: Floats) -> Sequence[tuple[float | None, float | None]]:
        """Return the limits of each column."""
        if not len(values):
            return [(None, None)] * values.shape[1]
        low, high = percentile_limits(values, level).tolist()
        return list(zip(low, high, strict=True))

    def differences() -> Iterator[Difference]:
        for a, first in enumerate(protocols):
            # Protocol by protocol: all pairs at once would be a large table for each resample.
            of_later = limits(resampled[:, [a]] - resampled[:, a + 1 :])
            for b, of_pair in enumerate(of_later, a + 1):
                value = means[a] - means[b] if n else None
                yield Difference(first, protocols[b], value, *of_pair)

    return Intervals(
        scores=tuple(
            Interval(protocol, mean if n else None, *of_protocol)
            for protocol, mean, of_protocol in zip(protocols, means, limits(resampled), strict=True)
        ),
        differences=tuple(differences()),
        n_images=n,
        n_resamples=len(resampled),
        level=level,
        seed=seed,
    )


def drawn_images(images: Sequence[str], most: int, seed: int) -> list[str]:
    """Return the images in order of name; if there are more than ``most``, a random sample.

    Equal seeds draw equal images, in any order of input.
    """
    ordered = sorted(images)
    if len(ordered) <= most:
        return ordered
    drawn = np.random.default_rng(seed).choice(len(ordered), most, replace=False)
    return [ordered[at] for at in sorted(drawn.tolist())]


def require_usable(n_resamples: int, level: float) -> None:
    """Raise RankingError unless there is a resample and the level is between 0 and 1."""
    if n_resamples < 1:
        raise RankingError(f"n_resamples must be at least 1, got {n_resamples}")
    if not 0 < level < 1:
        raise RankingError(f"level must be between 0 and 1, got {level}")


def resampled_sums(table: Floats, rng: np.random.Generator, n_resamples: int, size: int) -> Floats:
    """Return the sums of a table of shape (n, k) over each resample of its n images.

    The shape is (n_resamples, k).
    """
    sums = np.zeros((n_resamples, table.shape[1]))
    for block, weights in resampled_weights(rng, len(table), n_resamples, size):
        sums += weights @ table[block]
    return sums


def percentile_limits(resampled: Floats, level: float) -> Floats:
    """Return the limits of percentile intervals over the first axis, of shape (2, ...).

    The (1 - level) / 2 and (1 + level) / 2 quantiles, interpolated linearly ([ET93]_, section
    13.3).
    """
    return np.asarray(np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2], axis=0))


def resampled_weights(
    rng: np.random.Generator, n: int, n_resamples: int, size: int
) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of ``size`` images with their weights, of shape (n_resamples, block).

    A weight says how often the resample holds the image. With weights a resampled sum is a matrix
    product, and no list of drawn images is ever kept.
    """
    starts = range(0, n, size)
    sizes = np.array([min(size, n - start) for start in starts])
    # Number of a resample's n draws in each block: (n_resamples, blocks). Drawn within the blocks
    # afterwards, they have the distribution of n draws from all images at once.
    n_drawn = rng.multinomial(n, sizes / n, size=n_resamples)
    for at, start in enumerate(starts):
        width = int(sizes[at])
        weights = np.empty((n_resamples, width))
        # Some resamples at a time, so that the counters stay in the processor's cache.
        for first in range(0, n_resamples, _AT_ONCE):
            drawn = n_drawn[first : first + _AT_ONCE, at]
            # One counter for each resample and image, all in a row: the draws of resample r fall
            # on the counters from r x width on, and a single bincount counts them all.
            cells = np.repeat(np.arange(len(drawn)) * width, drawn)
            cells += rng.integers(0, width, size=len(cells), dtype=np.int32)
            counts = np.bincount(cells, minlength=len(drawn) * width)
            weights[first : first + _AT_ONCE] = counts.reshape(-1, width)
        yield slice(start, start + width), weights
