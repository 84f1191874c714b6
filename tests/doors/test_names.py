"""Names of images and methods: every door gives the same, and what one exports joins what another scored."""

import json

import pytest
from django.core.management import call_command

import text_rankings as tr
from annotate.exchange import raw
from annotate.studies.models import Study
from protocols import coco
from protocols.command_line.main import main as protocols_main
from protocols.core.errors import DataWarning, ProtocolError
from protocols.formats.names import fitted_names, method_name
from rankings.__main__ import main as rankings_main
from tests.support import commands
from tests.support.archives import picture_bytes, zip_bytes, zip_file
from tests.support.factories import add_annotator
from tests.support.opened import opened
from tests.support.shared import shared_path
from tests.support.truths import rank_everything

pytestmark = pytest.mark.django_db

WORDS = ("30,40,150,40,150,80,30,80", "210,100,330,100,330,140,210,140")
IMAGES = {1: "img_1", 2: "img_2", 10: "img_10"}


def truth_in(folder):
    text = "".join(f"{box},word\r\n" for box in WORDS)
    return zip_file(folder / "gt.zip", {f"gt_{name}.txt": text for name in IMAGES.values()})


def results_in(folder, file, entry, boxes=WORDS):
    text = "".join(f"{box}\r\n" for box in boxes)
    return zip_file(folder / file, {entry.format(n=number): text for number in IMAGES})


def photographs_in(folder):
    (folder / "images").mkdir()
    for name in IMAGES.values():
        (folder / "images" / f"{name}.png").write_bytes(picture_bytes(width=400, height=200))


def test_names_that_were_changed_are_said(tmp_path):
    truth = truth_in(tmp_path)
    results = results_in(tmp_path, "east.zip", "det_img_{n}.txt")
    done = commands.run_here(
        protocols_main, "score", "--protocol", "iou", "--truth", truth, "--results", results
    )
    words = "each read as the one image that it fits (“det_img_1” as “img_1”)"
    assert words in done.stderr
    with pytest.warns(UserWarning, match="det_img_1"):
        tr.score(str(truth), str(results))
    with pytest.warns(DataWarning, match="it fits .“res_1” as “img_1”"):
        tr.score({"img_1": [[0, 0, 9, 9]]}, {"res_1": [[0, 0, 9, 9]]})


def test_a_coco_dataset_of_results_has_names_and_ids_of_its_own():
    """Image 1 of the results is image 2 of the truth: one box is right, one has no area."""
    boxes = {"img_1": [0, 0, 60, 20], "img_2": [100, 50, 80, 30]}
    truth = {
        "images": [{"id": 1, "file_name": "img_1.jpg"}, {"id": 2, "file_name": "img_2.jpg"}],
        "annotations": [
            {"id": at, "image_id": at, "bbox": box} for at, box in enumerate(boxes.values(), 1)
        ],
    }
    results = {
        "images": [{"id": 1, "file_name": "res_img_2.jpg"}],
        "annotations": [
            {"image_id": 1, "bbox": boxes["img_2"], "score": 0.9},
            {"image_id": 1, "bbox": [5, 5, 0, 9], "score": 0.8},
        ],
    }
    with pytest.warns(DataWarning) as told:
        found = coco.evaluate(truth, results)
    assert (found.images[1].recall, found.images[2].recall, found.images[2].precision) == (
        0,
        1,
        0.5,
    )
    said = " ".join(str(one.message) for one in told)
    assert "it fits (“res_img_2” as “img_2”)" in said
    assert "no entry for 1 image (img_1)" in said
    assert "found a shape without area, “5,5,5,5,5,14,5,14”" in said
    with pytest.raises(coco.NotCoco, match=r"regions for shop; .* has img_1, img_2"):
        coco.evaluate(truth, {**results, "images": [{"id": 1, "file_name": "shop.jpg"}]})


def test_what_the_site_exports_joins_what_the_shell_and_python_score(tmp_path):
    """By hand: alpha finds both words, beta one, and two people say so on each image.

    So IOU ranks as they do: nearest on 3 of 3 images, furthest on 3 of 3, at a distance of 0.
    """
    truth = truth_in(tmp_path)
    alpha = results_in(tmp_path, "alpha.zip", "res_img_{n}.txt")
    beta = results_in(tmp_path, "beta_det.zip", "res_img_{n}.txt", WORDS[:1])
    photographs_in(tmp_path)
    (tmp_path / "study.toml").write_text(
        'name = "Street"\n[data]\ntruth = "gt.zip"\nphotographs = "images"\n'
        'results = ["alpha.zip", "beta_det.zip"]\n'
        '[protocols]\nuse = ["iou"]\n[people]\nannotators = 2\n'
    )
    call_command("make_study", str(tmp_path / "study.toml"), "--yes")
    study = Study.objects.get()
    better, tied = (("alpha",), ("beta",)), (("alpha", "beta"),)
    for _ in range(2):
        people = {"recall": better, "precision": tied, "preference": better}
        rank_everything(study, add_annotator(study), people)
    rankings, scores = tmp_path / "rankings.csv", tmp_path / "scores.csv"
    rankings.write_bytes(b"".join(raw.content(study, "rankings.csv")))
    check_joined(truth, [alpha, beta], rankings, scores, people=2)


