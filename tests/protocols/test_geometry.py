"""Areas by arithmetic against a polygon library, and pairs against all comparisons."""

import numpy as np
import pytest
import shapely

from protocols.core.geometry import Pairs, Shapes, boxes_of, intersection_areas, overlapping_pairs
from protocols.core.regions import Region
from tests.support.cases import cases


def quads(rng, n, span):
    """Convex quadrilaterals with whole corners, in either direction, small ones often touching.

    Each fifth is a triangle, with one corner twice.
    """
    quadrilaterals = []
    while len(quadrilaterals) < n:
        corners = rng.integers(-span, span, (4, 2)).astype(float)
        if len(quadrilaterals) % 5 == 0:
            corners[rng.integers(4)] = corners[rng.integers(4)]
        polygon = shapely.Polygon(corners)
        if polygon.is_valid and polygon.area and polygon.area == polygon.convex_hull.area:
            quadrilaterals.append(Region(tuple(corners.ravel().tolist())))
    return quadrilaterals


def polygon(region):
    return shapely.Polygon(np.reshape(region.points, (-1, 2)))


@cases("span", [2, 3, 8, 60, 4000])
def test_convex_quadrilaterals_share_the_area_a_polygon_library_finds(span):
    rng = np.random.default_rng(span)
    a, b = quads(rng, 400, span), quads(rng, 400, span)
    at = np.arange(400)
    areas = intersection_areas(Shapes(a), Shapes(b), Pairs(at, at))
    for first, second, area in zip(a, b, areas, strict=True):
        expected = polygon(first).intersection(polygon(second)).area
        assert area == pytest.approx(expected, abs=1e-12 * span * span), (first, second)


def test_convex_quadrilaterals_and_triangles_need_no_polygon_library():
    """A corner twice, or on a side; not a spike, nor one that dents the figure."""
    triangle, straight = (0, 0, 4, 0, 4, 4, 4, 4), (0, 0, 2, 0, 4, 0, 0, 4)
    spike, dent = (0, 0, 6, 0, 4, 0, 0, 4), (0, 0, 4, 0, 1, 1, 0, 4)
    shapes = Shapes([Region(points) for points in (triangle, straight, spike, dent)])
    assert shapes.simple.tolist() == [True, True, False, False]
    assert shapes.areas.tolist()[:2] == [8.0, 8.0]


def test_sides_along_sides_count_once_and_neighbours_share_nothing():
    diamond = Region((0, -2, 2, 0, 0, 2, -2, 0))
    inside = Region((0, -2, 1, -1, 0, 0, -1, -1))
    neighbour = Region((2, 0, 4, 2, 2, 4, 0, 2))
    at = np.arange(3)
    truth = Shapes([diamond] * 3)
    areas = intersection_areas(truth, Shapes([diamond, inside, neighbour]), Pairs(at, at))
    assert areas.tolist() == [8.0, 2.0, 0.0]


def test_a_self_crossing_region_has_the_area_of_its_wings():
    bow = Shapes([Region((0, 0, 4, 4, 4, 0, 0, 4))])
    assert bow.areas.tolist() == [8.0]


def test_a_mask_has_the_area_of_its_pixels():
    mask = Region.from_mask(5, 5, ["111", "101", "110"])
    box = Region.from_box(5, 5, 8, 8)
    assert Shapes([mask], masks=True).areas.tolist() == [7.0]
    assert Shapes([mask]).areas.tolist() == [9.0]
    only = Pairs(np.array([0]), np.array([0]))
    shared = intersection_areas(Shapes([mask], masks=True), Shapes([box]), only)
    assert shared == pytest.approx([7.0], abs=1e-12)


@cases("n", [0, 3, 400])
def test_pairs_are_those_whose_boxes_share_a_point(n):
    rng = np.random.default_rng(n)
    n_truth, n_detections = np.array([n, 2, 0, n]), np.array([n, 0, 3, 1])

    def regions(number):
        corners = rng.integers(0, 300, (number, 2))
        sizes = rng.integers(0, 40, (number, 2))
        return [
            Region.from_box(x, y, x + w, y + h)
            for (x, y), (w, h) in zip(corners, sizes, strict=True)
        ]

    truth, detections = boxes_of(regions(n_truth.sum())), boxes_of(regions(n_detections.sum()))
    pairs = overlapping_pairs(truth, detections, n_truth, n_detections)
    expected = []
    for image in range(4):
        i0, j0 = n_truth[:image].sum(), n_detections[:image].sum()
        expected += [
            (i, j)
            for i in range(i0, i0 + n_truth[image])
            for j in range(j0, j0 + n_detections[image])
            if truth[i][0] <= detections[j][2]
            and detections[j][0] <= truth[i][2]
            and truth[i][1] <= detections[j][3]
            and detections[j][1] <= truth[i][3]
        ]
    assert list(zip(pairs.truth.tolist(), pairs.detection.tolist(), strict=True)) == expected
