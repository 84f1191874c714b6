"""Every error is a problem document that says what happened; limits, and requests sent twice."""

import json

import pytest
from django.core.cache import cache
from django.db import OperationalError
from rest_framework.test import APIClient

from annotate.api import idempotency
from annotate.api.models import GivenAnswer
from annotate.reports.models import KeptReport
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from tests.support.cases import cases
from tests.support.factories import make_person
from tests.support.world import is_problem, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(world):
    return world.client("admin")


@pytest.fixture
def new_study(world):
    methods = ["alpha-net", "beta-net"]
    return {"name": "Another", "dataset": world.study.dataset.slug, "methods": methods}


def raw(client, path, body, content_type="application/json", **headers):
    return client.generic("POST", f"/api/v1/{path}", body, content_type=content_type, **headers)


NOT_JSON = (
    *("{", "[1,", "nothing", '{"name": NaN}', b"\xff\xfe", "[" * 100_000, "1" * 5000),
    *(r'{"name": "\ud800"}', r'{"names": ["whole", "\ud800"]}'),
)
OF_ANOTHER_SHAPE = ("[]", "1", '"x"', "null", "[[]]", '{"name": {"a": 1}}')
OTHER_TYPES = ("text/plain", "application/xml", "multipart/form-data", "x")


@cases(
    ("body", "kind", "status", "problem"),
    [
        *((body, "application/json", 400, "malformed") for body in NOT_JSON),
        *((body, "application/json", 422, "invalid") for body in OF_ANOTHER_SHAPE),
        *(("{}", kind, 415, "unsupported-media-type") for kind in OTHER_TYPES),
    ],
)
def test_a_body_that_cannot_be_is_refused(admin, body, kind, status, problem):
    assert is_problem(raw(admin, "studies", body, kind), status, problem)


def test_a_whole_character_in_two_halves_is_read(admin, new_study):
    body = json.dumps(new_study | {"name": "Text 𝔸"})
    assert r"\ud835\udd38" in body
    assert raw(admin, "studies", body).json()["name"] == "Text 𝔸"


