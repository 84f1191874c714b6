"""The cheapest weak order of a few methods, given a cost for each relation of each pair."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Largest number of methods solved exactly by a sum over subsets: 3^12 steps take 0.01 s, 3^15 0.2 s.
MOST_METHODS = 15
# Bytes held at a time: the sums over subsets of some problems.
_TOGETHER = 2**22

Costs = NDArray[np.signedinteger[Any]]


def are_summable(strict: Costs, tied: Costs) -> bool:
    """Return whether :func:`cheapest` accepts such costs: few methods, and no sum beyond 64 bits.

    Costs are of shape (..., n, n): integers, none negative.
    """
    return strict.shape[-1] <= MOST_METHODS and _bound(strict, tied) < 2**61


def _bound(strict: Costs, tied: Costs) -> int:
    """Return a number that no sum of scaled costs exceeds, nor falls below with a minus sign."""
    n = int(strict.shape[-1])
    most = max(1, int(strict.max(initial=0)), int(tied.max(initial=0)))
    return n * n * most * _scale(n)


def _scale(n: int) -> int:
    """Return a number above the number of pairs, by which costs are multiplied."""
    return n * (n - 1) // 2 + 1


def scaled_costs(strict: Costs, tied: Costs) -> tuple[Costs, Costs]:
    """Return costs that are equal only for orders that cost the same and tie as many pairs.

    Costs are scaled above the number of pairs, and a tied pair takes 1 off.
    """
    n = strict.shape[-1]
    return strict * _scale(n), tied * _scale(n) - ~np.eye(n, dtype=bool)


def cheapest(strict: Costs, tied: Costs) -> NDArray[np.bool_]:
    """Return the cheapest weak order of each of g problems: true if i is placed no lower than j.

    Among equally cheap orders, the one with the most tied pairs is returned; if several remain, the
    one that places the first method highest, then the second, and so on, where a method's place is
    the number of methods strictly before it.

    Dynamic programming over subsets: the cheapest order of a set of methods is its best last bucket
    after the cheapest order of the rest. There are 3^n pairs of a set and a bucket. All three
    arrays are of shape (g, n, n). ``strict`` is the cost of "i strictly before j", ``tied`` that of
    a tie, symmetric with a diagonal of 0; integers, none negative.
    """
    g, n = strict.shape[:2]
    # Few bits are enough, and small integers are added the fastest.
    small = np.min_scalar_type(-_bound(strict, tied))
    scaled, scaled_ties = (costs.astype(small) for costs in scaled_costs(strict, tied))
    no_lower = np.empty((g, n, n), dtype=bool)
    # All sets of k methods have together C(n, k) 2^k subsets, at most about 3^n / 4.
    step = max(1, 4 * _TOGETHER // (3**n * small.itemsize))
    for start in range(0, g, step):
        part = slice(start, start + step)
        no_lower[part] = _cheapest(scaled[part], scaled_ties[part])
    return no_lower


def _cheapest(strict: Costs, tied: Costs) -> NDArray[np.bool_]:
    """Return the weak orders with the smallest sums, and of these those with the highest places."""
    n = strict.shape[-1]
    # (n, n, g): each step is then one pass over all problems.
    strict, tied = (np.ascontiguousarray(np.moveaxis(costs, 0, -1)) for costs in (strict, tied))
    # A set of methods is a number with one bit for each. As a last bucket, a set costs its ties and
    # all of "a method strictly before a member", minus those whose first method is a member, too:
    # the first and the last part depend on the bucket alone.
    own = np.zeros((2**n, strict.shape[-1]), dtype=strict.dtype)
    for member in range(n):
        within = tied[member, :member] - strict[member, :member] - strict[:member, member]
        own[2**member : 2 ** (member + 1)] = own[: 2**member] + _sums(within[np.newaxis])[0]
    is_member = (np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1).astype(bool)
    n_members = is_member.sum(axis=1)
    # The places of methods as one number: the earlier a method's name, the more significant its
    # digit. The last method needs none, because the others and the tied pairs determine its place.
    digits = is_member @ [n ** (n - 2 - at) if at < n - 1 else 0 for at in range(n)]
    least, highest = np.zeros_like(own), np.zeros(own.shape, dtype=np.int64)
    # The set without its best last bucket.
    before = np.zeros(own.shape, dtype=np.int16)
    for size in range(1, n + 1):
        # All sets of a size at once. (c, size) members; (c, 2^size) their subsets in order, the
        # empty one first, so that the remaining sets are the same numbers from the other end.
        of_size = np.flatnonzero(n_members == size)
        members = np.nonzero(is_member[of_size])[1].reshape(-1, size)
        buckets = _sums((1 << members[..., np.newaxis]).astype(np.int32))[..., 0]
        # (c, size, g): the cost of "a method of the set strictly before it" for each member.
        above = sum(strict[members[:, [at]], members] for at in range(size))
        sums = _sums(np.asarray(above))
        sums += own.take(buckets, axis=0)
        sums += least.take(buckets[:, ::-1], axis=0)
        least[of_size] = sums[:, 1:].min(axis=1)
        # Few buckets are equally cheap; those give every method of the bucket the same place.
        is_least = sums[:, 1:] == least[of_size][:, np.newaxis]
        # Several times as fast as nonzero().
        at, bucket, problem = np.unravel_index(np.flatnonzero(is_least), is_least.shape)
        rest = buckets[at, -2 - bucket]
        places = highest[rest, problem] + digits[buckets[at, bucket + 1]] * n_members[rest]
        best = np.full((len(of_size), own.shape[1]), np.iinfo(np.int64).max)
        np.minimum.at(best, (at, problem), places)
        is_best = places == best[at, problem]
        before[of_size[at[is_best]], problem[is_best]] = rest[is_best]
        highest[of_size] = best
    return _followed(before, n)


def _sums(costs: Costs) -> Costs:
    """Return the sum over each subset of the second axis: (c, 2^k, g) from (c, k, g)."""
    c, k, g = costs.shape
    sums = np.zeros((c, 2**k, g), dtype=costs.dtype)
    for at in range(k):
        known = sums[:, : 2**at]
        np.add(known, costs[:, [at]], out=sums[:, 2**at : 2 ** (at + 1)])
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
