"""T46: what a screen reader reads out on the comparison page: names in order, and live regions."""

import json
import re
from pathlib import Path

import pytest

from tests.support.comparison import screen, without_results

# Every text of a live region, in the order in which it appears.
LISTEN = """() => {
  window.heard = [];
  for (const region of document.querySelectorAll("[role=status], [role=alert]")) {
    new MutationObserver(() => region.textContent && window.heard.push(region.textContent))
      .observe(region, { childList: true, characterData: true, subtree: true });
  }
}"""
NAMED = re.compile(r'- (button|link|radio|group|img|progressbar|form|heading) ?("[^"]*")?')
# The study's name and the labels of the results come from the payload, and are the same in both.
NAMES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
HEARD = {
    "en": [
        "Not answered yet: precision, preference.",
        "Place 1 of 3 (boxes: 1 left, 0 right)",
        "Saved. Next pair.",
    ],
    "fr": [
        "Encore sans réponse : precision, preference.",
        "Endroit 1 sur 3 (boîtes : 1 à gauche, 0 à droite)",
        "Saved. Next pair.",
    ],
}


def read_out(words):
    """Return words with plain spaces, without the number of a study of the tests."""
    return re.sub(r"(?<=^heading study) \d+", "", " ".join(words.split())).replace(" , ", ", ")


def names(page):
    """Return the role and name of each control and picture, as the accessibility tree has them."""
    found = NAMED.findall(page.locator("body").aria_snapshot())
    return [read_out(f"{role} {name.strip(chr(34))}") for role, name in found]


@pytest.mark.parametrize("language", NAMES)
def test_t46_names_and_live_regions_are_read_out_in_both_languages(open_site, language):
    site = open_site(screen(), [without_results(screen(2))], locale=language)
    page = site.page
    assert names(page) == NAMES[language]
    page.evaluate(LISTEN)
    # An early Enter, the next place that differs, and the confirmed pair.
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.wait_for_function("() => window.heard.length === 1")
    page.keyboard.press("n")
    page.wait_for_function("() => window.heard.length === 2")
    site.confirm()
    page.wait_for_function("() => window.heard.length === 3")
    assert [read_out(words) for words in page.evaluate("window.heard")] == HEARD[language]
