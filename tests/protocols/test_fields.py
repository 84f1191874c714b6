"""Labels, texts and confidences that one side has: where they count, and which doors name them."""

import json
import warnings
from dataclasses import replace

import pytest

import text_rankings as tr
from protocols import coco, registry
from protocols.command_line.main import main
from protocols.core.base import Scene
from protocols.core.fitting import Held, lacking, lacking_of, one_sided
from protocols.core.regions import Region
from protocols.diagnostics.inspection import Against, look
from protocols.formats.containers.contents import Archive, LineFormat
from protocols.torch import TextDetectionMetric
from tests.support import commands
from tests.support.archives import zip_file
from tests.support.cases import cases
from tests.support.scenes import SLUGS

WORD = Region.from_box(0, 0, 100, 40, text="word", label="text", confidence=0.9)
NEXT = Region.from_box(110, 0, 210, 40, text="next", label="text", confidence=0.8)
SAID = (
    "labels on 0 of 2 truths and 2 of 2 detections; they count only where the ground truth has them"
)


def without(regions, *fields):
    return tuple(replace(region, **dict.fromkeys(fields)) for region in regions)


def figures(protocol, truth, found):
    [score] = protocol.score([Scene(tuple(truth), tuple(found), "a", 400, 300)])
    return score.recall, score.precision, score.f_score


@cases("slug", SLUGS)
def test_a_label_that_only_one_side_has_changes_no_figure_of_any_protocol(slug):
    protocol, both = registry.get(slug), (WORD, NEXT)
    bare = without(both, "label")
    expected = figures(protocol, bare, bare)
    assert figures(protocol, bare, both) == expected
    assert figures(protocol, both, bare) == expected


@cases("slug", SLUGS)
def test_confidences_of_the_ground_truth_change_no_figure_of_any_protocol(slug):
    protocol, found = registry.get(slug), (WORD, NEXT)
    assert figures(protocol, without(found, "confidence"), found) == figures(protocol, found, found)


def test_a_script_counts_where_the_ground_truth_has_one():
    task_3 = registry.get("iou:mlt2019")
    other = replace(WORD, label="Latin")
    assert figures(task_3, without([WORD], "label"), [other])[0] == 1.0
    assert figures(task_3, [WORD], [other])[0] == 0.0
    assert figures(task_3, [WORD], without([WORD], "label"))[0] == 0.0


@cases("slug", ["end-to-end", "popeval", "cleval-end-to-end"])
def test_texts_count_where_the_ground_truth_has_them(slug):
    """A word without a text is left out with its detection, as an illegible one is."""
    protocol = registry.get(slug)
    truth = (WORD, replace(NEXT, text=None))
    assert figures(protocol, truth, (WORD, NEXT)) == (1.0, 1.0, 1.0)
    assert figures(protocol, truth, (WORD,)) == (1.0, 1.0, 1.0)


def test_a_finding_needs_a_field_that_the_protocol_reads_and_that_not_all_have():
    both, bare = (WORD, NEXT), without((WORD, NEXT), "label", "confidence", "text")
    slot, iou = registry.get("slot-error"), registry.get("iou")
    assert one_sided(slot, Held.of(bare, both)) == [SAID]
    assert one_sided(slot, Held.of(both, bare)) == [
        SAID.replace("0 of 2", "2 of 2", 1).replace("2 of 2 detections", "0 of 2 detections")
    ]
    for truth, found in ((both, both), (bare, bare), (bare, ()), ((), both)):
        assert one_sided(slot, Held.of(truth, found)) == []
    assert one_sided(iou, Held.of(bare, both)) == []
    by_confidence = registry.get("iou", {"use_confidences": True})
    [said] = one_sided(by_confidence, Held.of(both, (WORD, bare[1])))
    assert said.startswith("confidences on 1 of 2 detections")
    [said] = one_sided(registry.get("end-to-end"), Held.of((WORD, bare[1]), both))
    assert said.startswith("texts on 1 of 2 truths and 2 of 2 detections")


@cases("slug", SLUGS)
def test_numbers_of_images_add_up_to_those_of_all(slug):
    protocol, bare = registry.get(slug), without((WORD, NEXT), "text", "confidence", "label")
    if protocol.needs == "several methods":
        pytest.skip("never of one method")
    images = [((WORD,), bare), (bare, ()), ((), (NEXT,)), (bare, bare)]
    for chosen in (images, images[:1], images[1:2], images[3:], []):
        truths = [region for truth, _ in chosen for region in truth]
        found = [region for _, of in chosen for region in of]
        total = sum((Held.of(*image) for image in chosen), Held())
        assert lacking_of(protocol, total) == lacking(protocol, truths, found, 1)
        assert total == sum([Held.of(truths, found)], Held())


