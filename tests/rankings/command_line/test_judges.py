"""The command ``judges``: the worked example and four judges from files."""

import json
from pathlib import Path

import pytest

from rankings.__main__ import main

PEOPLE = [
    ("1", "P", [["a"], ["b"], ["c"]]),
    ("1", "Q", [["a"], ["b", "c"]]),
    ("1", "R", [["b"], ["a"], ["c"]]),
    ("2", "P", [["a"], ["b"], ["c"]]),
    ("2", "Q", [["a"], ["c"], ["b"]]),
    ("2", "R", [["a"], ["b"], ["c"]]),
]
# Image 1: a = b > c; image 2: c > a > b.
SAID = {
    "1": {"ab": "equal", "ac": "left", "bc": "left"},
    "2": {"ab": "left", "ac": "right", "bc": "right"},
}
BACK = {"left": "right", "right": "left", "equal": "equal"}


@pytest.fixture
def files(tmp_path):
    rankings, answers = tmp_path / "rankings.csv", tmp_path / "answers.csv"
    lines = ["image,annotator,criterion,buckets"]
    for image, person, buckets in PEOPLE:
        quoted = json.dumps(buckets).replace('"', '""')
        lines.append(f'{image},{person},recall,"{quoted}"')
    rankings.write_text("\n".join(lines) + "\n")
    lines = ["judge,image,left,right,repeat,attempt,outcome,recall,precision,preference"]
    for image, pairs in SAID.items():
        for (one, other), verdict in pairs.items():
            lines.append(f"J,{image},{one},{other},1,1,unreadable,,,")
            lines.append(f"J,{image},{one},{other},1,2,answered,{verdict},,")
            lines.append(f"J,{image},{other},{one},1,1,answered,{BACK[verdict]},,")
    answers.write_text("\n".join(lines) + "\n")
    return str(rankings), str(answers)


def test_the_worked_example(files, capsys):
    assert main(["judges", *files, "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)["recall"]
    assert row["difference"] / 100 == pytest.approx(1 / 9, abs=1e-12)
    assert (row["low"], row["high"]) == pytest.approx((-54.9, 77.1), abs=0.05)
    assert (row["rho"], row["done"], row["contradictions"]) == (0.5, 1.0, 0)
    assert row["may_stand_in"] is None
    assert row["outcomes"] == {"unreadable": 6, "answered": 12}


def test_sentences(files, capsys):
    assert main(["judges", *files]) == 0
    said = capsys.readouterr().out
    assert "recall, J: Of 100 pairs it differs from a person on 11.1 more" in said
    assert "Three annotators cannot show this" in said
    assert "6 pairs, 0 without a verdict, 0 % contradict themselves" in said


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("J,1,a,b,x,1,answered,left,,", "whole numbers"),
        ("J,1,a,b,1,1,answered,best,,", "a verdict is left, equal or right"),
        ("J,1,a,a,1,1,answered,left,,", "the same method"),
    ],
)
def test_a_row_that_is_no_answer_is_named(files, capsys, line, says):
    with open(files[1], "a") as file:
        file.write(line + "\n")
    assert main(["judges", *files]) == 2
    said = capsys.readouterr().err
    assert says in " ".join(said.split())
    assert "20" in said


def test_a_margin_other_than_that_of_the_file_is_said_to_be_late(files, capsys):
    answers = Path(files[1])
    head, *rows = answers.read_text().splitlines()

    def rows_with(*options):
        assert main(["judges", *files, "--json", *options]) == 0
        [row] = json.loads(capsys.readouterr().out)["recall"]
        return row["margin"], row["late_margin"]

    assert rows_with() == (0.05, False)
    # The file does not say that a margin was stored.
    assert rows_with("--margin", "0.02") == (0.02, True)
    answers.write_text("\n".join([f"{head},margin", *(f"{row},0.02" for row in rows)]) + "\n")
    assert rows_with() == rows_with("--margin", "0.02") == (0.02, False)
    assert rows_with("--margin", "0.07") == (0.07, True)
    answers.write_text("\n".join([f"{head},margin", *(f"{row},wide" for row in rows)]) + "\n")
    assert main(["judges", *files]) == 2
    assert "row 2: repeat and attempt are whole numbers, probability and margin are" in (
        capsys.readouterr().err
    )


def test_a_margin_out_of_range_is_refused(files, capsys):
    assert main(["judges", *files, "--margin", "0.5"]) == 2
    assert "margin" in capsys.readouterr().err
