"""Loading through the browser: each step has its address, works without scripts, and can be come back to."""

import csv
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.datasets.models import Dataset, Method, Result
from annotate.imports import drafts, plans
from annotate.imports import presentation as screens
from annotate.imports.models import Draft, Finding, Import
from annotate.jobs.models import Job
from annotate.scoring.models import Score
from tests.support.archives import picture_bytes, zip_bytes
from tests.support.factories import make_admin, make_dataset, make_study
from tests.support.loads import (
    RESULTS,
    TRUTH,
    add,
    add_results,
    checked,
    loaded,
    new_dataset,
    with_results,
)
from tests.support.pages import flat

pytestmark = pytest.mark.django_db


@pytest.fixture
def person():
    return make_admin("ada")


@pytest.fixture
def admin(client, person):
    client.force_login(person)
    return client


def upload(name, entries):
    content = entries if isinstance(entries, bytes) else zip_bytes(entries)
    return SimpleUploadedFile(name, content)


def url(name, *args):
    return reverse(f"imports:{name}", args=args)


def form_of(draft, **changes):
    """Return what the page of files sends: every file as it is, but for these changes."""
    sent = {"name": draft.name, "provenance": "", "licence": ""}
    for file in draft.files.all():
        for field in ("kind", "format", "title"):
            sent[f"file-{file.pk}-{field}"] = getattr(file, field)
    return sent | changes


class TestWholeWay:
    def test_from_dropped_files_to_a_receipt_and_back(self, admin, person):
        files = [
            upload("gt.zip", TRUTH),
            upload("photos.zip", {f"img_{n}.png": picture_bytes() for n in (1, 2)}),
            upload("net.zip", RESULTS),
            upload(
                "theirs.csv", b"image,method,recall,precision\nimg_1,net,1,0.5\nimg_2,net,1,1\n"
            ),
        ]
        response = admin.post(url("start"), {"dataset": "", "files": files})
        draft = Draft.objects.get()
        assert response["Location"] == url("files", draft.pk)
        page = admin.get(url("files", draft.pk)).text
        for told in ("gt.zip", "photos.zip", "net.zip", "theirs.csv", "SHA-256"):
            assert told in page
        response = admin.post(
            url("files", draft.pk), form_of(draft, name="Street", check="1"), follow=True
        )
        assert response.redirect_chain[-1][0] == url("report", draft.pk), response.text
        assert "can be loaded" in response.text or "nothing unusual" in response.text
        assert not Dataset.objects.exists()
        page = admin.get(url("confirm", draft.pk)).text
        assert "The dataset “Street”: 2 images with 2 regions, 1 of them ignored" in page
        assert "Results of “net”: 3 boxes on 2 images" in page
        response = admin.post(url("confirm", draft.pk), follow=True)
        assert response.status_code == 200
        street = Dataset.objects.get()
        assert (street.name, Result.objects.count(), Score.objects.count()) == ("Street", 2, 2)
        page = admin.get(url("receipts") + "?dataset=street").text
        assert page.count("ada") >= 3
        for kind in ("scores", "results", "dataset"):
            receipt = street.imports.get(kind=kind)
            assert "Undo this load" in admin.get(url("receipt", receipt.pk)).text
            page = admin.post(url("receipt", receipt.pk), follow=True).text
            assert "what this load added is gone" in page
        assert not Dataset.objects.exists()
        assert Import.objects.filter(undone_by=person).count() == 3

    def test_a_load_that_was_left_is_found_again_at_its_step(self, admin):
        draft = new_dataset()
        assert url("progress", draft.pk) in admin.get(url("start")).text
        assert admin.get(url("progress", draft.pk))["Location"] == url("files", draft.pk)
        checked(draft)
        assert admin.get(url("progress", draft.pk))["Location"] == url("report", draft.pk)
        drafts.confirm(draft=draft)
        receipt = url("receipt", Import.objects.get().pk)
        for step in ("progress", "files", "confirm"):
            assert admin.get(url(step, draft.pk))["Location"] == receipt
        assert admin.get(url("report", draft.pk)).status_code == 200

    def test_a_dataset_may_be_said_by_the_address(self, admin):
        make_dataset("street")
        assert (
            '<option value="street" selected>' in admin.get(url("start") + "?dataset=street").text
        )


