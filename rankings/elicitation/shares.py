"""The confidence interval of a counted share."""

import math

# The 97.5 % quantile of the standard normal distribution.
_Z = 1.959963984540054


def wilson(n_hits: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of hits among n >= 1 [Wilson 1927]."""
    share = n_hits / n
    middle = (share + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n)) / (1 + _Z * _Z / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)
