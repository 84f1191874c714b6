"""Pairwise answers in files of the shapes that Argilla, Label Studio and Potato write."""

import csv
import json

import pytest

import text_rankings as tr
from rankings.__main__ import main
from rankings.command_line.answer_files import read_answer_file, read_rankings
from rankings.errors import RankingError
from tests.support.cases import cases

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
    rows = [row for _, row in read_answer_file(str(path)).rows]
    for row in rows:
        assert (row["image"], row["method_a"], row["method_b"]) == tuple(METHODS.values())
    return [(row["annotator"], row["criterion"], row["verdict"]) for row in rows]


def test_labels_of_argilla_are_verdicts_and_its_other_questions_are_left_out(tmp_path):
    assert answers(tmp_path, [RECORD]) == [("ann", "", "right"), ("ben", "", "east")]


def asked(**questions):
    """A record of Argilla with other answers."""
    return RECORD | {"responses": {name: list(given) for name, given in questions.items()}}


def test_rankings_of_argillas_client_are_refused_because_their_ranks_are_lost(tmp_path):
    # As argilla 2.8.0 writes them: the order of the settings, whatever was answered.
    of_two = [{"value": ["method_a", "method_b"], "user_id": name} for name in ("ann", "ben")]
    with pytest.raises(RankingError, match=r"without ranks and statuses.*server API"):
        answers(tmp_path, [asked(recall=of_two)])


def ranked(a, b):
    return {"value": [{"value": "method_a", "rank": a}, {"value": "method_b", "rank": b}]}


# As the server API of Argilla gives a record; argilla 2.8.0 reads this shape.
PAGE = {
    "items": [
        {
            "id": "7",
            "status": "completed",
            "fields": {"method_a": "east", "method_b": "craft"},
            "metadata": {"image": "street.jpg"},
            "responses": [
                {"values": {"recall": given}, "user_id": name, "status": status}
                for name, given, status in (
                    ("ann", ranked(1, 2), "submitted"),
                    ("ben", ranked(2, 1), "submitted"),
                    ("cat", ranked(1, 1), "submitted"),
                    ("dan", ranked(2, 1), "draft"),
                    ("eve", ranked(2, 1), "discarded"),
                )
            ],
        }
    ],
    "total": 1,
}


def test_ranks_of_argillas_server_are_verdicts_and_drafts_and_discarded_ones_are_counted(tmp_path):
    assert answers(tmp_path, PAGE) == [
        *(("ann", "recall", "method_a"), ("ben", "recall", "method_b"), ("cat", "recall", "equal"))
    ]
    found = tr.rank(tmp_path / "answers.json")
    assert found.rankings == {
        "recall": {
            "street.jpg": {
                "ann": (("east",), ("craft",)),
                "ben": (("craft",), ("east",)),
                "cat": (("craft", "east"),),
            }
        }
    }
    assert found.left_out == (
        ("street.jpg", "dan", "draft in Argilla"),
        ("street.jpg", "eve", "discarded in Argilla"),
    )
    told = []
    read_rankings(str(tmp_path / "answers.json"), told.append)
    assert [line.partition(": ")[2] for line in told] == [
        "1 answer is left out: discarded in Argilla",
        "1 answer is left out: draft in Argilla",
    ]


# As the converter of label-studio-sdk 2.1.2 writes three tags Pairwise and a tag Choices.
def chosen(name, side):
    return {"from_name": name, "to_name": "l", "type": "pairwise", "value": {"selected": side}}


SAME = {
    "from_name": "same",
    "to_name": "l",
    "type": "choices",
    "value": {"choices": ["They look the same"]},
}
TASK = {
    "id": 1,
    "data": METHODS | {"left": "/l.png"},
    "annotations": [
        {
            "id": 1,
            "completed_by": 1,
            "was_cancelled": False,
            "lead_time": 4.5,
            "result": [chosen("recall", "left"), chosen("precision", "right")],
        },
        {"id": 2, "completed_by": 2, "was_cancelled": False, "lead_time": 4.5, "result": [SAME]},
        {"id": 4, "completed_by": 4, "was_cancelled": True, "lead_time": 4.5, "result": []},
    ],
    "drafts": [],
    "predictions": [],
}
OF_LABEL_STUDIO = {
    "JSON": [TASK],
    "JSON_MIN": [
        METHODS
        | {"recall": [{"selected": "left"}], "precision": [{"selected": "right"}], "annotator": 1}
        | {"annotation_id": 1, "lead_time": 4.5},
        METHODS
        | {"same": "They look the same", "annotator": 2, "annotation_id": 2, "lead_time": 4.5},
    ],
}


