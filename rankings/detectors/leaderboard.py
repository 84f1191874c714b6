"""Methods in the order of a protocol's figure, with intervals over images and paired tests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from text_rankings.base.image_sets import image_sets, may_have_interval

from ..errors import RankingError
from ..inference.resampling import LEVEL
from ..inference.significance import ALPHA, compact_letters, holm
from ..orders.packed_scores import Floats
from .tallies import N_PARTS, figures, slopes

# Official figures differ from quotients of sums by less, or are of another kind.
_SAME: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The methods by one figure of one protocol, the highest first; those without a figure are last.

    Only methods with the images of all others are ranked. Figures of fewer images follow, without
    letters and tests (:mod:`text_rankings.base.image_sets`). Intervals are over a method's own
    images. ``p_values`` of the difference of two methods are adjusted for all pairs by Holm's rule;
    None is no test. Methods that share a letter are not significantly different. ``n_images`` are
    those of any method, ``n_shared`` those of all, ``n_of`` counts each method's; if it is empty,
    every method has all.
    """

    methods: tuple[str, ...]
    values: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    p_values: tuple[tuple[float | None, ...], ...]
    letters: tuple[str, ...] | None
    n_images: int
    n_of: tuple[int, ...] = ()
    n_shared: int = 0

    def n_images_of(self, at: int) -> int:
        return self.n_of[at] if self.n_of else self.n_images

    def is_ranked(self, at: int) -> bool:
        """Return whether a method has the images of all others."""
        return self.n_images_of(at) == self.n_images

    @property
    def sets_differ(self) -> bool:
        return not all(map(self.is_ranked, range(len(self.methods))))

    def place(self, at: int) -> int | None:
        """Return a method's place, which equal figures share; None if it is not ranked, or has no figure."""
        value = self.values[at]
        return 1 + self.values.index(value) if value is not None and self.is_ranked(at) else None


def leaderboard(
    sums: Floats,
    methods: Sequence[str],
    criterion: str,
    *,
    official: Sequence[float | None] | None = None,
    is_evaluated: NDArray[np.bool_] | None = None,
    shared_only: bool = False,
    beta: float = 1.0,
) -> Leaderboard:
    """Order methods by a figure of a whole dataset, and test every two of them.

    A figure is a quotient of sums over images, or the F-score of two quotients (F_beta). Its variance over
    images is that of its linear approximation ([Coc77]_, chapter 6): each image contributes the
    derivatives of the figure times its own parts. Intervals and tests use Student's t with n - 1
    degrees of freedom; there are none for fewer than 10 images. Tests are paired: an image
    contributes the difference of two methods. Holm's rule holds the probability of any false
    difference at 5 %.

    ``sums`` of shape (images, methods, 4) are recall credit and its divisor, precision credit and
    its divisor, as in :class:`.Tallies`; 0 if the method was not evaluated on the image, which
    ``is_evaluated`` of shape (images, methods) tells from a sum of 0. ``official`` figures are shown
    instead of the quotients. If one differs from its quotient, as an average precision does, there
    are no intervals and no tests. ``shared_only`` counts the images of all methods alone; official
    figures that are no quotients are then unknown. Raises RankingError if the shapes do not fit, or
    a sum is not a finite number.
    """
    sums, is_evaluated = _checked(sums, methods, is_evaluated)
    quotients = figures(sums.sum(axis=0), criterion, beta)
    values = list(official) if official is not None else quotients.tolist()
    if len(values) != len(methods):
        raise RankingError(f"expected {len(methods)} official figures, got {len(values)}")
    shown = np.array([np.nan if value is None else value for value in values])
    is_known = ~np.isnan(shown)
    has_quotients = bool(is_known.any() and (np.abs(shown - quotients) <= _SAME)[is_known].all())
    images_of = {
        name: np.flatnonzero(is_evaluated[:, at]).tolist() for at, name in enumerate(methods)
    }
    sets = image_sets(images_of, range(len(sums)))
    if shared_only and sets.differ:
        return leaderboard(
            sums[list(sets.shared)],
            methods,
            criterion,
            official=None if has_quotients else [None] * len(methods),
            beta=beta,
        )
    ranked = [at for at, name in enumerate(methods) if sets.is_whole(name)]
    order = sorted(
        range(len(methods)),
        key=lambda at: (at not in ranked, -np.nan_to_num(shown[at], nan=-1.0), methods[at]),
    )
    limits = _Limits.none(len(methods))
    if has_quotients:
        own = np.array([sets.n_of[name] for name in methods])
        limits = _limits(sums, is_evaluated, shown, own, ranked, (criterion, beta))
    ordered = tuple(tuple(limits.p_values[a][b] for b in order) for a in order)
    letters: tuple[str, ...] | None = None
    if limits.are_tested:
        # The ranked methods come first.
        inner = tuple(row[: len(ranked)] for row in ordered[: len(ranked)])
        letters = compact_letters(range(len(ranked)), inner)
        letters = letters and (*letters, *[""] * (len(methods) - len(ranked)))
    return Leaderboard(
        tuple(methods[at] for at in order),
        tuple(values[at] for at in order),
        tuple(limits.low[at] for at in order),
        tuple(limits.high[at] for at in order),
        ordered,
        letters,
        len(sets.images) if methods else len(sums),
        tuple(sets.n_of[methods[at]] for at in order),
        len(sets.shared),
    )


