"""Each kind of job, its worker killed at some moment: the result is there exactly once."""

import time

import pytest

from annotate.exchange import work as exchange
from annotate.figures import work as figures
from annotate.jobs import files
from annotate.jobs.models import Job
from annotate.reports import work as reports
from annotate.reports.models import KeptReport
from annotate.reports.services import asked_now
from annotate.scoring import work as scoring
from annotate.scoring.models import ProtocolRun
from rankings.agreement.report import Settings
from tests.support.factories import add_annotator, make_admin, make_study
from tests.support.processes import wait_for, wait_for_end
from tests.support.truths import rank_everything, same_truth

SETTINGS = Settings(min_annotators=1)


@pytest.fixture
def study(transactional_db):
    study = make_study(["a", "b", "c"], images=2)
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"], ["c"]]))
    return study


def start(kind, study, person):
    if kind == "score":
        return scoring.start(dataset=study.dataset, slug="iou", parameters={}, person=person)
    of_report = {"asked": asked_now(study, SETTINGS), "person": person}
    if kind == "report":
        return reports.start(**of_report)
    if kind == "figures":
        return figures.start(**of_report)
    return exchange.start(exchange.BUNDLE, study, photographs=False, names=False, person=person)


@pytest.mark.release
@pytest.mark.parametrize("kind", ["score", "report", "bundle", "figures"])
def test_a_kind_whose_worker_is_killed_is_done_once(workers, study, kind):
    job = start(kind, study, make_admin())
    workers.start()
    wait_for(lambda: Job.objects.exclude(state="waiting").exists(), "the beginning")
    time.sleep(0.05)
    workers.kill()
    workers.start()
    job = wait_for_end(job)
    assert job.state == "done", job.failure
    assert job.n_attempts <= 2
    assert ProtocolRun.objects.count() == (kind == "score")
    assert KeptReport.objects.count() == (kind == "report")
    has_file = kind in ("bundle", "figures")
    assert (files.path_of(job) is not None) == has_file
    assert len([path for path in files.folder().iterdir() if path.suffix != ".part"]) == has_file


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "arguments", "sentence"),
    [
        ("scoring.score", {"dataset": 0, "protocol": "iou", "parameters": {}}, "The dataset is no"),
        ("reports.keep", {"study": 0, "settings": {}, "runs": []}, "The study is no longer here."),
        (
            "figures.files",
            {"study": 0, "settings": {}, "runs": [], "kept": None},
            "The study is no",
        ),
        (
            "exchange.bundle",
            {"study": 0, "photographs": False, "names": False},
            "The study is no",
        ),
        ("exchange.raw", {"study": 0, "names": False}, "The study is no longer"),
        ("exchange.truth", {"dataset": 0, "extension": "zip"}, "The dataset is no longer"),
        ("exchange.photographs", {"dataset": 0}, "The dataset is no longer"),
        ("exchange.results", {"method": 0, "extension": "zip"}, "The method is no longer"),
    ],
)
def test_what_it_is_about_was_removed_meanwhile(kind, arguments, sentence):
    from annotate.jobs import services

    job = services.start(kind=kind, **arguments)
    assert job.state == "failed"
    assert sentence in job.failure
