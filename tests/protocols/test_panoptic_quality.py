"""Panoptic quality of words and lines, compared with plain loops over polygons and over pixels."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region
from tests.support.plain_iou import plain_iou, plain_share, polygon

boxes = st.builds(
    lambda left, top, width, height: Region.from_box(left, top, left + width, top + height),
    st.integers(0, 6),
    st.integers(0, 3),
    st.integers(5, 12),
    st.integers(4, 8),
)
slanted = st.builds(
    lambda x, y, a, b: Region(
        tuple(map(float, (x, y + b, x + a, y, x + a + 2, y + 5, x + 2, y + b + 6)))
    ),
    st.integers(0, 5),
    st.integers(0, 3),
    st.integers(6, 10),
    st.integers(1, 3),
)
words = st.lists(
    st.builds(
        lambda region, ignored, parent: replace(region, ignored=ignored, parent=parent),
        boxes | slanted,
        st.booleans(),
        st.sampled_from([None, "1", "2"]),
    ),
    max_size=4,
)


def score(truth, found, slug="panoptic-quality", **scene):
    [scored] = registry.get(slug).score([Scene(tuple(truth), tuple(found), **scene)])
    return scored


def figures(scored):
    return scored.recall, scored.precision, scored.f_score


def quality(ious, n_truth, n_found):
    """Tightness times the F-score that counts each match once, as published."""
    recall = len(ious) / n_truth if n_truth else 1.0
    precision = len(ious) / n_found if n_found else 1.0
    tightness = sum(ious) / len(ious) if ious else 1.0
    below = recall + precision
    return tightness * (2 * recall * precision / below if below else 0.0)


def mutual(iou):
    """The IoU of the pairs above one half that are each other's best, by a table of all."""
    if not iou.size:
        return []
    return [
        iou[i, j]
        for i in range(len(iou))
        for j in [int(np.argmax(iou[i]))]
        if iou[i, j] > 0.5 and int(np.argmax(iou[:, j])) == i
    ]


def mutually(regions):
    return [replace(region, ignored=False) for region in regions]


@given(truth=words, found=words.map(mutually))
def test_the_f_score_is_the_panoptic_quality_of_plain_loops(truth, found):
    counted = [region for region in truth if not region.ignored]
    left = [d for d in found if not any(t.ignored and plain_share(d, t) > 0.5 for t in truth)]
    # Rounded, so that equal areas of different corners are equal; the first of equals counts.
    iou = np.array([[round(plain_iou(t, d), 12) for d in left] for t in counted])
    expected = quality(mutual(iou.reshape(len(counted), len(left))), len(counted), len(left))
    assert score(truth, found).f_score == pytest.approx(expected, abs=1e-9)


def mask(members, width=20, height=16):
    """Pixel by pixel: set if its point is in a word of the line or on its outline."""
    return np.array(
        [
            [any(polygon(w).intersects(shapely.Point(x, y)) for w in members) for x in range(width)]
            for y in range(height)
        ]
    )


def lines_of(regions):
    lines = {}
    for at, region in enumerate(regions):
        lines.setdefault(region.parent or at, []).append(region)
    return list(lines.values())


@given(truth=words, found=words.map(mutually))
def test_lines_are_compared_pixel_by_pixel(truth, found):
    truth_lines, found_lines = lines_of(truth), lines_of(found)
    ignored = [mask(line) for line in truth_lines if all(word.ignored for word in line)]
    counted = [mask(line) for line in truth_lines if not all(word.ignored for word in line)]
    left = [
        m
        for m in map(mask, found_lines)
        if not any((m & other).sum() / m.sum() > 0.5 for other in ignored)
    ]
    iou = np.array([[(t & d).sum() / (t | d).sum() for d in left] for t in counted])
    expected = quality(mutual(iou.reshape(len(counted), len(left))), len(counted), len(left))
    scored = score(truth, found, "panoptic-quality:lines", width=20, height=16)
    assert scored.f_score == pytest.approx(expected, abs=1e-9)
    named = {w for m in scored.matches for w in m.truth}
    named |= {one.index for one in scored.unmatched if one.side == "truth"}
    assert named == set(range(len(truth))), "every word is matched with its line, or has a reason"


