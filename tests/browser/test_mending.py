"""A ground truth is corrected by drawing: a new region, a moved one, a moved corner."""

import os

import pytest
from django.urls import reverse

from annotate.datasets.models import Image
from tests.support.archives import picture_bytes
from tests.support.browsing import check_accessible, listen
from tests.support.factories import make_admin
from tests.support.loads import load_dataset

SIZE = (600, 400)
TRUTH = "100,100,200,100,200,150,100,150,one\n"


@pytest.fixture
def image(transactional_db):
    truth, photograph = {"gt_img_1.txt": TRUTH}, {"img_1.png": picture_bytes(*SIZE)}
    load_dataset(name="Street", truth=truth, images=photograph)
    return Image.objects.get()


def test_regions_are_drawn_moved_and_saved(open_as, live_server, image):
    page = open_as(make_admin(), viewport={"width": 1440, "height": 900})
    complaints = listen(page)
    page.goto(live_server.url + reverse("datasets:mend", args=["street", "img_1"]))
    drawing = page.locator("[data-drawing]")
    drawing.wait_for()
    check_accessible(page)
    place = drawing.evaluate(
        """svg => { const m = svg.getScreenCTM(); return { a: m.a, e: m.e, f: m.f }; }"""
    )

    def at(x, y):
        return place["e"] + place["a"] * x, place["f"] + place["a"] * y

    def drag(start, end):
        page.mouse.move(*at(*start))
        page.mouse.down()
        page.mouse.move(*at(*end))
        page.mouse.up()

    rows = page.locator("[data-row] input[name$=points]")
    # The whole region by 50 to the right and 20 down, then its first corner by 10 to the left.
    drag((150, 125), (200, 145))
    assert rows.nth(0).input_value() == "150, 120, 250, 120, 250, 170, 150, 170"
    drag((150, 120), (140, 120))
    assert rows.nth(0).input_value() == "140, 120, 250, 120, 250, 170, 150, 170"
    page.get_by_role("button", name="Draw a new region").click()
    for corner in ((300, 200), (400, 200), (350, 300), (300, 200)):
        page.mouse.click(*at(*corner))
    page.keyboard.type("two")
    assert rows.nth(1).input_value() == "300, 200, 400, 200, 350, 300"
    page.get_by_label("Reason").fill("Drawn.")
    if folder := os.environ.get("SHOTS"):
        for name, size in (("wide", (1440, 900)), ("narrow", (390, 844))):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.screenshot(path=f"{folder}/mend-{name}.png", full_page=True)
    page.get_by_role("button", name="Save as a new version").click()
    page.get_by_text("The ground truth is corrected.").wait_for()
    moved, new = Image.objects.get().truth_regions
    assert moved.points == (140, 120, 250, 120, 250, 170, 150, 170)
    assert moved.text == "one"
    assert (new.points, new.text) == ((300, 200, 400, 200, 350, 300), "two")
    assert complaints == []
