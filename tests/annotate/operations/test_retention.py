"""Each setting of retention is enforced by the hourly upkeep, and 0 keeps for ever."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotate.accounts.models import Invitation
from annotate.accounts.services import invite
from annotate.jobs.models import Job
from annotate.judging.models import Skip
from annotate.operations import retention
from tests.support.factories import make_admin, make_person, make_study
from tests.support.truths import first_turn, skipped

pytestmark = pytest.mark.django_db


def test_ended_jobs(settings):
    long_ago = timezone.now() - timedelta(days=181)
    old = Job.objects.create(kind="x", state="done", finished=long_ago)
    new = Job.objects.create(kind="x", state="done", finished=timezone.now())
    open_job = Job.objects.create(kind="x")
    settings.JOBS_KEPT_DAYS = 0
    retention.enforce()
    assert Job.objects.filter(pk=old.pk).exists()
    settings.JOBS_KEPT_DAYS = 180
    retention.enforce()
    assert set(Job.objects.all()) == {new, open_job}


def test_addresses_of_used_invitations(settings):
    settings.DETAILS_KEPT_DAYS = 365
    study, person = make_study(), make_person()
    old, new = (
        invite(study=study, role="annotator", emails=[f"{name}@example.org"])[0].invitation
        for name in ("old", "new")
    )
    for invitation, days in ((old, 366), (new, 364)):
        used = timezone.now() - timedelta(days=days)
        Invitation.objects.filter(pk=invitation.pk).update(used=used, used_by=person)
    retention.enforce()
    assert set(Invitation.objects.values_list("email", flat=True)) == {"", "new@example.org"}


def test_browsers_of_skipped_pairs(settings):
    settings.DETAILS_KEPT_DAYS = 365
    study = make_study(["a", "b"])
    turn = first_turn(study)
    skipped(turn, "other", text="too dark", environment={"agent": "x"})
    Skip.objects.update(environment={"agent": "x"}, created=timezone.now() - timedelta(days=364))
    retention.enforce()
    assert Skip.objects.get().environment == {"agent": "x"}
    Skip.objects.update(created=timezone.now() - timedelta(days=366))
    retention.enforce()
    assert Skip.objects.get().environment == {}


def test_accounts_that_are_not_used(settings):
    long_ago = timezone.now() - timedelta(days=400)
    used, unused, never = (make_person(name) for name in ("used", "unused", "never"))
    admin = make_admin("boss")
    User.objects.update(date_joined=long_ago, last_login=long_ago)
    User.objects.filter(pk=used.pk).update(last_login=timezone.now())
    User.objects.filter(pk=never.pk).update(last_login=None)
    retention.enforce()
    assert User.objects.filter(is_active=True).count() == 4, "0 is the default"
    settings.ACCOUNTS_KEPT_DAYS = 365
    retention.enforce()
    assert set(User.objects.filter(is_active=True)) == {used, admin}
    unused.refresh_from_db()
    assert unused.username.startswith("erased-")


def test_sessions_and_their_addresses(client):
    client.force_login(make_person())
    session = Session.objects.get()
    kept = UserSession.objects.create(
        user=User.objects.get(), ip="192.0.2.7", session_key=session.pk, user_agent="x"
    )
    UserSession.objects.create(user=User.objects.get(), ip="::1", session_key="gone")
    retention.clear_sessions()
    assert set(UserSession.objects.all()) == {kept}
