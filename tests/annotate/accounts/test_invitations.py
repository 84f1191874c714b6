"""An invitation lets one person in, once."""

import logging
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotate.accounts.errors import InvitationRefused
from annotate.accounts.models import Invitation, Preferences
from annotate.accounts.services import accept, invite
from annotate.audit.models import Act, AuditEntry
from annotate.studies.services import remove_member
from tests.support.cases import cases
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_admin,
    make_person,
    make_study,
)
from tests.support.together import at_once

PASSWORD = "long-enough-phrase-71"


@pytest.fixture
def study(db):
    return make_study(["a", "b"])


def made(study, **fields):
    return invite(study=study, **{"role": "annotator"} | fields)[0]


def opened(client, token):
    return client.get(reverse("accounts:open_invitation", args=[token]))


def sign_up(client, username="ana", **fields):
    form = {"username": username, "password1": PASSWORD}
    return client.post(reverse("account_signup"), form | fields)


def test_a_new_person_makes_an_account_and_is_in_the_study(client, study):
    token = made(study).token
    response = opened(client, token)
    assert response.status_code == 302
    assert response["Location"] == reverse("accounts:invitation")
    page = client.get(reverse("accounts:invitation")).text
    assert study.name in page
    # One page: the account is made on it, with a password that is typed once.
    form = page[page.index(f'action="{reverse("account_signup")}"') :]
    assert form.count('type="password"') == 1
    assert sign_up(client)["Location"] == reverse("judging:judge", args=[study.slug])
    first = client.get(reverse("judging:judge", args=[study.slug]))
    assert first["Location"] == reverse("learning:welcome", args=[study.slug])
    membership = study.memberships.get()
    assert (membership.person.username, membership.role) == ("ana", "annotator")
    assert study.name in client.get(reverse("home")).text
    assert Invitation.objects.get().used_by == membership.person


@pytest.mark.parametrize(("role", "then"), [("researcher", "home"), ("annotator", "judging:judge")])
def test_a_person_with_an_account_joins_after_being_asked(client, study, role, then):
    token, person = made(study, role=role).token, make_person()
    client.force_login(person)
    opened(client, token)
    assert not study.memberships.exists()
    response = client.post(reverse("accounts:join"))
    assert study.memberships.get().person == person
    there = [study.slug] if role == "annotator" else []
    assert response["Location"] == reverse(then, args=there)


def test_an_admin_of_the_site_is_let_in_by_an_invitation_without_a_study(client, db):
    opened(client, invite(study=None, role="admin")[0].token)
    sign_up(client)
    person = User.objects.get(username="ana")
    assert person.is_staff
    assert person.is_superuser


def test_without_an_invitation_there_is_no_sign_up(client, db):
    assert "by invitation" in client.get(reverse("account_signup")).text
    sign_up(client)
    assert not User.objects.exists()


def test_researchers_invite_annotators_to_their_own_study(client, study):
    researcher = add_researcher(study)
    client.force_login(researcher)
    address = reverse("accounts:study_invitations", args=[study.slug])
    assert client.get(address).status_code == 200
    assert client.post(address, {"role": "researcher", "days": 14}).status_code == 422
    assert not Invitation.objects.exists()
    client.post(address, {"role": "annotator", "days": 14})
    invitation = Invitation.objects.get()
    assert (invitation.made_by, invitation.state) == (researcher, "open")
    # It ends with the researcher's part in the study.
    study.memberships.filter(person=researcher).delete()
    assert Invitation.objects.get().state == "void"
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("sees_members", [True, False])
def test_the_page_of_invitations_leads_to_the_members_those_who_may_see_them(
    client, study, sees_members
):
    client.force_login(make_admin() if sees_members else add_researcher(study))
    page = client.get(reverse("accounts:study_invitations", args=[study.slug]))
    members = reverse("studies:members", args=[study.slug])
    assert (members in page.text) == sees_members
    assert client.get(members).status_code == (200 if sees_members else 404)


def test_researchers_revoke_invitations_of_annotators_alone(researcher, study):
    of_annotator, of_researcher = made(study).invitation, made(study, role="researcher").invitation
    answer = researcher.post(reverse("accounts:revoke", args=[of_annotator.pk]), {"from": "study"})
    assert answer["Location"] == reverse("accounts:study_invitations", args=[study.slug])
    refused = researcher.post(reverse("accounts:revoke", args=[of_researcher.pk]))
    assert refused.status_code == 404
    assert Invitation.objects.get(pk=of_annotator.pk).state == "revoked"
    assert Invitation.objects.get(pk=of_researcher.pk).state == "open"


