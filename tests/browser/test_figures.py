"""The page of figures in a browser: drawings of its theme, tables that can be reached, nothing refused."""

import pytest
from django.core.cache import caches
from django.urls import reverse
from playwright.sync_api import expect

from annotate.accounts.models import Preferences
from annotate.figures import views
from annotate.figures.kinds import NAMES
from annotate.figures.themes import THEMES
from tests.support.browsing import check_accessible, check_fits, listen
from tests.support.factories import add_annotator, add_researcher, make_run, make_study
from tests.support.truths import rank_everything, same_truth

SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
# The images of this study are alike, so that there are no parts to draw, and too few to plan from;
# no one came by a link.
DRAWN = [name for name in NAMES if name not in ("parts", "plan", "participants")]


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
    """Scroll through the page, so that every figure is drawn; return the drawings."""
    boxes = page.locator("[data-drawing]")
    for box in boxes.all():
        box.scroll_into_view_if_needed()
        expect(box.locator("svg")).to_have_count(1)
    return boxes.locator("svg")


@pytest.mark.smoke("light-wide")
@pytest.mark.parametrize(("theme", "size"), [("light", "wide"), ("dark", "narrow")])
def test_each_figure_can_be_read(open_as, live_server, study, size, theme):
    width, height = SIZES[size]
    page = open_as(
        add_researcher(study),
        viewport={"width": width, "height": height},
        color_scheme=theme,
        reduced_motion="reduce",
    )
    complaints = listen(page)
    page.goto(live_server.url + reverse("figures:figures", args=[study.slug]))
    assert see_all(page).count() == len(DRAWN)
    for summary in page.locator("section details > summary").all():
        summary.click()
    check_accessible(page)
    check_fits(page, SIZES[size])
    assert complaints == []


def test_a_page_of_a_large_study_fetches_its_other_figures(
    open_as, live_server, study, monkeypatch
):
    monkeypatch.setattr(views, "MAX_SCORES_DRAWN_TOGETHER", 0)
    caches["drawings"].clear()
    page = open_as(add_researcher(study))
    complaints = listen(page)
    page.goto(live_server.url + reverse("figures:figures", args=[study.slug]))
    expect(page.locator("[data-waits]")).to_have_count(0)
    assert see_all(page).count() == len(DRAWN)
    assert complaints == []


def colours_of(page):
    """Return which themes have the colours of the drawings' letters."""
    fills = page.locator("[data-drawing] svg text").evaluate_all(
        "texts => texts.map(text => text.getAttribute('fill'))"
    )
    return {name for name, theme in THEMES.items() if theme.ink in fills}


def test_figures_follow_theme_window_and_paper(open_as, live_server, study):
    """A chosen theme wins over the system's; what is printed is light."""
    person = add_researcher(study)
    page = open_as(person, color_scheme="dark", viewport={"width": 1440, "height": 900})
    page.goto(live_server.url + reverse("figures:figures", args=[study.slug]))
    see_all(page)
    assert colours_of(page) == {"dark"}
    wide = page.locator("[data-drawing] svg").first.get_attribute("width")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("[data-drawing] svg").first).not_to_have_attribute("width", wide)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert colours_of(page) == {"light"}
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert colours_of(page) == {"dark"}
    Preferences.objects.create(person=person, theme="light")
    page.reload()
    see_all(page)
    assert colours_of(page) == {"light"}


def test_a_drawing_opens_alone_without_a_refusal(open_as, live_server, study):
    page = open_as(add_researcher(study))
    complaints = listen(page)
    page.goto(live_server.url + reverse("figures:figure", args=[study.slug, "wins", "svg"]))
    assert page.locator("svg").count() >= 1
    assert complaints == []


def test_without_javascript_the_criterion_can_be_changed_and_numbers_are_read(
    open_as, live_server, study
):
    page = open_as(add_researcher(study), java_script_enabled=False)
    page.goto(live_server.url + reverse("figures:figures", args=[study.slug]))
    page.get_by_role("link", name="Precision", exact=True).click()
    by_precision = page.get_by_role("heading", name="Distances to the consensus by precision")
    expect(by_precision).to_have_count(1)
    drawing = page.locator(".figure__drawing").first
    expect(drawing).to_be_hidden()
    page.get_by_text("Numbers and files").first.click()
    expect(page.get_by_role("region", name="Numbers of").first).to_be_visible()
    expect(page.get_by_text("its numbers are in the table").first).to_be_visible()
