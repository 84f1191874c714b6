"""Reading through the API: pages of lists, filters, the numbers themselves, and the queries it takes."""

import csv
import hashlib
import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.datasets.models import Image
from annotate.scoring.models import Score
from annotate.scoring.services import score_protocol
from annotate.studies.models import Study
from protocols import registry
from protocols.core.regions import Region, encode_regions
from rankings.agreement.report import Settings
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_dataset,
    make_image,
    make_method,
    make_person,
    make_result,
    make_study,
)
from tests.support.kept import keep_report
from tests.support.truths import rank_by, rank_everything
from tests.support.work import made_by
from tests.support.world import TRUTH, is_problem, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def researcher(world):
    return world.client("researcher")


def rows_of(client, address):
    """Every row of a list, page after page."""
    rows = []
    while address:
        page = client.get(address)
        assert page.status_code == 200, page.content
        rows += page.json()["results"]
        address = page.json()["next"]
    return rows


def test_a_list_is_read_page_by_page_forwards_and_backwards(world, researcher):
    for _ in range(9):
        make_image(world.study.dataset)
    address = f"/api/v1/datasets/{world.study.dataset.slug}/images?limit=4"
    names = list(world.study.dataset.images.in_order().values_list("name", flat=True))
    assert [row["name"] for row in rows_of(researcher, address)] == names
    second = researcher.get(researcher.get(address).json()["next"]).json()
    first = researcher.get(second["previous"]).json()
    assert [row["name"] for row in first["results"]] == names[:4]
    assert first["previous"] is None


def test_rows_that_come_meanwhile_shift_no_page(world, researcher):
    for _ in range(5):
        make_image(world.study.dataset)
    address = f"/api/v1/datasets/{world.study.dataset.slug}/images?limit=3"
    page = researcher.get(address).json()
    seen = [row["id"] for row in page["results"]]
    Image.objects.create(
        dataset=world.study.dataset, name="first", position=0, truth=encode_regions(())
    )
    following = [row["id"] for row in rows_of(researcher, page["next"])]
    assert not set(seen) & set(following)
    assert len(seen + following) == 7


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=201",
        "limit=-1",
        "limit=many",
        "limit=²",
        "limit=",
        "cursor=x",
        "cursor=cD1hYmM%3D",  # p=abc, where a number belongs
        "cursor=cD0lMDA%3D",  # p=%00
        "cursor=cD05OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5",
    ],
)
def test_a_page_that_cannot_be_is_422(world, researcher, query):
    address = f"/api/v1/datasets/{world.study.dataset.slug}/results?{query}"
    response = researcher.get(address)
    if query.startswith("cursor=cD05"):
        # A number beyond all rows: no such row, and none is missing.
        assert response.status_code in (200, 422)
    else:
        assert is_problem(response, 422, "invalid")


def test_results_come_with_their_regions_and_may_be_filtered(world, researcher):
    image, method = world.image, world.study.methods.get(name="beta-net")
    result = image.results.get(method=method)
    regions = (
        Region.from_box(0, 0, 9.5, 9, text="né", confidence=0.5),
        Region((0.0, 0.0, 5.0, 0.0, 5.0, 5.0)),
    )
    result.regions = encode_regions(regions)
    result.n_regions = 2
    result.save()
    address = f"/api/v1/datasets/{world.study.dataset.slug}/results"
    assert len(rows_of(researcher, address)) == 6
    assert len(rows_of(researcher, f"{address}?method=beta-net")) == 2
    [row] = rows_of(researcher, f"{address}?method=beta-net&image={image.pk}")
    assert row["regions"] == [
        {"points": [0, 0, 9.5, 0, 9.5, 9, 0, 9], "text": "né", "confidence": 0.5},
        {"points": [0, 0, 5, 0, 5, 5]},
    ]
    assert (row["image_name"], row["method"], row["n_regions"]) == (image.name, "beta-net", 2)
    assert researcher.get(f"/api/v1/results/{result.pk}").json() == row
    assert is_problem(researcher.get(f"{address}?image=x"), 422)
    assert is_problem(researcher.get(f"{address}?method=%00"), 400)


