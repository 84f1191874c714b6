"""Whole rankings, and the consensus of images whose annotators ranked different methods."""

import json
from itertools import product

import pytest

import text_rankings as tr
from rankings.__main__ import main
from rankings.command_line.answer_files import read_rankings
from rankings.consensus.rules import agreed, consensus_of
from rankings.errors import RankingError
from tests.support import commands
from tests.support.cases import cases


def strict(text):
    return tuple((name,) for name in text)


def pairs(**people):
    """Return rows of one image: "ab" says that a is better than b."""
    return [
        {"image": "i", "annotator": name, "method_a": a, "method_b": b, "verdict": "left"}
        for name, said in people.items()
        for a, b in said.split()
    ]


def test_a_ranking_is_whole_only_if_it_has_all_methods_of_its_image():
    found = tr.rank(pairs(ann="ab bc cd de", ben="de", cat="de", dan="de"))
    assert found.rankings == {"preference": {"i": {"ann": strict("abcde")}}}
    assert found.consensus == {"preference": {"i": strict("abcde")}}
    assert found.left_out == tuple(
        ("i", name, "a ranking of 2 of 5 methods") for name in ("ben", "cat", "dan")
    )
    [note] = found.notes
    assert "Kemeny's over compared pairs (10 of 10)" in note
    assert note in str(found)
    assert "a ranking of 2 of 5 methods" in str(found)


def test_methods_that_no_answer_connects_have_no_common_order():
    found = tr.rank(pairs(ann="ab", cat="cd"))
    assert found.consensus == {"preference": {}}
    assert found.notes == ("preference, i: no consensus: no answer connects a > b; c > d",)
    assert len(found.left_out) == 2


def test_incomplete_rankings_are_no_full_ones():
    # "First of two" is not "first of four": all who compared two methods agree on them.
    whole, of_two, of_one = strict("ABCD"), strict("CD"), strict("D")
    for lists in ([whole] * 3 + [of_two] * 3, [whole] * 2 + [of_one]):
        assert consensus_of(lists) == whole
        done = commands.run_here(main, "consensus", "-", stdin=json.dumps([lists]))
        assert json.loads(done.stdout) == [[["A"], ["B"], ["C"], ["D"]]]
        assert "item 0: people ranked different methods" in done.stderr


def test_methods_that_no_answer_on_any_image_connects_have_no_strengths():
    pairs = [
        {"image": image, "annotator": name, "method_a": a, "method_b": b, "verdict": "left"}
        for image, name, a, b in (("one", "ann", "a", "b"), ("two", "cat", "c", "d"))
    ]
    found = tr.rank(pairs)
    wanted = "preference: no order over all images: no answer connects a, b; c, d"
    assert (dict(found.strengths), found.notes) == ({}, (wanted,))
    assert str(found).count("no answer connects") == 1
    # On one image the note on its consensus is enough.
    of_one = tr.rank([pair | {"image": "one"} for pair in pairs])
    assert (dict(of_one.strengths), len(of_one.notes)) == ({}, 1)


def test_the_command_gives_no_order_of_methods_that_no_answer_connects():
    lists = [[strict("ab"), strict("cd")], [strict("ab")]]
    done = commands.run_here(main, "consensus", "-", stdin=json.dumps(lists))
    assert json.loads(done.stdout) == [None, [["a"], ["b"]]]
    assert done.stderr == "item 0: no consensus: no answer connects a > b; c > d\n"
    with pytest.raises(RankingError, match="no answer connects"):
        consensus_of(lists[0])


def cost_of(places, rankings):
    """Half a pair for a tie, a whole pair for the opposite order."""
    return sum(
        1.0 if places[b] < places[a] else 0.5 if places[a] == places[b] else 0
        for (a,), (b,) in rankings
    )


@cases("said", ["ab bc ca ab", "ab ba bc", "ab cb", "ab ab ba ca cb"])
def test_it_is_the_nearest_order_to_the_compared_pairs(said):
    rankings = [strict(of) for of in said.split()]
    orders = [dict(zip("abc", places, strict=True)) for places in product(range(3), repeat=3)]
    nearest = agreed(rankings).ranking
    place = {name: at for at, bucket in enumerate(nearest) for name in bucket}
    assert cost_of(place, rankings) == min(cost_of(places, rankings) for places in orders)


