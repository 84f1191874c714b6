"""Photographs with an EXIF orientation in a load: upright pixels, one size, boxes in one frame."""

import io
import json
import re
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from PIL import Image as Picture
from PIL import ImageOps

from annotate.datasets import exports, thumbnails
from annotate.datasets.models import Dataset, Image, stored_path
from annotate.imports import drafts, plans
from annotate.imports.errors import NotLoaded
from annotate.imports.guessing import guess_file
from annotate.imports.immediate import FileToLoad, load_files
from annotate.imports.models import FileKind
from tests.support.archives import stored, with_orientation, zip_file
from tests.support.loads import add, checked, load_dataset, load_results
from tests.support.shared import shared_path

pytestmark = pytest.mark.django_db
TURNED = range(2, 9)
WIDTH, HEIGHT = 600, 400
# A word that no other frame of the photograph holds, and one that fits them all.
WORD, MIDDLE = (103, 138, 560, 184), (250, 150, 350, 180)


def page():
    """Return a picture with a red corner and two black words."""
    picture = Picture.new("RGB", (WIDTH, HEIGHT), "white")
    picture.paste("red", (0, 0, 80, 80))
    for word in (WORD, MIDDLE):
        picture.paste("black", word)
    return picture


def in_file(orientation, word):
    """Return the box of a word in the pixels of the file."""
    picture = Picture.new("L", (WIDTH, HEIGHT))
    picture.paste(255, word)
    return stored(picture, orientation).getbbox()


def lines(*words, text=""):
    return "".join(f"{x},{y},{r},{y},{r},{b},{x},{b}{text}\n" for x, y, r, b in words)


def truth_of(*words):
    return {"gt_img_1.txt": lines(*words, text=",a")}


def load(truth, photograph, name="Turned", reading=""):
    with tempfile.TemporaryDirectory() as folder:
        truth = zip_file(Path(folder, "gt.zip"), truth)
        photographs = zip_file(Path(folder, "p.zip"), {"img_1.jpg": photograph})
        files = [FileToLoad(truth, FileKind.TRUTH, reading=reading)]
        load_files([*files, FileToLoad(photographs, FileKind.PHOTOGRAPHS)], name=name)
    return Image.objects.get(dataset__name=name)


def kept_picture(image):
    return Picture.open(stored_path(image.sha256))


def is_red(pixel):
    red, green, blue = pixel[:3]
    return red > 200 and green < 60 and blue < 60


@pytest.mark.parametrize(("kind", "orientation"), [*(("JPEG", of) for of in TURNED), ("PNG", 6)])
def test_a_photograph_is_kept_upright_without_its_tag(kind, orientation):
    original = with_orientation(page(), orientation, kind)
    image = load(truth_of(WORD, MIDDLE), original, reading="as-read")
    picture = kept_picture(image)
    assert (image.width, image.height) == picture.size == (WIDTH, HEIGHT)
    assert picture.getexif().get(274) is None
    assert (image.orientation, image.original_sha256) == (orientation, sha256(original).hexdigest())
    small = Picture.open(io.BytesIO(thumbnails.thumbnail(image.sha256)))
    for shown in (picture.convert("RGB"), small):
        factor = shown.width / WIDTH
        assert is_red(shown.getpixel((round(20 * factor), round(20 * factor))))
        assert not is_red(shown.getpixel((round(580 * factor), round(20 * factor))))
        assert max(shown.getpixel((round(300 * factor), round(165 * factor)))) < 40
    if kind == "PNG":
        assert picture.convert("RGB").tobytes() == page().tobytes()


@pytest.mark.parametrize("orientation", [5, 6, 7, 8])
@pytest.mark.parametrize("is_stored", [True, False])
def test_ground_truth_and_results_lie_on_their_words_in_either_frame(orientation, is_stored):
    words = [in_file(orientation, word) if is_stored else word for word in (WORD, MIDDLE)]
    image = load(truth_of(*words), with_orientation(page(), orientation))
    assert [region.box for region in image.truth_regions] == [WORD, MIDDLE]
    receipt = image.dataset.imports.get()
    assert any(
        "1 photograph with an EXIF orientation (img_1)" in str(of) for of in receipt.warnings
    )
    load_results(image.dataset, {"upright": {"res_img_1.txt": lines(WORD, MIDDLE)}})
    here = [in_file(orientation, word) for word in (WORD, MIDDLE)]
    receipt = load_results(image.dataset, {"stored": {"res_img_1.txt": lines(*here)}})
    # Decided as the ground truth is: the boxes leave the image in the other frame.
    decided = (
        "read turned as the photographs say, as their coordinates or the sides in the file show"
    )
    assert any(decided in str(of) for of in receipt.warnings)
    for result in image.results.all():
        assert [region.box for region in result.detections] == [WORD, MIDDLE]