@pytest.mark.parametrize("kind", ["JSON", "JSON_MIN"])
def test_tags_of_label_studio_are_criteria_and_ties_in_another_tag_are_counted(tmp_path, kind):
    expected = [("1", "recall", "left"), ("1", "precision", "right")]
    found = answers(tmp_path, OF_LABEL_STUDIO[kind])
    assert [(str(name), by, said) for name, by, said in found] == expected
    reasons = [reason for _, _, reason in tr.rank(tmp_path / "answers.json").left_out]
    assert 'the choice "They look the same" of the tag same' in reasons[0]
    # JSON_MIN has no skipped tasks.
    assert reasons[1:] == (["skipped by the annotator"] if kind == "JSON" else [])


@pytest.mark.parametrize("kind", ["JSON", "JSON_MIN"])
def test_a_choice_that_is_explained_is_the_verdict_of_every_tag(tmp_path, kind):
    (tmp_path / "answers.json").write_text(json.dumps(OF_LABEL_STUDIO[kind]))
    found = tr.rank(tmp_path / "answers.json", codes={"They look the same": "equal"})
    tie = (("craft", "east"),)
    assert found.rankings["recall"]["street.jpg"] == {"1": (("east",), ("craft",)), "2": tie}
    assert found.rankings["precision"]["street.jpg"] == {"1": (("craft",), ("east",)), "2": tie}


def test_the_csv_of_label_studio_is_read(tmp_path):
    path = tmp_path / "result.csv"
    head = "annotation_id,annotator,id,image,lead_time,method_a,method_b,recall,same"
    path.write_text(
        f"{head}\n"
        '1,"1",1,"street.jpg",4.5,"east","craft","[{""selected"":""left""}]",""\n'
        '2,"2",1,"street.jpg",4.5,"east","craft","","They look the same"\n'
    )
    found = tr.rank(path)
    assert found.rankings == {"recall": {"street.jpg": {"1": (("east",), ("craft",))}}}
    [(image, name, reason)] = found.left_out
    assert (image, name) == ("street.jpg", "2")
    assert 'the choice "They look the same" of the tag same' in reason


EAST, CRAFT = (("east",), ("craft",)), (("craft",), ("east",))


