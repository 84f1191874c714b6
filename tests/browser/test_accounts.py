"""The pages of accounts in a browser: accessible, fitting, and passkeys under the strict policy."""

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import expect

from annotate.accounts.services import invite
from annotate.audit.models import Act
from annotate.audit.services import record
from tests.support.browsing import check_page, listen, signed_in, unexpected
from tests.support.factories import add_annotator, add_researcher, make_study

PHRASE = "a-long-phrase-93"
PASSKEY = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture(autouse=True)
def _no_tls_here(settings):
    settings.MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = True


@pytest.fixture
def study(transactional_db):
    study = make_study(["a", "b"], name="Street signs of a very long name to see whether it wraps")
    add_annotator(study)
    add_researcher(study)
    return study


@pytest.fixture
def boss(study):
    """An admin with an address, a second factor and entries in the log."""
    boss = User.objects.create_user(
        "boss", "boss@example.org", PHRASE, is_staff=True, is_superuser=True
    )
    User.objects.create_user("deputy", password=PHRASE, is_staff=True, is_superuser=True)
    record(Act.SCORED, actor=boss, what="Street signs", details={"protocol": "IOU"})
    invite(study=study, role="annotator", emails=["ana@example.org"], made_by=boss)
    return boss


def open_page(browser, **options):
    return browser.new_context(
        viewport={"width": 1440, "height": 900}, reduced_motion="reduce", **options
    )


def check(page, complaints):
    check_page(page)
    assert unexpected(complaints) == []


def fill_password(page):
    """Type the password where a page about signing in asks for it again."""
    if "reauthenticate" in page.url:
        page.fill("[name=password]", PHRASE)
        page.get_by_role("button", name="Confirm").click()


@pytest.mark.smoke
def test_t19_pages_for_visitors_are_accessible_and_fit(browser, live_server, study):
    token = invite(study=study, role="annotator", emails=["ana@example.org"])[0].token
    context = open_page(browser)
    page = context.new_page()
    complaints = listen(page)
    opened = [
        reverse("account_login"),
        reverse("account_signup"),  # without an invitation
        reverse("account_reset_password"),
        reverse("account_reset_password_done"),
        "/accounts/password/reset/key/1-wrong/",
        "/accounts/confirm-email/wrong/",
        reverse("account_email_verification_sent"),
        reverse("account_inactive"),
        "/invitation/unknown/",
        f"/invitation/{token}/",
        reverse("account_signup"),
    ]
    for url in opened:
        page.goto(live_server.url + url)
        check(page, complaints)
    page.get_by_role("button", name="Create the account").click()
    page.fill("[name=username]", "ana")
    page.fill("[name=password1]", "short")
    page.get_by_role("button", name="Show the password").click()
    expect(page.locator("[name=password1]")).to_have_attribute("type", "text")
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_text("too short").first).to_be_visible()
    check(page, complaints)
    context.close()


@pytest.mark.smoke
def test_t19_pages_of_an_account_are_accessible_and_fit(browser, client, live_server, study, boss):
    context = open_page(browser)
    page = signed_in(context, client, boss, live_server)
    complaints = listen(page)
    with_virtual_key(context, page)
    page.goto(live_server.url + reverse("mfa_activate_totp"))
    check(page, complaints)
    add_passkey(page, live_server)
    check(page, complaints)
    key = Authenticator.objects.get(type="webauthn")
    opened = [
        reverse("accounts:account"),
        reverse("privacy:erase"),
        reverse("account_email"),
        reverse("account_change_password"),
        reverse("account_logout"),
        reverse("mfa_index"),
        reverse("mfa_activate_totp"),
        reverse("mfa_generate_recovery_codes"),
        reverse("mfa_list_webauthn"),
        reverse("mfa_add_webauthn"),
        reverse("mfa_edit_webauthn", args=[key.pk]),
        reverse("mfa_remove_webauthn", args=[key.pk]),
        reverse("mfa_reauthenticate_webauthn"),
        reverse("usersessions_list"),
        reverse("accounts:invitations"),
        reverse("accounts:study_invitations", args=[study.slug]),
        reverse("studies:members", args=[study.slug]),
        reverse("audit:log"),
        reverse("audit:log") + "?person=boss&since=2020-01-01",
        reverse("audit:study", args=[study.slug]),
    ]
    for url in opened:
        page.goto(live_server.url + url)
        check(page, complaints)
    page.goto(live_server.url + reverse("accounts:study_invitations", args=[study.slug]))
    page.fill("[name=emails]", "ben@example.org\ncem@example.org")
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.get_by_text("2 invitations created")).to_be_visible()
    check(page, complaints)
    context.close()


def with_virtual_key(context, page):
    session = context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": PASSKEY})


def add_passkey(page, live_server):
    page.goto(live_server.url + reverse("mfa_add_webauthn"))
    fill_password(page)
    page.fill("[name=name]", "Laptop")
    page.check("[name=passwordless]")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_url("**/recovery-codes/")


def test_a_passkey_is_added_signs_in_and_is_asked_for_as_a_second_step(browser, live_server, boss):
    url = live_server.url
    context = open_page(browser)
    page = context.new_page()
    complaints = listen(page)
    with_virtual_key(context, page)

    def sign_in():
        page.goto(url + reverse("account_login"))
        page.fill("[name=login]", "boss")
        page.fill("[name=password]", PHRASE)
        page.get_by_role("button", name="Sign in", exact=True).click()

    def sign_out():
        page.goto(url + reverse("home"))
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("link", name="Sign in").first.wait_for()

    sign_in()
    page.wait_for_url(url + reverse("home"))
    add_passkey(page, live_server)
    assert Authenticator.objects.filter(user=boss, type="webauthn").count() == 1

    sign_out()
    page.goto(url + reverse("account_login"))
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(url + reverse("home"))
    assert page.get_by_text("boss").count()

    sign_out()
    sign_in()
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(url + reverse("home"))
    assert complaints == []
    context.close()


def test_a_refused_passkey_is_said_in_words(browser, live_server, boss):
    url = live_server.url
    context = open_page(browser)
    page = context.new_page()
    with_virtual_key(context, page)
    page.goto(url + reverse("account_login"))
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert").filter(has_text="No passkey was used")).to_be_visible()
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_enabled()
    context.close()


def test_everything_but_passkeys_works_without_javascript(browser, live_server, study):
    token = invite(study=study, role="annotator")[0].token
    context = open_page(browser, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/invitation/{token}/")
    page.fill("[name=username]", "ana")
    page.fill("[name=password1]", PHRASE)
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_text(study.name).first).to_be_visible()
    page.goto(live_server.url + reverse("accounts:account"))
    page.get_by_role("link", name="Erase").click()
    page.fill("[name=password]", PHRASE)
    page.get_by_role("button", name="Erase for ever").click()
    expect(page.get_by_text("is erased")).to_be_visible()
    assert not User.objects.filter(username="ana").exists()
    page.goto(live_server.url + reverse("account_login"))
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
    context.close()


def test_a_link_is_copied_by_a_button(browser, client, live_server, study, boss):
    context = open_page(browser, permissions=["clipboard-read", "clipboard-write"])
    page = signed_in(context, client, boss, live_server)
    page.goto(live_server.url + reverse("accounts:study_invitations", args=[study.slug]))
    page.get_by_role("button", name="Invite", exact=True).click()
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.input_value("#link-1")
    context.close()
