"""The parts of an image on which all methods vote alike."""

import random

import numpy as np
import pytest
import shapely

from protocols.core.regions import Region
from protocols.no_ground_truth.faces import faces_of
from protocols.no_ground_truth.votes import weigh_votes
from tests.support.cases import cases
from tests.support.votes import FAR, A, B, quadrilateral, random_methods, table


def split_faces(methods, frame):
    """The second way: split the frame by one method after the other."""

    def areal(shape):
        parts = shapely.get_parts(shapely.get_parts(shape))
        return shapely.union_all([part for part in parts if part.geom_type == "Polygon"])

    faces = {(): shapely.box(*frame)}
    for regions in methods:
        levels = sorted(
            {1.0 if region.confidence is None else region.confidence for region in regions}
        )
        split = {}
        for signature, rest in faces.items():
            for level in reversed(levels):
                cover = areal(
                    shapely.union_all(
                        [
                            shapely.make_valid(shapely.Polygon(np.reshape(region.points, (-1, 2))))
                            for region in regions
                            if (1.0 if region.confidence is None else region.confidence) == level
                        ]
                    )
                )
                split[(*signature, level)] = areal(rest.intersection(cover))
                rest = areal(rest.difference(cover))
            split[(*signature, 0.0)] = rest
        faces = split
    return {signature: shape.area for signature, shape in faces.items() if shape.area > 1e-9}


@cases("confidences", [False, True])
@cases("boxes", [False, True])
@cases("seed", range(8))
def test_faces_are_those_of_splitting_the_frame_method_by_method(seed, boxes, confidences):
    methods = random_methods(seed, boxes=boxes, confidences=confidences)
    faces = faces_of(methods, width=100, height=90)
    expected = split_faces(methods, (0, 0, 100, 90))
    assert table(faces) == pytest.approx(expected, abs=1e-6)
    assert faces.area == pytest.approx(9000)


def test_boxes_and_slanted_polygons_of_one_cluster_are_cut_together():
    methods = [[A], [quadrilateral(30, 20, 15, 8, 0.4)], [B, FAR]]
    assert table(faces_of(methods, width=100, height=100)) == pytest.approx(
        split_faces(methods, (0, 0, 100, 100)), abs=1e-6
    )


def test_sides_that_almost_coincide_lose_no_area():
    rng = random.Random(3)
    for _ in range(50):
        polygons = [
            Region(
                tuple(
                    value + rng.choice([0, 1e-12, -1e-10, 1e-7, 0.1])
                    for value in (10, 10, 50, 12, 49, 40, 11, 39)
                )
            )
            for _ in range(8)
        ]
        faces = faces_of([[polygon] for polygon in polygons], width=100, height=100)
        areas = [shapely.Polygon(np.reshape(polygon.points, (-1, 2))).area for polygon in polygons]
        assert faces.signatures.T @ faces.areas == pytest.approx(areas, abs=1e-5)


def test_a_coarse_raster_of_the_votes_agrees():
    methods = random_methods(5, n_methods=5, n_regions=5)
    columns, rows = np.meshgrid(np.arange(0.125, 100, 0.25), np.arange(0.125, 100, 0.25))
    votes = []
    for regions in methods:
        shapes = [shapely.Polygon(np.reshape(region.points, (-1, 2))) for region in regions]
        votes.append(shapely.contains_xy(shapely.union_all(shapes), columns, rows).ravel())
    raster = weigh_votes(np.array(votes, dtype=float))
    exact = faces_of(methods, width=100, height=100).weigh()
    for own, other in zip(raster.systems, exact.systems, strict=True):
        assert own.recall == pytest.approx(other.recall, abs=1e-2)
        assert own.precision == pytest.approx(other.precision, abs=1e-2)


def test_a_self_crossing_polygon_marks_its_wings_and_one_without_area_nothing():
    bow_tie = Region((0, 0, 100, 100, 100, 0, 0, 100))
    line = Region((5, 5, 20, 20, 40, 40))
    faces = faces_of([[bow_tie], [line]], width=100, height=100)
    assert table(faces) == pytest.approx({(0.0, 0.0): 5000, (1.0, 0.0): 5000})


def test_a_hole_is_not_marked():
    """A square of 100 with a hole of 40, drawn in one stroke; a square of 30 is half inside the hole."""
    outer, inner = (0, 0, 100, 0, 100, 100, 0, 100, 0, 0), (30, 30, 30, 70, 70, 70, 70, 30, 30, 30)
    ring = Region((*outer, *inner))
    other = Region.from_box(55, 35, 85, 65)
    faces = faces_of([[ring], [other]], domain="union")
    assert faces.signatures.tolist() == [[0, 1], [1, 0], [1, 1]]
    assert faces.areas.tolist() == pytest.approx([15 * 30, 8400 - 450, 450])


def test_many_confidences_of_many_methods_keep_their_faces_apart():
    # More combinations of levels than an integer can number.
    methods = [
        [Region.from_box(k, 10 * j, k + 30, 10 * j + 5, confidence=(j + 1) / 9) for j in range(8)]
        for k in range(24)
    ]
    faces = faces_of(methods, width=100, height=100)
    assert faces.area == pytest.approx(10000)
    for k in range(24):
        assert faces.signatures[:, k] @ faces.areas == pytest.approx(150 * sum(range(1, 9)) / 9)


@pytest.mark.parametrize("boxes", [True, False])
def test_a_large_grid_is_cut_in_bands(monkeypatch, boxes):
    methods = random_methods(1, n_regions=9, boxes=boxes)
    whole = table(faces_of(methods, width=100, height=100))
    monkeypatch.setattr("protocols.no_ground_truth.faces.MAX_CELLS", 50)
    assert table(faces_of(methods, width=100, height=100)) == pytest.approx(whole)
