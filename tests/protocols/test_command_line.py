"""``python -m protocols`` as scripts use it."""

import csv
import json
import zipfile

import pytest

from tests import commands
from tests.archives import zip_file

TRUTH = {
    "gt_img_1.txt": '0,0,99,39,"one"\r\n200,0,299,39,"two"\r\n',
    "gt_img_2.txt": "0,0,99,39,###\r\n",
}
HALF = {"res_img_1.txt": "0,0,99,39\r\n", "res_img_2.txt": ""}


def run(*arguments, stdin=""):
    return commands.run("protocols", *arguments, stdin=stdin)


@pytest.fixture
def truth(tmp_path):
    return zip_file(tmp_path / "gt.zip", TRUTH)


@pytest.fixture
def half(tmp_path):
    return zip_file(tmp_path / "half.zip", HALF)


def test_list_names_every_protocol_with_defaults_and_ranges():
    listed = json.loads(run("list", "--json").stdout)
    assert [protocol["slug"] for protocol in listed] == ["iou", "deteval", "icdar13"]
    assert listed[0]["parameters"]["min_iou"]["default"] == 0.5
    assert listed[0]["parameters"]["min_iou"]["range"] == [0, 1]
    assert "min_area_recall = 0.8 in [0, 1]" in run("list").stdout


@pytest.mark.parametrize("style", [["-g={0}", "-s={1}"], ["-g", "{0}", "-s", "{1}"]])
def test_the_stand_alone_script_prints_its_figures(truth, half, style):
    done = run(*[part.format(truth, half) for part in style], "-p", '{"LTRB": true}')
    assert done.returncode == 0
    assert done.stdout.startswith("Calculated!")
    assert json.loads(done.stdout.removeprefix("Calculated!")) == {
        "recall": 0.5,
        "precision": 1.0,
        "hmean": 2 / 3,
        "AP": 0.0,
    }


@pytest.mark.parametrize("choice", ["DetEva", "deteval", "icdar13"])
def test_the_choice_names_the_protocol_and_quoted_parameters_are_read(truth, half, choice):
    done = run("-g", truth, "-s", half, "-c", choice, "-p", "'{\"AREA_RECALL_CONSTRAINT\": 0.7}'")
    assert json.loads(done.stdout.removeprefix("Calculated!")) == {
        "recall": 0.5,
        "precision": 1.0,
        "hmean": 2 / 3,
    }


def test_the_results_of_each_image_are_written(truth, half, tmp_path):
    out = tmp_path / "made" / "here"
    run("-g", truth, "-s", half, "-o", out, "-c", "DetEva")
    with zipfile.ZipFile(out / "results.zip") as archive:
        method = json.loads(archive.read("method.json"))
        first, second = (json.loads(archive.read(f"{n}.json")) for n in (1, 2))
    assert method["calculated"] is True
    assert first["pairs"] == [{"gt": 0, "det": 0, "type": "OO"}]
    assert first["recallMat"] == [[1.0], [0.0]]
    assert first["detPolPoints"] == [[0, 0, 99, 0, 99, 39, 0, 39]]
    assert second["gtDontCare"] == [0]
    assert (second["recall"], second["precision"]) == (0, 0)


