"""Orders of an image's methods: letters for methods, and edits from each order to the consensus."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotate.datasets.drawing import counted_boxes, drawn
from annotate.datasets.models import Method, Result
from annotate.languages import in_decimals
from rankings.orders.buckets import Ranking, bucket_of, methods_of
from rankings.orders.distances import kemeny_distance
from rankings.orders.edit_distance import EditDistance, Step, edit_distance, edit_script

# The kinds of steps of an edit script.
_EDITS: Final = (gettext_noop("split"), gettext_noop("swap"), gettext_noop("merge"))
# Edit scripts are drawn while they need at most this many cells in total, others on request.
_MAX_CELLS = 3000


@dataclass(frozen=True, slots=True)
class Pane:
    """One method's result and its letter; the letters follow the consensus."""

    method: Method
    letter: str
    polygons: Sequence[str]
    # The other method to open in the viewer.
    beside: str

    @property
    def label(self) -> str:
        return counted_boxes(len(self.polygons))

    @property
    def pair(self) -> str:
        """The two methods as the viewer's address names them."""
        return urlencode({"left": self.method.slug, "right": self.beside})


@dataclass(frozen=True, slots=True)
class Bucket:
    """Methods that share a place of an order."""

    place: str
    panes: Sequence[Pane]
    # Their score as compared, that is, rounded; empty if the order has no scores.
    score: str = ""

    @property
    def pair(self) -> str:
        """The first two methods as the viewer's address names them; one without a second alone."""
        first, *others = self.panes
        if not others:
            return first.pair
        return urlencode({"left": first.method.slug, "right": others[0].method.slug})


@dataclass(frozen=True, slots=True)
class Cell:
    """A bucket as a step of a script draws it."""

    letters: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Move:
    """A step of a script in words, its cost, and the order it leads to."""

    edit: str
    cost: float
    words: str
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Order:
    """One annotator's or protocol's order of the methods, and its distance from the consensus.

    If there is no order, ``lacks`` says why. ``edit`` and ``kemeny`` are None if it cannot be
    compared.
    """

    key: str
    name: str
    buckets: Sequence[Bucket] = ()
    edit: EditDistance | None = None
    kemeny: float | None = None
    opposite: Sequence[str] = ()
    half_tied: Sequence[str] = ()
    start: Sequence[Cell] = ()
    # Empty if no edit is needed, None if the edits are drawn on request only.
    moves: Sequence[Move] | None = ()
    n_moves: int = 0
    lacks: str = ""
    state: str = ""
    n_screens: int = 0
    # Whether the annotator is excluded from reports, and so from the consensus.
    is_left_out: bool = False
    # Run whose matches colour the viewer; empty if the scores were imported.
    matches_by: str = ""

    @property
    def edit_words(self) -> str:
        """The edit distance and the edits that make it up, in words."""
        if self.edit is None:
            return ""
        counts = (
            ngettext("{n} split", "{n} splits", self.edit.splits).format(n=self.edit.splits),
            ngettext("{n} swap", "{n} swaps", self.edit.swaps).format(n=self.edit.swaps),
            ngettext("{n} merge", "{n} merges", self.edit.merges).format(n=self.edit.merges),
        )
        distance = in_decimals(self.edit.distance, 1)
        return _("Edit distance {distance}: {counts}.").format(
            distance=distance, counts=", ".join(counts)
        )

    @property
    def kemeny_words(self) -> str:
        """The pairs that make up the Kemeny distance, in words."""
        if self.kemeny is None:
            return ""
        n = len(self.opposite)
        opposite = ngettext(
            "{n} pair the other way round", "{n} pairs the other way round", n
        ).format(n=n)
        n = len(self.half_tied)
        tied = ngettext("{n} tied on one side only", "{n} tied on one side only", n).format(n=n)
        return _("Kemeny distance {distance}: {opposite}, {tied}.").format(
            distance=in_decimals(self.kemeny, 1),
            opposite=_with_pairs(opposite, self.opposite),
            tied=_with_pairs(tied, self.half_tied),
        )


def _with_pairs(words: str, pairs: Sequence[str]) -> str:
    return f"{words} ({', '.join(pairs)})" if pairs else words


