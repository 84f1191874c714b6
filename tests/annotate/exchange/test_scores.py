"""All scores of a dataset in one CSV: every method on every image by the newest run of each protocol."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.exchange import scores
from annotate.scoring.models import ProtocolRun
from annotate.scoring.services import score_protocol
from tests.support.factories import add_researcher, make_image, make_person, make_run, make_study

pytestmark = pytest.mark.django_db

# Of the truth 0-99: a finds it, b half of it and something false; each on two images.
BOXES = {"a": [(0, 0, 99, 39)], "b": [(0, 0, 49, 39), (500, 0, 599, 39)]}
COUNTS = ("recall", "precision", "f_score", "recalled", "n_truth", "precise", "n_detections")


@pytest.fixture
def study():
    return make_study(["a", "b"], images=2, boxes=BOXES)


def rows_of(response):
    assert response["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


def test_page_and_api_give_every_score_once(client, study):
    """By IOU, a is right on each image; b has R = 0 / 1 and P = 0 / 2. An old run does not count."""
    dataset = study.dataset
    score_protocol(dataset=dataset, slug="iou")
    run = score_protocol(dataset=dataset, slug="iou")
    imported = make_run(study, "other", {"b": 0.25})
    client.force_login(add_researcher(study))
    page = client.get(reverse("datasets:detail", args=[dataset.slug])).text
    address = reverse("files:scores_file", args=[dataset.slug])
    assert f'href="{address}"' in page
    rows = rows_of(client.get(address))
    images = [image.name for image in dataset.images.in_order()]
    shown = [(row["protocol"], row["method"], row["image"]) for row in rows]
    assert shown == [
        *((run.name, method, image) for method in "ab" for image in images),
        *((imported.name, "b", image) for image in images),
    ]
    counts = [tuple(row[name] for name in COUNTS) for row in rows]
    assert counts == [
        *[("1.0", "1.0", "1.0", "1.0", "1.0", "1.0", "1.0")] * 2,
        *[("0.0", "0.0", "0.0", "0.0", "1.0", "0.0", "2.0")] * 2,
        # Imported scores have no credits, and no signature.
        *[("0.25", "0.25", "0.25", "", "", "", "")] * 2,
    ]
    assert [row["signature"] for row in rows] == [run.signature] * 4 + [""] * 2
    assert rows_of(client.get(reverse("api:dataset_scores", args=[dataset.slug]))) == rows
    by_name = client.get(address, {"protocol": imported.name})
    assert rows_of(by_name) == rows[4:]


def test_its_columns_are_in_the_dictionary(study):
    score_protocol(dataset=study.dataset, slug="iou")
    [header, *_rows] = b"".join(scores.scores_of(study.dataset)).decode().splitlines()
    assert header.split(",") == [column.name for column in scores.COLUMNS["scores"]]


def test_others_see_nothing(client, study):
    score_protocol(dataset=study.dataset, slug="iou")
    client.force_login(make_person())
    for name in ("files:scores_file", "api:dataset_scores"):
        assert client.get(reverse(name, args=[study.dataset.slug])).status_code == 404


def test_too_many_scores_are_sent_by_protocol(client, study, monkeypatch):
    run = score_protocol(dataset=study.dataset, slug="iou")
    monkeypatch.setattr(scores, "MAX_SCORES", 3)
    client.force_login(add_researcher(study))
    for name, status in (("files:scores_file", 409), ("api:dataset_scores", 422)):
        address = reverse(name, args=[study.dataset.slug])
        refused = client.get(address)
        assert refused.status_code == status
        assert "add ?protocol= and its name" in refused.content.decode()
        assert len(rows_of(client.get(address, {"protocol": run.name}))) == 4


def test_queries_do_not_grow_with_the_images(study):
    def n_queries():
        with CaptureQueriesContext(
            connection,
        ) as counted:
            b"".join(scores.scores_of(study.dataset))
        return len(counted)

    score_protocol(dataset=study.dataset, slug="iou")
    before = n_queries()
    for result in list(study.dataset.images.first().results.all()):
        for _ in range(3):
            image = make_image(study.dataset, truth=[(0, 0, 99, 39)])
            result.pk, result.image, result._state.adding = None, image, True
            result.save()
    ProtocolRun.objects.all().delete()
    run = score_protocol(dataset=study.dataset, slug="iou")
    assert run.n_scores > 4
    assert n_queries() == before
