"""Signing in: too many failures make one client wait, and no one else; second factor; lost passwords."""

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
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.accounts.models import Preferences
from annotate.accounts.sessions import browser_of
from annotate.audit.models import Act, AuditEntry
from annotate.jobs.mail import forget_letters
from annotate.jobs.models import Job
from annotate.jobs.running import run_one
from tests.support.factories import make_person
from tests.support.pages import flat
from text_rankings.site.proxies import read

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


def test_no_greeting_comes_before_what_was_asked_for(client, ana):
    form = {"login": "ana", "password": PHRASE, "next": reverse("home")}
    page = client.post(reverse("account_login"), form, follow=True)
    assert is_in(client)
    assert list(page.context["messages"]) == []
    assert re.search(r">\s*ana\s*</a>", page.text), "the header names the user"


@pytest.mark.parametrize("there", ["https://elsewhere.example/", "//elsewhere.example/"])
def test_signing_in_leads_nowhere_outside_the_site(client, ana, there):
    form = {"login": "ana", "password": PHRASE, "next": there}
    assert client.post(reverse("account_login"), form)["Location"] == reverse("home")


# Lockout


def test_after_five_failures_the_right_password_is_refused_too(client, ana):
    for _ in range(5):
        assert "not correct" in sign_in(client, "ana", "wrong").text
    response = sign_in(client, "ana")
    assert "Too many failed" in response.text
    assert not is_in(client)


def test_wrong_passwords_from_elsewhere_do_not_shut_the_owner_out(client, ana):
    for _ in range(9):
        sign_in(Client(REMOTE_ADDR="192.0.2.7"), "ana", "wrong")
    sign_in(client, "ana")
    assert is_in(client)


def guess_from_many_addresses(n=60):
    for number in range(n):
        sign_in(Client(REMOTE_ADDR=f"198.51.100.{number}"), "ana", "wrong")


def test_sixty_wrong_guesses_from_elsewhere_leave_the_owner_in_a_new_browser_in(client, ana):
    guess_from_many_addresses()
    sign_in(client, "ana")
    assert is_in(client)
    # A second new browser at the same address.
    another = Client()
    sign_in(another, "ana")
    assert is_in(another)


def test_while_many_guess_at_a_name_each_network_has_one_wrong_try(client, ana):
    known = Client()
    sign_in(known, "ana")
    known.post(reverse("account_logout"))
    guess_from_many_addresses(59)
    # The limit is not reached: this address has five tries.
    patient = Client(REMOTE_ADDR="192.0.2.7")
    assert "not correct" in sign_in(patient, "ana", "wrong").text
    assert "not correct" in sign_in(client, "ana", "wrong").text
    assert "Too many failed" in sign_in(client, "ana").text
    assert not is_in(client)
    # Addresses that have not tried since, one of IPv4 and a network of IPv6.
    assert "Too many failed" not in sign_in(patient, "ana", "wrong").text
    assert "Too many failed" in sign_in(patient, "ana").text
    assert "not correct" in sign_in(Client(REMOTE_ADDR="2001:db8::1"), "ana", "wrong").text
    assert "Too many failed" in sign_in(Client(REMOTE_ADDR="2001:db8::2"), "ana").text
    sign_in(known, "ana", "wrong")
    sign_in(known, "ana")
    assert is_in(known)


def test_right_passwords_count_as_no_guesses(client, ana):
    for number in range(70):
        sign_in(Client(REMOTE_ADDR=f"198.51.100.{number}"), "ana")
    sign_in(client, "ana", "wrong")
    sign_in(client, "ana")
    assert is_in(client)


def test_guesses_do_not_keep_a_signed_in_person_from_confirming_the_password(client, ana):
    sign_in(client, "ana")
    guess_from_many_addresses()
    confirmed(client)
    assert client.get(reverse("mfa_activate_totp")).status_code == 200


def test_addresses_of_one_network_of_ipv6_are_one_source(ana):
    for number in range(1, 6):
        sign_in(Client(REMOTE_ADDR=f"2001:db8::{number}"), "ana", "wrong")
    assert "Too many failed" in sign_in(Client(REMOTE_ADDR="2001:db8::9"), "ana").text
    elsewhere = Client(REMOTE_ADDR="2001:db8:0:1::9")
    sign_in(elsewhere, "ana")
    assert is_in(elsewhere)


