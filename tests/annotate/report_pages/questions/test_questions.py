"""The page of the open questions: what it says, what it computes when it is asked, and its edges."""

import csv
import io
import re

import pytest
from django.urls import reverse

from annotate.jobs.models import Job
from annotate.report_pages.questions import services
from annotate.report_pages.questions.variants import tried
from annotate.reports.services import asked_now
from annotate.scoring.services import score_protocol
from rankings.agreement.report import Settings
from tests.support.differing import two_who_differ
from tests.support.factories import add_annotator, add_researcher, make_run, make_study
from tests.support.made_once import made_once
from tests.support.truths import rank_by, rank_everything, same_truth

pytestmark = pytest.mark.django_db

WHERE = {"min_annotators": "2", "criterion": "precision"}
SETTINGS = Settings(min_annotators=2)


made_study = made_once(two_who_differ)


def address(study):
    return reverse("questions:questions", args=[study.slug])


def section(response, slug):
    return next(one for one in response.context["sections"] if one.slug == slug)


def test_every_question_has_its_place_and_an_answer(researcher, study):
    response = researcher.get(address(study), WHERE)
    assert response.status_code == 200
    slugs = [one.slug for one in response.context["sections"]]
    assert slugs == [
        *("annotators", "values", "ties", "beta", "weights", "nothing", "thresholds", "slices"),
    ]
    for slug in slugs:
        assert f'id="{slug}"' in response.text
    # a > b > c and a > c > b tie nothing; their mean ranks tie b and c, one pair of three.
    assert "Single annotators tie 0 % of the pairs" in section(response, "ties").answer
    assert "their consensus 33 %" in section(response, "ties").answer
    assert "preference is compared with an F-score" in section(response, "beta").answer
    assert "min_iou" not in response.text
    # Scores are links to the images on which protocol and people disagree.
    [link] = set(re.findall(r'href="([^"]*disagreement[^"]*protocol=IOU[^"]*)"', response.text))
    assert researcher.get(link.replace("&amp;", "&")).status_code == 200


def test_parts_of_the_images_have_a_column_each_and_no_interval_below_ten(researcher, study):
    response = researcher.get(address(study), WHERE)
    by_name = {part.title: part for part in section(response, "slices").parts}
    words = by_name["Number of words"]
    assert [column.name for column in words.columns] == ["Protocol", "1 (3 images)"]
    assert not any(" to " in row for row in words.rows)
    assert "not known" not in response.text


def test_other_parameters_are_tried_when_somebody_asks(researcher, study, monkeypatch):
    """Of few results at once; IOU finds nothing of c: with precision 1 for that it is no longer last."""
    before = researcher.get(address(study), WHERE)
    assert before.context["changes"] is None
    assert "Try other parameters" in before.text
    file = reverse("questions:table", args=[study.slug, "nothing", "csv"])
    assert researcher.get(file, WHERE).status_code == 409
    response = researcher.post(f"{address(study)}?min_annotators=2&criterion=precision")
    assert response.url == f"{address(study)}?min_annotators=2&criterion=precision#weights"
    after = researcher.get(response.url)
    assert after.context["changes"].is_current
    assert "Nothing to change in: Reversed." in after.text
    body = [
        line
        for line in researcher.get(file, WHERE).content.decode().splitlines()
        if not line.startswith("#")
    ]
    rows = {
        (row["Criterion"], row["Precision of nothing"]): row
        for row in csv.DictReader(io.StringIO("\n".join(body)))
    }
    assert {criterion for criterion, _ in rows} == {"precision", "preference"}
    # As published a > b > c: no pair from the first annotator, one of three from the other. With 1 it is
    # a = c > b: 1 1/2 pairs from the first, 1/2 from the other.
    one = rows["precision", "one"]
    assert [float(one[name]) for name in ("As it is", "Changed", "Gain")] == pytest.approx(
        [100 / 6, 100 / 3, 100 / 6]
    )
    assert float(rows["precision", "zero"]["Gain"]) == 0
    undefined = rows["precision", "undefined"]
    assert (undefined["Images"], undefined["Left out"], undefined["Gain"]) == ("0", "3", "")
    # Another setting is another question; a study with new answers is reported as changed.
    assert researcher.get(address(study), WHERE | {"decimals": "2"}).context["changes"] is None
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b", "c"]]))
    later = researcher.get(address(study), {"min_annotators": "2"})
    assert "the study has changed since" in later.text
    assert (
        researcher.get(reverse("questions:table", args=[study.slug, "x", "csv"]), WHERE).status_code
        == 404
    )


def test_many_results_are_scored_as_work(researcher, study, monkeypatch):
    monkeypatch.setattr(services, "MOST_AT_ONCE", 5)
    response = researcher.post(f"{address(study)}?min_annotators=2")
    job = Job.objects.get(kind="questions.changes")
    assert job.state == "done", job.failure
    assert response.url == f"{address(study)}?min_annotators=2#weights"
    assert services.last(asked_now(study, SETTINGS)).is_current


def test_the_api_has_the_same(researcher, study):
    path = f"/api/v1/studies/{study.slug}/changes"
    nothing = researcher.get(path, {"min_annotators": 2}).json()
    assert nothing == {"computed": None, "is_current": False, "signature": "", "changes": {}}
    response = researcher.post(path, {"min_annotators": 2}, content_type="application/json")
    assert response.status_code == 202
    found = researcher.get(path, {"min_annotators": 2}).json()
    assert found["is_current"]
    assert found["signature"].startswith("report|decimals:")
    [iou] = found["changes"]["precision"]
    kept = services.last(asked_now(study, SETTINGS)).data
    assert iou == kept["changes"]["precision"][0]
    assert [one["parameter"] for one in iou["searches"]][-1] == "any one of them"


def test_only_numbers_that_are_thresholds_are_searched(study):
    """And a run's own parameters are what "as it is" means."""
    run = score_protocol(dataset=study.dataset, slug="iou", parameters={"min_iou": 0.7})
    found = tried(run)
    assert found.variants.values["min_iou"][0] == 0.7
    assert set(found.variants.values["min_iou"][1]) == {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9}
    assert set(found.variants.values) == {"min_iou", "max_ignored_share"}
    assert set(found.variants.weights) == {"area", "characters"}
    deteval = tried(score_protocol(dataset=study.dataset, slug="deteval"))
    assert set(deteval.variants.values["max_centre_distance"][1]) == {0.25, 0.5, 2, 4}
    assert tried(score_protocol(dataset=study.dataset, slug="count")) is None
    assert tried(study.dataset.runs.get(name="Reversed")) is None
    run.parameters = {"of an older version": 1}
    assert tried(run) is None


@pytest.mark.parametrize("n_annotators", [0, 1])
def test_with_nobody_or_one_annotator_the_page_says_what_lacks(client, n_annotators):
    study = make_study(["a", "b"], images=1)
    client.force_login(add_researcher(study))
    assert "No protocol has scored" in client.get(address(study)).text
    rank_by(n_annotators, study, same_truth([["a", "b"]]))
    score_protocol(dataset=study.dataset, slug="iou")
    make_run(study, "P", {"a": 0.9, "b": 0.1})
    response = client.get(address(study), {"min_annotators": "1"})
    if n_annotators:
        assert "one annotator says nothing about others" in section(response, "annotators").answer
        assert section(response, "annotators").figure.is_empty
        client.post(f"{address(study)}?min_annotators=1")
        after = client.get(address(study), {"min_annotators": "1"})
        assert "Not known" in section(after, "thresholds").answer
    else:
        assert "No image counts yet" in response.text
        client.post(address(study))
        assert client.get(address(study)).status_code == 200
