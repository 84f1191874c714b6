"""Results of pairs, as data and as tables; the estimates themselves are test_pair_estimates."""

import pytest

from rankings.agreement.report import Settings
from rankings.analysis.pair_report import pair_report
from rankings.inference.pair_estimates import LostVisit, Visit
from rankings.output.pair_tables import pair_tables
from tests.support.notes import check_note

AB = frozenset("ab")
# The protocol "right" orders a, b, c; "wrong" the other way round; "flat" ties them.
SCORES = {
    "right": {"a": (0.9, 0.9), "b": (0.5, 0.5), "c": (0.1, 0.1)},
    "wrong": {"a": (0.1, 0.1), "b": (0.5, 0.5), "c": (0.9, 0.9)},
    "flat": dict.fromkeys("abc", (0.5, 0.5)),
}


def pair(image, annotator, ranking=(("a",), ("b",)), chance=1 / 3):
    return Visit(image, annotator, ranking, {AB: chance}, frozenset("abc"))


def found(visits, scores=SCORES):
    images = {visit.image for visit in visits}
    return pair_report({"recall": visits}, dict.fromkeys(images, scores), Settings())


def test_a_protocol_that_orders_every_pair_as_people_do_loses_nothing_and_its_reverse_all():
    """A pair of three, drawn with 1/3: its loss times 3 over the 3 pairs; a tie against an order is 1/2."""
    data = found([pair(image, person) for image in "xyz" for person in "pq"])
    own = data["criteria"]["recall"]
    means = dict(zip(own["comparisons"]["protocols"], own["comparisons"]["means"], strict=True))
    assert means == pytest.approx({"right": 0, "flat": 0.5, "wrong": 1})
    assert (own["n_visits"], own["n_rankings"], own["n_pairs"]) == (6, 0, 6)
    losses, differences = pair_tables(data)
    for table in (losses, differences):
        check_note(table.note, [column.name for column in table.columns])
    assert [row[1:3] for row in losses.rows] == [
        ("right", 0),
        ("flat", pytest.approx(0.5)),
        ("wrong", pytest.approx(1)),
    ]
    assert len(differences.rows) == 3


def test_whole_rankings_count_beside_pairs():
    """Two visits lose nothing; a whole ranking c > b > a loses all three pairs: 1 of 3 cells."""
    whole = Visit("z", "p", (("c",), ("b",), ("a",)), None)
    own = found([pair("x", "p"), pair("y", "q"), whole])["criteria"]["recall"]
    means = dict(zip(own["comparisons"]["protocols"], own["comparisons"]["means"], strict=True))
    assert means["right"] == pytest.approx(1 / 3)
    assert (own["n_visits"], own["n_rankings"], own["n_pairs"]) == (2, 1, 5)


def test_one_annotator_gives_losses_and_no_test():
    data = found([pair("x", "p"), pair("y", "p")])
    own = data["criteria"]["recall"]
    assert own["comparisons"]["reason"] == "one annotator says nothing about others"
    assert set(own["clusters"].values()) == {None}
    assert "one annotator says nothing" in pair_tables(data)[1].note


def test_an_image_on_which_a_protocol_lacks_a_score_is_left_out_for_all():
    scores = {"x": SCORES, "y": SCORES | {"late": {"a": (0.5, 0.5), "b": (None, 0.5)}}}
    data = pair_report({"recall": [pair("x", "p"), pair("y", "q")]}, scores, Settings())
    own = data["criteria"]["recall"]
    # The protocol that is known of one image alone is asked for on both.
    assert own["left_out"] == [
        {"image": "x", "reason": "late: a has no score"},
        {"image": "y", "reason": "late: b has no score"},
    ]
    assert (own["n_visits"], own["comparisons"]["reason"]) == (0, "no ranking")
    assert pair_tables(data)[:0] == []


def test_without_a_visit_or_a_score_there_is_no_table():
    assert [table.slug for table in pair_tables(found([]))] == []
    data = pair_report({"recall": [pair("x", "p")]}, {"x": {}}, Settings())
    assert data["criteria"]["recall"]["left_out"] == [{"image": "x", "reason": "no scores"}]
    assert pair_tables(data) == []


def lost(image, annotator, chance=1 / 3):
    return LostVisit(image, annotator, AB, {AB: chance}, frozenset("abc"))


def test_tables_have_the_limits_that_skipped_pairs_leave_and_count_these():
    """Two of four visits are skipped: half of the loss is open, a quarter for the one that ties."""
    visits = [pair("x", "p"), pair("y", "q")]
    data = pair_report(
        {"recall": visits, "precision": visits},
        dict.fromkeys("xyz", SCORES),
        Settings(),
        {"recall": [lost("z", "p"), lost("z", "q")]},
    )
    losses, differences = pair_tables(data)
    for table in (losses, differences):
        check_note(table.note, [column.name for column in table.columns])
    heads = [column.name for column in losses.columns]
    assert heads[-3:] == ["At least", "At most", "Skipped pairs"]
    of_recall = {row[1]: row[-3:] for row in losses.rows if row[0] == "recall"}
    assert of_recall == {
        "right": (0, pytest.approx(0.5), 2),
        "flat": (pytest.approx(0.25), pytest.approx(0.5), 2),
        "wrong": (pytest.approx(0.5), pytest.approx(1), 2),
    }
    # Of the other criterion nothing is missing, so the limits are the loss itself.
    for row in losses.rows:
        if row[0] == "precision":
            assert (row[-3], row[-2], row[-1]) == (row[2], row[2], 0)
    assert [column.name for column in differences.columns][-2:] == ["At least", "At most"]
    limits = {row[1:3]: row[-2:] for row in differences.rows if row[0] == "recall"}
    # right - wrong is -1 where it is answered, and from -1 to 1 where it is not.
    assert limits["right", "wrong"] == (pytest.approx(-1), pytest.approx(0))
    assert limits["flat", "right"] == (pytest.approx(0), pytest.approx(0.5))


def test_an_image_that_was_only_skipped_is_left_out_where_a_score_is_missing():
    data = pair_report(
        {"recall": [pair("x", "p")]},
        {"x": SCORES, "y": {**SCORES, "right": {}}},
        Settings(),
        {"recall": [lost("y", "p")]},
    )
    own = data["criteria"]["recall"]
    assert [left["image"] for left in own["left_out"]] == ["y"]
    assert own["skipped"]["n_visits"] == 0
    assert "At most" not in [column.name for column in pair_tables(data)[0].columns]
