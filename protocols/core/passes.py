"""The state of DetEval's passes over an image: which regions overlap, and which are matched."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .base import ImageScore, Kind, Match, Side, Tally
from .matching import in_turn, kinds_of, unmatched_of


class Thresholds(Protocol):
    """The parameters that all DetEval protocols share."""

    @property
    def min_area_recall(self) -> float: ...

    @property
    def min_area_precision(self) -> float: ...

    @property
    def split_credit(self) -> float: ...

    @property
    def merge_credit(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Overlap:
    """A truth and a detection that share area: its share of truth (sigma) and detection (tau)."""

    truth: int
    detection: int
    sigma: float
    tau: float
    # Whether the centres are close enough for a one-to-one match.
    near: float = 1.0


@dataclass
class Passes:
    """The matches of an image so far; regions are numbered in the order of the file."""

    protocol: Thresholds
    truth_ignored: list[bool]
    ignored: list[bool]
    matches: list[Match] = field(default_factory=list)
    matched_truth: set[int] = field(default_factory=set)
    matched: set[int] = field(default_factory=set)

    def take(self, truths: Iterable[int], detections: Iterable[int], kind: Kind) -> None:
        """Match regions, each at most once; they are all taken from now on."""
        own, others = tuple(dict.fromkeys(truths)), tuple(dict.fromkeys(detections))
        credit = self.credit_of(kind)
        self.matched_truth.update(own)
        self.matched.update(others)
        self.matches.append(Match(own, others, kind, credit * len(own), credit * len(others)))

    def credit_of(self, kind: Kind) -> float:
        credits = {"split": self.protocol.split_credit, "merge": self.protocol.merge_credit}
        return credits.get(kind, 1.0)

    def tally(self) -> Tally:
        return Tally(
            in_turn(match.recall_credit for match in self.matches),
            self.truth_ignored.count(False),
            in_turn(match.precision_credit for match in self.matches),
            self.ignored.count(False),
        )

    def image_score(
        self,
        shares: tuple[float, float, float | None],
        why: Callable[[Side, int], str],
        counts_ignored: bool = True,
    ) -> ImageScore:
        """Return the score of the image from recall, precision and F, with matches and reasons."""
        counts = {
            "n_ignored_truth": self.truth_ignored.count(True),
            "n_ignored_detections": self.ignored.count(True),
        }
        return ImageScore(
            *shares,
            self.tally(),
            tuple(self.matches),
            unmatched_of(self.truth_ignored, self.ignored, self.matched_truth, self.matched, why),
            {**kinds_of(self.matches), **(counts if counts_ignored else {})},
        )


@dataclass
class OverlapPasses(Passes):
    """Passes that examine a region's overlaps one by one."""

    # The minimum shares of a truth and of a detection, rounded as the program compares them.
    least: tuple[float, float] = (0.0, 0.0)
    overlaps: Sequence[Overlap] = ()
    # Overlaps by truth, in the order of detections, and by detection, in the order of truths.
    row: dict[int, list[Overlap]] = field(default_factory=lambda: defaultdict(list))
    column: dict[int, list[Overlap]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for overlap in self.overlaps:
            self.row[overlap.truth].append(overlap)
            self.column[overlap.detection].append(overlap)
        for column in self.column.values():
            column.sort(key=lambda overlap: overlap.truth)

    def enough(self, overlap: Overlap) -> bool:
        """Return whether the shares of a pair suffice for a one-to-one match."""
        return overlap.sigma >= self.least[0] and overlap.tau >= self.least[1]

    def is_free(self, overlap: Overlap) -> bool:
        return not (
            self.truth_ignored[overlap.truth]
            or self.ignored[overlap.detection]
            or overlap.truth in self.matched_truth
            or overlap.detection in self.matched
        )

    def why(self, side: Side, at: int, nothing: str, taken: str) -> str:
        """Return why a region is unmatched: ``nothing``, ``taken`` or its best partner's shares.

        ``nothing`` is the reason if it has no overlap, ``taken`` if its best overlap suffices.
        """
        overlaps = (self.row if side == "truth" else self.column).get(at, [])
        if not overlaps:
            return nothing
        best = max(overlaps, key=lambda overlap: min(overlap.sigma, overlap.tau))
        if self.enough(best):
            return taken
        return (
            f"with its best partner it shares {best.sigma:.3f} of the truth and "
            f"{best.tau:.3f} of the detection; {self.protocol.min_area_recall:g} of "
            f"the truth and {self.protocol.min_area_precision:g} of the detection are "
            "needed"
        )