def test_rankings_of_the_same_methods_are_as_before():
    people = {name: strict(text) for name, text in zip("xyz", ("abc", "acb", "abc"), strict=True)}
    found = tr.rank({"recall": {"i": people}})
    assert found.consensus == {"recall": {"i": strict("abc")}}
    assert not found.notes
    assert not found.left_out
    assert "Left out" not in str(found)


@cases("given", [{"annotator": None}, {}, {"annotator": ""}])
def test_answers_without_an_annotator_are_nameless_and_that_is_said_once(given):
    rows = [
        {"image": image, "criterion": "recall", "buckets": [["a"], ["b"]], **given}
        for image in ("i", "j")
    ]
    found = tr.rank(rows)
    assert found.rankings == {"recall": {image: {"": strict("ab")} for image in ("i", "j")}}
    assert found.notes == ("answers without an annotator count as those of one nameless person",)
    with pytest.raises(RankingError, match="row 2: a nameless annotator ranks i a second time"):
        tr.rank([*rows, rows[0]])


def test_a_contradiction_counts_by_its_pairs():
    # b before c by two of three, though ben contradicts himself on a and b.
    found = tr.rank(pairs(ann="ab bc", ben="ab ba bc", cat="ab cb"))
    assert found.consensus["preference"]["i"] == strict("abc")
    assert [name for _, name, _ in found.left_out] == ["ben", "cat"]


def test_the_same_answer_of_an_annotator_counts_once_and_that_of_nameless_people_each_time():
    # Two exports in one file, a task that was submitted twice: east wins once and loses once.
    once = pairs(ann="ab", ben="ba")
    again = [once[0], once[0] | {"method_a": "b", "method_b": "a", "verdict": "right"}]
    found = tr.rank([*once, *again])
    strengths = found.strengths["preference"].strengths
    assert strengths["a"] == pytest.approx(strengths["b"])
    assert found.left_out == (("i", "ann", "the same answer of the same annotator again"),) * 2
    nameless = [row | {"annotator": None} for row in (*once, *again)]
    strengths = tr.rank(nameless).strengths["preference"].strengths
    assert strengths["a"] > strengths["b"]


@pytest.mark.parametrize("missing", [None, float("nan"), ""])
def test_a_missing_value_is_no_name(missing, tmp_path):
    # pandas writes nan for a missing value into the records that json.dumps gets.
    row = pairs(ann="ab")[0]
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([row | {"annotator": missing, "image": missing}]))
    found = tr.rank(str(path))
    assert found.rankings["preference"] == {"": {"": strict("ab")}}
    with pytest.raises(RankingError, match="needs two methods, got 'a' and ''"):
        tr.rank([row | {"method_b": missing}])


@pytest.mark.parametrize("whole", [True, False])
def test_columns_that_are_not_read_are_named(whole, tmp_path):
    # As in FastChat's judgements; a batch of Mechanical Turk has AssignmentStatus.
    row = {"question_id": "i", "model_a": "a", "model_b": "b", "winner": "tie", "judge": "ann"}
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(row | {"AssignmentStatus": "Rejected", "empty": ""}))
    note = (
        "columns that are not read: question_id, judge, AssignmentStatus; "
        "those that are: image, annotator, criterion, seconds"
    )
    assert note in tr.rank(str(path)).notes
    said = []
    read_rankings(str(path), said.append, whole=whole)
    assert f"{path}: {note}" in said


def test_a_tie_next_to_winner_and_loser_is_named():
    rows = [{"winner": "a", "loser": "b", "tie": 1}]
    assert "columns that are not read: tie; " in tr.rank(rows).notes[0]


def test_a_line_with_more_cells_than_the_header_is_refused(tmp_path):
    path = tmp_path / "answers.csv"
    head = "image,annotator,verdict,method_a,method_b\n"
    path.write_text(f"{head}i,ann,left,a,b,,\n")
    assert tr.rank(str(path)).rankings["preference"]["i"] == {"ann": strict("ab")}
    path.write_text(f"{head}i,ann,left,a,b,2\n")
    with pytest.raises(RankingError, match="line 2 has more cells than the header"):
        tr.rank(str(path))
