"""The same request under the same key from several sides at once."""

import pytest

from annotate.api.models import GivenAnswer
from annotate.reports.models import KeptReport
from tests.support.factories import add_researcher, make_study
from tests.support.together import at_once
from tests.support.world import signed_in


@pytest.mark.django_db(transaction=True)
def test_requests_at_the_same_moment_are_one():
    study = make_study()
    researcher = add_researcher(study)
    clients = [signed_in(researcher) for _ in range(4)]
    address, key = f"/api/v1/studies/{study.slug}/reports", {"Idempotency-Key": "k1"}
    calls = [lambda client=client: client.post(address, {}, headers=key) for client in clients]
    responses = at_once(*calls)
    assert [response.status_code for response in responses] == [202] * 4
    assert len({response.json()["id"] for response in responses}) == 1
    assert sum("Idempotency-Replayed" not in response for response in responses) == 1
    assert KeptReport.objects.count() == GivenAnswer.objects.count() == 1
