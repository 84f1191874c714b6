"""Areas of many regions at once: rectangles by arithmetic, other polygons in one vectorised call."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from .regions import Region

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of a truth and a detection of the same image, whose bounding boxes overlap.

    Attributes
    ----------
    truth, detection : ndarray of shape (m,)
        Indices into the flat lists of all images, ordered by truth, then detection.
    """

    truth: Indices
    detection: Indices

    def where(self, keep: NDArray[np.bool_]) -> "Pairs":
        return Pairs(self.truth[keep], self.detection[keep])


def boxes_of(regions: Sequence[Region]) -> Floats:
    """Return left, top, right, bottom of each region's bounding box; shape (n, 4)."""
    return np.array([region.box for region in regions], dtype=np.float64).reshape(-1, 4)


def overlapping_pairs(
    truth_boxes: Floats, detection_boxes: Floats, n_truth: Indices, n_detections: Indices
) -> Pairs:
    """Return the pairs of each image whose boxes share a point.

    Parameters
    ----------
    truth_boxes, detection_boxes : ndarray of shape (n, 4) and (m, 4)
        Boxes of all images one after the other.
    n_truth, n_detections : ndarray of shape (number of images,)
        How many of them each image has.
    """
    first_detection = np.cumsum(n_detections) - n_detections
    image_of_truth = np.repeat(np.arange(len(n_truth)), n_truth)
    partners = n_detections[image_of_truth]
    truth = np.repeat(np.arange(len(truth_boxes)), partners)
    step = np.arange(len(truth)) - np.repeat(np.cumsum(partners) - partners, partners)
    detection = first_detection[image_of_truth[truth]] + step
    a, b = truth_boxes[truth], detection_boxes[detection]
    overlap = (
        (a[:, 0] <= b[:, 2]) & (b[:, 0] <= a[:, 2]) & (a[:, 1] <= b[:, 3]) & (b[:, 1] <= a[:, 3])
    )
    return Pairs(truth[overlap], detection[overlap])


def box_areas(boxes: Floats, pixel: float = 0.0) -> Floats:
    """Return areas of boxes; ``pixel`` is 1 where the last pixel is included in a box."""
    return np.asarray((boxes[:, 2] - boxes[:, 0] + pixel) * (boxes[:, 3] - boxes[:, 1] + pixel))


def box_intersections(a: Floats, b: Floats, pixel: float = 0.0) -> Floats:
    """Return the area that each row of ``a`` shares with the same row of ``b``."""
    width = np.minimum(a[:, 2], b[:, 2]) - np.maximum(a[:, 0], b[:, 0]) + pixel
    height = np.minimum(a[:, 3], b[:, 3]) - np.maximum(a[:, 1], b[:, 1]) + pixel
    return np.maximum(width, 0.0) * np.maximum(height, 0.0)


class Shapes:
    """Regions ready to be measured against each other.

    A self-crossing polygon is repaired (``shapely.make_valid``) before it is measured, so that a
    bow tie has the area of its two wings. The published scripts give it a signed area (0) while they
    clip by the even-odd rule; none occurs in the published result sets.
    """

    def __init__(self, regions: Sequence[Region]) -> None:
        self.boxes = boxes_of(regions)
        self.rectangular = np.array([region.is_rectangle for region in regions], dtype=bool)
        self.areas = box_areas(self.boxes)
        self._polygons = np.full(len(regions), None, dtype=object)
        others = np.flatnonzero(~self.rectangular)
        if len(others):
            polygons = _valid_polygons([regions[at] for at in others.tolist()])
            self._polygons[others] = polygons
            self.areas[others] = shapely.area(polygons)

    def polygons(self, at: Indices) -> NDArray[np.object_]:
        """Return shapely polygons of the regions at these indices."""
        missing = np.unique(at[[polygon is None for polygon in self._polygons[at]]])
        if len(missing):
            self._polygons[missing] = shapely.box(*self.boxes[missing].T)
        return np.asarray(self._polygons[at], dtype=object)


def _valid_polygons(regions: Sequence[Region]) -> NDArray[np.object_]:
    n_points = np.array([region.n_points for region in regions])
    coordinates = np.array([value for region in regions for value in region.points])
    rings = np.repeat(np.arange(len(regions)), n_points)
    # linearrings() closes each ring itself.
    polygons = shapely.polygons(shapely.linearrings(coordinates.reshape(-1, 2), indices=rings))
    invalid = ~shapely.is_valid(polygons)
    polygons[invalid] = shapely.make_valid(polygons[invalid])
    return np.asarray(polygons, dtype=object)


def intersection_areas(truth: Shapes, detections: Shapes, pairs: Pairs) -> Floats:
    """Return the shared area of each pair; shape (m,)."""
    areas = box_intersections(truth.boxes[pairs.truth], detections.boxes[pairs.detection])
    slanted = np.flatnonzero(
        ~(truth.rectangular[pairs.truth] & detections.rectangular[pairs.detection])
    )
    # Boxes that only touch enclose polygons that share no area.
    slanted = slanted[areas[slanted] > 0]
    if len(slanted):
        areas[slanted] = shapely.area(
            shapely.intersection(
                truth.polygons(pairs.truth[slanted]),
                detections.polygons(pairs.detection[slanted]),
            )
        )
    return areas
