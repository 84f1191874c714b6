"""Signing in: who fails too often waits, and nobody else does; second factor; lost passwords."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotate.audit.models import Act, AuditEntry
from tests.support.factories import make_person

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]
PHRASE = "a-long-phrase-93"


@pytest.fixture(autouse=True)
def _no_earlier_tries():
    cache.clear()


@pytest.fixture
def ana():
    return User.objects.create_user("ana", "ana@example.org", PHRASE)


def sign_in(client, username, password=PHRASE, **headers):
    form = {"login": username, "password": password}
    return client.post(reverse("account_login"), form, **headers)


def is_in(client):
    return "_auth_user_id" in client.session


# Lockout


def test_after_five_failures_the_right_password_is_refused_too(client, ana):
    for _ in range(5):
        assert "not correct" in sign_in(client, "ana", "wrong").text
    response = sign_in(client, "ana")
    assert "Too many failed" in response.text
    assert not is_in(client)


def test_before_the_limit_the_right_password_is_taken(client, ana):
    for _ in range(4):
        sign_in(client, "ana", "wrong")
    sign_in(client, "ana")
    assert is_in(client)


def test_another_spelling_of_the_name_is_the_same_person(client, ana):
    for name in ("ana", "ANA", "Ana", "aNa", "anA"):
        sign_in(client, name, "wrong")
    sign_in(client, "ana")
    assert not is_in(client)


def test_another_person_at_the_same_address_is_not_locked_out(client, ana):
    User.objects.create_user("ben", password=PHRASE)
    for _ in range(25):
        sign_in(Client(), "ana", "wrong")
    sign_in(client, "ben")
    assert is_in(client)


def test_who_tries_many_names_from_one_address_is_stopped(ana):
    client = Client()
    for number in range(30):
        sign_in(client, f"guess-{number}", "wrong")
    sign_in(client, "ana")
    assert not is_in(client)
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    sign_in(elsewhere, "ana")
    assert is_in(elsewhere)


def test_a_forged_header_does_not_make_another_address(ana):
    client = Client()
    for number in range(30):
        sign_in(client, f"guess-{number}", "wrong", HTTP_X_FORWARDED_FOR=f"192.0.2.{number}")
    sign_in(client, "ana", HTTP_X_FORWARDED_FOR="192.0.2.99")
    assert not is_in(client)


def test_behind_a_proxy_its_header_tells_people_apart(ana, settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    client = Client()
    for number in range(30):
        sign_in(client, f"guess-{number}", "wrong", HTTP_X_FORWARDED_FOR="192.0.2.1")
    sign_in(client, "ana", HTTP_X_FORWARDED_FOR="192.0.2.2")
    assert is_in(client)


def test_a_lockout_is_one_entry_of_the_log_and_keeps_no_typed_name(client, ana):
    for _ in range(9):
        sign_in(client, "ana", "wrong")
    entry = AuditEntry.objects.get(act=Act.LOCKED_OUT)
    assert entry.about == ana
    for _ in range(7):
        sign_in(client, "my-password-by-mistake", "wrong")
    assert not AuditEntry.objects.filter(what__contains="mistake").exists()
    assert "mistake" not in str(list(AuditEntry.objects.values()))


_IN_ANOTHER_PROCESS = """
import sys
from django.conf import settings
import django
django.setup()
from django.db import connections
connections["default"].settings_dict["NAME"] = sys.argv[1]
from django.test import Client
settings.ALLOWED_HOSTS = ["testserver"]
answer = Client().post("/accounts/login/", {"login": "ana", "password": sys.argv[2]})
print("refused" if "Too many failed" in answer.content.decode() else answer.status_code)
"""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("n_failures", "said"), [(5, "refused"), (0, "302")])
def test_the_limit_is_shared_between_processes(client, ana, n_failures, said):
    for _ in range(n_failures):
        sign_in(client, "ana", "wrong")
    made = subprocess.run(
        [sys.executable, "-c", _IN_ANOTHER_PROCESS, str(connection.settings_dict["NAME"]), PHRASE],
        cwd=ROOT,
        env=_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.strip() == said


def _environment():
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.support.quick_settings"}


# The second factor


def code_of(secret):
    counter = next(iter(yield_hotp_counters_from_time()))
    return format_hotp_value(hotp_value(secret, counter))


def confirmed(client):
    """Type the password again, as pages about signing in ask."""
    client.post(reverse("account_reauthenticate"), {"password": PHRASE})


def test_an_app_is_set_up_and_then_asked_for(client, ana):
    client.force_login(ana)
    confirmed(client)
    page = client.get(reverse("mfa_activate_totp"))
    assert "data:image/svg+xml" in page.text
    secret = re.search(r'class="secret">([A-Z2-7]+)<', page.text)[1]
    response = client.post(reverse("mfa_activate_totp"), {"code": code_of(secret)})
    assert response["Location"] == reverse("mfa_view_recovery_codes")
    codes = re.findall(r"<li><code>(\d+)</code>", client.get(response["Location"]).text)
    assert len(codes) == 10
    client.post(reverse("account_logout"))

    sign_in(client, "ana")
    assert not is_in(client)
    client.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert not is_in(client)
    client.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert is_in(client)

    client.post(reverse("account_logout"))
    sign_in(client, "ana")
    client.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert not is_in(client), "a recovery code works once"


def test_changing_the_second_factor_asks_for_the_password_again(client, ana):
    client.force_login(ana)
    response = client.get(reverse("mfa_activate_totp"))
    assert response["Location"].startswith(reverse("account_reauthenticate"))


def test_nobody_sees_or_removes_the_keys_of_somebody_else(client, ana):
    key = Authenticator.objects.create(user=make_person(), type="webauthn", data={"name": "key"})
    client.force_login(ana)
    confirmed(client)
    assert client.get(reverse("mfa_edit_webauthn", args=[key.pk])).status_code == 404
    assert client.post(reverse("mfa_remove_webauthn", args=[key.pk])).status_code == 404
    assert Authenticator.objects.exists()


# Passwords and addresses


def test_a_lost_password_is_replaced_by_mail(client, ana, settings):
    settings.MAIL_IS_SET_UP = True
    client.post(reverse("account_reset_password"), {"email": "ana@example.org"})
    letter = mail.outbox[0]
    assert "ana" in letter.body
    link = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", letter.body)[1]
    form = client.get(link, follow=True)
    address = form.redirect_chain[-1][0]
    assert "set-password" in address
    client.post(address, {"password1": "another-phrase-17", "password2": "another-phrase-17"})
    sign_in(client, "ana", "another-phrase-17")
    assert is_in(client)
    assert "no longer works" in Client().get(link, follow=True).text


def test_asking_for_a_letter_does_not_tell_whether_an_account_exists(client, ana):
    known = client.post(reverse("account_reset_password"), {"email": "ana@example.org"})
    unknown = client.post(reverse("account_reset_password"), {"email": "who@example.org"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert len(mail.outbox) == 1


def test_where_no_mail_is_sent_the_page_says_what_to_do(client):
    assert "an admin can set a new password" in client.get(reverse("account_reset_password")).text


def test_a_password_is_changed_with_the_old_one(client, ana):
    client.force_login(ana)
    new = {"password1": "another-phrase-17", "password2": "another-phrase-17"}
    client.post(reverse("account_change_password"), {"oldpassword": "wrong", **new})
    ana.refresh_from_db()
    assert ana.check_password(PHRASE)
    client.post(reverse("account_change_password"), {"oldpassword": PHRASE, **new})
    ana.refresh_from_db()
    assert ana.check_password("another-phrase-17")


def test_a_changed_password_ends_other_sessions(client, ana):
    other = Client()
    sign_in(client, "ana")
    sign_in(other, "ana")
    new = {"password1": "another-phrase-17", "password2": "another-phrase-17"}
    client.post(reverse("account_change_password"), {"oldpassword": PHRASE, **new})
    assert other.get(reverse("accounts:account")).status_code == 302
    assert client.get(reverse("accounts:account")).status_code == 200


def test_other_sessions_are_shown_and_ended(client, ana):
    other = Client(HTTP_USER_AGENT="the other browser")
    sign_in(other, "ana")
    sign_in(client, "ana")
    assert "the other browser" in client.get(reverse("usersessions_list")).text
    client.post(reverse("usersessions_list"))
    assert other.get(reverse("accounts:account")).status_code == 302
    assert client.get(reverse("accounts:account")).status_code == 200


def test_addresses_are_added_and_removed(client, ana):
    client.force_login(ana)
    url = reverse("account_email")
    client.post(url, {"action_add": "", "email": "second@example.org"})
    assert "second@example.org" in client.get(reverse("accounts:account")).text
    client.post(url, {"action_remove": "", "email": "second@example.org"})
    addresses = client.get(reverse("accounts:account")).context["emails"]
    assert [address.email for address in addresses] == ["ana@example.org"]


def test_the_profile_is_changed(client, ana):
    client.force_login(ana)
    client.post(reverse("accounts:account"), {"first_name": "Ana", "last_name": "Brook"})
    ana.refresh_from_db()
    assert ana.get_full_name() == "Ana Brook"
    assert client.post(reverse("accounts:account"), {"first_name": "x" * 151}).status_code == 422


def test_a_closed_account_cannot_sign_in(client, ana):
    ana.is_active = False
    ana.save()
    sign_in(client, "ana")
    assert not is_in(client)
