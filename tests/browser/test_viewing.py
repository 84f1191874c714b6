"""How two results are looked at: one camera, boxes to the pixel, aids that end with their pair."""

import io
import json
import random
import re
from urllib.parse import parse_qs

import pytest
from django.urls import reverse
from PIL import Image as Picture
from playwright.sync_api import Page, expect

from annotate.judging import services
from tests.support.browsing import check_page, signed_in
from tests.support.factories import add_annotator, make_study

WIDTH, HEIGHT = 640, 480
INCLUSIVE = "10,10 20,10 20,20 10,20"  # 10,10,19,19 with its last pixels
SHARED = "100,100 200,100 200,130 100,130"
LEFT_ONLY = "300,200 420,200 420,240 300,240"
RIGHT_ONLY = "50,300 160,300 160,330 50,330"


def result(*polygons):
    n = len(polygons)
    label = {0: "No boxes", 1: "1 box"}.get(n, f"{n} boxes")
    return {"polygons": list(polygons), "label": label}


def image(**fields):
    return {
        "key": "image-1",
        "url": "/photograph.png",
        "width": WIDTH,
        "height": HEIGHT,
        "number": 1,
        "total": 2,
        "results": {
            "a": result(INCLUSIVE, SHARED, LEFT_ONLY),
            "b": result("100.5,99.5 200,100 201,130 100,131", RIGHT_ONLY),
            "c": result(),
        },
        "truth": {"polygons": [SHARED, LEFT_ONLY], "ignored": ["500,50 600,50 600,90 500,90"]},
        "matches": {
            "a": {"detections": ["unmatched", "matched", "part"], "truth": ["matched", "part"]},
            "b": {"detections": ["matched", "unmatched"], "truth": ["matched", "unmatched"]},
            "c": {"detections": [], "truth": ["unmatched", "unmatched"]},
        },
    } | fields


def screen(number=1, left="a", right="b", settings=None, **fields):
    """A payload as the site sends it."""
    names = ("recall", "precision", "preference")
    given = {"ground_truth": "request", "match_colours": "IOU", "same_for_all": True}
    return {
        "screen": {
            "id": f"screen-{number}",
            "number": number,
            "answer_url": "/answer/",
            "skip_url": "/skip/",
        },
        "study": {
            "name": "Signs",
            "undo_url": "/undo/",
            "pause_url": "/",
            "history_url": "/history/",
            "next_image_url": "",
            "settings": given
            | {"keep_camera": True, "break_minutes": 25, "break_screens": 60}
            | (settings or {}),
        },
        "person": {"advance": False, "single_keys": True, "keys": {}},
        "image": image(),
        "left": left,
        "right": right,
        "criteria": [
            {"name": n, "title": n, "question": f"Which {n}?", "state": "open", "verdict": None}
            for n in names
        ],
        "answers": {},
        "progress": {
            "share": 0.1,
            "least": 2,
            "expected": 5,
            "most": 8,
            "text": "About 5 pairs left (2 to 8)",
            "minutes": None,
            "note": "",
        },
        "can_undo": False,
        "message": "Saved. Next pair.",
    } | fields


def without_results(payload):
    """As the site sends it to a page that has the results of this image."""
    left_out = ("results", "truth", "matches")
    kept = {name: value for name, value in payload["image"].items() if name not in left_out}
    return payload | {"image": kept}


