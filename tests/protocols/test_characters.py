"""TedEval, CLEval and PopEval: where characters stand, and what each makes of them, by hand."""

import numpy as np
import pytest

from protocols import registry
from protocols.core.characters import characters_of, inside
from protocols.core.geometry import Shapes
from protocols.core.matching import first_credited
from protocols.core.regions import Region
from tests.support.cases import cases
from tests.support.scenes import scored as score


def word(left, top, right, bottom, text, **fields):
    return Region.from_box(left, top, right, bottom, text=text, **fields)


WORD = word(0, 0, 100, 20, "word")


def points(region, n, *, downwards=False, curved=False):
    characters = characters_of(
        Shapes([region]),
        np.array([n]),
        downwards=np.array([downwards]),
        curved=np.array([curved]),
    )
    return characters.points.tolist()


def test_characters_stand_in_equal_steps_on_the_middle_line():
    assert points(word(0, 0, 40, 10, "abcd"), 4) == [[5, 5], [15, 5], [25, 5], [35, 5]]


def test_upright_text_has_its_characters_above_each_other_from_the_bottom_as_published():
    assert points(word(0, 0, 10, 40, "ab"), 2, downwards=True) == [[5, 30], [5, 10]]


def test_characters_follow_a_slanted_word():
    slanted = Region((0, 0, 20, 20, 10, 30, -10, 10))
    assert points(slanted, 2) == [[0, 10], [10, 20]]


def test_characters_follow_a_curve():
    """A bent line of six points: top (0,0) (20,10) (40,0), bottom 10 below. Two characters take a
    section each; the centre of each is the mean of its corners.
    """
    bent = Region((0, 0, 20, 10, 40, 0, 40, 10, 20, 20, 0, 10))
    assert points(bent, 2, curved=True) == [[10, 10], [30, 10]]


def test_the_last_character_of_an_odd_number_of_points_ends_at_the_corner_below_as_published():
    """Top (0,0) (40,0), below it (40,10) (20,20) (0,10): of the bottom the first section, from
    (0,10) to (20,20), is cut in two at (10,15), but its end is the corner (40,10).
    """
    odd = Region((0, 0, 40, 0, 40, 10, 20, 20, 0, 10))
    assert points(odd, 2, curved=True) == [
        [(0 + 20 + 0 + 10) / 4, 6.25],
        [(20 + 40 + 10 + 40) / 4, 6.25],
    ]


def test_no_edge_is_inside_where_edges_are_open():
    corner = Region((0, 0, 10, 0, 10, 10, 0, 10)), Region((0, 0, 10, 1, 10, 10, 0, 10))
    points = np.array([[0, 5], [5, 10], [5, 5], [0, 5], [5, 0.5], [5, 5]], dtype=float)
    found = inside(points, Shapes(corner), np.array([0, 0, 0, 1, 1, 1]), open_edges=True)
    assert found.tolist() == [False, False, True, False, False, True]


@cases(
    ("x", "y", "expected"),
    [(0, 5, True), (10, 5, False), (5, 0, True), (5, 10, False), (5, 5, True), (11, 5, False)],
)
@cases(
    "square",
    [
        Region.from_box(0, 0, 10, 10),
        Region((10, 0, 10, 10, 0, 10, 0, 0)),
        # With five points, so that a polygon library decides.
        Region((0, 0, 5, 0, 10, 0, 10, 10, 0, 10)),
    ],
)
def test_left_and_top_edges_are_inside_right_and_bottom_ones_are_not(square, x, y, expected):
    is_inside = inside(np.array([[x, y]], dtype=float), Shapes([square]), np.array([0]))
    assert is_inside.tolist() == [expected]


def test_a_region_of_several_matches_earns_its_credit_in_the_first():
    groups = [((0, 1), (0,), "merge"), ((0,), (0, 1), "split")]
    matches = first_credited(groups, [1.0, 0.5], [0.5, 1.0])
    credits = [(match.recall_credit, match.precision_credit) for match in matches]
    assert credits == [(1.5, 0.5), (0.0, 1.0)]