def test_who_has_a_second_factor_is_not_shut_out_by_guesses(client, ana):
    Authenticator.objects.create(user=ana, type="webauthn", data={"name": "key"})
    guess_from_many_addresses()
    sign_in(client, "ana", "wrong")
    assert sign_in(client, "ana")["Location"].startswith(reverse("mfa_authenticate"))


def test_before_the_limit_the_right_password_is_taken_and_a_known_browser_has_five_tries(
    client, ana
):
    for _ in range(4):
        sign_in(client, "ana", "wrong")
    sign_in(client, "ana")
    assert is_in(client)
    client.post(reverse("account_logout"))
    for _ in range(5):
        sign_in(client, "ana", "wrong")
    assert "Too many failed" in sign_in(client, "ana").text


@pytest.mark.parametrize("cookie", ["", "x", "WyJhIiwgW11d:1abc:forged"])
def test_a_forged_cookie_makes_no_known_browser(client, ana, cookie):
    guess_from_many_addresses()
    client.cookies["known_browser"] = cookie
    assert "not correct" in sign_in(client, "ana", "wrong").text
    assert "Too many failed" in sign_in(client, "ana").text


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


def test_forty_people_behind_one_address_sign_in_whoever_guesses_beside_them(ana):
    """Each mistypes once in the same minute, in a browser of theirs, while a stranger guesses."""
    people = []
    for number in range(40):
        User.objects.create_user(f"member-{number}", password=PHRASE)
        browser = Client()
        sign_in(browser, f"member-{number}")
        browser.post(reverse("account_logout"))
        assert not is_in(browser)
        people.append(browser)
    cache.clear()  # a minute later
    stranger = Client()
    for number in range(31):
        sign_in(stranger, f"guess-{number}", "wrong")
    sign_in(stranger, "ana")
    assert not is_in(stranger)
    for number, browser in enumerate(people):
        sign_in(browser, f"member-{number}", "wrong")
        sign_in(browser, f"member-{number}")
        assert is_in(browser), number


def test_a_known_browser_is_known_for_its_own_name_only(ana):
    """A member's cookie opens no way to guess at others beyond the limit of the address."""
    User.objects.create_user("ben", password=PHRASE)
    member = Client()
    sign_in(member, "ben")
    member.post(reverse("account_logout"))
    for number in range(30):
        sign_in(member, f"guess-{number}", "wrong")
    sign_in(member, "ana")
    assert not is_in(member)


def test_a_forged_header_does_not_make_another_address(ana):
    client = Client()
    for number in range(30):
        sign_in(client, f"guess-{number}", "wrong", HTTP_X_FORWARDED_FOR=f"192.0.2.{number}")
    sign_in(client, "ana", HTTP_X_FORWARDED_FOR="192.0.2.99")
    assert not is_in(client)


def test_behind_a_proxy_its_header_tells_people_apart(ana, settings):
    settings.TRUSTED_PROXIES = read(["127.0.0.1"])
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


@pytest.mark.release
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
    # The code of now; the one before would be too old as soon as the next begins.
    _, now, _ = yield_hotp_counters_from_time()
    return format_hotp_value(hotp_value(secret, now))


def confirmed(client):
    """Type the password again, as pages about signing in ask."""
    client.post(reverse("account_reauthenticate"), {"password": PHRASE})


def test_an_app_is_set_up_and_then_asked_for(client, ana):
    client.force_login(ana)
    confirmed(client)
    page = client.get(reverse("mfa_activate_totp"))
    assert "data:image/svg+xml" in page.text
    secret = re.search(r'class="secret">([A-Z2-7]+)<', flat(page.text))[1]
    response = client.post(reverse("mfa_activate_totp"), {"code": code_of(secret)})
    assert response["Location"] == reverse("mfa_view_recovery_codes")
    codes = re.findall(r"<li><code>(\d+)</code>", flat(client.get(response["Location"]).text))
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


@pytest.mark.parametrize(
    ("chosen", "asked", "said"),
    [
        ("", "fr", "votre mot de passe"),
        ("fr", "en", "votre mot de passe"),
        ("en", "fr", "password"),
    ],
)
def test_the_letter_is_in_the_language_its_reader_chose_or_else_asked_in(
    client, ana, settings, chosen, asked, said
):
    settings.MAIL_IS_SET_UP = True
    Preferences.objects.create(person=ana, language=chosen)
    address = {"email": "ana@example.org"}
    client.post(reverse("account_reset_password"), address, headers={"accept-language": asked})
    assert said in mail.outbox[0].body


