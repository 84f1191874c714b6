"""The lines that objects belong to: those of the ground truth, or derived from boxes ([C16]_)."""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from ..core.base import Scene
from ..core.geometry import Floats, Shapes
from ..core.matching import Flat
from ..core.regions import Region


class Lines:
    """The upper level of the ground truth: the line of each object, and the shape of each line."""

    def __init__(
        self,
        mode: str,
        scenes: Sequence[Scene],
        flat: Flat,
        truth: Shapes,
        is_object: NDArray[np.bool_],
    ) -> None:
        self._of_object: dict[int, int] = {}
        shapes: list[Region] = []
        if mode != "none":
            for at, scene in enumerate(scenes):
                truths, _ = flat.slices(at)
                objects = [i for i in range(truths.start, truths.stop) if is_object[i]]
                groups = (
                    _given_lines(flat, objects)
                    if mode == "given"
                    else _derived_lines(truth.boxes, objects)
                )
                for tag, members in groups.items():
                    self._of_object.update(dict.fromkeys(members, len(shapes)))
                    given = scene.parents.get(tag) if mode == "given" else None
                    shapes.append(given or _hull([flat.truth[i] for i in members]))
        self.shapes = Shapes(shapes, masks=True)

    def spanned(self, objects: Sequence[int]) -> list[int]:
        """Return the lines that contain at least two of these objects."""
        if not self._of_object or len(objects) < 2:
            return []
        counts = Counter(self._of_object[i] for i in objects if i in self._of_object)
        return [line for line, n in counts.items() if n > 1]


def _given_lines(flat: Flat, objects: Sequence[int]) -> dict[str, list[int]]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for i in objects:
        tag = flat.truth[i].parent
        if tag is not None:
            groups[tag].append(i)
    return dict(groups)


def _derived_lines(boxes: Floats, objects: Sequence[int]) -> dict[str, list[int]]:
    """Return the lines: two or more objects connected by being side by side at similar height."""
    # Every object begins as its own line, named after its first object; two lines merge if an
    # object of one is next to an object of the other.
    members = {i: [i] for i in objects}
    line_of = {i: i for i in objects}
    for at, i in enumerate(objects):
        for k in objects[at + 1 :]:
            if line_of[i] != line_of[k] and _side_by_side(boxes[i], boxes[k]):
                joined, left = line_of[i], line_of[k]
                members[joined] += members.pop(left)
                line_of.update(dict.fromkeys(members[joined], joined))
    return {str(first): line for first, line in members.items() if len(line) > 1}


def _side_by_side(a: Floats, b: Floats) -> bool:
    # a and b: left, top, right, bottom. They share half of the smaller height, are of similar
    # height, and the gap between them is no wider than the larger height.
    heights = a[3] - a[1], b[3] - b[1]
    low, high = min(heights), max(heights)
    shared = min(a[3], b[3]) - max(a[1], b[1])
    gap = max(a[0], b[0]) - min(a[2], b[2])
    return bool(shared >= 0.5 * low and high <= 2.0 * low and gap <= high)


def _hull(regions: Sequence[Region]) -> Region:
    """Return the bounding box of words, or their convex hull if one is not an upright box."""
    if all(region.is_rectangle or region.pixels is not None for region in regions):
        boxes = np.array([region.box for region in regions])
        return Region.from_box(
            *boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist()
        )
    points = [point for region in regions for point in np.reshape(region.points, (-1, 2))]
    hull = shapely.convex_hull(shapely.MultiPoint(points))
    return Region(tuple(shapely.get_coordinates(hull)[:-1].ravel().tolist()))
