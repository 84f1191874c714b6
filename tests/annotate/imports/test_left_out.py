"""Loads of files with units that are left out, of failed jobs, and of files of another format."""

import json

import pytest
from django.urls import reverse

from annotate.imports import drafts, plans
from annotate.imports.errors import NotLoaded
from protocols.core.regions import decode_regions
from tests.support.archives import picture_bytes, zip_bytes
from tests.support.factories import make_admin
from tests.support.loads import add, checked, load_dataset, loaded

pytestmark = pytest.mark.django_db

PAIRS = [[38, 43], [126, 43], [126, 60], [38, 60]]
FOUND = [[PAIRS, " CARE ", 0.9], [[[0, 0], [9, 0], [9, 9], [0, 9]], " ", 0.5]]
SEGMENT = "0 0.1 0.1 0.3 0.1 0.35 0.2 0.3 0.3 0.1 0.3 0.88\n"
# Shares of 700 x 320.
PIXELS = (70, 32, 210, 32, 245, 64, 210, 96, 70, 96)


@pytest.fixture
def dataset():
    truth = {"gt_img_1.txt": f"{','.join(map(str, PIXELS))},CARE\n"}
    return load_dataset(name="Street", truth=truth).dataset


def with_results(dataset, content, **given):
    draft = drafts.open_draft(person=None, dataset=dataset)
    data = content if isinstance(content, bytes) else json.dumps(content)
    add(draft, zip_bytes({"img_1.json": data}), "net.zip", kind="results", title="net", **given)
    return checked(draft)


def page_of(client, draft):
    client.force_login(make_admin())
    return client.get(reverse("imports:report", args=[draft.pk])).content.decode()


def test_blank_words_are_counted_on_the_page_and_the_others_are_loaded(client, dataset):
    draft = with_results(dataset, FOUND)
    assert "1 word or line without text (first in img_1)" in page_of(client, draft)
    [result] = loaded(draft).methods.get().results.all()
    [region] = decode_regions(result.regions)
    assert region.text == "CARE"


def test_segments_of_yolo_are_loaded_as_polygons(dataset):
    draft = drafts.open_draft(person=None, dataset=dataset)
    files = {"img_1.txt": SEGMENT, "img_1.png": picture_bytes(700, 320)}
    add(draft, zip_bytes(files), "net.zip", kind="results", title="net")
    [result] = loaded(checked(draft)).methods.get().results.all()
    [region] = decode_regions(result.regions)
    assert region.points == pytest.approx(PIXELS)
    assert (region.label, region.confidence) == ("0", 0.88)


FAILED = {"JobStatus": "FAILED", "StatusMessage": "INVALID_IMAGE_TYPE", "Blocks": []}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (FAILED, "a job with the status “FAILED”: “INVALID_IMAGE_TYPE”"),
        ({"responses": [{"a": 1}]}, "found a group of fields; expected an object with"),
    ],
)
def test_a_failed_job_and_foreign_json_are_refused_on_the_page(client, dataset, content, told):
    draft = with_results(dataset, content)
    assert told in page_of(client, draft)
    with pytest.raises(NotLoaded):
        drafts.confirm(draft=draft)


def test_the_place_of_confidences_is_asked_and_the_answer_is_followed(dataset):
    draft = drafts.open_draft(person=None, dataset=dataset)
    line = "0 0.9 0.117143 0.160938 0.125714 0.053125\n"
    files = {"img_1.txt": line, "img_1.png": picture_bytes(700, 320)}
    add(draft, zip_bytes(files), "net.zip", kind="results", title="net")
    [question] = plans.questions(checked(draft))
    assert [slug for slug, _ in question.choices[:2]] == [
        "yolo-confidence-last",
        "yolo-confidence-second",
    ]
    drafts.answer(draft=draft, answers={question.file.pk: {"format": "yolo-confidence-second"}})
    assert plans.questions(checked(draft)) == []
    [result] = loaded(draft).methods.get().results.all()
    [region] = decode_regions(result.regions)
    assert region.box == pytest.approx((38, 43, 126, 60), abs=0.01)


def test_shares_are_loaded_only_as_shares():
    """The ground truth of 24 boxes in pixels, and the same as shares of 200 x 100."""
    boxes = [(x, y, x + 20, y + 8) for y in range(2, 90, 15) for x in range(3, 180, 45)]
    truth = "".join(",".join(map(str, box)) + ",word\n" for box in boxes)
    sides = (200, 100, 200, 100)
    shares = "".join(
        ",".join(str(value / side) for value, side in zip(box, sides, strict=True)) + "\n"
        for box in boxes
    )
    photographs = {"img_1.png": picture_bytes(200, 100)}
    dataset = load_dataset(name="Street", truth={"gt_img_1.txt": truth}, images=photographs).dataset
    draft = drafts.open_draft(person=None, dataset=dataset)
    add(draft, {"res_img_1.txt": shares}, "net.zip", kind="results", title="net")
    assert draft_codes(checked(draft)) == {"F9", "F2"}
    [question] = plans.questions(draft)
    drafts.answer(draft=draft, answers={question.file.pk: {"reading": "as-read"}})
    assert "F9" in draft_codes(checked(draft))
    drafts.answer(draft=draft, answers={question.file.pk: {"reading": "share:1"}})
    assert "F9" not in draft_codes(checked(draft))
    [result] = loaded(draft).methods.get().results.all()
    assert decode_regions(result.regions)[0].box == pytest.approx(boxes[0])


def draft_codes(draft):
    return set(draft.findings.values_list("code", flat=True))


def test_results_of_no_region_alone_are_asked_for_their_format(dataset):
    draft = with_results(dataset, b"null")
    [question] = plans.questions(draft)
    assert [slug for slug, _ in question.choices[:2]] == ["easyocr", "coco-json"]
    drafts.answer(draft=draft, answers={question.file.pk: {"format": "easyocr"}})
    [result] = loaded(checked(draft)).methods.get().results.all()
    assert decode_regions(result.regions) == ()
