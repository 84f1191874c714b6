"""Methods in the order of a protocol's figure, with intervals over images and paired tests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from ..errors import RankingError
from ..inference.resampling import FEW_IMAGES, LEVEL
from ..inference.significance import ALPHA, compact_letters, holm
from ..orders.packed_scores import Floats
from .tallies import N_PARTS, figures, slopes

# Official figures differ from quotients of sums by less, or are of another kind.
_SAME: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The methods by one figure of one protocol, the highest first; those without a figure are last.

    Intervals are over images. ``p_values`` of the difference of two methods are adjusted for all
    pairs by Holm's rule; None is no test. Methods that share a letter are not significantly
    different.
    """

    methods: tuple[str, ...]
    values: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    p_values: tuple[tuple[float | None, ...], ...]
    letters: tuple[str, ...] | None
    n_images: int


def leaderboard(
    sums: Floats,
    methods: Sequence[str],
    criterion: str,
    *,
    official: Sequence[float | None] | None = None,
    level: float = LEVEL,
) -> Leaderboard:
    """Order methods by a figure of a whole dataset, and test every two of them.

    A figure is a quotient of sums over images, or the F-score of two quotients. Its variance over
    images is that of its linear approximation ([Coc77]_, chapter 6): each image contributes the
    derivatives of the figure times its own parts. Intervals and tests use Student's t with n - 1
    degrees of freedom; there are none for fewer than 10 images. Tests are paired: an image
    contributes the difference of two methods. Holm's rule holds the probability of any false
    difference at 5 %.

    ``sums`` of shape (images, methods, 4) are recall credit and its divisor, precision credit and
    its divisor, as in :class:`.Tallies`; 0 if the method was not evaluated on the image.
    ``official`` figures are shown instead of the quotients. If one differs from its quotient, as an
    average precision does, there are no intervals and no tests. Raises RankingError if the shapes
    do not fit, or a sum is not a finite number.
    """
    sums = np.asarray(sums, dtype=np.float64)
    if sums.ndim != 3 or sums.shape[1:] != (len(methods), N_PARTS):
        raise RankingError(f"expected sums of shape (images, {len(methods)}, 4), got {sums.shape}")
    if not np.isfinite(sums).all():
        raise RankingError("a sum is not a finite number")
    n = len(sums)
    total = sums.sum(axis=0)
    quotients = figures(total, criterion, 1.0)
    values = list(official) if official is not None else quotients.tolist()
    if len(values) != len(methods):
        raise RankingError(f"expected {len(methods)} official figures, got {len(values)}")
    shown = np.array([np.nan if value is None else value for value in values])
    order = sorted(
        range(len(methods)), key=lambda at: (-np.nan_to_num(shown[at], nan=-1.0), methods[at])
    )
    none: list[float | None] = [None] * len(methods)
    low, high, matrix, is_tested = none, none, [none] * len(methods), False
    is_quotient = np.isnan(shown) | (np.abs(shown - quotients) <= _SAME)
    if n >= FEW_IMAGES and is_quotient.all():
        # Imported here, because scipy takes long to load.
        from scipy.special import stdtrit

        # An image's part in each figure; the parts of a method add up to 0.
        parts = np.einsum("nmp,mp->nm", sums, slopes(total, criterion, 1.0))
        half = stdtrit(n - 1, (1 + level) / 2) * _errors(parts)
        low, high = (
            [
                None if value is None else float(limit)
                for value, limit in zip(values, limits, strict=True)
            ]
            for limits in (np.maximum(shown - half, 0), np.minimum(shown + half, 1))
        )
        matrix, is_tested = _tested(shown, parts), True
    ordered = tuple(tuple(matrix[a][b] for b in order) for a in order)
    return Leaderboard(
        tuple(methods[at] for at in order),
        tuple(values[at] for at in order),
        tuple(low[at] for at in order),
        tuple(high[at] for at in order),
        ordered,
        compact_letters(range(len(order)), ordered) if is_tested else None,
        n,
    )


def _errors(parts: Floats) -> Floats:
    """Return the standard error of sums over images, from each image's part: (n, ...) to (...)."""
    n = len(parts)
    error: Floats = np.sqrt(n * parts.var(axis=0, ddof=1))
    return error


def _tested(values: Floats, parts: Floats) -> list[list[float | None]]:
    """Return Holm's p-values of the paired differences, as a symmetric matrix."""
    from scipy.special import stdtr

    n, m = parts.shape
    pairs = list(combinations(range(m), 2))
    found: list[float | None] = []
    for a, b in pairs:
        difference = abs(values[a] - values[b])
        error = _errors(parts[:, a] - parts[:, b])
        if np.isnan(difference):
            found.append(None)
        elif difference == 0:
            found.append(1.0)
        else:
            # Without any variance between images, t is infinite and p is 0.
            t = difference / error if error > 0 else np.inf
            found.append(float(2 * stdtr(n - 1, -t)))
    matrix: list[list[float | None]] = [[None] * m for _ in range(m)]
    for (a, b), p in zip(pairs, holm(found), strict=True):
        matrix[a][b] = matrix[b][a] = p
    return matrix


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two methods whose significant order depends on the protocol.

    Protocols are those by which the one or the other is significantly better.
    """

    first: str
    second: str
    for_first: tuple[str, ...]
    for_second: tuple[str, ...]


def disagreements(boards: Mapping[str, Leaderboard], *, alpha: float = ALPHA) -> list[Disagreement]:
    """Return every two methods whose order, significant by two protocols, is opposite."""
    better: dict[tuple[str, str], list[str]] = {}
    for protocol, board in boards.items():
        for pair in _told_apart(board, alpha):
            better.setdefault(pair, []).append(protocol)
    return [
        Disagreement(first, second, tuple(for_first), tuple(better[second, first]))
        for (first, second), for_first in sorted(better.items())
        if first < second and (second, first) in better
    ]


def _told_apart(board: Leaderboard, alpha: float) -> Iterator[tuple[str, str]]:
    """Yield every two methods that differ significantly, the better one first."""
    for a, b in combinations(range(len(board.methods)), 2):
        p = board.p_values[a][b]
        if p is not None and p <= alpha:
            yield board.methods[a], board.methods[b]
