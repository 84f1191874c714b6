"""Practice enters nothing: no log, ranking, report or export (T18)."""

import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.judging.models import Assignment, Judgement, Screen, Skip, Withdrawal
from annotate.learning import services
from annotate.learning.models import FirstVisit
from annotate.reports.exports import FORMATS
from annotate.scoring.services import score_protocol
from annotate.studies.models import StudyImage
from tests.support.factories import add_newcomer, add_researcher, make_study
from tests.support.made_once import made_once
from tests.support.practice import practise
from tests.support.truths import rank_everything, same_truth

pytestmark = pytest.mark.django_db

TRUTH = same_truth([["a"], ["b", "c"]])
LOG = (Assignment, Screen, Judgement, Skip, Withdrawal, StudyImage)


def make_the_study():
    study = make_study(["a", "b", "c"], images=2, min_annotators=1)
    score_protocol(dataset=study.dataset, slug="iou")
    return study


made_study = made_once(make_the_study)


def log():
    return {model: list(model.objects.order_by("pk").values()) for model in LOG}


def published(client, study):
    """Return what researchers see and download, but for the time of the request."""
    addresses = [reverse("reports:report", args=[study.slug])] + [
        reverse("reports:export", args=[study.slug, extension]) for extension in FORMATS
    ]
    answers = {address: client.get(address) for address in addresses}
    assert {response.status_code for response in answers.values()} == {200}
    return {address: without_times(response) for address, response in answers.items()}


def without_times(response):
    text = response.content.decode()
    text = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?", "now", text)
    return re.sub(r"\d+:\d\d( [ap]\.m\.)?", "now", text)


def whole_visit(study, annotator):
    services.give_consent(study=study, annotator=annotator)
    practise(study, annotator, 1, 0)
    practise(study, annotator, 2, 3)
    services.finish(study=study, annotator=annotator)


def test_t18_practice_changes_no_log_no_report_and_no_export(client, study):
    rank_everything(study, add_newcomer(study), TRUTH)
    newcomer = add_newcomer(study)
    client.force_login(add_researcher(study))
    logged, before = log(), published(client, study)
    whole_visit(study, newcomer)
    assert len(FirstVisit.objects.get().practice_answers) == 12
    assert log() == logged
    assert published(client, study) == before
    call_command("replay", check=True)
