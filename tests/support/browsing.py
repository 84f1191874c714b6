"""Shared parts of the tests in a browser: signing in, and rules that hold of every page."""

import re

from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import BrowserContext, Page

SIZES = ((1440, 900), (1024, 768), (390, 844))
# A refusal that a test provokes; the browser reports each as an error.
_REFUSED = re.compile(r"\b(40[34]|410|422)\b")
# Scripts look at the new size before the next picture is drawn.
_WIDTH_ONCE_DRAWN = """async () => {
  for (let n = 0; n < 2; n += 1) await new Promise(requestAnimationFrame);
  return document.documentElement.scrollWidth;
}"""


def sign_in(context: BrowserContext, client: Client, person: User | None, live_server) -> None:
    """Give the browser the session of the test client."""
    if person is not None:
        client.force_login(person)
        cookie = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])


def signed_in(context: BrowserContext, client: Client, person: User | None, live_server) -> Page:
    """Open a page in which the person is signed in."""
    sign_in(context, client, person, live_server)
    return context.new_page()


def listen(page: Page) -> list[str]:
    """Return a list that fills with errors: of scripts, and what the policy or the server refused."""
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints


def unexpected(complaints: list[str]) -> list[str]:
    """Return the complaints that are no provoked refusal."""
    return [text for text in complaints if not _REFUSED.search(text)]


def check_accessible(page: Page, rules: tuple[str, ...] = ()) -> None:
    """Let axe find nothing, by all of its rules or by those that are named."""
    axe = Axe()
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(axe.axe_script)
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    results = page.evaluate("options => axe.run(document, options)", options)
    broken = [(rule["id"], rule["nodes"][0]["html"]) for rule in results["violations"]]
    assert not broken, (page.url, broken)


def check_fits(page: Page, *sizes: tuple[int, int]) -> None:
    """Let nothing be wider than the window at any of the sizes."""
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("width => window.innerWidth === width", arg=width)
        scroll_width = page.evaluate(_WIDTH_ONCE_DRAWN)
        assert scroll_width <= width, (page.url, width, scroll_width)


def check_themes(page: Page) -> None:
    """Let axe find nothing at this size in the light theme, and no faint colour in the dark one."""
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    check_accessible(page)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    check_accessible(page, rules=("color-contrast",))


def check_page(page: Page) -> None:
    """Let a page be accessible, light on a large screen and dark on a small one, and fit all sizes."""
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    check_fits(page, *SIZES[:1])
    check_accessible(page)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    check_fits(page, *SIZES[1:])
    check_accessible(page)
    check_fits(page, *SIZES[:1])
