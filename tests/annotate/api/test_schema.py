"""The description of the API: complete, without warnings, the same for all users and without one."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from drf_spectacular.generators import SchemaGenerator

from tests.support.world import PROBLEM, is_problem

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def schema():
    return SchemaGenerator().get_schema(public=True)


def operations(schema):
    for path, of_path in schema["paths"].items():
        for method, operation in of_path.items():
            yield f"{method.upper()} {path}", operation


def test_it_is_valid_and_gathered_without_a_warning():
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=StringIO())


def test_it_is_there_for_everybody_as_yaml_and_json(client):
    as_yaml = client.get("/api/v1/schema")
    assert as_yaml["Content-Type"].startswith("application/vnd.oai.openapi")
    assert as_yaml.text.startswith("openapi: 3.")
    headers = {"Accept": "application/vnd.oai.openapi+json"}
    as_json = json.loads(client.get("/api/v1/schema", headers=headers).content)
    assert as_json["info"]["version"] == "1.0.0"
    assert is_problem(client.get("/api/v1/schema", headers={"Accept": "text/html"}), 406)
    assert is_problem(client.post("/api/v1/schema"), 405)
    assert client.get("/api/v1/docs").status_code == 200


def test_the_documentation_has_no_script_of_its_own(client):
    page = client.get("/api/v1/docs").text
    assert "<style" not in page
    assert " style=" not in page
    assert page.count("<script") == page.count("<script src=") + page.count("<script type=")


def test_every_operation_says_what_it_does_and_which_errors_it_has(schema):
    for name, operation in operations(schema):
        assert len(operation.get("description", "")) > 10, name
        documented = operation["responses"]
        assert {"400", "401", "403", "404", "406", "429"} <= set(documented), name
        if "requestBody" in operation:
            assert {"413", "415", "422"} <= set(documented), name
        for status, response in documented.items():
            if int(status) >= 400:
                assert list(response["content"]) == [PROBLEM], (name, status)


def test_what_creates_can_be_sent_again(schema):
    keyed = {
        name
        for name, operation in operations(schema)
        if any(
            parameter["name"] == "Idempotency-Key" for parameter in operation.get("parameters", [])
        )
    }
    creates = {name for name, operation in operations(schema) if "201" in operation["responses"]}
    assert creates <= keyed
    assert keyed - creates == {
        "POST /api/v1/datasets/{slug}/plan",
        "POST /api/v1/datasets/{slug}/runs",
        "POST /api/v1/loads/{id}/confirm",
        "POST /api/v1/runs/{id}/causes",
        "POST /api/v1/studies/{slug}/changes",
        "POST /api/v1/studies/{slug}/reports",
        "POST /api/v1/studies/{slug}/paper",
        "POST /api/v1/reports/{id}/paper",
    }
    assert len(creates) >= 4


def test_every_operation_asks_for_a_token_or_a_session(schema):
    schemes = schema["components"]["securitySchemes"]
    assert schemes["tokenAuth"] == {"type": "http", "scheme": "bearer"}
    for name, operation in operations(schema):
        assert operation["security"] == [{"tokenAuth": []}, {"cookieAuth": []}], name
