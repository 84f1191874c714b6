"""Bootstrap intervals of the Scores, over images."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import RankingError
from ..orders.packed_scores import Floats

N_RESAMPLES = 2000
LEVEL = 0.95
SEED = 2018
# Reports show no interval of fewer images: three alike would give one of width 0.
FEW_IMAGES = 10

# Images taken at a time: the weights of 2,000 resamples are then 16 MiB.
_BLOCK = 1024
# Resamples counted at a time.
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Interval:
    """A Score with its percentile interval, or None with no image or too few for one."""

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
    """An interval for every Score and for every difference of two, and the settings behind them.

    Attributes
    ----------
    scores : tuple of Interval
        In the order of the protocols given.
    differences : tuple of Difference
        Every pair, the one given first as ``first``.
    n_resamples : int
        Resamples that had an image, and so were used.
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
        The columns; other rows of a report, such as baselines, are left out.

    Returns
    -------
    ndarray of shape (n, p)
        Images in order of name, so that equal reports give equal tables; (0, p) without an image.

    Raises
    ------
    RankingError
        If an image has no distance for a protocol; names both.

    Examples
    --------
    >>> distances = {"img_2": {"iou": 1.0, "all tied": 1.5}, "img_1": {"iou": 0.5, "all tied": 1.0}}
    >>> distance_table(distances, ["iou"]).tolist()
    [[0.5], [1.0]]
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

    Parameters
    ----------
    table : ndarray of shape (n, p)
        The distance of p protocols on n images.
    protocols : sequence of str, length p

    Raises
    ------
    RankingError
        If there is not one column for each protocol, a name is duplicated or a distance is not a
        finite number.

    Examples
    --------
    >>> checked_table(np.array([[0.5, np.nan]]), ["iou", "cleval"])
    Traceback (most recent call last):
        ...
    rankings.errors.RankingError: image 0: the distance of cleval is nan
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

    Time grows with resamples x images; apart from the table, memory does not grow with the number
    of images, because images are drawn block by block (the number of a resample's images in each
    block is drawn first, which gives the same distribution).

    Parameters
    ----------
    table : ndarray of shape (n, p)
        The distance of p protocols to the consensus on n images.
    protocols : sequence of str, length p
    n_resamples : int
        At least 1.
    level : float
        Level of the intervals, between 0 and 1.
    seed : int

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

    Examples
    --------
    >>> score_intervals(np.array([[0.5], [0.5]]), ["iou"]).scores[0]  # constant: no width
    Interval(protocol='iou', score=0.5, low=0.5, high=0.5)
    """
    table = checked_table(table, protocols)
    require_usable(n_resamples, level)
    n = len(table)
    if n < 2:
        return intervals_of(_means(table), np.empty((0, len(protocols))), protocols, n, level, seed)
    sums = np.zeros((n_resamples, len(protocols)))
    for block, weights in resampled_weights(np.random.default_rng(seed), n, n_resamples, _BLOCK):
        sums += weights @ table[block]
    return intervals_of(_means(table), sums / n, protocols, n, level, seed)


def drawn_images(images: Sequence[str], most: int, seed: int) -> list[str]:
    """Return the images in order of name, or some of them, drawn at random, where there are more.

    Parameters
    ----------
    images : sequence of str
    most : int
        Maximum number of images.
    seed : int
        Equal seeds draw equal images, in whatever order they are given.

    Examples
    --------
    >>> drawn_images(["img_2", "img_1"], 2, 0), len(drawn_images(["img_2", "img_1"], 1, 0))
    (['img_1', 'img_2'], 1)
    """
    ordered = sorted(images)
    if len(ordered) <= most:
        return ordered
    drawn = np.random.default_rng(seed).choice(len(ordered), most, replace=False)
    return [ordered[at] for at in sorted(drawn.tolist())]


def require_usable(n_resamples: int, level: float) -> None:
    """Raise RankingError unless there is a resample and the level is between 0 and 1.

    Parameters
    ----------
    n_resamples : int
    level : float

    Raises
    ------
    RankingError
        The message says which of the two cannot be.

    Examples
    --------
    >>> require_usable(1, 95)
    Traceback (most recent call last):
        ...
    rankings.errors.RankingError: level must be between 0 and 1, got 95
    """
    if n_resamples < 1:
        raise RankingError(f"n_resamples must be at least 1, got {n_resamples}")
    if not 0 < level < 1:
        raise RankingError(f"level must be between 0 and 1, got {level}")


def _means(table: Floats) -> Floats | None:
    return table.sum(axis=0) / len(table) if len(table) else None


def resampled_weights(
    rng: np.random.Generator, n: int, n_resamples: int, size: int
) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of images with their weights in each resample.

    A weight says how often the resample holds the image. With weights a resampled sum is a matrix
    product, and no list of drawn images is ever kept.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int
        The images, at least one.
    n_resamples : int
    size : int
        The images of a block.

    Yields
    ------
    slice
        The images of the block.
    ndarray of shape (n_resamples, block)

    Examples
    --------
    >>> weights = [found for _, found in resampled_weights(np.random.default_rng(0), 3, 4, 2)]
    >>> np.concatenate(weights, axis=1).sum(axis=1).tolist()  # each resample has three images
    [3.0, 3.0, 3.0, 3.0]
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


def intervals_of(
    scores: Floats | None,
    resampled: Floats,
    protocols: Sequence[str],
    n_images: int,
    level: float,
    seed: int,
    n_annotators: int | None = None,
) -> Intervals:
    """Return the intervals that resampled Scores give.

    Parameters
    ----------
    scores : ndarray of shape (p,) or None
        The Scores themselves; None without an image.
    resampled : ndarray of shape (resamples, p)
        Differences are taken within a resample, so that they are paired.
    protocols : sequence of str, length p
    n_images : int
    level : float
        Between 0 and 1.
    seed : int
        By which they were resampled; kept with the intervals.
    n_annotators : int or None
        None if the annotators are fixed.

    Examples
    --------
    >>> resampled = np.array([[0.0], [1.0], [2.0]])
    >>> intervals_of(np.array([1.0]), resampled, ["iou"], 3, 0.5, 0).scores[0]  # the quartiles
    Interval(protocol='iou', score=1.0, low=0.5, high=1.5)
    """
    quantiles = [(1 - level) / 2, (1 + level) / 2]

    def limits(values: Floats) -> tuple[tuple[float | None, ...], ...]:
        """Return the low and the high limit of each column."""
        if not len(values):
            return ((None,) * values.shape[1],) * 2
        low, high = np.quantile(values, quantiles, axis=0).tolist()
        return tuple(low), tuple(high)

    def score(at: int) -> float | None:
        return None if scores is None else float(scores[at])

    def differences() -> Iterator[Difference]:
        for a in range(len(protocols) - 1):
            later = range(a + 1, len(protocols))
            # Protocol by protocol: every pair at once would be a table of its own for each resample.
            lows, highs = limits(resampled[:, [a]] - resampled[:, a + 1 :])
            for b, low, high in zip(later, lows, highs, strict=True):
                value = None if scores is None else float(scores[a] - scores[b])
                yield Difference(protocols[a], protocols[b], value, low, high)

    lows, highs = limits(resampled)
    return Intervals(
        scores=tuple(
            Interval(protocol, score(at), lows[at], highs[at])
            for at, protocol in enumerate(protocols)
        ),
        differences=tuple(differences()),
        n_images=n_images,
        n_resamples=len(resampled),
        n_annotators=n_annotators,
        level=level,
        seed=seed,
    )