def test_tedeval_refuses_to_merge_two_lines():
    over = [word(0, 0, 100, 20, "ab"), word(0, 20, 100, 40, "cd")]
    beside = [word(0, 0, 100, 20, "ab"), word(100, 0, 200, 20, "cd")]
    assert score("tedeval", over, [Region.from_box(0, 0, 100, 40)]).recall == 0
    assert score("tedeval", beside, [Region.from_box(0, 0, 200, 20)]).recall == 1
    reasons = {
        region.reason
        for region in score("tedeval", over, [Region.from_box(0, 0, 100, 40)]).unmatched
        if region.side == "detection"
    }
    assert reasons == {"its partners are on several lines"}


def test_cleval_takes_a_character_off_for_every_further_piece():
    """Two halves of a word of eight letters: all found, less one; precision is untouched."""
    truth = [word(0, 0, 80, 20, "abcdefgh")]
    scored = score("cleval", truth, [Region.from_box(0, 0, 40, 20), Region.from_box(40, 0, 80, 20)])
    assert scored.recall == pytest.approx(7 / 8)
    assert scored.precision == 1
    free = score(
        "cleval",
        truth,
        [Region.from_box(0, 0, 40, 20), Region.from_box(40, 0, 80, 20)],
        recall_granularity_weight=0,
    )
    assert free.recall == 1


def test_cleval_counts_one_character_for_any_false_polygon():
    """As above: held are 4 + 4, the upright false positive adds one."""
    truth = [word(0, 0, 100, 20, "abcdefgh")]
    exact, tall = Region.from_box(0, -1, 100, 21), Region.from_box(200, 0, 250, 100)
    scored = score("cleval", truth, [exact, tall], box_type="poly")
    assert scored.precision == pytest.approx(8 / 9)
    assert scored.indicators["n_false_positive_characters"] == 1


def test_cleval_turns_no_polygon():
    """Two letters in an upright box of 20 x 100: side by side for polygons, so that the upper half
    of the box contains neither (they are on its edge, which is outside), one above the other for
    quadrilaterals, so that it contains one.
    """
    upright = [word(0, 0, 20, 100, "ab")]
    upper = [Region.from_box(0, 0, 20, 50)]
    assert score("cleval", upright, upper, box_type="quad").recall == 0.5
    assert score("cleval", upright, upper, box_type="poly").recall == 0
    assert score("cleval", upright, [Region.from_box(0, 0, 20, 51)], box_type="poly").recall == 1


def test_cleval_gives_a_triangle_a_fourth_corner_as_published():
    """(0,0) (40,0) (40,10) becomes a box by (0,10): its letters stand at x = 10 and 30, y = 5."""
    triangle = [Region((0, 0, 40, 0, 40, 10), text="ab")]
    left = [Region.from_box(0, 0, 20, 10)]
    assert score("cleval", triangle, left, box_type="poly").recall == 0.5


def test_an_ignored_polygon_has_ten_characters():
    """They stand at x = 5, 15, ... 95, so that a detection from 90 on holds one. (One character
    would stand at x = 50.) Shares of ignored truths add up where they hold one: 0.238 is too
    little, twice that is enough.
    """
    ignored = Region.from_box(0, 0, 100, 100, text="###", ignored=True)
    beside = Region.from_box(0, 200, 100, 300, text="###", ignored=True)
    across = Region.from_box(90, 0, 104, 300)

    def n_false(*truth):
        scored = score("cleval", truth, [across], box_type="poly")
        return scored.indicators["n_false_positive_characters"]

    # 10 of 14 columns, 100 of 300 rows: 0.238 of the detection in each; one letter of each inside.
    assert n_false(ignored) == 1
    assert n_false(ignored, beside) == 0


@cases(("box_type", "n_false"), [("auto", 1), ("poly", 1), ("quad", 2)])
def test_a_truth_of_more_than_four_points_makes_all_regions_polygons(box_type, n_false):
    """A false positive of 50 x 60 looks like round(0.5 + 60 / 50) = 2 characters, as a polygon 1."""
    bent = Region((0, 0, 20, 10, 40, 0, 40, 10, 20, 20, 0, 10), text="ab")
    scored = score("cleval", [bent], [Region.from_box(100, 0, 150, 60)], box_type=box_type)
    assert scored.indicators["n_false_positive_characters"] == n_false
    protocol = registry.get("cleval", {"box_type": box_type})
    assert protocol.settled_for([bent]).box_type == ("quad" if box_type == "quad" else "poly")
    assert protocol.settled_for([WORD]).box_type == ("poly" if box_type == "poly" else "quad")


