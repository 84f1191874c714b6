"""COCO's way of asking gives what the protocols give."""

import json

import numpy as np
import pytest

from protocols.coco import NotCoco, evaluate
from protocols.core.errors import DataWarning, UnknownProtocol
from protocols.torch import TextDetectionMetric
from tests.support.cases import cases

TRUTH = {
    "images": [{"id": 7, "file_name": "a/street.jpg"}, {"id": 9, "file_name": "shop.png"}],
    "annotations": [
        {"id": 1, "image_id": 7, "bbox": [0, 0, 100, 40]},
        {"id": 2, "image_id": 7, "bbox": [0, 60, 50, 30], "iscrowd": 1},
        {"id": 3, "image_id": 9, "bbox": [0, 0, 80, 20]},
    ],
}
FOUND = [
    {"image_id": 7, "bbox": [0, 0, 100, 40], "score": 0.9},
    {"image_id": 7, "bbox": [0, 60, 50, 30], "score": 0.8},
]


def test_results_of_files_are_scored_by_the_ids_of_images(tmp_path):
    """By hand: of two words one is found; the detection on the crowd is ignored."""
    for name, data in (("truth.json", TRUTH), ("results.json", FOUND)):
        tmp_path.joinpath(name).write_text(json.dumps(data))
    found = evaluate(tmp_path / "truth.json", str(tmp_path / "results.json"))
    assert (found.stats["recall"], found.stats["precision"]) == (0.5, 1.0)
    assert {key: score.recall for key, score in found.images.items()} == {7: 1.0, 9: 0.0}


def test_protocol_variant_and_parameters_are_chosen():
    assert evaluate(TRUTH, FOUND, "iou:art").protocol == "iou:art"
    with pytest.warns(DataWarning, match="no boxes on 2 of 2 images"):
        assert evaluate(TRUTH, [], "iou", min_iou=0.9).stats["recall"] == 0


@cases("protocol", ["iou", "evaltex", "panoptic-quality", "slot-error"])
def test_no_images_give_no_figures(protocol):
    found = evaluate({"images": [], "annotations": []}, [], protocol)
    assert (found.overall.n_images, found.images) == (0, {})
    assert set(found.stats.values()) == {None}


@cases(
    ("truth", "results", "says"),
    [
        ("absent.json", [], r"absent\.json cannot be read: No such file"),
        ([], [], 'the annotations have no list of "images"'),
        (TRUTH, FOUND, "cleval cannot score this: the ground truth has no transcriptions"),
        (TRUTH, [{"image_id": 8, "bbox": [0, 0, 1, 1]}], "8"),
        (TRUTH, [{"image_id": 7, "bbox": [0, 0, 1]}], "results.*bbox|results.*numbers"),
    ],
)
def test_what_cannot_be_scored_is_named(truth, results, says):
    with pytest.raises(NotCoco, match=says):
        evaluate(truth, results, "cleval" if results is FOUND else "iou")


def test_numbers_of_numpy_are_those_of_python():
    """As a training loop has them: ids and boxes out of arrays and tensors."""
    found = [
        {
            "image_id": np.int64(of["image_id"]),
            "bbox": np.array(of["bbox"], np.float32),
            "score": np.float32(of["score"]),
        }
        for of in FOUND
    ]
    truth = {
        "images": [{**of, "id": np.int64(of["id"])} for of in TRUTH["images"]],
        "annotations": [
            {**of, "bbox": list(np.float32(of["bbox"]))} for of in TRUTH["annotations"]
        ],
    }
    assert evaluate(truth, found).stats == evaluate(TRUTH, FOUND).stats
    assert evaluate(truth, found).images.keys() == {7, 9}


def test_several_protocols_give_one_evaluation_each():
    found = evaluate(TRUTH, FOUND, ["IoU", "deteval"])
    assert found == {"iou": evaluate(TRUTH, FOUND), "deteval": evaluate(TRUTH, FOUND, "deteval")}
    with pytest.raises(UnknownProtocol, match="did you mean 'iou'"):
        evaluate(TRUTH, FOUND, ["ious"])


@cases("value", [float("nan"), float("inf"), np.float32("nan")])
def test_a_number_that_is_not_finite_is_named_by_image_and_region(value):
    wrong = {"image_id": 9, "bbox": [0, 0, value, 9], "score": 0.5}
    with pytest.raises(NotCoco, match="annotation 3, image “shop”"):
        evaluate(TRUTH, [*FOUND, wrong])


@cases("slug", ["iou", "deteval", "evaltex", "average-precision", "tiou"])
def test_flat_detections_count_as_the_metric_counts_them(slug):
    """The second way: the metric takes the same boxes as corners."""
    flat = [
        {"image_id": 9, "bbox": [5, 5, 0, 9], "score": 0.7},
        {"image_id": 7, "bbox": [5, 5, 9, 0], "score": 0.6},
    ]
    with pytest.warns(DataWarning) as told:
        found = evaluate(TRUTH, [flat[1], *FOUND, flat[0]], slug)
    assert any("Zero or negative size, 2 times" in str(of.message) for of in told)
    metric = TextDetectionMetric(slug)
    boxes = {7: [[5, 5, 14, 5], [0, 0, 100, 40], [0, 60, 50, 90]], 9: [[5, 5, 5, 14]]}
    scores = {7: [0.6, 0.9, 0.8], 9: [0.7]}
    metric.update(
        [{"boxes": boxes[key], "scores": scores[key]} for key in (7, 9)],
        [
            {"boxes": [[0, 0, 100, 40], [0, 60, 50, 90]], "ignored": [False, True]},
            {"boxes": [[0, 0, 80, 20]]},
        ],
    )
    assert found.stats == metric.compute()


def test_a_flat_detection_of_an_unknown_image_is_refused():
    with pytest.raises(NotCoco, match="the image_id “8”"):
        evaluate(TRUTH, [{"image_id": 8, "bbox": [5, 5, 0, 9]}])


def test_shares_of_the_sides_are_noticed():
    images = [{"id": 1, "file_name": "a.jpg"}]
    boxes = [{"id": 1, "image_id": 1, "bbox": [0.1, 0.1, 0.5, 0.2]}]
    with pytest.raises(NotCoco, match="coordinates from 0 to 1 in 1 region; expected pixels"):
        evaluate({"images": images, "annotations": boxes}, boxes)
    beyond = [{**boxes[0], "bbox": [0.1, 0.1, 1.2, 0.2]}]
    with pytest.warns(UserWarning, match="scores need pixels") as warned:
        evaluate({"images": images, "annotations": beyond}, beyond)
    assert [str(of.message).partition(":")[0] for of in warned] == ["truth", "results"]
    assert warned[0].filename == __file__


def test_data_that_no_file_could_hold_are_refused():
    with pytest.raises(NotCoco, match="results: not what a JSON file can hold"):
        evaluate(TRUTH, [{"image_id": 7, "bbox": [0, 0, 1, 1], "score": object()}])
