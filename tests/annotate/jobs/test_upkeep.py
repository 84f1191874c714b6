"""Upkeep of a worker, once an hour."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.accounts.models import Invitation
from annotate.accounts.services import invite
from annotate.api.tokens.models import Token
from annotate.api.tokens.services import create_token
from annotate.jobs import queue, registry
from tests.support.factories import make_person, make_study


@pytest.mark.django_db
def test_what_ended_a_month_ago_is_forgotten_and_nothing_else():
    person, study = make_person(), make_study()
    old, recent, alive = (
        create_token(person=person, name=name, scopes=["read"])[0]
        for name in ("old", "new", "for ever")
    )
    links = [invite(study=study, role="annotator")[0].invitation for _ in range(3)]
    now = timezone.now()
    for rows, field in ((Token.objects, [old, recent]), (Invitation.objects, links[:2])):
        rows.filter(pk=field[0].pk).update(expires=now - timedelta(days=31))
        rows.filter(pk=field[1].pk).update(expires=now - timedelta(days=29))
    queue.upkeep()
    assert set(Token.objects.all()) == {recent, alive}
    assert set(Invitation.objects.all()) == set(links[1:])


@pytest.mark.django_db
def test_an_invitation_that_was_used_stays():
    link = invite(study=make_study(), role="annotator")[0].invitation
    long_ago = timezone.now() - timedelta(days=400)
    Invitation.objects.update(expires=long_ago, used=long_ago, used_by=make_person())
    queue.upkeep()
    assert Invitation.objects.get() == link


@pytest.mark.django_db
def test_upkeep_that_fails_is_logged_and_the_rest_is_done(monkeypatch, caplog):
    done = []

    def broken():
        raise OSError("the folder is gone")

    monkeypatch.setattr(registry, "UPKEEP", [broken, lambda: done.append(1)])
    monkeypatch.setattr(queue, "UPKEEP", registry.UPKEEP)
    queue.upkeep()
    assert done == [1]
    assert "the folder is gone" in caplog.text
