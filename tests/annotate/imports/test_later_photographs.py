"""Photographs of a dataset that has its ground truth: whose they become, what is refused, undone."""

import tomllib
from hashlib import sha256

import pytest
from django.core.management import call_command
from django.urls import reverse
from PIL import Image as Picture

from annotate.audit.models import Act, AuditEntry
from annotate.imports import drafts
from annotate.imports.errors import CannotUndo, NotLoaded
from annotate.imports.models import Import
from annotate.imports.undoing import undo_import
from annotate.jobs.models import Job
from annotate.jobs.running import run_one
from annotate.judging import services as judging
from annotate.scoring.services import score_protocol
from annotate.scoring.work import KIND
from annotate.studies.services import create_study
from tests.support.archives import picture_bytes, with_orientation
from tests.support.factories import add_annotator, make_study
from tests.support.loads import add, load_dataset, load_photographs, load_results

pytestmark = pytest.mark.django_db

TRUTH = {
    f"gt_img_{n}.txt": "0,0,40,0,40,20,0,20,one\n60,0,90,0,90,20,60,20,two\n" for n in (1, 2, 3)
}
FIRST, SECOND, THIRD = (picture_bytes(width=width) for width in (120, 121, 122))


@pytest.fixture
def dataset():
    return load_dataset(name="Street", truth=TRUTH).dataset


def load_methods(dataset):
    for shift, name in enumerate(("net", "cat")):
        box = f"{shift},0,40,0,40,20,{shift},20\n"
        load_results(dataset, {name: {f"res_img_{n}.txt": box for n in (1, 2, 3)}})


def hashes(dataset):
    return {image.name: image.sha256 for image in dataset.images.all()}


def digest(content):
    return sha256(content).hexdigest()


def test_images_get_their_photographs_in_two_loads_and_a_receipt_each(dataset):
    load_photographs(dataset, {"img_1.png": FIRST})
    assert hashes(dataset) == {"img_1": digest(FIRST), "img_2": "", "img_3": ""}
    receipt = load_photographs(dataset, {"img_1.png": FIRST, "img_3.png": THIRD})
    assert hashes(dataset) == {"img_1": digest(FIRST), "img_2": "", "img_3": digest(THIRD)}
    image = dataset.images.get(name="img_3")
    assert (image.width, image.height, image.content_type) == (122, 60, "image/png")
    assert (receipt.kind, receipt.counts) == (Import.Kind.PHOTOGRAPHS, {"photographs": 1})
    assert [warning for warning in receipt.warnings if "img_2" in warning]
    assert AuditEntry.objects.filter(act=Act.PHOTOGRAPHS_LOADED).count() == 2
    # The truth is as it was.
    assert [len(one.truth_regions) for one in dataset.images.all()] == [2, 2, 2]


def test_they_come_with_results_of_the_same_load(dataset):
    draft = drafts.open_draft(person=None, dataset=dataset)
    add(draft, {"img_1.png": FIRST}, "photographs.zip", kind="photographs")
    add(
        draft,
        {f"res_img_{n}.txt": "0,0,40,0,40,20,0,20\n" for n in (1, 2, 3)},
        "a.zip",
        title="net",
    )
    drafts.start_check(draft=draft)
    draft.refresh_from_db()
    drafts.confirm(draft=draft)
    draft = drafts.find(draft.pk)
    assert sorted(one.kind for one in draft.receipts.all()) == ["photographs", "results"]
    assert hashes(dataset)["img_1"] == digest(FIRST)


def test_scores_of_protocols_that_read_sizes_are_told_and_computed_again(
    dataset, admin_client, settings
):
    """Without a size, the domain of the votes ends with the last box; with it, with the photograph."""
    settings.JOBS = "workers"
    load_methods(dataset)
    runs = {slug: score_protocol(dataset=dataset, slug=slug) for slug in ("iou", "no-ground-truth")}
    page = reverse("datasets:detail", args=[dataset.slug])
    api = reverse("api:runs", args=[dataset.slug])
    viewer = reverse("datasets:viewer", args=[dataset.slug, "img_1"]) + "?method=net"
    told = "reads the sizes of images, and was scored before the photographs changed"
    older = "Some of these scores are older than the ground truth or the photographs."
    assert told not in admin_client.get(page).text
    receipt = load_photographs(dataset, {"img_1.png": FIRST})
    assert told in admin_client.get(page).text
    assert older in admin_client.get(viewer).text
    outdated = {row["protocol"]: row["outdated"] for row in admin_client.get(api).json()["results"]}
    assert told in outdated["no-ground-truth"]
    assert outdated["iou"] == ""
    [job] = Job.objects.filter(kind=KIND)
    assert job.arguments["after"] == runs["no-ground-truth"].pk
    run_one(job.pk, beats_beside=False)
    newest = dataset.runs.get(protocol="no-ground-truth", pk__gt=runs["no-ground-truth"].pk)
    assert newest.overall != runs["no-ground-truth"].overall
    assert told not in admin_client.get(page).text
    assert older not in admin_client.get(viewer).text
    undo_import(receipt=receipt)
    assert told in admin_client.get(page).text
    run_one(Job.objects.filter(kind=KIND).latest("pk").pk, beats_beside=False)
    again = dataset.runs.filter(protocol="no-ground-truth").latest("pk")
    assert again.overall == runs["no-ground-truth"].overall


