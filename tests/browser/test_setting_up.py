"""A new researcher sets a study up in a browser, from data to open, with scripts and without."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.design.setup.services import begin
from annotate.judging.models import Judgement
from annotate.studies.models import Study
from tests.support.browsing import check_page, listen, unexpected
from tests.support.factories import make_admin, make_person, make_study

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.smoke("-scripts")
@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
def test_from_data_to_open(open_as, live_server, has_scripts):
    dataset = make_study(["a", "b", "c"], images=4).dataset
    make_person("ana")
    page = open_as(make_admin("ada"), java_script_enabled=has_scripts)
    complaints = listen(page)
    page.goto(live_server.url)
    page.get_by_role("link", name="New study").first.click()
    page.get_by_role("link", name=f"Choose {dataset.name}").click()
    page.get_by_role("button", name="Next: design").click()
    # The browser itself asks for the name.
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.get_by_label("Name", exact=True).fill("Signs")
    page.get_by_role("button", name="Next: design").click()
    page.get_by_label("People available").fill("30")
    page.get_by_text("More about the question").click()
    page.get_by_label("Images available").fill("5000")
    page.get_by_role("button", name="Plan").click()
    page.get_by_role("link", name="Fill in this design").click()
    assert page.get_by_label("People available").input_value() == "30"
    page.get_by_label("Recall question").fill("More of the text?")
    page.get_by_role("button", name="Next: images").click()
    page.get_by_role("checkbox").first.uncheck()
    page.get_by_role("button", name="Next: people").click()
    page.get_by_role("group", name="Annotators").get_by_label("ana").check()
    page.get_by_role("button", name="Next: appearance").click()
    page.get_by_label("Welcome text").fill("Hello **you**")
    page.get_by_role("button", name="Save and preview").click()
    expect(page.get_by_text("More of the text?").first).to_be_visible()
    page.get_by_role("link", name="Back", exact=True).click()
    page.get_by_label("Welcome text").wait_for()
    page.reload()
    expect(page.get_by_label("Welcome text")).to_have_value("Hello **you**")
    page.get_by_role("button", name="Next: open").click()
    page.get_by_label("Open it with outlines on blank pages").check()
    page.get_by_role("button", name="Create the study and open it").click()
    expect(page.get_by_role("button", name="Close the study")).to_be_visible()
    made = Study.objects.get(name="Signs")
    assert page.url == live_server.url + reverse("studies:detail", args=[made.slug])
    assert (made.state, made.images.count()) == ("open", 3)
    assert (made.recall_question, made.welcome) == ("More of the text?", "Hello **you**")
    assert set(made.memberships.values_list("person__username", "role")) == {
        ("ana", "annotator"),
        ("ada", "researcher"),
    }
    assert unexpected(complaints) == []


def test_the_preview_is_answered_like_the_comparison_page(open_as, live_server):
    dataset = make_study(["a", "b", "c"], images=2).dataset
    admin = make_admin()
    new = begin(person=admin, dataset=dataset, name="Signs", methods=list(dataset.methods.all()))
    page = open_as(admin)
    complaints = listen(page)
    page.goto(live_server.url + reverse("setup:preview", args=[new.pk]))
    page.locator("[data-open-skip]").wait_for()
    for at in range(1, 6):
        for key in ("1", "w", "d"):
            page.keyboard.press(key)
        # An answer counts once both results were shown.
        page.locator("[data-screen][data-seen]").wait_for()
        page.locator("[data-confirm]").click()
        page.locator(f"[data-screen-id=preview-{at}]").wait_for()
    page.keyboard.press("u")
    page.locator("[data-screen-id=preview-4]").wait_for()
    assert not Judgement.objects.exists()
    assert unexpected(complaints) == []


@pytest.mark.smoke
@pytest.mark.parametrize("step", ["data", "design", "people", "look"])
def test_every_step_is_accessible_and_fits(open_as, live_server, step):
    dataset = make_study(["a", "b"], images=2).dataset
    admin = make_admin()
    new = begin(person=admin, dataset=dataset, name="Signs", methods=list(dataset.methods.all()))
    page = open_as(admin, reduced_motion="reduce")
    page.goto(live_server.url + reverse("setup:step", args=[new.pk, step]))
    check_page(page)