class TestFiles:
    def test_what_was_guessed_can_be_corrected(self, admin):
        draft = new_dataset()
        file = add_results(draft)
        sent = form_of(draft) | {f"file-{file.pk}-title": "Deep Net", "name": "Avenue"}
        assert admin.post(url("files", draft.pk), sent)["Location"] == url("files", draft.pk)
        file.refresh_from_db()
        draft.refresh_from_db()
        assert (file.title, draft.name) == ("Deep Net", "Avenue")

    @pytest.mark.parametrize(
        ("changes", "told"),
        [({"name": ""}, "needs letters or digits"), ({"name": "Load"}, "cannot be the name")],
    )
    def test_what_cannot_be_checked_is_said_with_422(self, admin, changes, told):
        draft = new_dataset()
        sent = form_of(draft, check="1") | changes
        response = admin.post(url("files", draft.pk), sent)
        assert response.status_code == 422
        assert told in response.text
        assert not Job.objects.exists()

    def test_a_file_loaded_before_says_when_and_by_whom(self, admin, person):
        dataset = loaded(new_dataset(person), person)
        draft = drafts.open_draft(person=person, dataset=dataset)
        add(draft, TRUTH, "again.zip")
        page = admin.get(url("files", draft.pk)).text
        assert "already loaded" in page
        assert "by ada" in page
        assert url("receipt", dataset.imports.get().pk) in page

    def test_scripts_send_files_one_by_one_and_are_told_where(self, admin):
        wants = {"HTTP_ACCEPT": "application/json"}
        where = json.loads(admin.post(url("start"), {"dataset": ""}, **wants).content)
        draft = Draft.objects.get()
        assert where == {"add": url("add", draft.pk), "next": url("files", draft.pk)}
        assert (
            admin.post(where["add"], {"files": upload("gt.zip", TRUTH)}, **wants).status_code == 200
        )
        again = admin.post(where["add"], {"files": upload("b.zip", TRUTH)}, **wants)
        assert again.status_code == 422
        assert "the same file as gt.zip" in json.loads(again.content)["refusal"]
        assert "the same file as gt.zip" in admin.get(where["next"]).text

    def test_a_file_is_removed_and_none_of_another_load(self, admin):
        draft, other = new_dataset(), new_dataset(name="Other")
        response = admin.post(url("remove", draft.pk, other.files.get().pk))
        assert response.status_code == 404
        admin.post(url("remove", draft.pk, draft.files.get().pk))
        assert (draft.files.count(), other.files.count()) == (0, 1)

    def test_a_discarded_load_says_that_nothing_was_loaded(self, admin):
        draft = new_dataset()
        page = admin.post(url("discard", draft.pk), follow=True).text
        assert "discarded. Nothing was loaded" in page


