"""Strengths of methods from paired comparisons with ties ([Dav70]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.buckets import Ranking
from ..orders.packed import Places
from ..orders.pairwise import PairCounts, pair_counts

DEFAULT_RIDGE = 0.01
# Far above the remaining error of the iteration (STEP_TOLERANCE), far below visible differences.
TIED_WITHIN = 1e-6
STEP_TOLERANCE = 1e-9

_Vector = NDArray[np.float64]


class NotConverged(RankingError):
    """The iteration did not reach the maximum."""


@dataclass(frozen=True, slots=True)
class DavidsonFit:
    """Strengths on the log scale and the weak order they give.

    ``ranking`` is by strength, the highest first; neighbours whose strengths differ by no more than
    1e-6 are tied, and their buckets are sorted by name. The sum of ``strengths``, of which
    ``standard_errors`` are given, is 0; a method with a lead of d wins exp(d) times as often as it
    loses. ``tie_parameter`` is Davidson's nu: how often equally strong methods tie, over how often
    one of them wins; None when no pair was compared.
    """

    ranking: Ranking
    strengths: Mapping[str, float]
    standard_errors: Mapping[str, float]
    tie_parameter: float | None


def davidson(
    rankings: Sequence[Ranking], *, ridge: float = DEFAULT_RIDGE, max_iterations: int = 100
) -> DavidsonFit:
    """Fit Davidson's model, Bradley-Terry with ties, to the pairs of all rankings.

    With strengths s and lead d = s_i - s_j, the odds of "i first", "j first" and "tied" are
    exp(d / 2) : exp(-d / 2) : nu. Newton's method maximises the log-likelihood minus ridge / 2
    times the sum of squares of the strengths and of log nu. The ridge keeps strengths finite if a
    method always wins, and nu if nothing or everything is tied; it pulls all strengths towards each
    other and nu towards 1. With it the maximum is unique.

    The source leaves open when methods are tied; here they are tied if their strengths are equal.
    If every ranking contains all methods, the strengths have the order of wins plus half the ties,
    so the ranking is the one by mean rank, and the model adds its uncertainty. It can differ if
    some rankings leave out some methods.

    The pairs of a ranking depend on each other (a > b and b > c leave no choice for a and c), which
    the model ignores: the standard errors are too small, and more so with more methods.

    Parameters
    ----------
    rankings : sequence of rankings
        A ranking without a method adds nothing to that method's pairs. Methods that no chain of
        comparisons connects are put on one scale by the ridge alone.
    ridge : float
        Positive.
    max_iterations : int
        Newton steps; a handful are enough.

    Raises
    ------
    NotConverged
        If the steps are not smaller than 1e-9 after ``max_iterations``.
    RankingError
        If there is no ranking, one of them is not a ranking, or the ridge is not a positive number.

    Examples
    --------
    >>> people = [(("a",), ("b",), ("c",)), (("b",), ("a",), ("c",)), (("a",), ("c",), ("b",))]
    >>> davidson(people).ranking
    (('a',), ('b',), ('c',))
    """
    counts = pair_counts(rankings)
    return _fit(maximum(counts, ridge, max_iterations), counts, ridge)


def strengths_of(
    places: Places, *, ridge: float = DEFAULT_RIDGE, max_iterations: int = 100
) -> NDArray[np.float64]:
    """Return the strengths that :func:`davidson` gives the methods of each of many images.

    ``places`` of shape (g, k, n) are bucket numbers of n methods in the k rankings of each of g
    images. The result is of shape (g, n), logarithms of odds; those of an image add up to 0. Raises
    RankingError if the ridge is not positive, and NotConverged as :func:`davidson`.
    """
    first, second = places[..., :, np.newaxis], places[..., np.newaxis, :]
    before = (first < second).sum(axis=1, dtype=np.int64)
    tied = (first == second).sum(axis=1, dtype=np.int64)
    n = places.shape[-1]
    tied[:, np.arange(n), np.arange(n)] = 0
    return maximum(PairCounts((), before, tied), ridge, max_iterations)[..., :-1]


def maximum(
    counts: PairCounts, ridge: float = DEFAULT_RIDGE, max_iterations: int = 100
) -> NDArray[np.float64]:
    """Return the strengths and log nu where :func:`objective` is smallest.

    ``counts`` may have leading axes for many images; the result, of shape (..., n + 1), has the
    strengths in the order of the methods, then log nu. Raises RankingError if the ridge is not
    positive. Raises NotConverged if the steps are not small enough after ``max_iterations``.
    """
    if not (np.isfinite(ridge) and ridge > 0):
        raise RankingError(f"the ridge must be a positive number, got {ridge}")
    at = np.zeros((*counts.before.shape[:-2], counts.before.shape[-1] + 1))
    is_moving = np.ones((*at.shape[:-1], 1), dtype=bool)
    for _ in range(max_iterations):
        slope, curvature = gradient(at, counts, ridge), information(at, counts, ridge)
        step = np.asarray(-np.linalg.solve(curvature, slope[..., np.newaxis])[..., 0], np.float64)
        # An image that has converged is not updated, so its last digits do not depend on the other
        # images.
        step = np.where(is_moving, step, 0.0)
        at = _improved(at, step, counts, ridge)
        is_moving &= np.abs(step).max(axis=-1, keepdims=True) > STEP_TOLERANCE
        if not is_moving.any():
            return at
    raise NotConverged(f"Davidson's model did not converge in {max_iterations} iterations")


def objective(at: _Vector, counts: PairCounts, ridge: float) -> _Vector:
    """Return the negative log-likelihood with the ridge term, which the fit minimises.

    ``at`` has the shape (..., n + 1): the strengths in the order of ``counts.methods``, then log
    nu; leading axes are images, as in the counts.
    """
    # For strengths a and b, with a lead d = a - b, the model gives "first", "second" and "tied" the
    # odds exp(d / 2), exp(-d / 2) and nu; ``total`` is the log of their sum, for each pair (n, n).
    half_leads, log_tie = _half_leads(at), at[..., -1, np.newaxis, np.newaxis]
    total = np.logaddexp(np.logaddexp(half_leads, -half_leads), log_tie)
    compared = counts.before + _turned(counts.before) + counts.tied
    # ``before`` holds each outcome once; ``tied`` and ``compared`` are symmetric and hold it twice.
    likelihood = (
        counts.before * half_leads + counts.tied / 2 * log_tie - compared * total / 2
    ).sum(axis=(-2, -1))
    return np.asarray(ridge / 2 * (at**2).sum(axis=-1) - likelihood)


def gradient(at: _Vector, counts: PairCounts, ridge: float) -> _Vector:
    """Return the gradient of :func:`objective`, of the shape of ``at``."""
    # By strength: wins minus losses, counted minus expected; by log nu: ties, likewise.
    compared, first, tied = expected(at, counts)
    surplus = (counts.before - _turned(counts.before)) - compared * (first - _turned(first))
    ties = (counts.tied - compared * tied).sum(axis=(-2, -1))[..., np.newaxis]
    return np.asarray(ridge * at - np.concatenate([surplus.sum(axis=-1), ties], axis=-1) / 2)


def information(at: _Vector, counts: PairCounts, ridge: float) -> NDArray[np.float64]:
    """Return the second derivatives of :func:`objective`, of shape (..., n + 1, n + 1)."""
    compared, first, tied = expected(at, counts)
    # Twice the score of one comparison is 1, -1 or 0, with mean ``difference`` and mean square
    # first + second; its variance is the curvature in the lead. The mixed derivative in a lead and
    # log nu is a covariance, and that in log nu alone is the variance of "tied".
    difference = first - _turned(first)
    spread = compared * ((first + _turned(first)) - difference**2) / 4
    n = counts.before.shape[-1]
    diagonal = np.arange(n)
    spread[..., diagonal, diagonal] = 0
    with_tie = (-compared * difference * tied).sum(axis=-1) / 2
    # A lead is a difference of two strengths, so each pair adds to its two diagonal entries and
    # subtracts from the two off-diagonal ones: the Laplacian of the graph of comparisons.
    second = np.zeros((*at.shape[:-1], n + 1, n + 1))
    second[..., :n, :n] = -spread
    second[..., diagonal, diagonal] += spread.sum(axis=-1)
    second[..., :n, n] = second[..., n, :n] = with_tie
    second[..., n, n] = (compared * tied * (1 - tied)).sum(axis=(-2, -1)) / 2
    return np.asarray(second + ridge * np.eye(n + 1))


def _half_leads(at: _Vector) -> _Vector:
    strengths = at[..., :-1]
    return np.asarray((strengths[..., :, np.newaxis] - strengths[..., np.newaxis, :]) / 2)


def _turned(pairs: NDArray[Any]) -> NDArray[Any]:
    """Return the array with the first and the second method of each pair exchanged."""
    return np.swapaxes(pairs, -2, -1)


def expected(at: _Vector, counts: PairCounts) -> tuple[NDArray[np.int64], _Vector, _Vector]:
    """Return each pair's number of comparisons and its probabilities of "first" and of "tied".

    ``at`` is as for :func:`objective`; the results are of shape (..., n, n).
    """
    half_leads, log_tie = _half_leads(at), at[..., -1, np.newaxis, np.newaxis]
    total = np.logaddexp(np.logaddexp(half_leads, -half_leads), log_tie)
    compared = counts.before + _turned(counts.before) + counts.tied
    return compared, np.exp(half_leads - total), np.exp(log_tie - total)


def _improved(at: _Vector, step: _Vector, counts: PairCounts, ridge: float) -> _Vector:
    """Return the points after the steps, each halved until its image's objective does not rise."""
    before = objective(at, counts, ridge)
    rounding = 1e-12 * (1 + np.abs(before))
    share = np.ones_like(before)
    for _ in range(60):
        there = at + step * share[..., np.newaxis]
        leads_up = objective(there, counts, ridge) > before + rounding
        if not leads_up.any():
            return np.asarray(there)
        share = np.where(leads_up, share / 2, share)
    raise NotConverged("Davidson's model did not converge: no step improves it")


