"""Tokens: shown once, stored hashed, for what they were made for, and never more than their person."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotate.api.tokens import services
from annotate.api.tokens.errors import TokenRefused
from annotate.api.tokens.models import Token
from annotate.api.tokens.services import create_token, revoke_token
from annotate.audit.models import Act, AuditEntry
from tests.support.factories import make_admin, make_person
from tests.support.world import is_problem, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/accounts/tokens/"
SENT = {"name": "nightly", "scopes": ["read", "load"], "lasts": "90"}


@pytest.fixture
def person():
    return make_person("ann")


@pytest.fixture
def page(client, person):
    client.force_login(person)
    return client


def with_token(secret):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def test_a_new_token_is_shown_once_and_stored_only_as_a_hash(page, person):
    response = page.post(PAGE, SENT)
    secret = response.context["secret"]
    assert response.text.count(secret) == 1
    assert "no-store" in response["Cache-Control"]
    token = person.api_tokens.get()
    assert secret not in str(Token.objects.values().get())
    assert secret.startswith(token.beginning)
    assert len(token.beginning) < len(secret) / 3
    assert token.scopes == ["read", "load"]
    assert abs(token.expires - timezone.now() - timedelta(days=90)) < timedelta(minutes=1)
    again = page.get(PAGE)
    assert secret not in again.text
    assert token.beginning in again.text


def test_a_token_opens_the_api_in_its_persons_name(page):
    secret = page.post(PAGE, SENT).context["secret"]
    me = with_token(secret).get("/api/v1/me").json()
    assert me["username"] == "ann"
    assert me["token"]["scopes"] == ["read", "load"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "x" * 81},
        {"scopes": []},
        {"scopes": ["everything"]},
        {"lasts": "1000000"},
        {"lasts": ""},
    ],
)
def test_a_token_that_cannot_be_is_422_and_none_is_made(page, wrong):
    response = page.post(PAGE, SENT | wrong)
    assert response.status_code == 422
    assert not Token.objects.exists()


@pytest.mark.parametrize("scopes", [[], ["everything"], ["read", "everything"]])
def test_no_other_scope_is_given_whoever_asks(person, scopes):
    with pytest.raises(TokenRefused, match="Choose what the token is for"):
        services.create_token(person=person, name="nightly", scopes=scopes)


def test_two_tokens_of_a_person_have_two_names(page, person):
    page.post(PAGE, SENT)
    response = page.post(PAGE, SENT)
    assert response.status_code == 422
    assert "already" in response.text
    assert person.api_tokens.count() == 1
    services.create_token(person=make_person(), name="nightly", scopes=["read"])


def test_the_number_of_tokens_is_bounded(person):
    for number in range(services.MAX_TOKENS):
        services.create_token(person=person, name=str(number), scopes=["read"])
    with pytest.raises(TokenRefused):
        services.create_token(person=person, name="one more", scopes=["read"])


def test_a_revoked_token_is_dead_at_once(page, person):
    secret = page.post(PAGE, SENT).context["secret"]
    response = page.post(reverse("tokens:revoke", args=[person.api_tokens.get().pk]), follow=True)
    assert "revoked" in response.text
    assert "You have no tokens." in response.text
    assert is_problem(with_token(secret).get("/api/v1/me"), 401, "not-signed-in")


def test_nobody_revokes_or_sees_the_tokens_of_others(page):
    token, _ = services.create_token(person=make_admin(), name="theirs", scopes=["read"])
    assert page.post(reverse("tokens:revoke", args=[token.pk])).status_code == 404
    assert "theirs" not in page.get(PAGE).text
    assert Token.objects.filter(pk=token.pk).exists()


def test_an_expired_token_is_dead_and_says_so_on_the_page(page, person):
    _, secret = services.create_token(person=person, name="old", scopes=["read"], days=1)
    assert with_token(secret).get("/api/v1/me").status_code == 200
    Token.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert is_problem(with_token(secret).get("/api/v1/me"), 401)
    assert "expired" in page.get(PAGE).text


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer tdr_wrong",
        "Bearer a b",
        "Bearer \xff",
        "Token x",
        "Basic eDp5",
        "bearer",
        "Bearer " + "x" * 5000,
    ],
)
def test_what_is_no_token_is_401(db, header):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=header)
    response = client.get("/api/v1/me")
    assert is_problem(response, 401, "not-signed-in")
    assert response["WWW-Authenticate"] == "Bearer"


def test_last_use_is_noted_to_the_minute(person):
    script = signed_in(person)
    assert person.api_tokens.get().last_used is None
    script.get("/api/v1/me")
    used = person.api_tokens.get().last_used
    assert used is not None
    script.get("/api/v1/me")
    assert person.api_tokens.get().last_used == used
    before = timezone.now() - timedelta(minutes=2)
    Token.objects.update(last_used=before)
    script.get("/api/v1/me")
    assert person.api_tokens.get().last_used > before


def test_a_token_opens_no_page(person):
    assert signed_in(person).get(PAGE).status_code == 302


def test_making_and_revoking_stand_in_the_log_without_the_name():
    person = make_person()
    token, _ = create_token(person=person, name="Zenobia's own", scopes=["read"])
    assert revoke_token(person=person, pk=token.pk)
    assert not revoke_token(person=person, pk=token.pk)
    entries = AuditEntry.objects.order_by("pk")
    assert [entry.act for entry in entries] == [Act.TOKEN_MADE, Act.TOKEN_REVOKED]
    assert {entry.actor for entry in entries} == {person}
    assert {entry.what for entry in entries} == {token.beginning}
    assert entries[0].details == {"scopes": ["read"]}
