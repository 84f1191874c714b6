"""Power of tests by few annotators, whose degrees of freedom follow the annotators' mean square.

If annotators agree by chance, a test estimates a small variance and many degrees of freedom; otherwise a
large one and few. The power at the expected variance is then off by up to 24 points. So it is the
mean over the mean square's chi-square distribution, by Gauss-Legendre quadrature of its quantiles. Given the
mean square, the standard error is nearly normal, because the other mean squares are of many images.

With few annotators a test may find less with more images, because its degrees of freedom fall. Promises never
fall: each is the mean of the greatest power with fewer images, with weight 3, and the least with more.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ..orders.packed_scores import Floats

# With more degrees of freedom of the mean square, averaging over it changes power by less than 4 points.
FEW_DEGREES: Final = 8.0
FEWEST_IMAGES: Final = 20
_NODES: Final = 16
# Quantiles are those of degrees of freedom rounded to a tenth; those of t are interpolated.
_STEPS: Final = 10
_KNOTS: Final = np.linspace(0, 1, 2001)


@dataclass(frozen=True, slots=True)
class Spreads:
    """Variances and degrees of freedom of designs' tests, arrays of one shape.

    Attributes
    ----------
    variances, free : ndarray
        Of the mean difference, infinite without a test, and their degrees of freedom by Satterthwaite.
    squares, own : ndarray
        The annotators' mean squares, as parts of the variances, and their degrees of freedom.
    most : ndarray
        The most degrees of freedom that the tests use.
    """

    variances: Floats
    free: Floats
    squares: Floats
    own: Floats
    most: Floats

    @property
    def degrees(self) -> Floats:
        """The degrees of freedom of the tests, at the expected variances."""
        return np.minimum(self.free, self.most)

    def at(self, index: Any) -> "Spreads":
        """Return some of the designs."""
        arrays = self.variances, self.free, self.squares, self.own, self.most
        return Spreads(*(of[index] for of in arrays))


@dataclass(frozen=True, slots=True)
class TestsOfFew:
    """Tests by few annotators: each smallest significant difference, and the error of their difference.

    Arrays of shape (images, annotators, nodes); nodes are values of the annotators' mean square. A design
    without a test has infinite limits.
    """

    limits: Floats
    errors: Floats

    def up_to(self, n_annotators: int) -> "TestsOfFew":
        """Return the tests in the first columns."""
        return TestsOfFew(self.limits[:, :n_annotators], self.errors[:, :n_annotators])

    def power(self, difference: float, scales: tuple[float, ...]) -> Floats:
        """Return the power, images by annotators, as the mean over ``scales`` of the variances.

        It never falls with images or the difference, which is in the unit of the limits.
        """
        from scipy.special import ndtr

        _, weights = _quantiles()
        of_scales = [
            ndtr((abs(difference) / np.sqrt(scale) - self.limits) / self.errors) @ weights
            for scale in scales
        ]
        found = np.mean(of_scales, axis=0)
        at_most = np.maximum.accumulate(found, axis=0)
        at_least = np.minimum.accumulate(found[::-1], axis=0)[::-1]
        return np.asarray(np.minimum((3 * at_most + at_least) / 4, 1.0))


def tests_of_few(of: Spreads, alpha: float) -> TestsOfFew:
    """Return the two-sided tests at level ``alpha`` of designs, images by annotators."""
    is_tested = np.isfinite(of.variances)[..., np.newaxis]
    variances = np.where(is_tested, of.variances[..., np.newaxis], 1.0)
    own, squares = of.own[..., np.newaxis], of.squares[..., np.newaxis]
    # Mean squares of images and the rest: their part of the variance, and the variance of that.
    others = np.maximum(variances - squares, 0)
    of_others = np.maximum(variances**2 / of.free[..., np.newaxis] - squares**2 / own, 0)
    times, _ = _quantiles()
    rounded = np.rint(of.own * _STEPS).astype(np.intp)
    drawn = squares * times[np.clip(rounded, 1, len(times)) - 1]
    estimated = drawn + others
    degrees = estimated**2 / (drawn**2 / own + of_others)
    degrees = np.clip(degrees, 1.0, np.maximum(of.most, 1.0)[..., np.newaxis])
    limits = _limits(alpha, degrees) * np.sqrt(estimated)
    # Mean and variance of the square root of a mean square with 1 / noise degrees of freedom.
    noise = of_others / estimated**2
    errors = np.sqrt(variances + limits**2 * noise / 2)
    return TestsOfFew(np.where(is_tested, limits / (1 + noise / 4), np.inf), errors)


@lru_cache(maxsize=1)
def _quantiles() -> tuple[Floats, Floats]:
    """Return nodes of mean squares with expectation 1, (tenths of degrees of freedom, nodes), and weights."""
    from scipy.special import chdtri, roots_legendre

    nodes, weights = roots_legendre(_NODES)
    own = np.arange(1, _STEPS * FEW_DEGREES + 1)[:, np.newaxis] / _STEPS
    return chdtri(own, (1 + nodes) / 2) / own, weights / 2


def _limits(alpha: float, degrees: Floats) -> Floats:
    """Return the limit of a two-sided t-test, from one degree of freedom on."""
    return np.exp(np.interp(1 / degrees, _KNOTS, _logs_of_limits(alpha)))


@lru_cache(maxsize=64)
def _logs_of_limits(alpha: float) -> Floats:
    from scipy.special import stdtrit

    return np.asarray(np.log(-stdtrit(1 / np.maximum(_KNOTS, 1e-9), alpha / 2)))
