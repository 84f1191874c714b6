"""A report in a browser: the answer on the first screen, questions by address and by keyboard, and paper."""

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
    for shown in (sentence, figure, page.locator(".answer")):
        box = shown.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= FIRST_SCREEN["height"]
        assert box["x"] + box["width"] <= FIRST_SCREEN["width"]


@pytest.mark.smoke
def test_on_a_telephone_the_answer_has_two_screens(open_report):
    page = open_report(viewport={"width": 390, "height": 844})
    expect(page.locator(".answer .figure__drawing svg")).to_be_visible()
    box = page.locator(".answer").bounding_box()
    assert box["y"] + box["height"] <= 2 * 844
    check_page(page)


def test_a_question_opens_in_place_and_is_in_the_address(open_report):
    page = open_report()
    expect(page.locator(".asked__answer")).to_have_count(0)
    sure = page.get_by_role("link", name="How sure is this?")
    sure.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?open=sure#part-sure$"))
    expect(sure).to_have_attribute("aria-expanded", "true")
    expect(sure).to_be_focused()
    expect(page.locator("#part-sure .figure__drawing svg")).to_be_visible()
    people = page.get_by_role("link", name="Who disagrees, and on which images?")
    people.click()
    expect(page).to_have_url(re.compile(r"\?open=people&open=sure#part-people$"))
    expect(page.locator(".asked__answer")).to_have_count(2)
    page.get_by_text("How far annotators agree").click()
    expect(page.locator("#agreement").get_by_role("button", name="Protocol")).to_have_count(0)
    page.reload()
    expect(page.locator(".asked__answer")).to_have_count(2)
    page.go_back()
    expect(page.locator(".asked__answer")).to_have_count(1)
    sure.click()
    expect(page.locator(".asked__answer")).to_have_count(0)


@pytest.mark.parametrize(
    ("fragment", "question"),
    [("#part-images", "people"), ("#sensitivity", "robust"), ("#part-made", "made")],
)
def test_an_earlier_address_opens_its_question(open_report, fragment, question):
    page = open_report(fragment)
    expect(page.locator(f"#part-{question} .asked__answer")).to_be_visible()
    expect(page.locator(fragment)).to_be_visible()


def test_questions_need_no_script(open_report):
    page = open_report(java_script_enabled=False)
    page.get_by_role("link", name="Does the order hold under other settings?").click()
    expect(page.locator("#part-robust .asked__answer")).to_be_visible()
    expect(page.locator(".asked__answer")).to_have_count(1)


def test_a_row_is_one_link_and_its_cells_open_their_images(open_report):
    page = open_report()
    row = page.locator("tr", has=page.get_by_role("link", name="Right", exact=True))
    assert row.get_by_role("link").count() == 1
    row.get_by_role("link").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("protocol=Right&only=best&"))
    page.go_back()
    row.locator("td").nth(1).click()
    expect(page).to_have_url(re.compile("protocol=Right&only=worst&"))


def test_more_columns_are_remembered(open_report, address):
    page = open_report()
    expect(page.get_by_role("columnheader", name="Kemeny")).to_be_hidden()
    expect(page.get_by_role("rowheader", name="all tied")).to_be_hidden()
    page.get_by_label("More columns").check()
    expect(page.get_by_role("columnheader", name="Kemeny")).to_be_visible()
    expect(page.get_by_role("rowheader", name="all tied")).to_be_visible()
    page.goto(f"{address}?criterion=precision")
    expect(page.get_by_role("columnheader", name="Kemeny")).to_be_visible()


def test_paper_has_what_is_open_and_where_it_comes_from(open_report, study):
    page = open_report("?open=all")
    page.emulate_media(media="print")
    for fact in (
        study.dataset.name,
        "text-detection-rankings",
        "Mean rank",
        "Decimals of the scores",
    ):
        expect(page.locator("#part-made .facts")).to_contain_text(fact)
    expect(page.get_by_text("The study is still open")).to_be_visible()
    # No one filters paper.
    expect(page.locator(".no-print:visible")).to_have_count(0)
    # Long tables are not cut off.
    for box in page.locator(".table-scroll").all():
        assert box.evaluate("box => box.scrollHeight <= box.clientHeight + 1")


@pytest.mark.smoke
def test_every_question_is_accessible_and_fits(open_report, address):
    page = open_report("?open=all")
    complaints = listen(page)
    check_page(page)
    page.goto(f"{address}images/?criterion=preference")
    check_page(page)
    assert unexpected(complaints) == []
