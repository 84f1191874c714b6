"""An annotator's way in French, from signing in to the last pairs; panes in a page from right to left."""

from functools import cache

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.learning.pairs import EXERCISES
from tests.support.browsing import (
    SIZES,
    check_accessible,
    check_fits,
    listen,
    resize,
    sign_in,
    unexpected,
)
from tests.support.factories import add_annotator, add_newcomer, make_study
from tests.support.practice import as_expected
from tools import catalogues

PHRASE = "a-long-phrase-93"
KEYS = {
    "recall": {"left": "Digit1", "equal": "Digit2", "right": "Digit3"},
    "precision": {"left": "KeyQ", "equal": "KeyW", "right": "KeyE"},
    "preference": {"left": "KeyA", "equal": "KeyS", "right": "KeyD"},
}
# Each text node, and what is read in place of one, as one line.
SAID = """() => {
  const said = [];
  const seen = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (seen.nextNode()) {
    const { parentElement } = seen.currentNode;
    if (!parentElement.closest("script, style, template, kbd, [lang]:not(html), [translate=no]"))
      said.push(seen.currentNode.textContent);
  }
  for (const name of ["aria-label", "alt", "title", "placeholder"])
    for (const node of document.querySelectorAll(`[${name}]`)) said.push(node.getAttribute(name));
  return [document.title, ...said].map((text) => text.trim().replace(/\\s+/g, " ")).filter(Boolean);
}"""


@cache
def english():
    """Everything that French says otherwise, without values."""
    found = set()
    for domain in catalogues.DOMAINS:
        for message in catalogues.catalogue("fr", domain):
            originals = (message.id,) if isinstance(message.id, str) else message.id
            words = (message.string,) if isinstance(message.string, str) else message.string
            found |= {each for each in originals if each not in words}
    french = {
        words
        for domain in catalogues.DOMAINS
        for message in catalogues.catalogue("fr", domain)
        for words in ((message.string,) if isinstance(message.string, str) else message.string)
    }
    # A single letter may as well be that of a key.
    return {each for each in found - french if len(each) > 1 and not catalogues.places(each)}


def check(page):
    assert page.locator("html").get_attribute("lang") == "fr"
    assert english().intersection(page.evaluate(SAID)) == set()
    check_accessible(page)


def press(page, verdicts):
    for criterion, verdict in verdicts.items():
        page.keyboard.press(KEYS[criterion][verdict])
    page.keyboard.press("Enter")


@pytest.mark.django_db(transaction=True)
def test_an_annotator_reads_nothing_but_french(page, live_server):
    study = make_study(["a", "b", "c"], images=2)
    person = add_newcomer(study)
    person.set_password(PHRASE)
    person.save()
    complaints = listen(page)
    page.add_init_script("localStorage.setItem('layout', 'both')")
    page.goto(live_server.url + reverse("account_login"))
    page.get_by_role("button", name="Français").click()
    check(page)
    page.get_by_label("Nom d’utilisateur").fill(person.username)
    page.get_by_label("Mot de passe").fill(PHRASE)
    page.get_by_role("button", name="Se connecter", exact=True).click()
    expect(page.get_by_role("button", name="Se déconnecter")).to_be_visible()

    page.goto(live_server.url + reverse("judging:judge", args=[study.slug]))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Bienvenue")
    check(page)
    page.get_by_label("J’accepte et je participe").check()
    page.get_by_role("button", name="Continuer").click()
    expect(page.get_by_text("Exemple 1 sur 7")).to_be_visible()
    check(page)

    page.goto(live_server.url + reverse("learning:pair", args=[study.slug, 1, 1]))
    press(page, as_expected(EXERCISES[1][0]))
    expect(page.get_by_text("Comme prévu.").first).to_be_visible()
    check(page)
    page.goto(live_server.url + reverse("learning:keys", args=[study.slug]))
    check(page)
    page.get_by_role("button", name="Commencer l’étude").click()

    screen = page.locator("form[data-answer]")
    expect(screen.locator("[data-confirm]")).to_contain_text("Valider")
    check(page)
    check_fits(page, (1440, 900), (1024, 768), (390, 844))
    # Where both results are in sight.
    page.set_viewport_size({"width": 1440, "height": 900})
    for _ in range(2):
        page.locator("[data-screen][data-seen]").wait_for()
        before = screen.get_attribute("data-screen-id")
        press(page, {"recall": "left", "precision": "equal", "preference": "right"})
        expect(screen).not_to_have_attribute("data-screen-id", before)
    assert page.title().startswith("Image ")
    page.locator("[data-screen][data-seen]").wait_for()
    page.keyboard.press("KeyU")
    expect(page.locator("[data-status]")).to_contain_text("Annulé.")
    page.keyboard.press("KeyX")
    expect(page.get_by_role("heading", name="Pourquoi passer cette paire")).to_be_visible()
    check(page)
    page.keyboard.press("2")
    expect(page.locator("[data-status]")).to_contain_text("Paire passée.")
    page.keyboard.press("KeyH")
    expect(page.get_by_text("Les plus récentes d’abord.")).to_be_visible()
    check(page)
    assert unexpected(complaints) == []