def test_cleval_end_to_end_counts_letters_in_the_right_order():
    """ "HELLO" read as "HELO" has four in order; "OLLEH" has a common subsequence of two."""
    truth = [word(0, 0, 100, 20, "HELLO")]
    read = score("cleval-end-to-end", truth, [word(0, 0, 100, 20, "HELO")])
    assert (read.recall, read.precision) == (pytest.approx(4 / 5), 1)
    backwards = score("cleval-end-to-end", truth, [word(0, 0, 100, 20, "OLLEH")])
    assert backwards.recall == pytest.approx(2 / 5)
    lower = score("cleval-end-to-end", truth, [word(0, 0, 100, 20, "hello")])
    assert lower.recall == 0
    either = score("cleval-end-to-end", truth, [word(0, 0, 100, 20, "hello")], case_sensitive=False)
    assert either.recall == 1


def test_cleval_end_to_end_joins_pieces_in_reading_order():
    """The right half comes first in the file; "wo" + "rd" is read as "word", less one for the split."""
    truth = [word(0, 0, 80, 20, "word")]
    pieces = [word(40, 0, 80, 20, "rd"), word(0, 0, 40, 20, "wo")]
    scored = score("cleval-end-to-end", truth, pieces)
    assert scored.recall == pytest.approx(3 / 4)
    assert scored.precision == 1


def test_cleval_end_to_end_strikes_a_letter_once():
    """One detection over two words read as "aa": each "aa" would take both letters; the second word
    finds none left. Two of four letters, both detected ones; a detection of two words costs one.
    """
    truth = [word(0, 0, 50, 20, "aa"), word(50, 0, 100, 20, "aa")]
    scored = score("cleval-end-to-end", truth, [word(0, 0, 100, 20, "aa")])
    assert scored.recall == pytest.approx(2 / 4)
    assert scored.precision == pytest.approx((2 - 1) / 2)


def test_popeval_strikes_single_candidates_first():
    """ "ab" touches both detections, "b" only the right one; "b" goes first and takes its b, so
    "ab" has the left one alone.
    """
    truth = [word(0, 0, 50, 20, "ab"), word(51, 0, 100, 20, "b")]
    scored = score("popeval", truth, [word(0, 0, 30, 20, "a"), word(40, 0, 100, 20, "b")])
    assert scored.indicators["n_struck_letters"] == 2
    assert (scored.recall, scored.precision) == (pytest.approx(2 / 3), 1)


def test_popeval_prefers_the_candidate_that_covers_most():
    truth = [word(0, 0, 100, 20, "aa")]
    small, large = word(0, 0, 20, 20, "a"), word(30, 0, 100, 20, "ax")
    scored = score("popeval", truth, [small, large])
    # "a" of the larger one first, then the smaller one is the only candidate left.
    assert scored.recall == 1
    assert scored.precision == pytest.approx(2 / 3)


def test_popeval_removes_what_lies_in_ignored_regions():
    truth = [word(0, 0, 100, 20, "###", ignored=True), word(0, 50, 100, 70, "ab")]
    scored = score("popeval", truth, [word(0, 0, 90, 20, "zz"), word(0, 50, 100, 70, "ab")])
    assert (scored.recall, scored.precision) == (1, 1)
    assert [region.reason for region in scored.unmatched if region.side == "detection"] == [
        "it is in an ignored region"
    ]


def test_cleval_says_of_a_detection_that_is_enough_on_the_truth_that_it_holds_no_character():
    # The last of four characters is in the middle of the last quarter.
    for left, reason in ((90, "holds no character"), (91, "at most 0.450 of a detection")):
        found = [word(left, 0, left + 20, 20, "")]
        told = score("cleval", [WORD], found, min_area_precision=0.5).unmatched
        assert told, left
        assert all(reason in one.reason for one in told), (left, told)


def test_popeval_ignores_what_lies_with_more_than_the_given_share_in_an_ignored_region():
    ignored = word(0, 100, 100, 120, "", ignored=True)
    for left, n_counted in ((50, 1), (49, 0)):
        found = [WORD, word(left, 100, left + 100, 120, "")]
        told = score("popeval", [WORD, ignored], found, max_ignored_share=0.5).unmatched
        counted = [one for one in told if one.side == "detection" and "ignored" not in one.reason]
        assert len(counted) == n_counted, (left, told)