def test_another_photograph_of_an_image_that_has_one_is_left_out_and_said(dataset):
    load_photographs(dataset, {"img_1.png": FIRST})
    receipt = load_photographs(dataset, {"img_1.png": SECOND, "img_2.png": THIRD})
    assert hashes(dataset) == {"img_1": digest(FIRST), "img_2": digest(THIRD), "img_3": ""}
    assert any("another photograph of img_1, which has one" in of for of in receipt.warnings)


def test_a_photograph_that_another_image_has_is_said(dataset):
    load_photographs(dataset, {"img_1.png": FIRST})
    receipt = load_photographs(dataset, {"img_2.png": FIRST})
    assert any("a photograph of img_2 that img_1 has" in of for of in receipt.warnings)


def test_boxes_outside_of_them_are_said(dataset):
    receipt = load_photographs(dataset, {"img_1.png": picture_bytes(width=80)})
    assert any("reaches 10 px outside img_1" in of for of in receipt.warnings)


@pytest.mark.parametrize(
    ("photographs", "said"),
    [
        ({"other.png": FIRST}, "photographs named after the images"),
        ({}, "no photograph"),
        ({"img_1.png": b"no picture"}, "img_1.png"),
    ],
)
def test_nothing_is_loaded_of_files_that_do_not_fit(dataset, photographs, said):
    with pytest.raises(NotLoaded, match=said):
        load_photographs(dataset, photographs)
    assert set(hashes(dataset).values()) == {""}
    assert dataset.imports.count() == 1


def test_a_load_without_a_single_new_one_is_refused(dataset):
    load_photographs(dataset, {"img_1.png": FIRST})
    with pytest.raises(NotLoaded, match="no photograph of an image that has none"):
        load_photographs(dataset, {"img_1.png": FIRST})


def test_turned_ones_are_loaded_only_if_the_boxes_must_be_on_the_upright_pixels(dataset):
    """Boxes reach x = 90 and y = 20; a picture of 60 x 100 upright is stored as 100 x 60."""
    with pytest.raises(NotLoaded, match="boxes on 1 photograph with an EXIF orientation"):
        load_photographs(dataset, {"img_1.jpg": with_orientation(Picture.new("RGB", (60, 100)), 6)})
    # By 180 degrees, nothing tells.
    with pytest.raises(NotLoaded, match="or a new dataset of both"):
        load_photographs(dataset, {"img_1.jpg": with_orientation(Picture.new("RGB", (100, 60)), 3)})
    load_photographs(dataset, {"img_1.jpg": with_orientation(Picture.new("RGB", (100, 60)), 6)})
    image = dataset.images.get(name="img_1")
    assert (image.width, image.height, image.orientation) == (100, 60, 6)


def test_photographs_that_people_have_seen_stay_and_images_seen_without_get_none():
    study = make_study(images=2)
    dataset, annotator = study.dataset, add_annotator(study)
    first, second = (f"{image.name}.png" for image in dataset.images.in_order())
    turn = judging.start(study=study, annotator=annotator).turn
    seen = turn.screen.assignment.image
    content = {first: FIRST, second: SECOND}
    receipt = load_photographs(dataset, content)
    assert any(f"of {seen.name}, whose results people have comp" in of for of in receipt.warnings)
    assert [image.name for image in dataset.images.filter(sha256="")] == [seen.name]
    other = dataset.images.exclude(sha256="").get()
    undo_import(receipt=receipt)
    receipt = load_photographs(dataset, content)
    verdicts = dict.fromkeys(("recall", "precision", "preference"), "left")
    while turn is not None:
        asked = {"screen_id": turn.screen.public_id, "annotator": annotator}
        turn = judging.record_judgement(**asked, verdicts=verdicts).turn
    with pytest.raises(CannotUndo, match=f"study {study.name} have compared results on them"):
        undo_import(receipt=receipt)
    assert dataset.images.exclude(sha256="").get() == other


def test_they_can_be_taken_away_until_people_have_compared_results_on_them(dataset):
    receipt = load_photographs(dataset, {"img_1.png": FIRST})
    before = dataset.imports.get(kind=Import.Kind.DATASET)
    with pytest.raises(CannotUndo, match="Undo those loads first"):
        undo_import(receipt=before)
    undo_import(receipt=receipt)
    image = dataset.images.get(name="img_1")
    assert (image.sha256, image.width, image.content_type) == ("", None, "")
    undo_import(receipt=before)


def test_the_study_file_names_them(dataset, tmp_path):
    load_methods(dataset)
    load_photographs(dataset, {"img_1.png": FIRST})
    study = create_study(name="S", dataset=dataset, methods=list(dataset.methods.all()))

    def written():
        call_command("export_study", study.slug, "--as-file", "--out", str(tmp_path / "s.toml"))
        return tomllib.loads((tmp_path / "s.toml").read_text())["data"]["photographs"]

    assert written() == "photos.zip"
    # Of several loads, one folder.
    load_photographs(dataset, {"img_2.png": SECOND})
    assert written() == "photographs"
