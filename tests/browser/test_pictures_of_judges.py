"""The pictures that programs get have the outlines that the page draws at 100 %."""

import io
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

from annotate.datasets.models import Image, Result
from annotate.demo.services import import_finished_study
from annotate.judges.outlines import tokens
from annotate.judges.pictures import Pair, picture
from annotate.studies.models import Study

STATIC = Path(__file__).parents[2] / "static"
PAGE = """<!doctype html><meta charset="utf-8"><body style="margin: 0; background: {ground}">
<link rel="stylesheet" href="/css/tokens.css"><link rel="stylesheet" href="/css/components/panes.css">
<svg xmlns="http://www.w3.org/2000/svg" style="position: absolute; inset: 0; overflow: visible"></svg>"""
DRAW = """async ({polygons, left, top, width, height}) => {
  const { strokesOf } = await import("/js/judging/drawing.js");
  const svg = document.querySelector("svg");
  svg.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  const strokes = strokesOf(polygons, () => "");
  strokes.thin({ scale: 1 }, 1);
  const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
  group.setAttribute("class", "boxes");
  group.append(...strokes.nodes);
  svg.replaceChildren(group);
}"""
KINDS = {"css": "text/css", "js": "text/javascript"}


@pytest.fixture
def page(browser):
    """A page that draws polygons with the site's own script and style, on the ground of a pane."""
    context = browser.new_context(viewport={"width": 1600, "height": 1400})
    page = context.new_page()

    def give(route):
        path = route.request.url.removeprefix("http://page.test/")
        if not path:
            route.fulfill(body=PAGE.format(ground="#ffffff"), content_type="text/html")
            return
        kind = KINDS[path.rpartition(".")[2]]
        route.fulfill(body=(STATIC / path).read_bytes(), content_type=kind)

    page.route("http://page.test/**", give)
    page.goto("http://page.test/")
    yield page
    context.close()


def pixels(content):
    with Picture.open(io.BytesIO(content)) as opened:
        return np.asarray(opened.convert("RGB"))


def mask(drawn, name):
    colour = tokens()[name]
    return (drawn == [int(colour[at : at + 2], 16) for at in (1, 3, 5)]).all(axis=2)


def near(found):
    """The pixels within one pixel of a mask."""
    padded = np.pad(found, 1)
    height, width = found.shape
    return np.any(
        [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)], axis=0
    )


def pairs():
    """Thirty pairs of the demo, of results with the most boxes of each image."""
    study = Study.objects.order_by("pk").first()
    for image in Image.objects.filter(studies=study).select_related("dataset").order_by("pk")[:15]:
        results = Result.objects.filter(image=image).order_by("-n_regions", "pk")[:3]
        for left, right in [*combinations(results, 2)][:2]:
            yield Pair(study, image, left, right)


@pytest.mark.django_db
def test_outlines_lie_within_a_pixel_of_those_of_the_page(page):
    import_finished_study()
    # Without their photographs, in which these colours may occur.
    Image.objects.update(sha256="", width=None, height=None)
    n_pairs, margin = 0, 3
    for pair in pairs():
        left, top, right, bottom = pair.frame
        width, height = right - left + 2 * margin, bottom - top + 2 * margin
        content = picture(pair, "left", 4096)
        mine = pixels(content)
        assert mine.shape == (height, width, 3)
        frame = {"left": left - margin, "top": top - margin, "width": width, "height": height}
        page.evaluate(DRAW, {"polygons": pair.polygons["left"], **frame})
        clip = {"x": 0, "y": 0, "width": width, "height": height}
        theirs = pixels(page.screenshot(clip=clip))
        for name in ("box-dark", "box-light"):
            one, other = mask(mine, name), mask(theirs, name)
            assert one.sum() > 0
            assert (one & near(other)).sum() >= 0.95 * one.sum(), (pair.image, name)
            assert (other & near(one)).sum() >= 0.95 * other.sum(), (pair.image, name)
        n_pairs += 1
    assert n_pairs == 30
