"""COCO results without names of their own: their ids are those of the ground truth, in every door."""

import json

import pytest

import text_rankings as tr
from annotate.datasets.models import Result
from annotate.imports import drafts
from protocols.coco import scenes_of
from protocols.command_line.main import main as protocols_main
from protocols.core.errors import DataWarning
from protocols.torch import TextDetectionMetric
from tests.support import commands
from tests.support.cases import cases
from tests.support.loads import add, loaded
from text_rankings.api.inputs import NotData

FIRST, SECOND = [10, 10, 100, 40], [10, 80, 100, 40]
TRUTH = {
    # By its number, the result of the image 1 would be img_1.
    "images": [{"id": 1, "file_name": "img_2.jpg"}, {"id": 2, "file_name": "img_1.jpg"}],
    "categories": [{"id": 1, "name": "text"}, {"id": 2, "name": "sign"}],
    "annotations": [
        {"id": 1, "image_id": 1, "bbox": FIRST, "category_id": 1},
        {"id": 2, "image_id": 1, "bbox": SECOND, "category_id": 2},
    ],
}
SAID = "1 region of a category without a name (category_id “9”), with its number as label"


def results(first, second):
    return [
        {"image_id": 1, "bbox": FIRST, "category_id": first, "score": 0.9},
        {"image_id": 1, "bbox": SECOND, "category_id": second, "score": 0.8},
    ]


def in_shell(found, folder, protocol="slot-error", **parameters):
    for name, data in (("truth", TRUTH), ("found", found)):
        (folder / f"{name}.json").write_text(json.dumps(data))
    done = commands.run_here(
        protocols_main,
        *("score", "--protocol", protocol, "--truth", folder / "truth.json"),
        *("--results", folder / "found.json", "--parameters", json.dumps(parameters)),
        *("--out", folder / "out.json"),
    )
    assert done.returncode == 0, done.stderr
    return done


@cases("as_document", [False, True])
@cases(("ids", "rate", "recall"), [((2, 1), 2.0, 0.0), ((1, 2), 0.0, 1.0)])
def test_a_list_has_the_categories_of_the_truth(as_document, ids, rate, recall):
    """Two words, both of the other kind: two missing and two wrong of two."""
    found = results(*ids)
    overall = tr.score(
        TRUTH, {**TRUTH, "annotations": found} if as_document else found, "slot-error"
    ).overall
    assert (overall.indicators["slot_error_rate"], overall.recall) == (rate, recall)


@cases(("ids", "recall"), [((1, 2), 1.0), ((1.0, 2.0), 1.0), ((2, 1), 0.0)])
def test_same_labels_are_found_in_a_list(ids, recall):
    same = {"same_label": True}
    assert tr.score(TRUTH, results(*ids), "iou", parameters=same).overall.recall == recall


@pytest.mark.parametrize(("ids", "recall"), [((1, 2), 1.0), ((1, 1), 0.5), ((2, 1), 0.0)])
def test_the_shell_reads_ids_of_images_and_categories_as_those_of_the_truth(ids, recall, tmp_path):
    in_shell(results(*ids), tmp_path)
    [of_all] = [
        row for row in json.loads((tmp_path / "out.json").read_text()) if row["image"] == "*"
    ]
    assert of_all["recall"] == recall


def test_an_id_that_the_truth_does_not_know_is_its_label_and_said_once(tmp_path):
    with pytest.warns(DataWarning, match="category_id “9”") as warned:
        scene = scenes_of(TRUTH, results(1, 9))[1]
    assert [region.label for region in scene.detections] == ["text", "9"]
    assert sum(SAID in str(of.message) for of in warned) == 1
    assert in_shell(results(1, 9), tmp_path).stderr.count(SAID) == 1


# Shares of the sides on one side only

PIXELS, SHARES = [[10, 10, 30, 30]], [[0.1, 0.1, 0.3, 0.3]]


@cases("of", [list, lambda boxes: {"boxes": boxes}])
@cases(("truth", "found", "side"), [(PIXELS, SHARES, "results"), (SHARES, PIXELS, "truth")])
def test_shares_of_one_side_are_refused_with_the_side(of, truth, found, side):
    several = {"a": of(truth), "b": of([])}, {"a": of(found), "b": of(found)}
    with pytest.raises(NotData, match=f"^{side}: every coordinate is at most 1.5"):
        tr.score(*several)


def test_shares_of_one_method_among_others_are_refused_with_the_method():
    with pytest.raises(NotData, match=r"^results of east: every coordinate"):
        tr.score({"a": {"boxes": PIXELS}}, {"west": {"a": PIXELS}, "east": {"a": SHARES}})


@cases(("truth", "found", "side"), [(PIXELS, SHARES, "detections"), (SHARES, PIXELS, "truths")])
def test_the_metric_warns_of_the_side_in_shares_once(truth, found, side):
    metric = TextDetectionMetric("iou")
    with pytest.warns(UserWarning, match=f"^{side}: every coordinate is at most 1.5") as warned:
        metric.update([{"boxes": found}, {"boxes": []}], [{"boxes": truth}, {"boxes": []}])
    metric.update([{"boxes": found}], [{"boxes": truth}])
    assert len(warned) == 1


@cases(
    ("truth", "found", "side"),
    [(FIRST, [0.1, 0.1, 1.2, 0.2], "results"), ([0.1, 0.1, 1.2, 0.2], FIRST, "truth")],
)
def test_the_interface_of_coco_warns_of_the_side_in_shares(truth, found, side):
    document = {**TRUTH, "annotations": [{"id": 1, "image_id": 1, "bbox": truth}]}
    with pytest.warns(UserWarning, match=f"^{side}: every coordinate is at most 1.5"):
        scenes_of(document, [{"image_id": 1, "bbox": found}])


@pytest.mark.django_db
@pytest.mark.parametrize("as_document", [False, True])
def test_the_site_names_the_categories_and_images_of_results_loaded_with_their_truth(as_document):
    found = results(1, 2)
    draft = drafts.open_draft(person=None, name="Street")
    add(draft, json.dumps(TRUTH), "truth.json", kind="truth")
    given = {"images": TRUTH["images"], "annotations": found} if as_document else found
    file = add(draft, json.dumps(given), "net.json", kind="results", title="net")
    # Nothing was found on the second image of the list.
    drafts.change_file(file=file, missing="empty")
    dataset = loaded(draft)
    of_both = Result.objects.filter(method__dataset=dataset).order_by("image__name")
    labels = {of.image.name: [region.label for region in of.detections] for of in of_both}
    assert labels == {"img_1": [], "img_2": ["text", "sign"]}
