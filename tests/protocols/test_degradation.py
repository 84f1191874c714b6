"""Copies that are certainly worse, checked against polygons: what was removed, added, moved."""

from random import Random

import pytest
from shapely.geometry import Polygon

from protocols import registry
from protocols.core.base import Scene
from protocols.core.degradation import worsened
from protocols.core.regions import Region
from tests.support.cases import cases

SIZE = (400.0, 300.0)


def box(left, top, width=40, height=12, **fields):
    return Region.from_box(left, top, left + width, top + height, **fields)


TRUTH = [box(20 + 90 * column, 30 + 60 * row) for row in range(3) for column in range(4)]
FOUND = [*TRUTH[:7], box(300, 260)]


def area_shared(a, b):
    return (
        Polygon(list(zip(a.points[::2], a.points[1::2], strict=True)))
        .intersection(Polygon(list(zip(b.points[::2], b.points[1::2], strict=True))))
        .area
    )


def made(kind, seed=1, detections=FOUND, truth=TRUTH, size=SIZE):
    return worsened(detections, truth, size=size, rng=Random(seed), kinds=[kind])


def scores(regions):
    [score] = registry.get("iou").score([Scene(TRUTH, regions)])
    return score.recall, score.precision


@cases("seed", range(5))
def test_half_of_what_was_found_is_removed(seed):
    worse = made("removed", seed)
    # Seven texts were found, so four are removed; the one next to the text stays.
    assert worse.dose == 4
    assert len(worse.regions) == 4
    assert FOUND[-1] in worse.regions
    assert scores(worse.regions)[0] == pytest.approx(3 / 12)
    assert scores(FOUND)[0] == pytest.approx(7 / 12)


@cases("seed", range(5))
def test_added_regions_stand_where_nothing_is(seed):
    worse = made("added", seed)
    added = worse.regions[len(FOUND) :]
    assert worse.regions[: len(FOUND)] == tuple(FOUND)
    assert worse.dose == len(added) == 4
    for region in added:
        left, top, right, bottom = region.box
        assert min(left, top) >= 0
        assert right <= SIZE[0]
        assert bottom <= SIZE[1]
        assert not any(area_shared(region, other) for other in [*TRUTH, *FOUND])
    assert scores(worse.regions) == pytest.approx((7 / 12, 7 / 12))


@cases("seed", range(5))
def test_moved_regions_stand_beside_the_text(seed):
    worse = made("moved", seed)
    assert len(worse.regions) == len(FOUND)
    moved = [region for region in worse.regions if region not in FOUND]
    assert worse.dose == len(moved) == 4
    assert not any(area_shared(region, text) for region in moved for text in TRUTH)
    assert scores(worse.regions) == pytest.approx((3 / 12, 3 / 8))


def test_a_second_region_on_a_text_goes_too():
    twice = [TRUTH[0], box(22, 31)]
    assert made("removed", detections=twice).regions == ()


def test_a_copy_hangs_on_the_seed_alone():
    assert made("added", 3) == made("added", 3)
    assert made("added", 3) != made("added", 4)


@cases(
    ("kind", "scene"),
    [
        ("removed", {"detections": []}),
        ("removed", {"truth": []}),
        ("removed", {"truth": [box(20, 30, ignored=True)]}),
        ("moved", {"detections": [box(0, 0, 400, 300)], "truth": [box(0, 0, 400, 300)]}),
        ("added", {"detections": [box(0, 0, 400, 300)]}),
        ("added", {"truth": []}),
    ],
)
def test_where_no_copy_is_certainly_worse_there_is_none(kind, scene):
    assert made(kind, **scene) is None


def test_another_kind_is_taken_where_one_is_not_possible():
    for seed in range(5):
        assert worsened([box(300, 260)], TRUTH, size=SIZE, rng=Random(seed)).kind == "added"
