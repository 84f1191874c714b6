"""DetEval on polygons as Total-Text has it: by hand, and beside a second computation by tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region
from tests.support.reading import scenes_of
from tests.support.total_text import total_text_tally

LENIENT = {"min_area_recall": 0.8, "min_area_precision": 0.4}


def box(left, top, right, bottom, **fields):
    return Region.from_box(left, top, right, bottom, **fields)


def scored(truth, detections, **parameters):
    protocol = registry.get("deteval-total-text", parameters)
    [score] = protocol.score([Scene(tuple(truth), tuple(detections))])
    return score


def test_two_words_under_one_box_are_a_merge_with_the_first_thresholds_only():
    """Two words of 100 x 20, 10 apart: tau = 2000 / 4200 = 0.48 each, together 0.96."""
    words = [box(0, 0, 100, 20), box(110, 0, 210, 20)]
    over_both = [box(0, 0, 210, 20)]
    merged = scored(words, over_both)
    assert merged.matches[0].kind == "merge"
    assert (merged.recall, merged.precision) == (pytest.approx(0.8), pytest.approx(0.8))
    # With 0.4 each tau is enough alone, and the box the only one that covers: twice one-to-one.
    alone = scored(words, over_both, **LENIENT)
    assert [match.kind for match in alone.matches] == ["one-to-one", "one-to-one"]
    assert (alone.recall, alone.precision) == (1.0, 1.0)


def test_shares_are_rounded_before_they_are_compared():
    """Covered is 0.696, as hundredths 0.70, which is not above 0.7; 0.706 is 0.71."""
    word = [box(0, 0, 1000, 10)]
    assert scored(word, [box(0, 0, 696, 10)]).recall == 0
    assert scored(word, [box(0, 0, 704, 10)]).recall == 0
    assert scored(word, [box(0, 0, 706, 10)]).recall == 1


def test_what_covers_a_truth_need_not_be_what_lies_on_it():
    """D1 covers T1 but is three times as large, D2 lies on T1 but covers a half: one-to-one with D1."""
    score = scored([box(0, 0, 100, 20)], [box(0, 0, 300, 20), box(0, 0, 50, 20)])
    assert [(match.kind, match.detections) for match in score.matches] == [("one-to-one", (0,))]
    assert (score.recall, score.precision) == (1.0, 0.5)


def test_a_detection_is_ignored_by_more_than_half_of_its_area_and_one_pixel():
    """1001 of 2000 + 1 is more than a half, 1000 of 2001 less."""
    ignored = box(0, 0, 1000, 1, ignored=True, text="###")
    wider = box(0, 0, 1001, 1, ignored=True, text="###")
    found = [box(0, 0, 2000, 1)]
    assert scored([ignored], found).tally.n_detections == 1
    assert scored([wider], found).tally.n_detections == 0


def test_polygons_are_measured_not_their_boxes():
    """A diagonal bar of a quarter of its box, and the box: for DETEVAL the same, here tau is 0.25."""
    bar = Region((0, 0, 25, 0, 100, 75, 100, 100, 75, 100, 0, 25))
    whole = box(0, 0, 100, 100)
    # Two triangles of 75 x 75 / 2 are missing from 10000.
    assert scored([bar], [whole], min_area_precision=0.43).recall == 1
    assert scored([bar], [whole], min_area_precision=0.44).recall == 0
    [by_boxes] = registry.get("deteval").score([Scene((bar,), (whole,))])
    assert by_boxes.recall == 1


def test_precision_is_at_most_one_where_truths_lie_on_each_other():
    twice = [box(0, 0, 100, 20)] * 2
    score = scored(twice, [box(0, 0, 100, 20)])
    assert (score.recall, score.precision, score.tally.precise) == (1.0, 1.0, 2.0)
    assert registry.get("deteval-total-text").overall([score]).precision == 1.0


whole = st.integers(0, 60)
shapes = st.one_of(
    st.builds(lambda x, y, w, h: box(x, y, x + w, y + h), whole, whole, whole, st.integers(1, 30)),
    st.lists(st.tuples(whole, whole), min_size=3, max_size=7).map(
        lambda points: Region(tuple(float(value) for point in points for value in point))
    ),
)
scenes = st.builds(
    lambda truth, ignored, found: Scene(
        (
            *truth,
            *(Region(region.points, text="###", ignored=True) for region in ignored),
        ),
        tuple(found),
    ),
    st.lists(shapes, max_size=6),
    st.lists(shapes, max_size=1),
    st.lists(shapes, max_size=6),
)


@given(scene=scenes, thresholds=st.sampled_from([{}, LENIENT]))
def test_the_tables_of_a_second_computation_give_the_same(scene, thresholds):
    tr, tp = thresholds.values() if thresholds else (0.7, 0.6)
    score = scored(scene.truth, scene.detections, **thresholds)
    tally = score.tally
    ours = (tally.recalled, tally.n_truth, tally.precise, tally.n_detections)
    assert ours == pytest.approx(total_text_tally(scene, tr, tp))


def test_curved_text_scores_as_in_the_second_computation():
    """Every fifth image of CTW1500, whose words have fourteen points."""
    protocol = registry.get("deteval-total-text")
    some = scenes_of("ctw1500", "ctd")[::5]
    for scene, score in zip(some, protocol.score(some), strict=True):
        recalled, n_truth, precise, n_found = total_text_tally(scene, 0.7, 0.6)
        assert score.recall == pytest.approx(recalled / n_truth), scene.name
        assert score.precision == pytest.approx(precise / n_found if n_found else 0), scene.name