class TestReport:
    @pytest.fixture
    def draft(self):
        draft = with_results(
            {"res_img_1.txt": "0,0,9\n0,0,<b>,3\n0,0,9,9\n0,0,9,9", "res_img_9.txt": ""}
        )
        return checked(draft)

    def test_every_fault_stands_with_its_place_and_as_text(self, admin, draft):
        page = flat(admin.get(url("report", draft.pk)).text)
        for told in (
            "net.zip › res_img_1.txt",
            "L1 Wrong number of fields",
            "L2 Not a number",
            '0,0,<mark class="fault">&lt;b&gt;</mark>,3</code>',
            "which has img_1, img_2",
            "L8",
        ):
            assert told in page
        assert "<b>" not in page
        assert not Method.objects.exists()

    def test_it_can_be_filtered(self, admin, draft):
        by_code = admin.get(url("report", draft.pk), {"code": "L8"}).context["groups"]
        assert [(group["code"], group["n"]) for group in by_code] == [("L8", 1)]
        by_words = admin.get(url("report", draft.pk), {"words": "img_9"}).context["groups"]
        assert {group["code"] for group in by_words} == {"N2"}
        by_severity = admin.get(url("report", draft.pk), {"severity": "warning"}).context["groups"]
        assert {group["severity"] for group in by_severity} == {"warning"}
        nothing = admin.get(url("report", draft.pk), {"words": "zzz"})
        assert "No finding matches" in nothing.text

    def test_of_each_code_the_first_two_hundred_are_shown_and_the_csv_has_all(self, admin):
        draft = with_results({"res_img_1.txt": "x\n" * 250, "res_img_2.txt": ""})
        checked(draft)
        response = admin.get(url("report", draft.pk))
        [group] = [group for group in response.context["groups"] if group["severity"] == "error"]
        assert (group["n"], len(group["shown"])) == (250, screens.MAX_SHOWN_PER_CODE)
        assert "The first 200 of 250" in response.text
        file = admin.get(url("report_file", draft.pk), {"code": group["code"]})
        sent = file.getvalue()
        assert sent.startswith(b"\xef\xbb\xbf")  # for spreadsheets
        rows = list(csv.DictReader(io.StringIO(sent.decode("utf-8-sig"))))
        assert len(rows) == 250
        assert (rows[7]["archive"], rows[7]["entry"], rows[7]["line"]) == (
            "net.zip",
            "res_img_1.txt",
            "8",
        )

    def test_the_page_asks_a_bounded_number_of_questions_of_the_database(
        self, admin, draft, django_assert_max_num_queries
    ):
        file = draft.files.first()
        Finding.objects.bulk_create(
            Finding(
                draft=draft,
                file=file,
                severity="warning",
                code="L8",
                archive="a.zip",
                found="x",
                expected="y",
            )
            for _ in range(3000)
        )
        with django_assert_max_num_queries(30):
            admin.get(url("report", draft.pk))

    def test_the_histogram_counts_images_by_boxes(self, admin):
        draft = new_dataset()
        add_results(draft)  # one box on img_1, two on img_2
        page = admin.get(url("report", checked(draft).pk))
        bars = {bar["label"]: bar["n"] for bar in page.context["reports"][1]["bars"] if bar["n"]}
        assert bars == {"1": 1, "2": 1}

    def test_questions_are_asked_and_answered_for_all_files_together(self, admin):
        draft = new_dataset()
        for title in ("a", "b"):
            add_results(draft, {"res_img_1.txt": f"0,0,9,{len(title) + ord(title)}\n"}, title)
        checked(draft)
        page = admin.get(url("report", draft.pk))
        assert page.text.count("In all of these files") == 1
        assert page.context["n_open"] == 2
        admin.post(url("report", draft.pk), {"all": "not-evaluated"})
        assert set(draft.files.filter(kind="results").values_list("missing", flat=True)) == {
            "not-evaluated"
        }
        answered = admin.get(url("report", draft.pk))
        assert answered.context["n_open"] == 0
        badges = [
            of["badge"]["word"]
            for page in (page, answered)
            for shown in (page.context["kinds"], page.context["groups"])
            for of in shown
            if of["code"] == "N4"
        ]
        assert badges == ["question", "question", "warning", "warning"]
        page = admin.post(url("confirm", draft.pk), follow=True)
        assert Result.objects.count() == 2

    def test_how_lines_are_written_is_a_question_of_the_report(self, admin):
        text = "0,0,99,0,99,39,0,39,one\n0,50,99,50,99,90,0,90,10,000\n"
        draft = new_dataset(truth={"gt_img_1.txt": text})
        [file] = draft.files.all()
        drafts.change_file(file=file, format="")
        checked(draft)
        page = admin.get(url("report", draft.pk))
        assert (page.context["n_open"], "The lines of gt.zip are" in page.text) == (1, True)
        assert [kind["badge"]["tone"] for kind in page.context["kinds"]] == ["warning"]
        # Those that the finding names come first, the others behind them.
        *named, (another, others) = page.context["answers"].fields[f"format-{file.pk}"].choices
        assert [slug for slug, _ in named] == ["polygon", "quad"]
        # Boxes would leave coordinates over; no line has a script, and 0 may be a confidence.
        fitting = ["quad-columns", "ltrb-confidence-first"]
        assert (another, [slug for slug, _ in others]) == ("another", fitting)
        assert [slug for slug, _ in plans.questions(draft)[0].choices[:2]] == ["polygon", "quad"]
        assert "Polygons (Total-Text, CTW-1500) or Quadrilaterals (ICDAR 2015)" in page.text
        assert admin.post(url("report", draft.pk), {f"format-{file.pk}": "x"}).status_code == 422
        admin.post(url("report", draft.pk), {f"format-{file.pk}": "quad"})
        file.refresh_from_db()
        assert file.format == "quad"

    def test_an_answer_that_is_none_is_422(self, admin):
        draft = new_dataset()
        file = add_results(draft, {"res_img_1.txt": ""})
        checked(draft)
        response = admin.post(url("report", draft.pk), {f"missing-{file.pk}": "guess"})
        assert response.status_code == 422


