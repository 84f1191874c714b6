"""The known order of items by one criterion, closed under transitivity.

Sets of items are integers used as bit sets: bit ``i`` is item ``i``. Union, difference and size of
a set are then single operations on integers; the planner, which replays the log for every screen,
spends most of its time on them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Literal

Verdict = Literal["left", "equal", "right"]


def verdict_of(places: Mapping[str, int], left: str, right: str) -> Verdict:
    """Return how two methods compare by their places, of which smaller ones are better."""
    if places[left] == places[right]:
        return "equal"
    return "left" if places[left] < places[right] else "right"


@dataclass(slots=True)
class PartialOrder:
    """Relations between ``n`` items, some known and some open.

    ``better``, ``worse`` and ``same`` have for each item the bit sets of the items above it, below
    it, and tied with it (itself included). They are kept closed under transitivity, so that
    consequences of answers can be read off without a search.
    """

    n: InitVar[int]
    better: list[int] = field(init=False)
    worse: list[int] = field(init=False)
    same: list[int] = field(init=False)

    def __post_init__(self, n: int) -> None:
        self.better = [0] * n
        self.worse = [0] * n
        self.same = [1 << i for i in range(n)]

    def copy(self) -> "PartialOrder":
        other = PartialOrder(0)
        other.better, other.worse, other.same = [*self.better], [*self.worse], [*self.same]
        return other

    def known(self, i: int, j: int) -> Verdict | None:
        """Return how ``i`` (left) compares with ``j`` (right); None while this is open."""
        bit = 1 << j
        if self.worse[i] & bit:
            return "left"
        if self.better[i] & bit:
            return "right"
        return "equal" if self.same[i] & bit else None

    def open_items(self, i: int) -> int:
        """Return the bit set of the items whose relation to ``i`` is not known."""
        everything = (1 << len(self.same)) - 1
        return everything & ~(self.better[i] | self.worse[i] | self.same[i])

    def set(self, left: int, right: int, verdict: Verdict) -> None:
        """Settle an open relation and everything that follows from it."""
        if verdict == "left":
            self.set_better(left, right)
        elif verdict == "right":
            self.set_better(right, left)
        else:
            self.set_equal(left, right)

    def set_better(self, i: int, j: int) -> None:
        # Every item no worse than i is now above every item no better than j. No other pair
        # changes, because both sets were closed before.
        above = self.better[i] | self.same[i]
        below = self.worse[j] | self.same[j]
        for x in items_of(above):
            self.worse[x] |= below
        for x in items_of(below):
            self.better[x] |= above

    def set_equal(self, i: int, j: int) -> None:
        # The two groups become one; every item above either group is above both, and so above every
        # item below either.
        same = self.same[i] | self.same[j]
        above = self.better[i] | self.better[j]
        below = self.worse[i] | self.worse[j]
        for x in items_of(same):
            self.same[x] = same
            self.better[x] |= above
            self.worse[x] |= below
        for x in items_of(above):
            self.worse[x] |= same | below
        for x in items_of(below):
            self.better[x] |= same | above

    def groups_worst_first(self, members: int) -> list[int]:
        """Return the groups (bit sets) of these items from worst to best."""
        groups = {self.same[i] & members for i in items_of(members)}
        return sorted(groups, key=lambda group: (-self.better[_lowest(group)].bit_count(), group))

    def least_screens(self, visible: int) -> int:
        """Return the least number of further answers that this criterion needs for some items.

        The finished ranking is one path through all groups, and an answer joins at most two paths.
        So the groups, linked to those directly below them, are covered by as few disjoint paths as
        possible; all but one of these must still be joined to another. Their number is that of the
        groups less a maximum matching of groups with a group directly below.
        """
        groups = sorted({self.same[i] & visible for i in items_of(visible)})
        below = {group: self.worse[_lowest(group)] for group in groups}
        covers = {}
        for group in groups:
            # A group below another group that is below is not directly below.
            direct = below[group]
            for other in groups:
                if direct & other:
                    direct &= ~below[other]
            covers[group] = [other for other in groups if direct & other]
        return len(groups) - _maximum_matching(covers) - 1 if groups else 0


def items_of(bits: int) -> Iterator[int]:
    """Yield the items of a bit set, the smallest first."""
    while bits:
        # In two's complement this keeps only the lowest bit.
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _maximum_matching(edges: Mapping[int, Sequence[int]]) -> int:
    """Return the size of a maximum matching of a bipartite graph (augmenting paths)."""
    matched: dict[int, int] = {}

    def augment(start: int, tried: set[int]) -> bool:
        for end in edges[start]:
            if end in tried:
                continue
            tried.add(end)
            # The end is free, or its partner can be matched elsewhere.
            if end not in matched or augment(matched[end], tried):
                matched[end] = start
                return True
        return False

    return sum(augment(start, set()) for start in edges)
