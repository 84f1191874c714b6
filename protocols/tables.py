"""Tables: their regions and the structure of their cells, as cTDaR 2019 measures them ([G19]_)."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from .core.base import (
    ImageScore,
    Match,
    Needs,
    OverallScore,
    Protocol,
    Scene,
    Tally,
    Unmatched,
    choice,
    f_score,
    parameter,
)
from .core.errors import RegionError
from .core.geometry import Floats, Indices, Pairs, Shapes, intersection_areas, overlapping_pairs
from .core.matching import IGNORED, INSIDE_IGNORED, Flat, flatten, ignored_detections, largest
from .core.regions import Cell, Region

# A table's cells stand on at most so many grid positions, and hold so many pairs of neighbours.
MAX_POSITIONS: Final = 250_000
MAX_RELATIONS: Final = 2_000_000
_MAX_IGNORED_SHARE: Final = 0.5
_PASSED_OVER: Final = "it was never tried: the released program passes over the next table"
_NO_TABLE: Final = "its table has no partner"


@dataclass(frozen=True)
class _AtThresholds(Protocol):
    """Counts at four IoU thresholds; the averages over them are weighted by the thresholds."""

    threshold_1: float = parameter(
        0.6, says="the lowest IoU that is enough, and its weight", low=0.01
    )
    threshold_2: float = parameter(0.7, says="the second IoU, and its weight", low=0.01)
    threshold_3: float = parameter(0.8, says="the third IoU, and its weight", low=0.01)
    threshold_4: float = parameter(0.9, says="the highest IoU, and its weight", low=0.01)
    variant: str = choice(
        "page", "tool", says="the definition on the competition's page, or its released program"
    )

    @property
    def thresholds(self) -> tuple[float, ...]:
        return self.threshold_1, self.threshold_2, self.threshold_3, self.threshold_4

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        """Return the figures of a result set: counts added over images first, divided last.

        The indicators are those of an image, from the added counts. Without any image all are 0.
        """
        means = super().overall(scores)
        if not scores:
            return means
        n_correct = [
            round(math.fsum(score.indicators[f"n_correct_at_{at}"] or 0.0 for score in scores))
            for at in self.thresholds
        ]
        figures = self._figures(
            n_correct,
            round(sum(score.tally.n_truth for score in scores)),
            round(sum(score.tally.n_detections for score in scores)),
        )
        return replace(
            means,
            recall=figures.recall,
            precision=figures.precision,
            f_score=figures.f_score,
            indicators=figures.indicators,
        )

    def _figures(self, n_correct: Sequence[int], n_truth: int, n_detections: int) -> ImageScore:
        """Return the score that these counts give: one count of correct ones for each threshold."""
        indicators: dict[str, float | None] = {"n_truth": n_truth, "n_detections": n_detections}
        shares = [_shares(correct, n_truth, n_detections) for correct in n_correct]
        for at, correct, (recall, precision, harmonic) in zip(
            self.thresholds, n_correct, shares, strict=True
        ):
            indicators[f"n_correct_at_{at}"] = correct
            indicators[f"recall_at_{at}"] = recall
            indicators[f"precision_at_{at}"] = precision
            indicators[f"f_score_at_{at}"] = harmonic
        recall, precision, harmonic = (
            self._average(column) for column in zip(*shares, strict=True)
        )
        indicators["weighted_average_f1"] = harmonic
        earned = self._average(n_correct)
        return ImageScore(
            recall,
            precision,
            harmonic,
            Tally(earned, n_truth, earned, n_detections),
            indicators=indicators,
        )

    def _average(self, values: Sequence[float]) -> float:
        """Return the average of one value for each threshold, weighted by the thresholds."""
        weighted = (at * value for at, value in zip(self.thresholds, values, strict=True))
        return math.fsum(weighted) / math.fsum(self.thresholds)


@dataclass(frozen=True)
class TableDetection(_AtThresholds):
    """Pair tables at four IoU thresholds: track A of cTDaR 2019.

    At each threshold truths and detections are paired one to one where their IoU is at least the
    threshold. ``page`` takes as many pairs as possible; in ``tool`` each truth in file order takes
    the first free detection. Any polygons will do; regions with ``cell`` are passed over.

    Recall, precision and F-score are averages over the thresholds with the thresholds as weights.
    The F-score is the published WAvg.F1; since the numbers of truths and of detections are the same
    at all thresholds, it is also the harmonic mean of the other two. Nothing to
    find and nothing found scores 1; if only one of them is missing, all figures are 0.

    An ignored truth, and a detection with more than half of its area in one, leave all counts;
    cTDaR itself has no ignored regions. A union of zero area gives an IoU of 0.

    ``matches`` are those at the lowest threshold. The credit of a region is the weighted share of
    the thresholds at which it is paired.
    """

    slug: ClassVar[str] = "table-detection"
    name: ClassVar[str] = "Table detection (cTDaR)"
    reference: ClassVar[str] = "G19"
    summary: ClassVar[str] = "Tables are paired at four IoU thresholds; higher ones weigh more."
    needs: ClassVar[Needs] = "regions"

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        sides = [_Tables.of(scene) for scene in scenes]
        overlaps = _Overlaps.of([side.scene for side in sides])
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
        side: "_Tables",
        overlaps: "_Overlaps",
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


@dataclass(frozen=True)
class TableStructure(_AtThresholds):
    """Compare which cells follow each other in tables: track B of cTDaR 2019.

    Tables are paired where their IoU is at least ``min_table_iou``. In a pair of tables, at each
    threshold, truth cells are mapped to detected cells. What is counted are relations: from a cell
    to the next one to its right, and to the next one below, blank positions skipped. A relation of
    the truth is found if both its cells are mapped and the detected cells have it too, in the same
    order and direction. Row and column numbers are not compared. Relations of tables without a
    partner count as missed or false.

    ``page`` takes as many pairs of tables as possible (those with the highest IoU first) and maps
    cells one to one by falling IoU. ``tool`` repeats the released program: after each paired truth
    table it passes over the next one, and each truth cell takes the first detected cell of its
    table in file order, which others may take too.

    Regions with ``cell`` are cells, their ``parent`` the ``id`` of a region without ``cell``, a
    table; where a side has a single table, the parent may be left out. An ignored table, and a
    detected one with more than half of its area in it, leave the counts with their cells; the
    mark on a cell has no meaning.

    Recall, precision and F-score are averages over the thresholds with the thresholds as weights.
    The F-score is the published WAvg.F1; since the numbers of truths and of detections are the same
    at all thresholds, it is also the harmonic mean of the other two. Without any
    relation on either side they are 1; if one side has none, they are 0.

    ``matches`` are the paired tables, which earn nothing themselves, and the mapped cells at the
    lowest threshold: half a point for each correct relation a cell takes part in, averaged over
    the thresholds.

    Raises
    ------
    RegionError
        If a cell has no table or no place on a grid, or a table's grid is too large.
    """

    slug: ClassVar[str] = "table-structure"
    name: ClassVar[str] = "Table structure (cTDaR)"
    reference: ClassVar[str] = "G19"
    summary: ClassVar[str] = (
        "Which cell follows which, to the right and below, in tables that were found."
    )
    needs: ClassVar[Needs] = "cells"

    min_table_iou: float = parameter(
        0.8, says="a pair of tables needs this IoU, whatever the threshold of the cells", low=0.01
    )

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        sides = [_Tables.of(scene) for scene in scenes]
        overlaps = _Overlaps.of([side.scene for side in sides])
        flat = overlaps.flat
        passed_over: set[int] = set()
        if self.variant == "page":
            partner = overlaps.greatest([self.min_table_iou])[self.min_table_iou]
        else:
            partner, passed_over = overlaps.walked(self.min_table_iou)
        truth = _Cells.of(
            [
                (scene.name, "truth", scene.truth, side.truth)
                for scene, side in zip(scenes, sides, strict=True)
            ],
            ~flat.ignored_truth,
        )
        found = _Cells.of(
            [
                (scene.name, "detection", scene.detections or (), side.detections)
                for scene, side in zip(scenes, sides, strict=True)
            ],
            ~overlaps.ignored,
        )
        mapping = _Mapping.of(truth, found, partner, one_to_one=self.variant == "page")
        counts = _RelationCounts.of(truth, found, mapping, self.thresholds, len(scenes))
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
                Match(
                    (side.truth[i - truths.start],),
                    (side.detections[j - detections.start],),
                    "one-to-one",
                    0.0,
                    0.0,
                )
                for i, j in here.items()
            ]
            for j, of_truth in cells[at].items():
                points = math.fsum(earned[i] for i in of_truth)
                matches.append(
                    Match(
                        tuple(int(truth.index[i]) for i in of_truth),
                        (int(found.index[j]),),
                        "one-to-one" if len(of_truth) == 1 else "merge",
                        points,
                        points,
                    )
                )
            unmatched = [
                *overlaps.unmatched(
                    side, here, truths, detections, self.min_table_iou, passed_over
                ),
                *mapping.unmatched(at, cells[at], overlaps, partner, lowest),
            ]
            scores.append(replace(figures, matches=tuple(matches), unmatched=tuple(unmatched)))
        return scores


def cell_relations(table: Indices, cells: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return which cell stands before which on the grids of tables ([G19]_).

    Every cell stands on all positions of its rows and columns; a position without a cell is blank.
    Each cell of a position is related to each cell of the next position in the row that is not
    blank, and likewise down the column. Cells with identical rows and columns are not related to
    each other: neither a cell to itself nor two that share all their positions.

    Parameters
    ----------
    table : ndarray of shape (n,)
        The table of each cell.
    cells : ndarray of shape (n, 4)
        First row, first column, last row, last column of each cell, inclusive, from 0.

    Returns
    -------
    ndarray of shape (m, 3)
        Direction (0 to the right, 1 down), from, to; each once, in rising order.

    Raises
    ------
    RegionError
        If a table has more than MAX_POSITIONS positions or MAX_RELATIONS pairs of neighbours.
    """
    n_rows = cells[:, 2] - cells[:, 0] + 1
    n_columns = cells[:, 3] - cells[:, 1] + 1
    n_positions = n_rows * n_columns
    _check_size(np.bincount(table, n_positions), MAX_POSITIONS, "positions")
    cell, step = _runs(n_positions)
    row = cells[cell, 0] + step // n_columns[cell]
    column = cells[cell, 1] + step % n_columns[cell]
    related = []
    for direction, (line, place) in enumerate(((row, column), (column, row))):
        before, after = _neighbours(table, line, place, cell)
        differ = (cells[before] != cells[after]).any(axis=1)
        # One number for each pair, to sort and to drop those that occur again.
        pairs = np.unique(before[differ] * len(cells) + after[differ])
        both = np.divmod(pairs, max(len(cells), 1))
        related.append(np.column_stack((np.full(len(pairs), direction), *both)))
    return np.concatenate(related).astype(np.intp)


