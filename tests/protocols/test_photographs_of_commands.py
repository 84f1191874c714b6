"""Photographs that commands and the facade are given: what they lack is reported, and boxes are turned.

A word of the stored frame turns by hand: with orientation 6, x, y of 400 x 600 become 400 - y ... of the
upright 600 x 400, so that the word at 40, 500, 70, 570 is at 30, 40, 100, 70.
"""

import json
import warnings
from pathlib import Path

import pytest
from PIL import Image as Picture

import text_rankings as tr
from protocols.command_line.main import main
from tests.support.archives import with_orientation, zip_file

STORED, UPRIGHT = (40, 500, 70, 570), (30, 40, 100, 70)
WORD = (103, 138, 360, 184)


def lines(*words):
    return "".join(f"{x},{y},{r},{y},{r},{b},{x},{b},a\n" for x, y, r, b in words)


def photograph(orientation):
    return with_orientation(Picture.new("L", (600, 400), 255), orientation)


@pytest.fixture
def files(tmp_path):
    def made(name, entries):
        return str(zip_file(tmp_path / name, entries))

    return made


def score(*options):
    return main(["score", "--protocol", "iou", *map(str, options)])


def recall(capsys, truth, results, *options):
    out = Path(truth).with_name("scores.csv")
    given = ["--truth", truth, "--results", results, "--out", str(out), *options]
    status = main(["score", "--protocol", "iou", *given])
    said = capsys.readouterr().err
    assert status == 0, said
    return out.read_text().splitlines()[-1].split(",")[3], said


def warned(*data, **options):
    """Return the warnings of the facade, and the recall."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        recall = tr.score(*data, **options).overall.recall
    return [str(of.message) for of in caught], recall


def converted(tmp_path, truth, photographs, *options):
    """Return the boxes of COCO's file: left, top, width, height."""
    out = tmp_path / "out.json"
    given = ["convert", truth, "--to", "coco-json", "--out", str(out), "--images", photographs]
    assert main([*given, *options]) == 0
    found = json.loads(out.read_text())
    [image] = found["images"]
    assert (image["width"], image["height"]) == (600, 400)
    return [of["bbox"] for of in found["annotations"]]


def test_convert_turns_boxes_of_the_stored_frame_and_reports_it(tmp_path, capsys, files):
    truth = files("gt.zip", {"gt_img_1.txt": lines(STORED)})
    photographs = files("p.zip", {"img_1.jpg": photograph(6)})
    assert converted(tmp_path, truth, photographs) == [[30, 40, 70, 30]]
    said = capsys.readouterr().err
    assert (
        "boxes on 1 photograph with an EXIF orientation, read turned as the photographs say" in said
    )
    out = tmp_path / "labelme.zip"
    given = ["convert", truth, "--to", "labelme", "--out", str(out), "--images", photographs]
    assert main(given) == 0
    assert main([*given[:1], str(out), "--to", "quad", "--out", str(tmp_path / "q.zip")]) == 0
    assert tr.score(str(tmp_path / "q.zip"), {"img_1": [UPRIGHT]}).overall.recall == 1


def test_convert_asks_about_the_frame_that_nothing_tells(tmp_path, capsys, files):
    """With orientation 3 both frames have 600 x 400: the word at 30, 40 ends at 570, 360."""
    truth = files("gt.zip", {"gt_img_1.txt": lines(UPRIGHT)})
    photographs = files("p.zip", {"img_1.jpg": photograph(3)})
    assert converted(tmp_path, truth, photographs) == [[30, 40, 70, 30]]
    assert "if they are on those as stored: --reading stored." in capsys.readouterr().err
    assert converted(tmp_path, truth, photographs, "--reading", "upright") == [[30, 40, 70, 30]]
    assert "--reading" not in capsys.readouterr().err
    assert converted(tmp_path, truth, photographs, "--reading", "stored") == [[500, 330, 70, 30]]
    level = files("level.zip", {"img_1.jpg": photograph(1)})
    assert converted(tmp_path, truth, level, "--reading", "stored") == [[30, 40, 70, 30]]
    assert "no photograph with an EXIF orientation" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["zip", "folder", "nowhere"])
