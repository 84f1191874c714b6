"""Jobs started as people and scripts do, and their results."""

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotate.jobs.models import Job
from annotate.jobs.registry import Kind, Needed, Work
from annotate.studies.models import Study
from tests.support.factories import add_researcher, make_study


def work_for_followers(work: Work) -> Kind:
    """Return a kind of job for every person who follows a study."""
    return Kind(work, Needed("annotate.follow_study", lambda arguments: Study.objects.all()))


def make_follower() -> User:
    return add_researcher(make_study(["a", "b"]))


def file_made(client: Client, address: str, sent: Mapping[str, str] | None = None) -> HttpResponse:
    """Post to a URL that starts the job of a file; return the download."""
    response = client.post(address, sent or {})
    assert response.status_code == 302
    job = Job.objects.latest("pk")
    assert response["Location"] == reverse("jobs:job", args=[job.pk])
    assert job.state == "done", job.failure
    return client.get(reverse("jobs:file", args=[job.pk]))


def made_by(client: Client, response: HttpResponse, kind: str) -> dict:
    """Return the product of an API job, after its response 202; ``kind`` is run or report."""
    assert response.status_code == 202, response.content
    job = client.get(response["Location"]).json()
    assert job["state"] == "done", job
    return client.get(f"/api/v1/{kind}s/{job['made'][kind]}").json()
