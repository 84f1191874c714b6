"""Headers of every response, and the settings without which a server refuses to start."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as site
from django.db import OperationalError, connection
from django.test import Client, RequestFactory
from django.urls import NoReverseMatch, reverse

from annotate.api import problems
from tests.support.addresses import SITE, keys_of_addresses
from tests.support.factories import make_admin
from tests.support.headers import check_headers

ROOT = Path(__file__).resolve().parents[2]
SECRET = "only-for-this-test-" + "x7Q" * 20


def of_the_whole_site():
    """Addresses without arguments: those of the account library and of rescue work, too."""
    for name in keys_of_addresses(SITE):
        try:
            yield reverse(name)
        except NoReverseMatch:
            continue


def test_the_site_has_many_addresses_without_arguments():
    addresses = set(of_the_whole_site())
    assert {
        "/",
        "/accounts/login/",
        "/accounts/2fa/",
        "/accounts/sessions/",
        "/rescue/",
    } <= addresses


@pytest.mark.django_db
@pytest.mark.parametrize("is_admin", [False, True])
def test_every_address_without_arguments_sends_the_headers(is_admin):
    person = make_admin() if is_admin else None
    for url in sorted(set(of_the_whole_site())):
        # Signing out at one address must not sign out at the next.
        client = Client()
        if person is not None:
            client.force_login(person)
        response = client.get(url)
        assert response.status_code < 500, url
        try:
            check_headers(response)
        except (AssertionError, KeyError) as error:
            error.add_note(url)
            raise


@pytest.mark.django_db
def test_pages_of_mistakes_send_the_headers(client):
    check_headers(client.get("/nowhere/"))


@pytest.mark.django_db
class TestRequestsOfStrangers:
    @pytest.mark.parametrize("redirects", [False, True], ids=["http", "https"])
    def test_another_sites_name_is_answered_with_400_and_a_page(self, client, settings, redirects):
        settings.SECURE_SSL_REDIRECT = redirects
        client.raise_request_exception = False
        response = client.get("/", headers={"host": "another.example.org"})
        assert response.status_code == 400
        assert "could not be read" in response.text

    @pytest.mark.parametrize(
        "address",
        [
            "/images/%00",
            "/reports/a/images/%00/",
            "/?next=%00",
            "/protocols/iou%00/",
            "/protocols/playground/?scene=%00",
        ],
    )
    def test_an_address_with_a_nul_is_answered_with_400(self, admin, address):
        assert admin.get(address).status_code == 400

    def test_programs_get_it_as_a_problem_document(self, client):
        response = client.get("/api/v1/datasets?name=%00")
        assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.django_db
class TestAFullDisk:
    @pytest.fixture(autouse=True)
    def _full(self, monkeypatch):
        def fail(*args, **kwargs):
            raise OperationalError("database or disk is full")

        monkeypatch.setattr("annotate.api.tokens.services.create_token", fail)
        monkeypatch.setattr("annotate.errors.has_no_room", lambda: True)
        monkeypatch.setattr("text_rankings.site.middleware.has_no_room", lambda: True)

    def test_a_page_says_it_and_not_that_something_went_wrong(self, admin):
        form = {"name": "script", "scopes": ["read"], "lasts": "30"}
        response = admin.post(reverse("tokens:tokens"), form)
        assert response.status_code == 507
        assert "disk of this site is full" in response.text
        assert admin.get("/").status_code == 200

    def test_signing_in_says_it_and_not_that_one_tried_too_often(self, client, monkeypatch):
        monkeypatch.setattr("django.core.cache.cache.add", lambda *args, **kwargs: False)
        response = client.post(reverse("account_login"), {"login": "ana", "password": "x"})
        assert response.status_code == 507

    def test_programs_get_it_as_a_problem_document(self):
        problem = problems.handle(
            OperationalError("database or disk is full"),
            {"request": RequestFactory().get("/api/v1/studies")},
        )
        assert json.loads(problem.content)["type"].endswith("disk-full")
        assert problem.status_code == 507


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite is opened as its disk is")
def test_a_database_that_was_opened_on_a_read_only_disk_is_opened_anew(admin):
    form = {"name": "script", "scopes": ["read"], "lasts": "30"}
    connection.cursor().execute("PRAGMA query_only = ON")
    with pytest.raises(OperationalError, match="readonly database"):
        admin.post(reverse("tokens:tokens"), form)
    assert admin.post(reverse("tokens:tokens"), form).status_code == 200


@pytest.mark.django_db
def test_what_is_made_for_a_person_is_kept_by_no_shared_cache(client):
    assert "private" in client.get(reverse("account_login"))["Cache-Control"]
    client.force_login(make_admin())
    for page in ("/", "/work/", reverse("preferences")):
        assert "private" in client.get(page)["Cache-Control"], page


# A server


def started(**environment):
    """Start the site as a server would, and say what its settings are."""
    code = (
        "import django, json; django.setup(); from django.conf import settings as s; "
        "print(json.dumps({n: getattr(s, n) for n in ('SESSION_COOKIE_SECURE', 'CSRF_COOKIE_SECURE',"
        "'SESSION_COOKIE_HTTPONLY', 'SESSION_COOKIE_SAMESITE', 'CSRF_COOKIE_SAMESITE',"
        "'SECURE_SSL_REDIRECT', 'SECURE_HSTS_SECONDS', 'DEBUG', 'EMAIL_BACKEND', 'MAIL_IS_SET_UP',"
        "'MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN')}))"
    )
    kept_out = {"SECRET_KEY", "DEBUG", "DATABASE_URL", "HTTPS"}
    inherited = {name: value for name, value in os.environ.items() if name not in kept_out}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**inherited, "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"DEBUG": "false"}, "Set the environment variable SECRET_KEY."),
        (
            {"SECRET_KEY": SECRET, "EMAIL_HOST": "mail.example.org"},
            "Set the environment variable DEFAULT_FROM_EMAIL.",
        ),
        (
            {"SECRET_KEY": SECRET, "EMAIL_HOST_USER": "rankings"},
            "Set the environment variable EMAIL_HOST_PASSWORD.",
        ),
        ({"SECRET_KEY": SECRET, "EMAIL_PORT": "x"}, "EMAIL_PORT must be a number, not 'x'."),
        ({"SECRET_KEY": SECRET, "HTTPS": "si"}, "HTTPS must be true or false, not 'si'."),
    ],
)
def test_a_missing_or_wrong_setting_stops_the_start_and_is_named(environment, sentence):
    run = started(**environment)
    assert run.returncode != 0
    assert sentence in run.stderr


@pytest.mark.release
def test_a_server_sets_flags_on_its_cookies():
    run = started(SECRET_KEY=SECRET)
    assert run.returncode == 0, run.stderr
    assert '"DEBUG": false' in run.stdout
    for name in ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY"):
        assert f'"{name}": true' in run.stdout
    for name in ("SESSION_COOKIE_SAMESITE", "CSRF_COOKIE_SAMESITE"):
        assert f'"{name}": "Lax"' in run.stdout
    assert '"SECURE_SSL_REDIRECT": true' in run.stdout
    assert '"SECURE_HSTS_SECONDS": 86400' in run.stdout
    assert '"MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN": false' in run.stdout


@pytest.mark.release
def test_the_embedded_database_is_for_its_owner_alone(tmp_path):
    run = started(DATA_DIR=str(tmp_path / "data"), SECRET_KEY=SECRET)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "data" / "db.sqlite3").stat().st_mode & 0o077 == 0


@pytest.mark.release
def test_mail_is_sent_where_a_server_is_named_and_never_printed():
    run = started(SECRET_KEY=SECRET)
    assert "dummy.EmailBackend" in run.stdout
    run = started(
        SECRET_KEY=SECRET, EMAIL_HOST="mail.example.org", DEFAULT_FROM_EMAIL="r@example.org"
    )
    assert "annotate.jobs.mail.Backend" in run.stdout
    assert '"MAIL_IS_SET_UP": true' in run.stdout


@pytest.mark.django_db
def test_cookies_of_a_signed_in_browser_carry_the_flags_of_the_settings(client, settings):
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    make_admin("boss")
    response = client.post(reverse("account_login"), {"login": "boss", "password": "pw"})
    assert response.status_code == 302
    for cookie in response.cookies.values():
        assert cookie["secure"], cookie.key
        assert cookie["samesite"] == "Lax", cookie.key
    assert response.cookies[site.SESSION_COOKIE_NAME]["httponly"]
