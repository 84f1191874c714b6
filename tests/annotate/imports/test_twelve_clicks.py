"""From *Data* to an open study in at most twelve clicks: 28 photographs, results in five formats."""

import csv
import io
import json
from html.parser import HTMLParser
from time import monotonic
from urllib.parse import urljoin

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.datasets.models import Dataset
from annotate.imports.models import DraftFile
from annotate.studies.models import Study
from protocols.core.regions import Region
from protocols.formats.writing.regions import write_coco
from tests.support.archives import picture_bytes, zip_bytes

pytestmark = pytest.mark.django_db

MOST_CLICKS, MOST_SECONDS = 12, 240
NAMES = [f"scene_{number:02}" for number in range(1, 29)]
# left, top, right, bottom of the words of each image
WORDS = {
    name: [
        (x, y, x + int(width), y + 30)
        for x, y, width in zip((20, 220, 20), (30, 90, 150), rng.integers(60, 150, 3), strict=True)
    ]
    for at, name in enumerate(NAMES)
    for rng in [np.random.default_rng(at)]
}


def found(shift):
    return {name: [(x + shift, y, r + shift, b) for x, y, r, b in of] for name, of in WORDS.items()}


def corners(box):
    x, y, r, b = box
    return [[x, y], [r, y], [r, b], [x, b]]


def quads(boxes, end=""):
    lines = (",".join(str(value) for corner in corners(box) for value in corner) for box in boxes)
    return "".join(f"{line}{end}\r\n" for line in lines)


def of_engine(boxes):
    """JSON as PaddleOCR writes it."""
    return json.dumps(
        {
            "dt_polys": [corners(box) for box in boxes],
            "rec_texts": ["word"] * len(boxes),
            "rec_scores": [0.9] * len(boxes),
            "rec_polys": [corners(box) for box in boxes],
        }
    )


def tsv(boxes):
    """A table as tesseract writes it."""
    out = io.StringIO()
    table = csv.writer(out, delimiter="\t", lineterminator="\n")
    head = "level page_num block_num par_num line_num word_num left top width height conf text"
    table.writerow(head.split())
    table.writerow([1, 1, 0, 0, 0, 0, 0, 0, 400, 300, -1, ""])
    for number, (x, y, r, b) in enumerate(boxes, 1):
        table.writerow([5, 1, 1, 1, number, 1, x, y, r - x, b - y, 90, "word"])
    return out.getvalue()


def coco(by_image):
    regions = {name: [Region.from_box(*box) for box in of] for name, of in by_image.items()}
    stream = io.BytesIO()
    write_coco(stream, regions, kind="results", sizes=dict.fromkeys(by_image, (400, 300)))
    return stream.getvalue()


def files():
    """Ground truth, photographs, and five files of results."""

    def zipped(pattern, write, by_image):
        return zip_bytes({pattern.format(name): write(of) for name, of in by_image.items()})

    return {
        "gt.zip": zipped("gt_{}.txt", lambda of: quads(of, ",word"), WORDS),
        "photographs.zip": zip_bytes({f"{name}.png": picture_bytes(400, 300) for name in NAMES}),
        "paddle.zip": zipped("{}.json", of_engine, found(1)),
        "tesseract.zip": zipped("{}.tsv", tsv, found(3)),
        "lines.zip": zipped(
            "res_{}.txt",
            lambda of: "".join(f"{x},{y},{r},{b}\r\n" for x, y, r, b in of),
            found(5),
        ),
        "coco.json": coco(found(7)),
        "quads.zip": zipped("res_{}.txt", quads, found(9)),
    }


