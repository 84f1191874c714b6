"""Pairwise answers in files of the shapes that Argilla, Label Studio and Potato write."""

import json

import pytest

from rankings.command_line.files import read_rankings, rows_of
from rankings.errors import RankingError

METHODS = {"image": "street.jpg", "method_a": "east", "method_b": "craft"}
# As Dataset.records.to_json of Argilla 2 writes a record; suggestions are those of a model.
RECORD = {
    "id": "7",
    "fields": {"prompt": "Which detector is better?", "method_a": "east", "method_b": "craft"},
    "metadata": {"image": "street.jpg"},
    "suggestions": {"better": {"value": "left", "score": None, "agent": "gpt"}},
    "responses": {
        "better": [{"value": "right", "user_id": "ann"}, {"value": "east", "user_id": "ben"}],
        "why": [{"value": "It misses a word.", "user_id": "ann"}],
        "stars": [{"value": 4, "user_id": "ann"}],
    },
    "vectors": {},
    "_server_id": "b5a1",
}
# As Potato writes a line for each person and item, and one of its data file.
ITEM = {"id": "1", "responses_shown": ["one.png", "two.png"], **METHODS}
LINE = {
    "instance_id": "1",
    "user_id": "ann",
    "labels": {"quality": {"selection": "B"}, "comment": {"text_box": "blurred"}},
    "spans": {},
    "links": {},
}


def answers(folder, content, name="answers.json"):
    """Return image, annotator, criterion and verdict of each pair of a file."""
    path = folder / name
    lines = map(json.dumps, content if name.endswith("l") else [content])
    path.write_text("\n".join(lines), encoding="utf-8")
    rows = [row for _, row in rows_of(str(path), ["buckets"], instead=lambda names: True)]
    for row in rows:
        assert (row["image"], row["method_a"], row["method_b"]) == tuple(METHODS.values())
    return [(row["annotator"], row["criterion"], row["verdict"]) for row in rows]


def test_labels_of_argilla_are_verdicts_and_its_other_questions_are_left_out(tmp_path):
    assert answers(tmp_path, [RECORD]) == [("ann", "", "right"), ("ben", "", "east")]


def asked(**questions):
    """A record of Argilla with other answers."""
    return RECORD | {"responses": {name: list(given) for name, given in questions.items()}}


def test_the_rankings_of_argilla_with_two_options_are_verdicts(tmp_path):
    of_two = {"value": ["method_b", "method_a"], "user_id": "ann"}
    # Records of the first generation carry ranks, and equal ones tie.
    ranks = [{"value": "east", "rank": 1}, {"value": "craft", "rank": 1}]
    found = answers(tmp_path, [asked(recall=[of_two, {"value": ranks, "user_id": "ben"}])])
    assert found == [("ann", "recall", "method_b"), ("ben", "recall", "equal")]


def test_drafts_and_discarded_answers_of_argilla_are_no_answers(tmp_path):
    given = [
        {"value": "left", "user_id": status, "status": status}
        for status in ("draft", "discarded", "submitted")
    ]
    assert answers(tmp_path, [asked(better=given)]) == [("submitted", "", "left")]


def test_several_questions_are_criteria(tmp_path):
    record = asked(
        recall=[{"value": "left", "user_id": "ann"}], looks=[{"value": "tie", "user_id": "ann"}]
    )
    assert answers(tmp_path, [record]) == [("ann", "recall", "left"), ("ann", "looks", "tie")]


def test_lines_of_potato_have_the_methods_of_the_lines_of_its_data_file(tmp_path):
    assert answers(tmp_path, [ITEM, LINE], "answers.jsonl") == [("ann", "", "right")]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"preference": {"selection": "tie"}}, [("preference", "equal")]),
        ({"preference": {"scale_value": "-2"}}, [("preference", "left")]),
        ({"preference": {"scale_value": "0"}}, [("preference", "equal")]),
        ({"preference": {"scale_value": "1.5"}}, [("preference", "right")]),
        (
            {"both": {"recall": "A", "precision": "B", "justification": '{"reasons": []}'}},
            [("recall", "left"), ("precision", "right")],
        ),
    ],
)
def test_each_mode_of_potato_is_read(tmp_path, given, expected):
    found = answers(tmp_path, [LINE | {"labels": given}, ITEM], "answers.jsonl")
    assert found == [("ann", by, verdict) for by, verdict in expected]


def test_rankings_follow_from_them(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text(f"{json.dumps(ITEM)}\n{json.dumps(LINE)}\n\n")
    assert read_rankings(str(path)) == {
        "preference": {"street.jpg": {"ann": (("craft",), ("east",))}}
    }


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([LINE], "answers of Potato without methods; image, method_a and method_b are expected in"),
        (
            [LINE | {"labels": {"mood": {"good": "1"}}}, ITEM],
            "no pairwise answers in the export of",
        ),
        ([asked(stars=[{"value": 4, "user_id": "ann"}])], "no pairwise answers in the export of"),
        ([RECORD | {"responses": [3]}], "cannot read this export of Argilla: AttributeError"),
        ([RECORD | {"fields": {}}], "answers of Argilla without methods"),
        (
            [LINE | {"labels": {"p": {"scale_value": "much"}}}, ITEM],
            "this export of Potato: Value",
        ),
        ([{"id": 3, "annotations": []}], "no pairwise answers in the export of Label Studio"),
        ([{"id": 3, "annotations": [{}]}], "cannot read this export of Label Studio: KeyError"),
    ],
)
def test_an_export_without_pairs_is_refused_with_the_reason(tmp_path, content, sentence):
    with pytest.raises(RankingError, match=r"answers\.jsonl: ") as refused:
        answers(tmp_path, content, "answers.jsonl")
    assert sentence in str(refused.value)


def test_a_line_that_is_no_json_is_refused(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"image": "a"}\n{"image":')
    with pytest.raises(RankingError, match="is no JSON file"):
        read_rankings(str(path))
