"""Uploads of one team at the same second: the quota is exact."""

import pytest

from annotate.challenges.errors import ChallengeRefused
from annotate.challenges.models import Entry
from annotate.jobs import queue
from tests.support.challenges import make_challenge, make_team, submit, upload
from tests.support.together import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def test_ten_uploads_at_once_of_a_team_use_exactly_its_quota(settings, monkeypatch):
    settings.JOBS = "queue"
    monkeypatch.setattr(queue, "put", lambda *job: None)
    team = make_team(make_challenge(entries_a_day=4))

    def uploading(at):
        def call():
            try:
                return submit(team, upload(img_0=[(at, 0, at + 9, 9)]))
            except ChallengeRefused as refusal:
                return refusal

        return call

    answers = at_once(*(uploading(at) for at in range(10)))
    taken = [answer for answer in answers if isinstance(answer, Entry)]
    assert len(taken) == team.entries.count() == 4
    assert sorted(entry.number for entry in taken) == [1, 2, 3, 4]
    assert all("today's entries" in str(answer) for answer in answers if answer not in taken)
