"""Pairs of detected and true tables: their IoU, and the ways to match them ([G19]_)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from ..core import overlays
from ..core.base import Scene, Unmatched
from ..core.geometry import Floats, Pairs, Shapes, intersection_areas, overlapping_pairs, shares
from ..core.matching import IGNORED, INSIDE_IGNORED, Flat, flatten, ignored_detections, largest
from ..core.regions import Region

_MAX_IGNORED_SHARE: Final = 0.5
_PASSED_OVER: Final[str] = "it was never tried: the released program skips the next table"


@dataclass(frozen=True, slots=True)
class Tables:
    """A scene without its cells, and the positions of its tables in the whole scene."""

    scene: Scene
    truth: list[int]
    detections: list[int]

    @classmethod
    def of(cls, scene: Scene) -> "Tables":
        found = scene.detections or ()
        truth = [at for at, region in enumerate(scene.truth) if region.cell is None]
        detections = [at for at, region in enumerate(found) if region.cell is None]
        tables = Scene(
            tuple(scene.truth[at] for at in truth), tuple(found[at] for at in detections)
        )
        return cls(tables, truth, detections)


class Outlines(Shapes):
    """Shapes whose self-crossing rings are repaired by a zero-width buffer ([G19]_).

    The released program does this; it keeps one wing of a bow tie.
    """

    def __init__(self, regions: Sequence[Region]) -> None:
        super().__init__(regions)
        slanted = np.flatnonzero(~self.rectangular)
        rings = [
            np.array(regions[at].points, dtype=np.float64).reshape(-1, 2) for at in slanted.tolist()
        ]
        if not rings:
            return
        # The ring that each point of all rings belongs to.
        owners = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
        drawn = shapely.polygons(shapely.linearrings(np.concatenate(rings), indices=owners))
        crossing = ~shapely.is_valid(drawn)
        mended = overlays.buffered(drawn[crossing])
        self._polygons[slanted[crossing]] = mended
        self.areas[slanted[crossing]] = shapely.area(mended)


def iou_of_pairs(truth: Shapes, detections: Shapes, pairs: Pairs) -> tuple[Floats, Floats]:
    """Return the IoU of each pair, and the share of its detection inside its truth.

    Both answers have the shape (m,).
    """
    shared = intersection_areas(truth, detections, pairs)
    areas = detections.areas[pairs.detection]
    union = truth.areas[pairs.truth] + areas - shared
    return (
        shares(shared, union),
        shares(shared, areas),
    )


@dataclass(frozen=True, slots=True)
class Overlaps:
    """The IoU of all counted tables of all images, and the ways to pair them.

    Pairs are ordered by truth, then detection; both are numbered through all images.
    """

    flat: Flat
    ignored: NDArray[np.bool_]
    pairs: list[tuple[int, int, float]]
    best_of_truth: list[float]
    best_of_detection: list[float]

    @classmethod
    def of(cls, scenes: Sequence[Scene]) -> "Overlaps":
        flat = flatten(scenes)
        truth, detections = Outlines(flat.truth), Outlines(flat.detections)
        pairs = overlapping_pairs(truth.boxes, detections.boxes, flat.n_truth, flat.n_detections)
        iou, share = iou_of_pairs(truth, detections, pairs)
        ignored = ignored_detections(flat, pairs, share, _MAX_IGNORED_SHARE)
        # One entry for each pair whose boxes meet; only overlapping pairs of counted tables are
        # kept.
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

        From the highest threshold down, pairs are added in descending order of IoU, and each
        matching extends the previous one by augmenting paths. So a region paired at a threshold is
        paired at all lower ones.
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
        """Return the match of each truth at each threshold, in file order: the first free one."""
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

        The program removes each paired truth from the list while iterating over it, so the next one
        moves into a position that was already visited.
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
        side: Tables,
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
                reason = too_far(self.best_of_truth[i], threshold)
            yield Unmatched("truth", side.truth[at], reason)
        taken = set(partner.values())
        for at, j in enumerate(range(found.start, found.stop)):
            if j not in taken:
                ignored = self.ignored[j]
                reason = (
                    INSIDE_IGNORED if ignored else too_far(self.best_of_detection[j], threshold)
                )
                yield Unmatched("detection", side.detections[at], reason)


def _augment(
    partner: dict[int, int], owner: dict[int, int], neighbours: Mapping[int, Sequence[int]]
) -> None:
    """Extend a matching to maximum cardinality, by paths that gain one pair each."""
    # Detections from which no free one can be reached, now or later.
    in_vain: set[int] = set()
    for start in [i for i in neighbours if i not in partner]:
        reached_from: dict[int, int] = {}
        free = None
        queue = [start]
        for i in queue:  # grows during the iteration
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


def too_far(best: float, threshold: float) -> str:
    """Return why a region has no partner."""
    if best >= threshold:
        return f"every partner with an IoU of {threshold:g} or more was taken"
    return f"its best IoU, {best:.3f}, is below {threshold:g}"
