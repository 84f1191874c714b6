"""Fit of results to the ground truth, for the report of a load."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np

from protocols.core.base import Scene, f_score
from protocols.core.geometry import (
    Floats,
    Indices,
    Pairs,
    box_intersections,
    boxes_of,
    overlapping_pairs,
)
from protocols.core.regions import Region
from protocols.iou import IouMatching

from .readings import Regions, Sizes

MIN_IOU: Final = 0.5
# Of datasets with more images, or more points of ground truth, a random sample is compared.
MAX_IMAGES: Final = 250
_MAX_POINTS: Final = 10_000
_SEED: Final = 1
# A corner on the border may be rounded outwards.
_BORDER_PX: Final = 1.0


@dataclass(frozen=True, slots=True)
class Fit:
    """Recall and precision of results at IoU 0.5, and other signs of a wrong reading.

    ``n_matches`` are pairs of IOU among the counted regions of both sides; ``n_touched`` counted
    truths overlap some detection; ``n_same`` of all truths, ignored ones included, also occur among
    the detections with the same points; ``n_outside`` detections reach outside their image, None if
    no image has a known size.
    """

    n_images: int
    n_matches: int
    n_truth: int
    n_detections: int
    n_touched: int
    n_same: int
    n_all_truth: int
    n_outside: int | None

    @property
    def recall(self) -> float | None:
        """Recall; None if there is no counted truth."""
        return self.n_matches / self.n_truth if self.n_truth else None

    @property
    def precision(self) -> float | None:
        """Precision; None if there are no counted detections."""
        return self.n_matches / self.n_detections if self.n_detections else None

    @property
    def f_score(self) -> float:
        """F-score; 0 if recall or precision is undefined, because nothing fits."""
        return f_score(self.recall or 0.0, self.precision or 0.0) or 0.0

    @property
    def touched(self) -> float | None:
        """The share of counted truths that some detection overlaps; None if there are none."""
        return self.n_touched / self.n_truth if self.n_truth else None

    @property
    def same(self) -> float | None:
        """The share of truths that also occur among the detections; None if there are no truths."""
        return self.n_same / self.n_all_truth if self.n_all_truth else None


def sample(images: Sequence[str], most: int = MAX_IMAGES) -> list[str]:
    """Draw images at random, the same each time, in their original order.

    Taking every second image instead would miss that every second file is empty.
    """
    if len(images) <= most:
        return list(images)
    drawn = np.random.default_rng(_SEED).choice(len(images), most, replace=False)
    return [images[at] for at in np.sort(drawn)]


def thinned(truth: Regions) -> dict[str, Sequence[Region]]:
    """Return the ground truth of a sample of images that is small enough to compare quickly."""
    n_points = sum(region.n_points for of in truth.values() for region in of)
    most = len(truth) * _MAX_POINTS // max(n_points, 1)
    kept = sample(list(truth), max(most, 1))
    return {image: truth[image] for image in kept}


def fit(truth: Regions, results: Regions, sizes: Sizes) -> Fit:
    """Return how results fit the ground truth of some images.

    The images of ``truth`` are compared; one without results counts as having no detections.
    """
    scenes = [Scene(tuple(of), tuple(results.get(image, ()))) for image, of in truth.items()]
    matching = IouMatching(scenes, min_iou=MIN_IOU, max_ignored_share=0.5)
    flat = matching.flat
    overlapping = matching.pairs.truth[matching.shared > 0]
    touched = np.zeros(len(flat.truth), dtype=bool)
    touched[overlapping] = True
    n_same = sum(
        len({of.points for of in scene.truth} & {of.points for of in scene.detections or ()})
        for scene in scenes
    )
    return Fit(
        n_images=len(scenes),
        n_matches=sum(map(len, matching.matched)),
        n_truth=int((~flat.ignored_truth).sum()),
        n_detections=int((~matching.ignored).sum()),
        n_touched=int((touched & ~flat.ignored_truth).sum()),
        n_same=n_same,
        n_all_truth=sum(len({of.points for of in scene.truth}) for scene in scenes),
        n_outside=outside(truth, results, sizes),
    )


class FlatBoxes:
    """The boxes of counted truths and of all detections, image after image."""

    def __init__(self, truth: Regions, results: Regions) -> None:
        self.images = list(truth)
        counted = [[of for of in regions if not of.ignored] for regions in truth.values()]
        self.truth = boxes_of(list(chain.from_iterable(counted)))
        self.n_truth = np.array([len(of) for of in counted], dtype=np.intp)
        found = [results.get(image, ()) for image in self.images]
        self.n_detections = np.array([len(of) for of in found], dtype=np.intp)
        self.all = list(chain.from_iterable(found))
        self.boxes = boxes_of(self.all)

    def overlaps(self, boxes: Floats, n_detections: Indices) -> tuple[Pairs, Floats]:
        """Return the pairs of truths and boxes that meet, and the areas they share."""
        pairs = overlapping_pairs(self.truth, boxes, self.n_truth, n_detections)
        return pairs, box_intersections(self.truth[pairs.truth], boxes[pairs.detection])


def outside(truth: Mapping[str, object], results: Regions, sizes: Sizes) -> int | None:
    """Return how many results leave their image, None if no image has a known size."""
    sized = [image for image in truth if image in sizes]
    if not sized:
        return None
    regions: list[Region] = []
    limits: list[tuple[int, int]] = []
    for image in sized:
        of_image = results.get(image, ())
        regions += of_image
        limits += [sizes[image]] * len(of_image)
    boxes = boxes_of(regions)
    ends = np.array(limits, dtype=np.float64).reshape(-1, 2)
    low = (boxes[:, :2] < -_BORDER_PX).any(axis=1)
    return int((low | (boxes[:, 2:] > ends + _BORDER_PX).any(axis=1)).sum())
