"""Metrics count events, for clients that may ask, and name no one; so do the logs."""

import json
import logging

import pytest
from django.urls import reverse
from prometheus_client.parser import text_string_to_metric_families

from annotate.operations.health import metrics
from tests.support.factories import add_annotator, make_person, make_study
from tests.support.truths import rank_everything, same_truth
from text_rankings.site.logs import AsJson, WithRequest
from text_rankings.site.proxies import read

pytestmark = pytest.mark.django_db


def asked(client, **headers):
    response = client.get("/metrics", headers=headers)
    assert response.status_code == 200
    families = text_string_to_metric_families(response.text)
    return {
        (one.name, *one.labels.values()): one.value for each in families for one in each.samples
    }


def test_requests_are_counted_by_page_and_status(client):
    before = asked(client)
    client.get(reverse("account_login"))
    client.get("/nowhere/somebody@example.org/")
    client.get("/nowhere/")
    after = asked(client)

    def more(*labels):
        key = ("rankings_requests_total", *labels)
        return after[key] - before.get(key, 0)

    assert more("GET", "account_login", "200") == 1
    assert more("GET", "none", "404") == 2
    assert "example.org" not in client.get("/metrics").text


def test_answers_of_the_log_are_counted(client):
    study = make_study(["a", "b"])
    n_screens = rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    found = asked(client)
    assert found["rankings_answers_total", "judgement"] == n_screens
    assert found["rankings_answers_total", "skip"] == 0
    assert found[("rankings_database_up",)] == 1


def test_strangers_get_nothing(client, settings):
    assert client.get("/metrics", REMOTE_ADDR="203.0.113.7").status_code == 404
    for name in ("X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"):
        assert client.get("/metrics", headers={name: "127.0.0.1"}).status_code == 404
    settings.METRICS_TOKEN = "right"
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 404
    given = {"Authorization": "Bearer right"}
    assert client.get("/metrics", headers=given, REMOTE_ADDR="203.0.113.7").status_code == 200


def test_without_a_token_a_trusted_proxy_on_this_machine_hides_the_numbers(client, settings):
    """The proxy may send no header, and every client would have the loopback's address."""
    settings.TRUSTED_PROXIES = read(["127.0.0.1"])
    assert client.get("/metrics").status_code == 404
    given = {"X-Forwarded-For": "127.0.0.1"}
    assert client.get("/metrics", headers=given).status_code == 404


def test_without_its_database_it_still_answers(client, monkeypatch):
    def away():
        raise metrics.DatabaseError("no connection")
        yield

    monkeypatch.setattr(metrics, "_counted", away)
    assert asked(client)[("rankings_database_up",)] == 0


def test_a_log_record_is_json_with_the_number_of_the_answer_and_no_name(client, caplog):
    person = make_person("somebody-named")
    client.force_login(person)
    caplog.set_level(logging.INFO, "rankings.requests")
    logger = logging.getLogger("rankings.requests")
    logger.addHandler(caplog.handler)
    caplog.handler.addFilter(WithRequest())
    try:
        response = client.get(reverse("accounts:account"), REMOTE_ADDR="203.0.113.7")
    finally:
        logger.removeHandler(caplog.handler)
    [record] = [one for one in caplog.records if one.name == logger.name][:1]
    line = AsJson().format(record)
    said = json.loads(line)
    assert said["request"] == response["X-Request-Id"]
    assert (said["page"], said["method"], said["status"]) == ("accounts:account", "GET", 200)
    assert "somebody" not in line
    assert "203.0.113" not in line


def test_the_number_of_a_proxy_is_taken_from_our_proxy_alone(client, settings):
    given = {"X-Request-Id": "abcdef-0123456789"}
    address = reverse("account_login")
    settings.TRUSTED_PROXIES = read(["192.0.2.1"])
    assert client.get(address, headers=given)["X-Request-Id"] != given["X-Request-Id"]
    settings.TRUSTED_PROXIES = read(["127.0.0.1"])
    assert client.get(address, headers=given)["X-Request-Id"] == given["X-Request-Id"]
    bad = {"X-Request-Id": "forged\\nline"}
    assert client.get(address, headers=bad)["X-Request-Id"] != bad["X-Request-Id"]
