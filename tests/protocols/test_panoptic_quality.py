"""Panoptic quality of words, lines and paragraphs, compared with plain loops over polygons and pixels.

The figures of the drawn pages were computed once by a program that draws words with OpenCV 5.0 and goes
about it as HierText's ``eval.py`` and ``evaluator`` do: recall, precision and F-score that count each match
once, tightness and panoptic quality. The counts of pixels of the drawn polygons are OpenCV's, too.
"""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from protocols import registry
from protocols.command_line.batch import read_scenes
from protocols.core.base import Scene
from protocols.core.masks import filled_pixels
from protocols.core.regions import Region
from tests.support.hiertext_scenes import drawn
from tests.support.plain_iou import plain_share, polygon
from tests.support.scenes import figures

EXPECTED = json.loads(Path(__file__).with_name("hiertext_expected.json").read_text())

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


def quality(ious, n_truth, n_found):
    """Tightness times the F-score that counts each match once, as published."""
    recall = len(ious) / n_truth if n_truth else 1.0
    precision = len(ious) / n_found if n_found else 1.0
    tightness = sum(ious) / len(ious) if ious else 1.0
    below = recall + precision
    return tightness * (2 * recall * precision / below if below else 0.0)


def published_iou(truth, found):
    """With what the program adds to areas before it divides by them."""
    shared = polygon(truth).intersection(polygon(found)).area
    return shared / (polygon(truth).area + polygon(found).area - shared + 1e-5)


def mutual(iou):
    """The IoU of the pairs from one half on that are each other's best, by a table of all."""
    if not iou.size:
        return []
    return [
        iou[i, j]
        for i in range(len(iou))
        for j in [int(np.argmax(iou[i]))]
        if iou[i, j] >= 0.5 and int(np.argmax(iou[:, j])) == i
    ]


def mutually(regions):
    return [replace(region, ignored=False) for region in regions]


@given(truth=words, found=words.map(mutually))
def test_the_f_score_is_the_panoptic_quality_of_plain_loops(truth, found):
    counted = [region for region in truth if not region.ignored]
    left = [d for d in found if not any(t.ignored and plain_share(d, t) > 0.5 for t in truth)]
    # Rounded, so that equal areas of different corners are equal; the first of equals counts.
    iou = np.array([[round(published_iou(t, d), 12) for d in left] for t in counted])
    expected = quality(mutual(iou.reshape(len(counted), len(left))), len(counted), len(left))
    assert score(truth, found).f_score == pytest.approx(expected, abs=1e-9)


def mask(members, width=20, height=16):
    """Pixel by pixel, as a whole picture."""
    pixels = np.zeros((height, width), dtype=bool)
    for word in members:
        pixels[filled_pixels(word.points, height, width)] = True
    return pixels


def shared_by(one, other):
    """The pixels that two lines share, unless the boxes of their words only touch."""
    (a, b, c, d), (e, f, g, h) = (
        shapely.union_all([*map(polygon, of)]).bounds for of in (one, other)
    )
    apart = min(c, g) <= max(a, e) or min(d, h) <= max(b, f)
    return 0 if apart else (mask(one) & mask(other)).sum()


def lines_of(regions):
    lines = {}
    for at, region in enumerate(regions):
        lines.setdefault(region.parent or at, []).append(region)
    return list(lines.values())


