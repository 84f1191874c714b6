"""The pictures hold what the words about them say, and the answers are balanced and plain."""

from collections import Counter

import pytest

from annotate.learning import presentation as screens
from annotate.learning.pairs import CARDS, CRITERIA, EXERCISES, LEFT, PAIRS_IN_A_ROUND, RIGHT
from annotate.learning.pictures import HEIGHT, WIDTH

AIR = 6
PAIRS = [card.pair for card in CARDS] + [
    exercise.pair for exercises in EXERCISES.values() for exercise in exercises
]
EXERCISES_BY_SLUG = {
    exercise.pair.slug: exercise for exercises in EXERCISES.values() for exercise in exercises
}


def area(box):
    return max(box[2] - box[0], 0) * max(box[3] - box[1], 0)


def shared(box, other):
    return area(
        (max(box[0], other[0]), max(box[1], other[1]), min(box[2], other[2]), min(box[3], other[3]))
    )


def n_found(pair, boxes):
    """Count the words that lie inside a box, in plain loops."""
    words = pair.picture.boxes.values()
    return sum(any(shared(word, box) > 0.95 * area(word) for box in boxes) for word in words)


def not_text(pair, boxes):
    """The area that boxes mark beside the words and the air round them, in pixels."""
    airy = [
        (left - AIR, top - AIR, right + AIR, bottom + AIR)
        for left, top, right, bottom in pair.picture.boxes.values()
    ]
    return sum(area(box) - sum(shared(word, box) for word in airy) for box in boxes)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.slug)
def test_boxes_lie_in_the_picture_and_the_sides_differ(pair):
    for left, top, right, bottom in (*pair.left, *pair.right):
        assert 0 <= left < right <= WIDTH
        assert 0 <= top < bottom <= HEIGHT
    assert pair.left != pair.right


def test_there_are_six_cards_and_two_rounds_of_six_other_pairs():
    assert len(CARDS) == 6
    assert [len(exercises) for exercises in EXERCISES.values()] == [PAIRS_IN_A_ROUND] * 2
    first, second = ({each.pair.picture.slug for each in EXERCISES[number]} for number in (1, 2))
    assert len(first) == len(second) == 6
    assert not first & second


@pytest.mark.parametrize("slug", EXERCISES_BY_SLUG)
def test_expected_recall_is_the_side_that_finds_more_words(slug):
    exercise = EXERCISES_BY_SLUG[slug]
    left, right = (
        n_found(exercise.pair, side) for side in (exercise.pair.left, exercise.pair.right)
    )
    expected = LEFT if left > right else RIGHT if right > left else "equal"
    assert exercise.expected["recall"] == expected


@pytest.mark.parametrize("slug", EXERCISES_BY_SLUG)
def test_expected_precision_is_the_side_that_marks_clearly_less_beside_the_text(slug):
    pair = EXERCISES_BY_SLUG[slug].pair
    left, right = not_text(pair, pair.left), not_text(pair, pair.right)
    plain = 0.01 * WIDTH * HEIGHT
    expected = LEFT if right - left > plain else RIGHT if left - right > plain else "equal"
    assert EXERCISES_BY_SLUG[slug].expected["precision"] == expected


@pytest.mark.parametrize("number", EXERCISES)
@pytest.mark.parametrize("criterion", ["recall", "precision"])
def test_no_answer_is_expected_throughout(number, criterion):
    counts = Counter(exercise.expected[criterion] for exercise in EXERCISES[number])
    assert set(counts) == {"left", "equal", "right"}
    assert max(counts.values()) <= 3


def test_every_reason_names_a_word_or_a_side():
    for exercise in EXERCISES_BY_SLUG.values():
        assert set(exercise.why) == {"recall", "precision"}
        assert all(why[0].islower() or why[0] == "“" for why in exercise.why.values())
        assert all(why.endswith(".") for why in exercise.why.values())


def test_cards_leave_preference_and_what_people_dispute_open():
    assert {card.preference.answer for card in CARDS} == {""}
    open_precision = [card.pair.slug for card in CARDS if not card.precision.answer]
    assert open_precision == ["margin", "line", "nothing"]
    assert all(getattr(card, criterion).why for card in CARDS for criterion in CRITERIA)


def test_a_pair_is_told_in_words_for_those_who_do_not_see_it():
    told = {card.pair.slug: screens.shown(card.pair)["in_words"] for card in CARDS}
    assert "Left: no boxes. Right: a box on no text" in told["nothing"]
    assert "a box on a part of “Platform”" in told["cut"]
    assert "a much too large box round “BAKERY”" in told["too-large"]
    assert "a box round “CITY” and “HALL”" in told["line"]
