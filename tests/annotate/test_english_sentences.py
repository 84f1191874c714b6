"""Sentences that are stored, and those of the libraries, are English and marked so."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.jobs.models import Job
from tests.support.factories import make_admin


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "shown"),
    [("fr", '<span lang="en">Score IoU on Left</span>'), ("en", "Score IoU on Left")],
)
def test_a_stored_sentence_is_marked_on_pages_of_other_languages(client, language, shown):
    admin = make_admin()
    job = Job.objects.create(
        kind="x", title="Score IoU on Left", state="done", person=admin, finished=timezone.now()
    )
    client.force_login(admin)
    address = reverse("jobs:job", args=[job.pk])
    assert f"<h1>{shown}</h1>" in client.get(address, headers={"accept-language": language}).text
