"""Each protocol compared with its plain version: loops over all pairs of one image, written independently."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region
from tests.support.cases import cases
from tests.support.plain import PLAIN, leaning
from tests.support.reading import scenes_of
from tests.support.shared import shared_path

SLUGS = list(PLAIN)
EVALTEX = [slug for slug in SLUGS if slug.startswith("evaltex")]
# Shares are added before they are compared.
ADDS_SHARES = ("icdar13", "deteval", "tedeval", "cleval")
EVERY = 10
# CLEval has its shares in single precision.
BOUND, SAME, SINGLE = 1e-6, 1e-9, 1e-6
# Two result sets of each dataset: one like the ground truth, and one with many splits or merges.
METHODS = {
    "icdar2013": ("east-argman", "ccswt-jan10"),
    "icdar2015": ("pixellink", "fcn-blocks"),
    "ctw1500": ("ctd",),
    "clova-doc": ("example",),
}
REFERENCES = [
    (data, slug, method)
    for data in ("icdar2013", "icdar2015")
    for slug in SLUGS
    for method in METHODS[data]
] + [("ctw1500", "tiou", "ctd"), ("clova-doc", "cleval", "example")]


@pytest.mark.release
@cases(("data", "slug", "method"), REFERENCES)
def test_the_plain_version_scores_as_the_official_tool_does(data, slug, method):
    boxes = data == "icdar2015" and slug in ("icdar13", "deteval")
    name = f"{data}{'-aabb' if boxes else ''}.{slug}.json"
    reference = json.loads(shared_path("reference", "protocols", name).read_text())
    expected = reference["methods"][method]["images"]
    for scene in scenes_of(data, method, boxes=boxes)[::EVERY]:
        figures = PLAIN[slug](scene.truth, scene.detections)
        assert figures == pytest.approx(expected[scene.name][:2], abs=BOUND), scene.name


coordinates = st.integers(0, 40)
boxes = st.builds(
    lambda left, top, width, height: Region.from_box(left, top, left + width, top + height),
    coordinates,
    coordinates,
    st.integers(1, 40),
    st.integers(1, 20),
)


def turned(x, y, a, b, length, height, start):
    """A rectangle along (a, b): its corners clockwise on screen, the first one any of them."""
    across, down = (a * length, b * length), (-b * height, a * height)
    corners = [
        (x, y),
        (x + across[0], y + across[1]),
        (x + across[0] + down[0], y + across[1] + down[1]),
        (x + down[0], y + down[1]),
    ]
    return Region(tuple(float(v) for corner in corners[start:] + corners[:start] for v in corner))


def bent(box, moves):
    """A box of at least 8 x 8 with each corner moved by at most 3 each way: it stays convex or nearly."""
    left, top, right, bottom = box.box
    whole = Region.from_box(left, top, max(right, left + 8), max(bottom, top + 8))
    return Region(tuple(v + move for v, move in zip(whole.points, moves, strict=True)))


quadrilaterals = st.one_of(
    st.builds(
        turned,
        coordinates,
        coordinates,
        st.integers(1, 4),
        st.integers(-4, 4),
        st.integers(1, 8),
        st.integers(1, 6),
        st.integers(0, 3),
    ),
    st.builds(bent, boxes, st.lists(st.integers(-3, 3), min_size=8, max_size=8)),
)


def moved(region, right, down):
    by = (right, down) * region.n_points
    return Region(tuple(v + d for v, d in zip(region.points, by, strict=True)))


@st.composite
def images(draw, least_letters=0, parents=(None,)):
    """An image: boxes or quadrilaterals; detections are anything, or truths again or moved a little."""
    shapes = draw(st.sampled_from([boxes, quadrilaterals, st.one_of(boxes, quadrilaterals)]))
    shown = draw(st.lists(shapes, max_size=5))
    letters = st.text("abc", min_size=least_letters, max_size=8)
    truth = []
    for region in shown + draw(
        st.lists(st.sampled_from(shown), max_size=1) if shown else st.just([])
    ):
        ignored = draw(st.integers(0, 3)) == 0
        text = "###" if ignored else draw(letters)
        truth.append(
            Region(region.points, text=text, ignored=ignored, parent=draw(st.sampled_from(parents)))
        )
    detection = shapes
    if shown:
        steps = st.integers(-4, 4)
        again = st.sampled_from(shown)
        # Adjacent: the left edge of one is the right edge of the other.
        beside = again.map(lambda region: moved(region, region.box[2] - region.box[0], 0))
        detection = st.one_of(shapes, again, st.builds(moved, again, steps, steps), beside)
    detections = draw(
        st.one_of(st.none(), st.lists(detection, max_size=6), st.lists(detection, max_size=6))
    )
    return tuple(truth), detections if detections is None else tuple(detections)


WORD = Region.from_box(0, 0, 99, 39, text="word")
NEXT = Region.from_box(110, 0, 209, 39, text="next")
SOME = Region((0, 60, 50, 70, 45, 95, 0, 85), text="###", ignored=True)


def scored_among_others(slug, scene):
    """The scores of a scene in the middle of a result set."""
    others = Scene((WORD, NEXT, SOME), (WORD, NEXT, SOME)), Scene((), (WORD,))
    scored = registry.get(slug).score([others[0], scene, others[1], Scene((WORD,), None)])[1]
    return scored.recall, scored.precision


def image_for(slug):
    # The published TedEval cannot read a word without letters.
    return images(least_letters=1 if slug == "tedeval" else 0)


def disagreement(slug, scene):
    """Return both versions' scores if they differ, or None if they agree.

    Where a share or an angle equals its limit but for rounding, either answer is right. The areas of
    boxes are whole numbers, so that only sums of their shares are rounded.
    """
    lines = [scene.parents] if slug in EVALTEX else []

    def plain(of_shares=1.0, of_angles=1.0):
        with leaning(of_shares, of_angles):
            return PLAIN[slug](scene.truth, scene.detections, *lines)

    scored, expected = scored_among_others(slug, scene), plain()
    if scored == pytest.approx(expected, abs=SAME):
        return None
    regions = [*scene.truth, *(scene.detections or ()), *scene.parents.values()]
    is_exact = slug not in ADDS_SHARES and all(region.is_rectangle for region in regions)
    rounding = SINGLE if slug == "cleval" else SAME
    either_way = (1 - rounding, 1 + rounding)
    leaned = [plain(*by) for by in product(either_way, either_way)]
    if not is_exact and any(leaned[0] != pytest.approx(other, abs=1e-5) for other in leaned):
        return None
    return scored, expected


@pytest.mark.parametrize("slug", SLUGS)
@given(data=st.data())
def test_a_protocol_scores_as_its_plain_version_does(slug, data):
    truth, detections = data.draw(image_for(slug))
    assert disagreement(slug, Scene(truth, detections)) is None


@pytest.mark.parametrize("slug", EVALTEX)
@given(
    image=images(parents=(None, "first", "second")),
    lines=st.dictionaries(st.sampled_from(["first", "second"]), boxes),
)
def test_evaltex_scores_as_its_plain_version_does_with_lines_given(slug, image, lines):
    truth, detections = image
    assert disagreement(slug, Scene(truth, detections, parents=lines)) is None


def test_a_piece_of_a_counted_word_lies_in_no_ignored_region():
    """Without a grid the polygon library finds 260 one way round and 0 the other."""
    ignored = Region((10, 43, -14, 49, -24, 9, 0, 3), text="###", ignored=True)
    whole = Region((-12, 23, 6, 11, 26, 41, 8, 53), text="abcd")
    middle = Region((-6, 19, 0, 15, 20, 45, 14, 49))
    assert PLAIN["cleval"]((ignored, whole), (middle,)) == (0.5, 1.0)
    assert disagreement("cleval", Scene((ignored, whole), (middle,))) is None
