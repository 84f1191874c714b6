"""A report in a browser: the answer on the first screen, parts by address and by keyboard, and paper."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.support.browsing import check_page, listen, signed_in, unexpected
from tests.support.factories import add_annotator, add_researcher, make_run, make_study
from tests.support.truths import rank_everything, same_truth

FIRST_SCREEN = {"width": 1440, "height": 900}


@pytest.fixture
def study(transactional_db):
    """Twelve images: enough for intervals."""
    study = make_study(["a", "b", "c"], images=12)
    for ranking in ([["a"], ["b"], ["c"]], [["a"], ["b", "c"]], [["b"], ["a"], ["c"]]):
        rank_everything(study, add_annotator(study), same_truth(ranking))
    make_run(study, "Right", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    return study


@pytest.fixture
def address(study, live_server):
    return live_server.url + reverse("reports:report", args=[study.slug])


@pytest.fixture
def open_report(browser, client, live_server, study, address):
    contexts = []

    def open_at(fragment="", **options):
        contexts.append(browser.new_context(**{"viewport": FIRST_SCREEN, **options}))
        page = signed_in(contexts[-1], client, add_researcher(study), live_server)
        page.goto(address + fragment)
        return page

    yield open_at
    for context in contexts:
        context.close()


@pytest.mark.smoke
def test_the_first_screen_has_the_answer_and_its_figure(open_report):
    page = open_report()
    sentence = page.get_by_role("heading", name=re.compile("^By recall, "))
    figure = page.locator(".answer .figure__drawing svg")
    expect(figure).to_be_visible()
    for shown in (sentence, figure):
        box = shown.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= FIRST_SCREEN["height"]
        assert box["x"] + box["width"] <= FIRST_SCREEN["width"]
    # Settings come after the answer and the table.
    settings = page.get_by_label("Distance", exact=True)
    assert page.locator("#part-made").get_by_label("Distance", exact=True).count() == 1
    assert not settings.is_visible()


def test_a_part_is_shown_by_its_address_and_by_keyboard(open_report):
    page = open_report()
    parts = page.get_by_role("navigation", name="Parts of the report")
    expect(page.locator(".part:visible")).to_have_count(1)
    first = parts.get_by_role("link").first
    expect(first).to_have_attribute("aria-current", "true")
    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".part:visible")).to_have_attribute("id", "part-people")
    expect(parts.get_by_role("link", name="Annotators")).to_have_attribute("aria-current", "true")
    expect(page).to_have_url(re.compile("#part-people$"))
    page.reload()
    expect(page.locator(".part:visible")).to_have_attribute("id", "part-people")
    page.go_back()
    expect(page.locator(".part:visible")).to_have_attribute("id", "part-sure")
    expect(first).to_have_attribute("aria-current", "true")


@pytest.mark.parametrize(
    ("fragment", "part"),
    [("", "part-sure"), ("#part-images", "part-images"), ("#sensitivity", "part-robust")],
)
def test_parts_need_no_script(open_report, fragment, part):
    page = open_report(fragment, java_script_enabled=False)
    expect(page.locator(".part:visible")).to_have_count(1)
    expect(page.locator(".part:visible")).to_have_attribute("id", part)
    page.get_by_role("link", name="Other criteria").click()
    expect(page.get_by_role("heading", name="Preference")).to_be_visible()
    expect(page.locator(".part:visible")).to_have_count(1)


def test_paper_has_every_part_and_where_it_comes_from(open_report, study):
    page = open_report()
    page.emulate_media(media="print")
    parts = page.locator(".part")
    assert parts.count() > 5
    for at in range(parts.count()):
        expect(parts.nth(at)).to_be_visible()
    for fact in (
        study.dataset.name,
        "text-detection-rankings",
        "Mean rank",
        "Decimals of the scores",
    ):
        expect(page.locator("#part-made .facts")).to_contain_text(fact)
    expect(page.get_by_text("The study is still open")).to_be_visible()
    expect(page.get_by_role("button", name="Keep this report").first).to_be_hidden()
    # No one filters paper.
    expect(page.locator(".no-print:visible")).to_have_count(0)
    # Long tables are not cut off.
    for box in page.locator(".table-scroll").all():
        assert box.evaluate("box => box.scrollHeight <= box.clientHeight + 1")


@pytest.mark.smoke
def test_every_part_is_accessible_and_fits(open_report, address):
    page = open_report()
    complaints = listen(page)
    for link in page.locator(".report-parts__list a").all():
        link.click()
        check_page(page)
    page.goto(f"{address}images/?criterion=preference")
    check_page(page)
    assert unexpected(complaints) == []
