"""Intersection over union of regions the slow way, to check protocols a second way."""

import shapely

from protocols.core.regions import Region


def polygon(region: Region) -> shapely.Polygon:
    points = list(zip(region.points[::2], region.points[1::2], strict=True))
    return shapely.Polygon(points)


def plain_iou(a: Region, b: Region) -> float:
    """Return the IoU of two regions that do not cross themselves; 0 if the union is empty."""
    union = polygon(a).union(polygon(b)).area
    return polygon(a).intersection(polygon(b)).area / union if union else 0.0


def plain_share(inner: Region, outer: Region) -> float:
    """Return the share of one region's area inside another; 0 if it has no area."""
    area = polygon(inner).area
    return polygon(inner).intersection(polygon(outer)).area / area if area else 0.0
