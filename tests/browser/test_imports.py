"""Loading data in a browser: files are dropped, progress is shown, work is cancelled, without scripts too."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.datasets.models import Dataset, Result
from annotate.imports.models import Draft
from annotate.jobs.models import Job
from tests.support.archives import picture_bytes, zip_file
from tests.support.factories import make_admin
from tests.support.loads import RESULTS, TRUTH, new_dataset


@pytest.fixture
def admin(transactional_db):
    return make_admin()


@pytest.fixture
def files(tmp_path):
    photographs = {f"img_{n}.png": picture_bytes() for n in (1, 2)}
    made = {"gt.zip": TRUTH, "photos.zip": photographs, "net.zip": RESULTS}
    return [str(zip_file(tmp_path / "files" / name, entries)) for name, entries in made.items()]


def walk(page, live_server, files):
    """From the first page to the receipt."""
    page.goto(live_server.url + reverse("imports:start"))
    page.get_by_label("Files", exact=True).set_input_files(files)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Name of the dataset").fill("Street")
    page.get_by_role("button", name="Check the files").click()
    page.get_by_role("heading", name="Report").first.wait_for()
    page.locator("svg.picture image").first.wait_for(state="attached")
    page.get_by_role("link", name="Continue to confirm").click()
    page.get_by_role("button", name="Load", exact=True).click()
    page.get_by_role("heading", name="Receipt").first.wait_for()


@pytest.mark.smoke("True")
@pytest.mark.parametrize("scripts", [True, False])
def test_files_become_a_dataset_with_scripts_and_without(
    open_as, live_server, admin, files, scripts
):
    page = open_as(admin, java_script_enabled=scripts)
    walk(page, live_server, files)
    assert Dataset.objects.get().images.exclude(sha256="").count() == 2
    assert Result.objects.count() == 2


def test_dropped_files_are_sent_one_by_one_and_what_is_refused_is_said(open_as, live_server, admin):
    page = open_as(admin)
    page.goto(live_server.url + reverse("imports:start"))
    page.get_by_text("or drop them here").wait_for()
    page.evaluate(
        """() => {
          const held = new DataTransfer();
          held.items.add(new File(["same"], "a.zip"));
          held.items.add(new File(["same"], "b.zip"));
          document.querySelector("[data-drop]").dispatchEvent(
            new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true }));
        }"""
    )
    expect(page.locator("[data-uploads] li").first).to_contain_text("a.zip")
    page.get_by_role("button", name="Continue").click()
    page.get_by_text("b.zip is the same file as a.zip").wait_for()
    assert [file.name for file in Draft.objects.get().files.all()] == ["a.zip"]


def test_progress_is_shown_and_goes_on_when_the_work_ends(open_as, live_server, admin):
    draft = new_dataset()
    job = Job.objects.create(kind="imports.check", done=143, total=233, doing="Reading net.zip")
    Draft.objects.update(state="checking", job=job)
    page = open_as(admin)
    page.goto(live_server.url + reverse("imports:progress", args=[draft.pk]))
    page.get_by_text("Reading net.zip: 143 of 233").wait_for()
    Job.objects.update(done=200)
    page.get_by_text("Reading net.zip: 200 of 233").wait_for()
    expect(page.locator("progress")).to_have_js_property("value", 200)
    expect(page.locator("progress")).to_have_js_property("max", 233)
    Job.objects.update(state="done", finished=job.created)
    Draft.objects.update(state="checked")
    page.wait_for_url("**/report/")


def test_cancel_brings_the_files_back(open_as, live_server, admin):
    draft = new_dataset()
    job = Job.objects.create(kind="imports.check")
    Draft.objects.update(state="checking", job=job)
    page = open_as(admin)
    page.goto(live_server.url + reverse("imports:progress", args=[draft.pk]))
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Stopped. Nothing was changed.").wait_for()
    page.get_by_text("gt.zip").first.wait_for()


def test_a_worker_checks_and_loads(open_as, live_server, admin, files, workers):
    workers.start()
    page = open_as(admin)
    walk(page, live_server, files)
    assert set(Job.objects.values_list("state", flat=True)) == {"done"}
    assert Dataset.objects.get().name == "Street"