class TestPhotographs:
    @pytest.fixture
    def draft(self):
        draft = new_dataset()
        names = {"img_1.png": picture_bytes(), "img_2.png": picture_bytes(90, 60)}
        add(draft, names, "photos.zip", kind="photographs")
        return checked(draft)

    def test_one_that_waits_is_drawn_and_served_as_what_it_is(self, admin, draft):
        urls = [drawing["picture"].url for drawing in screens.drawings(draft)]
        assert len(urls) == 2
        response = admin.get(urls[0])
        assert response["Content-Type"] == "image/png"
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Content-Security-Policy"] == "default-src 'none'"
        assert response.content.startswith(b"\x89PNG")
        # A hash of none of its photographs.
        assert admin.get(url("photograph", draft.pk, "0" * 64)).status_code == 404

    def test_after_the_load_the_dataset_serves_it(self, admin, draft):
        drafts.confirm(draft=draft)
        draft.refresh_from_db()
        for drawing in screens.drawings(draft):
            assert drawing["picture"].url.startswith("/data/images/")
            response = admin.get(drawing["picture"].url)
            assert response["X-Content-Type-Options"] == "nosniff"
            assert response["Content-Type"] == "image/png"
            assert response.getvalue().startswith(b"\x89PNG")


def test_the_report_of_a_load_without_images_has_no_pictures(admin):
    study = make_study(["a", "b"])
    draft = drafts.open_draft(person=None)
    people = f"username,role,study\nada,annotator,{study.slug}\n"
    add(draft, people, "team.csv", kind="users")
    assert "Pictures" not in admin.get(url("report", checked(draft).pk)).text


class TestProgress:
    @pytest.fixture
    def draft(self):
        """A load whose check another process is at."""
        draft = new_dataset()
        job = Job.objects.create(kind="imports.check", done=143, total=233, doing="Reading net.zip")
        Draft.objects.filter(pk=draft.pk).update(state="checking", job=job)
        return draft

    def test_it_says_how_far_it_is_with_and_without_scripts(self, admin, draft):
        page = admin.get(url("progress", draft.pk)).text
        assert "Reading net.zip: 143 of 233" in page
        assert '<meta http-equiv="refresh"' in flat(page)
        told = json.loads(admin.get(url("progress", draft.pk), {"as": "json"}).content)
        assert told == {
            "done": 143,
            "total": 233,
            "doing": "Reading net.zip",
            "stopping": False,
            # No worker was ever started here.
            "nobody": True,
        }
        assert "python manage.py worker" in page

    def test_a_script_and_a_form_that_meet_say_once_that_it_stopped(self, admin, draft):
        admin.post(url("cancel", draft.pk))
        admin.get(url("progress", draft.pk))
        page = admin.get(url("progress", draft.pk), follow=True)
        assert page.redirect_chain[-1][0] == url("files", draft.pk)
        assert page.text.count("Stopped. Nothing was changed.") == 1

    def test_a_failure_is_told_and_the_files_are_back(self, admin, draft):
        Job.objects.update(
            state="failed",
            failure="net.zip is gone.",
            finished=draft.created,
            cancel_requested=False,
        )
        page = admin.get(url("progress", draft.pk), follow=True)
        assert page.redirect_chain[-1][0] == url("files", draft.pk)
        assert "net.zip is gone." in page.text

    def test_asking_changes_nothing(self, admin, draft):
        Job.objects.update(state="failed", failure="x", finished=draft.created)
        before = list(Draft.objects.values())
        admin.get(url("progress", draft.pk))
        admin.get(url("files", draft.pk))
        assert list(Draft.objects.values()) == before


class TestConfirm:
    def test_replacing_asks_for_consent(self, admin):
        dataset = loaded(with_results())
        again = drafts.open_draft(person=None, dataset=dataset)
        add_results(again, RESULTS | {"res_img_1.txt": ""})
        checked(again)
        assert "Replace these results" in admin.get(url("confirm", again.pk)).text
        response = admin.post(url("confirm", again.pk))
        assert response.status_code == 422
        assert "Confirm that this is intended" in response.text
        admin.post(url("confirm", again.pk), {"replace": "on"})
        assert Result.objects.filter(n_regions=0).count() == 1


def test_a_receipt_that_cannot_be_undone_says_why(admin):
    dataset = loaded(with_results())
    receipt = dataset.imports.get(kind="dataset")
    page = admin.get(url("receipt", receipt.pk)).text
    assert "Undo those loads first" in page
    response = admin.post(url("receipt", receipt.pk), follow=True)
    assert "Nothing was undone." in response.text


def test_receipts_are_listed_by_dataset(admin):
    first, _second = loaded(new_dataset(name="First")), loaded(new_dataset(name="Second"))
    receipts = admin.get(url("receipts"), {"dataset": first.slug}).context["page"].object_list
    assert [receipt.dataset for receipt in receipts] == [first]
    assert admin.get(url("receipts"), {"dataset": "nowhere"}).status_code == 404
    make_dataset("bare")
    page = admin.get(url("receipts"), {"dataset": "bare"}).text
    assert "Nothing has been loaded into it yet." in page
