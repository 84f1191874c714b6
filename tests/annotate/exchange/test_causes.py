"""Why regions got nothing in a run, as tables: on the dataset's page, as work, through the API."""

import csv
import io
import zipfile

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.exchange.work import write_causes
from annotate.scoring.services import score_protocol
from tests.support.factories import add_researcher, make_image, make_result, make_run, make_study
from tests.support.work import file_made
from tests.support.world import signed_in

pytestmark = pytest.mark.django_db

# Of the truth 0-99: a finds it, b half of it and something false; each on two images.
BOXES = {"a": [(0, 0, 99, 39)], "b": [(0, 0, 49, 39), (500, 0, 599, 39)]}


@pytest.fixture
def study():
    return make_study(["a", "b"], images=2, boxes=BOXES)


@pytest.fixture
def run(study):
    return score_protocol(dataset=study.dataset, slug="iou")


@pytest.fixture
def researcher(study):
    return add_researcher(study)


def tables(response):
    with zipfile.ZipFile(io.BytesIO(response.getvalue())) as archive:
        return {
            name: list(csv.DictReader(io.StringIO(archive.read(name).decode())))
            for name in archive.namelist()
        }


def test_the_tables_name_each_region_and_what_each_cause_costs(client, run, researcher):
    """b: R = 0/2 and P = 0/4; with the tight ones right 2/2 and 2/4. Nothing is right without."""
    client.force_login(researcher)
    page = client.get(reverse("datasets:detail", args=[run.dataset.slug]))
    address = reverse("files:causes_file", args=[run.dataset.slug, run.pk])
    assert f'action="{address}"' in page.text
    found = tables(file_made(client, address))
    images = [image.name for image in run.dataset.images.in_order()]
    assert [tuple(row.values()) for row in found["regions.csv"]] == [
        (*row, run.signature)
        for image in images
        for row in (
            ("b", image, "truth", "1", "too tight", "0.0", "[1]"),
            ("b", image, "detection", "1", "too tight", "0.0", "[1]"),
            ("b", image, "detection", "2", "background", "0.0", "[]"),
        )
    ]
    gains = {
        (row["method"], row["cause"]): (row["n_truth"], row["recall"], row["precision"])
        for row in found["costs.csv"]
        if row["n_truth"] != "0" or row["n_detections"] != "0"
    }
    assert gains == {
        ("b", "too tight"): ("2", "1.0", "0.5"),
        ("b", "background"): ("0", "0.0", "0.0"),
    }


def test_only_what_the_run_scored_is_explained(client, study, run, researcher):
    image = make_image(study.dataset, truth=[(0, 0, 99, 39)])
    make_result(image, study.dataset.methods.get(name="a"), [(900, 0, 950, 39)])
    client.force_login(researcher)
    address = reverse("files:causes_file", args=[run.dataset.slug, run.pk])
    rows = tables(file_made(client, address))["regions.csv"]
    assert {row["method"] for row in rows} == {"b"}


def test_the_queries_do_not_grow_with_the_images(run):
    more = make_study(["a", "b"], images=20, boxes=BOXES)
    n_queries = []
    for of in (run, score_protocol(dataset=more.dataset, slug="iou")):
        with CaptureQueriesContext(connection) as caught:
            write_causes(of, io.BytesIO(), lambda *_: None)
        n_queries.append(len(caught))
    assert n_queries[0] == n_queries[1]


def test_a_run_without_causes_has_no_such_file(client, study, researcher):
    client.force_login(researcher)
    runs = [
        score_protocol(dataset=study.dataset, slug="count"),
        make_run(study, "theirs", {"a": 1}),
    ]
    page = client.get(reverse("datasets:detail", args=[study.dataset.slug]))
    assert "causes.zip" not in page.text
    for run in runs:
        address = reverse("files:causes_file", args=[study.dataset.slug, run.pk])
        assert client.post(address).status_code == 404


def test_scripts_ask_for_the_same_file(run, researcher):
    script = signed_in(researcher)
    response = script.post(f"/api/v1/runs/{run.pk}/causes")
    assert response.status_code == 202
    job = script.get(response["Location"]).json()
    assert job["state"] == "done"
    assert set(tables(script.get(f"/api/v1/jobs/{job['id']}/file"))) == {"regions.csv", "costs.csv"}
    other = score_protocol(dataset=run.dataset, slug="count")
    assert script.post(f"/api/v1/runs/{other.pk}/causes").status_code == 404
    assert Client().post(f"/api/v1/runs/{run.pk}/causes").status_code == 401