def _fit(at: _Vector, counts: PairCounts, ridge: float) -> DavidsonFit:
    strengths = {
        method: float(value) for method, value in zip(counts.methods, at[:-1], strict=True)
    }
    errors = _standard_errors(at, counts, ridge)
    is_compared = bool(counts.before.any() or counts.tied.any())
    return DavidsonFit(
        ranking=ranking_by_strength(strengths),
        strengths=strengths,
        standard_errors=dict(zip(counts.methods, errors, strict=True)),
        tie_parameter=float(np.exp(at[-1])) if is_compared else None,
    )


def _standard_errors(at: _Vector, counts: PairCounts, ridge: float) -> list[float]:
    """Return the standard errors of strengths whose sum is known to be 0.

    The data do not determine the common level of all strengths. Adding 1 in its direction makes the
    information safe to invert; its share is removed from the inverse.
    """
    n = len(counts.methods)
    level = np.append(np.full(n, n**-0.5), 0)
    common = np.outer(level, level)
    covariance = np.linalg.inv(information(at, counts, ridge) + common) - common / (ridge + 1)
    variances = np.diag(covariance)[:n]
    return [float(error) for error in np.sqrt(np.maximum(variances, 0))]


def ranking_by_strength(strengths: Mapping[str, float]) -> Ranking:
    """Return the methods by strength, the highest first; neighbours within 1e-6 are tied."""
    order = sorted(strengths, key=lambda method: -strengths[method])
    buckets = [[order[0]]]
    for above, method in pairwise(order):
        if strengths[above] - strengths[method] <= TIED_WITHIN:
            buckets[-1].append(method)
        else:
            buckets.append([method])
    return tuple(tuple(sorted(bucket)) for bucket in buckets)
