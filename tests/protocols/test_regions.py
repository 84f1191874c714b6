"""Regions, their codec and their canonical form."""

import json
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocols.core.errors import RegionError
from protocols.core.regions import Region, canonical_bytes, decode_regions, encode_regions
from tests.support.cases import cases

numbers = st.integers(-1000, 1000) | st.floats(-1e6, 1e6)
regions = st.builds(
    Region,
    st.lists(numbers, min_size=3, max_size=6).map(
        lambda xs: tuple(v for x in xs for v in (x, x / 2))
    ),
    text=st.none() | st.text(max_size=5),
    confidence=st.none() | st.floats(0, 1),
    ignored=st.booleans(),
    label=st.none() | st.text(max_size=5),
)


@given(st.lists(regions, max_size=4))
def test_what_is_encoded_decodes_to_itself_through_json(drawn):
    assert decode_regions(json.loads(json.dumps(encode_regions(drawn)))) == tuple(drawn)


@cases(
    "points",
    [(), (0, 0, 1, 1), (0, 0, 1, 1, 2), (0, 0, 1, 1, 2, float("nan")), (0,) * 5 + (float("inf"),)],
)
def test_what_is_no_region_is_refused(points):
    with pytest.raises(RegionError):
        Region(points)


@cases(
    "damaged",
    [
        None,
        [],
        {},
        {"version": 2, "regions": []},
        {"version": 1},
        {"version": 1, "regions": [{}]},
        {"version": 1, "regions": [{"points": [1]}]},
        {"version": 1, "regions": 3},
    ],
)
def test_damaged_regions_are_refused(damaged):
    with pytest.raises(RegionError):
        decode_regions(damaged)


@given(st.lists(regions, max_size=4), st.integers(0, 99))
@example([Region((0, 0.0, 0, 0.0, -0.0, -0.0))], 0)
def test_sets_that_look_alike_have_one_canonical_form(drawn, seed):
    rng = random.Random(seed)

    def redrawn(region):
        ring = list(zip(region.points[::2], region.points[1::2], strict=True))
        start = rng.randrange(len(ring))
        ring = ring[start:] + ring[:start]
        if rng.random() < 0.5:
            ring.reverse()
        return Region(tuple(v for corner in ring for v in corner), text="other", confidence=0.1)

    again = [redrawn(region) for region in drawn]
    rng.shuffle(again)
    assert canonical_bytes(again) == canonical_bytes(drawn)


def test_sets_that_look_different_have_different_forms():
    box = Region.from_box(0, 0, 10, 10)
    forms = [
        canonical_bytes(drawn)
        for drawn in (
            [],
            [box],
            [box, box],
            [Region.from_box(0, 0, 10, 11)],
            [Region((0, 0, 10, 0, 10, 10))],
        )
    ]
    assert len(set(forms)) == len(forms)


@cases(
    ("points", "expected"),
    [
        ((0, 0, 9, 0, 9, 9, 0, 9), True),
        ((0, 0, 0, 9, 9, 9, 9, 0), True),
        ((0, 0, 9, 0, 9, 9, 1, 9), False),
        ((5, 0, 10, 5, 5, 10, 0, 5), False),
        ((0, 0, 9, 0, 9, 9), False),
        ((0, 0, 9, 9, 9, 0, 0, 9), False),
    ],
)
def test_upright_rectangles_are_told(points, expected):
    assert Region(points).is_rectangle is expected
