"""Which protocols are told apart while a study runs, by confidence sequences that may be looked at any time.

The asymptotic confidence sequence of [WSAR24]_ for the mean difference of two protocols over images, with
s_t the standard deviation of the first t images' differences::

    mean +- s_t sqrt(2 (t rho^2 + 1) / (t^2 rho^2) log(sqrt(t rho^2 + 1) / alpha))

With probability 1 - alpha it holds the true mean at all t at once, so that nobody errs more often by
looking after every image. That is so for t large; it is not looked at before :data:`FIRST` images.
Images are random, the annotators are all there are: nothing is said of others. alpha is shared out
evenly among the pairs of protocols (Bonferroni), so that it bounds the risk of any wrong decision.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .errors import RankingError
from .multi_reader import PersonalDistances
from .packed_scores import Floats
from .significance import ALPHA

# Images before which nothing is decided.
FIRST: Final = 20
RHO: Final = 0.25
# Farther ahead nothing is foretold.
_FARTHEST: Final = 1_000_000
# Numbers held at a time: images x pairs of protocols.
_TOGETHER: Final = 2**22


@dataclass(frozen=True, slots=True)
class PairSequence:
    """How far two protocols are told apart.

    Attributes
    ----------
    difference : float or None
        Mean over images of the distance of ``first`` minus that of ``second``; None without an image.
    half_width : float or None
        Of the confidence sequence now; None before :data:`FIRST` images.
    decided_at : int or None
        The number of images after which the sequence first left out 0. What was decided stays so.
    nearer : str or None
        The protocol that the decision calls nearer to these annotators.
    images_more : int or None
        About so many images more decide an undecided pair, if they differ as they have so far; None
        where that is not foreseeable.
    """

    first: str
    second: str
    difference: float | None
    half_width: float | None = None
    decided_at: int | None = None
    nearer: str | None = None
    images_more: int | None = None


@dataclass(frozen=True, slots=True)
class Decisions:
    """Every pair of protocols, in the order of the protocols, after so many images."""

    pairs: tuple[PairSequence, ...]
    n_images: int
    n_annotators: int
    alpha: float

    @property
    def n_decided(self) -> int:
        return sum(pair.decided_at is not None for pair in self.pairs)

    @property
    def upcoming(self) -> tuple[PairSequence, ...]:
        """The undecided pairs whose decision is foreseeable, the next first."""
        waiting = [pair for pair in self.pairs if pair.images_more is not None]
        return tuple(sorted(waiting, key=lambda pair: pair.images_more or 0))


def half_width(
    t: NDArray[np.intp] | int, deviation: Floats | float, alpha: float, *, rho: float = RHO
) -> Floats:
    """Return half the width of the confidence sequence after t images.

    Parameters
    ----------
    t : int, or ndarray of int of a shape that fits
        At least 1.
    deviation : float or ndarray
        The standard deviation of the differences so far.
    alpha : float
        The risk of leaving out the truth at any time, between 0 and 1.
    rho : float
        Above 0; the larger, the sooner the sequence is narrow, and the wider it stays.

    Returns
    -------
    ndarray, of the shape of the two together
        In the unit of the deviation.

    Examples
    --------
    >>> float(half_width(100, 1.0, 0.05).round(4))  # 100 rho^2 + 1 is 7.25
    0.3041
    >>> float(np.sqrt(2 * 7.25 / 25**2 * np.log(7.25**0.5 / 0.05)).round(4))
    0.3041
    """
    t = np.asarray(t, dtype=np.float64)
    scaled = t * rho**2 + 1
    root = 2 * scaled / (t * rho) ** 2 * np.log(np.sqrt(scaled) / alpha)
    return np.asarray(deviation * np.sqrt(root))


def decisions(measured: PersonalDistances, *, alpha: float = ALPHA) -> Decisions:
    """Return what is decided of every pair of protocols after the images so far.

    Parameters
    ----------
    measured : PersonalDistances
        Images numbered in the order in which they came; an image's difference is the mean over its
        annotators.
    alpha : float
        The risk of any wrong decision, of all pairs and at all times.

    Raises
    ------
    RankingError
        If alpha is not between 0 and 1.

    Examples
    --------
    The first protocol is 1 or 2 nearer, in turn: decided as soon as anything is.

    >>> numbers, annotator = np.arange(40), np.zeros(40, dtype=int)
    >>> apart = np.array([[0.0, 1], [0, 2]] * 20)
    >>> [pair] = decisions(PersonalDistances(("p", "q"), numbers, annotator, apart)).pairs
    >>> pair.difference, pair.decided_at, pair.nearer
    (-1.5, 20, 'p')
    """
    if not 0 < alpha < 1:
        raise RankingError(f"alpha must be between 0 and 1, got {alpha}")
    names = list(combinations(measured.protocols, 2))
    _, image_of, counts = np.unique(measured.images, return_inverse=True, return_counts=True)
    means = np.zeros((len(counts), len(measured.protocols)))
    np.add.at(means, image_of, measured.distances)
    means /= counts[:, np.newaxis]
    first, second = np.triu_indices(len(measured.protocols), 1)
    own = alpha / max(1, len(names))
    step = max(1, _TOGETHER // max(1, len(counts)))
    pairs: list[PairSequence] = []
    for start in range(0, len(names), step):
        part = slice(start, start + step)
        differences = means[:, first[part]] - means[:, second[part]]
        pairs += _sequences(names[part], differences, own)
    return Decisions(tuple(pairs), len(counts), len(np.unique(measured.annotators)), alpha)


def running(differences: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of the first 1, 2, ... rows, both of the same shape.

    Examples
    --------
    >>> means, deviations = running(np.array([1.0, 3.0]))
    >>> means.tolist(), deviations.tolist()
    ([1.0, 2.0], [0.0, 1.0])
    """
    t = np.arange(1, len(differences) + 1).reshape(-1, *[1] * (differences.ndim - 1))
    # Around the first row, so that little is lost where differences are nearly the same.
    moved = differences - differences[:1]
    means = np.cumsum(moved, axis=0) / t
    squares = np.cumsum(moved**2, axis=0) / t
    return means + differences[:1], np.sqrt(np.maximum(squares - means**2, 0))


