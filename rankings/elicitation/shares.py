"""The interval of a share that was counted."""

import math

# The 97.5 % quantile of the standard normal distribution.
_Z = 1.959963984540054


def wilson(n_hits: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of hits among n >= 1 [Wilson 1927].

    Parameters
    ----------
    n_hits : float
    n : int

    Examples
    --------
    >>> [round(limit, 4) for limit in wilson(0, 10)]
    [0.0, 0.2775]
    """
    share = n_hits / n
    middle = (share + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n)) / (1 + _Z * _Z / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)
