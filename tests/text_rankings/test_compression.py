"""Texts are sent compressed to browsers that take it: pages, the API, streamed files; pictures are not."""

import gzip

import pytest
from django.urls import reverse

from tests.support.made_once import made_once
from tests.support.world import make_world, signed_in

pytestmark = pytest.mark.django_db
world = made_once(make_world)
ASKED = {"headers": {"accept-encoding": "gzip, br"}}


def content_of(response):
    return b"".join(response.streaming_content) if response.streaming else response.content


def pages(world):
    study = world.study
    return {
        "report": reverse("reports:report", args=[study.slug]),
        "raw": reverse("exchange:raw_file", args=[study.slug, "events.csv"]),
        "schema": reverse("api:schema"),
    }


@pytest.mark.parametrize("name", ["report", "raw", "schema"])
def test_a_text_is_compressed_and_is_the_same_text(world, client, name):
    client.force_login(world.people["admin"], backend="annotate.permissions.Permissions")
    address = pages(world)[name]
    plain, packed = client.get(address), client.get(address, **ASKED)
    assert (plain.status_code, packed["Content-Encoding"]) == (200, "gzip")
    assert "Content-Encoding" not in plain
    assert "Accept-Encoding" in plain["Vary"]
    assert "Accept-Encoding" in packed["Vary"]
    sent, text = content_of(packed), content_of(plain)
    found = gzip.decompress(sent)
    # A page has a masked token and a nonce of its own each time, of the same length.
    assert len(found) == len(text)
    assert name == "report" or found == text
    assert len(sent) < 0.5 * len(text) or len(text) < 2000


def test_the_length_of_a_page_says_nothing_exactly(world, client):
    address = reverse("api:schema")
    assert len({len(client.get(address, **ASKED).content) for _ in range(12)}) > 1


def test_a_photograph_is_sent_as_it_is(world, client):
    client.force_login(world.people["admin"], backend="annotate.permissions.Permissions")
    response = client.get(reverse("datasets:image", args=[world.photograph]), **ASKED)
    assert response.status_code == 200
    assert "Content-Encoding" not in response
    assert content_of(response)[:2] in (b"\xff\xd8", b"\x89P", b"RI")


def test_the_api_is_compressed(world):
    client = signed_in(world.people["admin"])
    response = client.get("/api/v1/protocols", headers={"accept-encoding": "gzip"})
    assert response["Content-Encoding"] == "gzip"
    assert b'"iou"' in gzip.decompress(response.content)
