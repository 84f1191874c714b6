"""Rankings the slow way, pair by pair and in fractions: distances, mean ranks, orders by values."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from rankings.orders.buckets import Ranking


def signs_of(ranking: Ranking) -> dict[tuple[str, str], int]:
    """Return 1 for each pair whose first is before the second, -1 for the reverse, 0 for a tie."""
    place = {method: at for at, bucket in enumerate(ranking) for method in bucket}
    return {
        (a, b): (place[a] < place[b]) - (place[a] > place[b])
        for a, b in combinations(sorted(place), 2)
    }


def plain_edit_distance(a: Ranking, b: Ranking) -> Fraction:
    """Return swaps, and halves for splits and merges, which test_edit_distance compares with a search."""
    signs = signs_of(a)
    swaps = sum(signs[pair] * said == -1 for pair, said in signs_of(b).items())
    cells = sum(bool(set(bucket) & set(other)) for bucket in a for other in b)
    return swaps + Fraction(cells - len(a), 2) + Fraction(cells - len(b), 2)


def plain_kemeny_distance(a: Ranking, b: Ranking) -> Fraction:
    """Return 1 for each pair that is reversed, and a half for each that one of both ties."""
    signs = signs_of(a)
    return sum((Fraction(abs(signs[pair] - of), 2) for pair, of in signs_of(b).items()), Fraction())


def plain_mean_rank(rankings: Sequence[Ranking]) -> Ranking:
    """Order methods by their mean rank; a bucket shares the mean of its positions."""
    ranks: dict[str, list[Fraction]] = {}
    for ranking in rankings:
        before = 0
        for bucket in ranking:
            for method in bucket:
                ranks.setdefault(method, []).append(before + Fraction(len(bucket) + 1, 2))
            before += len(bucket)
    return plain_order({method: sum(of) / len(of) for method, of in ranks.items()})


def plain_order(values: Mapping[str, float | Fraction]) -> Ranking:
    """Order methods by a value, the least first; equal ones are tied."""
    return tuple(
        tuple(sorted(method for method, value in values.items() if value == level))
        for level in sorted(set(values.values()))
    )
