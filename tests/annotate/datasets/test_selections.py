"""Selections: images chosen in the error browser, kept under a name, sent as files, and used by a study."""

import csv
import io

import pytest
from django.urls import reverse

from annotate.datasets.models import Selection
from annotate.datasets.selections import SelectionRefused, keep_selection
from annotate.design.setup.models import NewStudy
from annotate.scoring.services import score_protocol
from tests.support.factories import (
    add_researcher,
    make_admin,
    make_image,
    make_person,
    make_result,
    make_study,
)
from tests.support.world import signed_in

pytestmark = pytest.mark.django_db

HIT, MISS = (0, 0, 99, 39), (200, 0, 299, 39)


@pytest.fixture
def study():
    """Of four images, a loses on the second and the fourth."""
    study = make_study(["a", "b"], images=4, boxes={"a": [HIT], "b": [HIT]})
    dataset, a = study.dataset, study.methods.get(name="a")
    for at, image in enumerate(dataset.images.order_by("pk")):
        image.name, image.position = f"img_{at + 1}", at
        image.save()
        if at % 2:
            image.results.filter(method=a).delete()
            make_result(image, a, [MISS])
    score_protocol(dataset=dataset, slug="iou")
    return study


@pytest.fixture
def dataset(study):
    return study.dataset


@pytest.fixture
def researcher(client, study):
    person = add_researcher(study)
    client.force_login(person)
    return person


def kept(client, dataset, query="", **sent):
    address = reverse("scored:keep", args=[dataset.slug])
    given = {"name": "hard ones", "which": "first", "n": ""} | sent
    return client.post(f"{address}?method=a{query}", given)


def names(selection):
    return list(selection.images.in_order().values_list("name", flat=True))


def key(dataset, name):
    return dataset.images.get(name=name).pk


def test_all_images_of_a_question_are_kept(client, dataset, researcher):
    page = client.get(reverse("scored:worst", args=[dataset.slug]), {"method": "a"})
    assert 'form="keep"' in page.text
    assert kept(client, dataset).status_code == 302
    selection = Selection.objects.get()
    assert names(selection) == ["img_2", "img_4"]
    assert (selection.person, selection.name) == (researcher, "hard ones")
    assert selection.origin == "Where a loses most by IOU: all images"


