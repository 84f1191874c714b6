"""The cells of paired tables: matches, and shared relations ([G19]_)."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from ..core.base import Kind, Match, Unmatched
from ..core.errors import RegionError
from ..core.geometry import Floats, Indices, Pairs, Shapes
from ..core.matching import IGNORED, INSIDE_IGNORED, largest
from ..core.regions import Cell, Region
from .pairing import Outlines, Overlaps, iou_of_pairs, too_far
from .relations import cell_relations

_NO_TABLE: Final[str] = "its table has no partner"


@dataclass(frozen=True, slots=True)
class Cells:
    """The n cells of one side of all images, table by table, in file order.

    Of shape (n,): ``index`` in its scene, ``image`` and ``table`` (numbered through all images),
    and whether its table is ``counted``. ``first``, of shape (number of tables + 1,), starts each
    table.
    """

    regions: list[Region]
    index: Indices
    image: Indices
    table: Indices
    counted: NDArray[np.bool_]
    first: Indices

    @classmethod
    def of(
        cls,
        images: Iterable[tuple[str, str, Sequence[Region], Sequence[int]]],
        counted_tables: NDArray[np.bool_],
    ) -> "Cells":
        rows: list[tuple[int, int, int]] = []
        regions: list[Region] = []
        n_tables = 0
        for image, (name, side, all_regions, tables) in enumerate(images):
            of_table = _cells_of_tables(all_regions, tables, f"{name or image}, {side}")
            for table, cells in enumerate(of_table, n_tables):
                rows += [(index, image, table) for index in cells]
                regions += [all_regions[index] for index in cells]
            n_tables += len(tables)
        index, image_of, table_of = np.array(rows, dtype=np.intp).reshape(-1, 3).T
        n_cells = np.bincount(table_of, minlength=n_tables)
        return cls(
            regions,
            index,
            image_of,
            table_of,
            counted_tables[table_of],
            np.concatenate(([0], np.cumsum(n_cells))),
        )

    def relations(self) -> NDArray[np.intp]:
        """Return the relations of the tables that count; see cell_relations."""
        # First row, first column, last row, last column of each cell; shape (n, 4).
        grid = np.array([region.cell for region in self.regions], dtype=np.intp).reshape(-1, 4)
        counted = np.flatnonzero(self.counted)
        related = cell_relations(self.table[counted], grid[counted])
        # From numbers among the counted cells back to numbers among all.
        related[:, 1:] = counted[related[:, 1:]]
        return related


def _cells_of_tables(
    regions: Sequence[Region], tables: Sequence[int], place: str
) -> list[list[int]]:
    """Return the indices of the cells of each table."""
    number: dict[str | None, int] = {}
    for at, tag in enumerate(regions[index].id for index in tables):
        number[tag] = -1 if tag in number else at
    if len(tables) == 1:
        number[None] = 0
    else:
        number.pop(None, None)
    cells: list[list[int]] = [[] for _ in tables]
    for index, region in enumerate(regions):
        if region.cell is None:
            continue
        table = number.get(region.parent)
        if table is None or table < 0:
            fault = "no table" if table is None else "several tables"
            raise RegionError(f"{place} {index}: {fault} with the cell's parent, {region.parent!r}")
        _check_cell(region.cell, f"{place} {index}")
        cells[table].append(index)
    return cells


def _check_cell(cell: Cell, place: str) -> None:
    first_row, first_column, last_row, last_column = cell
    if not (0 <= first_row <= last_row < 10**6 and 0 <= first_column <= last_column < 10**6):
        raise RegionError(
            f"{place}: a cell needs its first row, first column, last row and last "
            f"column, counted from 0, with no end before its start; got {cell}"
        )


@dataclass(frozen=True, slots=True)
class CellMapping:
    """Pairs of a truth cell and the matching detected cell, at any threshold.

    ``pairs`` and ``iou`` are the candidates: either one to one in descending order of IoU, where a
    lower threshold only adds pairs, or all pairs by truth and detection, of which the first counts.
    """

    truth: Cells
    found: Cells
    pairs: Pairs
    iou: Floats
    best_of_truth: list[float]
    best_of_detection: list[float]

    @classmethod
    def of(
        cls, truth: Cells, found: Cells, partner: Mapping[int, int], *, one_to_one: bool
    ) -> "CellMapping":
        ours, theirs = Outlines(truth.regions), Outlines(found.regions)
        pairs = _cell_pairs(truth, found, ours, theirs, partner)
        iou, _ = iou_of_pairs(ours, theirs, pairs)
        pairs, iou = pairs.where(iou > 0), iou[iou > 0]
        best_of_truth = largest(pairs.truth, iou, len(truth.regions)).tolist()
        best_of_detection = largest(pairs.detection, iou, len(found.regions)).tolist()
        if one_to_one:
            kept = _by_falling_iou(pairs, iou)
            pairs, iou = Pairs(pairs.truth[kept], pairs.detection[kept]), iou[kept]
        return cls(truth, found, pairs, iou, best_of_truth, best_of_detection)

    def at(self, threshold: float) -> Indices:
        """Return the detected cell of each truth cell, -1 for none."""
        good = self.pairs.where(self.iou >= threshold)
        mapped = np.full(len(self.truth.regions), -1, dtype=np.intp)
        # The first pair of each truth cell: the only one if cells are mapped one to one.
        cells, first = np.unique(good.truth, return_index=True)
        mapped[cells] = good.detection[first]
        return mapped

    def by_image(self, threshold: float, n_images: int) -> list[dict[int, list[int]]]:
        """Return for each image the mapped detected cells, each with its truth cells."""
        images: list[dict[int, list[int]]] = [{} for _ in range(n_images)]
        mapped = self.at(threshold)
        for i in np.flatnonzero(mapped >= 0).tolist():
            images[int(self.truth.image[i])].setdefault(int(mapped[i]), []).append(i)
        return images

    def matches(
        self, mapped: Mapping[int, Sequence[int]], earned: Sequence[float]
    ) -> Iterator[Match]:
        """Yield the matches of an image's mapped cells, from the credit of each truth cell."""
        for j, of_truth in mapped.items():
            points = math.fsum(earned[i] for i in of_truth)
            truths = tuple(int(self.truth.index[i]) for i in of_truth)
            kind: Kind = "one-to-one" if len(of_truth) == 1 else "merge"
            yield Match(truths, (int(self.found.index[j]),), kind, points, points)

    def unmatched(
        self,
        image: int,
        mapped: Mapping[int, Sequence[int]],
        overlaps: Overlaps,
        partner: Mapping[int, int],
        threshold: float,
    ) -> Iterator[Unmatched]:
        """Yield the cells of an image that are not mapped, each with the reason."""
        ours = {i for of_truth in mapped.values() for i in of_truth}
        paired = set(partner.values())
        begin, end = np.searchsorted(self.truth.image, [image, image + 1]).tolist()
        for i in range(begin, end):
            if i in ours:
                continue
            table = int(self.truth.table[i])
            if overlaps.flat.ignored_truth[table]:
                reason = IGNORED
            elif table not in partner:
                reason = _NO_TABLE
            else:
                reason = too_far(self.best_of_truth[i], threshold)
            yield Unmatched("truth", int(self.truth.index[i]), reason)
        begin, end = np.searchsorted(self.found.image, [image, image + 1]).tolist()
        for j in range(begin, end):
            if j in mapped:
                continue
            table = int(self.found.table[j])
            if overlaps.ignored[table]:
                reason = INSIDE_IGNORED
            elif table not in paired:
                reason = _NO_TABLE
            else:
                reason = too_far(self.best_of_detection[j], threshold)
            yield Unmatched("detection", int(self.found.index[j]), reason)


