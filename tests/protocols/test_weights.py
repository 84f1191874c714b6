"""Parameters that many protocols share: what a region weighs, and the precision of finding nothing."""

from dataclasses import replace

import pytest
from hypothesis import given

from protocols import registry
from protocols.core.base import Scene
from protocols.core.credits import n_characters
from protocols.core.regions import Region
from tests.support.cases import cases
from tests.support.scenes import CREDITED, FAR, WORD, changed, close, figures, scenes, score


@pytest.mark.parametrize("slug", CREDITED)
@given(scene=scenes)
def test_weights_change_nothing_where_all_regions_weigh_the_same(slug, scene):
    def alike(region):
        left, top, _, _ = region.box
        corners = Region.from_box(left, top, left + 30, top + 20).points
        return replace(region, points=corners, text="###" if region.ignored else "abc")

    scene = changed(scene, alike)
    published = score(slug, scene)
    for weight in ("area", "characters"):
        assert close(figures(score(slug, scene, weight=weight)), figures(published))


@cases("slug", CREDITED)
def test_a_found_headline_outweighs_a_missed_footnote(slug):
    """One word of 100 x 40 found, one of 25 x 10 missed: 1/2 of the words, 16/17 of the area;
    7 of 9 characters.
    """
    headline = Region.from_box(0, 0, 99, 39, text="HEADING")
    footnote = Region.from_box(0, 100, 24, 109, text="re")
    scene = Scene((headline, footnote), (headline,))
    area = (99 * 39) / (99 * 39 + 24 * 9)
    for weight, expected in (("regions", 0.5), ("area", area), ("characters", 7 / 9)):
        scored = score(slug, scene, weight=weight)
        # In histograms a missed word is worth one bin.
        expected += 0.01 * (1 - expected) if slug.startswith("evaltex-emd") else 0
        assert scored.recall == pytest.approx(expected)
        # HierText's program adds 0.00001 to the areas that it divides by.
        least = 1e-8 if slug == "panoptic-quality" else 0
        assert scored.precision == pytest.approx(1, abs=least, rel=0)
        overall = registry.get(slug, {"weight": weight}).overall([scored, scored])
        assert overall.recall == pytest.approx(expected)


@cases("slug", CREDITED)
def test_a_large_false_positive_can_weigh_more_than_a_small_one(slug):
    small, large = Region.from_box(500, 500, 510, 505), Region.from_box(500, 500, 900, 700)
    by_area = [
        score(slug, Scene((WORD,), (WORD, wrong)), weight="area").precision
        for wrong in (small, large)
    ]
    published = [score(slug, Scene((WORD,), (WORD, wrong))).precision for wrong in (small, large)]
    assert published[0] == published[1]
    assert by_area[0] > 0.9
    assert by_area[1] < 0.1


@cases("slug", CREDITED)
@cases(("choice", "expected"), [("zero", 0.0), ("one", 1.0), ("undefined", None)])
def test_the_precision_of_finding_nothing_can_be_chosen(slug, choice, expected):
    protocol = registry.get(slug, {"empty_precision": choice})
    scores = protocol.score([Scene((WORD,), ()), Scene((WORD,), (FAR,)), Scene((), ())])
    assert scores[0].precision == expected
    assert (scores[0].f_score is None) == (expected is None)
    published = registry.get(slug).score([Scene((WORD,), (FAR,)), Scene((), ())])
    assert figures(scores[1]) == figures(published[0]), "wrong detections are not nothing"
    assert figures(scores[2]) == figures(published[1]), (
        "with nothing to find nothing is as published"
    )
    assert protocol.overall(scores[:1]).precision == expected
    assert protocol.overall(scores[:2]).n_undefined == (expected is None)


def test_a_word_without_text_has_as_many_characters_as_square_letters_fit():
    """100 by 40 px: a ratio of 2.5, rounded from 3; at least one and at most ten."""
    assert n_characters(Region.from_box(30, 10, 130, 50)) == 3
    assert n_characters(Region.from_box(30, 10, 70, 110, text="exit")) == 4
    assert n_characters(Region.from_box(30, 10, 930, 20)) == 10
    assert n_characters(Region.from_box(30, 10, 30, 10)) == 1