def _neighbours(
    table: Indices, line: Indices, place: Indices, cell: Indices
) -> tuple[Indices, Indices]:
    """Return the cells of each occupied position beside those of the next one in its line."""
    order = np.lexsort((cell, place, line, table[cell]))
    keys = np.column_stack((table[cell], line, place))[order]
    cell = cell[order]
    starts = np.flatnonzero(np.r_[True, (keys[1:] != keys[:-1]).any(axis=1)][: len(keys)])
    sizes = np.diff(np.r_[starts, len(keys)])
    first = np.flatnonzero((keys[starts[1:], :2] == keys[starts[:-1], :2]).all(axis=1))
    n_pairs = sizes[first] * sizes[first + 1]
    _check_size(np.bincount(keys[starts[first], 0], n_pairs), MAX_RELATIONS, "neighbours")
    pair, step = _runs(n_pairs)
    at = first[pair]
    width = sizes[at + 1]
    return cell[starts[at] + step // width], cell[starts[at + 1] + step % width]


def _runs(lengths: Indices) -> tuple[Indices, Indices]:
    """Return for each element of runs of these lengths: its run, and its number in it."""
    run = np.repeat(np.arange(len(lengths)), lengths)
    return run, np.arange(len(run)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _check_size(sizes: NDArray[Any], limit: int, what: str) -> None:
    if len(sizes) and sizes.max() > limit:
        raise RegionError(
            f"the cells of a table have {sizes.max():.0f} {what} on its grid; at most {limit}"
        )


def _shares(n_correct: int, n_truth: int, n_detections: int) -> tuple[float, float, float]:
    """Return recall, precision and their harmonic mean."""
    if not n_truth and not n_detections:
        return 1.0, 1.0, 1.0
    recall = n_correct / n_truth if n_truth else 0.0
    precision = n_correct / n_detections if n_detections else 0.0
    return recall, precision, f_score(recall, precision) or 0.0


@dataclass(frozen=True, slots=True)
class _Tables:
    """A scene without its cells, and where its tables stand in the whole scene."""

    scene: Scene
    truth: list[int]
    detections: list[int]

    @classmethod
    def of(cls, scene: Scene) -> "_Tables":
        found = scene.detections or ()
        truth = [at for at, region in enumerate(scene.truth) if region.cell is None]
        detections = [at for at, region in enumerate(found) if region.cell is None]
        tables = Scene(
            tuple(scene.truth[at] for at in truth), tuple(found[at] for at in detections)
        )
        return cls(tables, truth, detections)


class _Outlines(Shapes):
    """Shapes whose self-crossing rings are mended by a zero-width buffer ([G19]_).

    That is what the released program does; of a bow tie it keeps one wing.
    """

    def __init__(self, regions: Sequence[Region]) -> None:
        super().__init__(regions)
        slanted = np.flatnonzero(~self.rectangular)
        rings = [
            np.array(regions[at].points, dtype=np.float64).reshape(-1, 2) for at in slanted.tolist()
        ]
        if not rings:
            return
        owners = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
        drawn = shapely.polygons(shapely.linearrings(np.concatenate(rings), indices=owners))
        crossing = ~shapely.is_valid(drawn)
        mended = shapely.buffer(drawn[crossing], 0.0)
        self._polygons[slanted[crossing]] = mended
        self.areas[slanted[crossing]] = shapely.area(mended)


def _iou(truth: Shapes, detections: Shapes, pairs: Pairs) -> tuple[Floats, Floats]:
    """Return the IoU of each pair, and the share of its detection that lies in its truth."""
    shared = intersection_areas(truth, detections, pairs)
    areas = detections.areas[pairs.detection]
    union = truth.areas[pairs.truth] + areas - shared
    return (
        np.divide(shared, union, out=np.zeros_like(shared), where=union > 0),
        np.divide(shared, areas, out=np.zeros_like(shared), where=areas > 0),
    )


@dataclass(frozen=True, slots=True)
class _Overlaps:
    """The IoU of all counted tables of all images, and the ways to pair them.

    Pairs are ordered by truth, then detection; both are numbered through all images.
    """

    flat: Flat
    ignored: NDArray[np.bool_]
    pairs: list[tuple[int, int, float]]
    best_of_truth: list[float]
    best_of_detection: list[float]

    @classmethod
    def of(cls, scenes: Sequence[Scene]) -> "_Overlaps":
        flat = flatten(scenes)
        truth, detections = _Outlines(flat.truth), _Outlines(flat.detections)
        pairs = overlapping_pairs(truth.boxes, detections.boxes, flat.n_truth, flat.n_detections)
        iou, share = _iou(truth, detections, pairs)
        ignored = ignored_detections(flat, pairs, share, _MAX_IGNORED_SHARE)
        counted = ~flat.ignored_truth[pairs.truth] & ~ignored[pairs.detection] & (iou > 0)
        pairs, iou = pairs.where(counted), iou[counted]
        return cls(
            flat,
            ignored,
            list(zip(pairs.truth.tolist(), pairs.detection.tolist(), iou.tolist(), strict=True)),
            largest(pairs.truth, iou, len(flat.truth)).tolist(),
            largest(pairs.detection, iou, len(flat.detections)).tolist(),
        )

    def n_counted(self, truths: slice, found: slice) -> tuple[int, int]:
        return (
            int(np.count_nonzero(~self.flat.ignored_truth[truths])),
            int(np.count_nonzero(~self.ignored[found])),
        )

    def greatest(self, thresholds: Iterable[float]) -> dict[float, dict[int, int]]:
        """Return for each threshold as many pairs as possible: truth to detection.

        From the highest threshold down, pairs are added by falling IoU, and each matching grows
        out of the one before by augmenting paths. So whoever is paired at a threshold is paired
        at all lower ones.
        """
        falling = sorted(self.pairs, key=lambda pair: -pair[2])
        neighbours: defaultdict[int, list[int]] = defaultdict(list)
        partner: dict[int, int] = {}
        owner: dict[int, int] = {}
        matchings = {}
        at = 0
        for threshold in sorted(set(thresholds), reverse=True):
            while at < len(falling) and falling[at][2] >= threshold:
                i, j, _ = falling[at]
                neighbours[i].append(j)
                if i not in partner and j not in owner:
                    partner[i], owner[j] = j, i
                at += 1
            _augment(partner, owner, neighbours)
            matchings[threshold] = dict(partner)
        return matchings

    def first_free(self, thresholds: Iterable[float]) -> dict[float, dict[int, int]]:
        """Return for each threshold what each truth in file order takes: the first free one."""
        matchings = {}
        for threshold in set(thresholds):
            partner: dict[int, int] = {}
            taken: set[int] = set()
            for i, j, iou in self.pairs:
                if iou >= threshold and i not in partner and j not in taken:
                    partner[i] = j
                    taken.add(j)
            matchings[threshold] = partner
        return matchings

    def walked(self, threshold: float) -> tuple[dict[int, int], set[int]]:
        """Return the pairs of the released program for structure, and the truths it never tries.

        It removes each paired truth from the list it walks over, so that the next one moves into
        the place that was already visited.
        """
        good: defaultdict[int, list[int]] = defaultdict(list)
        for i, j, iou in self.pairs:
            if iou >= threshold:
                good[i].append(j)
        partner: dict[int, int] = {}
        taken: set[int] = set()
        passed_over: set[int] = set()
        for image in range(len(self.flat.n_truth)):
            truths, _ = self.flat.slices(image)
            waiting = iter(
                [i for i in range(truths.start, truths.stop) if not self.flat.ignored_truth[i]]
            )
            for i in waiting:
                free = [j for j in good[i] if j not in taken]
                if free:
                    partner[i] = free[0]
                    taken.add(free[0])
                    passed_over.update(islice(waiting, 1))
        return partner, passed_over

    def unmatched(
        self,
        side: _Tables,
        partner: Mapping[int, int],
        truths: slice,
        found: slice,
        threshold: float,
        passed_over: Iterable[int] = (),
    ) -> Iterator[Unmatched]:
        """Yield the tables of an image without a partner, each with the reason."""
        for at, i in enumerate(range(truths.start, truths.stop)):
            if i in partner:
                continue
            if self.flat.ignored_truth[i]:
                reason = IGNORED
            elif i in passed_over:
                reason = _PASSED_OVER
            else:
                reason = _too_far(self.best_of_truth[i], threshold)
            yield Unmatched("truth", side.truth[at], reason)
        taken = set(partner.values())
        for at, j in enumerate(range(found.start, found.stop)):
            if j not in taken:
                ignored = self.ignored[j]
                reason = (
                    INSIDE_IGNORED if ignored else _too_far(self.best_of_detection[j], threshold)
                )
                yield Unmatched("detection", side.detections[at], reason)


def _augment(
    partner: dict[int, int], owner: dict[int, int], neighbours: Mapping[int, Sequence[int]]
) -> None:
    """Turn a matching into one of greatest cardinality, by paths that gain a pair each."""
    # Detections from which no free one can be reached; that stays so.
    in_vain: set[int] = set()
    for start in [i for i in neighbours if i not in partner]:
        reached_from: dict[int, int] = {}
        free = None
        queue = [start]
        for i in queue:  # grows while it is walked over
            for j in neighbours[i]:
                if j in in_vain or j in reached_from:
                    continue
                reached_from[j] = i
                if j not in owner:
                    free = j
                    break
                queue.append(owner[j])
            if free is not None:
                break
        if free is None:
            in_vain.update(reached_from)
        while free is not None:
            i = reached_from[free]
            before = partner.get(i)
            partner[i], owner[free] = free, i
            free = before


def _too_far(best: float, threshold: float) -> str:
    if best >= threshold:
        return f"every partner with an IoU of {threshold:g} or more was taken"
    return f"its best IoU, {best:.3f}, is below {threshold:g}"


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of one side of all images, table by table, in file order.

    Attributes
    ----------
    regions : list of Region, length n
    index : ndarray of shape (n,)
        Where each stands in its scene.
    image, table : ndarray of shape (n,)
        Tables are numbered through all images.
    counted : ndarray of bool, shape (n,)
        Whether its table counts.
    first : ndarray of shape (number of tables + 1,)
        Where each table's cells begin.
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
    ) -> "_Cells":
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
        grid = np.array([region.cell for region in self.regions], dtype=np.intp).reshape(-1, 4)
        counted = np.flatnonzero(self.counted)
        related = cell_relations(self.table[counted], grid[counted])
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
            f"{place}: a cell needs first row, first column, last row and last column, from 0 and "
            f"no end before its start; got {cell}"
        )