def test_a_link_works_once(client, study):
    token = made(study).token
    opened(client, token)
    sign_up(client)
    client.logout()
    opened(client, token)
    response = client.get(reverse("accounts:invitation"))
    assert response.status_code == 410
    assert "already been used" in response.text
    sign_up(client, "ben")
    assert list(User.objects.values_list("username", flat=True)) == ["ana"]


def test_a_sign_up_that_comes_too_late_leaves_no_account(client, study):
    """The invitation is used between the form and its sending."""
    first = made(study)
    opened(client, first.token)
    client.get(reverse("account_signup"))
    accept(invitation=first.invitation, person=make_person())
    sign_up(client)
    assert not User.objects.filter(username="ana").exists()


@cases(
    ("end", "said"),
    [
        ({"expires": timezone.now() - timedelta(seconds=1)}, "has expired"),
        ({"revoked": timezone.now()}, "was revoked"),
    ],
)
def test_a_link_that_has_ended_says_so_and_lets_nobody_in(client, study, end, said):
    new = made(study)
    Invitation.objects.update(**end)
    opened(client, new.token)
    assert said in client.get(reverse("accounts:invitation")).text
    sign_up(client)
    assert not User.objects.filter(username="ana").exists()
    with pytest.raises(InvitationRefused, match=said):
        accept(invitation=new.invitation, person=make_person())


@pytest.mark.parametrize("lost", [{"is_staff": False, "is_superuser": False}, {"is_active": False}])
def test_a_link_ends_with_the_rank_of_the_admin_who_made_it(client, study, lost):
    admin = make_admin()
    new = invite(study=None, role="admin", made_by=admin)[0]
    User.objects.filter(pk=admin.pk).update(**lost)
    opened(client, new.token)
    answer = client.get(reverse("accounts:invitation"))
    assert answer.status_code == 410
    assert "may no longer invite people" in answer.text
    sign_up(client, "back")
    assert not User.objects.filter(username="back").exists()
    client.force_login(person := make_person())
    opened(client, new.token)
    client.post(reverse("accounts:join"))
    person.refresh_from_db()
    assert not person.is_staff
    assert "its maker is no longer an admin" in list_of_invitations(client)


def list_of_invitations(client):
    client.force_login(make_admin())
    return client.get(reverse("accounts:invitations")).text


def test_an_older_link_does_not_bring_a_removed_member_back(client, study):
    person = add_researcher(study)
    older = made(study, role="researcher")
    remove_member(membership=study.memberships.get(person=person))
    newer = made(study, role="researcher")
    client.force_login(person)
    opened(client, older.token)
    answer = client.get(reverse("accounts:invitation"))
    assert answer.status_code == 410
    assert "You were removed from this study after" in answer.text
    client.post(reverse("accounts:join"))
    assert not study.memberships.filter(person=person).exists()
    opened(client, newer.token)
    client.post(reverse("accounts:join"))
    assert study.memberships.filter(person=person, role="researcher").exists()


def test_an_older_link_lets_others_in_after_a_removal(study):
    removed = add_researcher(study)
    older = made(study)
    remove_member(membership=study.memberships.get(person=removed))
    accept(invitation=older.invitation, person=make_person())
    assert study.memberships.count() == 1


def test_an_unknown_link_is_404_and_says_what_to_do(client, db):
    response = opened(client, "x" * 43)
    assert response.status_code == 404
    assert "Open the full link from the message again" in response.text


def test_an_invitation_bound_to_an_address_refuses_another_person(client, study):
    new = made(study, emails=["ana@example.org"])
    client.force_login(make_person(email="ben@example.org"))
    opened(client, new.token)
    response = client.get(reverse("accounts:invitation"))
    assert response.status_code == 403
    assert "another e-mail address" in response.text
    client.post(reverse("accounts:join"))
    assert not study.memberships.exists()
    assert Invitation.objects.open().exists()


def test_an_invitation_bound_to_an_address_takes_its_owner_in_any_spelling(client, study):
    new = made(study, emails=["Ana@Example.org"])
    client.force_login(make_person(email="ANA@example.org"))
    opened(client, new.token)
    client.post(reverse("accounts:join"))
    assert study.memberships.exists()


def test_who_signs_up_with_a_bound_invitation_gets_its_address_and_no_other(client, study):
    opened(client, made(study, emails=["ana@example.org"]).token)
    sign_up(client, email="ben@example.org")
    assert User.objects.get().email == "ana@example.org"