@pytest.mark.parametrize("orientation", [3, 6])
def test_ground_truth_that_fits_both_frames_is_asked_about(orientation, tmp_path):
    here = in_file(orientation, MIDDLE)
    photographs = {"img_1.jpg": with_orientation(page(), orientation)}
    with pytest.raises(NotLoaded) as refusal:
        load_dataset(name="Asked", truth=truth_of(here), images=photographs)
    [question] = refusal.value.questions
    assert question.choices == [
        ("upright", "as on the upright photographs"),
        ("stored", "turned as the photographs say"),
    ]
    files = [
        FileToLoad(zip_file(tmp_path / "gt.zip", truth_of(here)), FileKind.TRUTH, reading="stored"),
        FileToLoad(zip_file(tmp_path / "p.zip", photographs), FileKind.PHOTOGRAPHS),
    ]
    load_files(files, name="Asked")
    assert Image.objects.get().truth_regions[0].box == MIDDLE


def test_boxes_that_include_their_last_pixel_are_turned_as_pixels():
    x, y, r, b = in_file(6, WORD)
    image = load({"gt_img_1.txt": f"{x},{y},{r - 1},{b - 1},a\n"}, with_orientation(page(), 6))
    x, y, r, b = WORD
    assert image.truth_regions[0].box == (x, y, r - 1, b - 1)


@pytest.mark.parametrize("orientation", [3, 6])
def test_xmp_alone_turns_neither_photograph_nor_thumbnail(orientation):
    """Browsers read EXIF alone; Pillow's own functions mix both."""
    original = with_orientation(page(), orientation, by_xmp=True)
    assert ImageOps.exif_transpose(Picture.open(io.BytesIO(original))).size == (WIDTH, HEIGHT)
    image = load(truth_of((0, 0, 9, 9)), original)
    assert stored_path(image.sha256).read_bytes() == original
    assert (image.width, image.height) == stored(page(), orientation).size
    small = Picture.open(io.BytesIO(thumbnails.thumbnail(image.sha256)))
    assert (small.width > small.height) == (image.width > image.height)
    assert not is_red(small.getpixel((10, 10)))


def test_the_same_original_is_one_file_and_an_upright_one_is_not_turned_again():
    original = with_orientation(page(), 6)
    first = load(truth_of(WORD), original)
    second = load(truth_of(WORD), original, name="Again")
    assert second.sha256 == first.sha256
    content = stored_path(first.sha256).read_bytes()
    third = load(truth_of(WORD), content, name="Back")
    assert (third.sha256, third.orientation, third.original_sha256) == (first.sha256, 1, "")


def test_the_same_original_is_recognised_when_it_would_be_written_otherwise(monkeypatch):
    first = load(truth_of(WORD), with_orientation(page(), 6))
    monkeypatch.setattr("annotate.datasets.photographs._QUALITY", 60)
    second = load(truth_of(WORD), with_orientation(page(), 6), name="Again")
    assert second.sha256 == first.sha256


def test_a_webp_with_a_tag_is_asked_about(tmp_path):
    original = with_orientation(page(), 6, "WEBP")
    truth = zip_file(tmp_path / "gt.zip", truth_of((0, 0, 9, 9)))
    photographs = zip_file(tmp_path / "p.zip", {"img_1.webp": original})

    def loaded(name, **answer):
        files = [
            FileToLoad(truth, FileKind.TRUTH, **answer),
            FileToLoad(photographs, FileKind.PHOTOGRAPHS, **answer),
        ]
        load_files(files, name=name)
        return Image.objects.get(dataset__name=name)

    with pytest.raises(NotLoaded) as refusal:
        loaded("Asked")
    [question] = refusal.value.questions
    assert (
        "1 WebP photograph with an EXIF orientation (img_1), which browsers ignore"
        in question.words
    )
    assert [value for value, _ in question.choices] == ["as-read", "stored"]
    kept = loaded("Kept", reading="as-read")
    assert stored_path(kept.sha256).read_bytes() == original
    assert (kept.width, kept.height, kept.orientation) == (HEIGHT, WIDTH, 1)
    small = Picture.open(io.BytesIO(thumbnails.thumbnail(kept.sha256)))
    assert small.height > small.width
    turned = loaded("Turned", reading="stored")
    assert (turned.width, turned.height, turned.orientation) == (WIDTH, HEIGHT, 6)
    assert kept_picture(turned).convert("RGB").tobytes() == page().tobytes()