@pytest.mark.parametrize("kept", [("annotation_id",), ("lead_time",), ()])
def test_rows_of_label_studio_are_read_without_the_optional_columns(tmp_path, kept):
    own = {"annotation_id": 1, "lead_time": 4.5}
    rows = [
        METHODS
        | {"recall": [{"selected": side}], "annotator": name}
        | {key: own[key] for key in kept}
        for name, side in (("1", "left"), ("2", "right"))
    ]
    # The field may be missing in some rows alone.
    rows[1].pop("lead_time", None)
    (tmp_path / "answers.json").write_text(json.dumps(rows))
    texts = [row | {"recall": json.dumps(row["recall"])} for row in rows]
    with open(tmp_path / "answers.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(texts)
    for name in ("answers.json", "answers.csv"):
        found = tr.rank(tmp_path / name)
        assert found.rankings == {"recall": {"street.jpg": {"1": EAST, "2": CRAFT}}}
        assert found.left_out == ()


def test_a_plain_word_of_label_studio_is_an_answer(tmp_path):
    """A tag Choices with the choices left, right and equal is a plain string in JSON_MIN."""
    own = {"annotation_id": 1, "lead_time": 4.5}
    rows = [
        METHODS | own | {"annotator": name, "recall": said, "position": "left"}
        for name, said in (("1", "left"), ("2", "right"), ("3", "equal"))
    ]
    pairwise = METHODS | own | {"annotator": "4", "recall": [{"selected": "left"}]}
    (tmp_path / "answers.json").write_text(json.dumps([*rows, pairwise | {"position": "left"}]))
    found = tr.rank(tmp_path / "answers.json")
    wanted = {"1": EAST, "2": CRAFT, "3": (("craft", "east"),), "4": EAST}
    # Next to a tag Pairwise, the position is data of the task.
    assert found.rankings == {"recall": {"street.jpg": wanted}}
    for row in rows:
        del row["position"]
    del wanted["4"]
    (tmp_path / "answers.json").write_text(json.dumps(rows))
    assert tr.rank(tmp_path / "answers.json").rankings == {"recall": {"street.jpg": wanted}}


def test_a_table_of_answers_with_a_time_is_no_export(tmp_path):
    row = METHODS | {"annotator": "1", "verdict": "left", "lead_time": 4.5, "criterion": "recall"}
    (tmp_path / "answers.json").write_text(json.dumps([row]))
    assert tr.rank(tmp_path / "answers.json").rankings == {"recall": {"street.jpg": {"1": EAST}}}


def test_one_tag_of_label_studio_that_names_a_criterion_is_that_criterion(tmp_path):
    annotation = {"completed_by": 1, "result": [chosen("recall", "left")]}
    assert answers(tmp_path, [TASK | {"annotations": [annotation]}]) == [(1, "recall", "left")]


WINNERS = [
    METHODS | {"annotator": name, "winner": said}
    for name, said in zip("abcd", (0, 1, 1, 1), strict=True)
]


def written(folder, kind, rows):
    path = folder / f"pairs.{kind}"
    if kind == "csv":
        lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
        path.write_text("\n".join(lines))
    else:
        path.write_text(json.dumps(rows))
    return path


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_numbers_are_no_verdicts_until_they_are_explained(tmp_path, kind, capsys):
    path = written(tmp_path, kind, WINNERS)
    with pytest.raises(RankingError, match=r'has the verdict 0, a number.*"0=left, 1=right'):
        tr.rank(path)
    assert main(["analyse", str(path), str(path)]) == 2
    assert "--codes in the shell" in capsys.readouterr().err
    found = tr.rank(path, codes={0: "left", 1: "right"})
    east, craft = (("east",), ("craft",)), (("craft",), ("east",))
    assert found.rankings["preference"]["street.jpg"] == {
        "a": east,
        **dict.fromkeys("bcd", craft),
    }


def test_a_number_written_in_another_way_is_the_same_code(tmp_path):
    rows = [row | {"winner": float(row["winner"])} for row in WINNERS]
    wanted = tr.rank(WINNERS, codes="0=left, 1=right")
    for given in (rows, written(tmp_path, "csv", rows)):
        assert tr.rank(given, codes="0=left,1.0=right").rankings == wanted.rankings


@cases("codes", ["0=up", "0", "=left", "0=left,0.0=right", {1: "1"}])
def test_codes_of_verdicts_are_checked(codes):
    with pytest.raises(RankingError, match="expected codes like"):
        tr.rank(WINNERS, codes=codes)


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


def test_what_potatos_own_export_writes_is_read_and_its_justifications_are_named(tmp_path):
    """As python -m potato.export --format jsonl of version 2.12.1 wrote them, after the data file."""
    labels = [
        '{"preference": {"selection": "A", "justification": "A"}, '
        '"quality": {"recall": "B", "precision": "A"}}',
        '{"preference": {"selection": "tie"}}',
        '{"preference": {"selection": "B"}, "scale": {"scale_value": "2"}}',
    ]
    path = tmp_path / "both.jsonl"
    with path.open("w") as stream:
        for at in (1, 2, 3):
            methods = '"method_a": "east", "method_b": "craft", "text": ["a", "b"]'
            stream.write(f'{{"id": "{at}", "image": "img_{at}", {methods}}}\n')
        for at, of in enumerate(labels, 1):
            end = f'"labels": {of}, "spans": {{}}, "links": {{}}'
            stream.write(f'{{"instance_id": "{at}", "user_id": "ann", {end}}}\n')
    found = tr.rank(str(path))
    east, craft = (("east",), ("craft",)), (("craft",), ("east",))
    assert {
        by: {im: of["ann"] for im, of in own.items()} for by, own in found.rankings.items()
    } == {
        "recall": {"img_1": craft},
        "precision": {"img_1": east},
        "preference": {"img_1": east, "img_2": (("craft", "east"),), "img_3": craft},
        "scale": {"img_3": craft},
    }
    why = "the justification of an answer to preference is not read"
    assert found.left_out == (("img_1", "ann", why),)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([LINE], "answers of Potato without methods; image, method_a and method_b are expected in"),
        (
            [LINE | {"labels": {"mood": {"good": "1"}}}, ITEM],
            "no pairwise answers in the export of",
        ),
        ([asked(stars=[{"value": 4, "user_id": "ann"}])], "no pairwise answers in the export of"),
        ([RECORD | {"responses": [3]}], "Argilla: an answer has another shape"),
        ([RECORD | {"fields": {}}], "answers of Argilla without methods"),
        (
            [LINE | {"labels": {"p": {"scale_value": "much"}}}, ITEM],
            "this export of Potato: an answer has another shape",
        ),
        ([{"id": 3, "annotations": []}], "no pairwise answers in the export of Label Studio"),
        ([{"id": 3, "annotations": [{}]}], 'export of Label Studio: an answer lacks "result"'),
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
        read_rankings(str(path), print)