# Controls whose words are wider than they are, and notes that lie over the name of their question.
CUT = """() => {
  const shown = [...document.querySelectorAll("label, button, summary, .button")].filter((node) =>
    node.checkVisibility({ visibilityProperty: true }) && !node.closest(".visually-hidden, .pane__caption"));
  const wide = shown.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
  const covered = [...document.querySelectorAll(".criterion")].filter((row) => {
    const name = row.querySelector(".criterion__title").getBoundingClientRect();
    const note = document.createRange();
    note.selectNodeContents(row.querySelector(".criterion__note"));
    const below = row.getBoundingClientRect().bottom;
    return [...note.getClientRects()].some(({ left, top, bottom }) =>
      (left < name.right && top < name.bottom - 4) || bottom > below + 1);
  });
  return [...wide, ...covered].map(({ textContent }) => textContent.trim().replace(/\\s+/g, " "));
}"""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_words_of_the_comparison_page_fit_their_places(
    page, context, client, live_server, settings, language
):
    study = make_study(["a", "b", "c"], images=2)
    sign_in(context, client, add_annotator(study), live_server)
    name = settings.LANGUAGE_COOKIE_NAME
    context.add_cookies([{"name": name, "value": language, "url": live_server.url}])
    page.goto(live_server.url + reverse("judging:judge", args=[study.slug]))
    page.locator("main form button").click()
    page.locator("[data-open-skip]").wait_for()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator("fieldset[data-criterion=preference] [data-note]")).not_to_be_empty()
    # The last is what 200 % makes of the first.
    for width, height in [*SIZES, (720, 450)]:
        resize(page, width, height)
        assert page.evaluate(CUT) == [], (width, height)
    page.set_viewport_size({"width": 1440, "height": 900})
    for layout in ("one", "both"):
        page.evaluate("layout => localStorage.setItem('layout', layout)", layout)
        page.reload()
        expect(page.locator("[data-panes][data-one]")).to_have_count(int(layout == "one"))
        for width, height in SIZES[:2]:
            resize(page, width, height)
            assert page.evaluate(CUT) == [], (layout, width, height)


@pytest.mark.django_db(transaction=True)
def test_the_keys_are_read_from_their_heading_on(page, context, client, live_server):
    study = make_study(["a", "b", "c"], images=2)
    sign_in(context, client, add_annotator(study), live_server)
    page.set_viewport_size({"width": 390, "height": 500})
    page.goto(live_server.url + reverse("judging:judge", args=[study.slug]))
    page.locator("main form button").click()
    page.locator("[data-open-help]").click()
    dialog = page.locator("[data-help-dialog]")
    expect(dialog.get_by_role("heading", name="Keys")).to_be_focused()
    assert dialog.evaluate("({ scrollTop }) => scrollTop") == 0
    assert dialog.evaluate("({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth")
    expect(dialog.locator("kbd").first).to_be_visible()


@pytest.mark.django_db(transaction=True)
def test_from_right_to_left_the_left_result_stays_left(
    page, context, client, live_server, settings
):
    # Words are English still: what mirrors is the page.
    settings.LANGUAGES = [("ar", "العربية"), *settings.LANGUAGES]
    study = make_study(["a", "b", "c"], images=2)
    person = add_annotator(study)
    sign_in(context, client, person, live_server)
    context.add_cookies(
        [{"name": settings.LANGUAGE_COOKIE_NAME, "value": "ar", "url": live_server.url}]
    )
    page.goto(live_server.url + reverse("judging:judge", args=[study.slug]))
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".panes")).to_be_visible()
    assert page.locator("html").get_attribute("dir") == "rtl"
    for width, height in [(1440, 900), (390, 844)]:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1440, "height": 900})
    for rows in (".pane", ".criterion:first-of-type .choice"):
        lefts = [each.bounding_box()["x"] for each in page.locator(rows).all()]
        assert lefts == sorted(lefts)
