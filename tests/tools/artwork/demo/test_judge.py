"""The simulated annotators: what they see, and what they answer."""

import itertools
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from protocols.core.regions import Region
from tests.support.drawn import drawn
from tools.artwork.demo.detectors import DETECTORS, detections
from tools.artwork.demo.judge import JUDGES, Judge, Quality, quality

CRITERIA = ("recall", "precision", "preference")
EXACT = Judge("exact", taste=0, noise=0, tie_threshold=0)
# 100 x 20 with a gap of 10 between them: half a height, so their margins of 5 meet.
WORDS = (
    Region.from_box(100, 100, 200, 120, text="left"),
    Region.from_box(210, 100, 310, 120, text="right"),
)
MIRROR = {"left": "right", "equal": "equal", "right": "left"}
GOOD, FAIR, POOR = Quality(0.9, 0.8, 0.85), Quality(0.9, 0.5, 0.7), Quality(0.2, 0.5, 0.3)


def box(left, top, right, bottom):
    return Region.from_box(left, top, right, bottom)


# --- what is seen -----------------------------------------------------------------------------------


def test_the_ground_truth_itself_is_perfect():
    assert quality(WORDS, WORDS) == Quality(*map(pytest.approx, (1, 1, 1)))


@pytest.mark.parametrize(
    ("width", "expected"),
    # (covered - 0.2) / 0.7 of one of two equal words.
    [(10, 0), (20, 0), (55, 0.25), (90, 0.5), (100, 0.5)],
)
def test_recall_counts_what_can_be_read(width, expected):
    assert quality(WORDS, [box(100, 100, 100 + width, 120)]).recall == pytest.approx(expected)


def test_larger_words_weigh_more_by_the_root_of_their_area():
    words = [Region.from_box(0, 0, 100, 20), Region.from_box(0, 100, 200, 140)]  # 2,000 and 8,000
    assert quality(words, words[:1]).recall == pytest.approx(1 / 3)
    assert quality(words, words[1:]).recall == pytest.approx(2 / 3)


def test_overlapping_boxes_are_not_counted_twice():
    half = box(100, 100, 155, 120)
    assert quality(WORDS, [half, half]).recall == quality(WORDS, [half]).recall


def test_a_small_margin_and_the_gap_between_words_do_not_look_wrong():
    assert quality(WORDS, [box(98, 98, 312, 122)]).precision == pytest.approx(1)


def test_precision_is_the_share_of_the_marked_area_that_is_text():
    # Marked: 100 x 40. Paper of the word: 3 above and below, so 100 x 26 of it.
    assert quality(WORDS[:1], [box(100, 90, 200, 130)]).precision == pytest.approx(26 / 40)


def test_a_false_box_costs_its_area_and_half_its_share_of_the_boxes():
    detections = [*WORDS, box(100, 300, 200, 320)]
    expected = 4000 / 6000 * (1 - (1 / 3) / 2)
    assert quality(WORDS, detections).precision == pytest.approx(expected)


def test_tidiness_wants_one_box_for_one_word():
    # Preference is 0.5 recall + 0.3 precision + 0.2 tidiness; recall and precision are 1 here.
    halves = [box(100, 100, 150, 120), box(150, 100, 200, 120)]
    assert quality(WORDS, [*halves, WORDS[1]]).preference == pytest.approx(
        0.8 + 0.2 * (0.5 + 1) / 2
    )
    around = [box(100, 100, 310, 120)]
    assert quality(WORDS, around).preference == pytest.approx(0.8 + 0.2 / 2**0.5)


def test_ignored_words_count_for_nobody():
    ignored = Region.from_box(500, 500, 560, 510, text="###", ignored=True)
    assert quality([*WORDS, ignored], WORDS) == quality(WORDS, WORDS)
    assert quality([*WORDS, ignored], [*WORDS, ignored]) == quality(WORDS, WORDS)
    # Only what reaches beyond it is marked: nothing here, all of it below.
    assert quality([ignored], [ignored]) == Quality(1, 1, 1)


