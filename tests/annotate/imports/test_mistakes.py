"""The usual mistakes in loaded files, and what the load's report says of each, word for word."""

# Sentences as people read them, in few lines.
# ruff: noqa: E501

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.imports import drafts, plans
from annotate.imports.errors import NotLoaded
from protocols.formats.recognition.reading import FORMATS, with_names
from tests.support.archives import picture_bytes, zip_bytes
from tests.support.loads import add, checked, load_dataset, loaded
from tests.support.pages import flat
from tests.support.word_files import WORDS, box, corners, files

pytestmark = pytest.mark.django_db


def with_gaps(entries):
    """The same files, of images 10, 20, 30 ..."""
    return {name.replace(".txt", "0.txt"): text for name, text in entries.items()}


BOXES = files(lambda *of: of, "gt_img_{}.txt", ",word")
QUADS = files(lambda x, y, r, b: (x, y, r, y, r, b, x, b), "gt_img_{}.txt", ",word")
POLYGONS = files(
    lambda x, y, r, b: (x, y, (x + r) / 2, y - 2, r, y, r, b, x, b), "gt_img_{}.txt", ",word"
)
FEW = {"gt_img_1.txt": "0,0,99,39,one\n", "gt_img_2.txt": "0,0,50,20,two\n"}
PHOTOGRAPH = picture_bytes()


CROSSING = "32 of 32 regions that cross themselves; "


def asked(reading, recall="1.00", precision="1.00", *, crossing=""):
    """Return the question if another reading fits; as read, nothing does."""
    return (
        f"net.zip: found {crossing}as read: recall 0.00, precision 0.00; {reading}: recall {recall}, precision "
        f"{precision} (at IoU 0.5, on all 8 images); expected your choice of how to read the file."
    )


FITS_HARDLY = "net.zip: found recall 0.00, precision 0.00 (at IoU 0.5, on all 8 images); expected results that fit the ground truth; no usual mistake explains why these do not."
WHICH = "expected an entry for each image, or your choice of whether a missing one means “no boxes” or “not evaluated”."

