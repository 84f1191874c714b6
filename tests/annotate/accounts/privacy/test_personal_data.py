"""Personal data is exported in full, and erased so that nothing leads back."""

import json

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from annotate.accounts.models import Preferences
from annotate.accounts.privacy import personal_data
from annotate.accounts.privacy.errors import NotErased
from annotate.accounts.services import accept, invite
from annotate.audit.models import Act, AuditEntry
from annotate.judging import services as judging
from annotate.judging.models import Judgement, Skip
from annotate.judging.replay import rankings_that_differ
from annotate.studies.services import remove_member
from tests.support.factories import add_annotator, make_admin, make_person, make_study
from tests.support.made_once import made_once
from tests.support.truths import rank_everything, same_truth, skipped

pytestmark = pytest.mark.django_db
AB = same_truth([["a"], ["b"]])
USERNAME, PASSWORD = "zenobia-quill", "a-long-phrase-93"


made_study = made_once(lambda: make_study(["a", "b"], images=3))


@pytest.fixture
def person(study, client):
    """Return a user with traces everywhere: profile, keys, sessions, answers, words, invitations."""
    person = User.objects.create_user(
        USERNAME, "zq@example.org", PASSWORD, first_name="Zenobia", last_name="Quill"
    )
    EmailAddress.objects.create(user=person, email="zq@example.org", primary=True)
    Authenticator.objects.create(
        user=person, type=Authenticator.Type.TOTP, data={"secret": "secretsecret"}
    )
    Preferences.objects.create(person=person, theme="dark")
    accept(
        invitation=invite(study=study, role="researcher", emails=["zq@example.org"])[0].invitation,
        person=person,
    )
    invite(study=make_study(["a", "b"]), role="annotator", emails=["zq@example.org"])
    add_annotator(study, person)
    turn = judging.start(study=study, annotator=person).turn
    skipped(turn, "other", text="Zenobia could not see it", environment={"agent": "Zbrowser"})
    rank_everything(study, person, AB)
    # One browser is signed in, and in another the second factor is still missing.
    Client().force_login(person)
    client.post(reverse("account_login"), {"login": USERNAME, "password": PASSWORD})
    return person


def test_erasure_closes_the_account(person, client):
    pseudonym = personal_data.erase(person)
    person.refresh_from_db()
    assert person.username == pseudonym
    assert pseudonym.startswith("erased-")
    assert not person.is_active
    assert not person.has_usable_password()
    assert not EmailAddress.objects.exists()
    assert not Authenticator.objects.exists()
    assert not UserSession.objects.exists()
    assert not Session.objects.exists()
    assert not Preferences.objects.exists()
    assert "Sign in" in client.get(reverse("home")).text
    assert not client.login(username=USERNAME, password=PASSWORD)


def test_answers_and_rankings_stay_as_they_were(person, study):
    before = list(Judgement.objects.order_by("pk").values())
    rankings = list(study.assignments.order_by("pk").values_list("state", "rankings"))
    personal_data.erase(person)
    assert list(Judgement.objects.order_by("pk").values()) == before
    assert list(study.assignments.order_by("pk").values_list("state", "rankings")) == rankings
    assert Skip.objects.count() == 1
    assert not any(differs for _, differs in rankings_that_differ())


def test_two_erased_people_have_two_names():
    assert personal_data.erase(make_person()) != personal_data.erase(make_person())


def test_other_people_are_left_alone(person):
    client = Client()
    other = make_person("untouched", email="u@example.org")
    Preferences.objects.create(person=other, theme="light")
    client.force_login(other)
    personal_data.erase(person)
    other.refresh_from_db()
    assert (other.username, other.email, other.is_active) == ("untouched", "u@example.org", True)
    assert other.preferences.theme == "light"
    assert "untouched" in client.get(reverse("home")).text


def test_the_last_admin_cannot_go():
    admin = make_admin()
    with pytest.raises(NotErased, match="only admin"):
        personal_data.erase(admin)
    make_admin()
    personal_data.erase(admin)
    admin.refresh_from_db()
    assert not admin.is_staff


def test_an_admin_whose_account_is_closed_does_not_count():
    admin, closed = make_admin(), make_admin()
    closed.is_active = False
    closed.save()
    with pytest.raises(NotErased):
        personal_data.erase(admin)


def test_erasure_is_in_the_log_under_the_pseudonym(person):
    pseudonym = personal_data.erase(person)
    entry = AuditEntry.objects.get(act=Act.ERASED)
    assert entry.about.username == entry.actor.username == pseudonym


