"""Every request that gives a name: characters that are not shown are refused."""

import pytest
from drf_spectacular.generators import SchemaGenerator

from tests.support.judges import JUDGE
from tests.support.names import HIDDEN

pytestmark = pytest.mark.django_db
NAMES = {"name", "title", "authors"}


def given_names():
    """Return method, address and field of the names in requests, as the description says."""
    description = SchemaGenerator().get_schema(public=True)
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                kind = content["schema"].get("$ref", "").rpartition("/")[2]
                fields = description["components"]["schemas"].get(kind, {}).get("properties", {})
                yield from ((method, path, field) for field in NAMES & fields.keys())


@pytest.mark.parametrize("name", HIDDEN)
def test_a_name_with_characters_that_are_not_shown_is_refused(world, name):
    keys = {"loads": world.draft.pk, "reports": world.kept.pk}
    more = {
        "/api/v1/studies": {
            "dataset": world.study.dataset.slug,
            "methods": ["alpha-net", "beta-net"],
        },
        "/api/v1/studies/{slug}/judges": JUDGE
        | {"sampling": {"temperature": 0, "max_tokens": 100}},
        "/api/v1/datasets/{slug}/selections": {"images": [world.image.name]},
        "/api/v1/reports/{id}/public": {"title": "Street"},
    }
    found = sorted(set(given_names()))
    assert len(found) == 8
    for method, path, field in found:
        key = keys.get(path.split("/")[3])
        file = world.draft.files.first().pk
        address = path.replace("{id}", str(key)).replace("{file}", str(file))
        of = world.study.dataset if "/datasets/" in path else world.study
        address = address.replace("{slug}", of.slug)
        sent = {**more.get(path, {}), field: name}
        response = getattr(world.client("admin"), method)(address, sent, "json")
        assert response.status_code in (400, 422), (method, path, response.text)
        assert "not shown" in response.text, (method, path, response.text)
