"""The documentation of the API, drawn under the site's policy, and the page of one's tokens."""

import pytest
from django.core.cache import cache
from playwright.sync_api import expect

from annotate.api.tokens.services import create_token
from tests.support.addresses import operations
from tests.support.browsing import check_fits, check_page, listen
from tests.support.factories import make_admin


@pytest.fixture
def admin(transactional_db):
    cache.clear()
    return make_admin("ada")


@pytest.fixture
def page(open_as, live_server, admin):
    """A page of the admin; at the end nothing may have been complained about."""
    page = open_as(admin, viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    complaints = listen(page)
    yield page
    assert complaints == []


@pytest.mark.smoke
def test_every_operation_is_drawn_without_another_host(page, live_server):
    n_operations = len(operations())
    asked = []
    page.on("request", lambda sent: asked.append(sent.url))
    page.goto(f"{live_server.url}/api/v1/docs")
    expect(page.locator(".opblock")).to_have_count(n_operations)
    check_fits(page, (1440, 900), (390, 844))
    elsewhere = [url for url in asked if not url.startswith((live_server.url, "data:"))]
    assert elsewhere == []


def test_an_address_can_be_tried_in_ones_own_name(page, live_server):
    page.goto(f"{live_server.url}/api/v1/docs")
    me = page.locator("#operations-me-me_retrieve")
    me.locator(".opblock-summary-control").click()
    me.get_by_role("button", name="Try it out").click()
    me.get_by_role("button", name="Execute").click()
    answer = me.locator(".live-responses-table .highlight-code").first
    expect(answer).to_contain_text('"username": "ada"')


def test_a_token_is_made_shown_once_and_revoked(page, live_server, admin):
    create_token(person=admin, name="an earlier one with a name that is long", scopes=["read"])
    page.goto(f"{live_server.url}/accounts/tokens/")
    check_page(page)
    page.get_by_role("textbox", name="Name").fill("nightly")
    page.get_by_role("button", name="Create the token").click()
    secret = page.get_by_label("The token", exact=True).input_value()
    assert secret.startswith("tdr_")
    check_page(page)
    page.goto(f"{live_server.url}/accounts/tokens/")
    assert secret not in page.content()
    page.get_by_role("button", name="Revoke nightly").click()
    expect(page.get_by_text("The token is revoked.")).to_be_visible()
    assert admin.api_tokens.get().name.startswith("an earlier")
