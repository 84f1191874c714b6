"""The layout of the comparison page: a large photograph in every window, and nothing over it."""

import json
import re
from urllib.parse import parse_qs

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.support.browsing import MAIN_BUTTONS, check_accessible, check_states, resize
from tests.support.cases import cases
from tests.support.comparison import image, result, screen, without_results
from tests.support.factories import add_annotator
from tests.support.truths import rank_everything, same_truth

AB = same_truth([["a"], ["b"], ["c"]])

SIZES = [(1440, 900), (1024, 768), (1920, 1080), (844, 390), (390, 844), (768, 1024), (720, 450)]
# Landscape windows from 900 px of width: tablets, laptops, screens.
WIDE = [(1024, 768), (1152, 864), (1280, 720), (1280, 800), (1366, 768), (1440, 900), (1536, 864)]
WIDE += [(1600, 900), (1920, 1080), (2560, 1440)]
OTHERS = [(390, 844), (844, 390), (720, 450), (768, 1024), (899, 700), (1000, 1100)]
# In these, at most a quarter of a pane is grey.
FULL = [(1366, 768), (1440, 900), (1920, 1080)]
SHAPES = {"4:3": (2560, 1920), "3:4": (1920, 2560), "16:9": (2560, 1440)}

# The panes in the window: of the pane's picture and of its photograph left, top, width and height in CSS
# pixels, and the scale.
PANES = """() => [...document.querySelectorAll(".pane__picture")]
  .filter((one) => one.checkVisibility())
  .map((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const [x, y, w, h] = one.getAttribute("viewBox").split(" ").map(Number);
    const photograph = one.querySelector("image");
    const scale = Math.min(width / w, height / h);
    return {
      stage: [left, top, width, height],
      photograph: [left - x * scale, top - y * scale,
        photograph.width.baseVal.value * scale, photograph.height.baseVal.value * scale],
      scale,
    };
  })"""
# Elements outside the window or under something else.
COVERED = """() => {
  const names = "h1, .screen-header .button, [data-image-number], legend, .choice, .verdict__confirm,"
    + " .verdict__same, [data-switch] button, .desk__more .button, .viewtools button";
  return [...document.querySelectorAll(names)].filter((one) => one.checkVisibility()).filter((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const isIn = left >= 0 && top >= 0 && right <= innerWidth + 0.5 && bottom <= innerHeight + 0.5;
    return !isIn || !(one.contains(found) || found?.contains(one));
  }).map((one) => one.className + " " + one.textContent.trim());
}"""


def shaped(shape, boxes=None):
    width, height = SHAPES[shape]
    boxes = boxes or result("100,100 300,100 300,140 100,140")
    shown = image(width=width, height=height, results={"a": boxes, "b": boxes})
    return screen(image=shown | {"truth": None, "matches": None})


def panes_of(site):
    site.view_boxes()
    return site.page.evaluate(PANES)


@pytest.mark.smoke("4:3")
@pytest.mark.parametrize("shape", SHAPES)
def test_t37_wide_windows_show_both_results_side_by_side(open_site, shape):
    site = open_site(shaped(shape), layout=None)
    page = site.page
    for width, height in WIDE:
        resize(page, width, height)
        panes = panes_of(site)
        assert len(panes) == 2, (width, height)
        (left, top, *size), (right, *others) = (pane["photograph"] for pane in panes)
        assert left >= 0
        assert left + size[0] < right
        assert right + size[0] <= width
        assert others == pytest.approx([top, *size], abs=0.5)
        assert 0 <= top < top + size[1] <= height
        assert page.locator("[data-panes][data-stacked]").count() == 0
        covered = page.evaluate(COVERED)
        assert covered == [], (width, height, covered)
        scrolls = page.evaluate("[document.documentElement.scrollWidth, scrollY]")
        assert scrolls == [width, 0]
        grey = 1 - size[0] * size[1] / (panes[0]["stage"][2] * panes[0]["stage"][3])
        assert grey <= (0.25 if (width, height) in FULL else 0.4), (width, height, grey)


@cases("shape", SHAPES)
def test_t37_other_windows_show_both_results_if_the_photographs_are_large_enough(open_site, shape):
    """The other layout is measured by choosing it."""
    site = open_site(shaped(shape), layout=None)
    page = site.page
    n_shown = set()
    for width, height in OTHERS:
        resize(page, width, height)
        own = panes_of(site)
        covered = page.evaluate(COVERED)
        assert covered == [], (width, height, covered)
        page.keyboard.press("o")
        other = panes_of(site)
        page.keyboard.press("o")
        assert panes_of(site) == own
        assert {len(own), len(other)} == {1, 2}
        both, one = (own, other) if len(own) == 2 else (other, own)
        is_large = both[0]["photograph"][2] >= 480 or both[0]["scale"] >= 0.4
        assert (len(own) == 2) == is_large, (width, height, both)
        assert both[0]["scale"] <= one[0]["scale"]
        n_shown.add(len(own))
    assert n_shown == {1, 2}