def _cell_pairs(
    truth: Cells, found: Cells, ours: Shapes, theirs: Shapes, partner: Mapping[int, int]
) -> Pairs:
    """Return the cells of paired tables whose boxes share a point, by truth, then detection."""
    our_boxes, their_boxes = shapely.box(*ours.boxes.T), shapely.box(*theirs.boxes.T)
    # Truth cells in the first row, detected cells in the second; a column for each pair.
    near: list[Indices] = [np.zeros((2, 0), dtype=np.intp)]
    for i, j in partner.items():
        first, last = truth.first[i : i + 2]
        begin, end = found.first[j : j + 2]
        tree = shapely.STRtree(their_boxes[begin:end])
        near.append(tree.query(our_boxes[first:last]) + np.array([[first], [begin]]))
    cells, others = np.concatenate(near, axis=1)
    order = np.lexsort((others, cells))
    return Pairs(cells[order], others[order])


def _by_falling_iou(pairs: Pairs, iou: Floats) -> Indices:
    """Return which pairs are taken one to one; equal ones by truth, then detection."""
    order = np.argsort(-iou, kind="stable")
    taken_truth: set[int] = set()
    taken_detections: set[int] = set()
    kept = []
    for at, i, j in zip(
        order.tolist(),
        pairs.truth[order].tolist(),
        pairs.detection[order].tolist(),
        strict=True,
    ):
        if i not in taken_truth and j not in taken_detections:
            taken_truth.add(i)
            taken_detections.add(j)
            kept.append(at)
    return np.array(kept, dtype=np.intp)


@dataclass(frozen=True, slots=True)
class RelationCounts:
    """The numbers of relations of each image and of the correct ones at each threshold.

    ``points`` holds, for each threshold and truth cell, half the number of correct relations that
    include the cell.
    """

    n_truth: Indices
    n_detections: Indices
    n_correct: list[Indices]
    points: list[list[float]]

    @classmethod
    def of(
        cls,
        truth: Cells,
        found: Cells,
        mapping: CellMapping,
        thresholds: Sequence[float],
        n_images: int,
    ) -> "RelationCounts":
        ours, theirs = truth.relations(), found.relations()
        n_cells = len(found.regions)
        # Direction, start and end of each relation of detected cells as one number, for comparison.
        codes = (theirs[:, 0] * n_cells + theirs[:, 1]) * n_cells + theirs[:, 2]
        n_correct, points = [], []
        for threshold in thresholds:
            mapped = mapping.at(threshold)
            # The relation of detected cells that each relation of the truth is mapped to.
            before, after = mapped[ours[:, 1]], mapped[ours[:, 2]]
            wanted = (ours[:, 0] * n_cells + before) * n_cells + after
            correct = np.flatnonzero((before >= 0) & (after >= 0) & np.isin(wanted, codes))
            # Several truth relations may match the same detected one, which counts once.
            _, first = np.unique(wanted[correct], return_index=True)
            once = ours[correct[first], 1:]
            n_correct.append(np.bincount(truth.image[once[:, 0]], minlength=n_images))
            points.append((np.bincount(once.ravel(), minlength=len(mapped)) / 2).tolist())
        return cls(
            np.bincount(truth.image[ours[:, 1]], minlength=n_images),
            np.bincount(found.image[theirs[:, 1]], minlength=n_images),
            n_correct,
            points,
        )