class Parsed(HTMLParser):
    """The links, and the buttons with the action and the fields of their forms, by their words."""

    def __init__(self, text):
        super().__init__()
        self.links, self.buttons, self.action, self.fields = {}, {}, "", {}
        self.open, self.words, self.select = None, "", None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        name, value = given.get("name"), given.get("value") or ""
        if tag == "form":
            self.action, self.fields = given.get("action", ""), {}
        elif tag in ("a", "button"):
            self.open, self.words = (tag, given), ""
        elif tag == "input" and name:
            is_choice = given.get("type") in ("checkbox", "radio")
            if given.get("type") != "file" and (not is_choice or "checked" in given):
                self.fields.setdefault(name, []).append(value or ("on" if is_choice else ""))
        elif tag == "textarea":
            self.fields[name] = [""]
        elif tag == "select":
            self.select = name
        elif tag == "option" and ("selected" in given or self.select not in self.fields):
            self.fields[self.select] = [value]

    def handle_data(self, data):
        self.words += data

    def handle_endtag(self, tag):
        if self.open is None or tag != self.open[0]:
            return
        words, given = " ".join(self.words.split()), self.open[1]
        if tag == "a":
            self.links.setdefault(words, given.get("href", ""))
        else:
            own = {given["name"]: given.get("value", "")} if "name" in given else {}
            # Fields of the form may follow the button.
            place = given.get("formaction") or self.action
            self.buttons.setdefault(words, (place, self.fields, own))
        self.open = None


class Reader:
    """A person who reads the page: follows a link, or presses a button of a form, by its words."""

    def __init__(self, client):
        self.client, self.n_clicks = client, 0

    def open(self, address):
        self.address = address
        self._show(self.client.get(address, follow=True))

    def _show(self, response):
        assert response.status_code == 200, response.text
        chain = response.redirect_chain
        self.address = chain[-1][0] if chain else self.address
        self.page = Parsed(response.text)

    def follow(self, words):
        self.n_clicks += 1
        self.open(urljoin(self.address, self.page.links[words]))

    def press(self, words, **typed):
        """Press a button; ``typed`` are values of fields by name, or files."""
        self.n_clicks += 1
        action, fields, own = self.page.buttons[words]
        self.address = urljoin(self.address, action)
        self._show(self.client.post(self.address, fields | own | typed, follow=True))


def test_from_data_to_an_open_study_in_twelve_clicks(admin):
    started, reader = monotonic(), Reader(admin)
    reader.open(reverse("datasets:list"))
    reader.follow("Load data")
    # The dialog that chooses the files.
    reader.n_clicks += 1
    uploads = [SimpleUploadedFile(name, content) for name, content in files().items()]
    reader.press("Continue", files=uploads)
    # Four numbers a line, where the ground truth has eight, are left, top, right and bottom.
    [lines] = DraftFile.objects.filter(name="lines.zip")
    reader.n_clicks += 1
    chosen = {f"file-{lines.pk}-format": "ltrb"}
    reader.press("Check the files", name="Scenes", **chosen)
    reader.open(reader.address)
    reader.follow("Continue to confirm")
    reader.press("Load")
    reader.follow("Go to the dataset")
    reader.follow("New study")
    reader.press("Next: design", name="Five detectors")
    reader.follow("Open")
    reader.press("Create the study and open it")
    assert reader.n_clicks <= MOST_CLICKS
    assert monotonic() - started < MOST_SECONDS
    study, dataset = Study.objects.get(), Dataset.objects.get()
    assert (study.state, study.name) == (Study.State.OPEN, "Five detectors")
    assert study.images.exclude(sha256="").count() == 28
    methods = {method.name: method for method in study.methods.all()}
    assert sorted(methods) == ["coco", "lines", "paddle", "quads", "tesseract"]
    for shift, name in enumerate(("paddle", "tesseract", "lines", "coco", "quads")):
        result = methods[name].results.get(image__name=NAMES[4])
        boxes = found(1 + 2 * shift)[NAMES[4]]
        assert [region.box for region in result.detections] == boxes, name
    assert [of.box for of in dataset.images.get(name=NAMES[0]).truth_regions] == WORDS[NAMES[0]]