@cases("ratio", [1, 2])
def test_t37_a_small_photograph_is_shown_at_100_percent_of_its_pixels(open_site, ratio):
    viewport = {"width": 2560, "height": 1440}
    site = open_site(layout=None, viewport=viewport, device_scale_factor=ratio)
    panes = panes_of(site)
    assert [pane["scale"] for pane in panes] == pytest.approx([1 / ratio] * 2)
    expect(site.page.locator("[data-zoom]")).to_have_text("100\N{NO-BREAK SPACE}%")
    # No pane is higher than its photograph, but for the line around it.
    assert panes[0]["stage"][3] == pytest.approx(panes[0]["photograph"][3], abs=1)


def test_t37_an_answer_says_how_the_results_stood(open_site):
    """The scale is that of the whole photograph, whatever the person zoomed to."""
    site = open_site(shaped("16:9"), [screen(2), screen(3)], layout=None)
    page = site.page
    page.keyboard.press("o")
    one = panes_of(site)[0]["scale"]
    page.keyboard.press("+")
    page.keyboard.press("c")
    site.confirm()
    page.keyboard.press("o")
    site.confirm()
    told = [json.loads(parse_qs(sent)["layout"][0]) for sent in site.sent]
    assert [each["panes"] for each in told] == ["one", "beside"]
    # The photograph of the next pairs is shown at 100 %.
    assert [each["scale"] for each in told] == pytest.approx([one, 1], rel=1e-3)


@cases(
    ("is_touched", "words"),
    [
        (False, "Single view: C shows the other result."),
        (True, "Single view: choose Left or Right."),
    ],
)
def test_t37_a_window_with_room_for_one_result_says_so_once(open_site, is_touched, words):
    site = open_site(
        shaped("3:4"),
        layout=None,
        viewport={"width": 390, "height": 844},
        has_touch=is_touched,
        is_mobile=is_touched,
    )
    page = site.page
    said = page.locator("[data-view-words]")
    expect(said).to_have_text(words)
    expect(page.locator("[data-screen] > [data-status]")).to_have_text(words)
    assert said.evaluate("one => one.scrollWidth <= one.clientWidth"), "not cut"
    page.reload()
    expect(page.locator("[data-screen][data-ready]")).to_have_count(1)
    site.view_boxes()
    expect(said).to_have_text("")


def test_t37_words_about_a_layout_go_when_the_window_gets_another_one(open_site):
    site = open_site(shaped("16:9"), layout=None, viewport={"width": 390, "height": 844})
    said = site.page.locator("[data-view-words]")
    expect(said).to_have_text("Single view: C shows the other result.")
    resize(site.page, 1440, 900)
    expect(said).to_have_text("")
    site.page.keyboard.press("o")
    expect(said).to_have_text("Single view: C shows the other result.")
    site.page.keyboard.press("o")
    expect(said).to_have_text("Both results.")
    resize(site.page, 390, 844)
    expect(said).to_have_text("")


def test_t37_the_layout_is_the_same_for_the_whole_image_and_is_remembered(open_site):
    pairs = [without_results(shaped("16:9") | screen(n)) for n in (2, 3)]
    for pair in pairs:
        pair["image"] = without_results(shaped("16:9"))["image"]
    site = open_site(shaped("16:9") | {"screen": screen(1)["screen"]}, pairs, layout=None)
    page = site.page
    one = page.locator("[data-panes][data-one]")
    expect(one).to_have_count(0)
    page.keyboard.press("o")
    expect(one).to_have_count(1)
    page.keyboard.press("c")
    site.confirm()
    expect(one).to_have_count(1)
    page.reload()
    expect(page.locator("[data-screen][data-ready]")).to_have_count(1)
    expect(one).to_have_count(1)
    page.keyboard.press("o")
    expect(one).to_have_count(0)
    site.confirm()
    expect(one).to_have_count(0)
    assert page.evaluate("localStorage.getItem('layout')") is None, "the page's own choice again"


SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      const names = sources.map(({ node }) => (node?.outerHTML ?? node?.textContent ?? "").slice(0, 90));
      window.shifts.push([value, ...names]);
    }
  }).observe({ type: "layout-shift", buffered: true });
}"""


@cases("size", SIZES)
def test_t38_nothing_shifts_after_the_first_paint(open_site, size):
    first = shaped("16:9")
    site = open_site(first, layout=None, viewport=dict(zip(("width", "height"), size, strict=True)))
    site.page.add_init_script(f"({SHIFTS})()")
    site.page.reload()
    expect(
        site.page.locator("[data-screen][data-seen], [data-switch] [data-unseen]")
    ).not_to_have_count(0)
    site.view_boxes()
    shifts = site.page.evaluate("window.shifts")
    assert sum(value for value, *_ in shifts) < 0.01, shifts


@cases("size", SIZES)
def test_t38_the_ring_of_the_focus_is_seen_whole(open_site, size):
    site = open_site(layout=None, viewport=dict(zip(("width", "height"), size, strict=True)))
    page = site.page
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    rings = page.evaluate("""() => [...document.querySelectorAll("[data-criterion]")].map((one) => {
      one.focus();
      const { outlineWidth, outlineOffset } = getComputedStyle(one);
      const far = parseFloat(outlineWidth) + parseFloat(outlineOffset);
      const { left, top, right, bottom } = one.getBoundingClientRect();
      const head = document.querySelector(".screen-header").getBoundingClientRect();
      const isUnder = head.bottom > top - far && head.top < bottom && head.right > left && head.left < right;
      return isUnder || left - far < -3 || right + far > innerWidth + 3 || bottom + far > innerHeight;
    })""")
    assert rings == [False] * 3


def test_t51_sides_are_top_and_bottom_in_all_words_while_they_are(open_site):
    """Left and right are still places in the image ("upper left:"), and pairs left."""
    first = screen(settings={"place_list": "request"})
    page = open_site(first, layout=None, viewport={"width": 768, "height": 1024}).page
    shown = {"": "Top better", "n": "1 top, 0 bottom", "v": "", "Shift+V": "Bottom result lacks 1"}
    for key, words in (shown | {"?": "Equal"}).items():
        if key:
            page.keyboard.press(key)
        expect(page.locator("body")).to_contain_text(words, use_inner_text=True)
        text = page.locator("body").inner_text()
        assert re.findall(r"(?i).*\b(?:left|right)\b(?!:| \().*", text) == [], key
    expect(page.locator("[data-help-dialog] th").nth(1)).to_have_text(
        "Top better", use_inner_text=True
    )


def test_t56_a_long_title_is_whole_and_in_line_with_the_progress_and_tools_are_in_one_line(
    open_site,
):
    page = open_site(screen()).page
    title = page.locator("h1")
    title.evaluate("one => { one.textContent = 'Eight detectors on incidental scene text' }")
    for size in ((1024, 768), (1440, 900), (1920, 1080)):
        resize(page, *size)
        middles = page.evaluate("""() => [".screen-header h1", "[data-image-number]", "[data-progress-text]"]
          .map((name) => document.querySelector(name).getBoundingClientRect())
          .map(({ top, bottom }) => (top + bottom) / 2)""")
        assert max(middles) - min(middles) < 1, (size, middles)
        assert title.evaluate("one => one.scrollWidth <= one.clientWidth"), size
        tops = page.locator(".viewtools button:visible").evaluate_all(
            "all => all.map((one) => Math.round(one.getBoundingClientRect().top))"
        )
        assert len(tops) > 10
        assert max(tops) - min(tops) < 8, (size, tops)


# The keys of the specification, section 5, and those that came later; M only where a study shows matches.
KEYS = {*"123QWEASDUXRIHP?+-0FTOCLBVJNG", "Enter", "Space", "Shift", "←", "→", "↑", "↓"}


def test_t41_tools_are_grouped_one_action_is_the_main_one_and_every_key_is_listed(open_site):
    page = open_site(screen()).page
    groups = page.locator(".viewtools__group")
    names = [[one.inner_text() for one in group.locator("button").all()] for group in groups.all()]
    assert [len(group) > 2 for group in names] == [True] * 3
    assert page.locator(".viewtools button").count() == sum(map(len, names))
    for key in "1qa":
        page.keyboard.press(key)
    assert [words.split()[0] for words in page.evaluate(MAIN_BUTTONS)] == ["Confirm"]
    page.keyboard.press("?")
    keys = page.locator("[data-help-dialog] kbd")
    expect(keys.first).to_be_visible()
    assert KEYS - {words.strip() for words in keys.all_inner_texts()} == set()


# The boxes in view with something of the page over them.
OVER = """() => [...document.querySelectorAll(".pane")].flatMap((pane) => {
  const stage = pane.querySelector(".pane__stage").getBoundingClientRect();
  const picture = pane.querySelector(".pane__picture");
  const map = pane.querySelector("[data-overview]");
  const maps = map.checkVisibility() ? [map.getBoundingClientRect()] : [];
  const chips = [...pane.querySelectorAll(".pane__stage > p")].filter((one) => one.checkVisibility());
  const over = [...maps, ...chips.map((one) => one.getBoundingClientRect())];
  return [...picture.querySelectorAll("[data-boxes] g:first-child polygon")]
    .map((box) => box.getBoundingClientRect())
    .filter((box) => over.some((it) => box.left < it.right && it.left < box.right && box.top < it.bottom
      && it.top < box.bottom && box.left < stage.right && box.right > stage.left && box.top < stage.bottom
      && box.bottom > stage.top))
    .map(({ left, top }) => [left, top]);
})"""


def test_t36_the_map_moves_away_from_boxes_and_nothing_else_lies_over_them(open_site):
    """Boxes in one corner after another, then in all: there the map is not shown."""
    w, h = SHAPES["4:3"]
    corners = [(w - 260, h - 260), (w - 260, 20), (20, h - 260), (20, 20)]
    for n in range(5):
        boxes = [f"{x},{y} {x + 240},{y} {x + 240},{y + 240} {x},{y + 240}" for x, y in corners[:n]]
        site = open_site(shaped("4:3", result(*boxes)))
        page = site.page
        maps = page.locator("[data-overview]:visible")
        shown = set()
        for key in ["+"] * 6 + ["t", "v"]:
            page.keyboard.press(key)
            site.view_boxes()
            assert page.evaluate(OVER) == [], (n, key)
            shown.add(maps.count())
            places = {each.get_attribute("data-corner") for each in maps.all()}
            assert len(places) <= 1, "at the same place left and right"
        assert 2 in shown or n > 0
        assert page.evaluate(OVER) == []


@cases("size", [(1440, 900), (390, 844)])
def test_t49_forced_colours_show_every_state(open_site, size):
    """The chosen answers, the tools that are on, and the side that is shown in single view."""
    site = open_site(layout=None, viewport=dict(zip(("width", "height"), size, strict=True)))
    for keys in ("1wd", "o", "c", "vg", "l"):
        for key in keys:
            site.page.keyboard.press(key)
        site.view_boxes()
        check_states(site.page)


@pytest.mark.smoke("size0", "size1")
@pytest.mark.parametrize("size", [(1440, 900), (390, 844), (720, 450)])
def test_t46_every_layout_is_accessible_in_both_themes(open_site, size):
    site = open_site(layout=None, viewport=dict(zip(("width", "height"), size, strict=True)))
    for scheme in ("light", "dark"):
        site.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        check_accessible(site.page)
        site.page.keyboard.press("o")
        site.view_boxes()
        check_accessible(site.page)


# Counts what a hand does: keys, clicks, and wheels.
_ACTIONS = """window.actions = { keydown: 0, pointerdown: 0, wheel: 0 };
for (const kind of Object.keys(actions)) addEventListener(kind, () => { actions[kind] += 1; }, true);"""


@cases("hand", ["keys", "mouse"])
@pytest.mark.parametrize("size", [(1024, 768), (1440, 900)])
def test_t47_twenty_judgements_of_three_answers_take_80_actions_and_no_scrolling(
    open_site, size, hand
):
    width, height = SHAPES["16:9"]
    screens = [
        screen(number, image=image(key=f"image-{number}", width=width, height=height))
        for number in range(1, 22)
    ]
    viewport = dict(zip(("width", "height"), size, strict=True))
    site = open_site(screens[0], screens[1:], viewport=viewport, layout=None)
    page = site.page
    page.evaluate(_ACTIONS)
    for number in range(1, 21):
        page.locator("[data-screen][data-seen]").wait_for()
        if hand == "keys":
            for key in ("1", "q", "a", "Enter"):
                page.keyboard.press(key)
        else:
            for name in ("recall", "precision", "preference"):
                page.locator(f".choice:has([name={name}])").first.click()
            page.get_by_role("button", name="Confirm").click()
        page.locator(f"[data-screen-id='screen-{number + 1}']").wait_for()
    assert len(site.sent) == 20
    assert sum(page.evaluate("actions").values()) == 80
    assert page.evaluate("[scrollX, scrollY]") == [0, 0]


def test_the_pages_before_and_after_the_pairs_are_not_half_empty(open_as, live_server, at_work):
    study, person = at_work
    newcomer, done = add_annotator(study), add_annotator(study)
    rank_everything(study, done, AB)
    for name, who in (("judge", newcomer), ("own", newcomer), ("own", person), ("judge", done)):
        page = open_as(who)
        page.goto(live_server.url + reverse(f"judging:{name}", args=[study.slug]))
        for size in ((1440, 900), (1920, 1080)):
            resize(page, *size)
            last = page.locator("main > :last-child").bounding_box()
            assert last["y"] + last["height"] > 0.65 * size[1], (name, who, size)
        check_accessible(page)
