"""Outlines of others in COCO annotations: ``polys``, ``poly``, and the control points ``bezier_pts``."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ..containers import checked
from ..problems import Fault

OUTLINES: Final = ("bezier_pts", "polys", "poly")
# Two curves of four points, along the top and back along the bottom.
_N_CONTROLS: Final = 16
_N_SAMPLES: Final = 20
_SAME_SIZE: Final = 0.01


def spotter_points(annotation: Mapping[str, Any]) -> tuple[float, ...] | None:
    """Return the outline of an annotation in the fields of spotters, or None if it has none.

    Raises Fault if it has too few points (L1), or some are not finite numbers (L2, L3).
    """
    controls, *polygons = map(annotation.get, OUTLINES)
    if isinstance(controls, list) and controls:
        points = checked.points_of(controls)
        if len(points) != _N_CONTROLS:
            raise Fault("L1", f"{len(points)} numbers as bezier_pts", "two curves of four points")
        return _along_curves(points)
    for polygon in polygons:
        if isinstance(polygon, list) and polygon:
            pairs = isinstance(polygon[0], list)
            return checked.points_of_pairs(polygon) if pairs else checked.points_of(polygon)
    return None


def may_be_controls(annotation: Mapping[str, Any]) -> bool:
    """Return whether the numbers of ``polys`` give another outline if they are control points."""
    polygon = annotation.get("polys")
    if not isinstance(polygon, list) or len(polygon) != _N_CONTROLS or annotation.get("bezier_pts"):
        return False
    if isinstance(polygon[0], list):
        return False
    corners = checked.points_of(polygon)
    areas = [_area(points) for points in (corners, _along_curves(corners))]
    return abs(areas[0] - areas[1]) > _SAME_SIZE * max(areas)


def _along_curves(points: Sequence[float]) -> tuple[float, ...]:
    """Return points along two cubic Bézier curves."""
    at = np.linspace(0, 1, _N_SAMPLES)[:, np.newaxis]
    # The weight of each of the four points, at each place of a curve.
    weights = np.hstack([(1 - at) ** 3, 3 * at * (1 - at) ** 2, 3 * at**2 * (1 - at), at**3])
    curves = np.array(points).reshape(2, 4, 2)
    return tuple((weights @ curves).ravel().tolist())


def _area(points: Sequence[float]) -> float:
    xs, ys = np.array(points).reshape(-1, 2).T
    return abs(float(np.dot(xs, np.roll(ys, -1)) - np.dot(ys, np.roll(xs, -1)))) / 2
