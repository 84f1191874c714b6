"""Small differences in real results, found with two actions: open the list of places, and choose one."""

import random
from pathlib import Path

import pytest
from PIL import Image as Picture

from protocols.formats.recognition.reading import read
from tests.support.comparison import image, result, screen

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "icdar2015"
N_PAIRS = 40
KINDS = ("missing", "added", "moved")
PANES = """() => [...document.querySelectorAll(".pane__picture")].map((one) => {
  const { width, height } = one.getBoundingClientRect();
  const [x, y, w, h] = one.getAttribute("viewBox").split(" ").map(Number);
  return { x, y, w, h, scale: Math.min(width / w, height / h) };
})"""


def boxes_of(regions):
    return [
        " ".join(f"{x:g},{y:g}" for x, y in zip(one.points[::2], one.points[1::2], strict=True))
        for one in regions
    ]


def rectangle(x, y, width, height):
    return f"{x},{y} {x + width},{y} {x + width},{y + height} {x},{y + height}"


def pairs():
    """Yield photographs and two real results; a box of 4 to 9 pixels is missing, added or moved."""
    rng = random.Random(57)
    late, early = (
        read(str(DATA / f"{n}.zip"), kind="results") for n in ("craft-td-late", "east-resnet50")
    )
    names = [path.stem for path in sorted((DATA / "images").iterdir())]
    names = [name for name in names if late.regions.get(name) and early.regions.get(name)]
    for at, name in enumerate(rng.sample(names, N_PAIRS)):
        path = DATA / "images" / f"{name}.jpg"
        with Picture.open(path) as photograph:
            width, height = photograph.size
        left, right = boxes_of(late.regions[name]), boxes_of(early.regions[name])
        long, high = rng.randint(6, 9), rng.randint(4, 6)
        x, y = rng.randint(20, width - 40), rng.randint(20, height - 40)
        small, kind = rectangle(x, y, long, high), KINDS[at % 3]
        if kind != "added":
            left.append(small)
        if kind != "missing":
            # Moved by half its length, of the two boxes a third is shared.
            right.append(small if kind == "added" else rectangle(x + long / 2, y, long, high))
        shown = image(
            key=name,
            url=f"/photograph-{name}.png",
            width=width,
            height=height,
            results={"a": result(*left), "b": result(*right)},
        )
        yield (x, y, long, high), shown | {"truth": None, "matches": None}


@pytest.mark.skipif(not DATA.exists(), reason="the results of ICDAR 2015 are not here")
def test_t57_a_difference_of_under_ten_pixels_is_found_in_two_actions(open_site):
    placed = list(pairs())
    settings = {"place_list": "request"}
    screens = [
        screen(number, settings=settings, image=shown)
        for number, (_, shown) in enumerate(placed, 1)
    ]

    def give(route):
        name = route.request.url.rpartition("photograph-")[2].removesuffix(".png")
        route.fulfill(path=DATA / "images" / f"{name}.jpg")

    site = open_site(
        screens[0], [*screens[1:], screen(len(screens) + 1, image=placed[0][1])], hold=give
    )
    page = site.page
    missed = []
    for (x, y, long, high), shown in placed:
        page.locator("[data-screen][data-ready]").wait_for()
        page.keyboard.press("Shift+V")
        crops = page.locator("[data-places] button svg:first-of-type")
        crops.first.wait_for()
        views = crops.evaluate_all(
            "all => all.map(one => one.getAttribute('viewBox').split(' ').map(Number))"
        )
        middle = x + long / 2, y + high / 2
        holding = [
            at
            for at, (left, top, w, h) in enumerate(views)
            if left < middle[0] < left + w and top < middle[1] < top + h
        ]
        # Of several crops that show it, the narrowest is chosen.
        at = min(holding, key=lambda one: views[one][2], default=None)
        if at is None:
            missed.append((shown["key"], "in no crop"))
        else:
            page.locator("[data-places] button").nth(at).click()
            site.view_boxes()
            for pane in page.evaluate(PANES):
                is_in = pane["x"] < x and x + long < pane["x"] + pane["w"]
                is_in = is_in and pane["y"] < y and y + high < pane["y"] + pane["h"]
                if not is_in or pane["scale"] < 1.5:
                    missed.append((shown["key"], pane))
        page.keyboard.press("Escape")
        site.confirm()
    assert missed == []
    assert len(site.sent) == N_PAIRS