def test_a_match_is_worth_its_iou():
    """One word found to 80 of 100 columns, one missed, one false positive: 0.8 / 2 on both sides."""
    word, missed = Region.from_box(0, 0, 100, 10), Region.from_box(0, 50, 100, 60)
    found = [Region.from_box(0, 0, 80, 10), Region.from_box(300, 0, 400, 10)]
    scored = score([word, missed], found)
    assert figures(scored) == pytest.approx((0.4, 0.4, 0.4))
    assert scored.indicators["tightness"] == pytest.approx(0.8)
    assert scored.indicators["counted_f_score"] == pytest.approx(0.5)


def test_only_regions_that_are_each_others_best_match():
    """T2 meets D1 well, 80 / 100, but D1 fits T1 better; T2 goes without."""
    truth = [Region.from_box(0, 0, 90, 10), Region.from_box(0, 0, 100, 10)]
    found = [Region.from_box(0, 0, 80, 10)]
    scored = score(truth, found)
    assert [(m.truth, m.detections) for m in scored.matches] == [((0,), (0,))]
    assert score([truth[1]], found).recall == pytest.approx(0.8)


def test_exactly_half_is_not_enough():
    """The published program adds 0.00001 to what it divides by, and asks for one half or more."""
    assert score([Region.from_box(0, 0, 10, 10)], [Region.from_box(0, 0, 10, 5)]).recall == 0


def test_a_line_of_two_words_may_be_found_as_one():
    """Two words of 11 x 11 points with a gap of 9 columns; one detection over all 31 x 11 points."""
    truth = [
        Region.from_box(0, 0, 10, 10, parent="1"),
        Region.from_box(20, 0, 30, 10, parent="1"),
    ]
    scored = score(truth, [Region.from_box(0, 0, 30, 10)], "panoptic-quality:lines")
    assert scored.recall == pytest.approx(22 / 31)
    assert scored.matches[0].truth == (0, 1)
    assert scored.matches[0].kind == "many-to-many"
    assert score(truth, [Region.from_box(0, 0, 30, 10)]).recall == 0


def test_a_line_is_ignored_if_its_parent_is():
    word = Region.from_box(0, 0, 10, 10, parent="1")
    parents = {"1": replace(word, ignored=True, parent=None)}
    scored = score([word], [word], "panoptic-quality:lines", parents=parents)
    assert figures(scored) == (1, 1, 1)
    assert scored.matches == ()


def test_what_lies_outside_its_image_has_no_pixel():
    word = Region.from_box(50, 0, 60, 10)
    scored = score([word], [word], "panoptic-quality:lines", width=40, height=30)
    assert figures(scored) == (0, 0, 0)


def test_end_to_end_asks_for_the_same_text():
    word = Region.from_box(0, 0, 10, 10, text="Word")
    right, wrong = word, replace(word, text="word")
    assert score([word], [right], "panoptic-quality:end-to-end").recall == 1
    assert score([word], [wrong], "panoptic-quality:end-to-end").recall == 0
    assert score([word], [replace(word, text=None)], "panoptic-quality:end-to-end").recall == 0


def test_a_whole_set_adds_up_what_matches_are_worth():
    """IoU 0.8 and 1 of three truths and two detections: R = 0.6, P = 0.9, PQ = 0.72."""
    word = Region.from_box(0, 0, 100, 10)
    protocol = registry.get("panoptic-quality")
    scores = protocol.score(
        [
            Scene((word,), (Region.from_box(0, 0, 80, 10),)),
            Scene((word, Region.from_box(0, 50, 100, 60)), (word,)),
        ]
    )
    overall = protocol.overall(scores)
    assert figures(overall) == pytest.approx((0.6, 0.9, 0.72))
    assert overall.indicators["tightness"] == pytest.approx(0.9)
    nothing = protocol.overall(protocol.score([Scene((), ())]))
    assert figures(nothing) == (1, 1, 1)
