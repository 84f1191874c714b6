"""Every address of a study of twelve images that has no scores, no answers, or no usable protocol."""

import json

import pytest
from django.urls import reverse

from annotate.figures.kinds import NAMES as FIGURES
from annotate.reports.services import available_runs
from rankings.agreement.report import Settings
from rankings.output.detector_tables import DETECTOR_TABLES
from rankings.output.pair_tables import PAIR_TABLES
from tests.support.addresses import address_of, keys_of_addresses
from tests.support.factories import add_annotator, make_admin, make_run, make_study
from tests.support.kept import keep_report
from tests.support.pages import as_read, assert_for_people
from tests.support.truths import rank_by, same_truth
from tests.support.work import file_made

pytestmark = pytest.mark.django_db

# From ten images on, pages have intervals and tests.
N_IMAGES = 12
RIGHT = {"a": 0.9, "b": 0.5, "c": 0.1}


def answered():
    study = make_study(["a", "b", "c"], images=N_IMAGES, min_annotators=2)
    rank_by(2, study, same_truth([["a"], ["b"], ["c"]]))
    return study


def without_scores():
    return answered()


def without_answers():
    study = make_study(["a", "b", "c"], images=N_IMAGES)
    add_annotator(study)
    make_run(study, "Right", RIGHT)
    return study


def with_every_protocol_left_out():
    """The only protocol needs what the results of one method lack, such as confidences."""
    study = answered()
    run = make_run(study, "Confident", {"a": 0.9, "b": 0.5})
    run.origin, run.protocol = run.Origin.COMPUTED, "average-precision"
    run.overall = {
        name: dict.fromkeys(("recall", "precision", "f_score"), RIGHT[name]) for name in "ab"
    }
    run.save()
    assert available_runs(study) == []
    return study


@pytest.fixture(
    scope="module",
    params=(without_scores, without_answers, with_every_protocol_left_out),
    ids=lambda build: build.__name__,
)
def bare(request, module_data):
    """A study, a kept report of it, an admin who may open all its pages, and its state."""
    study, admin = request.param(), make_admin()
    kept = keep_report(
        study=study, settings=Settings(min_annotators=1), runs=available_runs(study), person=admin
    )
    return study, kept, admin, request.param


@pytest.fixture
def signed_in(client, bare):
    client.force_login(bare[2])
    return client


OF_A_STUDY = (
    *("studies", "reports", "evidence", "figures", "questions", "exchange", "publication"),
    "judges",
)
OF_OTHERS = ("accounts:study_invitations", "audit:study", "recruiting:entrances")
OF_A_DATASET = ("datasets", "leaderboards", "scored", "planning", "scoring", "imports:receipts")
# An annotator's own file; photographs, which these datasets lack.
NOT_ASKED = ("exchange:own_answers", "datasets:image", "datasets:small_image")
# Files that exist only if a table has a row, a figure a drawing, or a judge a task.
PARTIAL = (
    *("reports:export_table", "reports:kept_table", "questions:table"),
    *("figures:figure", "figures:kept_figure", "leaderboards:file", "leaderboards:figure"),
    "judges:sent",
)
TABLES = (
    *("intervals", "differences", "verdicts", "people", "sensitivity", "rounding", "agreement"),
    *("annotators", "variance", "taste", "values", "betas", "slices"),
    *DETECTOR_TABLES,
    *PAIR_TABLES,
)


def addresses(study, kept):
    """Yield the name and the path of every page and file of a study and of its dataset."""
    for name, wanted in keys_of_addresses().items():
        if name in NOT_ASKED or not name.startswith((*OF_A_STUDY, *OF_OTHERS, *OF_A_DATASET)):
            continue
        for own in _variations(name, wanted):
            yield name, address_of(name, study, pk=kept.pk, other=kept.pk, **own)


def _variations(name, wanted):
    if name in ("figures:figure", "figures:kept_figure"):
        return [{"name": figure, "extension": "svg"} for figure in FIGURES]
    if name in ("leaderboards:figure", "planning:map"):
        return [{"extension": "svg"}]
    if name == "leaderboards:file":
        return [{"table": one, "extension": "csv"} for one in ("leaderboard", "disagreements")]
    if name == "exchange:raw_file":
        return [{"name": one} for one in ("events.csv", "rankings.csv", "dictionary.csv")]
    if "table" in wanted:
        return [{"table": table, "extension": "md"} for table in TABLES]
    kinds = ("csv", "json", "tex", "md") if "extension" in wanted else (None,)
    return [{"extension": kind} for kind in kinds]


def test_every_address_of_a_bare_study_answers(signed_in, bare):
    study, kept, _, _ = bare
    n_pages = 0
    for name, path in addresses(study, kept):
        response = signed_in.get(path)
        if response.status_code == 405:
            continue
        if name in PARTIAL and response.status_code in (404, 409):
            continue
        assert response.status_code == 200, path
        if response.streaming:
            response.getvalue()
            continue
        n_pages += 1
        if response["Content-Type"] == "application/json":
            json.loads(response.content, parse_constant=_refused)
        assert_for_people(as_read(response.text), path)
    assert n_pages > 50


def _refused(constant):
    raise AssertionError(f"{constant} is not JSON")


# Pages without content until a protocol has scored; each says how to get there.
NEEDS_A_PROTOCOL = (
    *("reports:report", "questions:questions", "evidence:disagreement", "evidence:image"),
    *("figures:figures", "figures:detectors"),
)


def test_pages_that_need_a_protocol_say_how_to_get_one(signed_in, bare):
    study, kept, _, build = bare
    for name, path in addresses(study, kept):
        if name not in NEEDS_A_PROTOCOL:
            continue
        text = as_read(signed_in.get(path).text)
        needed = "No protocol has scored every method of this study yet: score protocols"
        assert (needed in text) == (build is not without_answers), name
        if build is without_answers and name not in ("evidence:image", "questions:questions"):
            assert "0 of 3 annotators" in text or "No image counts yet" in text, name


@pytest.mark.release
def test_files_made_in_the_background_are_made(signed_in, bare):
    study, kept, _, _ = bare
    for name, *more in (("figures:all_figures",), ("figures:all_kept_figures", kept.pk)):
        made = file_made(signed_in, reverse(name, args=[study.slug, *more]))
        assert made.status_code == 200
        made.getvalue()
