"""Shared parts of the browser tests: signing in, and rules for every page."""

import re
import time

from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import BrowserContext, Page

SIZES = ((1440, 900), (1024, 768), (390, 844))
# Refusals that tests provoke; the browser reports each as an error.
_REFUSED = re.compile(r"\b(40[34]|410|422)\b")
# Scripts react to a new size before the next frame, and some are fetched after the page.
_IS_SIZED = "([width, height]) => innerWidth === width && innerHeight === height"
_ONCE_DRAWN = """async () => {
  for (let n = 0; n < 2; n += 1) await new Promise(requestAnimationFrame);
}"""
_KNOWS_ITS_TABLES = """() => [...document.querySelectorAll(".table-scroll")].every(
  (box) => !box.checkVisibility() || "wide" in box.dataset || "fits" in box.dataset)"""
# Until its layout is chosen, the comparison page is hidden from everybody, axe included.
_SHOWS_ITS_PAIR = """() => matchMedia("(scripting: none)").matches
  || !document.querySelector(".screen-page [data-screen]:not([data-ready])")"""


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
    """Return a list that collects errors: of scripts, and refusals by the policy or the server."""
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints


def unexpected(complaints: list[str]) -> list[str]:
    """Return the complaints that are not provoked refusals."""
    return [text for text in complaints if not _REFUSED.search(text)]


def check_accessible(page: Page, rules: tuple[str, ...] = ()) -> None:
    """Check that axe finds no violation of its rules, or of the given ones."""
    page.wait_for_function(_KNOWS_ITS_TABLES)
    page.wait_for_function(_SHOWS_ITS_PAIR)
    axe = Axe()
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(axe.axe_script)
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    results = page.evaluate("options => axe.run(document, options)", options)
    broken = [(rule["id"], rule["nodes"][0]["html"]) for rule in results["violations"]]
    assert not broken, (page.url, broken)


def resize(page: Page, width: int, height: int) -> None:
    """Resize the window, and wait until everything is laid out and drawn."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(_IS_SIZED, arg=[width, height])
    page.evaluate(_ONCE_DRAWN)


def own_time(page: Page) -> None:
    """Let the test control the clock of the pages opened from now on."""
    page.clock.install()


def stop_time(page: Page) -> None:
    """Stop the clock of a page; `page.clock` advances and resumes it."""
    # The clock runs until it is stopped, and cannot be stopped in the past.
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)


def press_twice(page: Page, x: float, y: float, *, by_finger: bool = False) -> None:
    """Click or tap a place twice within a fifth of a second, however slow the machine is."""
    devtools = page.context.new_cdp_session(page)
    begun = time.time()
    for n in (1, 2):
        for is_down in (True, False):
            told: dict[str, object] = {"timestamp": begun + 0.1 * n - 0.05 * is_down}
            if by_finger:
                told["type"] = "touchStart" if is_down else "touchEnd"
                told["touchPoints"] = [{"x": x, "y": y}] if is_down else []
                devtools.send("Input.dispatchTouchEvent", told)
            else:
                told |= {"x": x, "y": y, "button": "left", "clickCount": n}
                told["type"] = "mousePressed" if is_down else "mouseReleased"
                devtools.send("Input.dispatchMouseEvent", told)
    devtools.detach()


def check_names_no_key(page: Page) -> None:
    """Check that a page names no key to people who have no keyboard."""
    assert page.evaluate("matchMedia('(hover: none) and (pointer: coarse)').matches")
    shown = page.locator("body").inner_text()
    assert re.findall(r"(?i).*\b(?:keys?|keyboard|wheel|click)\b.*", shown) == []
    keys = page.locator("kbd").filter(visible=True).all_text_contents()
    assert keys == [], page.url


def check_fits(page: Page, *sizes: tuple[int, int]) -> None:
    """Check that nothing is wider than the window at any of the sizes."""
    for width, height in sizes:
        resize(page, width, height)
        scroll_width = page.evaluate("document.documentElement.scrollWidth")
        assert scroll_width <= width, (page.url, width, scroll_width)


def check_themes(page: Page) -> None:
    """Check with axe at this size all rules in the light theme, and contrast in the dark one."""
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    check_accessible(page)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    check_accessible(page, rules=("color-contrast",))


# Buttons in the colour of the main action.
MAIN_BUTTONS = """() => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--accent)";
  const accent = getComputedStyle(probe).color;
  probe.remove();
  return [...document.querySelectorAll("main :is(a, button, summary):not([aria-hidden])")]
    .filter((one) => one.checkVisibility())
    .filter((one) => getComputedStyle(one).backgroundColor === accent)
    .map((one) => one.textContent.trim());
}"""


# Pressed, chosen and current elements without a line for that: each is compared with itself in the
# other state. Native radio buttons and check boxes show theirs.
_UNLINED = """() => {
  const sides = ["Top", "Right", "Bottom", "Left"];
  const linesOf = (one) => ["", "::before"].map((part) => {
    const style = getComputedStyle(one, part);
    const width = (name) => (style[name + "Style"] === "none" ? 0 : parseFloat(style[name + "Width"]));
    return ["outline", ...sides.map((side) => "border" + side)].map(width);
  }).join();
  const found = "[aria-pressed=true], [aria-selected=true], [aria-current]:not(.breadcrumbs *),"
    + ":is(.choice, .gallery__one):has(> :checked)";
  return [...document.querySelectorAll(found)].filter((one) => one.checkVisibility() && !one.closest("svg"))
  .filter((one) => {
    const on = linesOf(one);
    const input = one.querySelector(":scope > :checked");
    const name = ["aria-pressed", "aria-selected", "aria-current"].find((each) => one.hasAttribute(each));
    const value = name && one.getAttribute(name);
    if (name) one.removeAttribute(name);
    else input.checked = false;
    const off = linesOf(one);
    if (name) one.setAttribute(name, value);
    else input.checked = true;
    return on === off;
  }).map((one) => one.outerHTML.slice(0, 200));
}"""


def check_states(page: Page) -> None:
    """Check that in forced colours a line shows all that is pressed, chosen or current."""
    page.emulate_media(forced_colors="active")
    assert page.evaluate("matchMedia('(forced-colors: active)').matches")
    unlined = page.evaluate(_UNLINED)
    page.emulate_media(forced_colors="none")
    assert unlined == [], page.url


def check_page(page: Page) -> None:
    """Check that a page is accessible in both themes, fits all sizes and has one main button at most.

    In forced colours a line shows each state.
    """
    check_states(page)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    check_fits(page, *SIZES[:1])
    check_accessible(page)
    loud = page.evaluate(MAIN_BUTTONS)
    assert len(loud) <= 1, loud
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    check_fits(page, *SIZES[1:])
    check_accessible(page)
    check_fits(page, *SIZES[:1])
