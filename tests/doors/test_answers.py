"""Answers of other tools at the doors that take them: Python, the shell, and *Load answers* of the site.

The cases and their right values are those of ``cases/turn4/answers.md`` of the shared documents; files of
single tools are read in ``tests/rankings/command_line/test_tools.py``.
"""

import csv
import itertools
import json

import pytest

import text_rankings as tr
from rankings.__main__ import main
from rankings.errors import RankingError
from tests.support import commands
from tests.support.cases import cases

METHODS = "abcde"
ORDER = tuple((method,) for method in METHODS)


def pair(annotator, first, second, image="street"):
    row = {"image": image, "annotator": annotator, "criterion": "preference"}
    return {**row, "method_a": first, "method_b": second, "verdict": "left"}


# Ann compares all neighbours, three others the last two only.
OF_FIVE = [
    *(pair("ann", *both) for both in itertools.pairwise(METHODS)),
    *(pair(name, "d", "e") for name in ("ben", "cat", "dan")),
]
APART = [pair("ann", "a", "b"), pair("cat", "c", "d")]


def written(folder, rows):
    path = folder / "answers.csv"
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@cases("as_file", [False, True])
def test_whole_rankings_are_those_of_all_methods_and_the_others_count_as_pairs(tmp_path, as_file):
    found = tr.rank(written(tmp_path, OF_FIVE) if as_file else OF_FIVE)
    assert found.consensus["preference"] == {"street": ORDER}
    assert found.rankings["preference"]["street"] == {"ann": ORDER}
    assert [name for _, name, _ in found.left_out] == ["ben", "cat", "dan"]


@cases("as_file", [False, True])
def test_methods_that_never_met_have_no_order(tmp_path, as_file):
    found = tr.rank(written(tmp_path, APART) if as_file else APART)
    assert found.consensus["preference"] == {}
    assert found.strengths == {}
    [note] = found.notes
    assert all(method in note for method in "abcd"), note


def test_answers_without_an_annotator_are_nameless_and_this_is_said_once():
    rows = [{**one, "annotator": None} for one in OF_FIVE[:4]]
    found = tr.rank(rows)
    assert set(found.rankings["preference"]["street"]) == {""}
    assert len([note for note in found.notes if "annotator" in note]) == 1


INCOMPLETE = [
    [[["A"], ["B"], ["C"], ["D"]]] * 2 + [[["A"], ["B"], ["C"], ["D"]]] + [[["C"], ["D"]]] * 3,
    [[["A"], ["B"], ["C"], ["D"]]] * 2 + [[["D"]]],
]


def test_rankings_of_some_methods_say_nothing_of_the_others(tmp_path):
    """Of those who compared B and C all put B first, and all put C before D."""
    order = tuple((method,) for method in "ABCD")
    people = {
        f"img_{at}": {f"p{n}": ranking for n, ranking in enumerate(own)}
        for at, own in enumerate(INCOMPLETE)
    }
    found = tr.rank({"preference": people})
    assert set(found.consensus["preference"].values()) == {order}
    (tmp_path / "lists.json").write_text(json.dumps(INCOMPLETE))
    done = commands.run_here(main, "consensus", tmp_path / "lists.json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[list(bucket) for bucket in order]] * 2


@pytest.mark.parametrize("as_file", [False, True])
def test_numbers_are_no_verdicts_until_they_are_explained(tmp_path, as_file):
    rows = [{**pair("ann", "a", "b"), "verdict": code} for code in (0, 1, 1.0)]
    rows = [{**row, "image": f"img_{at}"} for at, row in enumerate(rows)]
    given = written(tmp_path, rows) if as_file else rows
    with pytest.raises(RankingError, match="0=left"):
        tr.rank(given)
    found = tr.rank(given, codes="0=left, 1=right")
    orders = found.consensus["preference"]
    assert orders["img_1"] == orders["img_2"] == (("b",), ("a",))
    assert orders["img_0"] == (("a",), ("b",))