def test_photographs_that_are_none_are_refused_by_name(tmp_path, capsys, files, kind):
    given = str(tmp_path / "photos.zip")
    if kind == "zip":
        files("photos.zip", {"readme.txt": "none"})
    elif kind == "folder":
        (tmp_path / "photos.zip").mkdir()
    reason = "there is no such file" if kind == "nowhere" else "holds no photograph"
    truth = files("gt.zip", {"gt_img_1.txt": lines(UPRIGHT)})
    assert score("--truth", truth, "--results", truth, "--images", given) == 2
    said = capsys.readouterr().err
    assert (given in said, reason in said) == (True, True)
    out = str(tmp_path / "out.json")
    assert main(["convert", truth, "--to", "coco-json", "--out", out, "--images", given]) == 2
    said = capsys.readouterr().err
    assert (given in said, reason in said) == (True, True)
    for results in (truth, {"img_1": [UPRIGHT]}):
        with pytest.raises(ValueError, match=reason):
            tr.score(truth, results, images=given)


def test_photographs_of_some_images_are_counted(tmp_path, capsys, files):
    entries = {f"gt_img_{n}.txt": lines(UPRIGHT) for n in (1, 2, 3)}
    truth = files("gt.zip", entries)
    results = files("net.zip", {"res_img_1.txt": lines(UPRIGHT)})
    some = files("p.zip", {"img_1.jpg": photograph(1)})
    out = ["--out", tmp_path / "scores.csv"]
    assert score("--truth", truth, "--results", results, "--images", some, *out) == 0
    sentence = "no photograph of 2 of 3 images (img_2, img_3)"
    assert sentence in capsys.readouterr().err
    told, _ = warned(truth, results, images=some)
    assert any(sentence in of for of in told)
    given = ["convert", truth, "--to", "paddle", "--out", str(tmp_path / "o"), "--images", some]
    assert main(given) == 0
    assert sentence in capsys.readouterr().err
    every = files("all.zip", {f"img_{n}.jpg": photograph(1) for n in (1, 2, 3)})
    assert score("--truth", truth, "--results", results, "--images", every, *out) == 0
    assert "no photograph of" not in capsys.readouterr().err


def test_the_facade_reports_options_of_photographs_that_it_does_not_use(files):
    truth = files("gt.zip", {"gt_img_1.txt": lines(UPRIGHT)})
    photographs = files("p.zip", {"img_1.jpg": photograph(6)})
    with pytest.warns(UserWarning, match="images, results_reading: not used"):
        tr.score(truth, {"img_1": [UPRIGHT]}, images=photographs, results_reading="stored")


# The frame of boxes: right boxes score 1, and others are found.


def test_ground_truth_in_shares_scores_one_too(capsys, files):
    yolo = {"img_1.txt": "0 0.385833 0.402500 0.428333 0.115000\n", "img_1.jpg": photograph(6)}
    results = files("net.zip", {"res_img_1.txt": lines(WORD)})
    found, said = recall(capsys, files("gt.zip", yolo), results)
    assert found == "1.0"
    assert "--truth-reading stored" in said


@pytest.mark.parametrize("side", ["truth", "results"])
def test_the_reading_that_is_named_is_used(capsys, files, side):
    """With orientation 3 both frames have 600 x 400: nothing else tells them apart."""
    upright, turned = (250, 150, 350, 180), (250, 220, 350, 250)
    given = {of: turned if of == side else upright for of in ("truth", "results")}
    paths = (
        files("gt.zip", {"gt_img_1.txt": lines(given["truth"])}),
        files("net.zip", {"res_img_1.txt": lines(given["results"])}),
    )
    options = ("--images", files("p.zip", {"img_1.jpg": photograph(3)}))
    found, said = recall(capsys, *paths, *options, f"--{side}-reading", "stored")
    assert (found, "no photograph with an EXIF orientation" in said) == ("1.0", False)
