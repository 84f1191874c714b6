"""The structure of tables' cells, as track B of cTDaR 2019 measures it ([G19]_)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from .core.base import Family, ImageScore, Match, Needs, Scene, parameter
from .tables.cells import CellMapping, Cells, RelationCounts
from .tables.pairing import Overlaps, Tables
from .tables.thresholds import AtThresholds


@dataclass(frozen=True)
class TableStructure(AtThresholds):
    """Compare which cells follow each other in tables: track B of cTDaR 2019.

    Tables are paired if their IoU is at least ``min_table_iou``. In a pair of tables, at each
    threshold, truth cells are mapped to detected cells. Relations are counted: from a cell to the
    next one to its right, and to the next one below, skipping blank positions. A relation of the
    truth is found if both its cells are mapped and the detected cells have it too, in the same
    order and direction. Row and column numbers are not compared. Relations of tables without a
    partner count as missed or false.

    ``page`` takes as many pairs of tables as possible (those with the highest IoU first) and maps
    cells one to one by descending IoU. ``tool`` repeats the released program: after each paired
    truth table it skips the next one, and each truth cell takes the first detected cell of its
    table in file order, which others may take too.

    Regions with ``cell`` are cells, their ``parent`` the ``id`` of a region without ``cell``, a
    table; if a side has a single table, the parent may be left out. An ignored table, and a
    detected one with more than half of its area in it, are left out of the counts, with their
    cells; ``ignored`` on a cell has no effect.

    Recall, precision and F-score are averages over the thresholds with the thresholds as weights.
    The F-score is the published WAvg.F1; since the numbers of truths and of detections are the same
    at all thresholds, it is also the harmonic mean of the other two. If neither side has a
    relation, they are 1; if only one side has none, they are 0.

    ``matches`` are the paired tables, which earn nothing themselves, and the mapped cells at the
    lowest threshold: half a point for each correct relation a cell takes part in, averaged over
    the thresholds. Scoring raises RegionError if a cell has no table or no place on a grid, or a
    table's grid is too large.
    """

    slug: ClassVar[str] = "table-structure"
    family: ClassVar[Family] = "Tables"
    name: ClassVar[str] = "Table structure (cTDaR)"
    reference: ClassVar[str] = "G19"
    summary: ClassVar[str] = (
        "Which cell follows which, to the right and below, in the tables found."
    )
    needs: ClassVar[Needs] = "cells"

    min_table_iou: float = parameter(
        0.8, says="a pair of tables needs this IoU, whatever the threshold of the cells", low=0.01
    )

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        sides = [Tables.of(scene) for scene in scenes]
        overlaps = Overlaps.of([side.scene for side in sides])
        flat = overlaps.flat
        passed_over: set[int] = set()
        if self.variant == "page":
            partner = overlaps.greatest([self.min_table_iou])[self.min_table_iou]
        else:
            partner, passed_over = overlaps.walked(self.min_table_iou)
        truth = Cells.of(
            [
                (scene.name, "truth", scene.truth, side.truth)
                for scene, side in zip(scenes, sides, strict=True)
            ],
            ~flat.ignored_truth,
        )
        found = Cells.of(
            [
                (scene.name, "detection", scene.detections or (), side.detections)
                for scene, side in zip(scenes, sides, strict=True)
            ],
            ~overlaps.ignored,
        )
        mapping = CellMapping.of(truth, found, partner, one_to_one=self.variant == "page")
        counts = RelationCounts.of(truth, found, mapping, self.thresholds, len(scenes))
        earned = [self._average(points) for points in zip(*counts.points, strict=True)]
        lowest = min(self.thresholds)
        cells = mapping.by_image(lowest, len(scenes))
        scores = []
        for at, side in enumerate(sides):
            truths, detections = flat.slices(at)
            figures = self._figures(
                [int(n[at]) for n in counts.n_correct],
                int(counts.n_truth[at]),
                int(counts.n_detections[at]),
            )
            here = {i: partner[i] for i in range(truths.start, truths.stop) if i in partner}
            matches = [
                *_paired_tables(side, here, truths.start, detections.start),
                *mapping.matches(cells[at], earned),
            ]
            unmatched = [
                *overlaps.unmatched(
                    side, here, truths, detections, self.min_table_iou, passed_over
                ),
                *mapping.unmatched(at, cells[at], overlaps, partner, lowest),
            ]
            scores.append(replace(figures, matches=tuple(matches), unmatched=tuple(unmatched)))
        return scores


def _paired_tables(
    side: Tables, partner: Mapping[int, int], first_truth: int, first_detection: int
) -> Iterator[Match]:
    """Yield the pairs of an image's tables, which earn nothing themselves."""
    for i, j in partner.items():
        truth, detection = side.truth[i - first_truth], side.detections[j - first_detection]
        yield Match((truth,), (detection,), "one-to-one", 0.0, 0.0)
