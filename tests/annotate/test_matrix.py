"""Foreign keys in paths, queries and bodies, by every method, role and scope: nothing is read or changed.

Two whole worlds are on one site. People of the first ask every address with the keys of the second
in its path, and then their own addresses with foreign keys in the query and the body. No answer may
be a failure of the server or hold a word of the second world, and no row of it may change or be named.
"""

import json
import re
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client

from annotate.api.scopes import SCOPES
from annotate.studies.services import remove_member
from tests.support.addresses import operations
from tests.support.factories import add_researcher, make_admin
from tests.support.made_once import made_once, taken_back
from tests.support.matrix import (
    addresses,
    changed,
    completed,
    guest_of,
    keys_of,
    rows,
    that_refer_to,
    without,
)
from tests.support.world import make_world, signed_in, values_in

pytestmark = [pytest.mark.django_db, pytest.mark.release]
# Of the roles that read and write most, and of the others.
ALL = ("get", "head", "post", "put", "patch", "delete", "options")
ROLES = {
    "annotator": ALL,
    "researcher": ALL,
    "nobody": ("get", "post"),
    "stranger": ("get", "post"),
    "former researcher": ("get", "post"),
    "former admin": ("get", "post"),
}


class Two:
    """Two worlds, the second with words of its own."""

    def __init__(self):
        self.mine = completed(make_world())
        former = add_researcher(self.mine.study)
        remove_member(membership=self.mine.study.memberships.get(person=former))
        once_admin = make_admin()
        once_admin.is_staff = once_admin.is_superuser = False
        once_admin.save()
        self.people = self.mine.people | {"former researcher": former, "former admin": once_admin}
        mine = rows()
        self.other = completed(make_world())
        study, image = self.other.study, self.other.image
        study.name = "Veiled study"
        study.dataset.name = "Veiled data"
        image.truth["regions"][0]["text"] = "veiledword"
        for one in (study, study.dataset, image):
            one.save()
        self.words = {b"Veiled study", b"Veiled data", b"veiledword", guest_of(self.other).encode()}
        self.words |= {
            person.username.encode() for person in self.other.people.values() if person is not None
        }
        self.foreign = without(rows(), mine)
        self.tokens = {role: signed_in(person) for role, person in self.people.items() if person}

    def clients(self, role):
        """Return a browser and an API client of a role."""
        browser = Client()
        if self.people[role] is not None:
            browser.force_login(self.people[role])
        return browser, self.tokens.get(role, Client())


made_two = made_once(Two)


@pytest.fixture
def two(made_two, settings):
    settings.API_RATES = dict.fromkeys(settings.API_RATES, "1000000/s")
    return made_two


def faults_of(response, words, sent):
    """Return the faults of an answer: a failure of the server, or a word that was not sent."""
    body = response.getvalue() if response.streaming else response.content
    if response.status_code >= 500:
        yield f"status {response.status_code}"
    for word in words:
        if word in body and word.decode() not in sent:
            yield f"it holds {word.decode()!r}"


def test_the_second_world_is_found_where_it_is_shown(two):
    """Otherwise the other tests would prove nothing."""
    admin = Client()
    admin.force_login(two.other.people["admin"])
    pages = (f"/studies/{two.other.study.slug}/", "/data/", "/people/", "/people/log/")
    shown = b"".join(admin.get(url).content for url in pages)
    assert {word for word in two.words if word in shown} >= {b"Veiled study", b"Veiled data"}
    assert len(two.foreign["annotate.Image"]) > 2
    assert that_refer_to(rows(), two.foreign) != []
    with taken_back():
        before = rows()
        two.other.study.name = "changed"
        two.other.study.save()
        assert changed(before, rows()) == [f"annotate.Study {two.other.study.pk}"]


@pytest.mark.parametrize("role", ROLES)
def test_foreign_keys_in_a_path(two, role):
    own = set(addresses(two.mine))
    foreign = sorted(set(addresses(two.other)) - own)
    assert len(foreign) > 150
    browser, script = two.clients(role)
    faults, before = [], rows()
    with taken_back():
        for url in foreign:
            client = script if url.startswith("/api/") else browser
            for method in ROLES[role]:
                response = getattr(client, method)(url)
                faults += [(method, url, fault) for fault in faults_of(response, two.words, url)]
                if response.status_code < 300 and method != "options":
                    faults.append((method, url, f"status {response.status_code}"))
        after = rows()
    assert [fault for fault in faults if not is_everybodys(fault[1])] == []
    assert changed(before, after) == []
    assert [label for label, of_table in without(after, before).items() if of_table] == []


def is_everybodys(url):
    """Return whether an address is public: the guide to the protocols, and the first page of an entrance."""
    return re.match(r"/api/v1/protocols/|/join/[^/]+/$", url) is not None


@pytest.mark.parametrize("role", ["annotator", "researcher"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_foreign_keys_in_a_query_and_a_body(two, role, method, monkeypatch):
    # All keys go to all addresses: the API would refuse those that an address does not know.
    monkeypatch.setattr("annotate.api.views.unknown_fields", lambda *_: {})
    keys = keys_of(two.other)
    query = urlencode(keys, doseq=True)
    browser, script = two.clients(role)
    faults = []
    for url in sorted(set(addresses(two.mine))):
        writes = []
        client, how = (script, {"format": "json"}) if url.startswith("/api/") else (browser, {})
        with taken_back(), connection.execute_wrapper(noting(writes)):
            response = getattr(client, method)(f"{url}?{query}", keys, **how)
            faults += [
                (url, fault)
                for fault in faults_of(response, two.words, f"{url} {json.dumps(keys)}")
            ]
            if writes:
                faults += [(url, fault) for fault in faults_in_rows(two)]
    assert faults == []


def noting(writes):
    def execute(run, sql, *details):
        if sql.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE")):
            writes.append(sql)
        return run(sql, *details)

    return execute


def faults_in_rows(two):
    now = rows()
    yield from changed(two.foreign, now)
    yield from that_refer_to(without(now, two.foreign), two.foreign)


# The scope that an operation that writes needs, by its address or the beginning of it.
WRITES = {
    "datasets": "load",
    "datasets/{slug}/plan": "manage",
    "datasets/{slug}/selections": "manage",
    "selections": "manage",
    "images": "load",
    "loads": "load",
    "receipts": "load",
    "jobs": "read",
    "protocols": "read",
    "runs": "read",
    "studies": "manage",
    "reports": "manage",
    "judges": "program",
    "studies/{slug}/judges": "program",
}
READS = {
    "judges": "program",
    "studies/{slug}/judges": "program",
    "studies/{slug}/release": "program",
}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_token_with_one_scope_does_what_its_scope_says_and_no_more(two, scope):
    person = two.mine.people["admin"]
    client = signed_in(person, scopes=(scope,))
    differing, before = [], rows()
    for operation in operations():
        method, _, path = operation.partition(" ")
        root = path.split("/")[0]
        known, usual = (READS, "read") if method == "GET" else (WRITES, "")
        needed = known.get(path) or known.get(root) or usual
        url = "/api/v1/" + path.format_map(values_in(path, two.mine))
        with taken_back():
            response = getattr(client, method.lower())(url, {}, format="json")
            list(response) if response.streaming else response.content
            is_refused = response.status_code == 403 and response.json()["type"].endswith(
                "missing-scope"
            )
            after = rows() if is_refused else before
        # Every token may ask whose it is.
        is_right = is_refused == (scope != needed and root != "me")
        if not is_right or changed(before, after):
            differing.append((operation, response.status_code, needed))
    assert differing == []