@pytest.mark.parametrize(
    ("truth", "found", "expected"),
    [
        ([], [], (1, 1, 1)),
        (WORDS, [], (0, 0, 0)),
        ([], WORDS, (1, 0, 0.5)),
        ([Region.from_box(0, 0, 9, 9, ignored=True)], WORDS, (1, 0, 0.5)),
    ],
)
def test_nothing_to_find_and_nothing_found(truth, found, expected):
    assert quality(truth, found) == Quality(*expected)


def test_order_of_words_and_boxes_is_irrelevant():
    boxes = [box(90, 95, 180, 130), box(220, 100, 300, 118), box(400, 400, 450, 430)]
    expected = quality(WORDS, boxes)
    for order in itertools.permutations(boxes):
        seen = quality(WORDS[::-1], order)
        for criterion in CRITERIA:
            assert getattr(seen, criterion) == pytest.approx(getattr(expected, criterion))


def test_boxes_whose_corners_crossed_are_looked_at_all_the_same():
    crossed = Region((100, 100, 200, 120, 200, 100, 100, 120))
    assert 0 < quality(WORDS[:1], [crossed]).recall < 1


def test_the_habits_of_the_detectors_show_where_they_should():
    mean = {
        (detector.slug, criterion): statistics.mean(
            getattr(quality(scene.words, detections(detector, scene)), criterion)
            for scene in drawn(8)
        )
        for detector in DETECTORS
        for criterion in CRITERIA
    }
    best = {criterion: mean["near-perfect", criterion] for criterion in CRITERIA}
    assert min(best.values()) > 0.97
    for detector in DETECTORS:
        for criterion in CRITERIA:
            # Corners on whole pixels cost near-perfect boxes some ten-thousandths.
            assert mean[detector.slug, criterion] <= best[criterion] + 1e-3
    for slug in ("undersized", "misses-small", "often-silent", "jitter"):
        assert mean[slug, "recall"] < best["recall"] - 0.05
    for slug in ("oversized", "many-false-positives", "often-silent"):
        assert mean[slug, "precision"] < best["precision"] - 0.15
    for slug in ("splits-words", "one-box-per-line"):
        assert mean[slug, "recall"] > 0.97
        assert mean[slug, "preference"] < best["preference"] - 0.03


# --- what is answered -------------------------------------------------------------------------------


def test_three_annotators_differ_in_noise_and_just_noticeable_difference():
    assert len(JUDGES) == 3
    for field in ("name", "taste", "noise", "tie_threshold"):
        assert len({getattr(judge, field) for judge in JUDGES}) == 3


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("left", [GOOD, FAIR, POOR])
@pytest.mark.parametrize("right", [GOOD, FAIR, POOR])
def test_a_judge_without_noise_says_what_the_qualities_say(criterion, left, right):
    a, b = getattr(left, criterion), getattr(right, criterion)
    expected = "left" if a > b else "right" if a < b else "equal"
    assert EXACT.verdict(left, right, criterion, "image/a/b") == expected


def test_a_difference_up_to_the_just_noticeable_one_is_equal():
    """Faults of 1.75 and 1.5 in all: with the 0.2 the threshold is 0.39 and 0.34."""
    judge = Judge("blunt", taste=0, noise=0, tie_threshold=0.2)
    low, middle, high = (Quality(value, 0, 0) for value in (0.0, 0.25, 0.5))
    assert judge.verdict(low, middle, "recall", "image/a/b") == "equal"
    assert judge.verdict(low, high, "recall", "image/a/b") == "right"


def test_taste_moves_preference_only():
    # Equal preference; the left one finds more, the right one is cleaner.
    left, right = Quality(0.9, 0.5, 0.7), Quality(0.5, 0.9, 0.7)
    for taste, expected in ((0.1, "left"), (0, "equal"), (-0.1, "right")):
        judge = Judge("somebody", taste=taste, noise=0, tie_threshold=0.01)
        assert judge.verdict(left, right, "preference", "image/a/b") == expected
        assert judge.verdict(left, right, "recall", "image/a/b") == "left"


