"""Rules that hold for every protocol at the edges: empty sides, exact and repeated detections, odd shapes."""

from dataclasses import replace

import pytest

from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region
from tests.support.empty_sides import EMPTY, SIDES
from tests.support.new_protocol import WITHOUT_EMPTY_SIDES
from tests.support.scenes import NEXT, SLUGS, WORD, figures, score


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in WITHOUT_EMPTY_SIDES])
@pytest.mark.parametrize("case", SIDES)
def test_what_each_gives_where_a_side_is_empty(slug, case):
    if case not in EMPTY.get(slug, {}):
        pytest.fail(f"EMPTY in tests/support/empty_sides.py does not say it for {slug}")
    expected = EMPTY[slug][case]
    scored = score(slug, Scene(*SIDES[case]))
    if expected is None:
        assert scored.recall > 0, "a sentinel sees detections, whatever the truth"
    else:
        assert figures(scored) == pytest.approx(expected, abs=1e-12)


def test_a_method_without_votes_has_no_precision_unless_one_is_chosen():
    scene = Scene((WORD,), (), width=400, height=300)
    assert figures(score("no-ground-truth", scene)) == (0, 0, 0)
    undefined = score("no-ground-truth", scene, empty_precision="undefined")
    assert figures(undefined) == (0, None, None)


@pytest.mark.parametrize("slug", SLUGS)
def test_an_exact_detection_is_perfect(slug):
    words = tuple(replace(word, confidence=0.9) for word in (WORD, NEXT))
    scored = score(slug, Scene((WORD, NEXT), words, width=400, height=300))
    if registry.is_sentinel(slug):
        assert 0 < scored.f_score < 1
    elif slug == "no-ground-truth":
        # One method and two virtual ones: everything it marks has two of three votes.
        assert scored.precision == pytest.approx(2 / 3)
    else:
        # HierText's program adds 0.00001 to the areas that it divides by.
        least = 1e-8 if slug == "panoptic-quality" else 0
        assert figures(scored) == pytest.approx((1, 1, 1), abs=least, rel=0)


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize(
    "odd",
    [
        Region((0, 0, 100, 100, 100, 0, 0, 100), text="bow tie"),
        Region.from_box(5, 5, 5, 5, text="point"),
        Region((0, 0, 10, 10, 20, 20), text="line"),
        Region.from_box(-(10**9), -(10**9), 10**9, 10**9, text="huge"),
        Region((0, 0, 1e9, 1, 2e9, 0, 1e9, -1), text="needle"),
        Region((0.5, 0.5, 99.5, 0.5, 99.5, 39.5, 0.5, 39.5), text="half pixels"),
        Region((0, 0, 50, 10, 100, 0, 100, 40, 50, 50, 0, 40), text="curved"),
        Region((0, 0, 50, 10, 100, 0, 100, 40, 0, 40), text="five points"),
        Region((0, 0, 100, 0, 50, 40), text="triangle"),
        Region((0, 0, 80, 0, 80, 40, 40, 5), text="dented"),
        Region.from_mask(3, 4, ["0110", "1111"], text="mask"),
        Region.from_box(0, 0, 1e-9, 1e-9, text="speck"),
        Region.from_box(0, 0, 100, 40, text=""),
        Region.from_box(0, 0, 100, 40),
    ],
    ids=lambda region: region.text or f"text {region.text!r}",
)
def test_odd_shapes_stop_nothing(slug, odd):
    for truth, detections in (
        ([odd], [odd]),
        ([WORD], [odd]),
        ([odd, WORD], [WORD, odd, odd]),
        ([replace(odd, ignored=True), WORD], [odd, NEXT]),
    ):
        scored = score(slug, Scene(tuple(truth), tuple(detections)))
        assert all(value is None or 0 <= value <= 1 for value in figures(scored))


@pytest.mark.parametrize("slug", SLUGS)
def test_twenty_copies_of_a_detection_are_no_better_than_one(slug):
    if slug in ("count", "total-area", "no-ground-truth", "table-structure"):
        pytest.skip("looks at no truth, counts copies once, or needs cells")
    single = score(slug, Scene((WORD, NEXT), (WORD,)))
    many = score(slug, Scene((WORD, NEXT), (WORD,) * 20))
    assert many.recall <= single.recall
    assert many.f_score <= single.f_score
