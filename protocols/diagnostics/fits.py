"""Fit of results to the ground truth, for the report of a load."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from protocols.core.base import Scene, f_score
from protocols.core.geometry import boxes_of
from protocols.core.regions import Region
from protocols.iou import IouMatching

from .readings import Regions, Sizes

MIN_IOU: Final = 0.5
# So many images, and points of their ground truth, are compared; of larger datasets a random sample.
MAX_IMAGES: Final = 250
_MAX_POINTS: Final = 10_000
_SEED: Final = 1
# A corner on the border may be rounded outwards.
_BORDER_PX: Final = 1.0


@dataclass(frozen=True, slots=True)
class Fit:
    """Recall and precision of results at IoU 0.5, and other signs of a wrong reading.

    Attributes
    ----------
    n_images : int
        Number of inspected images.
    n_matches, n_truth, n_detections : int
        Pairs of IOU, and the counted regions of both sides.
    n_touched : int
        Counted truths that some detection overlaps.
    n_same : int
        Truths, ignored ones included, that also occur among the detections, with the same points.
    n_all_truth : int
    n_outside : int or None
        Detections that reach outside their image; None if no image has a known size.
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
        """None without counted truth."""
        return self.n_matches / self.n_truth if self.n_truth else None

    @property
    def precision(self) -> float | None:
        """None without counted detections."""
        return self.n_matches / self.n_detections if self.n_detections else None

    @property
    def f_score(self) -> float:
        """0 where recall or precision is undefined: nothing fits."""
        return f_score(self.recall or 0.0, self.precision or 0.0) or 0.0

    @property
    def touched(self) -> float | None:
        """The share of counted truths that some detection overlaps; None without counted truth."""
        return self.n_touched / self.n_truth if self.n_truth else None

    @property
    def same(self) -> float | None:
        """Return the share of truths that also occur among the detections; None without truth."""
        return self.n_same / self.n_all_truth if self.n_all_truth else None


def sample(images: Sequence[str], most: int = MAX_IMAGES) -> list[str]:
    """Draw images at random, in their order; the same each time.

    A sample of every second image would miss a file of every second one that is empty.

    Parameters
    ----------
    images : sequence of str
    most : int
        Number of drawn images; all if there are no more.

    Examples
    --------
    >>> sample(["img_1", "img_2", "img_3", "img_4"], 2)
    ['img_2', 'img_3']
    """
    if len(images) <= most:
        return list(images)
    drawn = np.random.default_rng(_SEED).choice(len(images), most, replace=False)
    return [images[at] for at in np.sort(drawn)]


def thinned(truth: Regions) -> dict[str, Sequence[Region]]:
    """Return the ground truth of so many sampled images as can be compared in no time.

    Examples
    --------
    Ten images with 2000 points each are twice as many as are compared:

    >>> truth = {f"img_{n}": [Region.from_box(0, 0, 9, 4)] * 500 for n in range(10)}
    >>> list(thinned(truth))
    ['img_0', 'img_2', 'img_3', 'img_6', 'img_8']
    """
    n_points = sum(region.n_points for of in truth.values() for region in of)
    most = len(truth) * _MAX_POINTS // max(n_points, 1)
    kept = sample(list(truth), max(most, 1))
    return {image: truth[image] for image in kept}


def fit(truth: Regions, results: Regions, sizes: Sizes) -> Fit:
    """Return how results fit the ground truth of some images.

    Parameters
    ----------
    truth : mapping of str to sequence of Region
        By image; these are the images that are looked at.
    results : mapping of str to sequence of Region
        By image; one that is not in it counts as without detections.
    sizes : mapping of str to (int, int)
        Width and height of images in pixels, where they are known.

    Examples
    --------
    >>> word, elsewhere = Region.from_box(0, 0, 9, 4), Region.from_box(50, 0, 59, 4)
    >>> found = fit({"img_1": [word, elsewhere]}, {"img_1": [word]}, {"img_1": (8, 4)})
    >>> found.recall, found.precision, found.n_outside
    (0.5, 1.0, 0)
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
        n_outside=_outside(truth, results, sizes),
    )


def _outside(truth: Mapping[str, object], results: Regions, sizes: Sizes) -> int | None:
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
