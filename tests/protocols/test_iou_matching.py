"""Matching among several good candidates, and average precision by the rule of PASCAL VOC."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import registry
from protocols.average_precision import voc_average_precision
from protocols.core.base import Scene
from protocols.core.errors import UnknownProtocol
from protocols.core.regions import Region
from tests.support.plain_iou import plain_iou, plain_share
from tests.support.scenes import scored as score

# Boxes that overlap often and well: few places, sizes that nearly agree.
boxes = st.builds(
    lambda left, top, width, height: Region.from_box(left, top, left + width, top + height),
    st.integers(0, 6),
    st.integers(0, 3),
    st.integers(6, 12),
    st.integers(5, 8),
)
truths = st.lists(
    st.builds(lambda box, ignored: replace(box, ignored=ignored), boxes, st.booleans()), max_size=4
)
detections = st.lists(
    st.builds(
        lambda box, confidence: replace(box, confidence=confidence),
        boxes,
        st.sampled_from([0.2, 0.5, 0.9]),
    ),
    max_size=4,
)


def counted(truth, found):
    """The numbers of the truths and detections that count: ignored truths take theirs with them."""
    left = [
        j
        for j, detection in enumerate(found)
        if not any(region.ignored and plain_share(detection, region) > 0.5 for region in truth)
    ]
    return [i for i, region in enumerate(truth) if not region.ignored], left


def assignments(rows, columns):
    """Every way to give truths different detections, or none."""
    for n in range(min(len(rows), len(columns)) + 1):
        for chosen in combinations(rows, n):
            for order in permutations(columns, n):
                yield list(zip(chosen, order, strict=True))


@given(truth=truths, found=detections)
def test_the_most_pairs_are_those_of_trying_all(truth, found):
    rows, columns = counted(truth, found)
    possible = [
        pairs
        for pairs in assignments(rows, columns)
        if all(plain_iou(truth[i], found[j]) > 0.5 for i, j in pairs)
    ]
    scored = score("iou", truth, found, matching="most")
    assert len(scored.matches) == max(map(len, possible))
    best = max(
        sum(plain_iou(truth[i], found[j]) for i, j in pairs)
        for pairs in possible
        if len(pairs) == len(scored.matches)
    )
    ours = sum(
        plain_iou(truth[match.truth[0]], found[match.detections[0]]) for match in scored.matches
    )
    assert ours == pytest.approx(best)


@given(truth=truths, found=detections)
def test_the_heaviest_assignment_is_that_of_trying_all(truth, found):
    rows, columns = counted(truth, found)
    weights = {(i, j): plain_iou(truth[i], found[j]) for i in rows for j in columns}
    sums = {tuple(pairs): sum(weights[p] for p in pairs) for pairs in assignments(rows, columns)}
    largest = max(sums.values())
    enough = {
        sum(weights[pair] > 0.5 for pair in pairs)
        for pairs, total in sums.items()
        if total == pytest.approx(largest, abs=1e-12)
    }
    # Of several assignments with the same sum any may be taken.
    assert len(score("iou", truth, found, matching="heaviest").matches) in enough


@given(truth=truths, found=detections)
def test_the_best_pairs_go_first(truth, found):
    rows, columns = counted(truth, found)
    pairs = [(plain_iou(truth[i], found[j]), i, j) for i in rows for j in columns]
    matched = {}
    while pairs:
        iou, i, j = max(pairs, key=lambda pair: (pair[0], -pair[1], -pair[2]))
        if iou <= 0.5:
            break
        matched[i] = j
        pairs = [pair for pair in pairs if pair[1] != i and pair[2] != j]
    scored = score("iou", truth, found, matching="best")
    assert {match.truth[0]: match.detections[0] for match in scored.matches} == matched


def test_two_pairs_are_more_than_a_perfect_one():
    """IoU: T1-D1 1, T1-D2 and T2-D1 0.3, T2-D2 0."""
    truth = [Region.from_box(0, 0, 100, 10), Region.from_box(0, 0, 30, 10)]
    found = [truth[0], Region.from_box(70, 0, 100, 10)]
    for matching, n in (("most", 2), ("heaviest", 1)):
        assert len(score("iou", truth, found, matching=matching, min_iou=0.2).matches) == n


def test_a_detection_of_which_just_half_is_in_an_ignored_region_counts():
    word, ignored = Region.from_box(50, 0, 60, 10), Region.from_box(0, 0, 10, 10, ignored=True)
    for left, precision in ((5, 0.5), (4, 1.0)):
        found = [word, Region.from_box(left, 0, left + 10, 10)]
        assert score("iou", [word, ignored], found).precision == precision, left


def test_a_variant_is_a_protocol_with_its_parameters():
    art = registry.get("iou:art")
    assert art == registry.get("iou", {"matching": "best"})
    assert (art.full_slug, registry.get("iou").full_slug) == ("iou:art", "iou")
    assert registry.get("iou:art", {"min_iou": 0.7}).full_slug == "iou:art"
    assert registry.get("iou:art", {"matching": "most"}).full_slug == "iou"
    with pytest.raises(UnknownProtocol, match="iou has no variant 'coco'; variants: art"):
        registry.get("iou:coco")
    with pytest.raises(UnknownProtocol, match="count has no variant 'art'; variants: none"):
        registry.get("count:art")


def voc(truth, found):
    """PASCAL VOC over one image, as its development kit goes about it: confidence, hit or not."""
    taken, entries = set(), []
    for at in sorted(range(len(found)), key=lambda j: -found[j].confidence):
        overlaps = [plain_iou(region, found[at]) for region in truth]
        best = int(np.argmax(overlaps)) if truth else -1
        if truth and overlaps[best] > 0.5:
            if truth[best].ignored:
                continue
            entries.append((found[at].confidence, best not in taken))
            taken.add(best)
        else:
            entries.append((found[at].confidence, False))
    return entries


def area_below(entries, n_truth):
    """The area below the curve, from arrays of recalls and precisions with sentinels at both ends."""
    hits = np.cumsum([hit for _, hit in entries])
    recall = np.concatenate([[0.0], hits / n_truth, [1.0]])
    precision = np.concatenate([[0.0], hits / np.arange(1, len(entries) + 1), [0.0]])
    for at in range(len(precision) - 1, 0, -1):
        precision[at - 1] = max(precision[at - 1], precision[at])
    steps = np.flatnonzero(recall[1:] != recall[:-1])
    return float(((recall[steps + 1] - recall[steps]) * precision[steps + 1]).sum())


@given(truth=truths, found=detections)
def test_average_precision_of_voc_is_that_of_its_development_kit(truth, found):
    scored = score("average-precision:rctw", truth, found)
    entries = voc(truth, found)
    assert list(scored.ranked) == entries
    n_truth = sum(not region.ignored for region in truth)
    if n_truth:
        expected = area_below(entries, n_truth)
        assert scored.indicators["average_precision"] == pytest.approx(expected, abs=1e-12)


def test_the_two_averages_of_voc_by_hand():
    """Right, wrong, right, of four truths: precisions 1 and 2/3 at recalls 1/4 and 1/2.

    Area: (1 + 2/3) / 4 = 0.4167. Eleven points: 1 at 0, 0.1, 0.2; 2/3 at 0.3, 0.4, 0.5; 5 / 11.
    """
    ranked = [(0.9, True), (0.8, False), (0.7, True)]
    assert voc_average_precision(ranked, 4, eleven_points=False) == pytest.approx(5 / 12)
    assert voc_average_precision(ranked, 4, eleven_points=True) == pytest.approx(5 / 11)
    assert voc_average_precision(ranked, 0, eleven_points=False) == 0
    assert voc_average_precision([], 4, eleven_points=True) == 0


def test_average_precision_of_a_whole_set_is_one_curve():
    """Two images: right (0.9) and wrong (0.95) of one truth each, so the wrong one comes first."""
    word, far = Region.from_box(0, 0, 100, 10), Region.from_box(0, 50, 100, 60)
    protocol = registry.get("average-precision:rctw")
    scores = protocol.score(
        [
            Scene((word,), (replace(word, confidence=0.9),)),
            Scene((word,), (replace(far, confidence=0.95),)),
        ]
    )
    overall = protocol.overall(scores)
    assert overall.indicators["average_precision"] == pytest.approx(0.5 / 2)