def test_of_two_links_for_one_address_only_the_newer_works(study):
    older = made(study, emails=["ana@example.org"]).invitation
    newer = made(study, emails=["ANA@example.org"]).invitation
    older.refresh_from_db()
    assert (older.state, newer.state) == ("revoked", "open")


def test_who_has_the_role_already_is_named_and_nobody_is_invited(study):
    add_annotator(study, make_person(email="ana@example.org"))
    with pytest.raises(InvitationRefused, match=r"ana@example\.org"):
        invite(study=study, role="annotator", emails=["ben@example.org", "ana@example.org"])
    assert not Invitation.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_people_at_the_same_moment_the_database_lets_one_in():
    study = make_study(["a", "b"])
    invitation = made(study).invitation
    people = [make_person() for _ in range(4)]

    def come(person):
        def call():
            try:
                return accept(invitation=Invitation.objects.get(), person=person)
            except InvitationRefused as refusal:
                return refusal

        return call

    outcomes = at_once(*map(come, people))
    assert sum(isinstance(outcome, InvitationRefused) for outcome in outcomes) == 3
    assert study.memberships.count() == 1
    invitation.refresh_from_db()
    assert invitation.used_by == study.memberships.get().person


@pytest.mark.parametrize(
    "wrong",
    [
        {"role": "admin"},
        {"study": None},
        {"used": timezone.now()},
        {"used": timezone.now(), "revoked": timezone.now()},
    ],
)
def test_the_database_refuses_an_invitation_that_cannot_be(study, wrong):
    made(study)
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.update(**wrong)


# The token


def test_the_token_is_stored_nowhere(client, study):
    client.force_login(make_admin())
    page = client.post(
        reverse("accounts:study_invitations", args=[study.slug]), {"role": "annotator", "days": 14}
    )
    token = re.search(r"/invitation/([^/]+)/", page.text)[1]
    assert page["Cache-Control"] == "no-store"
    assert token not in client.get(reverse("accounts:study_invitations", args=[study.slug])).text
    client.logout()
    opened(client, token)
    stored = [
        str(value)
        for row in (*Invitation.objects.values(), *AuditEntry.objects.values())
        for value in row.values()
    ]
    assert not any(token in value for value in stored)
    assert token not in str(dict(client.session))


def test_the_token_is_sent_to_no_other_page(client, study):
    response = opened(client, made(study).token)
    assert response["Referrer-Policy"] == "no-referrer"
    assert "no-store" in response["Cache-Control"]
    assert response["Location"] == "/invitation/"


@cases(
    ("said", "logged"),
    [
        ("GET /invitation/sEcReT-1_x/ HTTP/1.1", "GET /invitation/.../ HTTP/1.1"),
        ("/accounts/password/reset/key/2-sEcReT/", "/accounts/password/reset/key/.../"),
        ("/accounts/confirm-email/sEcReT:a:b/", "/accounts/confirm-email/.../"),
        (
            "Not Found: /rankings/public/sEcReT-1_x/report.xml",
            "Not Found: /rankings/public/.../report.xml",
        ),
        ("/public/boards/sEcReT/leaderboard.csv", "/public/boards/.../leaderboard.csv"),
        ("GET /invitation/join/ 405", "GET /invitation/join/ 405"),
    ],
)
@cases("name", ["django.server", "gunicorn.access", "django.request", "annotate"])
def test_the_token_is_not_in_the_logs(name, said, logged):
    for handler in handlers_of(logging.getLogger(name)):
        record = logging.LogRecord(name, logging.ERROR, "", 0, '"%(r)s"', ({"r": said},), None)
        assert handler.filter(record)
        assert record.getMessage() == f'"{logged}"'


def handlers_of(logger):
    """All that write what is logged here, but for those of the test runner."""
    handlers = []
    while logger is not None:
        handlers += [
            handler
            for handler in logger.handlers
            if not type(handler).__module__.startswith("_pytest")
        ]
        logger = logger.parent if logger.propagate else None
    assert handlers
    return handlers


def test_opening_links_at_random_is_refused_after_a_while(client, settings, db):
    settings.ACCOUNT_RATE_LIMITS = {"invitation": "3/m/ip"}
    codes = [opened(client, f"guess-{number}").status_code for number in range(4)]
    assert codes == [404, 404, 404, 429]


# The pages where they are made


@pytest.fixture
def admin_client(client, study):
    client.force_login(make_admin("boss"))
    return client


def invite_to(client, study, **form):
    url = reverse("accounts:study_invitations", args=[study.slug])
    return client.post(url, {"role": "annotator", "days": 14} | form)


