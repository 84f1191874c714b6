"""Trials of common mistakes: other readings that would fit the ground truth far better.

Boxes decide which readings are worth measuring, by arithmetic on flat arrays; offered readings have
been measured like the results themselves.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from protocols.core.geometry import Floats, Indices, box_areas, boxes_of, shares
from protocols.core.matching import largest
from protocols.core.regions import Region
from protocols.formats.containers.frames import orientation_of
from protocols.formats.containers.shapes import odd_shapes

from .fits import MIN_IOU, Fit, FlatBoxes, fit
from .readings import (
    DIAGONALS,
    EXCHANGED,
    FRAMES,
    ROWS,
    SHIFTS,
    SIDES,
    UNITS,
    Notation,
    Regions,
    Sizes,
    mover,
    read_so,
    scaled,
    share,
)

# A reading is offered if recall rises by this difference and this factor, with this many matches.
# Recall suffices: the number of detections is the same, so precision rises with it.
_MIN_GAIN: Final = 0.15
_MIN_RATIO: Final = 3.0
_MIN_MATCHES: Final = 5
# A reading must have this many times the matches of the best one tried before it.
_CLEARLY: Final = 1.05
# If an image has more boxes, only the first ones vote on a scale.
_MAX_VOTERS: Final = 40
# Votes for factors that differ by less than this are for the same factor.
_BIN: Final = 0.02
_MIN_VOTES: Final = 8
_SNAP: Final = 0.004
_MAX_DENOMINATOR: Final = 10
# If this share of quadrilaterals cross themselves, their corners are in another order.
_MANY_CROSSING: Final = 0.3


@dataclass(frozen=True, slots=True)
class Offer:
    """Another reading that fits far better, and how well."""

    reading: str
    as_read: Fit
    fit: Fit


def offered(
    truth: Regions,
    results: Regions,
    sizes: Sizes,
    known: Collection[str],
    as_read: Fit,
    notation: Notation | None = None,
) -> Offer | None:
    """Return the reading that fits far better than the results as read, or None.

    ``truth`` has the inspected images, ``results`` all, since a file may belong to the neighbouring
    image; ``known`` are all images of the dataset in counting order.
    """
    best = _other_frame(truth, results, sizes, as_read, notation)
    if as_read.recall is None or _MIN_RATIO * as_read.recall > 1:
        return best
    for reading in _promising(truth, results, sizes, known):
        tried = fit(truth, read_on(truth, results, sizes, known, reading), sizes)
        least = 0 if best is None else _CLEARLY * best.fit.n_matches
        if is_better(as_read, tried) and tried.n_matches > least:
            best = Offer(reading, as_read, tried)
    return best


def _other_frame(
    truth: Regions, results: Regions, sizes: Sizes, as_read: Fit, notation: Notation | None
) -> Offer | None:
    """Return the other frame of the boxes if it fits photographs with an EXIF orientation better.

    Only these photographs are compared: all others have one frame.
    """
    alone = {image: of for image, of in truth.items() if orientation_of(sizes.get(image)) > 1}
    if not alone:
        return None
    one = fit(alone, results, sizes)
    for reading in FRAMES:
        others = read_on(truth, results, sizes, (), reading, notation)
        other = fit(alone, others, sizes)
        if other.n_matches >= max(1, _MIN_RATIO * one.n_matches):
            return Offer(reading, as_read, fit(truth, others, sizes))
    return None


def read_on(
    truth: Regions,
    results: Regions,
    sizes: Sizes,
    known: Collection[str],
    reading: str,
    notation: Notation | None = None,
) -> dict[str, tuple[Region, ...]]:
    """Return the results of the inspected images under another reading.

    ``known`` are all images of the dataset in counting order. Raises ReadingError as ``read_so``
    does.
    """
    wanted = set(truth)
    if reading in SHIFTS:
        wanted = set(filter(None, map(mover(reading, known, back=True), truth)))
    looked_at = {image: regions for image, regions in results.items() if image in wanted}
    return read_so(looked_at, reading, sizes=sizes, known=known, notation=notation)


def is_better(as_read: Fit, tried: Fit) -> bool:
    """Return whether another reading fits clearly better and should be offered."""
    return (
        tried.n_matches >= _MIN_MATCHES
        and (tried.recall or 0) >= (as_read.recall or 0) + _MIN_GAIN
        and (tried.recall or 0) >= _MIN_RATIO * (as_read.recall or 0)
    )


def _promising(
    truth: Regions, results: Regions, sizes: Sizes, known: Collection[str]
) -> Iterator[str]:
    """Yield the readings worth measuring: boxes fit better, or many outlines cross themselves."""
    flat = FlatBoxes(truth, results)
    if not len(flat.truth):
        return
    as_read = _found(flat, flat.boxes, flat.n_detections)
    for reading, boxes in _other_boxes(flat, sizes):
        if _found(flat, boxes, flat.n_detections) >= as_read + _MIN_GAIN:
            yield reading
    for reading in SHIFTS:
        back = mover(reading, known, back=True)
        moved = [results.get(back(image) or "", ()) for image in flat.images]
        n_moved = np.array([len(of) for of in moved], dtype=np.intp)
        boxes = boxes_of(list(chain.from_iterable(moved)))
        if _found(flat, boxes, n_moved) >= as_read + _MIN_GAIN:
            yield reading
    if n_crossing(flat.all) >= _MANY_CROSSING * max(1, len(flat.all)):
        # A bow tie has the same box as the intended figure.
        yield from (ROWS, DIAGONALS)


def _found(flat: FlatBoxes, boxes: Floats, n_detections: Indices) -> float:
    """Return the share of truths that some box fits; one box may fit several."""
    pairs, shared = flat.overlaps(boxes, n_detections)
    areas = box_areas(flat.truth)[pairs.truth] + box_areas(boxes)[pairs.detection]
    iou = shares(shared, areas - shared)
    return float((largest(pairs.truth, iou, len(flat.truth)) > MIN_IOU).mean())


def n_crossing(regions: Sequence[Region]) -> int:
    """Return how many quadrilaterals cross themselves."""
    quads = [region for region in regions if region.n_points == 4]
    return sum(code == "L5" for _, code, _ in odd_shapes(quads, flat=False))


def _other_boxes(flat: FlatBoxes, sizes: Sizes) -> Iterator[tuple[str, Floats]]:
    if not len(flat.boxes):
        return
    boxes = flat.boxes
    yield EXCHANGED, boxes[:, [1, 0, 3, 2]]
    if all(region.is_rectangle for region in flat.all):
        given = np.array([region.points for region in flat.all])
        yield SIDES, np.hstack([given[:, :2], given[:, :2] + given[:, 4:6]])
    highest = boxes.max()
    for unit in UNITS:
        if highest <= 1.02 * unit and all(image in sizes for image in flat.images):
            sides = np.array([sizes[image] for image in flat.images], dtype=np.float64) / unit
            factors = np.repeat(sides, flat.n_detections, axis=0)
            yield share(unit), boxes * np.hstack([factors, factors])
    if (factors_voted := _scale(flat)) is not None:
        x, y = factors_voted
        yield scaled(x, y), boxes * np.array([x, y, x, y])


def _scale(flat: FlatBoxes) -> tuple[float, float] | None:
    """Return the factors of x and y on which most pairs of boxes agree, or None.

    Each pair of a truth and a detection votes with the ratios of their centres if the ratios of
    their sides are similar: wrong pairs scatter, right ones agree.
    """
    votes = []
    first_truth = np.cumsum(flat.n_truth) - flat.n_truth
    first = np.cumsum(flat.n_detections) - flat.n_detections
    for at in range(len(flat.images)):
        n, m = (min(int(of[at]), _MAX_VOTERS) for of in (flat.n_truth, flat.n_detections))
        a = flat.truth[first_truth[at] : first_truth[at] + n, None]
        b = flat.boxes[None, first[at] : first[at] + m]
        with np.errstate(divide="ignore", invalid="ignore"):
            centres = (a[..., :2] + a[..., 2:]) / (b[..., :2] + b[..., 2:])
            sides = (a[..., 2:] - a[..., :2]) / (b[..., 2:] - b[..., :2])
            alike = np.abs(np.log(sides / centres)).max(axis=-1) < 0.3
        votes.append(
            centres[alike & (centres > 0).all(axis=-1) & np.isfinite(centres).all(axis=-1)]
        )
    cast = np.concatenate(votes) if votes else np.zeros((0, 2))
    peak = _peak(cast)
    if peak is None or np.abs(np.log(peak)).max() < _BIN:
        return None
    x, y = (_simplest(float(value)) for value in peak)
    if abs(x - y) < _BIN * x:
        x = y = min(x, y, key=lambda factor: len(f"{factor:g}"))
    return x, y


def _peak(votes: Floats) -> NDArray[np.float64] | None:
    """Return the middle of the densest cluster of votes, or None if no cluster is large enough."""
    if len(votes) < _MIN_VOTES:
        return None
    bins = np.round(np.log(votes) / _BIN).astype(np.int64)
    places, counts = np.unique(bins, axis=0, return_counts=True)
    densest = places[counts.argmax()]
    near = (np.abs(bins - densest) <= 1).all(axis=1)
    if near.sum() < _MIN_VOTES:
        return None
    # Not by np.median, whose first call imports numpy.ma.
    return np.array([median(votes) for votes in votes[near].T.tolist()])


def _simplest(factor: float) -> float:
    """Return the simple fraction that a factor most probably is, or the factor with four digits."""
    simple = Fraction(factor).limit_denominator(_MAX_DENOMINATOR)
    if simple and abs(float(simple) - factor) < _SNAP * factor:
        return float(simple)
    return float(f"{factor:.4g}")
