"""The comparison page with a payload of our own, for tests of how results are looked at."""

import io
import json
import re

from PIL import Image as Picture
from playwright.sync_api import expect

WIDTH, HEIGHT = 640, 480
INCLUSIVE = "10,10 20,10 20,20 10,20"  # 10,10,19,19 with its last pixels
SHARED = "100,100 200,100 200,130 100,130"
LEFT_ONLY = "300,200 420,200 420,240 300,240"
RIGHT_ONLY = "50,300 160,300 160,330 50,330"


# Once for each tab: what the person chooses afterwards is kept.
_WISH = """if (!sessionStorage.begun) {
  sessionStorage.begun = "yes";
  localStorage.setItem("layout", "%s");
}"""


def remembered_layout(layout="both"):
    """Return a script for new pages: the browser remembers this layout of the two results."""
    return _WISH % layout


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
            "first": "left",
            "answer_url": "/answer/",
            "skip_url": "/skip/",
            "note_url": "/note/",
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
            "timed": None,
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

    def __init__(self, page, url, first, following=(), hold=None):
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
        page.route("**/photograph*.png", hold or (lambda r: r.fulfill(body=photograph(*size))))
        # A photograph that is held back holds the page's "load" back.
        page.goto(url, wait_until="commit" if hold else "load")
        expect(page.locator("[data-view-tools]")).to_be_visible()
        # The camera draws with the next picture.
        self.view_boxes()

    def confirm(self):
        for key in ("1", "q", "a"):
            self.page.keyboard.press(key)
        before = self.page.locator("[data-screen-id]").get_attribute("data-screen-id")
        # An answer counts once both results were shown.
        self.page.locator("[data-screen][data-seen]").wait_for()
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
    """A soft gradient with lines, so that a magnified pixel can be identified."""
    base = Picture.linear_gradient("L").resize((width, height)).convert("RGB")
    for x in range(0, width, 40):
        base.paste((90, 110, 120), (x, 0, x + 2, height))
    stream = io.BytesIO()
    base.save(stream, "PNG")
    return stream.getvalue()