def test_ticked_images_and_the_first_ones_of_a_filter_are_kept(client, dataset, researcher):
    ticked = [key(dataset, name) for name in ("img_1", "img_4")]
    kept(client, dataset, which="ticked", image=ticked)
    kept(client, dataset, name="one", n="1")
    kept(client, dataset, query="&name=img_4", name="filtered")
    found = {one.name: names(one) for one in dataset.selections.all()}
    assert found == {"hard ones": ["img_1", "img_4"], "one": ["img_2"], "filtered": ["img_4"]}
    origins = dict(dataset.selections.values_list("name", "origin"))
    assert origins["hard ones"].endswith(": 2 ticked images")
    assert origins["one"].endswith(": the first 1")


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"name": ""}, "This field is required"),
        ({"name": "x" * 121}, "at most 120 characters"),
        ({"name": "a\u200bb"}, "characters that are not shown"),
        ({"which": "ticked"}, "Choose at least one image."),
        ({"name": "taken"}, "There is a selection named “taken” already"),
        ({"n": "0"}, "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_kept_is_refused_on_the_page(client, dataset, researcher, sent, said):
    image = key(dataset, "img_1")
    keep_selection(dataset=dataset, name="taken", images=[image], person=None)
    response = kept(client, dataset, **sent)
    assert (response.status_code, said in response.text) == (422, True)
    assert dataset.selections.count() == 1


def test_images_of_other_datasets_are_never_kept(dataset):
    other = make_image(make_study().dataset)
    with pytest.raises(SelectionRefused, match="at least one image"):
        keep_selection(dataset=dataset, name="x", images=[other.pk], person=None)


def test_its_names_and_its_table_are_sent(client, dataset, researcher):
    kept(client, dataset)
    selection = Selection.objects.get()
    page = client.get(reverse("datasets:selections", args=[dataset.slug])).text
    text, table = (
        reverse("files:selection_file", args=[dataset.slug, selection.pk, extension])
        for extension in ("txt", "csv")
    )
    assert text in page
    assert table in page
    assert client.get(text).content.decode() == "img_2\nimg_4\n"
    sent = client.get(table).getvalue()
    assert sent.startswith(b"\xef\xbb\xbf")  # for spreadsheets
    rows = list(csv.DictReader(io.StringIO(sent.decode("utf-8-sig"))))
    nothing = {"scene": "", "width": "", "height": ""}
    assert rows == [
        {"image": name, **nothing, "regions": "1", "ignored": "0"} for name in ("img_2", "img_4")
    ]


def test_it_filters_the_error_browser(client, dataset, researcher):
    image = key(dataset, "img_4")
    selection = keep_selection(dataset=dataset, name="x", images=[image], person=None)
    asked = {"method": "a", "selection": selection.pk}
    page = client.get(reverse("scored:worst", args=[dataset.slug]), asked)
    assert page.context["n_images"] == 1
    assert page.context["rows"][0][0].result.image.name == "img_4"


def test_its_images_are_those_of_a_study(client, dataset):
    admin = make_admin()
    client.force_login(admin)
    images = [key(dataset, name) for name in ("img_1", "img_3")]
    selection = keep_selection(dataset=dataset, name="x", images=images, person=admin)
    page = client.get(reverse("datasets:selections", args=[dataset.slug])).text
    begin = f"{reverse('setup:begin', args=[dataset.slug])}?selection={selection.name}"
    assert begin in page
    methods = list(dataset.methods.values_list("pk", flat=True))
    client.post(begin, {"name": "Of a selection", "methods": methods})
    new = NewStudy.objects.get()
    assert new.images == images
    # It is a filter of the step of images, too.
    new.images = None
    new.save()
    step = f"{reverse('setup:images', args=[new.pk])}?selection={selection.pk}"
    assert client.get(step).context["n_passed"] == 2
    client.post(step, {"do": "only"})
    new.refresh_from_db()
    assert new.images == images


def test_own_selections_are_deleted_and_others_by_admins(client, dataset, researcher):
    images = [key(dataset, "img_1")]
    own = keep_selection(dataset=dataset, name="own", images=images, person=researcher)
    other = keep_selection(dataset=dataset, name="other", images=images, person=None)
    address = reverse("datasets:selections", args=[dataset.slug])
    assert client.post(address, {"delete": own.pk}).status_code == 302
    assert client.post(address, {"delete": other.pk}).status_code == 404
    assert list(dataset.selections.all()) == [other]
    client.force_login(make_admin())
    client.post(address, {"delete": other.pk})
    assert not dataset.selections.exists()
    assert dataset.images.count() == 4


def test_others_see_nothing(client, dataset, researcher):
    kept(client, dataset)
    [selection] = Selection.objects.all()
    client.force_login(make_person())
    for address in (
        reverse("datasets:selections", args=[dataset.slug]),
        reverse("files:selection_file", args=[dataset.slug, selection.pk, "txt"]),
    ):
        assert client.get(address).status_code == 404
    assert kept(client, dataset, name="mine").status_code == 404


def test_the_api_keeps_lists_and_deletes_them(client, dataset, study):
    person = add_researcher(study)
    own, other = signed_in(person), signed_in(add_researcher(study))
    address = f"/api/v1/datasets/{dataset.slug}/selections"
    sent = {"name": "hard ones", "images": ["img_4", "img_2"]}
    made = own.post(address, sent, format="json")
    assert (made.status_code, made.json()["n_images"]) == (201, 2)
    assert Selection.objects.get().person == person
    [row] = other.get(address).json()["results"]
    assert row == made.json()
    images = other.get(f"/api/v1/datasets/{dataset.slug}/images?selection={row['id']}").json()
    assert [image["name"] for image in images["results"]] == ["img_2", "img_4"]
    for wrong, said in (
        ({"images": ["img_9"]}, "Not images of"),
        ({"images": []}, "Choose at least one image."),
        ({}, "There is a selection named"),
    ):
        refused = own.post(address, sent | wrong, format="json")
        assert (refused.status_code, said in refused.content.decode()) == (422, True)
    assert other.delete(f"/api/v1/selections/{row['id']}").status_code == 404
    assert own.delete(f"/api/v1/selections/{row['id']}").status_code == 204
    assert not Selection.objects.exists()