BOXES = [[0, 0, 100, 40], [110, 0, 210, 40]]


@pytest.mark.filterwarnings("ignore:.*found labels that the ground truth does not have")
def test_every_door_says_that_results_have_labels_and_the_ground_truth_none(tmp_path):
    """The same boxes with a category and without one: equal figures, and a sentence."""
    named = {"boxes": BOXES, "labels": ["text", "text"]}
    with pytest.warns(UserWarning, match=f"^slot-error: {SAID}$"):
        found = tr.score({"a": BOXES}, {"a": named}, "slot-error")
    assert found.overall.indicators["slot_error_rate"] == 0.0

    metric = TextDetectionMetric("slot-error")
    metric.update([named], [{"boxes": BOXES}])
    with pytest.warns(UserWarning, match=f"^slot-error: {SAID}$"):
        assert metric.compute()["slot_error_rate"] == 0.0

    images = [{"id": 1, "file_name": "img_1.jpg"}]
    boxes = [{"image_id": 1, "bbox": [110 * at, 0, 100, 40], "score": 0.5} for at in range(2)]
    annotations = [{**box, "id": at} for at, box in enumerate(boxes, 1)]
    labelled = [{**box, "label": "text"} for box in boxes]
    with pytest.warns(UserWarning, match=f"^slot-error: {SAID}$") as warned:
        of = coco.evaluate({"images": images, "annotations": annotations}, labelled, "slot-error")
    assert of.stats["slot_error_rate"] == 0.0
    assert {one.filename for one in warned} == {__file__}

    gt = zip_file(tmp_path / "gt.zip", {"gt_img_1.txt": "0,0,100,40\r\n110,0,210,40\r\n"})
    results = tmp_path / "labelled.json"
    categories = [{"id": 1, "name": "text"}]
    results.write_text(
        json.dumps(
            {
                "images": images,
                "categories": categories,
                "annotations": [{**box, "category_id": 1} for box in annotations],
            }
        )
    )
    done = commands.run_here(
        main,
        *("score", "--protocol", "slot-error", "--truth", gt, "--truth-format", "ltrb"),
        *("--results", results, "--results-format", "coco-json", "--out", tmp_path / "out.json"),
    )
    assert f"slot-error, labelled: {SAID}" in done.stderr
    of_image, _ = json.loads((tmp_path / "out.json").read_text())
    assert (of_image["recall"], of_image["precision"], of_image["f_score"]) == (1.0, 1.0, 1.0)


def test_nothing_is_said_where_both_sides_have_labels_or_none():
    named = {"boxes": BOXES, "labels": ["text", "text"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.score({"a": named}, {"a": named}, "slot-error")
        tr.score({"a": BOXES}, {"a": {"boxes": BOXES}}, "slot-error")


def test_the_shell_says_that_a_protocol_by_name_has_not_its_inputs(tmp_path):
    gt = zip_file(tmp_path / "gt.zip", {"gt_img_1.txt": "0,0,100,40,word\r\n"})
    found = zip_file(tmp_path / "east.zip", {"res_img_1.txt": "0,0,100,40\r\n"})
    done = commands.run_here(
        main,
        *("score", "--protocol", "average-precision", "--truth", gt, "--results", found),
        *("--truth-format", "ltrb", "--results-format", "ltrb", "--out", tmp_path / "out.csv"),
    )
    assert "average-precision, east: the results have no confidences" in done.stderr


@cases(
    ("of_truth", "of_found", "said"),
    [
        ((), ("label",), ["labels that the ground truth does not have"]),
        (("label",), (), ["no labels, which the ground truth has"]),
        ((), ("text",), ["texts that the ground truth does not have"]),
        (("text",), (), []),
        (("label", "text"), ("label", "text"), []),
    ],
)
def test_a_load_finds_labels_and_texts_of_one_side(of_truth, of_found, said):
    """Results without texts are usual: protocols that read texts say that they are missing."""

    def only(fields):
        bare = without((WORD,), "text", "label", "confidence")[0]
        return (replace(bare, **{name: getattr(WORD, name) for name in fields}),)

    archive = Archive("found.json", LineFormat.QUAD, {"a": only(of_found)}, (), {})
    against = Against({"a": only(of_truth)}, 1)
    noticed = look(archive, against, {"a": (400, 300)}, "", lambda _: archive)
    assert [of.found for of in noticed.archive.warnings if of.code == "F10"] == said
    assert noticed.archive.counts.get("F10", 0) == len(said)
