"""The data pages and the photographs."""

from hashlib import sha256

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse

from annotate.datasets.models import image_storage, stored_name
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_admin,
    make_image,
    make_person,
    make_study,
)

pytestmark = pytest.mark.django_db
BYTES = b"\x89PNG not really, the view does not care"


@pytest.fixture
def study(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study = make_study(["a", "b"])
    image = study.images.get()
    image.sha256, image.width, image.height = sha256(BYTES).hexdigest(), 4, 3
    image.content_type = "image/png"
    image.save()
    image_storage().save(stored_name(image.sha256), ContentFile(BYTES))
    return study


def photograph(study):
    return reverse("datasets:image", args=[study.images.get().sha256])


@pytest.mark.parametrize("who", [add_annotator, add_researcher, lambda study: make_admin()])
def test_a_photograph_is_there_for_those_who_work_with_it(client, study, who):
    client.force_login(who(study))
    response = client.get(photograph(study))
    assert b"".join(response.streaming_content) == BYTES
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "private" in response["Cache-Control"]


def test_a_photograph_of_others_is_not_there(client, study):
    client.force_login(add_annotator(make_study(["a", "b"])))
    assert client.get(photograph(study)).status_code == 404
    client.force_login(make_person())
    assert client.get(photograph(study)).status_code == 404


def test_a_photograph_missing_on_disk_is_404_not_an_error(client, study):
    image_storage().delete(stored_name(study.images.get().sha256))
    client.force_login(add_annotator(study))
    assert client.get(photograph(study)).status_code == 404


def test_the_dataset_page_counts_boxes_empty_results_and_gaps(admin, study):
    result = study.methods.get(name="b").results.get()
    result.regions, result.n_regions = {"version": 1, "regions": []}, 0
    result.save()
    make_image(study.dataset)
    response = admin.get(reverse("datasets:detail", args=[study.dataset.slug]))
    counts = {
        row.method.name: (row.n_results, row.n_boxes, row.n_empty, row.n_not_evaluated)
        for row in response.context["methods"]
    }
    assert counts == {"a": (1, 1, 0, 1), "b": (1, 0, 1, 1)}
    assert (response.context["n_images"], response.context["n_photographs"]) == (2, 1)


def test_an_empty_site_says_what_a_dataset_is(admin):
    assert "No dataset is loaded yet" in admin.get(reverse("datasets:list")).text