def test_an_image_comes_with_its_ground_truth_and_its_photograph(world, researcher):
    data = researcher.get(f"/api/v1/images/{world.image.pk}").json()
    assert data["truth"] == [{"points": [0, 0, 99, 0, 99, 39, 0, 39]}]
    file = researcher.get(data["photograph"])
    content = file.getvalue()
    assert hashlib.sha256(content).hexdigest() == world.photograph
    assert file["Content-Type"] == "image/png"
    assert "default-src 'none'" in file["Content-Security-Policy"]
    again = researcher.get(data["photograph"], headers={"If-None-Match": file["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_page_that_did_not_change_is_not_sent_again(world, researcher):
    address = f"/api/v1/reports/{world.kept.pk}"
    first = researcher.get(address)
    tag = {"If-None-Match": first["ETag"]}
    assert researcher.get(address, headers=tag).status_code == 304
    world.kept.delete()
    assert researcher.get(address, headers=tag).status_code == 404


def test_scores_are_those_of_the_database(world, researcher):
    rows = rows_of(researcher, f"/api/v1/runs/{world.run.pk}/scores?limit=2")
    stored = Score.objects.filter(run=world.run)
    assert {row["result"]: (row["recall"], row["precision"]) for row in rows} == {
        score.result_id: (score.recall, score.precision) for score in stored
    }
    assert len(rows) == 6
    [row] = rows_of(
        researcher, f"/api/v1/runs/{world.run.pk}/scores?method=alpha-net&image={world.image.pk}"
    )
    assert (row["image"], row["method"]) == (world.image.pk, "alpha-net")


def test_undefined_is_null_not_zero(world, researcher):
    score = Score.objects.filter(run=world.run).first()
    score.recall = score.f_score = None
    score.indicators = {"kept": None}
    score.save()
    rows = rows_of(researcher, f"/api/v1/runs/{world.run.pk}/scores")
    row = next(row for row in rows if row["result"] == score.result_id)
    assert (row["recall"], row["f_score"], row["indicators"]) == (None, None, {"kept": None})


def test_an_admin_scores_a_protocol_with_parameters(world):
    admin = world.client("admin")
    address = f"/api/v1/datasets/{world.study.dataset.slug}/runs"
    sent = {"protocol": "iou", "parameters": {"min_iou": 0.9}}
    run = made_by(admin, admin.post(address, sent), "run")
    assert (run["name"], run["parameters"]["min_iou"]) == ("IOU (min_iou 0.9)", 0.9)
    assert len(rows_of(admin, f"/api/v1/runs/{run['id']}/scores")) == 6
    for wrong in (
        {"protocol": "iou", "parameters": {"min_iou": 2}},
        {"protocol": "iou", "parameters": {"colour": 1}},
        {"protocol": "none-such"},
    ):
        assert is_problem(admin.post(address, wrong), 422, "refused")
    job = admin.get(admin.post(address, {"protocol": "cleval-end-to-end"})["Location"]).json()
    assert job["state"] == "failed"
    assert "no transcriptions" in job["failure"]
    assert [row["id"] for row in rows_of(admin, f"{address}?protocol=iou")] == [
        run["id"],
        world.run.pk,
    ]


def test_regions_are_scored_without_a_study(researcher):
    box = {"points": [0, 0, 10, 0, 10, 10, 0, 10]}
    wide = {"points": [0, 0, 20, 0, 20, 10, 0, 10]}
    images = [
        {"name": "one", "truth": [box], "detections": [box]},
        {"name": "two", "truth": [box, wide], "detections": [box]},
        {"name": "none", "truth": [], "detections": []},
    ]
    data = researcher.post("/api/v1/protocols/iou/score", {"images": images}).json()
    # Two of three truths are found, and each detection is one.
    assert (data["recall"], data["precision"]) == (pytest.approx(2 / 3), 1.0)
    assert [image["recall"] for image in data["images"][:2]] == [1.0, 0.5]
    assert data["images"][1]["matches"][0] == {
        "truth": [0],
        "detections": [0],
        "kind": "one-to-one",
        "recall_credit": 1.0,
        "precision_credit": 1.0,
    }
    # Half of the second image's second truth is inside the box of its first: R = 2/3 becomes 3/3.
    assert data["images"][1]["losses"] == [
        {"side": "truth", "index": 1, "cause": "merged", "credit": 0.0, "partners": [0]}
    ]
    [merged] = [cost for cost in data["costs"] if cost["n_truth"]]
    assert (merged["cause"], merged["recall"]) == ("merged", pytest.approx(1 / 3))
    # With an IoU of 0.5 asked for, half a box is not enough ("above").
    sent = {"images": [{"truth": [wide], "detections": [box]}], "parameters": {"min_iou": 0.4}}
    assert researcher.post("/api/v1/protocols/iou/score", sent).json()["recall"] == 1.0


@pytest.mark.parametrize("slug", ["no-ground-truth", "cleval", "average-precision"])
def test_a_protocol_says_what_it_lacks(researcher, slug):
    region = {"points": [0, 0, 10, 0, 10, 10]}
    sent = {"images": [{"truth": [region], "detections": [region]}]}
    response = researcher.post(f"/api/v1/protocols/{slug}/score", sent)
    assert is_problem(response, 422, "refused")
    assert response.json()["detail"].endswith(".")


def test_what_is_scored_at_once_is_bounded(researcher):
    region = {"points": [0, 0, 10, 0, 10, 10]}
    too_many = [{"truth": [region] * 301, "detections": []}]
    in_all = [{"truth": [region] * 300, "detections": [region] * 300}] * 6
    for images in (too_many, in_all, [{"truth": [], "detections": []}] * 51, []):
        response = researcher.post("/api/v1/protocols/iou/score", {"images": images})
        assert is_problem(response, 422, "invalid")


def test_every_protocol_is_listed_with_its_parameters_and_ranges(researcher):
    data = {row["slug"]: row for row in researcher.get("/api/v1/protocols").json()}
    assert list(data) == list(registry.PROTOCOLS)
    [min_iou] = [
        parameter for parameter in data["iou"]["parameters"] if parameter["name"] == "min_iou"
    ]
    assert (min_iou["kind"], min_iou["default"], min_iou["low"], min_iou["high"]) == (
        "number",
        0.5,
        0,
        1,
    )


# Studies


def test_an_admin_sets_up_opens_and_closes_a_study(world):
    admin = world.client("admin")
    sent = {
        "name": "Another",
        "dataset": world.study.dataset.slug,
        "methods": ["alpha-net", "beta-net"],
        "images": [world.image.pk],
        "min_annotators": 2,
        "ground_truth": "never",
    }
    response = admin.post("/api/v1/studies", sent)
    assert response.status_code == 201
    study = Study.objects.get(name="Another")
    assert (study.state, study.min_annotators, study.ground_truth) == ("draft", 2, "never")
    assert list(study.images.all()) == [world.image]
    assert admin.get(response["Location"]).json()["methods"] == ["alpha-net", "beta-net"]
    for state in ("open", "closed", "open"):
        address = f"{response['Location']}/state"
        assert admin.put(address, {"state": state}).json()["state"] == state
    assert is_problem(admin.put(address, {"state": "draft"}), 422)
    person = make_person("ann")
    for _ in range(2):
        told = admin.post(
            f"{response['Location']}/members", {"username": "ann", "role": "annotator"}
        )
        assert (told.status_code, told.json()["username"]) == (201, "ann")
    assert person.memberships.count() == 1
    nobody = admin.post(f"{response['Location']}/members", {"username": "x", "role": "annotator"})
    assert is_problem(nobody, 422, "refused")


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"methods": ["alpha-net"]}, "#/methods"),
        ({"methods": ["alpha-net", "delta-net"]}, "#/methods"),
        ({"images": [0]}, "#/images/0"),
        ({"images": [10**12]}, "#/images"),
        ({"dataset": "nowhere"}, "#/dataset"),
        ({"min_annotators": 0}, "#/min_annotators"),
        ({"name": ""}, "#/name"),
        ({"name": "a\0b"}, "#/name"),
        ({"strategy": "guess"}, "#/strategy"),
    ],
)
def test_a_study_that_cannot_be_is_422(world, wrong, pointer):
    sent = {
        "name": "Another",
        "dataset": world.study.dataset.slug,
        "methods": ["alpha-net", "beta-net"],
    }
    response = world.client("admin").post("/api/v1/studies", sent | wrong)
    assert is_problem(response, 422, "invalid")
    assert pointer in [fault["pointer"] for fault in response.json()["errors"]]


