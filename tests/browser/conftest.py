from functools import wraps

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotate.judging import services
from tests.support.browsing import own_time, signed_in
from tests.support.comparison import Site, remembered_layout, screen
from tests.support.factories import add_annotator, make_study

# Minutes, for a machine that does other work as well: for pages, for what is done on them, and for what
# is expected of them. A test that passes does not wait for it.
_PATIENCE_MS = 300_000
expect.set_options(timeout=_PATIENCE_MS)


@pytest.fixture(scope="session")
def browser(browser: Browser) -> Browser:
    """The browser, whose pages are waited for as long as what is expected of them."""
    opened = browser.new_context

    @wraps(opened)
    def patient(**options: object) -> BrowserContext:
        context = opened(**options)
        context.set_default_timeout(_PATIENCE_MS)
        return context

    browser.new_context = patient  # type: ignore[method-assign]
    return browser


@pytest.fixture
def open_as(browser, client, live_server):
    """Open a page in which a person is signed in, in a context of its own."""
    contexts = []

    def open_it(person, **options) -> Page:
        contexts.append(browser.new_context(**options))
        return signed_in(contexts[-1], client, person, live_server)

    yield open_it
    for context in contexts:
        context.close()


@pytest.fixture
def at_work(transactional_db):
    study = make_study(["a", "b", "c"], images=1)
    person = add_annotator(study)
    services.start(study=study, annotator=person)
    return study, person


@pytest.fixture
def open_site(browser, client, live_server, at_work):
    """Open the comparison page in a context of its own; complaints of the browser fail the test.

    ``layout``: the remembered wish ("both", "one"); None leaves the choice to the page.
    """
    study, person = at_work
    complaints, contexts = [], []

    def open_it(
        first=None, following=(), hold=None, has_own_time=False, layout="both", **context_fields
    ):
        fields = {"viewport": {"width": 1440, "height": 900}} | context_fields
        contexts.append(browser.new_context(**fields))
        if layout:
            contexts[-1].add_init_script(remembered_layout(layout))
        page: Page = signed_in(contexts[-1], client, person, live_server)
        if has_own_time:
            own_time(page)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        url = live_server.url + reverse("judging:judge", args=[study.slug])
        return Site(page, url, first or screen(), following, hold)

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []
