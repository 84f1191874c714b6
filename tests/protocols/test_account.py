"""The account of a file: units that are left out are named and counted, and every door shows them."""

import io
import json

import pytest

import text_rankings as tr
from protocols.command_line.main import main
from protocols.core.errors import DataWarning
from protocols.core.regions import Region
from protocols.formats.containers.archives import Limits
from protocols.formats.containers.collecting import Reason, reader_of
from protocols.formats.summaries import findings
from tests.support.archives import zip_bytes
from tests.support.cases import cases

CELLS = Reason("{n} cell of {what}", "{n} cells of {what}", "words")


def read_with(read_document, files, **options):
    read = reader_of("ours", ".json", read_document, **options)
    return read(io.BytesIO(zip_bytes(files)), "results", "set.zip", Limits(), None)


def test_each_reason_is_one_finding_with_its_count_and_first_place():
    def read_document(document, collector):
        collector.image(document.stem)
        collector.count(CELLS, n=3, image=document.stem, what="A")
        collector.count(CELLS, image=document.stem, what="B")

    archive = read_with(read_document, {"a.json": "1", "b.json": "1"})
    assert findings(archive.problems, archive.counts) == [
        "set.zip > a.json: found 6 cells of A (first in a); expected words.",
        "set.zip > a.json: found 2 cells of B (first in a); expected words.",
    ]
    assert [(of.code, of.severity, of.action) for of in archive.problems] == [
        ("U1", "warning", "left out")
    ] * 2


def test_a_document_without_an_element_of_its_format_is_an_error():
    def read_document(document, collector):
        if document.stem == "a":
            collector.image("a")

    archive = read_with(read_document, {"a.json": "1", "b.json": "1", "c.json": "[]"})
    assert [(of.code, of.entry, of.found) for of in archive.errors] == [
        ("A1", "b.json", "nothing of the format ours")
    ]


@cases(
    ("texts", "kept", "n_left_out"),
    [
        ([" CARE ", " ", "", "of"], ["CARE", "of"], 2),
        # A detector without recognition.
        ([None, None], [None, None], 0),
        (["", ""], ["", ""], 0),
    ],
)
def test_blank_words_of_an_engine_are_left_out_and_counted(texts, kept, n_left_out):
    def read_document(document, collector):
        regions = [Region.from_box(at, 0, at + 1, 1, text=of) for at, of in enumerate(texts)]
        collector.image_with("a", regions, lambda of: of, "word", line=4)

    archive = read_with(read_document, {"a.json": "1"}, engine=("results",))
    assert [of.text for of in archive.regions["a"]] == kept
    assert len(archive.lines["a"]) == len(kept)
    assert [of.found for of in archive.problems] == [
        f"{n} words or lines without text (first in a)" for n in [n_left_out] if n
    ]
    plain = read_with(read_document, {"a.json": "1"})
    assert [of.text for of in plain.regions["a"]] == texts


CROSSING = "0,0,40,0,0,20,40,20"


@pytest.fixture
def crossing(tmp_path):
    """A truth, and results of which both quadrilaterals cross themselves."""
    truth, results = tmp_path / "gt.zip", tmp_path / "res.zip"
    truth.write_bytes(zip_bytes({"gt_1.txt": "0,0,40,0,40,20,0,20,a\n"}))
    results.write_bytes(zip_bytes({"res_1.txt": f"{CROSSING}\n100,0,140,0,100,20,140,20\n"}))
    return str(truth), str(results)


FOUND = "res.zip: Polygon that crosses itself, 2 times in 1 file; expected a simple polygon."


@pytest.mark.parametrize("command", ["score", "errors", "graphs"])
def test_the_shell_shows_what_was_found_in_a_file(crossing, capfd, command):
    truth, results = crossing
    assert main([command, "--protocol", "iou", "--truth", truth, "--results", results]) == 0
    assert FOUND in capfd.readouterr().err.splitlines()


def test_the_facade_warns_of_what_was_found_in_a_file(crossing):
    with pytest.warns(DataWarning) as told:
        tr.score(*crossing, "iou")
    assert [str(of.message) for of in told] == [FOUND]
    assert told[0].filename == __file__


def test_results_of_several_methods_warn_once_of_the_ground_truth(tmp_path):
    truth, results = tmp_path / "gt.zip", tmp_path / "res.zip"
    truth.write_bytes(zip_bytes({"gt_1.txt": f"{CROSSING},a\n"}))
    results.write_bytes(zip_bytes({"res_1.txt": "0,0,40,0,40,20,0,20\n"}))
    results.with_name("other.zip").write_bytes(zip_bytes({"res_1.txt": "0,0,40,0,40,19,0,19\n"}))
    with pytest.warns(DataWarning, match="crosses itself") as told:
        tr.score(truth, {"a": results, "b": results.with_name("other.zip")}, "iou")
    assert len(told) == 1


def test_coco_warns_of_what_was_found(tmp_path):
    from protocols.coco import evaluate

    truth = {"images": [{"id": 1, "file_name": "1.jpg"}], "annotations": []}
    truth["annotations"].append({"id": 1, "image_id": 1, "bbox": [0, 0, 40, 20]})
    quad = list(map(int, CROSSING.split(",")))
    results = [{"image_id": 1, "segmentation": [quad], "score": 1}]
    (tmp_path / "res.json").write_text(json.dumps(results))
    with pytest.warns(DataWarning, match="a polygon that crosses itself") as told:
        evaluate(truth, tmp_path / "res.json")
    assert told[0].filename == __file__
