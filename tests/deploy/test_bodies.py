"""Bodies of requests: small for most addresses, refused unread; large where files are loaded."""

import io
import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import get_resolver, reverse, set_script_prefix

from annotate.api.scopes import SCOPES
from annotate.api.tokens.services import create_token
from tests.support.factories import add_newcomer, add_researcher, make_admin, make_study

pytestmark = pytest.mark.django_db
TEMPLATE = Path(__file__).resolve().parents[2] / "deploy/nginx.conf.template"
MIB = 1024**2
GIB = 1024**3


class Unread(io.BytesIO):
    """A body of which nothing may be read."""

    def read(self, *_):
        raise AssertionError("the body was read")

    readline = read


def sent(client, url, length, **more):
    """Send a request that announces a body and fails if any of it is read."""
    more |= {"CONTENT_LENGTH": str(length), "wsgi.input": Unread()}
    return client.generic("POST", url, CONTENT_TYPE="multipart/form-data; boundary=x", **more)


def test_a_stranger_sends_no_gibibyte_to_the_page_of_signing_in():
    response = sent(Client(enforce_csrf_checks=True), reverse("account_login"), GIB)
    assert response.status_code == 413
    assert "too large for this page" in response.content.decode()


@pytest.mark.parametrize(
    "path",
    ["/", "/protocols/play/iou/", "/data/load/", "/join/none/", "/accounts/password/reset/"],
)
def test_no_address_reads_a_large_body_of_a_stranger(path):
    assert sent(Client(enforce_csrf_checks=True), path, 4 * MIB).status_code in (404, 405, 413)


def test_a_body_may_be_as_large_as_any_form_and_no_larger(settings):
    with pytest.raises(AssertionError, match="the body was read"):
        sent(Client(), reverse("account_login"), settings.BODY_MAX_BYTES)
    assert sent(Client(), reverse("account_login"), settings.BODY_MAX_BYTES + 1).status_code == 413


def test_a_participant_of_a_study_loads_nothing(client):
    study = make_study(2, 1)
    client.force_login(add_newcomer(study))
    assert sent(client, reverse("imports:start"), 4 * MIB).status_code == 413
    client.force_login(add_researcher(study))
    assert sent(client, reverse("imports:start"), 4 * MIB).status_code == 413


def test_an_admin_sends_large_files_where_data_is_loaded_alone(client):
    client.force_login(make_admin())
    with pytest.raises(AssertionError, match="the body was read"):
        sent(client, reverse("imports:start"), 4 * MIB)
    assert sent(client, reverse("imports:start"), 3 * GIB).status_code == 413
    assert sent(client, reverse("account_login"), 4 * MIB).status_code == 413


def test_the_api_asks_whose_token_it_is_before_it_reads(client):
    study = make_study(2, 1)
    url = reverse("api:load_files", args=[1])
    for person, status in ((make_admin(), 400), (add_researcher(study), 413)):
        _, secret = create_token(person=person, name="x", scopes=SCOPES)
        headers = {"HTTP_AUTHORIZATION": f"Bearer {secret}"}
        response = sent(client, reverse("api:loads"), 4 * MIB, **headers)
        assert (response.status_code, response.json()["status"]) == (413, 413)
        if status == 413:
            assert sent(client, url, 4 * MIB, **headers).status_code == 413
        else:
            # The load does not exist: the site answers so without reading the body.
            assert sent(client, url, 4 * MIB, **headers).status_code in (400, 404)
    assert sent(client, url, 4 * MIB, HTTP_AUTHORIZATION="Bearer tdr_no").status_code == 413
    assert sent(client, url, 4 * MIB).status_code == 413


def asked(client, path, length=GIB, method="POST"):
    headers = {"X-Original-URI": path, "X-Original-Method": method}
    length = "" if length is None else str(length)
    return client.get("/may-send", headers={**headers, "X-Original-Length": length}).status_code


def test_the_proxy_is_told_before_it_stores_a_body(client):
    load = reverse("imports:start")
    assert asked(client, load) == 403
    assert asked(client, load, None) == 403
    assert asked(client, load, 3 * MIB) == 204
    assert asked(client, load, method="GET") == 204
    assert asked(client, "/nothing-here") == 403
    client.force_login(make_admin())
    assert asked(client, f"{load}?dataset=x") == 204
    assert asked(client, load, None) == 204
    assert asked(client, load, 3 * GIB) == 403
    assert asked(client, reverse("home")) == 403


def test_the_proxy_asks_below_a_path(client, settings):
    settings.FORCE_SCRIPT_NAME = "/rankings"
    client.force_login(make_admin())
    try:
        assert asked(client, "/rankings/data/load/") == 204
        assert asked(client, "/rankings/") == 403
    finally:
        set_script_prefix("/")


def _marked(entries, route=""):
    """Yield an example of each address that takes files, and False or True for a mark."""
    for entry in entries:
        whole = route + re.sub(r"<key:\w+>|<int:\w+>", "7", str(entry.pattern)).strip("^$")
        whole = re.sub(r"<(slug:)?\w+>", "name", whole)
        if hasattr(entry, "url_patterns"):
            yield from _marked(entry.url_patterns, whole)
        else:
            view = getattr(entry.callback, "cls", entry.callback)
            yield f"/{whole}", hasattr(view, "may_take_files")


@pytest.mark.parametrize("below", ["", "/rankings"])
def test_the_proxy_and_the_site_name_the_same_addresses(below):
    known = re.search(r"location ~ (\^\S+)", TEMPLATE.read_text())[1]
    known = known.replace("${SCRIPT_NAME}", below)
    found = dict(_marked(get_resolver().url_patterns))
    assert {path for path in found if re.search(known, below + path)} == {
        path for path, takes in found.items() if takes
    }
    assert sum(found.values()) == 7