class Site:
    """The comparison page with a payload of our own, and the answers that it sends."""

    def __init__(self, page, url, first, following=()):
        self.page, self.sent = page, []
        self.following = list(following)

        def give(route):
            body = route.fetch().text()
            data = json.dumps(first).replace("<", "\\u003c")
            pattern = r'(<script id="screen-data"[^>]*>).*?(</script>)'
            body = re.sub(pattern, lambda m: m[1] + data + m[2], body, flags=re.DOTALL)
            route.fulfill(body=body, content_type="text/html")

        def answer(route):
            self.sent.append(route.request.post_data)
            route.fulfill(json=self.following.pop(0))

        page.route(url, give)
        page.route("**/answer/", answer)
        size = (first["image"]["width"], first["image"]["height"])
        page.route("**/photograph*.png", lambda r: r.fulfill(body=photograph(*size)))
        page.goto(url)
        expect(page.locator("[data-view-tools]")).to_be_visible()

    def confirm(self):
        for key in ("1", "q", "a"):
            self.page.keyboard.press(key)
        before = self.page.locator("[data-screen-id]").get_attribute("data-screen-id")
        self.page.wait_for_timeout(550)  # a second press would not count so early
        self.page.keyboard.press("Enter")
        expect(self.page.locator(f"[data-screen-id='{before}']")).to_have_count(0)

    def box(self, side):
        return self.page.locator(f"[data-pane={side}] .pane__picture").bounding_box()

    def view_boxes(self):
        self.page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
        )
        pictures = self.page.locator(".pane__picture")
        texts = pictures.evaluate_all("all => all.map(one => one.getAttribute('viewBox'))")
        return [[float(number) for number in text.split()] for text in texts]


def photograph(width, height):
    """A soft gradient with lines, so that a magnified pixel can be told."""
    base = Picture.linear_gradient("L").resize((width, height)).convert("RGB")
    for x in range(0, width, 40):
        base.paste((90, 110, 120), (x, 0, x + 2, height))
    stream = io.BytesIO()
    base.save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture
def at_work(transactional_db):
    study = make_study(["a", "b", "c"], images=1)
    person = add_annotator(study)
    services.start(study=study, annotator=person)
    return study, person


@pytest.fixture
def open_site(browser, client, live_server, at_work):
    """Open the comparison page in a context of its own; complaints of the browser fail the test."""
    study, person = at_work
    complaints, contexts = [], []

    def open_it(first=None, following=(), **context_fields):
        fields = {"viewport": {"width": 1440, "height": 900}} | context_fields
        contexts.append(browser.new_context(**fields))
        page: Page = signed_in(contexts[-1], client, person, live_server)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        url = live_server.url + reverse("judging:judge", args=[study.slug])
        return Site(page, url, first or screen(), following)

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []


TELL_COVERED = """(picture, selector) => {
  const box = picture.querySelector(selector);
  let covered = 0;
  for (let x = 0; x < 40; x += 1) for (let y = 0; y < 40; y += 1) {
    const point = picture.createSVGPoint();
    point.x = x + 0.5;
    point.y = y + 0.5;
    covered += box.isPointInFill(point);
  }
  const { x, y, width, height } = box.getBBox();
  return [covered, [x, y, width, height]];
}"""


def test_t5_an_inclusive_box_covers_its_pixels_and_no_more(open_site):
    site = open_site()
    picture = site.page.locator("[data-pane=left] .pane__picture")
    covered, extent = picture.evaluate(TELL_COVERED, "[data-boxes] g:first-child polygon")
    assert covered == 10 * 10
    assert extent == [10, 10, 10, 10]


def test_boxes_are_two_thin_lines_at_every_scale_and_alike_on_both_sides(open_site):
    site = open_site()
    for _ in range(2):
        styles = site.page.locator("[data-boxes] polygon").evaluate_all(
            "all => all.map(one => { const s = getComputedStyle(one);"
            " return [one.parentNode.className.baseVal, s.vectorEffect, s.strokeWidth, s.stroke,"
            " s.fill].join(' ') })"
        )
        assert len(styles) == 2 * (3 + 2)
        assert len(set(styles)) == 2, "one dark, one light"
        assert all("non-scaling-stroke" in style and style.endswith("none") for style in styles)
        assert {"4px" in style for style in styles} == {True, False}
        site.page.keyboard.press("+")


def wheel(site, side, at, delta):
    box = site.box(side)
    site.page.mouse.move(box["x"] + at[0] * box["width"], box["y"] + at[1] * box["height"])
    site.page.mouse.wheel(0, delta)


