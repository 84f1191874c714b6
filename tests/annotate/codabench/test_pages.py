"""The site's pages of Codabench: the bundle from a form, and downloads with a preview."""

import re
import zipfile
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.codabench import views, work
from annotate.datasets.models import Method
from annotate.exchange.raw import FILES
from annotate.imports import staging
from annotate.imports.errors import NotLoaded
from annotate.imports.immediate import FileToLoad, load_files
from annotate.imports.models import FileKind, Import
from annotate.jobs.errors import Cancelled, JobFailed
from annotate.jobs.files import path_of
from annotate.jobs.models import Job
from annotate.studies.services import create_study
from protocols.command_line.main import main
from tests.support.archives import picture_bytes, zip_file
from tests.support.codabench import OWNERS, name_of, submission
from tests.support.factories import make_admin
from tests.support.pages import flat


@pytest.fixture
def admin(client, db):
    client.force_login(make_admin(email="organiser@example.org"))
    return client


def page(name, *arguments):
    return reverse(f"codabench:{name}", args=["signs", *arguments])


def sent(form, **changes):
    """Return what a browser would send of a page's form, with changes."""
    values = {}
    for part in (form.main, *form.rows["protocols"].forms, *form.rows["phases"].forms):
        for field in part:
            value = field.value()
            if value not in (None, False) and field.name != "image":
                values[field.html_name] = value
    for name, rows in form.rows.items():
        values |= {
            f"{name}-TOTAL_FORMS": len(rows.forms),
            f"{name}-INITIAL_FORMS": len(rows.initial),
        }
    times = {
        "phases-0-start": "2027-03-28T09:30",
        "phases-0-end": "2027-03-28T20:00",
        "phases-1-start": "2027-03-29T09:30",
        "phases-1-end": "2027-03-30T09:30",
    }
    texts = {"overview": "Find the words.\r\nAll of them.", "terms": "None.", "title": "Signs"}
    zone = {"zone": "Europe/Paris", "docker_image": "example/scoring:1"}
    return values | times | texts | zone | changes


@pytest.fixture
def gt(tmp_path):
    lines = {f"gt_img_{n}.txt": f'0, 0, {n}, 9, "word {n}"\n' for n in range(1, 13)}
    return zip_file(tmp_path / "gt.zip", lines)


@pytest.fixture
def filled_in(admin, gt):
    load_files([FileToLoad(gt, FileKind.TRUTH)], name="signs")
    form = admin.get(page("competition")).context["form"]
    return lambda **changes: sent(form, **changes)


def test_the_page_and_the_shell_write_the_same_bytes(admin, gt, filled_in, tmp_path):
    picture = SimpleUploadedFile("logo.png", picture_bytes())
    asked = filled_in(image=picture)
    assert admin.post(page("competition"), asked | {"bundle": "1"}).status_code == 302
    job = Job.objects.get()
    assert (job.state, job.failure, job.file_name) == ("done", "", "signs.zip")
    picture.seek(0)
    settings = admin.post(page("competition"), asked | {"settings": "1"}).content
    assert b"start: 2027-03-28 09:30 Europe/Paris" in settings
    (tmp_path / "settings.yaml").write_bytes(settings)
    (tmp_path / "logo.png").write_bytes(picture_bytes())
    out = tmp_path / "bundle.zip"
    main(
        [
            "codabench",
            "write",
            str(tmp_path / "settings.yaml"),
            "--truth",
            str(gt),
            "--out",
            str(out),
        ]
    )
    assert out.read_bytes() == path_of(job).read_bytes()


def test_times_are_read_in_the_zone_and_shown_in_utc(admin, filled_in):
    said = admin.post(page("competition"), filled_in()).content.decode()
    assert "The settings are good" in said
    # Paris moves its clocks on that day at 01:00 UTC.
    assert "2027-03-28 07:30:00 UTC" in said
    assert "2027-03-29 07:30:00 UTC" in said
    assert Job.objects.count() == 0