# Number: what was done wrong, ground truth, the file of results, and what the report says.
RESULTS = {
    1: ("x and y exchanged in boxes", BOXES, files(lambda x, y, r, b: (y, x + 1, b, r + 1)),
        [asked("with x and y exchanged")]),
    2: ("x and y exchanged in corners", QUADS,
        files(lambda x, y, r, b: (y, x, y, r + 1, b, r + 1, b, x)), [asked("with x and y exchanged")]),
    3: ("shifted by one image", BOXES, files(box, by=1, wrap=8),
        # The last image's results stand in the first file; read one lower they are of no image.
        [asked("each file as that of the number before (img_2 as img_1)", "0.88")]),
    4: ("numbers from 0", BOXES, files(box, by=-1),
        [asked("each file as that of the next number (img_1 as img_2)")]),
    5: ("ground truth as results", BOXES, files(lambda *of: of),
        ["net.zip: found 32 of 32 regions of the ground truth with the same coordinates; expected what a "
         "method found."]),
    6: ("left, top, width and height", BOXES, files(lambda x, y, r, b: (x, y, r - x, b - y)),
        [asked("as left,top,width,height").replace("precision 0.00", "precision undefined", 1)]),
    7: ("corners row by row", QUADS, files(lambda x, y, r, b: (x, y, r, y, x, b, r, b)),
        [asked("with the last two corners exchanged", crossing=CROSSING)]),
    8: ("corners counter-clockwise", QUADS,
        files(lambda x, y, r, b: (x + 1, y, x + 1, b, r + 1, b, r + 1, y)),
        ["net.zip: Corners not clockwise, 32 times in 8 files; expected clockwise.",
         *(f"for example net.zip > res_img_1.txt, line {at + 1}: found corners that run counter-clockwise, "
           f"“{x + 1},{y},{x + 1},{b},{r + 1},{b},{r + 1},{y}”; expected clockwise."
           for at, (x, y, r, b) in enumerate(WORDS[1][:3]))]),
    9: ("found on photographs of half the size", QUADS,
        files(lambda *of: [value / 2 for value in corners(*of)]), [asked("with coordinates times 2")]),
    10: ("found on photographs made square", BOXES,
         files(lambda x, y, r, b: (x / 2, y / 1.5, r / 2, b / 1.5)),
         [asked("with x times 2 and y times 1.5")]),
    11: ("seven numbers", BOXES, files(lambda *of: (*box(*of), 5, 6, 7)),
         ["net.zip > res_img_1.txt, line 1: found 32 of 32 lines with numbers where a text may begin; expected "
          "your choice of how to read the lines: ltrb or polygon."]),
    12: ("an odd count of numbers", POLYGONS,
         files(lambda x, y, r, b: (x, y, (x + r) / 2, y - 4, r, y, r, b, x, b, 17)),
         ["net.zip > res_img_1.txt, line 1: found 32 of 32 lines with numbers where a text may begin; expected "
          "your choice of how to read the lines: polygon."]),
    # Their lines allow one reading, which fits.
    13: ("boxes for a dataset of quadrilaterals", QUADS, files(box), []),
    14: ("quadrilaterals for a dataset of boxes", BOXES, files(corners), []),
    15: ("confidences in per cent", QUADS, files(lambda *of: (*corners(*of), 97)),
         ["net.zip > res_img_1.txt, line 1: found a number that is not a confidence (0 to 1) at the end of 32 lines; "
          "expected your choice of how to read the lines: quad."]),
    16: ("another prefix", BOXES, files(box, "pred_img_{}.txt"),
         ["net.zip: found other names than those of the images, each read as the one image that it fits (“pred_img_1” as “img_1”); expected the names of the images."]),
    17: ("files named as ground truth", BOXES, files(box, "gt_img_{}.txt"),
         ["net.zip: found 8 files named gt_NAME.txt; expected NAME.txt; files are named like this if ground truth is "
          "in them, which is another kind of file."]),
    18: ("zeros before the numbers", BOXES, files(box, "res_img_00{}.txt"),
         ["net.zip: found other names than those of the images, each read as the one image that it fits (“img_001” as “img_1”); expected the names of the images."]),
    19: ("results of other images", BOXES,
         files(lambda x, y, r, b: (x + 200, y + 100, r + 200, b + 100)), [FITS_HARDLY]),
    20: ("three files are missing", BOXES,
         {name: text for name, text in files(box).items() if name[8] > "3"},
         [f"net.zip: found no entry for 3 images (img_1, img_2, img_3); {WHICH}"]),
    21: ("one file too many, of no image", BOXES, files(box) | {"res_img_0.txt": ""},
         ["net.zip > res_img_0.txt: found regions for img_0; expected an image of the dataset, which has img_1 "
          "to img_8."]),
    22: ("semicolons", BOXES, {name: text.replace(",", ";") for name, text in files(box).items()},
         ["net.zip: found semicolons between the fields in 8 files; expected commas."]),
    31: ("numbers alone", BOXES, files(box, "{}.txt"),
         ["net.zip: found other names than those of the images, each read as the one image that it fits (“1” as “img_1”); expected the names of the images."]),
    32: ("capitals", BOXES, files(box, "RES_IMG_{}.TXT"),
         ["net.zip: found other names than those of the images, each read as the one image that it fits (“IMG_1” as “img_1”); expected the names of the images."]),
    23: ("an archive of another kind", BOXES, b"Rar!\x1a\x07\x00",
         ["net.zip: found what looks like a RAR archive; expected one of the "
          f"{len(FORMATS)} formats that are read, or csv with the columns image,left,top,right,bottom,text,confidence."]),
    33: ("corners from the top left over the bottom right", QUADS,
        files(lambda x, y, r, b: (x, y, r, b, r, y, x, b)),
        [asked("with the second and third corners exchanged", crossing=CROSSING)]),
    28: ("shifted along a list whose numbers have gaps", with_gaps(BOXES), with_gaps(files(box, by=1, wrap=8)),
         [asked("each file as that of the image before in the list", "0.88")]),
    29: ("left, top, width and height for a dataset of quadrilaterals", QUADS,
         files(lambda x, y, r, b: (x, y, r - x, b - y)),
         ["net.zip > res_img_1.txt, line 1: found 32 lines with other than 8 numbers (a quadrilateral); expected "
          "your choice of how to read the lines: ltwh."]),
    30: ("a download that was broken off", BOXES, zip_bytes(files(box))[:-30],
         ["net.zip: found a zip without its end, as after an interrupted download; expected the whole file."]),
}  # fmt: skip


def lines(draft):
    return [line for kind in draft.summary["kinds"] for line in kind["lines"]]


@pytest.fixture
def dataset():
    def make(truth):
        return load_dataset(name="Street", truth=truth).dataset

    return make


def draft_of(dataset, entries, **given):
    draft = drafts.open_draft(person=None, dataset=dataset)
    content = entries if isinstance(entries, bytes) else zip_bytes(entries)
    add(draft, content, "net.zip", kind="results", title="net", **given)
    return draft


