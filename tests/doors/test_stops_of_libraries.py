"""Loads that stop in the shell and in Python: no method fits as read, and another reading fits one."""

import json

import pytest
from PIL import Image as Picture

import text_rankings as tr
from protocols.command_line.main import main
from protocols.core.errors import DataWarning
from protocols.diagnostics.stops import Misread
from tests.support.archives import with_orientation, zip_file
from tests.support.cases import cases

# Words as left, top, right, bottom, in each of ten images, on photographs of 600 x 400.
WORDS = [(60 * n + 10, 100, 60 * n + 50, 120) for n in range(4)]
IMAGES = [f"img_{at}" for at in range(1, 11)]
FITS = "recall 1.00, precision 1.00"

pytestmark = pytest.mark.filterwarnings("ignore::protocols.core.errors.DataWarning")


def right(word):
    return word


def exchanged(word):
    left, top, right_, bottom = word
    return top, left, bottom, right_


def elsewhere(word):
    left, top, right_, bottom = word
    return left, top + 200, right_, bottom + 200


def half_turned(word):
    """As stored by a camera held upside down: orientation 3."""
    left, top, right_, bottom = word
    return 600 - right_, 400 - bottom, 600 - left, 400 - top


def zipped(folder, name, change, images=IMAGES):
    prefix = "gt" if name == "gt" else "res"
    text = ",word" if name == "gt" else ""
    entries = dict.fromkeys(IMAGES, "")
    for image in images:
        for x, y, r, b in map(change, WORDS) if change else ():
            entries[image] += f"{x},{y},{r},{y},{r},{b},{x},{b}{text}\n"
    files = {f"{prefix}_{image}.txt": lines for image, lines in entries.items()}
    return str(zip_file(folder / f"{name}.zip", files))


def photographs(folder, n_turned=10):
    """Photographs, the first of which have the orientation 3."""
    entries = {}
    for at, image in enumerate(IMAGES):
        picture = Picture.new("L", (600, 400), 255)
        entries[f"{image}.jpg"] = with_orientation(picture, 3 if at < n_turned else 1)
    return str(zip_file(folder / "photographs.zip", entries))


def shell(capsys, folder, truth, *results, options=()):
    """Return status, standard error and the recalls of the methods."""
    out = folder / "scores.csv"
    out.unlink(missing_ok=True)
    given = ["--truth", truth, "--results", *results, "--out", str(out), *options]
    status = main(["score", "--protocol", "iou", *given])
    rows = out.read_text().splitlines() if out.exists() else []
    recalls = [float(row.split(",")[3]) for row in rows if ",*," in row]
    return status, capsys.readouterr().err, recalls


def test_the_frame_of_photographs_stops_the_shell_and_python_with_their_answers(tmp_path, capsys):
    truth = zipped(tmp_path, "gt", right)
    results = zipped(tmp_path, "east", half_turned)
    images = photographs(tmp_path)
    options = ("--images", images, "--truth-reading", "upright")
    status, said, recalls = shell(capsys, tmp_path, truth, results, options=options)
    assert (status, recalls) == (2, [])
    assert said.splitlines()[-1].startswith("east.zip: found as read: recall 0.00, precision 0.00")
    assert said.endswith("expected results that fit; to read it so: --results-reading stored.\n")
    options += ("--results-reading", "stored")
    assert shell(capsys, tmp_path, truth, results, options=options)[::2] == (0, [1.0])
    with pytest.raises(Misread, match=f'{FITS} .*to read it so: results_reading="stored"'):
        tr.score(truth, results, images=images, truth_reading="upright")
    answers = {"truth_reading": "upright", "results_reading": "stored"}
    assert tr.score(truth, results, images=images, **answers).overall.recall == 1


def test_photographs_some_of_which_are_turned_are_a_finding_and_no_stop(tmp_path, capsys):
    truth = zipped(tmp_path, "gt", right)
    entries = {
        f"res_{image}.txt": "".join(
            f"{x},{y},{r},{y},{r},{b},{x},{b}\n"
            for x, y, r, b in map(half_turned if at < 2 else right, WORDS)
        )
        for at, image in enumerate(IMAGES)
    }
    results = str(zip_file(tmp_path / "east.zip", entries))
    options = ("--images", photographs(tmp_path, 2), "--truth-reading", "upright")
    status, said, recalls = shell(capsys, tmp_path, truth, results, options=options)
    assert (status, recalls) == (0, [0.8])
    assert "--results-reading stored" in said


def test_a_wrong_answer_stops_and_names_the_right_one(tmp_path, capsys):
    """It is not read in the named way and then in the offered one."""
    truth, results = zipped(tmp_path, "gt", right), zipped(tmp_path, "east", right)
    options = ("--results-reading", "exchanged")
    status, said, _ = shell(capsys, tmp_path, truth, results, options=options)
    assert status == 2
    assert f"with x and y exchanged: recall 0.00, precision 0.00; as read: {FITS}" in said
    assert said.endswith("to read it so: --results-reading as-read.\n")
    options = ("--results-reading", "as-read")
    assert shell(capsys, tmp_path, truth, results, options=options)[::2] == (0, [1.0])
    with pytest.raises(Misread, match='to read it so: results_reading="as-read"'):
        tr.score(truth, results, results_reading="exchanged")


