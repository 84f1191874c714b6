"""The start page and the study page."""

import re

import pytest
from django.urls import reverse

from annotate.judging import services
from tests.annotate.judging.truths import rank_everything, same_truth
from tests.factories import (
    add_annotator,
    add_researcher,
    make_admin,
    make_dataset,
    make_person,
    make_study,
)

pytestmark = pytest.mark.django_db
AB = same_truth([["a"], ["b"]])


def rows(response, caption):
    """The cells of a table of the page, as text."""
    table = re.search(rf"id=\"{caption}\".*?<tbody>(.*?)</tbody>", response.text, re.S)[1]
    return [
        [
            " ".join(re.sub(r"<[^>]*>", " ", cell).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)
    ]


def test_progress_is_shown_per_annotator_and_per_image(client):
    study = make_study(["a", "b"], images=3, min_annotators=2)
    done, begun, idle = (add_annotator(study, make_person(name)) for name in ("ana", "ben", "cem"))
    rank_everything(study, done, AB)
    services.start(study=study, annotator=begun)
    client.force_login(add_researcher(study))
    response = client.get(reverse("studies:detail", args=[study.slug]))
    people = {row[0]: row[2:] for row in rows(response, "annotators")}
    assert people == {
        "ana": ["3", "0", "0", "3", "0"],
        "ben": ["0", "1", "0", "0", "0"],
        "cem": ["0", "0", "0", "0", "0"],
    }
    images = rows(response, "images")
    assert [row[1] for row in images] == ["1 of 2"] * 3
    assert sorted(row[3] for row in images) == ["in work", "–", "–"]
    figures = response.context["figures"]
    assert (figures.n_images, figures.n_ready, figures.n_begun, figures.n_untouched) == (3, 0, 3, 0)
    assert (figures.n_rankings, figures.n_screens) == (3, 3)
    assert idle.username in response.text


def test_the_study_page_says_what_is_missing(client):
    study = make_study(["a", "b"], images=2, state="draft")
    client.force_login(add_researcher(study))
    response = client.get(reverse("studies:detail", args=[study.slug]))
    assert response.context["blocks"] == [
        "The study is not open yet: nobody can answer.",
        "No annotator takes part yet.",
        "2 of 2 images have fewer than 3 complete rankings.",
    ]


def test_queries_do_not_grow_with_images_or_people(client, django_assert_max_num_queries):
    study = make_study(["a", "b"], images=8)
    for _ in range(5):
        rank_everything(study, add_annotator(study), AB)
    client.force_login(add_researcher(study))
    with django_assert_max_num_queries(18):
        client.get(reverse("studies:detail", args=[study.slug]))


def test_the_start_page_lists_what_is_yours_and_nothing_else(client):
    own, other = make_study(["a", "b"], images=2), make_study(["a", "b"])
    annotator = add_annotator(own)
    client.force_login(annotator)
    html = client.get(reverse("home")).text
    assert own.name in html
    assert other.name not in html
    assert "0 of 2 images ranked" in html


@pytest.mark.parametrize("person", [make_person, make_admin])
def test_the_start_page_has_an_empty_state(client, person):
    client.force_login(person())
    assert 'class="empty"' in client.get(reverse("home")).text


def test_an_admin_sets_up_a_study_adds_people_and_opens_it(client):
    study = make_study(["a", "b"])
    dataset, ana = study.dataset, make_person("ana")
    client.force_login(make_admin())
    methods = [method.pk for method in dataset.methods.all()]
    form = {
        "name": "Signs",
        "methods": methods,
        "min_annotators": 3,
        "strategy": "insertion",
        "recall_question": "More?",
        "precision_question": "Less?",
        "preference_question": "Which?",
    }
    client.post(reverse("studies:create", args=[dataset.slug]), form)
    made = dataset.studies.get(name="Signs")
    client.post(
        reverse("studies:add_member", args=["signs"]), {"username": "ana", "role": "annotator"}
    )
    client.post(reverse("studies:set_state", args=["signs"]), {"state": "open"})
    made.refresh_from_db()
    assert made.state == "open"
    assert made.memberships.get().person == ana


@pytest.mark.parametrize("change", [{"methods": []}, {"name": ""}, {"min_annotators": 0}])
def test_a_study_that_cannot_be_is_422_with_the_reason(client, change):
    study = make_study(["a", "b"])
    client.force_login(make_admin())
    form = {
        "name": "Signs",
        "methods": [method.pk for method in study.dataset.methods.all()],
        "min_annotators": 3,
        "strategy": "insertion",
        "recall_question": "More?",
        "precision_question": "Less?",
        "preference_question": "Which?",
    }
    response = client.post(reverse("studies:create", args=[study.dataset.slug]), form | change)
    assert response.status_code == 422
    assert "errorlist" in response.text
    assert study.dataset.studies.count() == 1


def test_a_dataset_without_methods_says_what_to_do_first(client):
    dataset = make_dataset()
    client.force_login(make_admin())
    html = client.get(reverse("studies:create", args=[dataset.slug])).text
    assert reverse("imports:start") in html


def test_an_unknown_person_is_422_with_the_reason(client):
    study = make_study(["a", "b"])
    client.force_login(make_admin())
    url = reverse("studies:add_member", args=[study.slug])
    response = client.post(url, {"username": "nobody", "role": "annotator"})
    assert response.status_code == 422
    assert "Nobody is named" in response.text


def test_long_studies_come_in_pages(client):
    study = make_study(["a", "b"], images=51)
    client.force_login(add_researcher(study))
    url = reverse("studies:detail", args=[study.slug])
    assert len(client.get(url).context["images"]) == 50
    assert len(client.get(url, {"page": 2}).context["images"]) == 1
    assert client.get(url, {"page": "x"}).status_code == 200
