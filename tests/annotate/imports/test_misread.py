"""Results that hardly fit as they are read, while another reading fits: a click does not load them."""

import pytest
from django.urls import reverse

from annotate.imports import drafts, plans
from annotate.imports.errors import NotLoaded
from tests.support.archives import zip_bytes
from tests.support.loads import add, add_results, checked, load_dataset, new_dataset
from tests.support.word_files import files

pytestmark = pytest.mark.django_db

TRUTH = files(lambda *of: of, "gt_img_{}.txt", ",word")
EXCHANGED = files(lambda x, y, r, b: (y, x + 1, b, r + 1))
WAITS = "1 question waits for an answer"


@pytest.fixture
def street():
    return load_dataset(name="Street", truth=TRUTH).dataset


def draft_of(street):
    draft = drafts.open_draft(person=None, dataset=street)
    add(draft, zip_bytes(EXCHANGED), "net.zip", kind="results", title="net")
    return checked(draft)


def answered(draft, reading):
    if drafts.answer(
        draft=draft, answers={draft.files.get(kind="results").pk: {"reading": reading}}
    ):
        checked(draft)
    return draft


def test_the_page_loads_nothing_before_the_question_is_answered_in_words(street, admin):
    draft = draft_of(street)
    report, confirm = (reverse(f"imports:{of}", args=[draft.pk]) for of in ("report", "confirm"))
    assert WAITS in admin.get(confirm).text
    admin.post(confirm)
    # Saved without a choice, it stays open.
    admin.post(report, {})
    admin.post(confirm)
    assert not street.methods.exists()
    admin.post(report, {f"reading-{draft.files.get().pk}": "as-read"})
    admin.post(confirm)
    assert [method.name for method in street.methods.all()] == ["net"]


def test_another_reading_that_hardly_fits_is_no_answer_on_the_page(street, admin):
    draft = answered(draft_of(street), "scaled:3")
    report, confirm = (reverse(f"imports:{of}", args=[draft.pk]) for of in ("report", "confirm"))
    page = admin.get(report).text
    assert "1 open" in page
    assert "with coordinates times 3: recall 0.00, precision 0.00; with x and y exchanged" in page
    admin.post(confirm)
    assert not street.methods.exists()
    admin.post(report, {f"reading-{draft.files.get().pk}": "exchanged"})
    admin.post(confirm)
    [method] = street.methods.all()
    assert method.results.get(image__name="img_1").detections[0].box[0] >= 100


def test_another_reading_that_hardly_fits_is_no_answer_for_the_api(street, admin):
    draft = draft_of(street)
    load = reverse("api:load", args=[draft.pk])

    def answer(reading):
        sent = {"answers": [{"file": draft.files.get().pk, "reading": reading}]}
        admin.post(f"{load}/answers", sent, content_type="application/json")
        return admin.get(load).json()

    state = answer("scaled:3")
    [question] = state["questions"]
    assert not question["is_answered"]
    assert question["choices"] == {"as-read": "as read", "exchanged": "with x and y exchanged"}
    assert WAITS in state["plan"]["obstacles"][0]
    assert admin.post(f"{load}/confirm", {}, content_type="application/json").status_code == 422
    assert not street.methods.exists()
    state = answer("as-read")
    assert (state["questions"][0]["is_answered"], state["plan"]["obstacles"]) == (True, [])
    assert admin.post(f"{load}/confirm", {}, content_type="application/json").status_code == 202
    assert street.methods.exists()


def other_format(draft):
    drafts.change_file(file=draft.files.get(kind="results"), format="ltrb")


def other_answer(draft):
    drafts.answer(draft=draft, answers={draft.files.get(kind="results").pk: {"format": "ltrb"}})


def other_dataset(draft):
    drafts.describe(draft=draft, dataset=load_dataset(name="Road", truth=TRUTH).dataset)


@pytest.mark.parametrize("change", [other_format, other_answer, other_dataset])
def test_an_answer_is_for_the_format_and_the_truth_it_was_asked_about(street, change):
    draft = answered(draft_of(street), "as-read")
    change(draft)
    with pytest.raises(NotLoaded, match=WAITS):
        drafts.confirm(draft=checked(draft))


def other_truth(draft):
    drafts.remove_file(file=draft.files.get(kind="truth"))
    more = TRUTH | {"gt_img_8.txt": TRUTH["gt_img_8.txt"] + "1,1,9,9,more\n"}
    add(draft, more, "other.zip", kind="truth", format="ltrb")


def truth_in_other_format(draft):
    drafts.change_file(file=draft.files.get(kind="truth"), format="")


@pytest.mark.parametrize("change", [other_truth, truth_in_other_format])
def test_with_other_ground_truth_in_the_load_it_is_asked_again(change):
    draft = new_dataset(truth=TRUTH)
    add_results(draft, EXCHANGED)
    # A second method that fits, so that the ground truth is not the side to correct.
    add_results(draft, files(), title="good")
    question = next(of for of in plans.questions(checked(draft)) if of.field == "reading")
    drafts.answer(draft=draft, answers={question.file.pk: {"reading": "as-read"}})
    assert all(of.is_answered for of in plans.questions(checked(draft)))
    change(draft)
    with pytest.raises(NotLoaded, match=WAITS):
        drafts.confirm(draft=checked(draft))
