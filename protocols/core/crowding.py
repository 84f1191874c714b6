"""How much work the overlaps of an image's regions may make, known before they are compared."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from .base import Scene
from .errors import ProtocolError
from .geometry import boxes_of, overlapping_pairs
from .regions import Region

# At the most, the slowest protocol (EVALTEX) takes 13 s for an image: 77 boxes of each
# side on one place. 5,000 words and detections, with every box touching its neighbours, have 25 million.
MAX_WORK: Final = 30_000_000


class TooCrowded(ProtocolError):
    """An image whose regions overlap each other so often that comparing them would take too long."""


def work_of(regions: Sequence[Region]) -> int:
    """Return the work that comparing regions with each other may make.

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


def require_feasible(scenes: Sequence[Scene], most: int = MAX_WORK) -> None:
    """Raise TooCrowded if comparing the regions of images, each with its own, is too much work."""
    total = 0
    for scene in scenes:
        regions = (*scene.truth, *(scene.detections or ()))
        longest = max((len(region.points) for region in regions), default=0)
        # Each has every other as a partner at the most.
        if len(regions) ** 3 * longest + total <= most:
            total += len(regions) ** 3 * longest
            continue
        total += work_of(regions)
        if total > most:
            raise TooCrowded(
                f"the {len(regions)} regions of {scene.name or 'an image'!r} overlap each other so "
                "often that comparing them would take too long; leave out regions that are repeated"
            )
