"""COCO's own figures.

The expected ones of the drawn scenes were computed once with pycocotools 2.0.11: polygons of results as run
lengths of its ``frPyObjects``, -1 where a figure is undefined.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from protocols.coco import NotCoco, evaluate, summarize
from protocols.command_line.main import main
from protocols.core.errors import DataWarning, MissingPackage
from tests.support.cases import cases
from tests.support.coco_scenes import drawn

EXPECTED = json.loads(Path(__file__).with_name("coco_expected.json").read_text())
WORD = {"id": 1, "image_id": 7, "category_id": 1, "bbox": [0, 0, 100, 40]}
FOUND = {"image_id": 7, "category_id": 1, "bbox": [0, 0, 100, 40], "score": 0.5}


def dataset(*annotations, **image):
    return {"images": [{"id": 7, **image}], "annotations": list(annotations)}


@cases("name", EXPECTED)
def test_figures_of_drawn_scenes_are_those_of_pycocotools(name):
    seed, outlines, categories = name.split(" ", 2)
    is_masks = outlines == "masks"
    figures = summarize(
        *drawn(int(seed), masks=is_masks), masks=is_masks, by_category=categories == "by category"
    )
    found = [-1 if value is None else value for value in figures.values()]
    assert found == pytest.approx(EXPECTED[name], abs=1e-9)


def test_figures_have_the_names_and_the_order_of_cocos_program():
    names = "AP AP50 AP75 AP_small AP_medium AP_large AR_1 AR_10 AR_100 AR_small AR_medium AR_large"
    figures = summarize(dataset(WORD), [FOUND])
    assert [name.replace(" ", "_") for name in figures] == names.split()
    assert figures["AP medium"] == figures["AP"] == pytest.approx(1.0), (
        "4000 pixels are between 32² and 96²"
    )
    assert figures["AP small"] is figures["AR large"] is None


def test_a_crowd_takes_any_number_of_detections_which_then_do_not_count():
    """By hand: the word is found with 0.9; two surer detections are in the crowd, one is wrong (0.5).

    Precision is 1 at every recall. Without the crowd the first right one would be the third: 1/3.
    """
    crowd = {**WORD, "id": 2, "bbox": [200, 0, 100, 100]}
    inside = [{**FOUND, "bbox": [200 + at, 0, 20, 20], "score": 0.95} for at in (0, 50)]
    found = [{**FOUND, "score": 0.9}, *inside, {**FOUND, "bbox": [0, 300, 9, 9], "score": 0.5}]
    assert summarize(dataset(WORD, {**crowd, "iscrowd": 1}), found)["AP50"] == pytest.approx(1.0)
    assert summarize(dataset(WORD, crowd), found)["AP50"] == pytest.approx(51 / 101 / 3)


def test_detections_beyond_the_limit_are_dropped_by_their_scores():
    """By hand: the right one of two comes second."""
    found = [{**FOUND, "bbox": [0, 300, 9, 9], "score": 0.9}, FOUND]
    figures = summarize(dataset(WORD), found, max_detections=(1, 2))
    assert (figures["AR 1"], figures["AR 2"], figures["AP"]) == (0.0, 1.0, pytest.approx(0.5))


def test_a_file_without_truth_or_without_results():
    assert set(summarize(dataset(), [FOUND]).values()) == {None}
    assert set(summarize(dataset(), []).values()) == {None}
    assert set(summarize({"images": [], "annotations": []}, [], by_category=False).values()) == {
        None
    }
    figures = summarize(dataset(WORD), [])
    assert (figures["AP"], figures["AR 100"]) == (0.0, 0.0)


def test_an_annotation_with_the_id_0_is_matched_with_a_warning():
    with pytest.warns(UserWarning, match="the id 0") as warned:
        assert summarize(dataset({**WORD, "id": 0}), [FOUND])["AP"] == pytest.approx(1.0)
    assert warned[0].filename == __file__


def test_annotations_of_one_id_each_count_with_a_warning():
    """pycocotools 2.0.11 gives AP 13/202 and AR .25 here: it takes the last of the four for each."""
    words = [{**WORD, "bbox": [0, 100 * at, 100, 40]} for at in range(4)]
    found = [{**FOUND, "bbox": word["bbox"]} for word in words]
    with pytest.warns(DataWarning, match="^4 annotations share their id .* the id 1: "):
        figures = summarize(dataset(*words), found)
    assert (figures["AP"], figures["AR 100"]) == (pytest.approx(1.0), 1.0)


def test_what_the_annotations_do_not_list_is_left_out_and_said():
    """As pycocotools 2.0.11, which gives AP 1 in each of the cases, categories together or not."""
    listed = {**dataset(WORD), "categories": [{"id": 1}]}
    annotations = [WORD, {**WORD, "id": 2, "image_id": 9}, {**WORD, "id": 3, "category_id": 5}]
    found = [FOUND, {**FOUND, "category_id": 5, "score": 0.9}]
    for by_category in (True, False):
        with pytest.warns(DataWarning) as warned:
            figures = summarize(
                {**listed, "annotations": annotations}, found, by_category=by_category
            )
        assert figures["AP"] == pytest.approx(1.0)
        assert [str(of.message) for of in warned] == [
            "1 annotation is left out: no image has the id 9",
            "1 annotation is left out: no category has the id 5",
            "1 result is left out: no category has the id 5",
        ]


def test_a_result_without_an_outline_is_its_box_among_masks():
    """As pycocotools 2.0.11: AP 0.4 and AP50 1 with a triangle of legs 100 and a box of 60 x 60.5."""
    triangle = {**WORD, "segmentation": [[0, 0, 100, 0, 0, 100]], "area": 5000}
    truth = dataset(triangle, width=200, height=200)
    figures = summarize(truth, [{**FOUND, "bbox": [0, 0, 60, 60.5]}], masks=True)
    assert (figures["AP"], figures["AP50"]) == (pytest.approx(0.4), pytest.approx(1.0))
    assert figures["AP75"] == 0.0


def test_without_the_library_the_command_to_install_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "faster_coco_eval", None)
    with pytest.raises(MissingPackage, match=r"pip install 'text-detection-rankings\[coco\]'"):
        summarize(dataset(WORD), [FOUND])


def test_values_of_arrays_are_those_of_lists():
    found = {**FOUND, "image_id": np.int64(7), "bbox": np.array(FOUND["bbox"], np.float32)}
    assert summarize(dataset(WORD), [found]) == summarize(dataset(WORD), [FOUND])


@cases(
    ("truth", "found", "says"),
    [
        ([], [], 'no lists "images" and "annotations"'),
        (dataset(), {}, "the results are no list"),
        (dataset(WORD), [{**FOUND, "image_id": 8}], "result 1: no image has the id 8"),
        (dataset(WORD), [{**FOUND, "score": "0.5"}], "result 1: found '0.5' in score"),
        (dataset(WORD), [FOUND, {**FOUND, "bbox": [1, 2, 3]}], "result 2: found .* as bbox"),
        (dataset(WORD), [{**FOUND, "category_id": None}], "result 1: found None as category_id"),
        (
            dataset({**WORD, "bbox": [0, 0, float("nan"), 9]}),
            [],
            "annotation 1: found 'nan' in bbox",
        ),
        (dataset(WORD), [{**FOUND, "bbox": None}], "result 1: neither bbox nor segmentation"),
        (dataset(), [{**FOUND, "bbox": None, "segmentation": [[0, 0, 9, 0, 9, 9]]}], "no width"),
        (
            dataset(width=9, height=9),
            [{**FOUND, "bbox": None, "segmentation": [[0, 0]]}],
            "2 numbers",
        ),
        (
            dataset(),
            [{**FOUND, "bbox": None, "segmentation": {"size": [2, 2], "counts": [9]}}],
            "result 1: found",
        ),
        (
            dataset(width=9, height=9),
            [{**FOUND, "bbox": None, "segmentation": {"size": [2, 3], "counts": [1, 5]}}],
            "result 1: run lengths of 3 x 2 pixels, the image has 9 x 9",
        ),
        (
            dataset(width=9, height=9),
            [{**FOUND, "bbox": None, "segmentation": [[0, 0, 9, 0, 1e9, 9]]}],
            "result 1: a polygon with numbers above 1000000",
        ),
        (dataset(WORD), [{**FOUND, "bbox": "word"}], "result 1: found 'word' as bbox"),
        (dataset(WORD), [{**FOUND, "score": 10**400}], "result 1: found .* in score"),
    ],
)
def test_what_cannot_be_compared_is_named(truth, found, says):
    with pytest.raises(NotCoco, match=says):
        summarize(truth, found)


def test_limits_below_one_are_refused():
    with pytest.raises(NotCoco, match="limits of 1 or more"):
        summarize(dataset(WORD), [FOUND], max_detections=(0, 10))


def test_the_command_prints_the_figures(tmp_path, capsys):
    for name, data in (("truth.json", dataset(WORD)), ("found.json", [FOUND])):
        tmp_path.joinpath(name).write_text(json.dumps(data))
    paths = ["--truth", str(tmp_path / "truth.json"), "--results", str(tmp_path / "found.json")]
    assert main(["coco", *paths, "--max-detections", "1", "5"]) == 0
    assert json.loads(capsys.readouterr().out)["AR 5"] == 1.0
    assert main(["coco", "--truth", str(tmp_path / "none.json"), *paths[2:]]) == 2
    assert "none.json cannot be read" in capsys.readouterr().err


def test_average_precision_of_the_protocols_is_not_ap50():
    """A small detection inside a large crowd is ignored by COCO; VOC needs an IoU of one half for that."""
    crowd = {**WORD, "id": 2, "bbox": [200, 0, 400, 100], "iscrowd": 1}
    data = dataset(WORD, crowd, file_name="a.jpg")
    inside = {**FOUND, "bbox": [200, 0, 20, 20], "score": 0.9}
    assert summarize(data, [inside, FOUND])["AP50"] == pytest.approx(1.0)
    assert (
        evaluate(data, [inside, FOUND], "average-precision:rctw").stats["average_precision"] == 0.5
    )


def test_detections_beyond_the_limit_are_said():
    """120 words, all found, of which COCO's program takes 100: its AP is 84 of 101 recalls."""
    boxes = [{"image_id": 1, "category_id": 1, "bbox": [60 * n, 0, 50, 20]} for n in range(120)]
    truth = {
        "images": [{"id": 1}],
        "categories": [{"id": 1}],
        "annotations": [{**box, "id": at} for at, box in enumerate(boxes, 1)],
    }
    found = [{**box, "score": 0.9} for box in boxes]
    said = "20 detections are left out in image 1 by max_detections, whose largest limit is 100"
    with pytest.warns(DataWarning, match=f"^{said}"):
        assert summarize(truth, found)["AP"] == pytest.approx(84 / 101)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert summarize(truth, found, max_detections=(1, 10, 200))["AP"] == 1.0
