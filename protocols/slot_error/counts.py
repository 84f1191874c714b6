"""Counts from which slot error rate, recall and precision are computed ([BB13]_)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ..core.base import f_score
from .pairing import Paired

VIEWS: Final = ("combined", "boundaries", "labels")


@dataclass(frozen=True, slots=True)
class SlotCounts:
    """The counts behind the scores of one view; those of documents can be added.

    N references and P predictions; I ``insertions``, predictions that are paired with no reference;
    D ``deletions``, references without a pair; M ``matches``, the sum of the scores of the pairs.
    """

    n_references: int = 0
    n_predictions: int = 0
    insertions: int = 0
    deletions: int = 0
    n_pairs: int = 0
    matches: float = 0.0

    @classmethod
    def total(cls, parts: Iterable["SlotCounts"]) -> "SlotCounts":
        all_parts = list(parts)
        return cls(
            sum(part.n_references for part in all_parts),
            sum(part.n_predictions for part in all_parts),
            sum(part.insertions for part in all_parts),
            sum(part.deletions for part in all_parts),
            sum(part.n_pairs for part in all_parts),
            math.fsum(part.matches for part in all_parts),
        )

    @property
    def substitutions(self) -> float:
        return self.n_pairs - self.matches

    @property
    def slot_error_rate(self) -> float | None:
        """(S + I + D) / N; without references, 0 if there are no predictions, else None."""
        if not self.n_references:
            return None if self.n_predictions else 0.0
        return (self.substitutions + self.insertions + self.deletions) / self.n_references

    @property
    def recall(self) -> float:
        if not self.n_references:
            return 0.0 if self.n_predictions else 1.0
        return self.matches / self.n_references

    @property
    def precision(self) -> float:
        """M / P; may exceed 1 if overlapping references share a prediction."""
        if not self.n_predictions:
            return 0.0 if self.n_references else 1.0
        return self.matches / self.n_predictions

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and the raw precision."""
        return f_score(self.recall, self.precision) or 0.0


def count_slots(paired: Paired, n_predictions: int, view: str) -> SlotCounts:
    """Return the counts of one document in a view."""
    pairs = [pair for pair in paired if pair is not None]
    return SlotCounts(
        n_references=len(paired),
        n_predictions=n_predictions,
        insertions=n_predictions - len({pair.prediction for pair in pairs}),
        deletions=len(paired) - len(pairs),
        n_pairs=len(pairs),
        matches=math.fsum(pair.score(view) for pair in pairs),
    )
