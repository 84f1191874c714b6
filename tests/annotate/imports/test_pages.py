"""Loading through the browser."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.datasets.models import Dataset, Method
from annotate.scoring.models import Score
from tests.archives import zip_bytes
from tests.factories import make_admin

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client):
    client.force_login(make_admin())
    return client


def upload(name, entries):
    content = entries if isinstance(entries, bytes) else zip_bytes(entries)
    return SimpleUploadedFile(name, content)


@pytest.fixture
def street(admin):
    truth = upload("gt.zip", {"gt_img_1.txt": "0,0,99,39,one"})
    admin.post(reverse("imports:dataset"), {"name": "Street", "truth": truth})
    return Dataset.objects.get()


def test_a_dataset_is_loaded_and_its_page_says_what_and_by_whom(admin, street):
    html = admin.get(reverse("datasets:detail", args=["street"])).text
    assert "Loaded 1 images with 1 regions" in html
    assert street.imports.get().person.username in html


def test_several_results_and_scores_are_loaded(admin, street):
    archives = [upload(f"{name}.zip", {"res_img_1.txt": "0,0,9,9"}) for name in ("net", "other")]
    response = admin.post(
        reverse("imports:results", args=["street"]), {"archives": archives}, follow=True
    )
    assert "Loaded results of net (1 boxes), other (1 boxes)." in response.text
    scores = upload("s.csv", b"image,method,recall,precision\nimg_1,net,1,0.5\n")
    admin.post(reverse("imports:scores", args=["street"]), {"protocol": "Theirs", "scores": scores})
    assert Score.objects.get().precision == 0.5


def test_a_refused_upload_shows_every_fault_with_its_place(admin, street):
    archive = upload("net.zip", {"res_img_1.txt": "0,0,9\n<b>,1,2,3", "res_img_9.txt": ""})
    response = admin.post(reverse("imports:results", args=["street"]), {"archives": archive})
    assert response.status_code == 422
    for told in (
        "Nothing was loaded",
        "net.zip › res_img_1.txt",
        "3 numbers in",
        "res_img_9.txt",
        "perhaps img_1",
    ):
        assert told in response.text
    assert "<b>" not in response.text, "what stands in a file is shown as text"
    assert not Method.objects.exists()


@pytest.mark.parametrize("missing", ["", "empty", "not-evaluated"])
def test_what_a_missing_file_means_is_asked(admin, missing):
    truth = upload("gt.zip", {"gt_img_1.txt": "0,0,9,9,a", "gt_img_2.txt": "0,0,9,9,b"})
    admin.post(reverse("imports:dataset"), {"name": "Two", "truth": truth})
    archive = upload("net.zip", {"res_img_1.txt": "0,0,9,9"})
    url = reverse("imports:results", args=["two"])
    response = admin.post(url, {"archives": archive, "missing": missing})
    assert response.status_code == (302 if missing else 422)
    counts = {"": [], "empty": [2], "not-evaluated": [1]}
    assert [method.results.count() for method in Method.objects.all()] == counts[missing]


@pytest.mark.parametrize("form", [{}, {"name": "x"}, {"name": "", "truth": "text"}])
def test_a_form_without_its_file_is_422(admin, form):
    response = admin.post(reverse("imports:dataset"), form)
    assert response.status_code == 422
    assert "errorlist" in response.text