@dataclass
class Letters:
    """A letter for each method, in the order of the consensus, as in the paper's figure 3."""

    consensus: Ranking | None
    methods: Sequence[Method]
    results: Sequence[Result]
    convention: str
    panes: dict[str, Pane] = field(init=False)
    of: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        ranked = [name for bucket in self.consensus or () for name in bucket]
        rest = sorted({method.name for method in self.methods} - set(ranked))
        order = [*ranked, *rest]
        self.of = {name: _letter(at) for at, name in enumerate(order)}
        shown = {result.method.name: result for result in self.results}
        seen = [name for name in order if name in shown]
        self.panes = {
            name: Pane(
                shown[name].method,
                self.of[name],
                drawn(shown[name].detections, self.convention),
                shown[seen[at + 1 if at + 1 < len(seen) else max(at - 1, 0)]].method.slug,
            )
            for at, name in enumerate(seen)
        }

    def buckets(self, ranking: Ranking, scores: Mapping[str, str] | None = None) -> list[Bucket]:
        made, before = [], 0
        for bucket in ranking:
            panes = sorted(
                (self.panes[name] for name in bucket if name in self.panes),
                key=lambda pane: (len(pane.letter), pane.letter),
            )
            score = (scores or {}).get(bucket[0], "")
            made.append(Bucket(_place(before, len(bucket)), panes, score))
            before += len(bucket)
        return made

    def unranked(self, consensus: Ranking | None) -> list[Pane]:
        ranked = methods_of(consensus) if consensus else frozenset()
        return [pane for name, pane in self.panes.items() if name not in ranked]

    def text(self, bucket: Sequence[str]) -> str:
        return " ".join(sorted((self.of[name] for name in bucket), key=lambda one: (len(one), one)))


def _letter(at: int) -> str:
    """Return a, b ... z, aa, ab ..."""
    letter = chr(ord("a") + at % 26)
    return letter if at < 26 else _letter(at // 26 - 1) + letter


def _place(before: int, n: int) -> str:
    return f"{before + 1}" if n == 1 else f"{before + 1}–{before + n}"


@dataclass
class Comparison:
    """Compares orders with the consensus; ``n_cells`` counts the cells of edits to draw."""

    consensus: Ranking | None
    letters: Letters
    script: str
    n_cells: int = 0

    def compared(self, order: Order, ranking: Ranking) -> Order:
        """Return the order, compared with the consensus if both rank the same methods."""
        if self.consensus is None or methods_of(ranking) != methods_of(self.consensus):
            return order
        steps = edit_script(ranking, self.consensus)
        cells = (len(steps) + 1) * sum(map(len, ranking))
        is_drawn = order.key == self.script or self.n_cells + cells <= _MAX_CELLS
        if is_drawn:
            self.n_cells += cells
        opposite, half_tied = _differing_pairs(ranking, self.consensus, self.letters.of)
        return replace(
            order,
            edit=edit_distance(ranking, self.consensus),
            kemeny=kemeny_distance(ranking, self.consensus),
            opposite=opposite,
            half_tied=half_tied,
            start=[Cell(self.letters.text(bucket), False) for bucket in ranking],
            moves=list(self._moves(ranking, steps)) if is_drawn else None,
            n_moves=len(steps),
        )

    def _moves(self, ranking: Ranking, steps: Sequence[Step]) -> Iterator[Move]:
        text, before = self.letters.text, ranking
        for step in steps:
            after = step.ranking
            at = next(at for at, bucket in enumerate(after) if set(bucket) != set(before[at]))
            new = (at,) if step.edit == "merge" else (at, at + 1)
            if step.edit == "split":
                moved, words = after, _("{a} before {b}")
            elif step.edit == "swap":
                moved, words = after, _("{a} passes {b}")
            else:
                moved, words = before, _("{a} joins {b}")
            words = words.format(a=text(moved[at]), b=text(moved[at + 1]))
            cells = [Cell(text(bucket), place in new) for place, bucket in enumerate(after)]
            yield Move(step.edit, step.cost, words, cells)
            before = after


def _differing_pairs(
    a: Ranking, b: Ranking, letter_of: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Return the pairs ordered the opposite way, and those tied on one side only."""
    first, second = bucket_of(a), bucket_of(b)
    opposite, half_tied = [], []
    names = sorted(first, key=lambda name: (len(letter_of[name]), letter_of[name]))
    for x, y in combinations(names, 2):
        of_a, of_b = first[x] - first[y], second[x] - second[y]
        pair = f"{letter_of[x]}–{letter_of[y]}"
        if of_a * of_b < 0:
            opposite.append(pair)
        elif (of_a == 0) != (of_b == 0):
            half_tied.append(pair)
    return opposite, half_tied
