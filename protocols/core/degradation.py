"""Copies of a result that are certainly worse: regions removed, added, or moved off the text.

For pairs whose right answer is known. All comparisons are of bounding boxes, which is stricter than
comparing polygons: a shape that does not touch a box touches no polygon in it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from random import Random
from typing import Final, Literal

from .regions import Region

Kind = Literal["removed", "added", "moved"]
KINDS: Final[tuple[Kind, ...]] = ("removed", "added", "moved")
WORSE_IN: Final[dict[Kind, tuple[str, ...]]] = {
    "removed": ("recall", "preference"),
    "added": ("precision", "preference"),
    "moved": ("recall", "precision", "preference"),
}

_FOUND_IOU = 0.5
_LEAST_ADDED = 2
_TRIES = 60

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Worse:
    """A copy of a result and its degradation: the dose is a number of regions."""

    kind: Kind
    regions: tuple[Region, ...]
    dose: int


def worsened(
    detections: Sequence[Region],
    truth: Sequence[Region],
    *,
    size: tuple[float, float],
    rng: Random,
    kinds: Sequence[Kind] = KINDS,
) -> Worse | None:
    """Return a worse copy of a result, of a random kind, or None if no kind is possible.

    - removed: half of the texts that were found (IoU of boxes of 0.5 or more), rounded up, and
      everything that touches them;
    - added: half as many regions as there are, at least two, in empty places;
    - moved: as removed, but the regions reappear next to the text, in empty places.

    No region is placed outside the image, whose ``size`` is width and height in pixels.
    """
    doers: dict[Kind, Callable[[], Worse | None]] = {
        "removed": lambda: _removed(detections, truth, rng),
        "added": lambda: _added(detections, truth, size, rng),
        "moved": lambda: _moved(detections, truth, size, rng),
    }
    drawn = list(kinds)
    rng.shuffle(drawn)
    return next((worse for kind in drawn if (worse := doers[kind]()) is not None), None)


def _removed(detections: Sequence[Region], truth: Sequence[Region], rng: Random) -> Worse | None:
    gone = _of_half_the_found(detections, truth, rng)
    kept = tuple(region for at, region in enumerate(detections) if at not in gone)
    return Worse("removed", kept, len(gone)) if gone else None


def _added(
    detections: Sequence[Region], truth: Sequence[Region], size: tuple[float, float], rng: Random
) -> Worse | None:
    counted = [region for region in truth if not region.ignored]
    # Without ground truth, places without text are unknown.
    if not counted:
        return None
    taken = [region.box for region in (*detections, *truth)]
    models = list(detections) or counted
    added: list[Region] = []
    for _ in range(max(_LEAST_ADDED, ceil(len(detections) / 2))):
        put = _put_where_nothing_is(rng.choice(models), _anywhere(size, rng), taken, size)
        if put is not None:
            added.append(put)
            taken.append(put.box)
    if len(added) < _LEAST_ADDED:
        return None
    return Worse("added", (*detections, *added), len(added))


def _moved(
    detections: Sequence[Region], truth: Sequence[Region], size: tuple[float, float], rng: Random
) -> Worse | None:
    gone = _of_half_the_found(detections, truth, rng)
    if not gone:
        return None
    copy = list(detections)
    taken = [region.box for region in truth]
    taken += [region.box for at, region in enumerate(detections) if at not in gone]
    for at in sorted(gone):
        put = _put_where_nothing_is(detections[at], _beside(detections[at].box, rng), taken, size)
        if put is None:
            return None
        copy[at] = put
        taken.append(put.box)
    return Worse("moved", tuple(copy), len(gone))


def _of_half_the_found(
    detections: Sequence[Region], truth: Sequence[Region], rng: Random
) -> set[int]:
    """Return the indices of all detections that touch a random half of the found texts."""
    boxes = [region.box for region in detections]
    found = [
        region.box
        for region in truth
        if not region.ignored and any(_iou(region.box, box) >= _FOUND_IOU for box in boxes)
    ]
    chosen = rng.sample(found, ceil(len(found) / 2))
    return {at for at, box in enumerate(boxes) if any(_overlap(box, of) > 0 for of in chosen)}


def _put_where_nothing_is(
    region: Region,
    places: Iterator[tuple[float, float]],
    taken: Sequence[Box],
    size: tuple[float, float],
) -> Region | None:
    """Return the region moved to the first of these top left corners where it touches nothing."""
    left, top, right, bottom = region.box
    for x, y in places:
        across, down = round(x - left), round(y - top)
        box = (left + across, top + down, right + across, bottom + down)
        inside = min(box) >= 0 and box[2] <= size[0] and box[3] <= size[1]
        if inside and not any(_overlap(box, other) > 0 for other in taken):
            return _shifted(region, across, down)
    return None


def _anywhere(size: tuple[float, float], rng: Random) -> Iterator[tuple[float, float]]:
    for _ in range(_TRIES):
        yield rng.uniform(0, size[0]), rng.uniform(0, size[1])


def _beside(box: Box, rng: Random) -> Iterator[tuple[float, float]]:
    """Yield top left corners from 1.2 to 4 times the box's size away, nearest first."""
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    ways = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
    for times in (1.2, 1.6, 2.2, 3.0, 4.0):
        rng.shuffle(ways)
        for across, down in ways:
            yield left + across * times * width, top + down * times * height


def _shifted(region: Region, across: int, down: int) -> Region:
    points = tuple(value + (down if at % 2 else across) for at, value in enumerate(region.points))
    pixels = region.pixels and tuple(
        (row + down, start + across, end + across) for row, start, end in region.pixels
    )
    return replace(region, points=points, pixels=pixels)


def _overlap(a: Box, b: Box) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return max(width, 0.0) * max(height, 0.0)


def _iou(a: Box, b: Box) -> float:
    shared = _overlap(a, b)
    union = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)) - shared
    return shared / union if union > 0 else 0.0
