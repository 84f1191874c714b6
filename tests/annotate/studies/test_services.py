"""Setting up a study."""

import pytest
from django.urls import reverse

from annotate.studies.draws import n_methods_of_visit
from annotate.studies.errors import StudyRefused
from annotate.studies.models import Membership, Study
from annotate.studies.services import add_member, create_study, set_state
from tests.support.factories import (
    make_dataset,
    make_image,
    make_method,
    make_person,
    make_result,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset():
    """Two methods with results on two images, and on a third image only one of them."""
    dataset = make_dataset("street")
    methods = [make_method(dataset, name) for name in ("a", "b")]
    for number in range(3):
        image = make_image(dataset)
        for method in methods[: 1 if number == 2 else 2]:
            make_result(image, method)
    return dataset


def test_a_study_has_the_images_on_which_methods_can_be_compared(dataset):
    study = create_study(name="Signs", dataset=dataset, methods=list(dataset.methods.all()))
    assert study.study_images.count() == 2
    assert study.state == Study.State.DRAFT
    assert study.slug == "signs"


@pytest.mark.parametrize(("drawn", "asked"), [(None, 2), (2, 2), (3, 2)])
def test_a_visit_asks_about_the_methods_drawn_or_all_that_there_are(dataset, drawn, asked):
    study = create_study(name="Signs", dataset=dataset, methods=list(dataset.methods.all()))
    Study.objects.filter(pk=study.pk).update(methods_per_visit=drawn)
    study.refresh_from_db()
    assert n_methods_of_visit(study) == asked


@pytest.mark.parametrize("n_methods", [0, 1])
def test_a_study_needs_two_methods(dataset, n_methods):
    methods = list(dataset.methods.all())[:n_methods]
    with pytest.raises(StudyRefused, match="at least two methods"):
        create_study(name="Signs", dataset=dataset, methods=methods)
    assert not Study.objects.exists()


def test_methods_of_another_dataset_are_refused_by_name(dataset):
    stranger = make_method(make_dataset(), "stranger")
    with pytest.raises(StudyRefused, match="stranger"):
        create_study(name="Signs", dataset=dataset, methods=[*dataset.methods.all(), stranger])


def test_a_study_with_nothing_to_compare_is_refused_whole():
    dataset = make_dataset()
    methods = [make_method(dataset) for _ in range(2)]
    make_result(make_image(dataset), methods[0])
    with pytest.raises(StudyRefused, match="nothing to compare"):
        create_study(name="Signs", dataset=dataset, methods=methods)
    assert not Study.objects.exists()


@pytest.mark.parametrize("name", ["Signs", "signs", "new", "…"])
def test_a_name_that_is_taken_or_has_no_address_is_refused(dataset, name):
    methods = list(dataset.methods.all())
    create_study(name="Signs", dataset=dataset, methods=methods)
    with pytest.raises(StudyRefused):
        create_study(name=name, dataset=dataset, methods=methods)
    assert Study.objects.count() == 1


def test_adding_somebody_twice_changes_nothing(dataset):
    study = create_study(name="Signs", dataset=dataset, methods=list(dataset.methods.all()))
    person = make_person("ana")
    for _ in range(2):
        add_member(study=study, username="ana", role="annotator")
    assert Membership.objects.get().person == person


def test_an_unknown_name_is_refused(dataset):
    study = create_study(name="Signs", dataset=dataset, methods=list(dataset.methods.all()))
    with pytest.raises(StudyRefused, match="There is no user named “anna”"):
        add_member(study=study, username="anna", role="annotator")


def test_a_study_without_photographs_opens_only_on_request(dataset):
    study = create_study(name="Signs", dataset=dataset, methods=list(dataset.methods.all()))
    with pytest.raises(StudyRefused, match="None of the images has a photograph"):
        set_state(study=study, state="open")
    assert Study.objects.get(pk=study.pk).state == "draft"
    set_state(study=study, state="open", on_blank_pages=True)
    # A study that was open before is opened again without a question.
    for state in ("closed", "open"):
        set_state(study=study, state=state)
    assert Study.objects.get(pk=study.pk).state == "open"


def test_the_page_and_the_api_ask_for_blank_pages(admin, dataset):
    study = create_study(name="Signs", dataset=dataset, methods=list(dataset.methods.all()))
    page = admin.get(reverse("studies:detail", args=["signs"]))
    assert 'name="on_blank_pages"' in page.text
    opens = reverse("studies:set_state", args=["signs"])
    refused = admin.post(opens, {"state": "open"}, follow=True)
    assert "ask for outlines on blank pages" in refused.text
    api, sent = reverse("api:study_state", args=["signs"]), {"state": "open"}
    assert admin.put(api, sent, content_type="application/json").status_code == 422
    sent |= {"on_blank_pages": True}
    assert admin.put(api, sent, content_type="application/json").status_code == 200
    assert Study.objects.get(pk=study.pk).state == "open"