def _sequences(
    names: list[tuple[str, str]], differences: Floats, alpha: float
) -> list[PairSequence]:
    """Return the sequences of some pairs; differences are (images, pairs) in the order of images."""
    n = len(differences)
    if n < FIRST:
        means = differences.mean(axis=0).tolist() if n else [None] * len(names)
        return [PairSequence(a, b, mean) for (a, b), mean in zip(names, means, strict=True)]
    means, deviations = running(differences)
    t = np.arange(FIRST, n + 1)[:, np.newaxis]
    widths = half_width(t, deviations[FIRST - 1 :], alpha)
    # Without any spread nothing is known of it.
    leaves_out = (np.abs(means[FIRST - 1 :]) > widths) & (deviations[FIRST - 1 :] > 0)
    found = []
    for at, (a, b) in enumerate(names):
        mean, width = float(means[-1, at]), float(widths[-1, at])
        if leaves_out[:, at].any():
            when = int(leaves_out[:, at].argmax()) + FIRST
            nearer = a if means[when - 1, at] < 0 else b
            found.append(PairSequence(a, b, mean, width, when, nearer))
        else:
            more = _images_more(n, abs(mean), float(deviations[-1, at]), alpha)
            found.append(PairSequence(a, b, mean, width, images_more=more))
    return found


def _images_more(n: int, difference: float, deviation: float, alpha: float) -> int | None:
    """Return after how many images more a difference like this leaves out 0."""
    if not (difference and deviation):
        return None
    low, high = n, n + 1
    while half_width(high, deviation, alpha) >= difference:
        if high > _FARTHEST:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if half_width(middle, deviation, alpha) >= difference:
            low = middle
        else:
            high = middle
    return high - n
