"""Distances between many rankings, a distance that does not favour ties, and rank correlation."""

import math
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from .buckets import Ranking, checked
from .edit_distance import compared_pairs, count_kind, edit_distances, places_of

Distance = Literal["edit", "kemeny"]
# Bytes of comparisons at a time: they stay in the processor's cache.
_TOGETHER = 2**20


def require_distance(distance: str) -> None:
    """Raise RankingError unless the distance is "edit" or "kemeny".

    Raises RankingError if it is neither.
    """
    if distance not in get_args(Distance):
        raise RankingError(f"distance must be edit or kemeny, got {distance!r}")


def distances_between(a: NDArray[Any], b: NDArray[Any], distance: Distance) -> NDArray[np.float64]:
    """Return the distance of each ranking in ``a`` to the one in the same position of ``b``.

    ``a`` and ``b`` are of shape (..., n), or broadcast to it: bucket numbers of n methods, or other
    numbers that are smaller for better methods and equal for tied ones; small integers are compared
    the fastest. The result, of shape (...), is computed part by part along the first axis, so that
    temporary memory stays small. Raises RankingError for an unknown distance.
    """
    require_distance(distance)
    measure = edit_distances if distance == "edit" else kemeny_distances
    a, b = np.broadcast_arrays(a, b)
    n = a.shape[-1]
    distances = np.empty(a.shape[:-1])
    # A ranking needs n x n comparisons of a byte; each row of the first axis holds the rankings of
    # all axes between it and the last.
    step = max(1, _TOGETHER // (n * n * math.prod(a.shape[1:-1]) or 1))
    for start in range(0, len(a), step):
        part = slice(start, start + step)
        shape = distances[part].shape
        distances[part] = measure(a[part].reshape(-1, n), b[part].reshape(-1, n)).reshape(shape)
    return distances


def kemeny_distance(a: Ranking, b: Ranking) -> float:
    """Return K^(1/2) of Fagin et al. ([FKMSV06]_), the distance of Kemeny and Snell.

    It is 1 for each pair of methods that the rankings order oppositely, plus 0.5 for each pair tied
    in exactly one of them: a metric, neutral towards ties, of at most n (n - 1) / 2.

    Parameters
    ----------
    a, b : rankings
        Rankings of the same methods: buckets, best first, of tied methods.

    Raises
    ------
    RankingError
        If a ranking is invalid, or they rank different methods; the message names the methods.

    Examples
    --------
    >>> kemeny_distance((("a",), ("b",), ("c",)), (("b", "a"), ("c",)))
    0.5
    """
    places = places_of([checked(a), checked(b)])
    return float(kemeny_distances(places[:1], places[1:])[0])


def kemeny_distances(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """Return the Kemeny distance of each row of ``a`` to the same row of ``b``, of shape (m,).

    Rows are as in :func:`.edit_distance.edit_distances`.
    """
    m, n = a.shape
    # For each of the m rankings: pairs ordered oppositely, and pairs tied in exactly one of two.
    opposite, tied_once = np.zeros((2, m), dtype=np.intp)
    for _, turned, tied_in_a, tied_in_b in compared_pairs(a, b):
        opposite += turned.sum(axis=0, dtype=count_kind(n))
        tied_once += (tied_in_a != tied_in_b).sum(axis=0, dtype=count_kind(n))
    return np.asarray(opposite + tied_once / 2.0)


def kendall_tau_b(a: Ranking, b: Ranking) -> float | None:
    """Return Kendall's tau-b; None if one of the rankings ties everything.

    Parameters
    ----------
    a, b : rankings
        Rankings of the same methods: buckets, best first, of tied methods.

    Raises
    ------
    RankingError
        As :func:`kemeny_distance` does.

    Examples
    --------
    >>> kendall_tau_b((("a",), ("b",), ("c",)), (("c",), ("b",), ("a",)))
    -1.0
    """
    first, second = (
        np.sign(np.subtract.outer(row, row)) for row in places_of([checked(a), checked(b)])
    )
    # Every pair is counted twice; concordant minus discordant pairs, over the root of the product
    # of the numbers of pairs that each side orders strictly.
    n_first, n_second = np.count_nonzero(first) // 2, np.count_nonzero(second) // 2
    if not (n_first and n_second):
        return None
    tau = int((first * second).sum()) // 2 / math.sqrt(n_first) / math.sqrt(n_second)
    return min(1.0, max(-1.0, tau))
