"""The playground in a browser: by mouse, touch and keyboard; its link; accessible in both themes."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.guide.playground import Box, Drawing, from_link, to_link
from tests.support.browsing import check_page

WORD = Box(100, 100, 300, 160, text="word")
EXACT = Drawing((WORD,), (Box(100, 100, 300, 160, confidence=90),))


@pytest.fixture
def open_page(browser, live_server, transactional_db):
    """Open a page of the guide; at the end nothing may have been complained about."""
    complaints, contexts = [], []

    def open_it(name="guide:playground", *arguments, query="", **options):
        context = browser.new_context(
            **({"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"} | options)
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda fault: complaints.append(str(fault)))
        page.on(
            "console", lambda said: complaints.append(said.text) if said.type == "error" else None
        )
        page.goto(f"{live_server.url}{reverse(name, args=arguments)}?{query}")
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []


def exact_scene(protocol="iou"):
    return f"protocol={protocol}&scene={to_link(EXACT)}"


def figures(page, slug="iou"):
    return page.locator(f"[data-protocol={slug}] td.number")


def expect_scores(page, *wanted, slug="iou"):
    expect(figures(page, slug)).to_have_text(list(wanted))


def expect_scene(page, drawing):
    expect(page.locator("[data-playground]")).to_have_attribute("data-scored", to_link(drawing))
    expect(page).to_have_url(re.compile(re.escape(to_link(drawing)) + "$"))


def drag(page, where, dx, dy):
    """Drag by units of the stage."""
    place = where.bounding_box()
    unit = page.locator(".stage__ground").bounding_box()["width"] / 1000
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx * unit / 2, y + dy * unit / 2)
    page.mouse.move(x + dx * unit, y + dy * unit)
    page.mouse.up()


def scene_of(page):
    """The scene once it rests: scored, and in the address."""
    page.wait_for_function(
        """() => {
          const { asked, scored } = document.querySelector("[data-playground]").dataset;
          return asked === scored && location.search.endsWith(`=${scored}`);
        }"""
    )
    return from_link(page.locator("[data-playground]").get_attribute("data-scored"))


@pytest.mark.smoke
def test_dragging_a_detection_away_or_its_handle_changes_the_scores(open_page):
    page = open_page(query=exact_scene())
    expect_scores(page, "100.00", "100.00", "100.00")
    drag(page, page.locator("[data-box=d0] .box__area"), 300, 100)
    expect_scores(page, "0.00", "0.00", "0.00")
    expect(page.locator("[data-box=d0]")).to_have_attribute("data-status", "unmatched")
    expect(page.locator("[data-reasons]")).to_contain_text("D1")
    moved = scene_of(page).detections[0]
    assert (moved.width, moved.height) == (200, 60)
    assert abs(moved.left - 400) <= 2
    assert abs(moved.top - 200) <= 2
    page.get_by_role("button", name="D1", exact=True).click()
    drag(page, page.locator("[data-handle=e] .handle__mark"), -120, 50)
    expect(page.locator("[data-box=d0] .box__area")).not_to_have_attribute("width", "200")
    box = scene_of(page).detections[0]
    assert (box.left, box.top, box.bottom) == (moved.left, moved.top, moved.bottom)
    assert abs(box.right - (moved.right - 120)) <= 2


def test_a_second_press_reaches_the_box_beneath(open_page):
    page = open_page(query=exact_scene())
    place = page.locator("[data-box=d0] .box__area")
    place.click()
    expect(page.get_by_role("heading", name="Detection D1")).to_be_visible()
    place.click(force=True)
    expect(page.get_by_role("heading", name="Truth T1")).to_be_visible()


def test_a_finger_moves_a_box(open_page):
    page = open_page(
        query=exact_scene(),
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
    )
    stage = page.locator("[data-stage]")
    stage.scroll_into_view_if_needed()
    place = page.locator("[data-box=d0] .box__area").bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    fingers = page.context.new_cdp_session(page)

    def touch(kind, *points):
        fingers.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
        )

    touch("touchStart", (x, y))
    for step in range(1, 6):
        touch("touchMove", (x + 20 * step, y + 10 * step))
    touch("touchEnd")
    expect_scores(page, "0.00", "0.00", "0.00")
    assert page.evaluate("getComputedStyle(document.querySelector('.box')).touchAction") == "none"


@pytest.mark.smoke
def test_everything_can_be_done_by_keyboard(open_page):
    page = open_page(query=exact_scene())
    page.get_by_role("button", name="Add detection").focus()
    page.keyboard.press("Tab")
    expect(page.locator("[data-box=t0]")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("[data-box=d0]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Detection D1")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Control+ArrowDown")
    page.keyboard.press("Shift+ArrowRight")
    moved = Drawing(EXACT.truth, (Box(110, 101, 320, 161, confidence=90),))
    expect_scene(page, moved)
    expect(page.locator("[data-status]").first).to_contain_text(
        "Detection D1, left 110, top 101, 210 by 60"
    )
    expect(page.locator("[data-status]").first).to_contain_text("IOU: recall 100.00")
    page.keyboard.press("Delete")
    expect_scene(page, Drawing(EXACT.truth))
    expect_scores(page, "0.00", "0.00", "0.00")


def test_numbers_are_typed_instead_of_dragged(open_page):
    page = open_page(query=exact_scene())
    page.get_by_role("button", name="T1 word").click()
    page.get_by_label("Left", exact=True).fill("600")
    expect_scores(page, "0.00", "0.00", "0.00")
    page.get_by_label("Left", exact=True).fill("5000")
    expect(page.get_by_label("Left", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Top", exact=True).focus()
    expect(page.get_by_label("Left", exact=True)).to_have_value("600")
    page.get_by_label("Left", exact=True).fill("100")
    page.get_by_label("Ignored", exact=True).check()
    expect(page.locator("[data-box=d0]")).to_have_attribute("data-status", "ignored")
    assert scene_of(page).truth[0].ignored


def test_boxes_are_added_with_text_and_confidence(open_page):
    page = open_page(query="scene=1")
    page.get_by_role("button", name="Add truth").click()
    page.get_by_label("Text", exact=True).fill("Café")
    page.get_by_role("button", name="Add detection").click()
    page.get_by_label("Confidence", exact=True).fill("0.5")
    expect_scores(page, "100.00", "100.00", "100.00")
    expect(page.locator("[data-box=t0] .box__text")).to_have_text("Café")
    drawing = scene_of(page)
    assert drawing.truth[0].text == "Café"
    assert drawing.detections[0].confidence == 50


def test_situations_are_opened_in_place(open_page):
    page = open_page(query=exact_scene("deteval"))
    page.get_by_role("link", name="One word in three parts").click()
    expect_scores(page, "80.00", "80.00", "80.00", slug="deteval")
    expect(page.locator(".stage [data-status=split]")).to_have_count(4)


def test_a_site_that_does_not_answer_is_told_and_asked_again(
    browser, live_server, transactional_db
):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{live_server.url}{reverse('guide:playground')}?{exact_scene()}")
    page.route("**/score/", lambda route: route.abort())
    page.locator("[data-box=d0]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Scores are out of date")).to_be_visible()
    page.unroute("**/score/")
    expect(page.get_by_text("Scores are out of date")).to_be_hidden()
    context.close()


def test_it_works_without_javascript(open_page):
    page = open_page(query=exact_scene(), java_script_enabled=False)
    expect_scores(page, "100.00", "100.00", "100.00")
    page.get_by_role("button", name="D1", exact=True).click()
    page.get_by_label("Left", exact=True).fill("700")
    page.get_by_role("button", name="Apply").click()
    expect_scores(page, "0.00", "0.00", "0.00")
    page.get_by_role("button", name="Delete box").click()
    expect(page.locator(".stage .box--detection")).to_have_count(0)
    page.get_by_role("button", name="Add detection").click()
    expect(page.locator(".stage .box--detection")).to_have_count(1)
    page.locator("[data-protocol=deteval] button").click()
    expect(page.get_by_role("heading", name="What DETEVAL says")).to_be_visible()


def test_the_page_of_a_protocol_tries_that_protocol_alone(open_page):
    page = open_page("guide:protocol", "iou", query=exact_scene())
    expect(page.locator(".scores tbody tr")).to_have_count(1)
    page.locator("[data-box=d0]").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    moved = Drawing(EXACT.truth, (Box(130, 100, 330, 160, confidence=90),))
    expect_scene(page, moved)
    page.get_by_role("link", name="Compare all protocols").click()
    expect(page).to_have_url(re.compile("playground/.*" + re.escape(to_link(moved))))


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("guide:list", []), ("guide:protocol", ["iou"]), ("guide:playground", [])],
)
def test_pages_are_accessible_and_fit(open_page, name, arguments):
    query = f"{exact_scene()}&box=t0" if name != "guide:list" else ""
    check_page(open_page(name, *arguments, query=query))
