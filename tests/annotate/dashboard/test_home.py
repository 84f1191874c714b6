"""The start page shows a user's next tasks, for every role."""

import pytest
from django.urls import reverse

from annotate.design.setup.services import begin
from annotate.imports.drafts import open_draft
from annotate.jobs.models import Job
from annotate.progress.selectors import figures
from annotate.studies.exclusions import decide
from tests.support.factories import (
    add_annotator,
    add_newcomer,
    add_researcher,
    make_admin,
    make_person,
    make_study,
)
from tests.support.truths import rank_everything, same_truth

pytestmark = pytest.mark.django_db
AB = same_truth([["a"], ["b"]])


def home(client, person):
    client.force_login(person)
    return client.get(reverse("home"))


def test_an_annotator_goes_on_with_what_is_begun_and_is_led_through_the_introduction(client):
    fresh, begun = make_study(["a", "b"], images=2), make_study(["a", "b"], images=2)
    person = add_newcomer(fresh)
    add_annotator(begun, person)
    response = home(client, person)
    rows = response.context["waiting"]
    assert [(row.own.study, row.is_new) for row in rows] == [(begun, False), (fresh, True)]
    assert "Start ranking" in response.text
    assert "Start with the introduction" in response.text
    assert reverse("judging:judge", args=[begun.slug]) in response.text


def test_what_is_finished_or_not_open_stands_apart_and_says_so(client):
    done, closed = make_study(["a", "b"]), make_study(["a", "b"], state="closed")
    person = add_annotator(done)
    add_annotator(closed, person)
    rank_everything(done, person, AB)
    response = home(client, person)
    assert response.context["waiting"] == []
    assert {own.study for own in response.context["ended"]} == {done, closed}
    assert "Nothing is waiting for you" in response.text
    assert "finished" in response.text
    assert reverse("judging:own", args=[done.slug]) in response.text


def test_a_researcher_sees_how_far_each_study_is_and_what_it_lacks(client):
    """Three images that need one ranking; one person has ranked all of them."""
    study = make_study(["a", "b"], images=3, min_annotators=1)
    rank_everything(study, add_annotator(study), AB)
    lonely = make_study(["a", "b"], images=2, state="draft")
    researcher = add_researcher(study)
    add_researcher(lonely, researcher)
    done, other = home(client, researcher).context["followed"]
    assert (done.study, done.n_images, done.n_ready, done.n_annotators) == (study, 3, 3, 1)
    assert (done.n_last_days, done.is_complete, done.lacks) == (3, True, "")
    assert (other.study, other.n_ready, other.lacks) == (lonely, 0, "No annotator takes part yet.")


def test_an_image_that_needs_more_people_than_the_others_is_ready_when_it_has_them(client):
    study = make_study(["a", "b"], images=3, min_annotators=1)
    first = study.study_images.order_by("pk")[:1].values("pk")
    study.study_images.filter(pk__in=first).update(n_annotators=2)
    rank_everything(study, add_annotator(study), AB)
    other = add_annotator(study)
    researcher = add_researcher(study)
    for n_ready in (2, 3, 2):
        [row] = home(client, researcher).context["followed"]
        assert (row.n_ready, row.is_complete) == (n_ready, n_ready == 3)
        assert row.n_ready == figures(study).n_ready
        if n_ready == 2:
            rank_everything(study, other, AB)
        else:
            decide(study=study, person=other, is_excluded=True, reason="x", by=researcher)


def test_rankings_of_who_is_left_out_do_not_count(client):
    study = make_study(["a", "b"], images=3, min_annotators=1)
    ana, ben = add_annotator(study), add_annotator(study)
    rank_everything(study, ana, AB)
    researcher = add_researcher(study)

    def row():
        [found] = home(client, researcher).context["followed"]
        return found.n_ready, found.n_last_days

    assert row() == (3, 3)
    decide(study=study, person=ana, is_excluded=True, reason="x", by=researcher)
    assert row() == (0, 0)
    rank_everything(study, ben, AB)
    assert row() == (3, 3)
    decide(study=study, person=ana, is_excluded=False, reason="x", by=researcher)
    assert row() == (3, 6)


@pytest.mark.parametrize(
    ("n_annotators", "state", "sentence"),
    [
        (0, "open", "No annotator takes part yet."),
        (1, "open", "An image needs 2 complete rankings, and only 1 person is ranking."),
        (2, "draft", "It is not open yet: annotators cannot answer."),
        (2, "open", "No one completed a ranking in the last 7 days."),
        (0, "closed", ""),
    ],
)
def test_the_first_thing_that_stands_in_the_way_is_said(client, n_annotators, state, sentence):
    study = make_study(["a", "b"], min_annotators=2, state=state)
    for _ in range(n_annotators):
        add_annotator(study)
    [row] = home(client, add_researcher(study)).context["followed"]
    assert row.lacks == sentence


def test_an_admin_of_an_empty_site_is_shown_the_way_to_a_report(client):
    response = home(client, make_admin())
    assert "From your data to a report" in response.text
    assert reverse("imports:start") in response.text
    assert reverse("setup:start") in response.text


def test_an_admin_is_led_to_what_was_begun_and_not_to_what_others_began(client):
    study, admin, other = make_study(["a", "b"]), make_admin(), make_admin()
    methods = list(study.methods.all())
    begin(person=admin, dataset=study.dataset, name="Mine", methods=methods)
    begin(person=other, dataset=study.dataset, name="Theirs", methods=methods)
    draft = open_draft(person=admin, dataset=study.dataset)
    Job.objects.create(kind="x", title="Scoring")
    text = home(client, admin).text
    assert "Mine" in text
    assert "Theirs" not in text
    assert reverse("imports:files", args=[draft.pk]) in text
    assert "1 job at work" in text


def test_somebody_with_several_roles_finds_all_of_them(client):
    ranked, followed = make_study(["a", "b"]), make_study(["a", "b"])
    admin = make_admin()
    add_annotator(ranked, admin)
    add_researcher(followed, admin)
    context = home(client, admin).context
    assert [row.own.study for row in context["waiting"]] == [ranked]
    assert {row.study for row in context["followed"]} == {ranked, followed}
    assert context["site"].n_studies == 2


def test_somebody_without_a_role_is_told_what_to_do(client):
    response = home(client, make_person())
    assert "You are not taking part in any study yet" in response.text
    assert reverse("guide:list") in response.text
    assert "site" not in response.context
    assert "New study" not in response.text


def test_many_studies_come_in_pages(client):
    admin = make_admin()
    for _ in range(13):
        make_study(["a", "b"])
    assert len(home(client, admin).context["followed"]) == 12
    assert len(client.get(reverse("home"), {"page": 2}).context["followed"]) == 1
    assert client.get(reverse("home"), {"page": "x"}).status_code == 200