def test_asking_for_a_letter_does_not_tell_whether_an_account_exists(client, ana, settings):
    settings.MAIL_IS_SET_UP, settings.JOBS = True, "queue"
    url = reverse("account_reset_password")
    client.post(url, {"email": "first@example.org"})  # fills what is read once
    asked = []
    for address in ("ana@example.org", "who@example.org"):
        with CaptureQueriesContext(connection) as queries:
            answer = client.post(url, {"email": address})
        asked.append((answer.status_code, answer["Location"], len(queries)))
    assert asked[0] == asked[1]
    assert mail.outbox == []
    for job in Job.objects.all():
        run_one(job.pk, beats_beside=False)
    assert [letter.to for letter in mail.outbox] == [["ana@example.org"]]
    forget_letters()
    assert set(Job.objects.values_list("state", flat=True)) == {"done"}
    assert not [job for job in Job.objects.all() if job.arguments]


def test_without_a_mail_server_no_link_is_made_at_all(client, ana):
    assert "an admin can set a new password" in client.get(reverse("account_reset_password")).text
    answer = client.post(
        reverse("account_reset_password"), {"email": "ana@example.org"}, follow=True
    )
    assert "This site sends none" in answer.text
    assert not Job.objects.exists()
    assert mail.outbox == []


def test_a_password_is_changed_with_the_old_one_and_ends_other_sessions(client, ana):
    other = Client()
    sign_in(client, "ana")
    sign_in(other, "ana")
    new = {"password1": "another-phrase-17", "password2": "another-phrase-17"}
    client.post(reverse("account_change_password"), {"oldpassword": "wrong", **new})
    ana.refresh_from_db()
    assert ana.check_password(PHRASE)
    client.post(reverse("account_change_password"), {"oldpassword": PHRASE, **new})
    ana.refresh_from_db()
    assert ana.check_password("another-phrase-17")
    assert other.get(reverse("accounts:account")).status_code == 302
    assert client.get(reverse("accounts:account")).status_code == 200


_WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (
            f"Mozilla/5.0 (X11; Linux x86_64) {_WEBKIT} Chrome/140.0.0.0 Safari/537.36",
            "Chrome on Linux",
        ),
        (
            f"Mozilla/5.0 (Windows NT 10.0) {_WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1",
            "Safari on iPhone",
        ),
        (
            "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0",
            "Firefox on Android",
        ),
        ("curl/8.5.0", "curl/8.5.0"),
        ("", ""),
    ],
)
def test_a_browser_is_listed_by_its_name_and_system_where_they_are_known(said, named):
    assert browser_of(said) == named


def test_other_sessions_are_shown_and_ended(client, ana):
    others = [Client(HTTP_USER_AGENT=f"browser {at}") for at in range(2)]
    for browser in (*others, client):
        sign_in(browser, "ana")
    page = client.get(reverse("usersessions_list")).text
    assert all(name in page for name in ("browser 0", "browser 1", "this browser"))
    client.post(reverse("usersessions_list"))
    assert all(other.get(reverse("accounts:account")).status_code == 302 for other in others)
    assert client.get(reverse("accounts:account")).status_code == 200


def test_a_session_of_an_earlier_password_is_forgotten(client, ana):
    other = Client(HTTP_USER_AGENT="the other browser")
    sign_in(other, "ana")
    sign_in(client, "ana")
    ana.set_password("another-phrase-17")
    ana.save()
    client.force_login(ana)
    client.get(reverse("accounts:account"))
    assert "the other browser" not in client.get(reverse("usersessions_list")).text
    assert not UserSession.objects.filter(user_agent="the other browser").exists()


def test_addresses_are_added_after_the_password_and_removed(client, ana):
    client.force_login(ana)
    url, added = reverse("account_email"), {"action_add": "", "email": "second@example.org"}
    asked = client.post(url, added)
    assert asked["Location"].startswith(reverse("account_reauthenticate"))
    assert "second@example.org" not in client.get(reverse("accounts:account")).text
    # The request is done once the password is right.
    client.post(asked["Location"], {"password": PHRASE}, follow=True)
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