def test_methods_join_and_leave_a_study(world):
    admin, study = world.client("admin"), world.study
    late = make_method(study.dataset, "late-net")
    for image in study.images.all():
        make_result(image, late)
    address = f"/api/v1/studies/{study.slug}/methods/late-net"
    assert admin.put(address).json() == {"n_waiting": 1}
    assert study.methods.contains(late)
    assert admin.delete(address).status_code == 204
    assert not study.methods.contains(late)
    assert is_problem(admin.put(f"/api/v1/studies/{study.slug}/methods/none"), 404)


def test_progress_and_rankings_are_told_to_those_who_follow(world, researcher):
    person = add_annotator(world.study)
    rank_everything(world.study, person, TRUTH)
    data = researcher.get(f"/api/v1/studies/{world.study.slug}/progress").json()
    assert (data["n_images"], data["n_rankings"], data["n_ready"]) == (2, 2, 0)
    assert data["blocks"]
    people = researcher.get(f"/api/v1/studies/{world.study.slug}/annotators").json()
    assert {row["username"]: row["n_complete"] for row in people}[person.username] == 2
    address = f"/api/v1/studies/{world.study.slug}/assignments"
    rows = rows_of(researcher, f"{address}?annotator={person.username}&state=complete")
    assert len(rows) == 2
    assert rows[0]["rankings"]["recall"] == [["alpha-net"], ["beta-net"], ["gamma-net"]]
    assert len(rows_of(researcher, f"{address}?image={world.image.pk}")) >= 1


