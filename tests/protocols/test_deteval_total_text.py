"""DetEval on polygons as Total-Text has it: by hand, and by a second computation with tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region
from tests.support.cases import cases
from tests.support.reading import scenes_of
from tests.support.total_text import total_text_tally

LENIENT = {"min_area_recall": 0.8, "min_area_precision": 0.4}
ONE_SIDED = {"unique_on": "truth"}


def box(left, top, right, bottom, **fields):
    return Region.from_box(left, top, right, bottom, **fields)


def scored(truth, detections, **parameters):
    protocol = registry.get("deteval-total-text", parameters)
    [score] = protocol.score([Scene(tuple(truth), tuple(detections))])
    return score


def test_a_one_to_one_detection_covers_no_other_truth():
    """Two truths and one detection: with a single truth every column has at most one entry.

    T1 is 70 wide, T2 25, D1 covers both: sigma is 1 and 1, tau 70/95 = 0.74 and 25/95 = 0.26. The row
    of T1 has one sigma above 0.7 and one tau above 0.6, but the column of sigma has two: D1 is a merge
    with 2 * 0.8 of 2 truths and 0.8 of 1 detection. By the row alone T1 is one-to-one with D1, and
    nothing is left for T2.
    """
    words, over_both = [box(0, 0, 70, 20), box(70, 0, 95, 20)], [box(0, 0, 95, 20)]
    today = scored(words, over_both)
    assert [(match.kind, match.truth) for match in today.matches] == [("merge", (0, 1))]
    assert (today.recall, today.precision) == (pytest.approx(0.8), pytest.approx(0.8))
    first = scored(words, over_both, **ONE_SIDED)
    assert [(match.kind, match.truth) for match in first.matches] == [("one-to-one", (0,))]
    assert (first.recall, first.precision) == (0.5, 1.0)


def test_the_detection_on_a_one_to_one_truth_is_on_no_other_truth():
    """T1 from 0 to 100, T2 from 60 to 300, D1 from 0 to 200, D2 from 60 to 100; all are 20 high.

    Sigma of T1 is 1 and 0.4, of T2 140/240 = 0.58 and 40/240 = 0.17: D1 is alone in row and column.
    Tau of T1 is 0.5 and 1, of T2 140/200 = 0.7 and 1: the row of T1 has D2 alone, the column of D2 has
    T1 and T2. So T1 is not one-to-one, and T2 is a split of both (0.58 + 0.17 = 0.75). By the rows
    alone T1 is one-to-one with D1, and D2 has too little of T2.
    """
    words = [box(0, 0, 100, 20), box(60, 0, 300, 20)]
    found = [box(0, 0, 200, 20), box(60, 0, 100, 20)]
    today = scored(words, found)
    assert [(match.kind, match.truth) for match in today.matches] == [("split", (1,))]
    assert (today.recall, today.precision) == (pytest.approx(0.4), pytest.approx(0.8))
    first = scored(words, found, **ONE_SIDED)
    assert [(of.kind, of.truth, of.detections) for of in first.matches] == [
        ("one-to-one", (0,), (0,))
    ]
    assert (first.recall, first.precision) == (0.5, 0.5)


def test_the_one_sided_rule_is_a_variant():
    assert registry.get("deteval-total-text:one-sided").unique_on == "truth"
    assert registry.get("deteval-total-text").unique_on == "both"


def test_shares_are_rounded_before_they_are_compared():
    """Covered is 0.696, as hundredths 0.70, which is not above 0.7; 0.706 is 0.71."""
    word = [box(0, 0, 1000, 10)]
    assert scored(word, [box(0, 0, 696, 10)]).recall == 0
    assert scored(word, [box(0, 0, 704, 10)]).recall == 0
    assert scored(word, [box(0, 0, 706, 10)]).recall == 1


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
    score = scored(twice, [box(0, 0, 100, 20)], **ONE_SIDED)
    assert (score.recall, score.precision, score.tally.precise) == (1.0, 1.0, 2.0)
    assert registry.get("deteval-total-text:one-sided").overall([score]).precision == 1.0


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


@given(scene=scenes, thresholds=st.sampled_from([{}, LENIENT]), one_sided=st.booleans())
def test_the_tables_of_a_second_computation_give_the_same(scene, thresholds, one_sided):
    tr, tp = thresholds.values() if thresholds else (0.7, 0.6)
    rule = ONE_SIDED if one_sided else {}
    tally = scored(scene.truth, scene.detections, **thresholds, **rule).tally
    ours = (tally.recalled, tally.n_truth, tally.precise, tally.n_detections)
    assert ours == pytest.approx(total_text_tally(scene, tr, tp, one_sided=one_sided))


@pytest.mark.release
@cases("slug", ["deteval-total-text", "deteval-total-text:one-sided"])
def test_curved_text_scores_as_in_the_second_computation(slug):
    """Every fifth image of CTW1500, whose words have fourteen points."""
    protocol = registry.get(slug)
    some = scenes_of("ctw1500", "ctd")[::5]
    for scene, score in zip(some, protocol.score(some), strict=True):
        tally = total_text_tally(scene, 0.7, 0.6, one_sided=slug.endswith("one-sided"))
        recalled, n_truth, precise, n_found = tally
        assert score.recall == pytest.approx(recalled / n_truth), scene.name
        assert score.precision == pytest.approx(precise / n_found if n_found else 0), scene.name