@given(truth=words, found=words.map(mutually))
def test_lines_are_compared_pixel_by_pixel(truth, found):
    truth_lines, found_lines = lines_of(truth), lines_of(found)
    ignored = [line for line in truth_lines if all(word.ignored for word in line)]
    counted = [line for line in truth_lines if not all(word.ignored for word in line)]
    left = [
        line
        for line in found_lines
        if not any(
            np.float32(shared_by(line, other)) / np.float32(mask(line).sum() + 1e-5) >= 0.5
            for other in ignored
        )
    ]
    iou = np.array([[shared_by(t, d) / (mask(t) | mask(d)).sum() for d in left] for t in counted])
    expected = quality(mutual(iou.reshape(len(counted), len(left))), len(counted), len(left))
    scored = score(truth, found, "panoptic-quality:lines", width=20, height=16)
    assert scored.f_score == pytest.approx(expected, abs=1e-6)
    named = {w for m in scored.matches for w in m.truth}
    named |= {one.index for one in scored.unmatched if one.side == "truth"}
    assert named == set(range(len(truth))), "every word is matched with its line, or has a reason"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The scenes of drawn pages by their seed."""
    folder, scenes = tmp_path_factory.mktemp("pages"), {}
    for seed in range(4):
        paths = [folder / f"{seed}-{side}.json" for side in ("truth", "results")]
        for path, data in zip(paths, drawn(seed), strict=True):
            path.write_text(json.dumps(data))
        scenes[seed] = read_scenes(*map(str, paths))
    return scenes


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "polygons"])
def test_figures_of_drawn_pages_are_those_of_the_published_program(name, pages):
    seed, slug, what = name.split(" ", 2)
    protocol = registry.get(slug, {"same_text": what == "end to end"})
    scores = protocol.score(pages[int(seed)])
    whole = protocol.overall(scores)
    n_matched = sum(score.indicators["n_matched"] for score in scores)
    recall = n_matched / sum(score.tally.n_truth for score in scores)
    precision = n_matched / sum(score.tally.n_detections for score in scores)
    found = [recall, precision, whole.indicators["tightness"], whole.f_score]
    assert found == pytest.approx([EXPECTED[name][at] for at in (0, 1, 3, 4)], abs=1e-6)


def test_pixels_of_drawn_polygons_are_those_of_opencv():
    """Some reach outside; a third has its corners in order. The sum of row numbers tells where they are."""
    rng = random.Random(29)
    for at, expected in enumerate(EXPECTED["polygons"]):
        height, width, n = rng.randint(5, 40), rng.randint(5, 40), rng.choice((3, 4, 4, 6))
        out = 8 * (at % 3 == 2)
        points = [
            (rng.randint(-out, width - 1 + out), rng.randint(-out, height - 1 + out))
            for _ in range(n)
        ]
        if at % 3 == 0:
            points.sort(key=lambda point: np.arctan2(point[1] - height / 2, point[0] - width / 2))
        rows, columns = filled_pixels([c for point in points for c in point], height, width)
        pixels = set(zip(rows.tolist(), columns.tolist(), strict=True))
        found = [len(pixels), sum(r for r, _ in pixels), sum(c for _, c in pixels)]
        assert found == expected, points


def test_an_iou_of_one_half_is_enough_for_lines():
    """Half of 20 x 10 pixels: 10 x 10, which the drawn outlines of 9 x 9 cover."""
    whole, half = Region.from_box(0, 0, 19, 9), Region.from_box(0, 0, 9, 9)
    assert score([whole], [half], "panoptic-quality:lines").recall == pytest.approx(0.5)


def test_outlines_of_the_ground_truth_say_what_a_line_is():
    """A line without words is its own outline; what is found on it is ignored if it is."""
    word, blank = Region.from_box(0, 0, 50, 9, parent="0.0"), Region.from_box(0, 40, 50, 49)
    parents = {
        "0": replace(word, parent=None),
        "0.0": replace(word, parent="0"),
        "0.1": replace(blank, ignored=True, parent="0"),
    }
    found = [replace(word, parent=None), blank]
    scored = score([word], found, "panoptic-quality:lines", parents=parents, width=99, height=60)
    assert figures(scored) == pytest.approx((1, 1, 1))
    assert figures(score([word], found, "panoptic-quality:lines")) == pytest.approx((1, 0.5, 2 / 3))


def test_paragraphs_are_the_words_of_lines_whose_ids_begin_alike():
    """By hand: two lines of one paragraph are found as one paragraph, then as two."""
    words = [Region.from_box(0, y, 49, y + 9, parent=f"0.{at}") for at, y in enumerate((0, 20))]
    assert score(words, words, "panoptic-quality:paragraphs").f_score == pytest.approx(1)
    apart = [replace(word, parent=f"{at}.0") for at, word in enumerate(words)]
    # Each is half of the paragraph, so that the first has the IoU of one half.
    assert figures(score(words, apart, "panoptic-quality:paragraphs")) == pytest.approx(
        (0.5, 0.25, 1 / 3)
    )
    parents = {"0": Region.from_box(0, 0, 49, 39, ignored=True)}
    parents |= {word.parent: replace(word, parent="0") for word in words}
    ignored = score(words, apart, "panoptic-quality:paragraphs", parents=parents)
    assert (ignored.tally.n_truth, ignored.tally.n_detections) == (0, 0)


def test_only_regions_that_are_each_others_best_match():
    """T1 meets D1 well, 80 / 100, but D1 fits T2 better; T1 goes without."""
    truth = [Region.from_box(0, 0, 100, 10), Region.from_box(0, 0, 90, 10)]
    [match] = score(truth, [Region.from_box(0, 0, 80, 10)]).matches
    assert (match.truth, match.detections) == ((1,), (0,))


def test_exactly_half_is_not_enough():
    """The published program adds 0.00001 to the areas of words that it divides by."""
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