@pytest.mark.parametrize("number", RESULTS)
def test_what_is_said_of_results(dataset, number):
    _, truth, entries, told = RESULTS[number]
    said = lines(checked(draft_of(dataset(truth), entries)))
    assert said == told


PHOTOGRAPHS = {
    24: ("photographs of some images", ["img_1"],
         ["photos.zip: found no photograph of 1 of 2 images (img_2); expected a photograph of each; those present have matching names."]),
    25: ("photographs of other names", ["DSC_1", "DSC_2"],
         ["photos.zip: found no photograph of 2 of 2 images (img_1, img_2), and 2 photographs of no image (DSC_1, "
          "DSC_2); expected photographs named after the images, img_1, img_2.",
          "photos.zip > DSC_1.png: found a photograph without ground truth (perhaps img_1); "
          "expected gt_NAME.txt "
          "for each.",
          "photos.zip > DSC_2.png: found a photograph without ground truth (perhaps img_2); "
          "expected gt_NAME.txt "
          "for each."]),
    # One picture under two names; `PHOTOGRAPH` has the same bytes for both.
    28: ("one photograph under two names", ["img_1", "img_2"],
         ["photos.zip > img_2.png: found the same photograph as that of img_1; expected a photograph of its own."]),
}  # fmt: skip


@pytest.mark.parametrize("number", PHOTOGRAPHS)
def test_what_is_said_of_photographs(number):
    _, names, told = PHOTOGRAPHS[number]
    draft = drafts.open_draft(person=None, name="Street")
    add(draft, FEW, "gt.zip", kind="truth", format="ltrb")
    add(draft, {f"{name}.png": PHOTOGRAPH for name in names}, "photos.zip", kind="photographs")
    said = lines(checked(draft))
    assert said == told


def test_26_scores_in_per_cent(dataset):
    draft = draft_of(dataset(FEW), {"res_img_1.txt": "1,1,9,9\n", "res_img_2.txt": ""})
    scores = "image,method,recall,precision\nimg_1,net,50,100\nimg_2,net,70,80\n"
    add(draft, scores, "s.csv", kind="scores", title="Theirs")
    [told] = lines(checked(draft))
    assert told == (
        "s.csv: found 4 scores above 1, as “50”; expected numbers in [0, 1]; these look like "
        "percentages: are they?"
    )


def test_27_results_without_a_dataset():
    draft = draft_of(None, files(box))
    with pytest.raises(NotLoaded) as refusal:
        drafts.start_check(draft=draft)
    assert str(refusal.value) == (
        "Results and scores belong to a dataset. Choose one, or add its ground truth. Nothing was loaded."
    )


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (12, "how to read the lines: Polygons (Total-Text, CTW-1500)."),
        (29, "how to read the lines: Boxes by their sides."),
    ],
)
def test_a_question_of_formats_calls_them_as_the_answers_do(dataset, number, shown):
    _, truth, entries, _ = RESULTS[number]
    assert with_names(lines(checked(draft_of(dataset(truth), entries)))[0]).endswith(shown)


def test_names_of_files_and_what_lines_hold_are_no_names_of_formats():
    place = "quad: found ltrb; expected quad."
    assert with_names(place) == place


class TestAnswer:
    """Nothing is corrected without an answer; the answer is in the receipt."""

    @pytest.mark.parametrize(
        ("number", "reading", "first"),
        [
            (1, "exchanged", WORDS[1][0]),
            (1, "as-read", None),
            (4, "next", WORDS[1][0]),
            (6, "sides", WORDS[1][0]),
            (29, "sides", WORDS[1][0]),
        ],
    )
    def test_it_is_read_as_was_said(self, dataset, number, reading, first):
        _, truth, entries, _ = RESULTS[number]
        street = dataset(truth)
        draft = checked(draft_of(street, entries))
        [file] = draft.files.all()
        assert drafts.answer(draft=draft, answers={file.pk: {"reading": reading}})
        loaded(draft)
        receipt = street.imports.get(kind="results")
        words = dict(plans.readings(draft, draft.files.get()))[reading]
        assert receipt.files[0]["reading"] == words
        assert len(receipt.warnings) == 1
        regions = street.images.get(name="img_1").results.get().detections
        x, y, r, b = first or WORDS[1][0]
        found = regions[0].box
        if first is None:
            assert found == (y, x + 1, b, r + 1)
        else:
            assert found in {(x, y, r, b), (x + 1, y, r + 1, b)}

    def test_a_reading_there_is_not_is_refused(self, dataset):
        draft = checked(draft_of(dataset(BOXES), RESULTS[1][2]))
        with pytest.raises(NotLoaded, match="'upside-down' is not a known reading"):
            drafts.answer(draft=draft, answers={draft.files.get().pk: {"reading": "upside-down"}})


