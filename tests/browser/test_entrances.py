"""A participant's way from the link to the code, by keyboard alone, with and without scripts."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from annotate.recruiting.models import Arrival, Outcome
from tests.support.browsing import SIZES, check_accessible, check_fits, listen, unexpected
from tests.support.comparison import remembered_layout
from tests.support.participants import PRACTICE, crowd_study, ids, link, make_entrance

_IS_ANOTHER = """address =>
  document.querySelector("form.verdict")?.getAttribute("action") !== address"""
PHONES = ((390, 844), (320, 640))


@pytest.fixture
def entrance(transactional_db):
    return make_entrance(crowd_study(images=8), size=6, places=1)


@pytest.fixture
def visitor(browser):
    """Opens windows of newcomers."""
    opened = []

    def open_window(**settings):
        opened.append(browser.new_context(reduced_motion="reduce", **settings))
        # Both results at once: of one at a time each has to be looked at.
        opened[-1].add_init_script(remembered_layout("both"))
        page = opened[-1].new_page()
        page.complaints = listen(page)
        return page

    yield open_window
    for context in opened:
        context.close()


def look(page):
    """Check a page in both themes, and at all sizes down to a small telephone."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        check_fits(page, *SIZES, *PHONES)
        check_accessible(page)
    check_fits(page, SIZES[0])
    assert unexpected(page.complaints) == []


def press(page, selector, key="Enter"):
    """Reach what the selector names with Tab alone, and press a key on it."""
    found = page.locator(selector).first
    found.wait_for()
    for _ in range(80):
        page.keyboard.press("Tab")
        if found.evaluate("(one) => one === document.activeElement"):
            page.keyboard.press(key)
            return
    raise AssertionError(f"{selector} cannot be reached with Tab on {page.url}")


def start(page, live_server, entrance, person):
    page.goto(f"{live_server.url}{link(entrance)}?{urlencode(ids(person))}")


def answer(page, scripts):
    """Answer the pair on screen by keyboard; with scripts the page changes without a load."""
    if scripts:
        page.locator("[data-screen][data-ready]").wait_for()
    address = page.locator("form.verdict").get_attribute("action")
    for criterion in ("recall", "precision", "preference"):
        press(page, f"[name={criterion}]", "Space")
    if scripts:
        press(page, ".verdict__confirm")
        page.wait_for_function(_IS_ANOTHER, arg=address)
    else:
        with page.expect_navigation():
            press(page, ".verdict__confirm")


@pytest.mark.smoke("chromium-scripts-en")
@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_from_the_link_to_the_code(visitor, live_server, entrance, language, scripts):
    page = visitor(locale=language, java_script_enabled=scripts)
    start(page, live_server, entrance, "first")
    assert page.locator("html").get_attribute("lang") == language
    agree = "form.consent:not([hidden]) button:not([name])"
    if scripts:
        look(page)
    press(page, agree)
    page.wait_for_url(re.compile(r"/short/$"))
    if scripts:
        look(page)
    # The browser names the question that is missing.
    press(page, "main form .button")
    assert page.evaluate("document.activeElement.name") == "street-recall"
    for question in sorted(PRACTICE):
        press(page, f"[name={question}]", "Space")
    press(page, "main form .button")
    press(page, "main form:has([name=begin]) .button")
    page.wait_for_url(re.compile(r"/judge/"))
    # As after wrong known answers.
    Arrival.objects.update(is_paused=True)
    page.reload()
    page.wait_for_url(re.compile(r"/visit/$"))
    if scripts:
        look(page)
    while not page.url.endswith("/done/"):
        if page.url.endswith("/visit/"):
            press(page, "main form .button")
            page.wait_for_url(re.compile(r"/judge/"))
        answer(page, scripts)
    code = entrance.code_of(Arrival.objects.get().outcome)
    expect(page.locator("#code")).to_have_value(code)
    if scripts:
        look(page)
    other = visitor(locale=language, java_script_enabled=scripts)
    start(other, live_server, entrance, "second")
    if scripts:
        look(other)
    press(other, "[name=leave]")
    expect(other.locator("#code")).to_have_value(entrance.code_of(Outcome.FULL))