def test_boxes_of_another_format_than_the_named_one_stop(tmp_path, capsys):
    lines = {image: "".join(f"{x},{y},{r},{b}\n" for x, y, r, b in WORDS) for image in IMAGES}
    truth, results = (
        str(zip_file(tmp_path / f"{name}.zip", {f"{image}.txt": of for image, of in lines.items()}))
        for name in ("gt", "east")
    )
    options = ("--truth-format", "ltrb", "--results-format", "ltwh")
    status, said, _ = shell(capsys, tmp_path, truth, results, options=options)
    assert status == 2
    assert said.endswith("to read it so: --results-format ltrb.\n")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ((exchanged, None), 2),
        ((exchanged, elsewhere), 2),
        ((None, elsewhere), 0),
        ((exchanged, right), 0),
        ((right, exchanged), 0),
    ],
)
def test_every_method_must_fit_hardly_and_one_otherwise(changes, status, tmp_path, capsys):
    truth = zipped(tmp_path, "gt", right)
    paths = [zipped(tmp_path, f"method{at}", of) for at, of in enumerate(changes)]
    found, said, recalls = shell(capsys, tmp_path, truth, *paths)
    assert (found, len(recalls)) == (status, 0 if status else 2)
    assert ("--results-reading exchanged" in said) == (exchanged in changes)
    if status == 0:
        assert len(tr.score(truth, paths).scenes) == 2
        return
    with pytest.raises(Misread, match='to read it so: results_reading="exchanged"'):
        tr.score(truth, paths)


def test_ground_truth_that_all_methods_fit_exchanged_is_the_file_to_read_otherwise(
    tmp_path, capsys
):
    truth = zipped(tmp_path, "gt", exchanged)
    paths = [zipped(tmp_path, name, right) for name in ("east", "craft")]
    status, said, _ = shell(capsys, tmp_path, truth, *paths)
    assert status == 2
    assert "ground truth that all results fit only with x and y exchanged (east.zip, craft" in said
    assert said.endswith("To read it so: --truth-reading exchanged.\n")
    options = ("--truth-reading", "exchanged")
    assert shell(capsys, tmp_path, truth, *paths, options=options)[::2] == (0, [1.0, 1.0])
    with pytest.raises(Misread, match='To read it so: truth_reading="exchanged"'):
        tr.score(truth, paths)
    found = tr.score(truth, paths, truth_reading="exchanged").overall
    assert [of.recall for of in found.values()] == [1, 1]


def test_coco_files_stop_with_the_argument_that_answers(tmp_path):
    def document(change, **more):
        boxes = [
            {"image_id": at, "category_id": 1, "bbox": [x, y, r - x, b - y], **more}
            for at in range(len(IMAGES))
            for x, y, r, b in map(change, WORDS)
        ]
        return [{"id": at, **box} for at, box in enumerate(boxes)]

    images = [{"id": at, "file_name": f"{name}.jpg"} for at, name in enumerate(IMAGES)]
    categories = [{"id": 1, "name": "text"}]
    truth = {"images": images, "categories": categories, "annotations": document(right)}
    (tmp_path / "gt.json").write_text(json.dumps(truth))
    (tmp_path / "east.json").write_text(json.dumps(document(exchanged, score=0.5)))
    files = str(tmp_path / "gt.json"), str(tmp_path / "east.json")
    with pytest.raises(Misread, match=r'^east\.json: .*to read it so: results_reading="exchanged"'):
        tr.score(*files)
    assert tr.score(*files, results_reading="exchanged").overall.recall == 1


@cases(
    ("change", "fits"),
    [
        (lambda x, y, r, b: [x, y, r - x, b - y], "as left,top,width,height"),
        (lambda x, y, r, b: [y, x, b, r], "with x and y exchanged"),
        (lambda x, y, r, b: [x / 10, y / 10, r / 10, b / 10], "with coordinates times 10"),
    ],
)
def test_arrays_stop_without_an_argument_since_options_are_of_both_sides(change, fits):
    truth = {image: [list(word) for word in WORDS] for image in IMAGES}
    results = {image: [change(*word) for word in WORDS] for image in IMAGES}
    with pytest.raises(Misread, match=rf"{fits}: {FITS} .*; expected results that fit\.$"):
        tr.score(truth, results)


def test_the_warnings_about_the_ground_truth_come_before_the_stop(tmp_path):
    truth = zipped(tmp_path, "gt", right)
    results = zipped(tmp_path, "east", half_turned)
    with (
        pytest.warns(DataWarning, match='truth_reading="stored"'),
        pytest.raises(Misread),
    ):
        tr.score(truth, results, images=photographs(tmp_path))
