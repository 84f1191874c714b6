"""Rankings: weak orders of methods, as buckets, best first."""

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TypeVar

from ..errors import RankingError

Ranking = tuple[tuple[str, ...], ...]
_Method = TypeVar("_Method")


def checked(ranking: Iterable[Iterable[str]]) -> Ranking:
    """Return the ranking as tuples.

    Parameters
    ----------
    ranking : iterable of iterables of str
        Buckets, best first; the methods of a bucket are tied.

    Raises
    ------
    RankingError
        If there is no bucket, a bucket is empty or not a collection of names, or a method occurs
        twice; the message names the methods.

    Examples
    --------
    >>> checked([["a"], ["c", "b"]])
    (('a',), ('c', 'b'))
    """
    if isinstance(ranking, str) or not isinstance(ranking, Iterable):
        raise RankingError(f"a ranking is a list of buckets, not {ranking!r}")
    buckets = tuple(_checked_bucket(bucket) for bucket in ranking)
    if not buckets:
        raise RankingError("a ranking needs at least one method")
    counts = Counter(method for bucket in buckets for method in bucket)
    twice = [method for method, count in counts.items() if count > 1]
    if twice:
        raise RankingError(f"ranked twice: {', '.join(sorted(twice))}")
    return buckets


def _checked_bucket(bucket: Iterable[str]) -> tuple[str, ...]:
    if isinstance(bucket, str) or not isinstance(bucket, Iterable):
        raise RankingError(f"a bucket is a list of method names, not {bucket!r}")
    members = tuple(bucket)
    if not members:
        raise RankingError("a bucket needs at least one method")
    strangers = [member for member in members if not isinstance(member, str)]
    if strangers:
        raise RankingError(f"a method is named by text, not by {strangers[0]!r}")
    return members


def methods_of(ranking: Ranking) -> frozenset[str]:
    """Return the methods in a ranking.

    Examples
    --------
    >>> sorted(methods_of((("b",), ("a", "c"))))
    ['a', 'b', 'c']
    """
    return frozenset(method for bucket in ranking for method in bucket)


def bucket_of(ranking: Iterable[Iterable[_Method]]) -> dict[_Method, int]:
    """Return the bucket number of each method, or of its key in a database, 0 for the best.

    Examples
    --------
    >>> bucket_of((("b",), ("a", "c")))
    {'b': 0, 'a': 1, 'c': 1}
    """
    return {method: place for place, bucket in enumerate(ranking) for method in bucket}


def require_same_methods(*rankings: Ranking) -> None:
    """Raise RankingError, naming the methods, unless all rankings rank the same ones.

    Raises
    ------
    RankingError
        If a method is not in all of them.

    Examples
    --------
    >>> require_same_methods((("a",),), (("a",), ("b",)))
    Traceback (most recent call last):
        ...
    rankings.errors.RankingError: the rankings are of different methods; not in both: b
    """
    if not rankings:
        return
    expected = methods_of(rankings[0])
    for ranking in rankings[1:]:
        differing = expected ^ methods_of(ranking)
        if differing:
            raise RankingError(
                f"the rankings are of different methods; not in both: {', '.join(sorted(differing))}"
            )


def doubled_ranks(ranking: Ranking) -> dict[str, int]:
    """Return twice each method's rank, exactly.

    A bucket shares the mean of its positions, counted from 1: ``a=b>c`` gives ranks 1.5, 1.5
    and 3, so 3, 3 and 6 here.

    Examples
    --------
    >>> doubled_ranks((("a", "b"), ("c",)))
    {'a': 3, 'b': 3, 'c': 6}
    """
    ranks = {}
    before = 0
    for bucket in ranking:
        for method in bucket:
            ranks[method] = 2 * before + len(bucket) + 1
        before += len(bucket)
    return ranks


def from_values(values: Sequence[tuple[str, float | Decimal]], *, descending: bool) -> Ranking:
    """Rank methods by numbers; equal numbers tie. Buckets are sorted by name.

    Parameters
    ----------
    values : sequence of (method, number)
    descending : bool
        Whether the greatest number is best.

    Examples
    --------
    >>> from_values([("a", 0.5), ("b", 0.9), ("c", 0.5)], descending=True)
    (('b',), ('a', 'c'))
    """
    buckets: dict[float | Decimal, list[str]] = {}
    for method, value in values:
        buckets.setdefault(value, []).append(method)
    order = sorted(buckets, reverse=descending)
    return tuple(tuple(sorted(buckets[value])) for value in order)


def to_text(ranking: Ranking) -> str:
    """Return ``a = d > b`` for ``(("a", "d"), ("b",))``.

    Examples
    --------
    >>> to_text((("a", "d"), ("b",)))
    'a = d > b'
    """
    return " > ".join(" = ".join(bucket) for bucket in ranking)
