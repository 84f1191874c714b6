"""Regions of tables, as track A of cTDaR 2019 measures them ([G19]_)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from .core.base import Family, ImageScore, Match, Needs, Scene
from .tables.pairing import Overlaps, Tables
from .tables.thresholds import AtThresholds


@dataclass(frozen=True)
class TableDetection(AtThresholds):
    """Pair tables at four IoU thresholds: track A of cTDaR 2019.

    At each threshold truths and detections are paired one to one if their IoU is at least the
    threshold. ``page`` takes as many pairs as possible; in ``tool`` each truth in file order takes
    the first free detection. Tables may be any polygons; regions with ``cell`` are left out.

    Recall, precision and F-score are averages over the thresholds with the thresholds as weights.
    The F-score is the published WAvg.F1; since the numbers of truths and of detections are the same
    at all thresholds, it is also the harmonic mean of the other two. If there are neither truths
    nor detections, all figures are 1; if only one side is empty, they are 0.

    An ignored truth, and a detection with more than half of its area in one, are left out of all
    counts; cTDaR itself has no ignored regions. A union of zero area gives an IoU of 0.

    ``matches`` are those at the lowest threshold. The credit of a region is the weighted share of
    the thresholds at which it is paired.
    """

    slug: ClassVar[str] = "table-detection"
    family: ClassVar[Family] = "Tables"
    name: ClassVar[str] = "Table detection (cTDaR)"
    reference: ClassVar[str] = "G19"
    summary: ClassVar[str] = "Tables are paired at four IoU thresholds; higher ones weigh more."
    needs: ClassVar[Needs] = "regions"

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        sides = [Tables.of(scene) for scene in scenes]
        overlaps = Overlaps.of([side.scene for side in sides])
        partners = (
            overlaps.greatest(self.thresholds)
            if self.variant == "page"
            else overlaps.first_free(self.thresholds)
        )
        return [
            self._score(sides[at], overlaps, partners, *overlaps.flat.slices(at))
            for at in range(len(scenes))
        ]

    def _score(
        self,
        side: "Tables",
        overlaps: "Overlaps",
        partners: Mapping[float, Mapping[int, int]],
        truths: slice,
        found: slice,
    ) -> ImageScore:
        lowest = min(self.thresholds)
        here = {
            threshold: {i: partner[i] for i in range(truths.start, truths.stop) if i in partner}
            for threshold, partner in partners.items()
        }
        figures = self._figures(
            [len(here[threshold]) for threshold in self.thresholds],
            *overlaps.n_counted(truths, found),
        )
        taken = {threshold: set(partner.values()) for threshold, partner in here.items()}
        matches = tuple(
            Match(
                (side.truth[i - truths.start],),
                (side.detections[j - found.start],),
                "one-to-one",
                self._average([float(i in here[threshold]) for threshold in self.thresholds]),
                self._average([float(j in taken[threshold]) for threshold in self.thresholds]),
            )
            for i, j in here[lowest].items()
        )
        unmatched = overlaps.unmatched(side, here[lowest], truths, found, lowest)
        return replace(figures, matches=matches, unmatched=tuple(unmatched))