def drag(site, side, by):
    box = site.box(side)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    site.page.mouse.move(x, y)
    site.page.mouse.down()
    site.page.mouse.move(x + by[0] / 2, y + by[1] / 2)
    site.page.mouse.move(x + by[0], y + by[1])
    site.page.mouse.up()


def pinch(site, side, spread):
    """Two fingers, whose middle also moves."""
    box = site.box(side)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    devtools = site.page.context.new_cdp_session(site.page)

    def touch(kind, *points):
        where = [{"x": px, "y": py, "id": at} for at, (px, py) in enumerate(points)]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    touch("touchStart", (x - 40, y))
    touch("touchStart", (x - 40, y), (x + 40, y))
    for step in (1, 2, 3):
        reach = 40 + step * spread / 3
        touch("touchMove", (x - reach, y + step), (x + reach + step, y))
    touch("touchEnd")
    devtools.detach()


def test_t7_both_panes_show_the_same_after_any_sequence(open_site):
    site = open_site(has_touch=True)
    rng = random.Random(5)
    seen = set()
    for number in range(40):
        side = rng.choice(["left", "right"])
        at = (rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9))
        rng.choice(
            [
                lambda side=side, at=at: wheel(site, side, at, rng.choice([-240, -100, -30, 100])),
                lambda side=side: drag(site, side, (rng.randint(-200, 200), rng.randint(-99, 99))),
                lambda: site.page.keyboard.press(rng.choice(["+", "-", "f", "0"])),
                lambda: site.page.keyboard.press("Shift+Arrow" + rng.choice(["Left", "Up"])),
                lambda side=side: pinch(site, side, rng.choice([60, 120, -30])),
            ]
        )()
        left, right = site.view_boxes()
        assert left == right, number
        seen.add(tuple(left))
    assert len(seen) > 15, "the camera did move"


def test_the_wheel_zooms_about_the_pointer_and_scrolls_elsewhere(open_site):
    site = open_site(viewport={"width": 1100, "height": 420})
    page = site.page
    box = site.box("right")
    x, y, width, height = site.view_boxes()[1]
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + box["height"] * 0.75)
    before = page.locator("[data-zoom]").inner_text()
    page.mouse.wheel(0, -100)
    expect(page.locator("[data-zoom]")).not_to_have_text(before)
    nearer = site.view_boxes()[1]
    assert nearer[2] < width
    assert nearer[0] + nearer[2] * 0.25 == pytest.approx(x + width * 0.25, abs=1)
    assert nearer[1] + nearer[3] * 0.75 == pytest.approx(y + height * 0.75, abs=1)
    assert page.evaluate("scrollY") == 0
    page.mouse.move(300, 20)
    page.mouse.wheel(0, 60)
    page.wait_for_function("scrollY > 0")


def test_two_taps_toggle_fit_and_200_per_cent(open_site):
    site = open_site()
    whole = site.view_boxes()
    box = site.box("left")
    site.page.mouse.dblclick(box["x"] + 200, box["y"] + 200)
    site.view_boxes()
    expect(site.page.locator("[data-zoom]")).to_have_text("200 %")
    site.page.wait_for_timeout(400)
    site.page.mouse.dblclick(box["x"] + 300, box["y"] + 200)
    assert site.view_boxes() == whole


def test_unlinked_panes_move_alone_and_keep_their_offset_when_linked_again(open_site):
    site = open_site()
    site.page.keyboard.press("+")
    site.page.keyboard.press("l")
    drag(site, "right", (-60, 30))
    left, right = site.view_boxes()
    offset = [right[0] - left[0], right[1] - left[1]]
    assert offset != [0, 0]
    site.page.keyboard.press("l")
    expect(site.page.locator("[data-view-words]")).to_contain_text("offset kept")
    drag(site, "left", (40, 20))
    left, right = site.view_boxes()
    assert [right[0] - left[0], right[1] - left[1]] == pytest.approx(offset, abs=0.001)
    site.page.keyboard.press("f")
    left, right = site.view_boxes()
    assert left == right


