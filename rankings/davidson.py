"""Strengths of methods from paired comparisons with ties ([Dav70]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .errors import RankingError
from .orders import Ranking
from .pairwise import PairCounts, pair_counts

DEFAULT_RIDGE = 0.01
# Far above what is left of the iteration (STEP_TOLERANCE), far below what people could see.
TIED_WITHIN = 1e-6
STEP_TOLERANCE = 1e-9

_Vector = NDArray[np.float64]


class NotConverged(RankingError):
    """The iteration did not reach the maximum."""


@dataclass(frozen=True, slots=True)
class DavidsonFit:
    """Strengths on the log scale and the weak order they give.

    Attributes
    ----------
    ranking : Ranking
        By strength, the highest first; neighbours whose strengths differ by no more than
        1e-6 are tied, and their buckets are sorted by name.
    strengths : mapping of method to float
        Their sum is 0; a method with a lead of d wins exp(d) times as often as it loses.
    standard_errors : mapping of method to float
        Of the strengths, given that their sum is 0.
    tie_parameter : float or None
        Davidson's nu: how often equally strong methods tie, over how often one of them wins.
        None when no pair was compared.
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
    exp(d / 2) : exp(-d / 2) : nu. The log-likelihood less ridge / 2 times the sum of squares of
    the strengths and of log nu is maximised by Newton's method. The ridge keeps strengths finite
    where a method always wins, and nu where nothing or everything is tied; it pulls all strengths
    towards each other and nu towards 1. With it the maximum is unique.

    The source leaves open when methods are tied; here it is when their strengths are equal. If
    every ranking is of all methods, the strengths are ordered as wins plus half the ties are, so
    the ranking is the one by mean rank, and what this adds is how sure it is. It can differ where
    some rankings lack some methods.

    The pairs of a ranking depend on each other (a > b and b > c leave no choice for a and c), which
    the model does not know: the standard errors are too small, more so with more methods.

    Parameters
    ----------
    rankings : sequence of rankings
        A ranking that lacks a method says nothing of its pairs. Methods that no chain of
        comparisons connects are put on one scale by the ridge alone.
    ridge : float
        Positive.
    max_iterations : int
        Newton steps; a handful are enough.

    Raises
    ------
    NotConverged
        If the steps have not become smaller than 1e-9 by then.
    RankingError
        If there is no ranking, one of them is not a ranking, or the ridge is not a positive number.
    """
    if not (np.isfinite(ridge) and ridge > 0):
        raise RankingError(f"the ridge must be a positive number, got {ridge}")
    counts = pair_counts(rankings)
    at = np.zeros(len(counts.methods) + 1)
    for _ in range(max_iterations):
        slope, curvature = gradient(at, counts, ridge), information(at, counts, ridge)
        step = np.asarray(-np.linalg.solve(curvature, slope), dtype=np.float64)
        at = _improved(at, step, counts, ridge)
        if np.abs(step).max() <= STEP_TOLERANCE:
            return _fit(at, counts, ridge)
    raise NotConverged(f"Davidson's model did not converge in {max_iterations} iterations")


def davidson_ranking(rankings: Sequence[Ranking]) -> Ranking:
    """Return the ranking of :func:`davidson` alone."""
    return davidson(rankings).ranking


def objective(at: _Vector, counts: PairCounts, ridge: float) -> float:
    """Return the negative log-likelihood with its ridge, which the fit minimises.

    Parameters
    ----------
    at : ndarray of shape (n + 1,)
        The strengths in the order of ``counts.methods``, then log nu.
    """
    # Of strengths a and b, with a lead d = a - b, the model gives "first", "second" and "tied" the
    # odds exp(d / 2), exp(-d / 2) and nu; ``total`` is the log of their sum, for each pair (n, n).
    half_leads, log_tie = _half_leads(at), at[-1]
    total = np.logaddexp(np.logaddexp(half_leads, -half_leads), log_tie)
    compared = counts.before + counts.before.T + counts.tied
    # ``before`` holds each outcome once; ``tied`` and ``compared`` are symmetric and hold it twice.
    likelihood = (
        (counts.before * half_leads).sum()
        + counts.tied.sum() / 2 * log_tie
        - (compared * total).sum() / 2
    )
    return float(ridge / 2 * (at @ at) - likelihood)


def gradient(at: _Vector, counts: PairCounts, ridge: float) -> _Vector:
    """Return the slope of :func:`objective`, of shape (n + 1,)."""
    # By the strengths: wins less losses, as counted less as expected; by log nu: the ties likewise.
    compared, first, tied = _expected(at, counts)
    surplus = (counts.before - counts.before.T) - compared * (first - first.T)
    ties = (counts.tied - compared * tied).sum() / 2
    return np.asarray(ridge * at - np.append(surplus.sum(axis=1) / 2, ties))


def information(at: _Vector, counts: PairCounts, ridge: float) -> NDArray[np.float64]:
    """Return the second derivatives of :func:`objective`, of shape (n + 1, n + 1)."""
    compared, first, tied = _expected(at, counts)
    # Twice the score of one comparison is 1, -1 or 0, with mean ``difference`` and mean square
    # first + second; its variance is the curvature by the lead. By a lead and log nu together it is
    # a covariance, and by log nu alone the variance of "tied".
    difference = first - first.T
    spread = compared * ((first + first.T) - difference**2) / 4
    np.fill_diagonal(spread, 0)
    with_tie = (-compared * difference * tied).sum(axis=1) / 2
    n = len(counts.methods)
    second = np.empty((n + 1, n + 1))
    # A lead is a difference of two strengths, so that each pair adds to its two diagonal entries
    # and takes from the two beside: the Laplacian of the graph of comparisons.
    second[:n, :n] = np.diag(spread.sum(axis=1)) - spread
    second[:n, n] = second[n, :n] = with_tie
    second[n, n] = (compared * tied * (1 - tied)).sum() / 2
    return np.asarray(second + ridge * np.eye(n + 1))


def _half_leads(at: _Vector) -> _Vector:
    strengths = at[:-1]
    return np.asarray((strengths[:, np.newaxis] - strengths) / 2)


def _expected(at: _Vector, counts: PairCounts) -> tuple[NDArray[np.int64], _Vector, _Vector]:
    """Return each pair's number of comparisons and its chances of "first" and of "tied": (n, n)."""
    half_leads, log_tie = _half_leads(at), at[-1]
    total = np.logaddexp(np.logaddexp(half_leads, -half_leads), log_tie)
    compared = counts.before + counts.before.T + counts.tied
    return compared, np.exp(half_leads - total), np.exp(log_tie - total)


