"""The page of figures in a browser: one drawing per theme, tables that can be reached, nothing refused."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.accounts.models import Preferences
from annotate.figures.kinds import NAMES
from tests.support.browsing import check_accessible, check_fits, listen, signed_in
from tests.support.factories import add_annotator, add_researcher, make_run, make_study
from tests.support.truths import rank_everything, same_truth

SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
# The images of this study are alike, so that there are no parts to draw, and too few to plan from.
DRAWN = [name for name in NAMES if name not in ("parts", "plan")]
ANY_DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'


@pytest.fixture
def study(transactional_db):
    study = make_study(["a", "b", "c"], images=3)
    for ranking in ([["a"], ["b", "c"]], [["b"], ["a"], ["c"]], [["a", "b", "c"]]):
        rank_everything(study, add_annotator(study), same_truth(ranking))
    make_run(study, "Right", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    make_run(study, "A protocol with a name that is long", {"a": 0.5, "b": 0.5, "c": 0.4})
    return study


def see_all(page):
    """Scroll through the page, so that every drawing is fetched; return those that are shown."""
    shown = page.locator("figure picture:visible img")
    for at in range(shown.count()):
        shown.nth(at).scroll_into_view_if_needed()
        page.wait_for_function(
            "image => image.complete && image.naturalWidth > 0",
            arg=shown.nth(at).element_handle(),
        )
    return shown


@pytest.mark.parametrize(("theme", "size"), [("light", "wide"), ("dark", "narrow")])
def test_each_figure_can_be_read(browser, client, live_server, study, size, theme):
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce"
    )
    page = signed_in(context, client, add_researcher(study), live_server)
    complaints = listen(page)
    page.goto(live_server.url + reverse("figures:figures", args=[study.slug]))
    assert see_all(page).count() == len(DRAWN)
    for summary in page.locator("section details > summary").all():
        summary.click()
    check_accessible(page)
    check_fits(page, SIZES[size])
    assert complaints == []
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("size", "column"), [("wide", "page"), ("narrow", "single")])
def test_each_figure_is_fetched_once_as_theme_and_screen_want_it(
    browser, client, live_server, study, size, column, theme
):
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce"
    )
    page = signed_in(context, client, add_researcher(study), live_server)
    asked = []

    def give_any(route):
        asked.append(route.request.url)
        route.fulfill(body=ANY_DRAWING, content_type="image/svg+xml")

    page.route(re.compile(r"/figures/.*\.svg\?"), give_any)
    page.goto(live_server.url + reverse("figures:figures", args=[study.slug]))
    assert see_all(page).count() == len(asked) == len(DRAWN)
    assert all(f"theme={theme}" in url and f"width={column}" in url for url in asked)
    context.close()


def test_a_chosen_theme_wins_over_the_system(browser, client, live_server, study):
    person = add_researcher(study)
    Preferences.objects.create(person=person, theme="light")
    context = browser.new_context(color_scheme="dark")
    page = signed_in(context, client, person, live_server)
    page.goto(live_server.url + reverse("figures:figures", args=[study.slug]))
    assert page.locator("picture.figure__light:visible").count() == len(DRAWN)
    assert page.locator("picture.figure__dark:visible").count() == 0
    page.emulate_media(color_scheme="light")
    Preferences.objects.update(theme="dark")
    page.reload()
    assert page.locator("picture.figure__dark:visible").count() == len(DRAWN)
    assert page.locator("picture.figure__light:visible").count() == 0
    context.close()


def test_a_drawing_opens_alone_without_a_refusal(browser, client, live_server, study):
    context = browser.new_context()
    page = signed_in(context, client, add_researcher(study), live_server)
    complaints = listen(page)
    page.goto(live_server.url + reverse("figures:figure", args=[study.slug, "wins", "svg"]))
    assert page.locator("svg").count() >= 1
    assert complaints == []
    context.close()


def test_without_javascript_the_criterion_can_be_changed(browser, client, live_server, study):
    context = browser.new_context(java_script_enabled=False)
    page = signed_in(context, client, add_researcher(study), live_server)
    page.goto(live_server.url + reverse("figures:figures", args=[study.slug]))
    page.get_by_role("link", name="Precision", exact=True).click()
    by_precision = page.get_by_role("heading", name="Distances to the consensus by precision")
    expect(by_precision).to_have_count(1)
    context.close()