def test_exports_give_one_size_and_the_upright_file():
    image = load(truth_of(WORD), with_orientation(page(), 6))
    with exports.truth_file(image.dataset, "json") as file:
        coco = json.load(file)
    assert [(of["width"], of["height"]) for of in coco["images"]] == [(WIDTH, HEIGHT)]
    stream = io.BytesIO()
    exports.write_photographs(image.dataset, stream, lambda *_: None)
    [content] = [zipfile.ZipFile(stream).read(name) for name in zipfile.ZipFile(stream).namelist()]
    back = load(truth_of(WORD), content, name="Back")
    assert (back.sha256, back.width, back.height) == (image.sha256, WIDTH, HEIGHT)


@pytest.mark.parametrize("truth", ["truth-stored", "truth-upright"])
def test_the_published_cases_are_right_or_asked(truth):
    """Three photographs of 400 x 200 with orientation 6; both bars are at these places upright."""
    bars = [(120, 30, 160, 150), (60, 210, 100, 330)]
    folder = shared_path("cases", "turn4", "orientation")
    files = [str(folder / f"{name}.zip") for name in (truth, "photographs")]
    call_command("import_files", *files, name="Bars", yes=True)
    dataset = Dataset.objects.get()
    for image in dataset.images.all():
        assert (image.width, image.height) == (200, 400)
        assert [region.box for region in image.truth_regions] == bars
    for name in ("both-stored", "one-stored", "both-upright", "one-upright"):
        load = ("import_files", str(folder / f"{name}.zip"))
        reading = []
        if name == "one-stored":
            # This bar is within both frames.
            with pytest.raises(CommandError, match="question"):
                call_command(*load, dataset="bars", yes=True)
            reading = ["stored"]
        call_command(*load, dataset="bars", yes=True, reading=reading)
        n = 2 if name.startswith("both") else 1
        for result in dataset.methods.get(slug=name).results.all():
            assert [region.box for region in result.detections] == bars[:n]


@pytest.mark.parametrize("suffix", ["gif", "tif", "avif"])
def test_a_zip_of_such_pictures_holds_photographs(suffix, tmp_path):
    path = zip_file(tmp_path / "p.zip", {f"img_{n}.{suffix}": b"GIF89a" for n in range(3)})
    assert guess_file(path, "p.zip").kind == FileKind.PHOTOGRAPHS


def test_the_command_takes_the_frame_of_a_ground_truth_by_its_file_alone(tmp_path):
    """A reading of all files is of results: a ground truth is not turned by it."""
    truth = zip_file(tmp_path / "gt.zip", truth_of(in_file(3, MIDDLE)))
    photographs = zip_file(tmp_path / "p.zip", {"img_1.jpg": with_orientation(page(), 3)})
    given = [str(truth), str(photographs)]
    with pytest.raises(CommandError, match="question"):
        call_command("import_files", *given, name="Turned", yes=True, reading=["stored"])
    call_command("import_files", *given, name="Turned", yes=True, reading=["gt.zip=stored"])
    assert Image.objects.get().truth_regions[0].box == MIDDLE


def test_the_report_shows_both_frames_beside_the_question(admin):
    draft = drafts.open_draft(person=None, name="Asked")
    add(draft, truth_of(in_file(8, MIDDLE)), "gt.zip", kind=FileKind.TRUTH)
    photographs = {"img_1.jpg": with_orientation(page(), 8)}
    add(draft, photographs, "p.zip", kind=FileKind.PHOTOGRAPHS)
    checked(draft)
    address = reverse("imports:report", args=[draft.pk])
    report = admin.get(address)
    shown = report.content.decode()
    assert "turned as the photographs say" in shown
    assert "as on the upright photographs" in shown
    x, y, r, b = MIDDLE
    assert all(f"{corner[0]},{corner[1]}" in shown for corner in ((x, y), (r, b)))
    [url] = set(re.findall(r'href="([^"]*/photographs?/[^"]*)"', shown))
    picture = Picture.open(io.BytesIO(admin.get(url).content))
    assert (picture.size, picture.getexif().get(274)) == ((WIDTH, HEIGHT), None)
    truth = draft.files.get(kind=FileKind.TRUTH)
    admin.post(address, {f"reading-{truth.pk}": "stored"})
    draft.refresh_from_db()
    assert not [of for of in plans.questions(draft) if not of.is_answered]
    planned = plans.plan(draft)
    assert (planned.obstacles, "1 turned upright" in planned.added[1]) == ([], True)
    assert admin.get(address).status_code == 200
