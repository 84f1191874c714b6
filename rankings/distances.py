"""Distances between rankings that do not favour ties, and rank correlation."""

import numpy as np
from numpy.typing import NDArray

from .edit_distance import places_of
from .orders import Ranking, checked


def kemeny_distance(a: Ranking, b: Ranking) -> float:
    """Return K^(1/2) of Fagin et al. ([FKMSV06]_), the distance of Kemeny and Snell.

    1 for each pair of methods that the rankings order oppositely, 0.5 for each pair tied in exactly
    one of them. A metric, neutral towards ties; at most n (n - 1) / 2.

    Raises
    ------
    RankingError
        If a ranking is not one, or they rank different methods; names the methods.
    """
    places = places_of([checked(a), checked(b)])
    return float(kemeny_distances(places[:1], places[1:])[0])


def kemeny_distances(a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the Kemeny distance of each row of ``a`` to the same row of ``b``.

    Parameters
    ----------
    a, b : ndarray of shape (m, n)
        Bucket numbers of n methods in m rankings.

    Returns
    -------
    ndarray of shape (m,)
    """
    signs_a = np.sign(a[:, :, np.newaxis] - a[:, np.newaxis, :])
    signs_b = np.sign(b[:, :, np.newaxis] - b[:, np.newaxis, :])
    # |+1 - (-1)| = 2 for an opposite pair and 1 for a pair tied once; each pair stands twice.
    return np.asarray(np.abs(signs_a - signs_b).sum(axis=(1, 2)) / 4.0)


def kendall_tau_b(a: Ranking, b: Ranking) -> float | None:
    """Return Kendall's tau-b; None when one of the rankings ties everything.

    Raises
    ------
    RankingError
        As :func:`kemeny_distance` does.
    """
    # Imported here: it takes longer than most commands, and few of them need it.
    import scipy.stats

    first, second = places_of([checked(a), checked(b)])
    if len(set(first)) == 1 or len(set(second)) == 1:
        return None
    return float(scipy.stats.kendalltau(first, second).statistic)


def expected_kemeny_from_random_order(b: Ranking) -> float:
    """Return the mean Kemeny distance of all strict orders to ``b``: 0.5 for every pair."""
    n = sum(map(len, b))
    return n * (n - 1) / 4