def test_studies_are_sorted_and_filtered(world):
    other = make_study(state="closed")
    admin = world.client("admin")
    names = sorted([world.study.name, other.name])
    assert [row["name"] for row in rows_of(admin, "/api/v1/studies?limit=1")] == names
    assert [row["name"] for row in rows_of(admin, "/api/v1/studies?order=-name")] == names[::-1]
    by_time = rows_of(admin, "/api/v1/studies?order=created&limit=1")
    assert [row["name"] for row in by_time] == [world.study.name, other.name]
    closed = rows_of(admin, "/api/v1/studies?state=closed")
    assert [row["name"] for row in closed] == [other.name]
    assert is_problem(admin.get("/api/v1/studies?order=-size"), 422)


# Reports


def test_a_report_is_that_of_the_page(world, researcher, client):
    rank_by(3, world.study, TRUTH)
    address = f"/api/v1/studies/{world.study.slug}/report"
    data = researcher.get(f"{address}?decimals=2&consensus=kemeny").json()
    assert (data["settings"]["decimals"], data["settings"]["consensus"]) == (2, "kemeny")
    client.force_login(world.people["researcher"])
    page = f"/studies/{world.study.slug}/report.json?decimals=2&consensus=kemeny"
    of_page = json.loads(client.get(page).content)
    shown = {row["protocol"]: row for row in data["criteria"]["recall"]["rows"]}
    assert shown["IOU"]["score"] == of_page["criteria"]["recall"]["rows"][0]["score"]
    assert data["criteria"]["recall"]["n_images"] == 2
    for wrong in (
        "decimals=7",
        "beta=nan",
        "beta=0",
        "distance=miles",
        "protocol=none",
        "min_annotators=0",
    ):
        assert is_problem(researcher.get(f"{address}?{wrong}"), 422, "invalid")


FILES = {
    "csv": "text/csv",
    "json": "application/json",
    "tex": "application/x-tex",
    "md": "text/markdown",
}


def test_tables_come_as_files_whatever_is_accepted(world, researcher):
    rank_by(3, world.study, TRUTH)
    study = f"/api/v1/studies/{world.study.slug}"
    answer = researcher.post(f"{study}/reports", {"min_annotators": 1})
    kept = made_by(researcher, answer, "report")
    for extension, kind in FILES.items():
        for address in (
            f"{study}/report/report/{extension}",
            f"{study}/report/criteria/{extension}",
            f"/api/v1/reports/{kept['id']}/report/{extension}",
            f"/api/v1/reports/{kept['id']}/criteria/{extension}",
        ):
            response = researcher.get(address, headers={"Accept": "text/csv"})
            assert response.status_code == 200, address
            assert response["Content-Type"].startswith(kind), address
            assert response.content, address
    for address in (f"{study}/report/nothing/csv", f"{study}/report/report/xlsx"):
        assert is_problem(researcher.get(address), 404)