@pytest.mark.parametrize("judge", [*JUDGES, Judge("wild", taste=0.5, noise=3, tie_threshold=0.4)])
def test_swapping_the_sides_mirrors_the_verdict(judge):
    names = "abcdef"
    seen = dict(
        zip(names, (GOOD, FAIR, POOR, Quality(0.9, 0.8, 0.9), GOOD, Quality(0, 0, 0)), strict=True)
    )
    for image, (a, b), criterion in itertools.product(
        ("one", "two", "three"), itertools.permutations(names, 2), CRITERIA
    ):
        verdict = judge.verdict(seen[a], seen[b], criterion, f"{image}/{a}/{b}")
        assert verdict == judge.verdict(seen[a], seen[b], criterion, f"{image}/{b}/{a}")
        for key in (f"{image}/{a}/{b}", f"{image}/{b}/{a}"):
            assert MIRROR[verdict] == judge.verdict(seen[b], seen[a], criterion, key)


ASK_WILD = """
from tools.artwork.demo.judge import Judge, Quality
wild = Judge("wild", taste=0, noise=1, tie_threshold=0.1)
good, fair = Quality(0.9, 0.8, 0.85), Quality(0.8, 0.5, 0.7)
print(*(wild.verdict(good, fair, "recall", f"image-{i}/a/b") for i in range(200)))
"""


@pytest.fixture(scope="module")
def answers_of_two_processes():
    root = Path(__file__).resolve().parents[4]
    return [
        subprocess.run(
            [sys.executable, "-c", ASK_WILD],
            cwd=root,
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        for seed in ("1", "2")
    ]


def test_the_same_question_gets_the_same_answer_in_every_process(answers_of_two_processes):
    first, second = answers_of_two_processes
    assert len(first) == 200
    assert first == second
    assert set(first) == {"left", "equal", "right"}


def test_noise_is_normal_with_the_stated_spread():
    # Two recalls of 0.9: noise alone decides. Its spread is 0.2 (0.1 + 0.1), and 0.1 (0.2 + 0.2) is a
    # tie. P(|z| <= 1) = 0.683; the rest is shared evenly.
    judge = Judge("even", taste=0, noise=0.2, tie_threshold=0.1)
    answers = [judge.verdict(GOOD, FAIR, "recall", f"{i}/a/b") for i in range(4000)]
    # Five standard errors of a share of 4,000 answers.
    assert answers.count("equal") / 4000 == pytest.approx(0.683, abs=0.037)
    assert answers.count("left") / 4000 == pytest.approx(0.159, abs=0.029)


def test_annotators_criteria_and_pairs_err_independently():
    judges = [Judge(name, taste=0, noise=5, tie_threshold=0.1) for name in ("one", "other")]
    keys = [f"{i}/a/b" for i in range(300)]
    base = [judges[0].verdict(GOOD, POOR, "recall", key) for key in keys]
    for judge, criterion in ((judges[1], "recall"), (judges[0], "precision")):
        other = [judge.verdict(GOOD, POOR, criterion, key) for key in keys]
        agreed = sum(a == b for a, b in zip(base, other, strict=True)) / len(keys)
        assert 0.35 < agreed < 0.65


def test_results_of_equal_quality_are_equal_for_everybody():
    for judge in JUDGES:
        for criterion in CRITERIA:
            assert judge.verdict(GOOD, GOOD, criterion, "image/a/b") == "equal"


def test_who_finds_all_the_text_is_equal_by_recall_to_whoever_does_for_everybody():
    """However noisy: two faultless results cannot be distinguished."""
    for judge in (*JUDGES, Judge("wild", taste=0, noise=9, tie_threshold=0.01)):
        verdict = judge.verdict(Quality(1, 0.2, 0.5), Quality(1, 0.9, 0.9), "recall", "image/a/b")
        assert verdict == "equal"


def test_another_criterion_is_refused_by_name():
    with pytest.raises(ValueError, match="recall, precision or preference, got 'speed'"):
        EXACT.verdict(GOOD, FAIR, "speed", "image/a/b")


@pytest.mark.parametrize("judge", JUDGES)
def test_annotators_prefer_near_perfect_to_many_false_positives_in_precision(judge):
    by_slug = {detector.slug: detector for detector in DETECTORS}
    for scene in drawn(8):
        neat, wild = (
            quality(scene.words, detections(by_slug[slug], scene))
            for slug in ("near-perfect", "many-false-positives")
        )
        assert judge.verdict(neat, wild, "precision", f"{scene.name}/a/b") == "left"
