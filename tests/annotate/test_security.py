"""Headers of every response, and the settings without which a server refuses to start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as site
from django.test import Client
from django.urls import NoReverseMatch, reverse

from tests.support.addresses import names_of_addresses
from tests.support.factories import make_admin
from tests.support.headers import check_headers

ROOT = Path(__file__).resolve().parents[2]
SECRET = "only-for-this-test-" + "x7Q" * 20


def of_the_whole_site():
    """Addresses without arguments: those of the account library and of rescue work, too."""
    for name, _ in names_of_addresses("config.urls"):
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
        env={**inherited, "DJANGO_SETTINGS_MODULE": "config.settings", **environment},
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


def test_a_server_sets_flags_on_its_cookies():
    run = started(SECRET_KEY=SECRET)
    assert run.returncode == 0, run.stderr
    assert '"DEBUG": false' in run.stdout
    for name in ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY"):
        assert f'"{name}": true' in run.stdout
    for name in ("SESSION_COOKIE_SAMESITE", "CSRF_COOKIE_SAMESITE"):
        assert f'"{name}": "Lax"' in run.stdout
    assert '"SECURE_SSL_REDIRECT": true' in run.stdout
    assert '"SECURE_HSTS_SECONDS": 31536000' in run.stdout
    assert '"MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN": false' in run.stdout


def test_mail_is_sent_where_a_server_is_named_and_printed_otherwise():
    run = started(SECRET_KEY=SECRET)
    assert "console.EmailBackend" in run.stdout
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
