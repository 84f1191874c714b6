"""Pairs out of the ordinary: equal, empty and crowded results, very long and tiny photographs, and none."""

import math

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.support.browsing import signed_in
from tests.support.cases import cases
from tests.support.comparison import (
    HEIGHT,
    LEFT_ONLY,
    SHARED,
    WIDTH,
    Site,
    image,
    photograph,
    result,
    screen,
)


def of_size(width, height, left, right):
    """A pair on a photograph of a size, with two results."""
    shown = image(width=width, height=height, results={"a": result(*left), "b": result(*right)})
    return screen(1, image=shown | {"truth": None, "matches": None})


def grid(n, dx=0):
    """So many boxes of 8 x 4 pixels in rows of 50, on a photograph of 640 x 480."""
    corners = [(12 * (at % 50) + dx, 10 * (at // 50) + 2) for at in range(n)]
    return [f"{x},{y} {x + 8},{y} {x + 8},{y + 4} {x},{y + 4}" for x, y in corners]


@cases(
    ("width", "height", "left", "right", "n_places"),
    [
        (640, 480, [SHARED, LEFT_ONLY], [SHARED, LEFT_ONLY], 0),  # both results equal
        (640, 480, [], [SHARED], 1),
        (640, 480, [], [], 0),
        # Every box against its neighbour's place, half a box aside.
        (640, 480, grid(2000), grid(2000, dx=4), 2000),
        (12_000, 200, ["11900,50 11960,50 11960,90 11900,90"], [], 1),
        (200, 12_000, ["50,11900 90,11900 90,11960 50,11960"], [], 1),
        (40, 40, ["2,2 12,2 12,8 2,8"], [], 1),
        # A box beyond the photograph.
        (40, 40, ["-200,2 900,2 900,8 -200,8"], [], 1),
    ],
)
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_strange_results_and_photographs_are_looked_at_and_answered_as_any(
    open_site, size, width, height, left, right, n_places
):
    viewport = dict(zip(("width", "height"), size, strict=True))
    first = of_size(width, height, left, right)
    site = open_site(first, [screen(2)], viewport=viewport, layout=None)
    page = site.page
    frames = [one.bounding_box() for one in page.locator(".pane__picture:visible").all()]
    for frame in frames:
        assert frame["width"] > 100
        assert frame["height"] > 100, frame
    page.keyboard.press("n")
    words = f"Place 1 of {n_places} " if n_places else "No differences"
    expect(page.locator("[data-view-words]")).to_contain_text(words)
    if n_places:
        x, y, w, h = site.view_boxes()[0]
        assert all(map(math.isfinite, (x, y, w, h)))
        assert w > 0
        assert h > 0
    page.keyboard.press("f")
    page.keyboard.press("c")
    site.confirm()
    assert len(site.sent) == 1


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_a_photograph_that_fails_says_so_and_takes_no_answer_until_it_is_there(
    browser, client, live_server, at_work, size
):
    study, person = at_work
    context = browser.new_context(viewport=dict(zip(("width", "height"), size, strict=True)))
    page = signed_in(context, client, person, live_server)
    url = live_server.url + reverse("judging:judge", args=[study.slug])
    tried = []

    def fail_first(route):
        tried.append(route.request.url)
        if len(tried) == 1:
            route.abort()
        else:
            route.fulfill(body=photograph(WIDTH, HEIGHT))

    site = Site(page, url, screen(), [screen(2)], hold=fail_first)
    again = page.get_by_role("button", name="Load again").locator("visible=true").first
    again.wait_for()
    for key in ("1", "q", "a", "Enter"):
        page.keyboard.press(key)
    assert site.sent == []
    again.click()
    page.locator("[data-screen][data-ready]").wait_for()
    expect(page.get_by_role("button", name="Load again").locator("visible=true")).to_have_count(0)
    if page.locator("[data-panes][data-one]").count():
        page.keyboard.press("c")
    page.locator("[data-screen][data-seen]").wait_for()
    page.keyboard.press("Enter")
    expect(page.locator("[data-screen-id='screen-2']")).to_have_count(1)
    assert len(site.sent) == 1
    context.close()