def test_buttons_do_what_gestures_do(open_site):
    site = open_site()
    zoom = site.page.locator("[data-zoom]")
    site.page.get_by_role("button", name="1:1").click()
    expect(zoom).to_have_text("100 %")
    whole = site.page.get_by_role("button", name="Fit")
    for _ in range(8):
        site.page.get_by_role("button", name="Zoom in").click()
    expect(zoom).not_to_have_text("100 %")
    expect(site.page.locator(".pane__overview").first).to_be_visible()
    pixelated = "one => getComputedStyle(one).imageRendering"
    photo = site.page.locator("[data-pane=right] [data-photograph] image")
    assert photo.evaluate(pixelated) == "pixelated"
    whole.click()
    expect(site.page.locator(".pane__overview").first).to_be_hidden()
    assert photo.evaluate(pixelated) == "auto"


def test_aids_are_off_at_each_new_pair_and_counted(open_site):
    first, second = screen(), without_results(screen(2, left="b", right="a"))
    site = open_site(first, [second, without_results(screen(3))])
    page = site.page
    truth = page.locator("[data-pane=left] [data-truth]")
    pressed = page.locator(".viewtools [aria-pressed=true]:not([data-do=link])")
    expect(truth).to_be_hidden()
    for key in ("g", "m", "v"):
        page.keyboard.press(key)
    page.keyboard.down("Space")
    expect(page.locator("[data-pane=right] [data-boxes]")).to_be_hidden()
    page.keyboard.up("Space")
    expect(truth).to_be_visible()
    expect(pressed).to_have_count(3)
    page.wait_for_timeout(600)
    site.confirm()
    expect(truth).to_be_hidden()
    expect(pressed).to_have_count(0)
    expect(page.locator("[data-pane=left] [data-label]")).to_have_text("2 boxes")
    site.confirm()
    used, unused = (aids_of(sent) for sent in site.sent)
    assert set(used) == {"ground_truth", "match_colours", "differences", "boxes_hidden"}
    assert used["ground_truth"] >= 0.6
    assert unused == {}


def aids_of(sent):
    return json.loads(parse_qs(sent)["aids"][0])


def test_the_camera_stays_with_its_image(open_site):
    other = screen(3, image=image(key="image-2", url="/photograph2.png"))
    site = open_site(following=[without_results(screen(2, left="c")), other])
    whole = site.view_boxes()
    site.page.keyboard.press("+")
    near = site.view_boxes()
    site.confirm()
    assert site.view_boxes() == near
    expect(site.page.locator("[data-pane=left] [data-none]")).to_be_visible()
    site.confirm()
    assert site.view_boxes() == whole
    zoomed = [aids_of(sent).get("zoomed", 0) for sent in site.sent]
    assert all(seconds > 0.4 for seconds in zoomed)


def test_a_pair_that_comes_back_is_seen_as_it_was_left(open_site):
    again = without_results(screen(1))
    site = open_site(following=[without_results(screen(2)), again])
    site.page.keyboard.press("+")
    near = site.view_boxes()
    site.confirm()
    site.page.keyboard.press("f")
    assert site.view_boxes() != near
    site.confirm()
    assert site.view_boxes() == near


def test_space_chooses_where_it_has_a_meaning_and_hides_boxes_elsewhere(open_site):
    site = open_site()
    boxes = site.page.locator("[data-pane=left] [data-boxes]")
    button = site.page.get_by_role("button", name="Differences")
    button.focus()
    site.page.keyboard.press("Space")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(boxes).to_be_visible()
    site.page.locator("[data-pane=left] .pane__picture").focus()
    site.page.keyboard.down("Space")
    expect(boxes).to_be_hidden()
    site.page.keyboard.up("Space")
    expect(boxes).to_be_visible()


def test_differences_hide_twins(open_site):
    site = open_site()
    shown = site.page.locator("[data-boxes] .boxes__over polygon:visible")
    expect(shown).to_have_count(5)
    site.page.keyboard.press("v")
    expect(shown).to_have_count(3)
    site.page.keyboard.press("v")
    expect(shown).to_have_count(5)


