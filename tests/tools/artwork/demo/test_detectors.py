"""The ten synthetic detectors and their habits."""

import itertools
from functools import cache

import numpy as np
import pytest
import shapely

from protocols.core.regions import Region
from tests.support.drawn import drawn
from tools.artwork.demo.detectors import DETECTORS, SMALL_PX, detections, text_height

BY_SLUG = {detector.slug: detector for detector in DETECTORS}


@cache
def _found(slug, number):
    return detections(BY_SLUG[slug], drawn()[number - 1])


def found(slug, scene):
    return _found(slug, scene.number)


def legible(scene):
    return [word for word in scene.words if not word.ignored]


def shape(region):
    return shapely.Polygon(np.array(region.points).reshape(-1, 2))


def shares_found(slug, scene):
    """The share of each legible word's area inside the detection at the same place in the list."""
    pairs = zip(legible(scene), found(slug, scene), strict=True)
    return [shape(word).intersection(shape(box)).area / shape(word).area for word, box in pairs]


def test_there_are_ten_detectors_with_names_and_one_sentence_each():
    assert list(BY_SLUG) == [
        "near-perfect", "oversized", "undersized", "one-box-per-line", "splits-words",
        "touches-neighbour", "misses-small", "many-false-positives", "often-silent", "jitter",
    ]  # fmt: skip
    assert len({detector.name for detector in DETECTORS}) == 10
    for detector in DETECTORS:
        assert detector.habit.endswith(".")
        assert detector.habit.count(".") == 1


@pytest.mark.parametrize("slug", BY_SLUG)
def test_detections_are_whole_clockwise_quadrilaterals_inside_the_picture(slug):
    for scene in drawn():
        for box in found(slug, scene):
            assert len(box.points) == 8
            assert all(isinstance(value, int) for value in box.points)
            points = np.array(box.points).reshape(4, 2)
            assert (points >= 0).all()
            assert (points < scene.image.size).all()
            assert shape(box).is_valid
            assert shape(box).area > 8
            following = np.roll(points, -1, axis=0)
            assert ((following[:, 0] - points[:, 0]) * (following[:, 1] + points[:, 1])).sum() < 0
            assert (box.text, box.ignored) == (None, False)


@pytest.mark.parametrize("slug", BY_SLUG)
def test_detections_do_not_depend_on_the_order_of_calls(slug):
    forwards = [detections(BY_SLUG[slug], scene) for scene in drawn(6)]
    backwards = [detections(BY_SLUG[slug], scene) for scene in reversed(drawn(6))]
    assert forwards == backwards[::-1]


@pytest.mark.parametrize("slug", ["jitter", "many-false-positives"])
def test_another_seed_gives_other_detections(slug):
    scene = drawn()[0]
    assert detections(BY_SLUG[slug], scene, seed=1) != detections(BY_SLUG[slug], scene, seed=2)


def test_text_height_is_the_mean_of_the_sides_whatever_the_angle():
    assert text_height(Region((0, 0, 10, 0, 10, 6, 0, 4))) == 5
    # Turned by the angle of a 3-4-5 triangle: sides of length 5.
    assert text_height(Region((3, 0, 11, 6, 8, 10, 0, 4))) == 5


def test_near_perfect_finds_every_legible_word_within_a_pixel():
    for scene in drawn():
        for word, box in zip(legible(scene), found("near-perfect", scene), strict=True):
            assert np.abs(np.subtract(word.points, box.points)).max() <= 1


def test_oversized_boxes_contain_their_words_and_much_more():
    for scene in drawn():
        assert min(shares_found("oversized", scene)) == pytest.approx(1)
        areas = [shape(box).area for box in found("oversized", scene)]
        words = [shape(word).area for word in legible(scene)]
        assert np.divide(areas, words).min() > 1.3


def test_undersized_boxes_lie_inside_their_words():
    for scene in drawn():
        for word, box in zip(legible(scene), found("undersized", scene), strict=True):
            assert shape(word).buffer(0.8).contains(shape(box))
        shares = shares_found("undersized", scene)
        assert min(shares) > 0.2
        assert max(shares) < 0.85


def test_one_box_per_line_holds_all_words_of_its_line():
    for scene in drawn():
        boxes = found("one-box-per-line", scene)
        assert len(boxes) == len(scene.lines)
        for line, box in zip(scene.lines, boxes, strict=True):
            for i in line:
                assert shape(box).buffer(1).contains(shape(scene.words[i]))


def test_long_words_are_split_into_two_or_three_and_short_ones_kept():
    for scene in drawn():
        boxes = [shape(box) for box in found("splits-words", scene)]
        for word in legible(scene):
            parts = [box for box in boxes if shape(word).buffer(2).contains(box)]
            assert len(parts) in ((1,) if len(word.text) < 4 else (2, 3)), (scene.name, word)
            assert shapely.union_all(parts).area > 0.8 * shape(word).area
            for one, other in itertools.combinations(parts, 2):
                assert one.intersection(other).area < 0.1 * min(one.area, other.area)


def test_boxes_that_touch_the_neighbour_reach_into_the_next_word_of_the_line():
    n_neighbours = 0
    for scene in drawn():
        place = dict(zip(_line_by_line(scene), found("touches-neighbour", scene), strict=True))
        for line in scene.lines:
            words = [scene.words[i] for i in line if not scene.words[i].ignored]
            for one, other in itertools.pairwise(words):
                n_neighbours += 1
                assert shape(place[one]).intersects(shape(other))
                assert shape(place[other]).intersects(shape(one))
            for word in words:
                assert shape(place[word]).buffer(1).contains(shape(word))
    assert n_neighbours > 100


def _line_by_line(scene):
    return [scene.words[i] for line in scene.lines for i in line if not scene.words[i].ignored]


def test_misses_small_finds_only_words_of_the_stated_height():
    for scene in drawn():
        tall = [word for word in legible(scene) if text_height(word) >= SMALL_PX]
        boxes = found("misses-small", scene)
        for word, box in zip(tall, boxes, strict=True):
            assert np.abs(np.subtract(word.points, box.points)).max() <= 1
    assert sum(len(found("misses-small", scene)) < len(legible(scene)) for scene in drawn()) >= 20


def test_false_positives_touch_no_text_and_the_words_are_found_as_well():
    n_false = []
    for scene in drawn():
        boxes, n_words = found("many-false-positives", scene), len(legible(scene))
        assert boxes[:n_words] == found("near-perfect", scene)
        false = boxes[n_words:]
        n_false.append(len(false))
        for box in false:
            assert not any(shape(box).intersects(shape(word)) for word in scene.words)
    assert max(n_false) <= 12
    assert min(n_false) >= 3


def test_often_silent_finds_nothing_in_exactly_eight_scenes_and_is_near_perfect_elsewhere():
    silent = [scene.name for scene in drawn() if not found("often-silent", scene)]
    assert silent == [f"scene_{number:02}" for number in range(3, 25, 3)]
    for scene in drawn():
        if scene.name not in silent:
            assert found("often-silent", scene) == found("near-perfect", scene)


def test_jitter_is_off_but_stays_on_its_word():
    for scene in drawn():
        for word, box in zip(legible(scene), found("jitter", scene), strict=True):
            off = np.abs(np.subtract(word.points, box.points))
            assert off.max() <= 0.48 * text_height(word) + 1
        shares = shares_found("jitter", scene)
        assert min(shares) > 0.2
        assert np.mean(shares) < 0.95
