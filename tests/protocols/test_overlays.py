"""Overlays that the polygon library refuses: areas as on paper, and any outline in every protocol."""

import io
import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import text_rankings as tr
from protocols import registry
from protocols.core import overlays
from protocols.core.base import Scene
from protocols.core.errors import ProtocolError
from protocols.core.geometry import Pairs, Shapes, intersection_areas
from protocols.core.regions import Region
from protocols.core.unions import Piece, union_areas
from protocols.formats.readers.rrc import read_archive
from tests.support.archives import zip_bytes
from tests.support.cases import cases

OUTLINE = (0, 0, 40, 30, 40, 0, 0, 30, 20, 40)
SLANTED, OTHER = (
    Region((0, 0, 100, 10, 100, 50, 0, 40)),
    Region((50, 5, 150, 15, 150, 55.5, 50, 45)),
)
ONE = Pairs(np.array([0]), np.array([0]))


def refusing(overlay, fails_for):
    """The library's function, refusing what it would compute with coordinates as they are."""

    def computed(*operands, **options):
        if fails_for(*operands, **options):
            raise shapely.errors.GEOSException("TopologyException: side location conflict")
        return overlay(*operands, **options)

    return computed


@pytest.fixture
def refused(monkeypatch):
    """Refuse all overlays without a grid."""
    for name in ("intersection", "difference", "union_all"):
        fails = refusing(getattr(shapely, name), lambda *_, grid_size=None, **__: not grid_size)
        monkeypatch.setattr(shapely, name, fails)


@pytest.fixture
def unrepaired(monkeypatch):
    """Refuse all repairs of outlines with a coordinate of 20."""

    def is_whole(polygons, *_, **__):
        return bool((shapely.get_coordinates(polygons) == 20.0).any())

    for name in ("make_valid", "buffer"):
        monkeypatch.setattr(shapely, name, refusing(getattr(shapely, name), is_whole))


@pytest.mark.usefixtures("refused")
def test_what_is_refused_is_computed_on_a_grid():
    """Both are 100 wide with the same slope above, 50 apart; what they share is 50 wide, 40 high."""
    a, b = Shapes([SLANTED]), Shapes([OTHER])
    assert not b.simple.any()
    assert intersection_areas(a, b, ONE) == pytest.approx([50 * 40], rel=1e-9)
    [together] = union_areas([Piece((a, [0]), (b, [0]))])
    assert together == pytest.approx(a.areas[0] + b.areas[0] - 2000, rel=1e-9)
    left = overlays.difference(a.polygons(np.array([0])), b.polygons(np.array([0])))
    assert shapely.area(left) == pytest.approx([4000 - 2000], rel=1e-9)


@pytest.mark.usefixtures("unrepaired")
def test_an_outline_whose_repair_is_refused_is_read_and_measured():
    """On no grid either: 20 is a whole number of steps of each. Its hull is a house."""
    shapes = Shapes([Region(OUTLINE)])
    assert shapes.areas.tolist() == [40 * 30 + 40 * 10 / 2]
    line = ",".join(map(str, OUTLINE))
    archive = read_archive(io.BytesIO(zip_bytes({"gt_1.txt": line})), kind="truth")
    assert not archive.errors
    assert archive.counts["L5"] == 1


def test_what_is_refused_on_every_grid_is_an_error_of_ours(monkeypatch):
    monkeypatch.setattr(
        shapely, "intersection", refusing(shapely.intersection, lambda *_, **__: True)
    )
    with pytest.raises(ProtocolError, match="cannot be laid over each other: TopologyException"):
        intersection_areas(Shapes([SLANTED]), Shapes([OTHER]), ONE)


scales = st.sampled_from([1e-9, 1e-3, 1.0, 1e3, 1e7])


@st.composite
def outlines(draw, most=30):
    """Stars, zigzags, spirals, points at random, on a line and repeated, of any size."""
    n, scale = draw(st.integers(3, most)), draw(scales)
    kind = draw(st.sampled_from(["star", "zigzag", "spiral", "random", "line", "repeated"]))
    if kind == "star":
        step = draw(st.integers(1, n))
        angles = [2 * math.pi * step * at / n for at in range(n)]
        points = [(math.cos(angle), math.sin(angle)) for angle in angles]
    elif kind == "zigzag":
        points = [(at / n, at % 2) for at in range(n)]
    elif kind == "spiral":
        points = [(at * math.cos(at), at * math.sin(at)) for at in range(n)]
    else:
        numbers = st.floats(-1, 1) if kind == "random" else st.integers(-3, 3)
        points = draw(st.lists(st.tuples(numbers, numbers), min_size=n, max_size=n))
        if kind == "line":
            points = [(x, 2 * x) for x, _ in points]
    return Region(tuple(scale * value for point in points for value in point), text="word")


# Repairing a star takes a tenth of a second.
FEW = settings(max_examples=max(5, settings.default.max_examples // 10))


@FEW
@given(st.lists(outlines(), min_size=1, max_size=3))
def test_no_outline_stops_a_reader(truth):
    lines = "".join(",".join(map(repr, region.points)) + ",word\r\n" for region in truth)
    read_archive(io.BytesIO(zip_bytes({"gt_1.txt": lines})), kind="truth")


@FEW
@given(st.lists(outlines(9), min_size=1, max_size=2), st.lists(outlines(9), max_size=2))
def test_no_outline_stops_a_protocol(truth, found):
    sure = [replace(region, confidence=0.5) for region in found]
    scene = Scene((*truth, replace(truth[0], ignored=True)), tuple(sure), "a", 100, 100)
    for slug in registry.PROTOCOLS:
        [score] = registry.get(slug).score([scene])
        for figure in (score.recall, score.precision, score.f_score):
            assert figure is None or 0 <= figure <= 1


@cases("largest", [1.1e9, 1e200, 1e308])
def test_coordinates_that_no_file_may_have_are_refused_in_arrays(largest):
    with pytest.raises(ProtocolError, match=r"truth, image 'a', regions\[0\] needs numbers up to"):
        tr.score({"a": [[0, 0, largest, 9]]}, {"a": []}, "iou")