def _checked(
    sums: Floats, methods: Sequence[str], is_evaluated: NDArray[np.bool_] | None
) -> tuple[Floats, NDArray[np.bool_]]:
    sums = np.asarray(sums, dtype=np.float64)
    if sums.ndim != 3 or sums.shape[1:] != (len(methods), N_PARTS):
        raise RankingError(f"expected sums of shape (images, {len(methods)}, 4), got {sums.shape}")
    if not np.isfinite(sums).all():
        raise RankingError("a sum is not a finite number")
    if is_evaluated is None:
        return sums, np.ones(sums.shape[:2], dtype=bool)
    if is_evaluated.shape != sums.shape[:2]:
        raise RankingError(
            f"expected evaluations of shape {sums.shape[:2]}, got {is_evaluated.shape}"
        )
    return sums, is_evaluated


@dataclass(frozen=True, slots=True)
class _Limits:
    """Limits of each method's figure, and the p-values of every two, in the order given."""

    low: list[float | None]
    high: list[float | None]
    p_values: list[list[float | None]]
    are_tested: bool

    @classmethod
    def none(cls, n: int) -> "_Limits":
        return cls([None] * n, [None] * n, [[None] * n for _ in range(n)], are_tested=False)


def _limits(
    sums: Floats,
    is_evaluated: NDArray[np.bool_],
    shown: Floats,
    n_of: NDArray[np.intp],
    ranked: Sequence[int],
    figure: tuple[str, float],
) -> _Limits:
    """Return intervals of methods with enough images, and tests of the ranked ones."""
    # Imported here, because scipy takes long to load.
    from scipy.special import stdtrit

    # An image's part in each figure; the parts of a method add up to 0.
    parts = np.einsum("nmp,mp->nm", sums, slopes(sums.sum(axis=0), *figure))
    found = _Limits.none(len(shown))
    for at, n in enumerate(n_of.tolist()):
        if may_have_interval(n) and not np.isnan(shown[at]):
            own = parts[is_evaluated[:, at], at]
            half = stdtrit(n - 1, (1 + LEVEL) / 2) * _errors(own)
            found.low[at] = float(max(shown[at] - half, 0))
            found.high[at] = float(min(shown[at] + half, 1))
    n = int(n_of.max(initial=0))
    if not (ranked and may_have_interval(n)):
        return found
    at_all = is_evaluated.any(axis=1)
    tested = _tested(shown[list(ranked)], parts[at_all][:, list(ranked)])
    for row, a in enumerate(ranked):
        for column, b in enumerate(ranked):
            found.p_values[a][b] = tested[row][column]
    return replace(found, are_tested=True)


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


def disagreements(boards: Mapping[str, Leaderboard]) -> list[Disagreement]:
    """Return every two methods whose order, significant by two protocols, is opposite."""
    better: dict[tuple[str, str], list[str]] = {}
    for protocol, board in boards.items():
        for pair in _told_apart(board):
            better.setdefault(pair, []).append(protocol)
    return [
        Disagreement(first, second, tuple(for_first), tuple(better[second, first]))
        for (first, second), for_first in sorted(better.items())
        if first < second and (second, first) in better
    ]


def _told_apart(board: Leaderboard) -> Iterator[tuple[str, str]]:
    """Yield every two methods that differ significantly, the better one first."""
    for a, b in combinations(range(len(board.methods)), 2):
        p = board.p_values[a][b]
        if p is not None and p <= ALPHA:
            yield board.methods[a], board.methods[b]
