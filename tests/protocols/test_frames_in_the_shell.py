"""The frame of boxes in the shell and the facade: right boxes score 1, and others are found."""

import json
import warnings
from pathlib import Path

import pytest
from PIL import Image as Picture

import text_rankings as tr
from protocols.command_line.main import main
from tests.support.archives import stored, with_orientation, zip_file

TURNED = range(2, 9)
WORD = (103, 138, 360, 184)


def lines(*words):
    return "".join(f"{x},{y},{r},{y},{r},{b},{x},{b},a\n" for x, y, r, b in words)


def in_file(orientation, word=WORD):
    picture = Picture.new("L", (600, 400))
    picture.paste(255, word)
    return stored(picture, orientation).getbbox()


def photograph(orientation):
    return with_orientation(Picture.new("L", (600, 400), 255), orientation)


@pytest.fixture
def files(tmp_path):
    def made(name, entries):
        return str(zip_file(tmp_path / name, entries))

    return made


def recall(capsys, truth, results, *options):
    out = Path(truth).with_name("scores.csv")
    given = ["--truth", truth, "--results", results, "--out", str(out), *options]
    status = main(["score", "--protocol", "iou", *given])
    said = capsys.readouterr().err
    assert status == 0, said
    return out.read_text().splitlines()[-1].split(",")[3], said


@pytest.mark.parametrize("orientation", TURNED)
def test_yolo_with_its_photograph_scores_one_and_says_which_sides(capsys, files, orientation):
    """As ultralytics writes it: shares of the upright sides, 600 x 400."""
    truth = files("gt.zip", {"gt_img_1.txt": lines(WORD)})
    yolo = {
        "img_1.txt": "0 0.385833 0.402500 0.428333 0.115000 0.9\n",
        "img_1.jpg": photograph(orientation),
    }
    results = files("yolo.zip", yolo)
    found, said = recall(capsys, truth, results)
    assert found == "1.0"
    assert "1 photograph with an EXIF orientation" in said
    with pytest.warns(UserWarning, match="1 photograph with an EXIF orientation"):
        assert tr.score(truth, results).overall.recall == 1


def test_ground_truth_in_shares_scores_one_too(capsys, files):
    yolo = {"img_1.txt": "0 0.385833 0.402500 0.428333 0.115000\n", "img_1.jpg": photograph(6)}
    results = files("net.zip", {"res_img_1.txt": lines(WORD)})
    found, said = recall(capsys, files("gt.zip", yolo), results)
    assert found == "1.0"
    assert "--truth-reading stored" in said


def test_a_google_page_stays_right_when_its_photograph_is_added(capsys, files):
    left, top, right, bottom = WORD
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    box = {"normalizedVertices": [{"x": x / 600, "y": y / 400} for x, y in corners]}
    page = {
        "width": 600,
        "height": 400,
        "blocks": [{"paragraphs": [{"words": [{"boundingBox": box, "symbols": [{"text": "a"}]}]}]}],
    }
    content = json.dumps({"responses": [{"fullTextAnnotation": {"pages": [page], "text": "a"}}]})
    truth = files("gt.zip", {"gt_img_1.txt": lines(WORD)})
    for entries in ({"img_1.json": content}, {"img_1.json": content, "img_1.jpg": photograph(6)}):
        assert recall(capsys, truth, files("g.zip", entries))[0] == "1.0"


@pytest.mark.parametrize("frames", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_boxes_that_tell_their_frame_score_one_in_any(capsys, files, frames):
    """Truth and results, each stored or upright, with the photographs."""
    wide = (20, 138, 560, 184)
    truth, results = (lines(in_file(6, wide) if is_stored else wide) for is_stored in frames)
    photographs = files("p.zip", {"img_1.jpg": photograph(6)})
    paths = files("gt.zip", {"gt_img_1.txt": truth}), files("net.zip", {"res_img_1.txt": results})
    assert recall(capsys, *paths, "--images", photographs)[0] == "1.0"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert tr.score(*paths, images=photographs).overall.recall == 1


@pytest.mark.parametrize("orientation", TURNED)
def test_the_reading_that_is_named_is_used(capsys, files, orientation):
    word = (250, 150, 350, 180)
    photographs = files("p.zip", {"img_1.jpg": photograph(orientation)})
    stored_word, upright = lines(in_file(orientation, word)), lines(word)
    truth, results = (
        files("gt.zip", {"gt_img_1.txt": stored_word}),
        files("net.zip", {"res_img_1.txt": upright}),
    )
    options = ("--images", photographs, "--truth-reading", "stored")
    assert recall(capsys, truth, results, *options)[0] == "1.0"
    truth, results = (
        files("gt.zip", {"gt_img_1.txt": upright}),
        files("net.zip", {"res_img_1.txt": stored_word}),
    )
    options = ("--images", photographs, "--results-reading", "stored")
    assert recall(capsys, truth, results, *options)[0] == "1.0"


def test_a_reading_that_does_not_exist_is_refused(capsys, files):
    truth = files("gt.zip", {"gt_img_1.txt": lines(WORD)})
    results = files("net.zip", {"res_img_1.txt": lines(WORD)})
    given = ["--truth", truth, "--results", results, "--results-reading", "turned"]
    assert main(["score", "--protocol", "iou", *given]) == 2
    assert "'turned' is not a known reading" in capsys.readouterr().err
