"""A photograph with an EXIF orientation: boxes are drawn on their words in every view."""

import io

import numpy as np
import pytest
from django.urls import reverse
from PIL import Image as Picture

from annotate.datasets.models import Image
from annotate.judging import services
from annotate.studies.services import create_study
from tests.support.archives import stored, with_orientation
from tests.support.browsing import signed_in
from tests.support.factories import add_annotator, add_researcher
from tests.support.loads import load_dataset, load_results

# The bar that the first method found, and a box on nothing by the second.
BAR, EMPTY = (103, 138, 560, 184), (200, 300, 400, 340)
SIZE = (600, 400)


def lines(*boxes, text=""):
    return "".join(f"{x},{y},{r},{y},{r},{b},{x},{b}{text}\n" for x, y, r, b in boxes)


@pytest.fixture
def at_work(transactional_db):
    """A study on a photograph that is turned, with its ground truth in the pixels of the file."""
    picture = Picture.new("RGB", SIZE, "white")
    picture.paste("black", BAR)
    truth = stored(picture, 6).convert("L").point(lambda of: 255 - of).getbbox()
    load_dataset(
        name="Turned",
        truth={"gt_img_1.txt": lines(truth, text=",a")},
        images={"img_1.jpg": with_orientation(picture, 6)},
    )
    image = Image.objects.get()
    found = {"res_img_1.txt": lines(BAR)}, {"res_img_1.txt": lines(EMPTY)}
    load_results(image.dataset, dict(zip(("right", "wrong"), found, strict=True)))
    study = create_study(
        dataset=image.dataset,
        methods=list(image.dataset.methods.all()),
        name="Turned",
        seed=7,
        state="open",
    )
    person = add_annotator(study)
    services.start(study=study, annotator=person)
    return study, person, image


def brightness(page, shown):
    """Return the brightness within and around the box of the bar, in the picture as it is on screen."""
    page.wait_for_load_state("networkidle")
    rectangles = shown.evaluate_all("""all => all.map(one => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return { x, y, width, height, points: one.getAttribute("points") };
    })""")
    place = next(of for of in rectangles if of["points"].startswith(f"{BAR[0]},{BAR[1]}"))
    shot = np.asarray(
        Picture.open(io.BytesIO(page.screenshot(full_page=False))).convert("L")
    ).astype(int)
    x, y = place["x"], place["y"]
    right, below = x + place["width"], y + place["height"]
    inside = shot[round(y) + 5 : round(below) - 5, round(x) + 5 : round(right) - 5]
    # A strip above and one below, beyond the outline.
    around = np.concatenate(
        [shot[round(y) - 14 : round(y) - 8, round(x) : round(right)],
         shot[round(below) + 8 : round(below) + 14, round(x) : round(right)]]
    )  # fmt: skip
    assert min(inside.size, around.size) > 0
    return np.median(inside), np.median(around)


def test_a_box_is_drawn_on_its_bar_for_annotators_and_researchers(
    browser, client, live_server, at_work
):
    study, person, image = at_work
    views = [
        (
            person,
            reverse("judging:judge", args=[study.slug]),
            "[data-pane] [data-boxes] .boxes__over polygon",
        ),
        (
            add_researcher(study),
            reverse("evidence:image", args=[study.slug, image.name]),
            "svg polygon",
        ),
    ]
    for viewer, address, boxes in views:
        with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
            page = signed_in(context, client, viewer, live_server)
            page.goto(live_server.url + address)
            shown = page.locator(boxes)
            shown.first.scroll_into_view_if_needed()
            within, around = brightness(page, shown)
            assert within < 110 < 170 < around, address