class TestNames:
    """Names that were matched with those of the images; one click takes that back."""

    def test_files_are_read_under_their_own_names_on_request(self, dataset, admin):
        draft = checked(draft_of(dataset(BOXES), RESULTS[31][2]))
        address = reverse("imports:report", args=[draft.pk])
        button = "Read the files again under their own names"
        assert button in admin.get(address).text
        admin.post(address, {"as_named": "1"})
        assert draft.files.get().reading == "as-named"
        assert button not in admin.get(address).text
        draft.refresh_from_db()
        page = admin.get(address).text
        assert "for the images that the names of its files fit" in page
        assert "No action is needed: the file is read as you chose." in page
        unknown = "found regions for 1; expected an image of the dataset"
        assert any(unknown in line for line in lines(draft))
        # The answer that is now shown among the questions takes it back.
        admin.post(address, {f"reading-{draft.files.get().pk}": "as-read"})
        assert button in admin.get(address).text

    def test_files_under_the_names_of_the_images_offer_nothing(self, dataset, admin):
        draft = checked(draft_of(dataset(BOXES), files(box)))
        page = admin.get(reverse("imports:report", args=[draft.pk])).text
        assert "under their own names" not in page


class TestElsewhere:
    """The command asks and takes the same answer, and the report draws both readings."""

    def test_the_command_refuses_until_it_is_said_and_reads_it_so(self, dataset, tmp_path, capsys):
        street = dataset(BOXES)
        path = tmp_path / "net.zip"
        path.write_bytes(zip_bytes(RESULTS[1][2]))
        given = {"dataset": "street", "yes": True}
        with pytest.raises(CommandError, match="1 question waits") as refusal:
            call_command("import_files", str(path), **given)
        assert refusal.value.returncode == 2
        assert "with x and y exchanged: recall 1.00" in capsys.readouterr().err
        assert not street.methods.exists()
        with pytest.raises(CommandError, match="'odd' is not a known reading") as refusal:
            call_command("import_files", str(path), reading=["net.zip=odd"], **given)
        assert refusal.value.returncode == 2
        call_command("import_files", str(path), reading=["net.zip=exchanged"], **given)
        out = capsys.readouterr().out
        assert (
            "net: recall 1.00, precision 1.00, of the ground truth touched 1.00 (at IoU 0.5)."
            in out
        )
        receipt = street.imports.get(kind="results")
        assert receipt.files[0]["reading"] == "with x and y exchanged"

    def test_the_report_shows_both_readings_and_the_numbers(self, dataset, admin):
        draft = checked(draft_of(dataset(BOXES), RESULTS[1][2]))
        page = flat(admin.get(reverse("imports:report", args=[draft.pk])).text)
        for told in (
            "net.zip fits far better with x and y exchanged. Read it that way?",
            "<strong>As read:</strong> recall 0.00, precision 0.00",
            "<strong>With x and y exchanged:</strong> recall 1.00, precision 1.00",
            "A quick check on all 8 images",
        ):
            assert told in page


class TestNothingToCompare:
    def test_a_file_that_cannot_be_read_has_no_fit(self, dataset):
        draft = checked(draft_of(dataset(BOXES), RESULTS[30][2]))
        assert draft.files.get().counts["fits"] == {}

    def test_results_of_other_images_have_no_fit(self, dataset):
        draft = checked(draft_of(dataset(BOXES), files(box, "res_page_{}.txt")))
        assert draft.files.get().counts["fits"] == {}

    def test_a_method_that_found_nothing_has_one(self, dataset):
        draft = checked(draft_of(dataset(BOXES), dict.fromkeys(files(box), "")))
        assert draft.files.get().counts["fits"]["net"]["recall"] == 0


def test_faults_that_are_only_counted_are_in_their_number(dataset, admin):
    # Of a kind a thousand are listed; here are 1,001 lines of three numbers.
    entries = {"res_img_1.txt": "1,1,9\n" * 1001}
    draft = checked(draft_of(dataset(BOXES), entries))
    page = admin.get(reverse("imports:report", args=[draft.pk])).text
    assert "1001 faults" in page
    assert "the first 1000 of 1001 are listed, here and in the CSV" in flat(page)
    with pytest.raises(NotLoaded, match="1001 faults must be fixed"):
        drafts.confirm(draft=draft)