@pytest.mark.parametrize(
    ("changes", "field", "why"),
    [
        ({"title": ""}, "id_title", "required"),
        ({"phases-1-start": "2027-03-28T19:00"}, "id_phases-1-start", "at least a second after"),
        ({"phases-0-start": "2027-03-28T02:30"}, "id_phases-0-start", "clocks change"),
        ({"phases-0-images": '["img_99"]'}, "id_phases-0-images", "no ground truth for the image"),
        ({"phases-0-images": "{share"}, "id_phases-0-images", "not JSON"),
        ({"protocols-0-parameters": '{"no": 1}'}, "", "protocols.1"),
        ({"protocols-0-short": "x" * 40}, "", "give a short name"),
        ({"queue": "mine"}, "id_queue", "UUID"),
        ({"docker_image": "python:3.12-slim-bookworm"}, "id_docker_image", "CODABENCH_WHEELS"),
    ],
)
def test_a_fault_is_shown_beside_its_field_and_nothing_is_written(
    admin, filled_in, changes, field, why
):
    answer = admin.post(page("competition"), filled_in(**changes) | {"bundle": "1"})
    assert answer.status_code == 422
    said = answer.content.decode()
    errors = re.findall(r'<ul class="errorlist[^>]*?(?: id="(.*?)_error")?>(.*?)</ul>', said, re.S)
    assert [(of, why in text) for of, text in errors] == [(field, True)]
    assert Job.objects.count() == 0


def test_rows_without_a_name_do_not_count(admin, filled_in, tmp_path):
    asked = filled_in(**{"protocols-1-protocol": "", "phases-0-name": "", "settings": "1"})
    said = admin.post(page("competition"), asked).content.decode()
    assert "protocol: deteval" not in said
    assert "name: Development" not in said
    assert "name: Final" in said


def test_wheels_of_a_folder_are_written_into_the_bundle_for_the_default_image(
    admin, filled_in, tmp_path, settings
):
    settings.CODABENCH_WHEELS = tmp_path
    default = {"docker_image": "python:3.12-slim-bookworm", "bundle": "1"}
    said = admin.post(page("competition"), filled_in(**default)).content.decode()
    assert "has no numpy-" in said
    for name in ("numpy", "shapely"):
        wheel = f"{name}-2.2.6-cp312-cp312-manylinux_2_28_x86_64.whl"
        zip_file(tmp_path / wheel, {f"{name}/__init__.py": "x = 1\n"})
    assert admin.post(page("competition"), filled_in(**default)).status_code == 302
    with zipfile.ZipFile(path_of(Job.objects.get())) as bundle:
        program = next(name for name in bundle.namelist() if name.startswith("programs/"))
        with zipfile.ZipFile(BytesIO(bundle.read(program))) as packed:
            assert packed.read("packages/numpy/__init__.py") == b"x = 1\n"


def upload(admin, **files):
    streams = {name: path.open("rb") for name, path in files.items()}
    answer = admin.post(page("load"), streams)
    for stream in streams.values():
        stream.close()
    return answer


def ticked(answer, **changes):
    """Return what a browser would send of a preview, with changes."""
    forms = answer.context["choices"].forms
    values = {"form-TOTAL_FORMS": len(forms), "form-INITIAL_FORMS": len(forms)}
    for form in forms:
        values[form["method"].html_name] = form["method"].value()
        if form["take"].value():
            values[form["take"].html_name] = "on"
    return values | changes


@pytest.fixture
def previewed(admin, dataset, bulk, results, bundle):
    address = upload(admin, submissions=bulk, results=results, bundle=bundle).url
    return address, admin.get(address)


def test_the_preview_lists_each_submission_and_why_it_counts(previewed):
    _, answer = previewed
    said = re.sub(r"\s+", " ", answer.content.decode())
    for words in (
        "b.team",
        "on the leaderboard",
        "iou F-score 0.9",
        "It is no zip.",
        "failed.txt",
    ):
        assert words in said
    assert "77 (gone)" in said
    taken = [form.initial["take"] for form in answer.context["choices"].forms]
    assert [bool(of) for of in taken] == [True, True, True, False, False, False]


def test_a_submission_without_content_is_told_by_its_name_and_refuses_no_other(admin, dataset):
    files = [
        SimpleUploadedFile(name_of(11, "anna"), submission(9)),
        SimpleUploadedFile(name_of(12, "zoe"), b""),
    ]
    answer = admin.post(page("load"), {"submissions": files}, follow=True)
    assert [row[0].fault for row in answer.context["rows"]] == ["", "It is no zip."]


