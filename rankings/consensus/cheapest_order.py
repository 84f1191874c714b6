"""The cheapest weak order of a few methods, given a cost for each relation of each pair."""

import numpy as np
from numpy.typing import NDArray

# Largest number of methods solved exactly by a sum over subsets: 3^12 steps take 0.01 s.
MOST_METHODS = 12
# Numbers held at a time: the sums over subsets of a few problems fit into the processor's cache.
_TOGETHER = 2**18

Costs = NDArray[np.int64]


def are_summable(strict: Costs, tied: Costs) -> bool:
    """Return whether :func:`cheapest` accepts such costs: few methods, and no sum beyond 64 bits.

    Parameters
    ----------
    strict, tied : ndarray of shape (..., n, n)
        Integers, none negative.
    """
    n = int(strict.shape[-1])
    if n > MOST_METHODS:
        return False
    most = max(1, int(strict.max(initial=0)), int(tied.max(initial=0)))
    return n * n * most * _scale_of_costs(n) * _scale_of_ties(n) < 2**61


def _scale_of_ties(n: int) -> int:
    """Return a number above every sum of places, each times a power of n for its method."""
    return int(n ** max(1, n - 1))


def _scale_of_costs(n: int) -> int:
    """Return a number above the number of pairs."""
    return n * (n - 1) // 2 + 1


def cheapest(strict: Costs, tied: Costs) -> NDArray[np.bool_]:
    """Return the cheapest weak order of each problem.

    Among equally cheap orders, the one with the most tied pairs is returned; if several remain, the
    one that places the first method highest, then the second, and so on, where a method's place is
    the number of methods strictly before it.

    Dynamic programming over subsets: the cheapest order of a set of methods is its best last
    bucket after the cheapest order of the rest. There are 3^n pairs of a set and a bucket.

    Parameters
    ----------
    strict : ndarray of shape (g, n, n)
        For each of g problems the cost of "i strictly before j"; integers, none negative.
    tied : ndarray of shape (g, n, n)
        The cost of a tie; symmetric, 0 on the diagonal.

    Returns
    -------
    ndarray of bool of shape (g, n, n)
        True if i is placed no lower than j.
    """
    g, n = strict.shape[:2]
    no_lower = np.empty((g, n, n), dtype=bool)
    # All sets of k methods have together C(n, k) 2^k subsets, at most about 3^n / 4.
    step = max(1, 4 * _TOGETHER // 3**n)
    for start in range(0, g, step):
        part = slice(start, start + step)
        no_lower[part] = _cheapest(*_in_one_number(strict[part], tied[part]))
    return no_lower


def _in_one_number(strict: Costs, tied: Costs) -> tuple[Costs, Costs]:
    """Return costs whose sums are in the order of cost, then most ties, then places by name.

    Every part of the rule is a sum over pairs, so one number holds them all, each scaled above all
    later ones. "i strictly before j" adds 1 to the place of j, whose digit is the more significant
    the earlier j's name. The last method needs no digit: the places of the others and the number of
    tied pairs determine its place.
    """
    n = strict.shape[-1]
    digits = np.array([n ** (n - 2 - at) if at < n - 1 else 0 for at in range(n)], dtype=np.int64)
    scale = _scale_of_ties(n)
    off_diagonal = ~np.eye(n, dtype=bool)
    return (
        strict * _scale_of_costs(n) * scale + digits * off_diagonal,
        (tied * _scale_of_costs(n) - off_diagonal) * scale,
    )


def _cheapest(strict: Costs, tied: Costs) -> NDArray[np.bool_]:
    """Return the weak orders with the smallest sums; no two weak orders have the same sum."""
    n = strict.shape[-1]
    # (n, n, g): each step is then one pass over all problems.
    strict, tied = (np.ascontiguousarray(np.moveaxis(costs, 0, -1)) for costs in (strict, tied))
    # A set of methods is a number with one bit for each. As a last bucket, a set costs its ties and
    # all of "a method strictly before a member", minus those whose first method is a member, too:
    # the first and the last part depend on the bucket alone.
    own = np.zeros((2**n, strict.shape[-1]), dtype=np.int64)
    for member in range(n):
        within = tied[member, :member] - strict[member, :member] - strict[:member, member]
        own[2**member : 2 ** (member + 1)] = own[: 2**member] + _sums(within[np.newaxis])[0]
    least = np.zeros_like(own)
    # The set without its best last bucket.
    before = np.zeros(own.shape, dtype=np.int16)
    is_member = (np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1).astype(bool)
    for size in range(1, n + 1):
        # All sets of a size at once. (c, size) members; (c, 2^size) their subsets in order, the
        # empty one first, so that the remaining sets are the same numbers from the other end.
        of_size = np.flatnonzero(is_member.sum(axis=1) == size)
        members = np.nonzero(is_member[of_size])[1].reshape(-1, size)
        buckets = _sums((1 << members)[..., np.newaxis])[..., 0]
        # (c, size, g): the cost of "a method of the set strictly before it" for each member.
        above = sum(strict[members[:, [at]], members] for at in range(size))
        sums = _sums(np.asarray(above))
        sums += own[buckets]
        sums += least[buckets[:, ::-1]]
        best = sums[:, 1:].argmin(axis=1) + 1
        least[of_size] = np.take_along_axis(sums, best[:, np.newaxis], axis=1)[:, 0]
        before[of_size] = np.take_along_axis(buckets[:, ::-1], best, axis=1)
    return _followed(before, n)


def _sums(costs: Costs) -> Costs:
    """Return the sum over each subset of the second axis: (c, 2^k, g) from (c, k, g)."""
    sums = np.zeros((len(costs), 1, costs.shape[-1]), dtype=np.int64)
    for at in range(costs.shape[1]):
        sums = np.concatenate([sums, sums + costs[:, [at]]], axis=1)
    return sums


def _followed(before: NDArray[np.int16], n: int) -> NDArray[np.bool_]:
    """Return the orders, built from the last bucket backwards: True if i is no lower than j."""
    n_problems = before.shape[1]
    problems, bits = np.arange(n_problems), 1 << np.arange(n)
    no_lower = np.zeros((n_problems, n, n), dtype=bool)
    current = np.full(n_problems, 2**n - 1)
    while current.any():
        rest = before[current, problems].astype(current.dtype)
        is_current = (current[:, np.newaxis] & bits) > 0
        is_last = is_current & ~((rest[:, np.newaxis] & bits) > 0)
        # Every method of the set is placed no lower than those of its last bucket.
        no_lower |= is_current[:, :, np.newaxis] & is_last[:, np.newaxis]
        current = rest
    return no_lower
