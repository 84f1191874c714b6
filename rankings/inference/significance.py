"""Several tests at once, clusters and letters, and Friedman's test with Nemenyi's ranks."""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_letters

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from ..orders.packed_scores import Floats
from .resampling import checked_table
from .studentized_range import quantile

ALPHA = 0.05
# Up to this many images all 2^n sign patterns are tried.
EXACT_UP_TO = 12
# Images processed at a time: their signs in 10,000 patterns take 20 MiB.
_BLOCK = 256

PValues = tuple[tuple[float | None, ...], ...]


def sign_bits(n: int, n_patterns: int, *, exact: bool, seed: int) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of n images with their bits, 0 or 1, of shape (patterns, block).

    If ``exact``, one block with all 2^n patterns instead of random ones.
    """
    return _all_bits(n) if exact else _random_bits(n, n_patterns, seed)


def _all_bits(n: int) -> Iterator[tuple[slice, Floats]]:
    # Pattern k is k in binary: its i-th bit is the sign of image i.
    patterns = np.arange(2**n)[:, np.newaxis] >> np.arange(n)
    yield slice(0, n), (patterns & 1).astype(np.float64)


def _random_bits(n: int, n_patterns: int, seed: int) -> Iterator[tuple[slice, Floats]]:
    rng = np.random.default_rng(seed)
    for start in range(0, n, _BLOCK):
        width = min(_BLOCK, n - start)
        # Eight signs in each random byte, rounded up to whole bytes.
        drawn = rng.integers(0, 256, size=(n_patterns, -(-width // 8)), dtype=np.uint8)
        bits = np.unpackbits(drawn, axis=1, count=width)
        yield slice(start, start + width), bits.astype(np.float64)


def clusters(scores: Sequence[float | None], p_values: PValues) -> tuple[int | None, ...]:
    """Group protocols that the test cannot tell apart; return each one's cluster, 1 for the best.

    The rule of the machine-translation metrics tasks ([MTME]_, ``AssignRanks``): protocols are
    visited from the smallest Score on; a new cluster starts at the first protocol that *any* member
    of the current cluster differs from with p <= .05. So no two protocols of one cluster differ
    significantly. Two of different clusters need not differ either: a protocol may not differ from
    the last of the cluster above and still differ from its first. The tasks use a one-sided test;
    we use a two-sided one, which is stricter at the same level. Equal Scores are visited in the
    order given. A p-value of None counts as not different; a protocol without a Score has None.
    Raises RankingError if the p-values are not p x p.
    """
    if len(p_values) != len(scores) or any(len(row) != len(scores) for row in p_values):
        raise RankingError(f"expected p-values for {len(scores)} x {len(scores)} protocols")
    cluster_of: list[int | None] = [None] * len(scores)
    order = sorted((score, at) for at, score in enumerate(scores) if score is not None)
    number, members = 1, list[int]()
    for _, at in order:
        p_to_members = [p_values[member][at] for member in members]
        if any(p is not None and p <= ALPHA for p in p_to_members):
            number, members = number + 1, []
        members.append(at)
        cluster_of[at] = number
    return tuple(cluster_of)


def compact_letters(order: Sequence[int], p_values: PValues) -> tuple[str, ...] | None:
    """Return the compact letter display: protocols share a letter unless they differ significantly.

    By insertion and absorption ([Pie04]_): starting from one group of all, every pair that differs
    splits each group that contains both, and groups inside another are removed. Letters follow
    ``order``, nearest to people first: ``a`` marks a group of the first protocol. A p-value of None
    separates no pair. By the protocols' numbers; None if the alphabet's 52 letters do not suffice.
    """
    groups = [frozenset(order)] if order else []
    for a, b in combinations(range(len(p_values)), 2):
        p = p_values[a][b]
        if p is None or p > ALPHA:
            continue
        split = [part for group in groups for part in _without_both(group, a, b)]
        groups = [group for group in set(split) if not any(group < other for other in split)]
        if len(groups) > len(ascii_letters):
            return None
    place = {number: at for at, number in enumerate(order)}
    groups.sort(key=lambda group: sorted(map(place.__getitem__, group)))
    return tuple(
        "".join(
            letter for letter, group in zip(ascii_letters, groups, strict=False) if number in group
        )
        for number in range(len(p_values))
    )


def _without_both(group: frozenset[int], a: int, b: int) -> tuple[frozenset[int], ...]:
    return (group - {a}, group - {b}) if {a, b} <= group else (group,)


@dataclass(frozen=True, slots=True)
class Friedman:
    """The statistic and p-value of a test that all protocols are alike; None if impossible."""

    statistic: float | None
    p_value: float | None
    n_images: int
    n_protocols: int


def friedman_test(table: Floats, protocols: Sequence[str]) -> Friedman:
    """Test by ranks within images that all protocols are alike ([Dem06]_, 3.2.2).

    The chi-square form, corrected for ties; good for more than about ten images and five
    protocols.

    Parameters
    ----------
    table : ndarray of shape (n images, n protocols)
        Distances, the smaller the better.
    protocols : sequence of str

    Returns
    -------
    Friedman
        Its numbers are None for under two images or three protocols, or if each image ties all.

    Raises
    ------
    RankingError
        If the table does not fit the protocols, or a distance is not finite.

    Examples
    --------
    >>> table = np.array([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [0.0, 2.0, 1.0]])
    >>> round(friedman_test(table, ["p", "q", "r"]).p_value, 4)
    0.097
    """
    table = checked_table(table, protocols)
    n, n_protocols = table.shape
    undefined = n < 2 or n_protocols < 3 or bool((table == table[:, :1]).all())
    if undefined:
        return Friedman(None, None, n, n_protocols)
    # Imported here, and not from scipy.stats, which takes a second to load.
    from scipy.special import chdtrc

    rank_sums = _doubled_rank_sums(table) / 2
    # A bucket's t^3 - t is t^2 - 1 for each of its t protocols.
    ties = sum(
        int(((table == table[:, [at]]).sum(axis=1) ** 2 - 1).sum()) for at in range(n_protocols)
    )
    k = n_protocols
    corrected = 1 - ties / (k * (k * k - 1) * n)
    squares = float((rank_sums**2).sum())
    statistic = (12.0 / (k * n * (k + 1)) * squares - 3 * n * (k + 1)) / corrected
    return Friedman(statistic, float(chdtrc(k - 1, statistic)), n, n_protocols)


def bonferroni(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return p-values times their number, those of None included, at most 1; None stays.

    Examples
    --------
    >>> bonferroni([0.01, 0.6, None])
    (0.03, 1.0, None)
    """
    n = len(p_values)
    return tuple(None if p is None else min(1.0, n * p) for p in p_values)


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return p-values corrected by Holm's step-down rule ([Hol79]_); None stays and does not count.

    The i-th smallest of m is multiplied by m - i + 1; no result is below that of a smaller p-value,
    or above 1.

    Examples
    --------
    >>> holm([0.01, 0.04, None])
    (0.02, 0.04, None)
    """
    order = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for step, (p, at) in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - step) * p))
        corrected[at] = highest
    return tuple(corrected)


def shaffer(p_values: Sequence[float | None], n_protocols: int) -> tuple[float | None, ...]:
    """Return p-values of all pairs of protocols, corrected by Shaffer's step-down rule ([Sha86]_, S1).

    The i-th smallest of m is multiplied by the largest number of pairs, up to m - i + 1, that can be
    equal at once: three protocols have three equal pairs, one or none, never two. No result is below
    that of a smaller p-value, or above 1; None stays.

    Parameters
    ----------
    p_values : sequence of float or None
        One for each of the ``n_protocols (n_protocols - 1) / 2`` pairs.
    n_protocols : int

    Raises
    ------
    RankingError
        If there are not so many p-values.

    Examples
    --------
    >>> shaffer([0.01, 0.02, 0.03], 3)
    (0.03, 0.03, 0.03)
    """
    n = len(p_values)
    if n != n_protocols * (n_protocols - 1) // 2:
        raise RankingError(
            f"expected the p-values of all pairs of {n_protocols} protocols, got {n}"
        )
    possible = sorted(_numbers_of_equal_pairs(n_protocols))
    order = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * n
    highest = 0.0
    for step, (p, at) in enumerate(order):
        most = possible[bisect_right(possible, n - step) - 1]
        highest = max(highest, min(1.0, most * p))
        corrected[at] = highest
    return tuple(corrected)


def _numbers_of_equal_pairs(n_protocols: int) -> frozenset[int]:
    """Return how many pairs can be equal at once: sums over groups of equal protocols."""
    found = [frozenset([0])]
    for n in range(1, n_protocols + 1):
        sums = (size * (size - 1) // 2 + x for size in range(1, n + 1) for x in found[n - size])
        found.append(frozenset(sums))
    return found[n_protocols]


@dataclass(frozen=True, slots=True)
class CriticalDifference:
    """The contents of a critical-difference diagram.

    ``average_ranks`` have the best first, None without an image. Ranks at least
    ``critical_difference`` apart differ significantly; None without an image or with fewer than two
    protocols. ``groups`` are the bars: the longest runs of two or more protocols, by average rank,
    whose first and last do not differ significantly. They may overlap.
    """

    average_ranks: tuple[tuple[str, float | None], ...]
    critical_difference: float | None
    groups: tuple[tuple[str, ...], ...]
    n_images: int
    alpha: float


def critical_difference(table: Floats, protocols: Sequence[str]) -> CriticalDifference:
    """Return average ranks and Nemenyi's critical difference ([Dem06]_, 3.2.2).

    On every image the protocol with the smallest distance has rank 1; equals share the mean of
    their ranks. CD = q sqrt(p (p + 1) / 6 n), with q the 5 % quantile of the studentized range of
    p protocols and infinitely many degrees of freedom, divided by sqrt(2). ``table`` of shape (n,
    p) has the distances to the consensus on n images. A single image suffices: its ranks are the
    average ranks, and the CD is large. Raises RankingError as :func:`friedman_test` does.
    """
    table = checked_table(table, protocols)
    n, n_protocols = table.shape
    if not n:
        return CriticalDifference(tuple((name, None) for name in protocols), None, (), 0, ALPHA)
    doubled = _doubled_rank_sums(table)
    order = sorted(range(n_protocols), key=lambda at: (doubled[at], at))
    ranks = [(protocols[at], float(doubled[at]) / (2 * n)) for at in order]
    if n_protocols < 2:
        return CriticalDifference(tuple(ranks), None, (), n, ALPHA)
    q = quantile(1 - ALPHA, n_protocols) / math.sqrt(2)
    limit = q * math.sqrt(n_protocols * (n_protocols + 1) / (6 * n))
    return CriticalDifference(tuple(ranks), limit, _runs(ranks, limit), n, ALPHA)


def _doubled_rank_sums(table: Floats) -> NDArray[np.intp]:
    """Return twice the sum of each protocol's ranks over the images, exactly."""
    sums = np.empty(table.shape[1], dtype=np.intp)
    for at in range(table.shape[1]):
        own = table[:, [at]]
        # Twice the mean of the positions of a bucket: 2 x those before it + its size + 1.
        sums[at] = 2 * np.count_nonzero(table < own) + np.count_nonzero(table == own) + len(table)
    return sums


def _runs(ranks: Sequence[tuple[str, float]], limit: float) -> tuple[tuple[str, ...], ...]:
    """Return the longest runs of neighbours, by rank, whose ends are less than ``limit`` apart."""
    runs = []
    last_end = 0
    for start in range(len(ranks)):
        end = start + 1
        while end < len(ranks) and ranks[end][1] - ranks[start][1] < limit:
            end += 1
        # A run that ends where an earlier one did is part of it.
        if end - start > 1 and end > last_end:
            runs.append(tuple(name for name, _ in ranks[start:end]))
            last_end = end
    return tuple(runs)