@dataclass(frozen=True, slots=True)
class _Mapping:
    """Which detected cell stands for which truth cell in paired tables, at any threshold.

    ``pairs`` and ``iou`` are what may be mapped: one to one by falling IoU, where a lower
    threshold only adds pairs, or all pairs by truth and detection, of which the first counts.
    """

    truth: _Cells
    found: _Cells
    pairs: Pairs
    iou: Floats
    best_of_truth: list[float]
    best_of_detection: list[float]

    @classmethod
    def of(
        cls, truth: _Cells, found: _Cells, partner: Mapping[int, int], *, one_to_one: bool
    ) -> "_Mapping":
        ours, theirs = _Outlines(truth.regions), _Outlines(found.regions)
        pairs = _cell_pairs(truth, found, ours, theirs, partner)
        iou, _ = _iou(ours, theirs, pairs)
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

    def unmatched(
        self,
        image: int,
        mapped: Mapping[int, Sequence[int]],
        overlaps: _Overlaps,
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
                reason = _too_far(self.best_of_truth[i], threshold)
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
                reason = _too_far(self.best_of_detection[j], threshold)
            yield Unmatched("detection", int(self.found.index[j]), reason)


def _cell_pairs(
    truth: _Cells, found: _Cells, ours: Shapes, theirs: Shapes, partner: Mapping[int, int]
) -> Pairs:
    """Return the cells of paired tables whose boxes share a point, by truth, then detection."""
    our_boxes, their_boxes = shapely.box(*ours.boxes.T), shapely.box(*theirs.boxes.T)
    near: list[Any] = [np.zeros((2, 0), dtype=np.intp)]
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
class _RelationCounts:
    """The relations of each image, the correct ones at each threshold, and who earned them.

    ``points`` has for each threshold and truth cell half the number of correct relations it takes
    part in.
    """

    n_truth: Indices
    n_detections: Indices
    n_correct: list[Indices]
    points: list[list[float]]

    @classmethod
    def of(
        cls,
        truth: _Cells,
        found: _Cells,
        mapping: _Mapping,
        thresholds: Sequence[float],
        n_images: int,
    ) -> "_RelationCounts":
        ours, theirs = truth.relations(), found.relations()
        n_cells = len(found.regions)
        codes = (theirs[:, 0] * n_cells + theirs[:, 1]) * n_cells + theirs[:, 2]
        n_correct, points = [], []
        for threshold in thresholds:
            mapped = mapping.at(threshold)
            before, after = mapped[ours[:, 1]], mapped[ours[:, 2]]
            wanted = (ours[:, 0] * n_cells + before) * n_cells + after
            correct = np.flatnonzero((before >= 0) & (after >= 0) & np.isin(wanted, codes))
            # Several truth relations may find the same one of the result; it counts once.
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