def test_the_published_case_joins(tmp_path):
    folder = shared_path("cases", "turn4", "join")
    files = [folder / "alpha.zip", folder / "beta_det.zip"]
    scores = tmp_path / "scores.csv"
    check_joined(folder / "truth.zip", files, folder / "rankings.csv", scores, people=1)


def check_joined(truth, results, rankings, scores, people):
    done = commands.run_here(
        protocols_main,
        *("score", "--protocol", "iou", "--truth", truth, "--results", *results, "--out", scores),
    )
    assert done.returncode == 0, done.stderr
    done = commands.run_here(
        rankings_main, *("analyse", rankings, scores, "--min-annotators", people, "--json")
    )
    assert done.returncode == 0, done.stderr
    by_shell = [
        (criterion, row["best"], row["worst"], row["score"])
        for criterion, of in json.loads(done.stdout)["criteria"].items()
        for row in of["rows"]
    ]
    found = tr.report(
        str(rankings),
        tr.score(str(truth), [str(path) for path in results]),
        min_annotators=people,
    )
    in_python = [
        (row["criterion"], row["best"], row["worst"], row["score"]) for row in found.rows()
    ]
    criteria = ("recall", "precision", "preference")
    assert by_shell == in_python == [(criterion, 3, 3, 0.0) for criterion in criteria]


@pytest.mark.parametrize(
    ("names", "known", "found"),
    [
        (["img_1", "img_2"], ["1", "2"], ["1", "2"]),
        (["gt_1"], ["img_1", "1"], None),
        (["img_1", "res_img_1"], ["img_1", "img_2"], None),
        (["img_1", "1"], ["img_1", "1"], ["img_1", "1"]),
        (["img_7"], ["img_1"], None),
        ([], ["img_1"], []),
    ],
)
def test_names_fit_if_each_is_that_of_exactly_one_image(names, known, found):
    fitted = fitted_names(names, known)
    assert (None if fitted is None else list(fitted.values())) == found


@pytest.mark.parametrize(
    ("file", "method"),
    [
        ("runs/beta_det.zip", "beta"),
        (r"C:\runs\res_east.json", "east"),
        ("detections.zip", "detections"),
        ("east.hocr", "east"),
        ("n" * 200 + ".zip", "n" * 120),
    ],
)
def test_a_method_is_named_after_its_file(file, method):
    assert method_name(file) == method


ROWS = "image,left,top,right,bottom\nleft/1.jpg,0,0,9,9\nright/1.jpg,0,0,9,9\n"
VIA = {
    f"{name}9": {"filename": name, "size": 9, "regions": [], "file_attributes": {}}
    for name in ("left/1.jpg", "right/1.jpg")
}
PADDLE = "left/1.jpg\t[]\nright/1.jpg\t[]\n"


@pytest.mark.parametrize(
    ("name", "content", "format", "files"),
    [
        ("a.csv", ROWS, "csv", ("left/1.jpg", "right/1.jpg")),
        ("a.json", json.dumps(VIA), "via", ("left/1.jpg", "right/1.jpg")),
        ("a.txt", PADDLE, "paddle", ("left/1.jpg", "right/1.jpg")),
        ("a.zip", ("1.txt", "0 0.5 0.5 0.1 0.1\n"), "yolo", ("left/1.txt", "right/1.txt")),
        ("a.zip", ("1.gt", "0 0 1 2 9 9 0.1\n"), "msra-td500", ("left/1.gt", "right/1.gt")),
    ],
)
def test_two_images_of_one_name_are_refused_with_both_files(name, content, format, files):
    """The images left/1.jpg and right/1.jpg must never become one."""
    if isinstance(content, tuple):
        content = zip_bytes({f"{folder}/{content[0]}": content[1] for folder in ("left", "right")})
    archive = opened(content, "truth", name=name, format=format)
    [fault] = [problem for problem in archive.errors if problem.code == "N3"]
    assert all(file in f"{fault}" for file in files)
    assert "folders are not part of names" in str(fault)


def test_two_arrays_of_one_name_are_refused_with_both_keys():
    with pytest.raises(ProtocolError, match=r"'left/1.jpg' and 'right/1.jpg'"):
        tr.score({"left/1.jpg": [], "right/1.jpg": []}, {"left/1.jpg": []})


def test_a_path_of_an_image_with_and_without_its_folder_is_one_image():
    rows = ROWS.replace("right/", "")
    assert opened(rows, "truth", name="a.csv", format="csv").n_regions == 2
