"""COCO's way of asking gives what the protocols give."""

import json

import pytest

from protocols.coco import NotCoco, evaluate

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
    assert evaluate(TRUTH, [], "iou", min_iou=0.9).stats["recall"] == 0


@pytest.mark.parametrize("protocol", ["iou", "evaltex", "panoptic-quality", "slot-error"])
def test_no_images_give_no_figures(protocol):
    found = evaluate({"images": [], "annotations": []}, [], protocol)
    assert (found.overall.n_images, found.images) == (0, {})
    assert set(found.stats.values()) == {None}


@pytest.mark.parametrize(
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