def test_blink_shows_the_other_result_while_it_is_held(open_site):
    site = open_site()
    left = site.page.locator("[data-pane=left] [data-boxes] .boxes__over polygon")
    site.page.keyboard.down("b")
    expect(left).to_have_count(2)
    site.page.keyboard.up("b")
    expect(left).to_have_count(3)


def test_blinking_by_itself_ends_with_any_key(open_site):
    site = open_site()
    swapped = site.page.locator(".pane__swapped").first
    site.page.keyboard.press("Shift+B")
    expect(swapped).to_be_visible()
    expect(swapped).to_be_hidden()
    expect(swapped).to_be_visible()
    site.page.keyboard.press("Escape")
    expect(swapped).to_be_hidden()
    site.page.wait_for_timeout(1300)
    expect(swapped).to_be_hidden()


def test_nothing_blinks_by_itself_where_less_motion_is_asked(open_site):
    site = open_site(reduced_motion="reduce")
    expect(site.page.get_by_role("button", name="Auto")).to_be_hidden()
    site.page.keyboard.press("Shift+B")
    site.page.wait_for_timeout(300)
    expect(site.page.locator(".pane__swapped").first).to_be_hidden()


@pytest.mark.parametrize(
    ("setting", "is_offered", "is_shown"), [("never", 0, 0), ("request", 1, 0), ("always", 0, 1)]
)
def test_ground_truth_is_shown_as_the_study_says(open_site, setting, is_offered, is_shown):
    site = open_site(screen(settings={"ground_truth": setting, "match_colours": ""}))
    button = site.page.get_by_role("button", name="Ground truth")
    assert button.is_visible() == bool(is_offered)
    assert site.page.locator("[data-pane=right] [data-truth]").is_visible() == bool(is_shown)
    assert not site.page.get_by_role("button", name="Matches").is_visible()
    site.page.keyboard.press("m")
    dashes = "all => all.map(one => getComputedStyle(one).strokeDasharray)"
    drawn = site.page.locator("[data-boxes] .boxes__over polygon").evaluate_all(dashes)
    assert set(drawn) == {"none"}


def test_lines_tell_what_a_box_is(open_site):
    site = open_site()
    site.page.keyboard.press("g")
    site.page.keyboard.press("m")
    dash = "one => getComputedStyle(one).strokeDasharray"
    over = "[data-pane=left] [data-boxes] .boxes__over polygon"
    dashes = [one.evaluate(dash) for one in site.page.locator(over).all()]
    truth = site.page.locator("[data-pane=left] [data-truth] .boxes__over polygon")
    dashes += [truth.first.evaluate(dash), truth.last.evaluate(dash)]
    assert dashes[1] == "none"
    assert len(set(dashes)) == 5, "matched, part, unmatched, do not care and truth all differ"
    hatch = site.page.locator("[data-pane=left] [data-truth] .boxes__under .ignored")
    assert "hatch-left" in hatch.get_attribute("fill")
    assert site.page.locator("[data-pane=left] [data-marks] > path").first.get_attribute("d")


def test_a_box_under_the_mouse_has_a_halo_and_a_crosshair_beside(open_site):
    site = open_site()
    box = site.box("left")
    x, y, width, _ = site.view_boxes()[0]
    scale = box["width"] / width
    site.page.mouse.move(box["x"] + (350 - x) * scale, box["y"] + (220 - y) * scale)
    halo = site.page.locator("[data-pane=left] .halo__over")
    expect(halo).to_have_attribute("points", LEFT_ONLY)
    cross = site.page.locator("[data-pane=right] [data-marks] g")
    expect(cross).to_be_visible()
    aimed = cross.evaluate("one => [one.getCTM().e, one.getCTM().f]")
    assert aimed == pytest.approx([(350 - x) * scale, (220 - y) * scale], abs=1.5)
    site.page.mouse.move(5, 5)
    expect(cross).to_be_hidden()


