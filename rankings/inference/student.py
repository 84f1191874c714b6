"""Student's t for several differences at once: p-values, and limits of each alone and of all together."""

from dataclasses import dataclass

import numpy as np

from ..orders.packed_scores import Floats


@dataclass(frozen=True, slots=True)
class Tests:
    """Two-sided p-values of k differences, None if one has no variance but is not 0.

    ``alone`` and ``together`` of shape (k,) are half the widths of intervals, of each difference alone
    and, by Bonferroni's rule, of all; ``degrees`` are the degrees of freedom used.
    """

    differences: Floats
    p_values: list[float | None]
    alone: Floats
    together: Floats
    degrees: Floats

    def limits(self, at: int, half: Floats) -> tuple[float | None, float | None]:
        """Return the limits of one difference, by one of the two widths; None without a p-value."""
        if self.p_values[at] is None:
            return None, None
        return float(self.differences[at] - half[at]), float(self.differences[at] + half[at])


def student_tests(differences: Floats, variances: Floats, degrees: Floats, level: float) -> Tests:
    """Test that each difference is 0; arguments but the level are of shape (k,).

    A variance below 0 counts as 0, and degrees of freedom below 1 as 1. p is 1 for a difference of 0
    without variance.
    """
    # Imported here, because scipy's functions take a second to load.
    from scipy.special import stdtr, stdtrit

    deviation = np.sqrt(np.maximum(variances, 0))
    degrees = np.clip(degrees, 1, 1e9)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = 2 * stdtr(degrees, -np.abs(differences / deviation))
    p_values = np.where(deviation > 0, p_values, np.where(differences == 0, 1.0, np.nan))
    alone, together = (
        -stdtrit(degrees, (1 - level) / (2 * n)) * deviation for n in (1, max(len(differences), 1))
    )
    known = [None if np.isnan(p) else float(p) for p in p_values]
    return Tests(differences, known, alone, together, degrees)
