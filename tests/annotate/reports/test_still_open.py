"""Every page with tests of an open study explains the cost of repeated looks."""

import pytest
from django.urls import reverse

from annotate.reports.services import available_runs
from annotate.studies.services import set_state
from rankings.agreement.report import Settings
from rankings.output.methods_text import methods_paragraph
from tests.support.factories import add_annotator, make_admin, make_run, make_study
from tests.support.kept import keep_report
from tests.support.made_once import made_once
from tests.support.truths import rank_everything, same_truth

pytestmark = [pytest.mark.django_db, pytest.mark.release]

OPEN = (
    "after every ten images and stopping at the first test below 5 % finds a difference between equal "
    "protocols in"
)
PAGES = ("reports:report", "figures:figures", "figures:detectors", "questions:questions")


def differing_study():
    """Three people who differ a little on four images."""
    study = make_study(["a", "b", "c"], images=4)
    make_run(study, "Right", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    for ranking in (["a"], ["b"], ["c"]), (["a"], ["c"], ["b"]), (["a"], ["b", "c"]):
        rank_everything(study, add_annotator(study), same_truth(list(ranking)))
    return study


made_study = made_once(differing_study)


def kept_report(study):
    settings, runs = Settings(min_annotators=1), available_runs(study)
    return keep_report(study=study, settings=settings, runs=runs, person=make_admin())


@pytest.mark.parametrize("page", PAGES)
def test_a_page_with_tests_says_it_while_the_study_is_open(researcher, study, page):
    address = reverse(page, args=[study.slug])
    assert OPEN in researcher.get(address).text
    set_state(study=study, state="closed")
    assert OPEN not in researcher.get(address).text


@pytest.mark.parametrize("page", ["reports:kept", "figures:kept_figures", "figures:kept_detectors"])
def test_a_kept_report_says_it_if_the_study_was_open_then(researcher, study, page):
    kept = kept_report(study)
    set_state(study=study, state="closed")
    assert (
        "The study was still open" in researcher.get(reverse(page, args=[study.slug, kept.pk])).text
    )
    later = kept_report(study)
    assert OPEN not in researcher.get(reverse(page, args=[study.slug, later.pk])).text


@pytest.mark.parametrize("extension", ["json", "tex", "md"])
def test_a_file_of_a_report_says_it_while_the_study_is_open(researcher, study, extension):
    address = reverse("reports:export", args=[study.slug, extension])
    assert "in 22" in researcher.get(address).text
    set_state(study=study, state="closed")
    assert "in 22" not in researcher.get(address).text


def test_the_methods_text_says_it_if_the_study_was_open(study):
    kept = kept_report(study)
    said = "".join(part for part in methods_paragraph(kept.data) if isinstance(part, str))
    assert "The study was still open" in said
    set_state(study=study, state="closed")
    kept = kept_report(study)
    said = "".join(part for part in methods_paragraph(kept.data) if isinstance(part, str))
    assert "still open" not in said
