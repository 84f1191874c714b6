"""The looks of every page with the question component, compared with those that were looked at.

A changed layout or style fails. Then run ``LOOKS=write pytest tests/browser/test_looks.py``, look at
the pictures in var/looks, and commit looks.json with the change.
"""

import base64
import hashlib
import io
import json
import os
from pathlib import Path

import pytest
from django.urls import reverse
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from annotate.judging import services
from annotate.judging.models import Screen
from tests.support.browsing import resize, sign_in
from tests.support.comparison import Site, image, screen
from tests.support.factories import add_annotator, add_researcher, make_person, make_study

LOOKS = Path(__file__).with_name("looks.json")
PICTURES = Path(__file__).parents[2] / "var" / "looks"
SIZES = [(390, 844), (720, 900), (900, 700), (1024, 768), (1366, 768), (1440, 900), (1920, 1080)]
# Of the colours, at one size: the layout is the same in all of them.
MEDIA = {
    "light": {"color_scheme": "light", "forced_colors": "none"},
    "dark": {"color_scheme": "dark", "forced_colors": "none"},
    "forced": {"color_scheme": "light", "forced_colors": "active"},
}
ANSWERS = {"recall": "left", "precision": "equal", "preference": "right"}


def font():
    """Return a font in which every letter is as wide as any other, as an address.

    The fonts of machines differ, and with them the places of all words.
    """
    letter = TTGlyphPen(None)
    letter.moveTo((60, 0))
    for corner in ((60, 600), (460, 600), (460, 0)):
        letter.lineTo(corner)
    letter.closePath()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "letter"])
    builder.setupCharacterMap(dict.fromkeys(range(0x20, 0x3000), "letter"))
    builder.setupGlyf({".notdef": letter.glyph(), "letter": letter.glyph()})
    builder.setupHorizontalMetrics({".notdef": (520, 60), "letter": (520, 60)})
    builder.setupHorizontalHeader(ascent=900, descent=-250)
    builder.setupNameTable({"familyName": "Equal", "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=900, sTypoDescender=-250, usWinAscent=900, usWinDescent=250)
    builder.setupPost()
    stream = io.BytesIO()
    builder.font.recalcTimestamp = False
    builder.save(stream)
    return "data:font/ttf;base64," + base64.b64encode(stream.getvalue()).decode()


STYLE = """@font-face { font-family: Equal; src: url("%s"); }
*, *::before, *::after { font-family: Equal !important; }"""

# The boxes of the component's parts, and their colours and lines.
PARTS = """() => {
  const names = ["h1", ".screen-header > *", ".pane", ".pane__picture", ".panes__switch button", ".criterion",
    "fieldset", "legend", ".choice", ".criterion__question", ".verdict button", ".desk__more > *",
    ".viewtools button", ".verdicts__one", ".said", ".keys td", "main h2", "main svg", "main .button"];
  return [...document.querySelectorAll(names.join())].filter((one) => one.checkVisibility()).map((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    const look = ["color", "backgroundColor", "borderTopWidth", "borderTopColor", "outlineStyle", "boxShadow",
      "fontWeight", "opacity"].map((name) => style[name]);
    const name = one.dataset.pane ?? one.dataset.do ?? one.className.baseVal ?? one.className;
    return [`${one.localName} ${name}`, [left, top + scrollY, width, height].map(Math.round), look];
  });
}"""


def hashed(what):
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:10]


@pytest.fixture
def study(transactional_db):
    study = make_study(["a", "b", "c"], images=2, name="Street signs")
    add_researcher(study, make_person(username="ines"))
    return study


@pytest.fixture
def annotator(study, client):
    person = add_annotator(study, make_person(username="mo"))
    services.start(study=study, annotator=person)
    client.force_login(person)
    waiting = Screen.objects.get()
    url = reverse("judging:answer", args=[waiting.public_id])
    assert client.post(url, ANSWERS | {"seconds_taken": "4"}).status_code == 302
    return person


# The address of each page, and whether a researcher sees it.
PAGES = {
    "judging": ("judging:judge", [], False),
    "history": ("judging:history", [], False),
    "lesson": ("learning:card", [2], False),
    "practice": ("learning:pair", [1, 1], False),
    "keys": ("learning:keys", [], False),
    "short lesson": ("learning:short", [], False),
    "preview": ("setup:preview_of_study", [], True),
}


@pytest.mark.smoke("judging")
@pytest.mark.parametrize("name", PAGES)
def test_t48_the_looks_of_a_page_are_those_that_were_looked_at(
    browser, client, live_server, study, annotator, name
):
    view, arguments, is_researchers = PAGES[name]
    person = study.memberships.get(role="researcher").person if is_researchers else annotator
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, reduced_motion="reduce", bypass_csp=True
    )
    sign_in(context, client, person, live_server)
    page = context.new_page()
    url = live_server.url + reverse(view, args=[study.slug, *arguments])
    if name == "judging":
        # Large enough to fill the panes.
        Site(page, url, screen(image=image(width=1600, height=1200)))
    else:
        page.goto(url)
    if os.environ.get("LOOKS") == "write":
        keep_pictures(page, name)
    page.add_style_tag(content=STYLE % font())
    page.evaluate("document.fonts.ready")
    found = {}
    for size in SIZES:
        resize(page, *size)
        parts = page.evaluate(PARTS)
        assert len(parts) > 5, name
        found[f"{size[0]}"] = hashed([[part, box] for part, box, _ in parts])
    boxes = [box for _, box, _ in page.evaluate(PARTS)]
    for media, asked in MEDIA.items():
        page.emulate_media(**asked)
        resize(page, *SIZES[-1])
        parts = page.evaluate(PARTS)
        assert [box for _, box, _ in parts] == boxes, media
        found[media] = hashed([[part, look] for part, _, look in parts])
    context.close()
    looked_at = json.loads(LOOKS.read_text("utf-8")) if LOOKS.exists() else {}
    if os.environ.get("LOOKS") == "write":
        text = json.dumps(looked_at | {name: found}, indent=1, sort_keys=True)
        LOOKS.write_text(text + "\n", encoding="utf-8")
        return
    differing = [what for what in found if looked_at.get(name, {}).get(what) != found[what]]
    assert differing == [], f"{name}: look at it, see the first lines of this file"


def keep_pictures(page, name):
    """Keep pictures to look at, in the fonts of this machine."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for media, asked in MEDIA.items():
        page.emulate_media(**asked)
        for size in SIZES:
            resize(page, *size)
            page.screenshot(path=PICTURES / f"{name}-{media}-{size[0]}.png", full_page=True)
    page.emulate_media(**MEDIA["light"])
