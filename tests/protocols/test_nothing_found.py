"""Nothing detected, or nothing to find: the same figures through every door, and never an exception."""

import csv
import warnings
from dataclasses import replace

import pytest

import text_rankings as tr
from protocols import coco, registry
from protocols.command_line.main import main
from protocols.core.regions import Region
from protocols.torch import TextDetectionMetric
from tests.support import commands
from tests.support.archives import zip_file
from tests.support.cases import cases
from tests.support.empty_sides import EMPTY, SIDES
from tests.support.scenes import SLUGS, WORD

ALONE = [slug for slug in SLUGS if registry.PROTOCOLS[slug].needs != "several methods"]
KEYS = ("recall", "precision", "f_score")


def sides(case):
    """Regions with all that the protocol needs, so that only the empty side is missing."""
    truth, found = SIDES[case]
    return truth, tuple(replace(region, confidence=0.9) for region in found or ())


def as_arrays(regions):
    return {
        "polygons": [list(region.points) for region in regions],
        "texts": [region.text for region in regions],
        "ignored": [region.ignored for region in regions],
        "scores": [region.confidence or 0.0 for region in regions],
    }


def as_coco(truth, found):
    def annotation(at, region):
        left, top, right, bottom = region.box
        box = {"image_id": 1, "bbox": [left, top, right - left, bottom - top]}
        of = {"utf8_string": region.text, "iscrowd": int(region.ignored)}
        return {"id": at, **box, **of}

    annotations = [annotation(at, region) for at, region in enumerate(truth, 1)]
    results = [{**annotation(at, of), "score": 0.9} for at, of in enumerate(found, 1)]
    return {"images": [{"id": 1, "file_name": "a.jpg"}], "annotations": annotations}, results


def is_expected(slug, case, of_image):
    expected = EMPTY[slug][case]
    if expected is None:
        return of_image.recall > 0
    return [getattr(of_image, key) for key in KEYS] == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore:.*no region in the ground truth")
@cases("slug", [slug for slug in ALONE if slug != "table-structure"])
@cases("case", [case for case in SIDES if case != "nothing, no file"])
def test_arrays_metric_and_coco_give_what_each_protocol_defines(slug, case):
    truth, found = sides(case)
    facade = tr.score({"a": as_arrays(truth)}, {"a": as_arrays(found)}, slug)
    assert is_expected(slug, case, facade.per_image["a"])

    annotations, results = as_coco(truth, found)
    assert is_expected(slug, case, coco.evaluate(annotations, results, slug).images[1])

    metric = TextDetectionMetric(slug)
    metric.update([as_arrays(found)], [as_arrays(truth)])
    whole = facade.overall
    figures = [metric.compute()[key] for key in KEYS]
    assert figures == pytest.approx([getattr(whole, key) for key in KEYS], nan_ok=True)


def test_a_table_of_which_nothing_is_found_has_a_score():
    table = Region.from_box(0, 0, 80, 20, id="1")
    cells = [
        Region.from_box(40 * at, 0, 40 * at + 40, 20, cell=(0, at, 0, at), parent="1")
        for at in range(2)
    ]
    found = tr.score({"a": [table, *cells]}, {"a": []}, "table-structure")
    assert (found.overall.recall, found.overall.f_score) == (0.0, 0.0)


@pytest.mark.parametrize("slug", ALONE)
def test_the_shell_scores_files_without_a_line(tmp_path, slug):
    if slug == "table-structure":
        pytest.skip("lines have no cells")
    truth = {"gt_1.txt": "0,0,100,0,100,40,0,40,word\r\n", "gt_2.txt": ""}
    gt = zip_file(tmp_path / "gt.zip", truth)
    silent = zip_file(tmp_path / "silent.zip", {"res_1.txt": "", "res_2.txt": ""})
    out = tmp_path / "scores.csv"
    named = ("--truth-format", "quad")
    done = commands.run_here(
        main,
        *("score", "--protocol", slug, "--truth", gt, *named, "--results", silent, "--out", out),
    )
    assert done.returncode == 0, done.stderr
    with open(out, newline="") as stream:
        rows = {row["image"]: row for row in csv.DictReader(stream)}
    for image, case in (("1", "nothing found"), ("2", "nothing and nothing")):
        expected = EMPTY[slug][case]
        figures = [float(rows[image][key]) for key in KEYS]
        assert figures == pytest.approx(expected or (0, 0, 0), abs=1e-4)
    assert "no confidences" not in done.stderr
    assert "no transcriptions" not in done.stderr


def test_one_silent_method_does_not_take_down_a_comparison():
    truth = {"a": as_arrays([WORD])}
    silent = {"a": {"boxes": [], "scores": [], "texts": []}}
    other = {"a": as_arrays([replace(WORD, confidence=0.9)])}
    found = tr.compare(
        truth,
        {"silent": silent, "other": other},
        ["iou", "average-precision", "end-to-end"],
        n_resamples=50,
    )
    values = {(one.protocol, one.method): one.value for one in found.values}
    assert {values[slug, "silent"] for slug in found.scores.protocols} == {0.0}
    assert {values[slug, "other"] for slug in found.scores.protocols} == {1.0}


def test_an_image_without_detections_does_not_hide_that_others_lack_confidences():
    """A silent image says nothing about confidences; the next one has none."""
    metric = TextDetectionMetric("average-precision")
    word = {"boxes": [[0, 0, 40, 10]]}
    metric.update([{"boxes": []}, word], [word, word])
    with pytest.raises(Exception, match="the results have no confidences"):
        metric.compute()


@cases("key", ["iscrowd", "ignore", "difficult", "ignored"])
def test_targets_of_torchvision_mark_what_does_not_count(key):
    """Two words, the second not to be read: one found of one, by the metric and by arrays."""
    target = {"boxes": [[0, 0, 40, 10], [0, 20, 40, 30]], key: [0, 1]}
    found = {"boxes": [[0, 0, 40, 10]]}
    metric = TextDetectionMetric("iou")
    metric.update([found], [target])
    assert metric.compute()["recall"] == 1.0
    assert tr.score({"a": target}, {"a": found}, "iou").overall.recall == 1.0


def test_keys_that_are_not_read_are_named_once():
    target = {
        "boxes": [[0, 0, 40, 10]],
        "masks": [[]],
        "occluded": [1],
        "image_id": 7,
        "area": [400],
    }
    found = {"boxes": [[0, 0, 40, 10]], "crowd": []}
    metric = TextDetectionMetric("iou")
    with pytest.warns(UserWarning, match="keys that are not read: crowd, masks, occluded$"):
        metric.update([found], [target])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.update([found], [target])
    with pytest.warns(UserWarning, match="keys that are not read: crowd, masks, occluded$"):
        tr.score({"a": target}, {"a": found}, "iou")
