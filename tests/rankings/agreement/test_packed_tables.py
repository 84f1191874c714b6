"""Tables of many images as one text: nothing is lost, and other parts are read without it."""

import pytest

from rankings.agreement.packed_tables import images_of_table, packed_table
from rankings.agreement.report import Settings, build_report, report_from_json

AB, BA, TIED, ABC = [["a"], ["b"]], [["b"], ["a"]], [["a", "b"]], [["a"], ["b", "c"]]
SCORES = {"a": (0.9, 0.8), "b": (0.4, 0.9), "c": (0.1, 0.1)}


@pytest.fixture(scope="module")
def data():
    """Two criteria of three images, of which one has another method; the last is left out."""
    rankings = {"img_1": [AB, BA], "img_2": [ABC, ABC], "img_é": [TIED, TIED], "img_4": [AB]}
    report = build_report(
        {"recall": rankings, "preference": rankings},
        {image: {"iou": SCORES} for image in rankings},
        Settings(min_annotators=2),
    )
    return report.to_json()


def packed(data):
    criteria = {name: packed_table(table) for name, table in data["criteria"].items()}
    return {**data, "criteria": criteria}


def test_a_packed_report_is_the_same_report(data):
    assert packed(data) != data
    assert report_from_json(packed(data)) == report_from_json(data)


def test_only_the_images_asked_for_are_read(data):
    text = packed(data)
    text["criteria"]["preference"]["images"] = "not to be read"
    report = report_from_json(text, images_of="recall")
    assert report.criteria["recall"] == report_from_json(data).criteria["recall"]
    assert report.criteria["preference"].n_images == 3
    assert report.criteria["preference"].consensus == {}


def test_a_table_without_images_can_be_packed():
    empty = {"consensus": {}, "distances": {}, "n_images": 0}
    assert images_of_table(packed_table(empty)) == ({}, {})


def test_a_distance_is_that_of_its_image_and_protocol(data):
    consensus, distances = images_of_table(packed(data)["criteria"]["recall"])
    assert consensus["img_é"] == (("a", "b"),)
    # By recall the protocol orders a > b: a split apart from the tie.
    assert distances["img_é"]["iou"] == 0.5
