"""Answers of programs that judge pairs: verdicts, the nearest rankings, and how a judge agrees with itself.

A verdict of a pair is the side that wins in both orders ([ZCS23]_), else *equal*; a missing answer counts
as *equal*.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..consensus.kemeny import nearest_places
from ..errors import RankingError
from ..orders.buckets import Ranking, bucket_of
from ..orders.packed import rankings_of
from ..orders.packed_scores import Floats

# image -> name -> ranking
Rankings = Mapping[str, Mapping[str, Ranking]]


@dataclass(frozen=True)
class Pairs:
    """The pairs of methods that a judge is asked: image, one method, the other; an image's are together.

    ``probabilities`` are those of the draw; 1 if there are none.
    """

    rows: Sequence[tuple[str, str, str]]
    probabilities: Sequence[float] = ()

    @cached_property
    def weights(self) -> Floats:
        """The inverse of each probability, of shape (n,)."""
        return 1 / np.array(self.probabilities or [1.0] * len(self.rows))

    @cached_property
    def methods(self) -> dict[str, tuple[str, ...]]:
        """The methods of each image, in order of name."""
        found: dict[str, set[str]] = {}
        for image, one, other in self.rows:
            found.setdefault(image, set()).update((one, other))
        return {image: tuple(sorted(names)) for image, names in found.items()}

    @cached_property
    def numbers(self) -> NDArray[np.intp]:
        """The image of each pair and, among its methods, one and other, of shape (n, 3)."""
        place = {
            image: (at, {name: n for n, name in enumerate(names)})
            for at, (image, names) in enumerate(self.methods.items())
        }
        found = []
        for image, one, other in self.rows:
            at, number = place[image]
            found.append((at, number[one], number[other]))
        return np.array(found, dtype=np.intp).reshape(-1, 3)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """The pairs of each image."""
        starts = np.searchsorted(self.numbers[:, 0], np.arange(len(self.methods) + 1)).tolist()
        return {image: slice(*starts[at : at + 2]) for at, image in enumerate(self.methods)}

    @cached_property
    def places(self) -> dict[tuple[str | None, ...], tuple[int, int]]:
        """By image, left and right method: the number of the pair, and 0 if ``one`` is left, else 1."""
        found: dict[tuple[str | None, ...], tuple[int, int]] = {}
        for at, (image, one, other) in enumerate(self.rows):
            found[image, one, other], found[image, other, one] = (at, 0), (at, 1)
        return found

    def table(self, values: Floats) -> Floats:
        """Return values of pairs for each image, of shape (images, m, m), 0 where no pair was asked.

        That of one and other has the value, that of other and one its negative.
        """
        at, one, other = self.numbers.T
        most = max(map(len, self.methods.values()), default=0)
        found = np.zeros((len(self.methods), most, most))
        found[at, one, other], found[at, other, one] = values, -values
        return found


@dataclass(frozen=True)
class Answers:
    """A judge's answers by one criterion.

    ``said`` of shape (n, 2, repeats) is 1 for ``one``, -1 for ``other``, 0 for equal, and NaN without an
    answer. The first order has ``one`` on the left. ``asked`` of shape (n, 2) are the orders to be asked.
    """

    pairs: Pairs
    said: Floats
    asked: NDArray[np.bool_]

    @property
    def has_any(self) -> bool:
        return not bool(np.isnan(self.said).all())

    @cached_property
    def orders(self) -> Floats:
        """The verdict of most repeats in each order, 0 if as many have another; of shape (n, 2).

        An order that is not asked is like the other.
        """
        said = np.nan_to_num(self.said)
        counts = np.stack([(said == sign).sum(axis=2) for sign in (-1, 0, 1)])
        is_drawn = (counts == counts.max(axis=0)).sum(axis=0) > 1
        found = np.where(is_drawn, 0.0, counts.argmax(axis=0) - 1.0)
        return np.where(self.asked, found, found[:, ::-1])

    @cached_property
    def verdicts(self) -> Floats:
        """1 if ``one`` wins in every order asked, -1 if ``other`` does, else 0; of shape (n,)."""
        first, second = self.orders.T
        return np.where(first == second, first, 0.0)

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Whether an order has no answer at all, of shape (n,)."""
        return np.asarray((np.isnan(self.said).all(axis=2) & self.asked).any(axis=1))

    def rankings(self) -> dict[str, Ranking]:
        """Return the nearest weak order to the verdicts of each image whose pairs were all asked."""
        pairs = self.pairs
        found: dict[str, Ranking] = {}
        n_of = np.array([len(names) for names in pairs.methods.values()], dtype=np.intp)
        n_pairs = np.bincount(pairs.numbers[:, 0], minlength=len(n_of))
        table = pairs.table(self.verdicts)
        names = [*pairs.methods.items()]
        for n in np.unique(n_of).tolist():
            rows = np.flatnonzero((n_of == n) & (n_pairs == n * (n - 1) // 2))
            of = table[rows, :n, :n]
            before, equal = (of > 0).astype(np.int64), (of == 0) & ~np.eye(n, dtype=bool)
            places, _ = nearest_places(before, equal.astype(np.int64))
            chosen = [names[row] for row in rows.tolist()]
            ranked = rankings_of(places, [methods for _, methods in chosen])
            found |= {image: one for (image, _), one in zip(chosen, ranked, strict=True)}
        return found


@dataclass(frozen=True, slots=True)
class Consistency:
    """How a judge agrees with itself; shares are None where there is nothing to share.

    ``contradictions`` of the pairs asked in both orders, ``first_place`` of the contradictions (left won),
    ``stability``: of two repeats of a request, how often they say the same.
    """

    n_pairs: int
    n_missing: int
    contradictions: float | None
    first_place: float | None
    stability: float | None
    n_circular: int
    n_triples: int


def consistency(answers: Answers) -> Consistency:
    """Return the figures of all images together."""
    both = np.asarray(answers.asked.all(axis=1))
    first, second = answers.orders.T
    against = both & (first * second < 0)
    # No answer twice is the same.
    said = np.where(np.isnan(answers.said), 9.0, answers.said)[answers.asked]
    same = [said[:, i] == said[:, j] for i, j in combinations(range(said.shape[1]), 2)]
    wins = (answers.pairs.table(answers.verdicts) > 0).astype(float)
    asked = np.abs(answers.pairs.table(np.ones(len(both))))
    return Consistency(
        len(both),
        int(answers.missing.sum()),
        _share(against, both),
        _share(first[against] > 0, against),
        float(np.mean(same)) if np.size(same) else None,
        round(_cycles(wins) / 3),
        round(_cycles(asked) / 6),
    )


def _share(chosen: NDArray[np.bool_], among: NDArray[np.bool_]) -> float | None:
    return float(chosen.sum() / among.sum()) if among.any() else None


def _cycles(table: Floats) -> float:
    """Return the number of ways to go round three methods, from each of them."""
    return float(((table @ table) * table.swapaxes(1, 2)).sum())


@dataclass(frozen=True, slots=True)
class Placed:
    """The rankings of images as arrays, for several comparisons.

    ``of`` has for each image the names, the methods of all its rankings in order, and the bucket number of
    each method in each ranking, of shape (names, methods).
    """

    of: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], Floats]] = field(default_factory=dict)

    @classmethod
    def from_rankings(cls, rankings: Rankings) -> "Placed":
        found = {}
        for image, of_image in rankings.items():
            names = tuple(sorted(of_image))
            buckets = [bucket_of(of_image[name]) for name in names]
            methods = tuple(sorted(set.intersection(*map(set, buckets)))) if buckets else ()
            places = [[of[method] for method in methods] for of in buckets]
            found[image] = names, methods, np.array(places, dtype=float)
        return cls(found)

    def signs(self, pairs: Pairs, image: str) -> Floats:
        """Return what the rankings of an image say of its pairs, of shape (names, pairs)."""
        _, methods, places = self.of[image]
        asked = pairs.methods[image]
        if asked != methods:
            number = {method: at for at, method in enumerate(methods)}
            try:
                places = places[:, [number[method] for method in asked]]
            except KeyError as unknown:
                raise RankingError(f"a ranking has no method {unknown}") from unknown
        _, one, other = pairs.numbers[pairs.slices[image]].T
        return np.asarray(np.sign(places[:, other] - places[:, one]))


NO_RANKINGS: Final = Placed()
