"""Rankings of many images as arrays, methods in order of name.

A study is a mapping of images to rankings of a few methods each. A Python loop over images would
take far longer than numpy, so images are combined into arrays. Because images differ in the numbers
of rankings and methods, there is one array for each shape.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import RankingError
from .buckets import Ranking, checked, require_same_methods

T = TypeVar("T")
# Bucket numbers, 0 for the best, in a small integer type.
Places = NDArray[np.integer[Any]]

# Images packed at a time: arrays stay small compared with the study.
TOGETHER = 4096


@dataclass(frozen=True, slots=True)
class PackedRankings:
    """Images that have equally many rankings of equally many methods.

    ``rows`` of shape (g,) has the images' numbers among all, ``methods`` those of each image in
    order of name, and ``places`` of shape (g, k, n) their bucket numbers in the k rankings, in the
    order given.
    """

    rows: NDArray[np.intp]
    methods: list[tuple[str, ...]]
    places: Places


def packed_rankings(
    images: Sequence[Sequence[Ranking]],
    differing: Callable[[int], object] | None = None,
    together: int | None = None,
) -> Iterator[PackedRankings]:
    """Yield the rankings of many images, ``together`` at a time, in order within each group.

    An image without a ranking is in no group; nor is one whose rankings are of different methods:
    ``differing`` is called with its number before the groups of its batch are yielded. Raises
    RankingError if a ranking is invalid.
    """
    size = together or TOGETHER
    for start in range(0, len(images), size):
        yield from _grouped(images[start : start + size], start, differing)


def named_rankings(
    names: Sequence[str], images: Sequence[Sequence[Ranking]]
) -> Iterator[PackedRankings]:
    """Yield :func:`packed_rankings` of images with names.

    Raises RankingError, which names the image, if a ranking is invalid, or the rankings of an image
    are of different methods.
    """

    def refuse(at: int) -> None:
        try:
            require_same_methods(*map(checked, images[at]))
        except RankingError as fault:
            raise RankingError(f"{names[at]}: {fault}") from fault

    try:
        yield from packed_rankings(images, refuse)
    except RankingError:
        # Packing does not name the image of an invalid ranking.
        for at in range(len(images)):
            refuse(at)
        raise


def _grouped(
    images: Sequence[Sequence[Ranking]], start: int, differing: Callable[[int], object] | None
) -> Iterator[PackedRankings]:
    rankings = _Flat(images)
    # For each image: the number of its rankings, the index of the first one among all, and the
    # number of methods in that one.
    n_rankings = _lengths(images)
    first_ranking = _starts(n_rankings)
    has_any = n_rankings > 0
    n_methods = np.zeros(len(images), dtype=np.intp)
    n_methods[has_any] = rankings.n_methods[first_ranking[has_any]]
    # The image of each ranking. If a ranking has another number of methods than the first of its
    # image, the methods differ; those with the same number are compared name by name below.
    owner = np.repeat(np.arange(len(images)), n_rankings)
    is_differing = np.zeros(len(images), dtype=bool)
    is_differing[owner[rankings.n_methods != n_methods[owner]]] = True
    groups = []
    for k, n in sorted({*zip(n_rankings.tolist(), n_methods.tolist(), strict=True)}):
        if not k:
            continue
        rows = np.flatnonzero((n_rankings == k) & (n_methods == n) & ~is_differing)
        # An image's rankings are consecutive: (images, k) numbers of rankings, from which come
        # (images, k, n) methods and places.
        methods, places = rankings.of(first_ranking[rows, np.newaxis] + np.arange(k), n)
        is_one_set = (methods == methods[:, :1]).all(axis=(1, 2))
        is_differing[rows[~is_one_set]] = True
        groups.append((rows[is_one_set], methods[is_one_set, 0], places[is_one_set]))
    # All errors are raised before the first group, so that no work is done on an invalid study.
    for row in np.flatnonzero(is_differing).tolist():
        rankings.check(first_ranking[row], n_rankings[row])
        if differing:
            differing(start + row)
    for rows, methods, places in groups:
        if len(rows):
            yield PackedRankings(start + rows, rankings.names_of(methods), places)


class _Flat:
    """All rankings concatenated, so that one numpy pass processes all of them.

    ``a=b>c`` and ``c>a`` become methods 0 1 2 2 0 with places 0 0 1 0 1, first 0 3, n_methods 3 2;
    ``names`` are the methods that occur, in order of name.
    """

    def __init__(self, images: Sequence[Sequence[Ranking]]) -> None:
        self._rankings, kind, different = _flattened(images)
        names = list(chain.from_iterable(different))
        self.names = sorted(set(names))
        numbers = {name: number for number, name in enumerate(self.names)}
        methods = np.fromiter(map(numbers.__getitem__, names), np.intp, len(names))
        n_of_kind = _lengths(different)
        n_buckets, n_members = _lengths(self._rankings), n_of_kind[kind]
        first_bucket, first_member = _starts(n_buckets), _starts(n_members)
        # A bucket's number is its position among all buckets minus that of its ranking's first.
        place = np.arange(len(kind)) - np.repeat(first_bucket, n_buckets)
        # For each member of each bucket, its position among the members of the distinct buckets.
        position = np.repeat(_starts(n_of_kind)[kind] - first_member, n_members)
        position += np.arange(len(position))
        # Method and place in one number, which sorts by method; small integers sort fastest.
        self._bits = int(n_buckets.max(initial=0)).bit_length()
        small = np.min_scalar_type(-(len(self.names) << self._bits))
        self._members = (methods << self._bits).astype(small)[position]
        self._members += np.repeat(place.astype(small), n_members)
        self.first = first_member[first_bucket]
        self.n_methods = np.diff(np.append(self.first, len(position)))

    def of(self, rankings: NDArray[np.intp], n: int) -> tuple[NDArray[np.integer[Any]], Places]:
        """Return the methods, in order, and places of rankings of n methods: shape (..., n)."""
        members = self._members[self.first[rankings, np.newaxis] + np.arange(n)]
        # Numbers of methods are in the order of their names: sorted, equal sets are equal rows, and
        # a duplicated method follows itself.
        members.sort(axis=-1)
        methods = members >> self._bits
        if (methods[..., 1:] == methods[..., :-1]).any():
            # One of them is not a ranking: raises an error that names the duplicated methods.
            self.check(0, len(self._rankings))
        # The smallest integers are compared the fastest; signed ones can be subtracted.
        places = (members & ((1 << self._bits) - 1)).astype(np.min_scalar_type(-n))
        return methods, places

    def check(self, first: int, n: int) -> None:
        """Raise RankingError if one of the n rankings from ``first`` on has a method twice."""
        for ranking in self._rankings[first : first + n]:
            checked(ranking)

    def names_of(self, methods: NDArray[np.integer[Any]]) -> list[tuple[str, ...]]:
        """Return the names of each row of methods; equal rows are one object."""
        shared: dict[bytes, tuple[str, ...]] = {}
        names_of_rows = []
        for row in methods:
            key = row.tobytes()
            if key not in shared:
                shared[key] = tuple(self.names[number] for number in row)
            names_of_rows.append(shared[key])
        return names_of_rows


def _flattened(
    images: Sequence[Sequence[Ranking]],
) -> tuple[Sequence[Ranking], NDArray[np.intp], list[tuple[str, ...]]]:
    """Return all rankings, the number of each of their buckets, and the distinct buckets by number.

    There are many buckets but few distinct ones, and only these are unpacked name by name. Raises
    RankingError if one is not a ranking.
    """
    rankings = list(chain.from_iterable(images))
    if set(map(type, rankings)) <= {tuple, list} and all(rankings):
        # An unhashable value is not a tuple; it is converted below.
        with suppress(TypeError):
            numbers, different = _numbered(chain.from_iterable(rankings))
            if (
                set(map(type, different)) <= {tuple}
                and all(different)
                and set(map(type, chain.from_iterable(different))) <= {str}
            ):
                return rankings, numbers, different
    # Another kind of collection, or no ranking: each must be checked.
    rankings = [checked(ranking) for ranking in rankings]
    return rankings, *_numbered(chain.from_iterable(rankings))


def _numbered(buckets: Iterable[T]) -> tuple[NDArray[np.intp], list[T]]:
    """Return a number for each bucket, equal for equal ones, and the distinct buckets by number."""
    number_of: defaultdict[T, int] = defaultdict(count().__next__)
    numbers = np.fromiter(map(number_of.__getitem__, buckets), np.intp)
    return numbers, list(number_of)


def _lengths(values: Sequence[Sequence[Any]]) -> NDArray[np.intp]:
    return np.fromiter(map(len, values), np.intp, len(values))


def _starts(lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.cumsum(lengths) - lengths


def rankings_of(places: Places, methods: Iterable[Sequence[str]]) -> Iterator[Ranking]:
    """Yield the ranking of each row of dense bucket numbers, shape (m, n), methods by name.

    Equal buckets are one object: otherwise buckets of one method would take most of the memory.
    """
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    for row, names in zip(places.tolist(), methods, strict=True):
        buckets: list[list[str]] = [[] for _ in range(max(row) + 1)]
        for place, name in zip(row, names, strict=True):
            buckets[place].append(name)
        yield tuple([shared.setdefault(bucket, bucket) for bucket in map(tuple, buckets)])


def doubled_ranks_of(places: Places) -> NDArray[np.int32]:
    """Return twice each method's rank as :func:`rankings.orders.buckets.doubled_ranks` does.

    ``places`` of shape (..., n) are bucket numbers, or other numbers in the order of the buckets.
    """
    # A bucket of t methods after b others has the mean position b + (t + 1) / 2, doubled 2 b + t +
    # 1. Counting "no worse" gives b + t, and "better" gives b; with 1 added, their sum is the same.
    ranks = np.ones(places.shape, dtype=np.int32)
    for at in range(places.shape[-1]):
        other = places[..., [at]]
        ranks += other <= places
        ranks += other < places
    return ranks


def dense_places(values: NDArray[Any]) -> Places:
    """Return each value's bucket number along the last axis: 0 for the smallest, equal for equals.

    The shape is that of the values.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    # In order, a new bucket begins where a value differs from the one before: the number of such
    # places so far is the bucket number. It is then put back where the value came from.
    numbers = np.zeros(values.shape, dtype=np.min_scalar_type(-max(1, values.shape[-1])))
    np.cumsum(ordered[..., 1:] != ordered[..., :-1], axis=-1, out=numbers[..., 1:])
    places = np.empty_like(numbers)
    np.put_along_axis(places, order, numbers, axis=-1)
    return places