def test_choices_can_be_changed_and_the_chosen_are_loaded_scored_and_compared(admin, previewed):
    address, answer = previewed
    changes = {"form-1-method": "Second", "form-3-take": "on", "form-3-method": "Old"}
    asked = ticked(answer, **changes)
    del asked["form-2-take"]
    loaded = admin.post(address, asked, follow=True)
    said = loaded.content.decode()
    assert "0.9 on Codabench, 1.0 here" in said
    assert set(Method.objects.values_list("name", flat=True)) == {"EAST", "Second", "Old"}
    assert not [path for path in staging.folder().rglob("*") if path.is_file()]
    study = admin.get(loaded.context["study"])
    assert len([of for of, is_chosen in study.context["methods"] if is_chosen]) == len(
        Method.objects.all()
    )
    assert not [owner for owner in OWNERS if owner in said]
    for job in Job.objects.all():
        assert not [owner for owner in OWNERS if owner in str(vars(job))]


def test_no_user_name_is_in_a_study_its_pages_exports_or_report(admin, dataset, previewed):
    address, answer = previewed
    admin.post(address, ticked(answer))
    study = create_study(dataset=dataset, methods=list(Method.objects.all()), name="Final", seed=1)
    addresses = [
        reverse("studies:detail", args=[study.slug]),
        reverse("reports:report", args=[study.slug]),
        reverse("reports:export", args=[study.slug, "json"]),
        reverse("datasets:detail", args=["signs"]),
        reverse("audit:log"),
        *(reverse("exchange:raw_file", args=[study.slug, name]) for name in FILES),
    ]
    for url in addresses:
        got = admin.get(url)
        said = got.getvalue().decode()
        assert (got.status_code, [of for of in OWNERS if of in said]) == (200, []), url


def test_two_methods_of_one_name_and_none_are_refused_beside_the_field(admin, previewed):
    address, answer = previewed
    names = {"form-0-method": "", "form-1-method": "EAST", "form-2-method": "east"}
    refused = admin.post(address, ticked(answer, **names))
    assert refused.status_code == 422
    assert "Give it a name." in refused.content.decode()
    assert "Another method has this name." in refused.content.decode()
    assert not Method.objects.exists()


def test_more_submissions_than_a_form_holds_are_counted(admin, previewed, monkeypatch, settings):
    monkeypatch.setattr(views, "_MOST_LISTED", 4)
    shown = admin.get(previewed[0])
    assert [row[0].number for row in shown.context["rows"]][:3] == [11, 13, 15]
    assert f"2 more are not listed; {settings.MANAGE} load_codabench takes all" in flat(shown.text)


class Stopping:
    """A running job that is cancelled when something was loaded."""

    pk, person = 1, None

    def tell(self, done, total, doing=""):
        if Import.objects.exists():
            raise Cancelled

    def require_permission(self):
        pass


def test_a_load_that_is_cancelled_says_what_was_loaded(dataset, previewed):
    address, _ = previewed
    token = address.rstrip("/").rpartition("/")[2]
    asked = {"dataset": dataset.pk, "token": token, "chosen": {"11": "A", "13": "B", "15": "C"}}
    with pytest.raises(JobFailed, match="Submissions that were loaded stay"):
        work.load(asked, Stopping())
    assert [of.name for of in Method.objects.all()] == ["A"]
    with pytest.raises(NotLoaded, match="Upload them again"):
        work.load(asked | {"token": "gone"}, Stopping())


def test_a_discarded_download_leaves_nothing(admin, previewed):
    address, _ = previewed
    assert admin.post(address, {"discard": "1"}).status_code == 302
    assert admin.get(address).status_code == 404
    assert not [path for path in staging.folder().rglob("*") if path.is_file()]


def test_a_file_that_is_no_download_is_refused_beside_the_form(admin, dataset, results):
    answer = upload(admin, submissions=results)
    assert answer.status_code == 422
    assert "cannot be read" in answer.content.decode()