def test_a_body_that_is_too_large_is_413(admin, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    assert is_problem(raw(admin, "studies", json.dumps({"name": "x" * 1000})), 413, "too-large")


def test_who_wants_another_type_gets_406(admin):
    response = admin.get("/api/v1/studies", headers={"accept": "text/html"})
    assert is_problem(response, 406, "not-acceptable")


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
def test_a_method_that_is_not_known_is_405_and_says_which_are(admin, method):
    response = getattr(admin, method)("/api/v1/studies")
    assert is_problem(response, 405, "method-not-allowed")
    assert response["Allow"] == "GET, HEAD, POST"


def test_faults_deep_inside_are_pointed_at(admin):
    region = {"points": [0, 0, 9, 0, 9]}
    images = [
        {"truth": [], "detections": None},
        {"truth": [region | {"points": [0, 0, 9, 0, 9, 9]}, region], "detections": []},
    ]
    response = admin.post("/api/v1/protocols/iou/score", {"images": images})
    assert is_problem(response, 422, "invalid")
    [fault] = response.json()["errors"]
    assert fault["pointer"] == "#/images/1/truth/1/points"


def test_fields_that_an_address_does_not_know_are_refused(admin, new_study):
    """A misspelt option would be left out in silence."""
    response = admin.post("/api/v1/studies", new_study | {"recal_question": "Which?"})
    assert is_problem(response, 422, "invalid")
    assert [fault["pointer"] for fault in response.json()["errors"]] == ["#/recal_question"]
    assert not Study.objects.filter(name="Another").exists()
    box = {"points": [0, 0, 9, 0, 9, 9]}
    images = [{"truth": [box, box | {"ignore": True}], "detections": []}]
    response = admin.post("/api/v1/protocols/iou/score", {"images": images})
    assert [fault["pointer"] for fault in response.json()["errors"]] == [
        "#/images/0/truth/1/ignore"
    ]


def test_a_failure_says_nothing_of_the_inside(admin, monkeypatch, caplog):
    def fail(*args, **kwargs):
        raise OperationalError("disk of the server is full")

    monkeypatch.setattr("annotate.progress.selectors.figures", fail)
    slug = Study.objects.first().slug
    response = admin.get(f"/api/v1/studies/{slug}/progress")
    assert is_problem(response, 500, "failed")
    assert "disk" not in response.text
    assert "disk of the server is full" in caplog.text


def test_a_page_that_fails_stays_a_page(admin, client, world, monkeypatch):
    def fail(*args, **kwargs):
        raise OperationalError("full")

    monkeypatch.setattr("annotate.progress.selectors.figures", fail)
    client.raise_request_exception = False
    client.force_login(world.people["admin"])
    response = client.get(f"/studies/{world.study.slug}/")
    assert response.status_code == 500
    assert "html" in response["Content-Type"]


def test_a_wrong_host_is_a_problem_too(client):
    assert is_problem(client.get("/api/v1/me", headers={"host": "elsewhere.example"}), 400)


# In a browser


def test_a_browser_reads_with_its_session_and_writes_with_the_csrf_token(world, new_study):
    browser = APIClient(enforce_csrf_checks=True)
    browser.force_login(world.people["admin"])
    assert browser.get("/api/v1/me").json()["token"] is None
    assert is_problem(browser.post("/api/v1/studies", new_study), 403, "forbidden")
    assert not Study.objects.filter(name="Another").exists()
    # Any page with a form sets the cookie.
    browser.get("/preferences/")
    token = browser.cookies["csrftoken"].value
    headers = {"X-CSRFToken": token}
    assert browser.post("/api/v1/studies", new_study, headers=headers).status_code == 201


# Limits


@pytest.fixture
def few(settings):
    cache.clear()
    settings.API_RATES = {"person": "3/min", "heavy": "2/min", "anonymous": "2/min"}
    yield
    cache.clear()


def test_each_token_has_a_limit_of_its_own(world, few):
    admin = world.client("admin")
    assert [admin.get("/api/v1/me").status_code for _ in range(4)] == [200, 200, 200, 429]
    response = admin.get("/api/v1/me")
    assert is_problem(response, 429, "too-many-requests")
    assert 1 <= int(response["Retry-After"]) <= 61
    assert signed_in(world.people["admin"]).get("/api/v1/me").status_code == 200


def test_whoever_guesses_tokens_is_slowed_down(few):
    guesser = APIClient()
    guesser.credentials(HTTP_AUTHORIZATION="Bearer tdr_guess")
    assert [guesser.get("/api/v1/me").status_code for _ in range(3)] == [401, 401, 429]
    # A client's claim about its own address does not count.
    response = guesser.get("/api/v1/me", headers={"X-Forwarded-For": "10.1.2.3"})
    assert response.status_code == 429


def test_addresses_of_one_network_of_ipv6_share_the_limit_of_an_address(few):
    asked = [
        APIClient(REMOTE_ADDR=address).get("/api/v1/me").status_code
        for address in ("2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1")
    ]
    assert asked == [401, 401, 429, 401]


def test_what_takes_seconds_has_a_lower_limit_for_all_tokens_together(world, few):
    address = f"/api/v1/studies/{world.study.slug}/report"
    clients = [signed_in(world.people["researcher"]) for _ in range(3)]
    assert [client.get(address).status_code for client in clients] == [200, 200, 429]


# Requests sent twice


def keyed(client, path, sent, key="k1"):
    return client.post(f"/api/v1/{path}", sent, headers={"Idempotency-Key": key})


def test_a_request_sent_twice_under_a_key_is_done_once(admin, new_study):
    first, second = (keyed(admin, "studies", new_study) for _ in range(2))
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert first["Location"] == second["Location"]
    assert "Idempotency-Replayed" not in first
    assert second["Idempotency-Replayed"] == "true"
    assert Study.objects.filter(name="Another").count() == 1


def test_the_order_of_the_members_does_not_make_another_request(admin, new_study):
    keyed(admin, "studies", new_study)
    turned = dict(reversed(new_study.items()))
    assert keyed(admin, "studies", turned)["Idempotency-Replayed"] == "true"


def test_without_a_key_each_request_counts(world, admin):
    path = f"datasets/{world.study.dataset.slug}/runs"
    for _ in range(2):
        assert admin.post(f"/api/v1/{path}", {"protocol": "count"}).status_code == 202
    assert ProtocolRun.objects.filter(protocol="count").count() == 2


def test_a_key_with_another_request_is_refused(world, admin, new_study):
    keyed(admin, "studies", new_study)
    response = keyed(admin, "studies", new_study | {"name": "A third"})
    assert is_problem(response, 422, "idempotency-key-reused")
    path = f"studies/{world.study.slug}/reports"
    assert is_problem(keyed(admin, path, {}), 422, "idempotency-key-reused")
    assert not Study.objects.filter(name="A third").exists()


def test_what_was_refused_may_be_tried_again_under_its_key(admin, new_study):
    assert keyed(admin, "studies", new_study | {"methods": []}).status_code == 422
    assert not GivenAnswer.objects.exists()
    assert keyed(admin, "studies", new_study).status_code == 201


def test_keys_of_two_people_have_nothing_to_do_with_each_other(world, admin):
    path = f"studies/{world.study.slug}/reports"
    first = keyed(admin, path, {}).json()
    second = keyed(world.client("researcher"), path, {}).json()
    assert first["id"] != second["id"]
    assert KeptReport.objects.count() == 3


def test_a_key_is_forgotten_after_a_day(world, admin):
    path = f"studies/{world.study.slug}/reports"
    first = keyed(admin, path, {}).json()
    GivenAnswer.objects.update(
        created=GivenAnswer.objects.get().created - idempotency.KEPT_FOR * 1.01
    )
    second = keyed(admin, path, {}).json()
    assert first["id"] != second["id"]
    assert GivenAnswer.objects.count() == 1


@pytest.mark.parametrize("key", ["", "two words", "é", "x" * 256])
def test_a_key_that_is_none_is_refused(admin, new_study, key):
    assert is_problem(keyed(admin, "studies", new_study, key), 422, "invalid")
    assert not Study.objects.filter(name="Another").exists()


def test_what_fails_on_the_way_leaves_no_key_behind(admin, new_study, monkeypatch):
    def fail(*args, **kwargs):
        raise OperationalError("full")

    with monkeypatch.context() as broken:
        broken.setattr("annotate.studies.api.reverse", fail)
        assert keyed(admin, "studies", new_study).status_code == 500
    # The study was made before the failure, in the same transaction.
    assert not Study.objects.filter(name="Another").exists()
    assert keyed(admin, "studies", new_study).status_code == 201


def test_a_stranger_learns_nothing_from_a_key(world, admin, new_study):
    keyed(admin, "studies", new_study)
    assert is_problem(keyed(signed_in(make_person()), "studies", new_study), 404)


def test_a_study_has_the_researchers_words_and_refuses_those_that_are_too_long(admin, new_study):
    long = raw(admin, "studies", json.dumps(new_study | {"welcome": "x" * 4001}))
    assert is_problem(long, 422, "invalid")
    assert "4000" in long.content.decode()
    made = raw(admin, "studies", json.dumps(new_study | {"consent": "I do."})).json()
    assert (made["welcome"], made["consent"], made["contact"]) == ("", "I do.", "")