@pytest.mark.parametrize(
    ("results", "named"),
    [
        ({"res_img_9.txt": "0,0,9,9"}, "The sample 9 not present in GT"),
        ({"res_img_1.txt": "99,0,0,39"}, "res_img_1.txt, line 1"),
        ({"res_img_1.txt": "0,0,9,9,0.5"}, "res_img_1.txt, line 1"),
        ({"res_one.txt": "0,0,9,9"}, "ZIP entry not valid"),
        ({"img_1.txt": "0,0,9,9", "res_img_1.txt": ""}, "img_1.txt"),
    ],
)
def test_a_refused_submission_says_why_and_ends_with_status_0(truth, tmp_path, results, named):
    submission = zip_file(tmp_path / "s.zip", results)
    done = run("-g", truth, "-s", submission, "-c", "DetEva", "-o", tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("Error!\n")
    assert named in done.stderr
    with zipfile.ZipFile(tmp_path / "results.zip") as archive:
        assert json.loads(archive.read("method.json"))["calculated"] is False


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["-g", "gt.zip"],
        ["-g"],
        ["-g", "a", "-s", "b", "-p", "{"],
        ["-g", "a", "-s", "b", "-c", "map"],
        ["-g", "a", "-s", "b", "-x", "1"],
        ["-g", "a", "-s", "b", "-p", '{"WRONG": 1}'],
    ],
)
def test_bad_usage_is_a_usage_line_and_status_2(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert "usage: python -m protocols -g gt.zip" in done.stderr


def test_score_writes_a_row_per_image_and_the_official_figures(truth, half, tmp_path):
    none = zip_file(tmp_path / "none.zip", {"res_img_1.txt": ""})
    out = tmp_path / "scores.csv"
    done = run(
        "score",
        "--protocol",
        "iou,icdar13",
        "--truth",
        truth,
        "--results",
        half,
        none,
        "--out",
        out,
    )
    assert done.returncode == 0, done.stderr
    assert "2/2 none" in done.stderr
    rows = {
        (row["protocol"], row["method"], row["image"]): (row["recall"], row["precision"])
        for row in csv.DictReader(out.read_text().splitlines())
    }
    assert len(rows) == 2 * 2 * 3
    assert rows["iou", "half", "*"] == ("0.5", "1.0")
    assert rows["iou", "half", "img_2"] == ("1.0", "1.0")
    assert rows["icdar13", "none", "img_1"] == ("0.0", "0.0")


def test_score_prints_without_a_file_and_writes_json(truth, half, tmp_path):
    done = run("score", "--protocol", "iou", "--truth", truth, "--results", half, "--jobs", "1")
    assert done.stdout.splitlines()[0] == "protocol,method,image,recall,precision,f_score"
    out = tmp_path / "scores.json"
    run("score", "--protocol", "all", "--truth", truth, "--results", half, "--out", out)
    assert json.loads(out.read_text())[2]["image"] == "*"


def test_scenes_are_scored_with_their_matches():
    scene = {
        "name": "s",
        "truth": [
            {"id": "g", "rect": [0, 0, 99, 39]},
            {"rect": [200, 0, 299, 39], "ignored": True},
        ],
        "detections": [{"id": "d", "points": [0, 0, 99, 0, 99, 39, 0, 39]}],
    }
    [found] = json.loads(run("scenes", "--protocol", "iou", "-", stdin=json.dumps([scene])).stdout)
    assert found["matches"] == [
        {
            "truth": ["g"],
            "detections": ["d"],
            "kind": "one-to-one",
            "recall_credit": 1.0,
            "precision_credit": 1.0,
        }
    ]
    assert found["unmatched"] == [{"side": "truth", "region": 1, "reason": "an ignored region"}]
    assert (found["recall"], found["f_score"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("arguments", "stdin", "named"),
    [
        (["scenes", "--protocol", "iou", "-"], "{", "is not JSON"),
        (["scenes", "--protocol", "iou", "-"], "{}", "expected a list of scenes"),
        (["scenes", "--protocol", "iou", "-"], "[3]", "scene 0"),
        (
            ["scenes", "--protocol", "iou", "-"],
            '[{"truth": [{}], "detections": []}]',
            "scene 0, truth 0",
        ),
        (
            ["scenes", "--protocol", "iou", "-"],
            '[{"truth": [{"points": [1, 2]}], "detections": []}]',
            "three points",
        ),
        (["scenes", "--protocol", "map", "-"], "[]", "no protocol 'map'"),
        (["scenes", "--protocol", "iou", "nowhere.json"], "", "cannot be read"),
        (["score", "--protocol", "iou", "--truth", "no.zip", "--results", "no.zip"], "", "no.zip"),
        (
            ["score", "--protocol", "iou", "--truth", "a", "--results", "b", "--out", "c.txt"],
            "",
            "must end in",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(arguments, stdin, named):
    done = run(*arguments, stdin=stdin)
    assert done.returncode == 2
    assert named in done.stderr
    assert done.stderr.count("\n") == 1