def test_many_addresses_get_a_link_each(admin_client, study):
    page = invite_to(
        admin_client, study, emails="ana@example.org\nben@example.org, ana@example.org"
    )
    links = set(re.findall(r"http://testserver/invitation/([^/]+)/", page.text))
    assert len(links) == 2
    assert set(Invitation.objects.values_list("email", flat=True)) == {
        "ana@example.org",
        "ben@example.org",
    }
    assert mail.outbox == []


def test_where_mail_is_set_up_each_gets_a_letter(admin_client, study, settings):
    settings.MAIL_IS_SET_UP = True
    page = invite_to(admin_client, study, emails="ana@example.org ben@example.org")
    assert [letter.to for letter in mail.outbox] == [["ana@example.org"], ["ben@example.org"]]
    assert "/invitation/" in mail.outbox[0].body
    assert page.text.count(">sent<") == 2


@pytest.mark.parametrize(
    ("chosen", "of_sender", "said"),
    [
        ("fr", "en", "Bonjour"),
        ("en", "fr", "Hello"),
        ("", "fr", "Bonjour"),
        ("", "en", "Hello"),
        # No account has the address.
        (None, "fr", "Bonjour"),
    ],
)
def test_a_letter_is_in_the_language_its_reader_chose_or_else_in_the_senders(
    admin_client, study, settings, chosen, of_sender, said
):
    settings.MAIL_IS_SET_UP = True
    if chosen is not None:
        ana = make_person("ana", email="ana@example.org")
        Preferences.objects.create(person=ana, language=chosen)
    admin_client.cookies[settings.LANGUAGE_COOKIE_NAME] = of_sender
    page = invite_to(admin_client, study, emails="Ana@example.org")
    [letter] = mail.outbox
    assert letter.body.startswith(said)
    assert ("l’étude" if said == "Bonjour" else "the study") in letter.subject
    assert page.headers["Content-Language"] == of_sender


def test_a_link_for_whoever_has_it_is_in_the_senders_language(admin_client, study):
    Preferences.objects.create(person=make_person("without-address"), language="fr")
    assert "Hello," in invite_to(admin_client, study).text


def test_a_letter_that_cannot_be_sent_is_shown_to_be_copied(admin_client, study, settings):
    settings.MAIL_IS_SET_UP = True
    settings.EMAIL_BACKEND = "tests.annotate.accounts.test_invitations.NoServer"
    page = invite_to(admin_client, study, emails="ana@example.org")
    assert "could not be sent" in page.text
    assert "/invitation/" in page.text


class NoServer:
    """A mail backend whose server does not answer."""

    def __init__(self, **options):
        pass

    def send_messages(self, messages):
        raise ConnectionRefusedError


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"emails": "ana@"}, "not an e-mail address"),
        ({"role": "admin"}, "Select a valid choice"),
        ({"days": "999"}, "Select a valid choice"),
        ({"emails": " ".join(f"p{n}@example.org" for n in range(101))}, "At most 100"),
    ],
)
def test_what_cannot_be_invited_is_422_and_nobody_is(admin_client, study, form, said):
    response = invite_to(admin_client, study, **form)
    assert response.status_code == 422
    assert said in response.text
    assert not Invitation.objects.exists()


def test_a_used_invitation_cannot_be_revoked(admin_client, study):
    invitation = made(study).invitation
    accept(invitation=invitation, person=make_person())
    page = admin_client.post(reverse("accounts:revoke", args=[invitation.pk]), follow=True)
    assert "was used meanwhile" in page.text
    invitation.refresh_from_db()
    assert invitation.state == "used"


def test_each_step_of_an_invitation_is_in_the_log(admin_client, study):
    invite_to(admin_client, study)
    person = make_person()
    accept(invitation=Invitation.objects.get(), person=person)
    entries = AuditEntry.objects.order_by("pk").values_list("act", "actor__username", "about")
    assert list(entries)[-3:] == [
        (Act.INVITED, "boss", None),
        (Act.MEMBER_ADDED, person.username, person.pk),
        (Act.INVITATION_USED, person.username, person.pk),
    ]


def test_the_list_of_a_study_shows_no_other_study(admin_client, study):
    made(make_study(["a", "b"]), emails=["other@example.org"])
    made(study, emails=["own@example.org"])
    url = reverse("accounts:study_invitations", args=[study.slug])
    page = admin_client.get(url).text
    assert "own@example.org" in page
    assert "other@example.org" not in page
    assert "other@example.org" in admin_client.get(reverse("accounts:invitations")).text