def _improved(at: _Vector, step: _Vector, counts: PairCounts, ridge: float) -> _Vector:
    """Return the point after the step, halved until it does not lead up."""
    before = objective(at, counts, ridge)
    rounding = 1e-12 * (1 + abs(before))
    for halvings in range(60):
        there = at + step / 2**halvings
        if objective(there, counts, ridge) <= before + rounding:
            return np.asarray(there)
    raise NotConverged("Davidson's model did not converge: no step improves it")


def _fit(at: _Vector, counts: PairCounts, ridge: float) -> DavidsonFit:
    strengths = {
        method: float(value) for method, value in zip(counts.methods, at[:-1], strict=True)
    }
    errors = _standard_errors(at, counts, ridge)
    is_compared = bool(counts.before.any() or counts.tied.any())
    return DavidsonFit(
        ranking=_ranking(strengths),
        strengths=strengths,
        standard_errors=dict(zip(counts.methods, errors, strict=True)),
        tie_parameter=float(np.exp(at[-1])) if is_compared else None,
    )


def _standard_errors(at: _Vector, counts: PairCounts, ridge: float) -> list[float]:
    """Return the errors of strengths whose sum is known to be 0.

    The common level of all strengths is a direction of its own, on which the data say nothing.
    Its share of the inverse is taken out; 1 is added to it first, to invert safely.
    """
    n = len(counts.methods)
    level = np.append(np.full(n, n**-0.5), 0)
    common = np.outer(level, level)
    covariance = np.linalg.inv(information(at, counts, ridge) + common) - common / (ridge + 1)
    variances = np.diag(covariance)[:n]
    return [float(error) for error in np.sqrt(np.maximum(variances, 0))]


def _ranking(strengths: Mapping[str, float]) -> Ranking:
    order = sorted(strengths, key=lambda method: -strengths[method])
    buckets = [[order[0]]]
    for above, method in pairwise(order):
        if strengths[above] - strengths[method] <= TIED_WITHIN:
            buckets[-1].append(method)
        else:
            buckets.append([method])
    return tuple(tuple(sorted(bucket)) for bucket in buckets)
