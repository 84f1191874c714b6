"""Every page in a browser: accessible in both themes, nothing refused, nothing wider than the screen."""

import re
from functools import partial
from io import BytesIO

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.codabench.downloads import receive
from annotate.codabench.work import start_load
from annotate.design.setup.models import NewStudy
from annotate.design.setup.services import begin
from annotate.imports import staging
from annotate.imports.models import Draft, Import
from annotate.jobs.models import Job
from annotate.judging import services
from annotate.publication.services import publish
from annotate.reports.services import available_runs
from annotate.scoring.services import score_protocol
from rankings.agreement.report import Settings
from tests.support.addresses import address_of
from tests.support.archives import zip_bytes
from tests.support.browsing import check_page, listen, unexpected
from tests.support.codabench import BULK
from tests.support.factories import add_annotator, add_researcher, make_admin, make_study
from tests.support.kept import keep_report
from tests.support.loads import add_results, checked, loaded, new_dataset
from tests.support.truths import rank_everything, same_truth

TRUTH = same_truth([["a"], ["b", "c"]])
# Other modules check the pages of accounts and tokens, and those behind a report.
PAGES = {
    "nobody": ["home", "account_login", "nowhere", "public:page"],
    "annotator": ["home", "judging:judge", "judging:own", "accounts:account"],
    "fresh": ["judging:judge"],
    "done": ["judging:judge", "judging:own", "judging:history"],
    "researcher": [
        "home",
        "studies:detail",
        "reports:report",
        "reports:kept_reports",
        "reports:kept",
        "publication:kept_paper",
        "publication:publish",
        "figures:kept_figures",
        "questions:questions",
        "evidence:notes",
        "figures:detectors",
        "figures:kept_detectors",
        "reports:compared",
        "exchange:raw",
        "audit:study",
    ],
    "admin": [
        "studies:detail",
        "studies:settings",
        "studies:members",
        "recruiting:entrances",
        "judges:judges",
        "judges:answers",
        "judges:release",
        "setup:start",
        "setup:begin",
        "setup:step",
        "setup:images",
        "setup:finish",
        "setup:preview",
        "datasets:list",
        "datasets:detail",
        "datasets:matrix",
        "datasets:scenes",
        "datasets:viewer",
        "planning:plan",
        "imports:start",
        "imports:files",
        "imports:report",
        "imports:confirm",
        "imports:receipts",
        "imports:receipt",
        "files:answers",
        "scoring:score",
        "codabench:competition",
        "codabench:load",
        "codabench:preview",
        "codabench:loaded",
        "jobs:work",
        "health:health",
        "jobs:job",
    ],
}


@pytest.fixture
def study(transactional_db):
    """An open study: one annotator is done, one is at work, one has not begun."""
    study = make_study(["a", "b", "c"], images=3)
    score_protocol(dataset=study.dataset, slug="iou")
    rank_everything(study, add_annotator(study), TRUTH)
    loaded(new_dataset(name="Street"))
    draft = new_dataset(name="Avenue")
    add_results(draft, {"res_img_1.txt": "0,0,9\n0,0,x,9\n0,0,9,9\n0,0,9,9\n"})
    checked(draft)
    packed = zip_bytes(BULK)
    _, download = [receive(study.dataset, [("bulk.zip", BytesIO(packed))]) for _ in range(2)]
    start_load(dataset=study.dataset, download=download, chosen={"13": "d"}, person=make_admin())
    Job.objects.create(kind="scoring.score", title="Score IOU on Avenue", done=3, total=8)
    return study


@pytest.fixture
def people(study):
    at_work = add_annotator(study)
    turn = services.start(study=study, annotator=at_work).turn
    pin = partial(services.pin_note, screen_id=turn.screen.public_id, annotator=at_work)
    pin(text="Is this text?", place={"side": "left", "at": [12, 40]}, discuss=True)
    pin(text="Both cut the word.")
    admin, methods = make_admin(), list(study.methods.all())
    begin(person=admin, dataset=study.dataset, name="New", methods=methods)
    return {
        "annotator": at_work,
        "fresh": add_annotator(study),
        "done": study.assignments.first().annotator,
        "researcher": add_researcher(study),
        "admin": admin,
    }


def address(name, study):
    if name == "nowhere":
        return "/nowhere/"
    if ":" not in name:
        return reverse(name)
    number = kept(study)
    given = {"pk": number, "other": number, "address": "a-report", "step": "design"}
    if name.startswith("setup:"):
        given["pk"] = NewStudy.objects.get().pk
    if name.startswith("imports:"):
        given["pk"] = Draft.objects.get(state="checked").pk
    if name == "imports:receipt":
        given["pk"] = Import.objects.first().pk
    if name.startswith("jobs:"):
        given["pk"] = Job.objects.last().pk
    if name == "codabench:preview":
        [download] = (staging.folder() / "codabench" / str(study.dataset.pk)).iterdir()
        given["token"] = download.name
    if name == "codabench:loaded":
        given["pk"] = Job.objects.get(kind="codabench.load").pk
    return address_of(name, study, **given)


def kept(study):
    """The number of a kept report of one ranking an image."""
    found = study.kept_reports.first()
    if found is None:
        settings = Settings(min_annotators=1)
        runs = available_runs(study)
        found = keep_report(study=study, settings=settings, runs=runs, person=make_admin())
        publish(report=found, person=None, title="A report", address="a-report")
    return found.pk


@pytest.mark.smoke
@pytest.mark.parametrize("who", PAGES)
def test_t19_pages_are_accessible_and_fit(open_as, live_server, study, people, who):
    page = open_as(people.get(who), reduced_motion="reduce")
    complaints = listen(page)
    for name in PAGES[who]:
        page.goto(live_server.url + address(name, study))
        check_page(page)
    assert unexpected(complaints) == []


def test_t17_a_study_can_be_ranked_to_the_end_without_javascript(
    open_as, live_server, study, people
):
    page = open_as(people["fresh"], java_script_enabled=False)
    page.goto(live_server.url + address("judging:judge", study))
    with page.expect_navigation():
        page.get_by_role("button", name="Start").click()
    expect(page.locator("[data-pane=left] [data-boxes] polygon")).to_have_count(2)
    expect(page.locator("[data-view-tools]")).to_be_hidden()
    expect(page.locator("[data-list]").first).to_be_hidden()
    for _ in range(3 * 3):
        if page.locator("form[data-screen-id]").count() == 0:
            break
        for question in page.locator("fieldset[data-criterion]:not([data-implied])").all():
            question.locator("input[value=equal]").check(force=True)
        with page.expect_navigation():
            page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text(re.compile("Thank you|Thanks")).first).to_be_visible()
    assignments = study.assignments.filter(annotator=people["fresh"])
    assert [assignment.state for assignment in assignments] == ["complete"] * 3
