from functools import wraps

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

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
