"""The pictures hold what the words about them say, and the answers are balanced and plain."""

from collections import Counter

from annotate.learning import presentation as screens
from annotate.learning.pairs import CARDS, CRITERIA, EXERCISES, LEFT, PAIRS_IN_A_ROUND, RIGHT
from tests.support.cases import cases

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
    """Return the area that boxes mark outside the words and the margin around them, in pixels."""
    airy = [
        (left - AIR, top - AIR, right + AIR, bottom + AIR)
        for left, top, right, bottom in pair.picture.boxes.values()
    ]
    return sum(area(box) - sum(shared(word, box) for word in airy) for box in boxes)


@cases("pair", PAIRS)
def test_boxes_lie_in_the_picture_and_the_sides_differ(pair):
    for left, top, right, bottom in (*pair.left, *pair.right):
        assert 0 <= left < right <= pair.picture.width
        assert 0 <= top < bottom <= pair.picture.height
    assert pair.left != pair.right


def test_there_are_seven_cards_and_two_rounds_of_six_other_pairs():
    assert len(CARDS) == 7
    assert [len(exercises) for exercises in EXERCISES.values()] == [PAIRS_IN_A_ROUND] * 2
    first, second = ({each.pair.picture.slug for each in EXERCISES[number]} for number in (1, 2))
    assert len(first) == len(second) == 6
    assert not first & second


@cases("slug", EXERCISES_BY_SLUG)
def test_expected_recall_is_the_side_that_finds_more_words(slug):
    exercise = EXERCISES_BY_SLUG[slug]
    left, right = (
        n_found(exercise.pair, side) for side in (exercise.pair.left, exercise.pair.right)
    )
    expected = LEFT if left > right else RIGHT if right > left else "equal"
    assert exercise.expected["recall"] == expected


@cases("slug", EXERCISES_BY_SLUG)
def test_expected_precision_is_the_side_that_marks_clearly_less_beside_the_text(slug):
    pair = EXERCISES_BY_SLUG[slug].pair
    left, right = not_text(pair, pair.left), not_text(pair, pair.right)
    # A hundredth of the picture; where all text is small, a sixth of its area is as plain.
    text = sum(map(area, pair.picture.boxes.values()))
    plain = min(0.01 * pair.picture.width * pair.picture.height, text / 6)
    expected = LEFT if right - left > plain else RIGHT if left - right > plain else "equal"
    assert EXERCISES_BY_SLUG[slug].expected["precision"] == expected


@cases("number", EXERCISES)
@cases("criterion", ["recall", "precision"])
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


IN_A_WIDE_WINDOW = 680  # how wide a pane of a lesson is in a window of 1440 px
SMALL = [pair for pair in PAIRS if pair.close_up]


def test_t26_the_cards_and_each_round_have_a_pair_with_small_text():
    n_small = [
        sum(pair.close_up is not None for pair in pairs)
        for pairs in (
            [card.pair for card in CARDS],
            *([each.pair for each in exercises] for exercises in EXERCISES.values()),
        )
    ]
    assert n_small == [1, 1, 1]


@cases("pair", SMALL)
def test_t26_as_a_whole_small_text_tells_nothing(pair):
    """As many boxes on both sides, as large, and no word that differs can be read."""
    scale = IN_A_WIDE_WINDOW / pair.picture.width
    assert len(pair.left) == len(pair.right)
    only = [set(pair.left) - set(pair.right), set(pair.right) - set(pair.left)]
    heights = [bottom - top for side in only for _, top, _, bottom in side]
    assert max(heights) * scale < 9  # with the air round the word
    left, top, right, bottom = pair.close_up
    for box in {*only[0], *only[1]}:
        assert left <= box[0] < box[2] <= right
        assert top <= box[1] < box[3] <= bottom


@cases("pair", SMALL)
def test_t26_zoomed_in_the_words_can_be_read(pair):
    """At the camera's usual 400 % every word is at least 40 px high."""
    assert all(4 * (box[3] - box[1]) >= 40 for box in pair.picture.boxes.values())