# The pages


def test_erasure_wants_the_password(person, client):
    client.force_login(person)
    response = client.post(reverse("privacy:erase"), {"password": "wrong"})
    assert response.status_code == 422
    assert "Nothing was erased" in response.text
    person.refresh_from_db()
    assert person.username == USERNAME


def test_erasure_says_before_what_stays_and_after_that_it_is_done(client):
    client.force_login(make_person("plain"))
    before = client.get(reverse("privacy:erase")).text
    assert "Data that stay" in before
    assert "your answers and rankings" in before
    after = client.post(reverse("privacy:erase"), {"password": "pw"}, follow=True)
    assert "is erased" in after.text
    assert not User.objects.filter(username="plain").exists()


def test_passwords_cannot_be_tried_without_end(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {"reauthenticate": "2/m/user"}
    client.force_login(make_person())
    url = reverse("privacy:erase")
    codes = [client.post(url, {"password": "wrong"}).status_code for _ in range(3)]
    assert codes == [422, 422, 429]


def test_the_last_admin_reads_why_not(client):
    client.force_login(make_admin("boss"))
    assert "only admin" in client.get(reverse("privacy:erase")).text
    response = client.post(reverse("privacy:erase"), {"password": "pw"})
    assert response.status_code == 422
    assert User.objects.filter(username="boss").exists()


def exported(client):
    response = client.get(reverse("privacy:export"))
    assert "attachment" in response["Content-Disposition"]
    return response.json()


def test_the_export_has_everything_that_points_to_the_person(person, client, study):
    # The second factor is on, so that the password alone did not sign in.
    client.force_login(person)
    data = exported(client)
    assert data["account"]["email"] == "zq@example.org"
    assert set(data["stored"]) >= {
        "account.emailaddress",
        "annotate.assignment",
        "annotate.auditentry",
        "annotate.firstvisit",
        "annotate.invitation",
        "annotate.membership",
        "annotate.preferences",
        "mfa.authenticator",
    }
    kinds = [answer["kind"] for answer in data["answers"]]
    assert kinds.count("judgement") == Judgement.objects.count() == 3
    assert kinds.count("skip") == 1
    assert data["answers"][0]["study"] == study.name
    assert "Zenobia could not see it" in json.dumps(data)


def test_the_export_holds_no_secret_and_no_method(person, client):
    client.force_login(person)
    text = json.dumps(exported(client))
    person.refresh_from_db()
    assert person.password not in text
    assert "secretsecret" not in text
    assert client.session.session_key not in text
    assert set(keys_of(exported(client))).isdisjoint(
        {"password", "token_hash", "session_key", "rankings", "items", "left", "right"}
    )


def keys_of(value):
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


def test_the_export_names_nobody_else(client, study):
    admin, person = make_admin("the-boss"), make_person()
    accept(
        invitation=invite(study=study, role="annotator", made_by=admin)[0].invitation, person=person
    )
    client.force_login(person)
    assert "the-boss" not in json.dumps(exported(client))


def test_every_relation_to_a_person_is_either_taken_or_kept_on_purpose():
    """A table that comes later must be decided here: CASCADE goes, everything else stays."""
    kept = {
        relation.related_model._meta.label
        for relation in personal_data._relations()
        if relation.on_delete.__name__ != "CASCADE"
    }
    assert kept == {
        "annotate.Arrival",
        "annotate.Assignment",
        "annotate.AuditEntry",
        "annotate.Draft",
        "annotate.EarlierTruth",
        "annotate.Exclusion",
        "annotate.FirstVisit",
        "annotate.Import",
        "annotate.Invitation",
        "annotate.Job",
        "annotate.Judge",
        "annotate.KeptReport",
        "annotate.Membership",
        "annotate.Pseudonym",
        # Names no annotator; who made it is known by reference.
        "annotate.PublicPage",
        "annotate.Release",
        "annotate.Selection",
    }


def test_who_was_removed_from_a_study_sees_nothing_of_it(client, study):
    annotator = add_annotator(study)
    rank_everything(study, annotator, AB)
    n_answers = Judgement.objects.count()
    remove_member(membership=study.memberships.get(person=annotator))
    client.force_login(annotator)
    assert study.name not in client.get(reverse("home")).text
    assert client.get(reverse("judging:judge", args=[study.slug])).status_code == 404
    assert client.get(reverse("judging:history", args=[study.slug])).status_code == 404
    assert Judgement.objects.count() == n_answers
    assert study.assignments.filter(state="complete").count() == 3
