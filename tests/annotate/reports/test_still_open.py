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


def test_pages_and_files_say_it_while_the_study_is_open(researcher, study):
    files = [
        reverse("reports:export", args=[study.slug, extension])
        for extension in ("json", "tex", "md")
    ]
    said = {reverse(page, args=[study.slug]): OPEN for page in PAGES} | dict.fromkeys(
        files, "in 22"
    )
    for address, words in said.items():
        assert words in researcher.get(address).text, address
    set_state(study=study, state="closed")
    for address, words in said.items():
        assert words not in researcher.get(address).text, address


def methods_text(kept):
    return "".join(part for part in methods_paragraph(kept.data) if isinstance(part, str))


def test_kept_reports_and_their_methods_text_say_it_if_the_study_was_open_then(researcher, study):
    kept = kept_report(study)
    set_state(study=study, state="closed")
    later = kept_report(study)
    for name in ("reports:kept", "figures:kept_figures", "figures:kept_detectors"):
        before, after = (
            researcher.get(reverse(name, args=[study.slug, one.pk])).text for one in (kept, later)
        )
        assert "The study was still open" in before, name
        assert OPEN not in after, name
    assert "The study was still open" in methods_text(kept)
    assert "still open" not in methods_text(later)
