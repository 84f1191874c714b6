"""Quantiles of the studentized range for infinitely many degrees of freedom.

``scipy.stats``, which has them, takes a second to load.
"""

from functools import lru_cache

import numpy as np


@lru_cache(maxsize=64)
def quantile(level: float, n: int) -> float:
    """Return the quantile of the range of n standard normal variables, n at least 2."""
    from scipy.special import ndtr

    # Beyond 10 standard deviations is nothing.
    points, weights = np.polynomial.legendre.leggauss(200)
    at = 10 * points
    density = 10 * weights * np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi)
    low, high = 0.0, 20.0
    for _ in range(60):
        width = (low + high) / 2
        # The largest is at ``at``, all others at most ``width`` below it.
        within = n * float(density @ (ndtr(at) - ndtr(at - width)) ** (n - 1))
        low, high = (low, width) if within >= level else (width, high)
    return high
