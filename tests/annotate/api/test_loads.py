"""Loading through the API: upload, dry run, report, answers, confirmation, receipt, undoing."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.datasets.models import Dataset, Result
from annotate.imports.models import Draft, DraftFile, Import, Missing
from annotate.jobs.models import Job
from annotate.scoring.models import Score
from tests.support.archives import zip_bytes
from tests.support.factories import make_admin
from tests.support.loads import RESULTS, TRUTH, new_dataset
from tests.support.world import is_problem, signed_in

pytestmark = pytest.mark.django_db

LOADS = "/api/v1/loads"
SCORES = b"image,method,recall,precision\nimg_1,net,1,0.5\nimg_2,net,1,1\n"


@pytest.fixture
def admin():
    return signed_in(make_admin("ada"), scopes=("load",))


@pytest.fixture
def reader():
    """The same rights; loads may be read with it."""
    return signed_in(make_admin(), scopes=("read",))


def upload(client, load, name, content, **headers):
    content = content if isinstance(content, bytes) else zip_bytes(content)
    sent = {"file": SimpleUploadedFile(name, content)}
    return client.post(f"{load}/files", sent, format="multipart", headers=headers)


def begun(client, **sent):
    response = client.post(LOADS, sent)
    assert response.status_code == 201, response.content
    return response["Location"].removeprefix("http://testserver")


def test_the_whole_way_from_files_to_a_receipt_and_back(admin, reader):
    load = begun(admin, name="Street", licence="CC0")
    for name, content in [("gt.zip", TRUTH), ("net.zip", RESULTS), ("theirs.csv", SCORES)]:
        assert upload(admin, load, name, content).status_code == 201
    response = admin.post(f"{load}/check")
    assert response.status_code == 202
    state = reader.get(load).json()
    assert state["state"] == "checked"
    assert [file["kind"] for file in state["files"]] == ["truth", "results", "scores"]
    assert not Dataset.objects.exists()
    assert any("Street" in sentence for sentence in state["plan"]["added"])
    assert state["plan"]["obstacles"] == []
    assert [row["id"] for row in reader.get(LOADS).json()["results"]] == [state["id"]]

    assert admin.post(f"{load}/confirm").status_code == 202
    state = reader.get(load).json()
    assert (state["state"], state["job"]["state"], len(state["receipts"])) == ("loaded", "done", 3)
    dataset = Dataset.objects.get()
    assert (dataset.name, dataset.licence) == ("Street", "CC0")
    assert (Result.objects.count(), Score.objects.count()) == (2, 2)

    receipts = reader.get("/api/v1/receipts?dataset=street").json()["results"]
    assert [row["kind"] for row in receipts] == ["scores", "results", "dataset"]
    assert {row["person"] for row in receipts} == {"ada"}
    first = f"/api/v1/receipts/{receipts[-1]['id']}/undo"
    assert is_problem(admin.post(first), 422, "refused")
    for row in receipts:
        done = admin.post(f"/api/v1/receipts/{row['id']}/undo")
        assert (done.status_code, done.json()["undone_by"]) == (200, "ada")
    assert not Dataset.objects.exists()
    assert reader.get("/api/v1/receipts?kind=scores").json()["results"][0]["undone"]
    assert is_problem(admin.post(first), 422, "refused")


def test_faults_are_listed_with_their_place_and_stop_the_load(admin, reader):
    load = begun(admin, name="Street")
    upload(admin, load, "gt.zip", {"gt_img_1.txt": "0,0,99\n<b>,1,2,3\n", "gt_img_2.txt": ""})
    admin.post(f"{load}/check")
    findings = reader.get(f"{load}/findings?severity=error").json()["results"]
    assert {(row["entry"], row["line"]) for row in findings} == {
        ("gt_img_1.txt", 1),
        ("gt_img_1.txt", 2),
    }
    assert all(row["archive"] == "gt.zip" and row["expected"] for row in findings)
    assert reader.get(load).json()["n_findings"]["error"] == 2
    assert [row["line"] for row in reader.get(f"{load}/findings?code=L2").json()["results"]] == [2]
    response = admin.post(f"{load}/confirm")
    assert is_problem(response, 422, "refused")
    assert "Nothing was loaded." in response.json()["detail"]
    assert not Dataset.objects.exists()


def test_what_only_a_person_can_say_is_asked_and_answered(admin, reader):
    load = begun(admin, name="Street")
    upload(admin, load, "gt.zip", TRUTH)
    file = upload(admin, load, "net.zip", {"res_img_1.txt": "0,0,9,9\n"}).json()
    admin.post(f"{load}/check")
    state = reader.get(load).json()
    [question] = state["questions"]
    assert (question["file"], question["code"], question["is_answered"]) == (
        file["id"],
        "N4",
        False,
    )
    assert question["choices"] == dict(Missing.choices)
    assert is_problem(admin.post(f"{load}/confirm"), 422, "refused")
    sent = {"answers": [{"file": file["id"], "missing": "empty"}]}
    assert admin.post(f"{load}/answers", sent).json()["questions"][0]["is_answered"]
    admin.post(f"{load}/confirm")
    assert sorted(Result.objects.values_list("n_regions", flat=True)) == [0, 1]


def test_what_was_guessed_can_be_corrected_and_taken_out(admin):
    load = begun(admin, name="Street")
    file = upload(admin, load, "odd.zip", TRUTH).json()
    address = f"{load}/files/{file['id']}"
    told = admin.patch(address, {"kind": "results", "title": "net"}).json()
    assert (told["kind"], told["title"]) == ("results", "net")
    for wrong in ({"kind": "poem"}, {"format": "telepathy"}, {"title": "x" * 121}):
        assert is_problem(admin.patch(address, wrong), 422, "invalid")
    assert admin.delete(address).status_code == 204
    assert is_problem(admin.delete(address), 404)
    assert not DraftFile.objects.exists()
    assert admin.patch(load, {"name": "Lane"}).json()["name"] == "Lane"


def test_a_file_of_another_load_is_not_there(admin):
    theirs = new_dataset().files.get()
    load = begun(admin, name="Street")
    assert is_problem(admin.delete(f"{load}/files/{theirs.pk}"), 404)
    assert DraftFile.objects.filter(pk=theirs.pk).exists()


def test_an_upload_sent_twice_under_a_key_is_kept_once(admin):
    load = begun(admin, name="Street")
    key = {"Idempotency-Key": "k1"}
    first, second = (upload(admin, load, "gt.zip", TRUTH, **key) for _ in range(2))
    assert first.json() == second.json()
    assert second["Idempotency-Replayed"] == "true"
    # Another name, or other bytes under the name: another request.
    for name, content in (("other.zip", TRUTH), ("gt.zip", RESULTS)):
        assert is_problem(upload(admin, load, name, content, **key), 422, "idempotency-key-reused")
    assert is_problem(upload(admin, load, "gt.zip", TRUTH), 422, "refused")
    assert DraftFile.objects.count() == 1


def test_results_are_replaced_only_with_consent(admin, reader):
    load = begun(admin, name="Street")
    upload(admin, load, "gt.zip", TRUTH)
    upload(admin, load, "net.zip", RESULTS)
    admin.post(f"{load}/check")
    admin.post(f"{load}/confirm")
    again = begun(admin, dataset="street")
    upload(admin, again, "net.zip", {**RESULTS, "res_img_1.txt": "5,5,50,50\n"})
    admin.post(f"{again}/check")
    assert reader.get(again).json()["plan"]["replaced"]
    assert is_problem(admin.post(f"{again}/confirm"), 422, "refused")
    assert admin.post(f"{again}/confirm", {"replace": True}).status_code == 202
    assert Import.objects.filter(replaced=["net"]).count() == 1


def test_a_load_that_is_under_way_can_be_stopped(admin, reader, settings, monkeypatch):
    settings.JOBS = "queue"
    monkeypatch.setattr("annotate.jobs.queue.put", lambda pk, priority: None)
    load = begun(admin, name="Street")
    upload(admin, load, "gt.zip", TRUTH)
    state = admin.post(f"{load}/check").json()
    assert (state["state"], state["job"]["state"]) == ("checking", "waiting")
    assert is_problem(admin.post(f"{load}/check"), 422, "refused")
    assert is_problem(upload(admin, load, "net.zip", RESULTS), 422, "refused")
    assert admin.post(f"{load}/cancel").json()["state"] == "open"
    assert Job.objects.get().state == "cancelled"
    assert admin.delete(load).status_code == 204
    assert Draft.objects.get().state == "discarded"
    assert reader.get(LOADS).json()["results"] == []


def test_what_is_not_there_is_neither_undone_nor_loaded_into(admin):
    assert is_problem(admin.get("/api/v1/receipts/999/undo"), 405)
    assert is_problem(admin.post("/api/v1/receipts/999/undo"), 404)
    assert is_problem(admin.post(LOADS, {"dataset": "nowhere"}), 422, "invalid")
