"""How much work the overlaps of an image's regions may make, known before they are compared."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .base import Scene
from .errors import ProtocolError
from .geometry import boxes_of, overlapping_pairs
from .lazy_shapely import shapely
from .regions import Region

# At the most, a protocol took 20 s of processor time (EVALTEX: stars on one place) for what is only just
# admitted. 5,000 words that touch their neighbours have 25 million.
MAX_WORK: Final = 30_000_000
# Of the ground truth and of the detections of an image. Some protocols fill a table of their pairs.
MAX_REGIONS: Final = 5_000
# How often an outline may cross itself. Repairing it takes as long as the square.
MAX_CROSSINGS: Final = 200
# The work of a crossing of two outlines; 1 is 0.4 microseconds.
_CROSSING: Final = 250
_PAIRS_AT_ONCE: Final = 4_000_000


class TooCrowded(ProtocolError):
    """An image with too many regions, or whose regions overlap each other too often to be compared."""


def work_of(regions: Sequence[Region]) -> int:
    """Return the work that comparing regions with each other may make, without crossings.

    The sum, over pairs whose bounding boxes share a point, of the points of both times the smaller
    number of partners of the two. One box over many words is little work; many boxes on one place
    are as much as the cube of their number.

    Examples
    --------
    >>> work_of([Region.from_box(0, 0, 9, 9)] * 10)  # 10 x 10 pairs of 8 points, 10 partners each
    8000
    """
    n = np.array([len(regions)])
    boxes = boxes_of(regions)
    pairs = overlapping_pairs(boxes, boxes, n, n)
    n_points = np.array([len(region.points) // 2 for region in regions], dtype=np.int64)
    partners = np.bincount(pairs.truth, minlength=len(regions))
    fewer = np.minimum(partners[pairs.truth], partners[pairs.detection])
    return int(((n_points[pairs.truth] + n_points[pairs.detection]) * fewer).sum())


def work_of_crossings(regions: Sequence[Region], most: int) -> int:
    """Return the work of crossing outlines; counting ends when it exceeds ``most``.

    Each crossing of two outlines counts 250, and the crossings of an outline with itself count their
    square. Two upright rectangles have none: their overlap is arithmetic.

    Examples
    --------
    >>> bow_tie = Region((0, 0, 9, 9, 9, 0, 0, 9))
    >>> work_of_crossings([bow_tie], 1000), work_of_crossings([bow_tie] * 2, 1000)
    (1, 502)
    """
    rings = [_sides(region) for region in regions]
    n = [len(ring) for ring in rings]
    sides, owner = np.concatenate(rings), np.repeat(np.arange(len(regions)), n)
    follows = np.concatenate([np.roll(np.arange(of), -1) for of in n]) + np.repeat(
        np.cumsum(n) - n, n
    )
    upright = np.array([region.is_rectangle for region in regions])
    low, high = sides.min(axis=1), sides.max(axis=1)
    boxes = shapely.box(*low.T, *high.T)
    tree = shapely.STRtree(boxes)
    own = np.zeros(len(regions), dtype=np.int64)
    between = 0
    step = max(1, _PAIRS_AT_ONCE // len(sides))
    for start in range(0, len(sides), step):
        first, second = tree.query(boxes[start : start + step])
        first += start
        kept = (first < second) & ~(upright[owner[first]] & upright[owner[second]])
        first, second = first[kept], second[kept]
        before, after = _turns(sides[first], sides[second]), _turns(sides[second], sides[first])
        crosses = (before.prod(axis=1) < 0) & (after.prod(axis=1) < 0)
        same = owner[first] == owner[second]
        # Sides of one outline that run on one line; the next side may begin there.
        along = same & ~before.any(axis=1) & (follows[first] != second) & (follows[second] != first)
        own += np.bincount(owner[first[same & crosses | along]], minlength=len(own))
        between += int((crosses & ~same).sum())
        if (work := int((own**2).sum()) + _CROSSING * between) > most:
            return work
    return int((own**2).sum()) + _CROSSING * between


def tangled(regions: Sequence[Region]) -> NDArray[np.bool_]:
    """Return which outlines cross themselves more than 200 times; shape (n,)."""
    found = np.zeros(len(regions), dtype=bool)
    n_points = np.array([len(region.points) // 2 for region in regions], dtype=np.intp)
    # n sides cross at most n (n - 3) / 2 times.
    for at in np.flatnonzero(n_points * (n_points - 3) > 2 * MAX_CROSSINGS).tolist():
        ring = shapely.linearrings(np.array(regions[at].points).reshape(-1, 2))
        found[at] = (
            not shapely.is_simple(ring)
            and work_of_crossings([regions[at]], MAX_CROSSINGS**2) > MAX_CROSSINGS**2
        )
    return found


def require_feasible(scenes: Sequence[Scene], most: int = MAX_WORK) -> None:
    """Raise TooCrowded if comparing the regions of images, each with its own, is too much work."""
    total = 0
    for scene in scenes:
        regions = (*scene.truth, *(scene.detections or ()))
        image = scene.name or "an image"
        if (n := max(len(scene.truth), len(scene.detections or ()))) > MAX_REGIONS:
            raise TooCrowded(f"{image!r} has {n:,} regions; at most {MAX_REGIONS:,} are compared")
        longest = max((region.n_points for region in regions), default=0)
        # Each has every other as a partner, and all their sides cross, at the most.
        bound = 2 * len(regions) ** 3 * longest + len(regions) * longest**4
        bound += _CROSSING * (len(regions) * longest) ** 2
        if bound * len(scenes) <= most:
            continue
        total += work_of(regions)
        if total <= most:
            total += work_of_crossings(regions, most - total)
        if total > most:
            raise TooCrowded(
                f"the {len(regions)} regions of {image!r} overlap or cross each other so often that "
                "comparing them would take too long; leave out regions that are repeated"
            )


def _sides(region: Region) -> NDArray[np.float64]:
    """Return the sides of an outline that have a length; shape (n, 2, 2)."""
    points = np.array(region.points).reshape(-1, 2)
    sides = np.stack([points, np.roll(points, -1, axis=0)], axis=1)
    return np.asarray(sides[(sides[:, 0] != sides[:, 1]).any(axis=1)])


def _turns(sides: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return on which side of the first ends of the others are, -1, 0 or 1; shape (n, 2)."""
    along = sides[:, None, 1] - sides[:, None, 0]
    to = others - sides[:, :1]
    turns: NDArray[np.float64] = np.sign(along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0])
    return turns
