"""JSON by image, as ArT and LSVT have it, and JSON that is named because it is not read."""

import io
import json

import pytest

from protocols.command_line.main import main
from protocols.core.regions import Region
from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import read
from tests.support import commands
from tests.support.archives import zip_bytes
from tests.support.cases import cases

POINTS = [[48, 84], [61, 79], [75, 73], [70, 90]]
FLAT = (48, 84, 61, 79, 75, 73, 70, 90)


def opened(data, kind="truth", name="train.json"):
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    return read(io.BytesIO(content), kind=kind, name=name)


def test_art_ground_truth_has_language_and_illegible_regions():
    word = {"transcription": "CARE", "points": POINTS, "language": "Latin", "illegibility": False}
    blurred = {"transcription": "###", "points": POINTS[:3], "illegibility": True}
    archive = opened({"gt_1": [word, blurred], "gt_20": []})
    assert not archive.problems
    assert archive.regions == {
        "1": (Region(FLAT, "CARE", label="Latin"), Region(FLAT[:6], "###", ignored=True)),
        "20": (),
    }


def test_lsvt_results_have_confidences_and_perhaps_texts():
    sure = {"points": POINTS, "confidence": 0.9, "transcription": "CARE"}
    archive = opened({"res_1": [sure, {"points": POINTS[1:], "confidence": 1}]}, "results")
    assert not archive.errors
    assert archive.regions["1"] == (Region(FLAT, "CARE", 0.9), Region(FLAT[2:], confidence=1.0))


@cases(
    ("regions", "code"),
    [
        ("x", "L1"),
        ([1], "L1"),
        ([{}], "L1"),
        ([{"points": [1, 2, 3]}], "L1"),
        ([{"points": [[0, 0], [1, 1]]}], "L1"),
        ([{"points": [[0, 0], [1, "1"], [2, 2]]}], "L2"),
        ([{"points": POINTS, "confidence": 95}], "L3"),
    ],
)
def test_what_cannot_be_a_region_is_refused(regions, code):
    content = json.dumps({"gt_1": regions}).encode()
    archive = read(io.BytesIO(content), kind="truth", format="art-json", name="a.json")
    assert [problem.code for problem in archive.errors] == [code]


def rects(**line):
    given = {"points": [10, 20, 60, 20, 60, 40, 10, 40], "transcription": "AB", "ignore": 0} | line
    return zip_bytes({"gt/train_1.json": json.dumps({"chars": [], "lines": [given]})})


def test_rects_has_a_file_for_each_image_whose_lines_are_read():
    archive = opened(rects(), name="gt.zip")
    assert (archive.format, archive.problems) == ("rects-json", ())
    assert archive.regions == {"train_1": (Region((10, 20, 60, 20, 60, 40, 10, 40), "AB"),)}
    [ignored] = opened(rects(ignore=1), name="gt.zip").regions["train_1"]
    assert ignored.ignored


@cases(
    ("content", "code"),
    [
        (rects(points=[10, 20, 60, 20]), "L1"),
        (rects(points="10,20"), "L1"),
        (zip_bytes({"a.json": "[]"}), "A1"),
        (zip_bytes({"a.json": '{"lines": []}', "b/a.json": '{"lines": []}'}), "N3"),
    ],
)
def test_what_rects_cannot_mean_is_refused(content, code):
    archive = read(io.BytesIO(content), kind="truth", format="rects-json", name="a.zip")
    assert [problem.code for problem in archive.errors] == [code]


def test_what_it_is_of_is_guessed():
    for key, kind in (("gt_1", "truth"), ("res_1", "results")):
        guessed = guess(io.BytesIO(json.dumps({key: []}).encode()), "x.json")
        assert (guessed.kind, guessed.format) == (kind, "art-json")


@pytest.mark.parametrize(
    ("content", "data_set"),
    [
        (b'[{"adjusted_bbox": [0, 0, 9, 9], "text": "CARE"}]', "Chinese Text in the Wild"),
    ],
)
def test_json_that_is_not_read_is_named(content, data_set, tmp_path):
    [problem] = opened(content).errors
    assert (problem.code, problem.found) == ("A1", f"what looks like the JSON of {data_set}")
    path = tmp_path / "gt.json"
    path.write_bytes(content)
    done = commands.run_here(main, "score", "--protocol", "iou", "--truth", path, "--results", path)
    assert (done.returncode, f"what looks like the JSON of {data_set}" in done.stderr) == (2, True)