def test_a_kept_report_has_the_bytes_of_its_checksum(world, researcher):
    address = f"/api/v1/studies/{world.study.slug}/reports"
    answer = researcher.post(address, {"decimals": "2", "protocol": ["IOU"]})
    kept = made_by(researcher, answer, "report")
    content = researcher.get(f"/api/v1/reports/{kept['id']}/report/json").content
    assert hashlib.sha256(content).hexdigest() == kept["checksum"]
    data = researcher.get(f"/api/v1/reports/{kept['id']}").json()
    assert data["content"] == json.loads(content)
    assert data["content"]["settings"]["decimals"] == 2
    assert [row["id"] for row in rows_of(researcher, address)] == [kept["id"], world.kept.pk]


def test_raw_data_are_streamed_without_names(world, researcher):
    response = researcher.get(f"/api/v1/studies/{world.study.slug}/raw/events.csv")
    assert response.streaming
    rows = list(csv.DictReader(io.StringIO(response.getvalue().decode())))
    assert len(rows) == 1
    assert world.people["annotator"].username not in rows[0].values()


# How many queries


def n_queries(client, address):
    with CaptureQueriesContext(connection) as queries:
        response = client.get(address)
    assert response.status_code == 200
    return len(queries)


LISTS = [
    "datasets",
    "datasets/{dataset}/images",
    "datasets/{dataset}/methods",
    "datasets/{dataset}/results",
    "datasets/{dataset}/runs",
    "runs/{run}/scores",
    "studies",
    "studies/{study}/members",
    "studies/{study}/progress",
    "studies/{study}/annotators",
    "studies/{study}/images",
    "studies/{study}/assignments",
    "studies/{study}/reports",
]


def test_a_longer_list_takes_no_more_queries(world):
    admin = signed_in(world.people["admin"])
    names = {"dataset": world.study.dataset.slug, "study": world.study.slug, "run": world.run.pk}
    admin.get("/api/v1/me")  # notes when the token was used last
    few = {path: n_queries(admin, f"/api/v1/{path.format(**names)}") for path in LISTS}
    grow(world)
    assert few == {path: n_queries(admin, f"/api/v1/{path.format(**names)}") for path in LISTS}


def grow(world):
    """Three times as much of everything."""
    dataset = world.study.dataset
    for _ in range(4):
        make_dataset()
        image = make_image(dataset)
        method = make_method(dataset)
        make_result(image, method)
        make_study()
        add_researcher(world.study)
        rank_everything(world.study, add_annotator(world.study), TRUTH)
    for image in dataset.images.exclude(results__method__name="alpha-net"):
        make_result(image, dataset.methods.get(name="alpha-net"))
    score_protocol(dataset=dataset, slug="count")
    keep_report(
        study=world.study, settings=Settings(), runs=[world.run], person=world.people["admin"]
    )


def test_the_lists_of_an_annotator_take_no_more_queries_either(world):
    script = signed_in(world.people["annotator"])
    addresses = ["/api/v1/judging", f"/api/v1/judging/studies/{world.study.slug}/assignments"]
    script.get(addresses[0])
    few = [n_queries(script, address) for address in addresses]
    for _ in range(3):
        add_annotator(make_study(), world.people["annotator"])
    rank_everything(world.study, world.people["annotator"], TRUTH)
    assert [n_queries(script, address) for address in addresses] == few


def test_a_study_is_set_up_with_how_its_images_are_shared_out(world):
    admin = world.client("admin")
    study = {
        "name": "Shared out",
        "dataset": world.study.dataset.slug,
        "methods": ["alpha-net", "beta-net"],
        "min_annotators": 2,
    }
    refused = admin.post("/api/v1/studies", study | {"max_annotators": 1})
    assert is_problem(refused, 422, "invalid")
    assert "An image needs 2 annotators" in refused.content.decode()
    made = admin.post("/api/v1/studies", study | {"max_annotators": 3}).json()
    assert (made["min_annotators"], made["max_annotators"]) == (2, 3)
    assert (
        admin.post("/api/v1/studies", study | {"name": "To all"}).json()["max_annotators"] is None
    )
