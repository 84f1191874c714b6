"""A method that was evaluated on 2 of 12 images, next to one that was evaluated on all."""

import csv
import io
import json

import pytest
from django.urls import reverse

from annotate.leaderboards.services import publish
from annotate.scoring.services import score_protocol
from tests.support.loads import load_dataset, load_results, load_scores

pytestmark = pytest.mark.django_db

UPPER, LOWER = "0,0,100,0,100,40,0,40", "0,100,100,100,100,140,0,140"
# Two words on each image; "full" finds one of two everywhere, "part" both on the first two.
TRUTH = {f"gt_img_{at}.txt": f"{UPPER},A\n{LOWER},B\n" for at in range(1, 13)}
FULL = {f"res_img_{at}.txt": f"{UPPER}\n" for at in range(1, 13)}
PART = {f"res_img_{at}.txt": f"{UPPER}\n{LOWER}\n" for at in (1, 2)}


def loaded(missing, **more):
    dataset = load_dataset(name="street", truth=TRUTH).dataset
    load_results(dataset, {"full": FULL, "part": PART, **more}, missing=missing)
    score_protocol(dataset=dataset, slug="iou")
    return dataset


def page(dataset):
    return reverse("datasets:detail", args=[dataset.slug])


def rows_of(client, dataset, **query):
    return {row.method: row for row in client.get(page(dataset), query).context["rows"]}


def test_a_method_of_some_images_has_no_place_no_interval_and_no_letter(admin):
    dataset = loaded("not-evaluated")
    shown = admin.get(page(dataset))
    full, part = shown.context["rows"]
    # Of 24 words, 12 found, nothing wrong: F = 2 x 0.5 / 1.5.
    assert (full.method, full.place, full.images, full.value) == (
        *("full", 1, "12 of 12"),
        pytest.approx(2 / 3),
    )
    assert (part.method, part.place, part.images, part.value) == ("part", None, "2 of 12", 1.0)
    assert (part.low, part.high, part.letters) == (None, None, "")
    assert "part has no place: it was not evaluated on all 12 images" in shown.text
    assert "Compare all methods on the 2 images that they share" in shown.text


def test_on_shared_images_the_methods_are_ranked_together(admin):
    dataset = loaded("not-evaluated")
    shown = admin.get(page(dataset), {"shared": "on"})
    part, full = shown.context["rows"]
    assert (part.method, part.place, part.images, part.value) == ("part", 1, "2 of 2", 1.0)
    assert (full.place, full.value) == (2, pytest.approx(2 / 3))
    # Two images give no interval and no test.
    assert [(row.low, row.letters) for row in (part, full)] == [(None, "")] * 2
    assert "Only the 2 images that all methods share count." in shown.text
    assert 'name="shared"' in shown.text
    assert "&amp;shared=on" in shown.text


def test_empty_results_are_ranked_with_the_others(admin):
    dataset = loaded("empty")
    rows = rows_of(admin, dataset)
    # Both words on 2 of 12 images: 4 of 24 words, nothing wrong.
    assert (rows["part"].place, rows["part"].value) == (2, pytest.approx(2 * (1 / 6) / (7 / 6)))
    assert rows_of(admin, dataset, figure="recall")["part"].value == pytest.approx(1 / 6)
    assert rows_of(admin, dataset, figure="precision")["part"].value == 1.0
    shown = admin.get(page(dataset))
    assert 'name="shared"' not in shown.text
    assert "no place" not in shown.text


@pytest.mark.parametrize("extension", ["csv", "json", "tex", "md"])
def test_files_carry_the_number_of_images(admin, client, extension):
    dataset = loaded("not-evaluated")
    board = publish(dataset=dataset, person=None)
    own = reverse("leaderboards:file", args=[dataset.slug, "leaderboard", extension])
    public = reverse("boards:file", args=[board.address, extension])
    texts = [admin.get(own).text]
    client.logout()
    texts.append(client.get(public).text)
    for text in texts:
        assert "2 of 12" in text
        if extension == "csv":
            full, part = csv.DictReader(io.StringIO(text))
            assert (full["Place"], part["Place"], part["Images"]) == ("1", "", "2 of 12")
            assert (part["Low"], part["High"], part["Letters"]) == ("", "", "")
        else:
            assert "2 images are shared by all methods" in text


def test_page_api_figure_and_public_page_carry_the_number_of_images(admin, client):
    dataset = loaded("not-evaluated")
    board = publish(dataset=dataset, person=None)
    sent = admin.get(reverse("api:leaderboard", args=[dataset.slug])).json()
    assert (sent["n_images"], sent["n_shared"], sent["is_shared"]) == (12, 2, False)
    full, part = sent["methods"]
    assert (full["place"], full["n_images"]) == (1, 12)
    assert (part["place"], part["n_images"], part["images"]) == (None, 2, "2 of 12")
    shared = admin.get(reverse("api:leaderboard", args=[dataset.slug]), {"shared": "true"}).json()
    assert [(row["method"], row["place"]) for row in shared["methods"]] == [
        ("part", 1),
        ("full", 2),
    ]
    figure = reverse("leaderboards:figure", args=[dataset.slug, "svg"])
    assert "part (2 of 12)" in admin.get(figure).text
    assert "part (" not in admin.get(figure, {"shared": "on"}).text
    assert "2 of 12" in admin.get(reverse("datasets:detail", args=[dataset.slug])).text
    client.logout()
    assert "2 of 12" in client.get(reverse("boards:page", args=[board.address])).text


def test_other_protocols_carry_their_own_numbers(admin):
    """A paper's scores are of one image of "full"; the protocol's are of twelve."""
    dataset = loaded("not-evaluated")
    scores = "image,method,recall,precision\nimg_1,full,0.5,1\nimg_1,part,1,1\nimg_2,part,1,1\n"
    load_scores(dataset, "PAPER", scores)
    full = rows_of(admin, dataset, by="IOU", figure="recall")["full"]
    assert [(cell.value, cell.images) for cell in full.others] == [(0.5, "1 of 2")]
    shown = admin.get(page(dataset), {"by": "IOU", "figure": "recall"}).text
    assert "0.5000 (1 of 2)" in " ".join(shown.split())
    file = reverse("leaderboards:file", args=[dataset.slug, "leaderboard", "csv"])
    first, second = csv.DictReader(io.StringIO(admin.get(file, {"by": "IOU"}).text))
    assert (first["Images, PAPER"], second["Images, PAPER"]) == ("1 of 2", "2 of 2")


def test_without_a_shared_image_there_is_no_switch_to_it(admin):
    """Two methods on six images each: neither is ranked, and nothing can be compared."""
    first = {name: text for name, text in FULL.items() if int(name[8:-4]) <= 6}
    second = {name: text for name, text in FULL.items() if int(name[8:-4]) > 6}
    dataset = load_dataset(name="street", truth=TRUTH).dataset
    load_results(dataset, {"first": first, "second": second}, missing="not-evaluated")
    score_protocol(dataset=dataset, slug="iou")
    shown = admin.get(page(dataset))
    assert [row.place for row in shown.context["rows"]] == [None, None]
    assert "There is no image that all methods share." in shown.text
    assert admin.get(page(dataset), {"shared": "on"}).status_code == 200
    sent = admin.get(reverse("api:leaderboard", args=[dataset.slug]), {"shared": "true"})
    json.loads(sent.content, parse_constant=pytest.fail)
