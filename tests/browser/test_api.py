"""The documentation of the API, drawn under the site's policy, and the page of one's tokens."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.cache import cache

from annotate.tokens.services import create_token
from tests.browser.test_pages import signed_in
from tests.support.addresses import operations
from tests.support.factories import make_admin

SIZES = [(1440, 900), (390, 844)]


@pytest.fixture
def admin(transactional_db):
    cache.clear()
    return make_admin("ada")


def opened(browser, client, live_server, person, size, theme="light"):
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=theme, reduced_motion="reduce"
    )
    page = signed_in(context, client, person, live_server)
    page.complaints, page.asked = [], []
    page.on(
        "console", lambda said: page.complaints.append(said.text) if said.type == "error" else 0
    )
    page.on("request", lambda sent: page.asked.append(sent.url))
    return page


def width_of(page):
    return page.evaluate("document.documentElement.scrollWidth")


@pytest.mark.parametrize("size", SIZES)
def test_every_operation_is_drawn_without_another_host(browser, client, live_server, admin, size):
    page = opened(browser, client, live_server, admin, size)
    page.goto(f"{live_server.url}/api/v1/docs")
    page.locator(".opblock").first.wait_for()
    assert page.locator(".opblock").count() == len(operations())
    assert width_of(page) <= size[0]
    assert page.complaints == []
    elsewhere = [url for url in page.asked if not url.startswith((live_server.url, "data:"))]
    assert elsewhere == []
    page.context.close()


def test_an_address_can_be_tried_in_ones_own_name(browser, client, live_server, admin):
    page = opened(browser, client, live_server, admin, SIZES[0])
    page.goto(f"{live_server.url}/api/v1/docs")
    me = page.locator("#operations-me-me_retrieve")
    me.locator(".opblock-summary-control").click()
    me.get_by_role("button", name="Try it out").click()
    me.get_by_role("button", name="Execute").click()
    answer = me.locator(".live-responses-table .highlight-code").first
    answer.wait_for()
    assert '"username": "ada"' in answer.inner_text()
    page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_a_token_is_made_shown_once_and_revoked(browser, client, live_server, admin, size, theme):
    create_token(person=admin, name="an earlier one with a name that is long", scopes=["read"])
    page = opened(browser, client, live_server, admin, size, theme)
    page.goto(f"{live_server.url}/accounts/tokens/")
    assert Axe().run(page).response["violations"] == []
    page.get_by_role("textbox", name="Name").fill("nightly")
    page.get_by_role("button", name="Make the token").click()
    secret = page.get_by_label("The token", exact=True).input_value()
    assert secret.startswith("tdr_")
    assert Axe().run(page).response["violations"] == []
    assert width_of(page) <= size[0]
    page.goto(f"{live_server.url}/accounts/tokens/")
    assert secret not in page.content()
    page.get_by_role("button", name="Revoke nightly").click()
    assert page.get_by_text("The token is revoked.").is_visible()
    assert admin.api_tokens.get().name.startswith("an earlier")
    assert page.complaints == []
    page.context.close()
