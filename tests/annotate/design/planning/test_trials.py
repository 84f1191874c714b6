"""Trying a planned design: the page, the job, its result, and the API."""

import pytest
from django.urls import reverse

from annotate.design.planning import work
from annotate.jobs.models import Job
from tests.support.differing import two_who_differ
from tests.support.factories import make_person
from tests.support.made_once import made_once

pytestmark = pytest.mark.django_db
made_study = made_once(two_who_differ)
ASKED = {"study": "", "people": "30", "images": "5000", "difference": "6"}


@pytest.fixture(autouse=True)
def _few_studies(monkeypatch):
    monkeypatch.setattr("rankings.design.trials.N_STUDIES", 20)


def address(study, **asked):
    path = reverse("planning:plan", args=[study.dataset.slug])
    return f"{path}?{'&'.join(f'{name}={value}' for name, value in {**ASKED, **asked}.items())}"


def test_a_design_is_tried_by_a_job_and_the_page_shows_what_was_found(researcher, study):
    before = researcher.get(address(study)).text
    assert "Try this design" in before
    assert "Differences found" not in before
    response = researcher.post(address(study), {"model": "normal"})
    job = Job.objects.get(kind="planning.try")
    assert (job.state, job.address) == ("done", response["Location"])
    page = researcher.get(response["Location"])
    trial = page.context["trial"]
    assert trial["n_studies"] == "20"
    for words in (f"{trial['power']}&nbsp;%", f"± {trial['power_error']}", "20 simulated studies"):
        assert words in page.text
    # Another question or model is another trial.
    assert "Differences found" not in researcher.get(address(study, difference="7")).text
    assert "Differences found" not in researcher.get(address(study, model="thurstone")).text


def test_a_model_that_is_none_is_refused_beside_its_field(researcher, study):
    response = researcher.post(address(study), {"model": "astrology"})
    assert response.status_code == 422
    assert "Select a valid choice" in response.text
    assert not Job.objects.exists()


def test_a_plan_without_a_design_has_none_to_try(researcher, study):
    asked = {"difference": "0.5", "people": "3", "images": "3"}
    assert "Try this design" not in researcher.get(address(study, **asked)).text
    assert researcher.post(address(study, **asked), {"model": "normal"}).status_code == 422


def test_a_design_that_is_too_large_says_so(researcher, study, monkeypatch):
    monkeypatch.setattr("rankings.design.simulation.MOST_CELLS", 10)
    assert "too large to be simulated" in researcher.get(address(study)).text


def test_a_difference_that_cannot_be_made_fails_with_a_sentence(researcher, study):
    researcher.post(address(study, difference="90"), {"model": "thurstone"})
    job = Job.objects.get(kind="planning.try")
    assert job.state == "failed"
    assert "no noise of protocols makes such a difference" in job.failure


def test_the_api_tries_and_shows_the_same(researcher, study):
    path = reverse("api:plan", args=[study.dataset.slug])
    asked = {"study": "", "people": 30, "images": 5000, "difference": 0.06}
    assert researcher.get(path, asked).json()["trial"] is None
    assert researcher.post(path, asked, "application/json").status_code == 202
    trial = researcher.get(path, asked).json()["trial"]
    assert trial["n_studies"] == 20
    assert 0 <= trial["power"] <= 1
    assert 0 <= trial["false_alarms"] <= 1
    too_few = {"people": 3, "images": 3, "difference": 0.005}
    response = researcher.post(path, too_few, "application/json")
    assert response.status_code == 422
    assert "no design to try" in response.text


def test_only_who_sees_the_data_may_try(client, study):
    client.force_login(make_person())
    assert client.post(address(study), {"model": "normal"}).status_code == 404
    assert work.KIND == "planning.try"
