"""The report's numbers a second way: slowly, by definition, for a few methods."""

import heapq
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations

Box = tuple[int, int, int, int]
Buckets = tuple[frozenset[str], ...]
_SPLITTING, _SWAPPING, _MERGING = range(3)


def buckets(ranking: Sequence[Sequence[str]]) -> Buckets:
    return tuple(frozenset(bucket) for bucket in ranking)


@cache
def edit_distance(start: Buckets, goal: Buckets) -> Fraction:
    """Search the cheapest script of splits, then swaps of single neighbours, then merges.

    A swap exchanges two consecutive elements; an element next to a bucket is consecutive to each
    member only one at a time, so swaps are made on a strict refinement of the start.
    """
    best: dict[tuple[Buckets, int], Fraction] = {}
    queue: list[tuple[Fraction, int, Buckets, int]] = [(Fraction(0), 0, start, _SPLITTING)]
    n_seen = 0
    while queue:
        cost, _, ranking, phase = heapq.heappop(queue)
        if ranking == goal:
            return cost
        if best.get((ranking, phase), cost + 1) <= cost:
            continue
        best[ranking, phase] = cost
        for edit_cost, following, next_phase in _edits(ranking, phase):
            n_seen += 1
            heapq.heappush(queue, (cost + edit_cost, n_seen, following, next_phase))
    raise AssertionError("every ranking can be reached by splits, swaps and merges")


def _edits(ranking: Buckets, phase: int):
    half, one = Fraction(1, 2), Fraction(1)
    if phase == _SPLITTING:
        for at, bucket in enumerate(ranking):
            for first in _proper_parts(bucket):
                yield half, (*ranking[:at], first, bucket - first, *ranking[at + 1 :]), _SPLITTING
    for at in range(len(ranking) - 1):
        upper, lower = ranking[at], ranking[at + 1]
        if phase <= _SWAPPING:
            # Exchanging two neighbouring buckets swaps every member with every other.
            yield (
                one * len(upper) * len(lower),
                (*ranking[:at], lower, upper, *ranking[at + 2 :]),
                _SWAPPING,
            )
        yield half, (*ranking[:at], upper | lower, *ranking[at + 2 :]), _MERGING


def _proper_parts(bucket: frozenset[str]):
    members = sorted(bucket)
    for code in range(1, 2 ** len(members) - 1):
        yield frozenset(member for bit, member in enumerate(members) if code >> bit & 1)


def consensus(rankings: Sequence[Buckets]) -> Buckets:
    """Order the methods by their mean rank, a bucket sharing the mean of its positions."""
    total: dict[str, Fraction] = {}
    for ranking in rankings:
        position = 1
        for bucket in ranking:
            shared = Fraction(2 * position + len(bucket) - 1, 2)
            for method in bucket:
                total[method] = total.get(method, Fraction(0)) + shared
            position += len(bucket)
    return _by_value(total)


def from_scores(scores: Mapping[str, float], decimals: int = 4) -> Buckets:
    rounded = {method: -Fraction(f"{score:.{decimals}f}") for method, score in scores.items()}
    return _by_value(rounded)


def _by_value(values: Mapping[str, Fraction]) -> Buckets:
    levels = sorted(set(values.values()))
    return tuple(
        frozenset(method for method, value in values.items() if value == level) for level in levels
    )


def expected_distance_of_a_random_order(goal: Buckets) -> Fraction:
    """Return the mean over all strict orders, one by one."""
    methods = sorted(method for bucket in goal for method in bucket)
    orders = [tuple(frozenset({method}) for method in order) for order in permutations(methods)]
    return sum((edit_distance(order, goal) for order in orders), Fraction(0)) / len(orders)


def iou_scores(truth: Sequence[Box], detections: Sequence[Box]) -> tuple[float, float]:
    """Return recall and precision of one image: greedy pairs with an IoU above one half."""
    matched: set[int] = set()
    for word in truth:
        for at, box in enumerate(detections):
            if at not in matched and _iou(word, box) > 0.5:
                matched.add(at)
                break
    recall = len(matched) / len(truth)
    precision = len(matched) / len(detections) if detections else 0.0
    return recall, precision


def _iou(a: Box, b: Box) -> float:
    width = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    shared = width * height
    area = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
    return shared / (area - shared)


def f_score(recall: float, precision: float) -> float:
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0
