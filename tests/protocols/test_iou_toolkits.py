"""IoU as PaddleOCR, MMOCR and docTR compute it, compared with plain loops from their descriptions."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region
from tests.support.plain_iou import plain_iou, plain_share, polygon

boxes = st.builds(
    lambda left, top, width, height: Region.from_box(left, top, left + width, top + height),
    st.integers(0, 6),
    st.integers(0, 3),
    st.integers(6, 12),
    st.integers(5, 8),
)
# With half pixels, and with shapes that cross themselves or have no area.
slanted = st.builds(
    lambda x, y: Region((x + 0.5, y, x + 10.5, y + 1, x + 10, y + 8, x, y + 7)),
    st.integers(0, 5),
    st.integers(0, 3),
)
broken = st.sampled_from([Region((0, 0, 10, 8, 10, 0, 0, 8)), Region.from_box(2, 2, 2, 9)])


def truths(shapes):
    one = st.builds(lambda region, ignored: replace(region, ignored=ignored), shapes, st.booleans())
    return st.lists(one, max_size=4)


def found(shapes):
    one = st.builds(
        lambda region, confidence: replace(region, confidence=confidence),
        shapes,
        st.sampled_from([0.2, 0.3, 0.55, 0.7, 0.95]),
    )
    return st.lists(one, max_size=4)


def scored(slug, truth, detections):
    protocol = registry.get(slug)
    scores = protocol.score([Scene(tuple(truth), tuple(detections))])
    return scores[0], protocol.overall(scores)


def f_score(recall, precision):
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def not_inside(truth, detections):
    ignored = [region for region in truth if region.ignored]
    return [d for d in detections if not any(plain_share(d, g) > 0.5 for g in ignored)]


def first_come(truth, detections):
    """Each truth takes the first free detection with an IoU above one half; how many do."""
    free, hits = list(range(len(detections))), 0
    for region in truth:
        for at in free:
            if plain_iou(region, detections[at]) > 0.5:
                free.remove(at)
                hits += 1
                break
    return hits


def as_many_as_possible(truth, detections):
    """The size of a maximum matching of the graph of good pairs, by Hopcroft and Karp."""
    good = np.array([[plain_iou(t, d) > 0.5 for d in detections] for t in truth], dtype=int)
    if not good.size:
        return 0
    return int((maximum_bipartite_matching(csr_matrix(good), perm_type="column") >= 0).sum())


@given(truth=truths(boxes | slanted | broken), detections=found(boxes | slanted | broken))
def test_paddleocr_leaves_out_what_is_no_valid_polygon(truth, detections):
    truth = [region for region in truth if polygon(region).is_valid]
    left = not_inside(truth, [d for d in detections if polygon(d).is_valid])
    counted = [region for region in truth if not region.ignored]
    hits = first_come(counted, left)
    expected = (1, 0 if left else 1)
    if counted:
        expected = (hits / len(counted), hits / len(left) if left else 0)
    score, overall = scored("iou-toolkits", truth, detections)
    assert (score.recall, score.precision) == pytest.approx(expected)
    if counted and left:
        assert (overall.recall, overall.precision) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("slug", "count"),
    [("mmocr-no-sweep", first_come), ("mmocr-most-no-sweep", as_many_as_possible)],
)
@given(truth=truths(boxes | slanted), detections=found(boxes | slanted))
def test_mmocr_at_one_threshold(slug, count, truth, detections):
    counted, left = [t for t in truth if not t.ignored], not_inside(truth, detections)
    hits = count(counted, left)
    score, _ = scored(f"iou-toolkits:{slug}", truth, detections)
    assert score.tally.recalled == hits
    assert (score.tally.n_truth, score.tally.n_detections) == (len(counted), len(left))


@pytest.mark.parametrize(
    ("slug", "count"), [("mmocr", first_come), ("mmocr-most", as_many_as_possible)]
)
@given(truth=truths(boxes), detections=found(boxes))
def test_mmocr_reports_the_best_of_its_thresholds(slug, count, truth, detections):
    counted, at_each = [t for t in truth if not t.ignored], []
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        left = not_inside(truth, [d for d in detections if d.confidence >= threshold])
        hits = count(counted, left)
        if counted:
            at_each.append(f_score(hits / len(counted), hits / len(left) if left else 0))
        else:
            at_each.append(f_score(1, 0 if left else 1))
    _, overall = scored(f"iou-toolkits:{slug}", truth, detections)
    assert overall.f_score == pytest.approx(max(at_each))


@pytest.mark.parametrize("slug", ["doctr", "doctr-boxes"])
@given(truth=truths(boxes | slanted), detections=found(boxes | slanted))
def test_doctr_assigns_all_regions_at_once(slug, truth, detections):
    def shaped(region):
        return Region.from_box(*region.box) if slug == "doctr-boxes" else region

    rows, columns = sorted((truth, detections), key=len)
    iou = [[plain_iou(shaped(r), shaped(c)) for c in columns] for r in rows]
    sums = {
        order: sum(iou[row][column] for row, column in enumerate(order))
        for order in permutations(range(len(columns)), len(rows))
    }
    hits = {
        sum(iou[row][column] >= 0.5 for row, column in enumerate(order))
        for order, total in sums.items()
        if total == pytest.approx(max(sums.values()), abs=1e-12)
    }
    score, overall = scored(f"iou-toolkits:{slug}", truth, detections)
    # Of several assignments with the same sum any may be taken.
    assert score.tally.recalled in hits
    assert score.recall == (score.tally.recalled / len(truth) if truth else None)
    assert overall.precision == (score.tally.recalled / len(detections) if detections else None)


WORD = Region.from_box(0, 0, 100, 10)


def test_exactly_half_is_enough_for_doctr_alone():
    half = Region.from_box(0, 0, 50, 10)
    assert scored("iou-toolkits:doctr", [WORD], [half])[0].recall == 1
    assert scored("iou-toolkits:mmocr-no-sweep", [WORD], [half])[0].recall == 0
    assert scored("iou-toolkits", [WORD], [half])[0].recall == 0


def test_every_region_that_is_left_out_has_a_reason():
    bow_tie = Region((0, 0, 10, 8, 10, 0, 0, 8))
    score, _ = scored("iou-toolkits", [bow_tie, WORD], [bow_tie, WORD])
    assert score.matches[0].truth == score.matches[0].detections == (1,)
    assert {one.reason for one in score.unmatched} == {
        "its outline crosses itself or has no area, so that it is left out"
    }
    faint = replace(WORD, confidence=0.25)
    score, _ = scored("iou-toolkits:mmocr", [WORD], [faint])
    assert score.unmatched[0].reason == "its best IoU, 0.000, is not above 0.5"
    assert score.unmatched[1].reason == "its confidence, 0.25, is below 0.3"


def test_the_threshold_is_one_for_all_images_and_is_named():
    """At 0.3: 2 of 2 truths and 4 detections, F = 2/3. At 0.6: 1 of 2 and 1, F = 2/3. At 0.5: 2, 2: F = 1."""
    far = Region.from_box(500, 0, 600, 10, confidence=0.4)
    scenes = [
        Scene((WORD,), (replace(WORD, confidence=0.55), far)),
        Scene((WORD,), (replace(WORD, confidence=0.9), far)),
    ]
    protocol = registry.get("iou-toolkits:mmocr")
    overall = protocol.overall(protocol.score(scenes))
    assert (overall.recall, overall.precision) == (1, 1)
    assert overall.indicators == {"threshold": 0.5}


def test_without_confidences_no_threshold_leaves_anything_out():
    _, swept = scored("iou-toolkits:mmocr", [WORD], [WORD])
    _, plain = scored("iou-toolkits:mmocr-no-sweep", [WORD], [WORD])
    assert swept.f_score == plain.f_score == 1
    assert registry.get("iou-toolkits:mmocr").overall([]).f_score == 1
    assert registry.get("iou-toolkits").overall([]).f_score == 0
    assert registry.get("iou-toolkits:doctr").overall([]).f_score is None