def test_the_list_of_boxes_tells_where_they_are(open_site):
    site = open_site()
    listed = site.page.locator("[data-pane=right] [data-list]")
    listed.locator("summary").click()
    expect(listed.locator("tbody tr")).to_have_count(2)
    rows = [row.inner_text().split() for row in listed.locator("tbody tr").all()]
    assert rows == [["1", "100", "99.5", "101", "31.5"], ["2", "50", "300", "110", "30"]]
    listed.get_by_role("button", name="Box 2").focus()
    halo = site.page.locator("[data-pane=right] .halo__over")
    expect(halo).to_have_attribute("points", RIGHT_ONLY)


def test_the_page_is_accessible_with_aids_on_and_a_list_open(open_site):
    site = open_site(viewport={"width": 1440, "height": 900})
    for key in ("g", "m", "+", "l"):
        site.page.keyboard.press(key)
    site.page.locator("[data-pane=left] [data-list] summary").click()
    expect(site.page.locator("[data-pane=left] tbody tr")).to_have_count(3)
    check_page(site.page)


def test_without_script_the_boxes_are_drawn(browser, client, live_server, at_work):
    study, person = at_work
    context = browser.new_context(java_script_enabled=False)
    page = signed_in(context, client, person, live_server)
    page.goto(live_server.url + reverse("judging:judge", args=[study.slug]))
    expect(page.locator("[data-pane=left] [data-boxes] polygon")).to_have_count(2)
    expect(page.locator("[data-view-tools]")).to_be_hidden()
    expect(page.locator("[data-list]").first).to_be_hidden()
    context.close()


def test_one_pane_on_a_small_screen_keeps_the_camera(open_site):
    site = open_site(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    site.page.get_by_role("button", name="Zoom in").tap()
    before = site.view_boxes()
    assert before[0] == before[1]
    site.page.get_by_role("button", name="Right").first.tap()
    expect(site.page.locator("[data-pane=right]")).to_be_visible()
    expect(site.page.locator("[data-pane=left]")).to_be_hidden()
    assert site.view_boxes() == before


MOVE_AND_COUNT_CHANGES = """async () => {
  const picture = document.querySelector("[data-pane=left] .pane__picture");
  const fire = (type, x) => picture.dispatchEvent(new PointerEvent(type,
    { pointerId: 1, clientX: x, clientY: 300, button: 0, isPrimary: true, bubbles: true }));
  picture.setPointerCapture = () => {};
  let rebuilt = 0;
  const observer = new MutationObserver((changes) => { rebuilt += changes.length; });
  const boxes = document.querySelectorAll("[data-boxes]");
  boxes.forEach((group) => observer.observe(group,
    { childList: true, attributes: true, subtree: true }));
  const frame = () => new Promise(requestAnimationFrame);
  fire("pointerdown", 200);
  for (let moved = 0; moved < 10; moved += 1) {
    fire("pointermove", 200 + 6 * moved);
    await frame();
  }
  fire("pointerup", 260);
  await frame();
  rebuilt += observer.takeRecords().length;
  return { rebuilt, polygons: [...boxes].map((group) => group.querySelectorAll("polygon").length) };
}"""


def test_two_thousand_boxes_in_each_pane_move_without_being_drawn_anew(open_site):
    rng = random.Random(1)

    def many():
        corners = [(rng.uniform(0, 2900), rng.uniform(0, 1900)) for _ in range(2000)]
        return result(
            *(f"{x},{y} {x + 60},{y + 2} {x + 60},{y + 20} {x},{y + 18}" for x, y in corners)
        )

    large = image(width=3000, height=2000, results={"a": many(), "b": many()}, matches=None)
    site = open_site(screen(image=large))
    site.page.keyboard.press("+")
    before = site.view_boxes()
    seen = site.page.evaluate(MOVE_AND_COUNT_CHANGES)
    assert all(n >= 2000 for n in seen["polygons"])
    assert seen["rebuilt"] == 0
    after = site.view_boxes()
    assert after != before
    assert after[0] == after[1]
