"""Members of a study: added, given another role, removed; what was answered stays."""

import re

import pytest
from django.urls import reverse

from annotate.judging.models import Judgement
from annotate.studies.errors import StudyRefused
from annotate.studies.models import Membership
from annotate.studies.services import change_role
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_person,
    make_study,
)
from tests.support.made_once import made_once
from tests.support.truths import rank_everything, same_truth

pytestmark = pytest.mark.django_db
AB = same_truth([["a"], ["b"]])


made_study = made_once(lambda: make_study(["a", "b"], images=2))


def members_page(client, study):
    return client.get(reverse("studies:members", args=[study.slug]))


def of_member(name, membership):
    return reverse(f"studies:{name}", args=[membership.study.slug, membership.pk])


def test_members_are_listed_with_the_counts_of_their_answers(admin, study):
    done, idle = add_annotator(study, make_person("ana")), add_annotator(study, make_person("ben"))
    rank_everything(study, done, AB)
    counts = {
        member.membership.person: (member.n_screens, member.n_complete)
        for member in members_page(admin, study).context["members"]
    }
    # One pair for each of two images.
    assert counts == {done: (2, 2), idle: (0, 0)}


def test_a_member_gets_another_role(admin, study, client):
    membership = study.memberships.get(person=add_annotator(study))
    admin.post(of_member("change_member", membership), {"role": "researcher"})
    membership.refresh_from_db()
    assert membership.role == "researcher"
    client.force_login(membership.person)
    assert client.get(reverse("studies:detail", args=[study.slug])).status_code == 200
    assert client.get(reverse("judging:judge", args=[study.slug])).status_code == 404


def test_nobody_has_a_role_twice(study):
    person = add_researcher(study, add_annotator(study))
    membership = study.memberships.get(person=person, role="annotator")
    with pytest.raises(StudyRefused, match="already"):
        change_role(membership=membership, role="researcher")
    assert study.memberships.count() == 2


def test_a_role_that_is_none_changes_nothing(admin, study):
    membership = study.memberships.get(person=add_annotator(study))
    response = admin.post(of_member("change_member", membership), {"role": "admin"}, follow=True)
    assert "Nothing was changed" in response.text
    membership.refresh_from_db()
    assert membership.role == "annotator"


def test_who_is_removed_is_named_below_and_the_answers_stay(admin, study):
    person = add_annotator(study, make_person("ana"))
    rank_everything(study, person, AB)
    n_answers = Judgement.objects.count()
    admin.post(of_member("remove_member", study.memberships.get()))
    assert not study.memberships.exists()
    assert Judgement.objects.count() == n_answers == 2
    page = members_page(admin, study)
    assert page.context["left"] == [person]
    assert re.search(r"no longer annotators:\s+ana\.", page.text)


def test_who_comes_back_goes_on_where_they_stopped(admin, study):
    person = add_annotator(study, make_person("ana"))
    rank_everything(study, person, AB)
    admin.post(of_member("remove_member", study.memberships.get()))
    url = reverse("studies:add_member", args=[study.slug])
    admin.post(url, {"username": "ana", "role": "annotator"})
    page = members_page(admin, study).context
    assert [(member.membership.person, member.n_complete) for member in page["members"]] == [
        (person, 2)
    ]
    assert page["left"] == []


@pytest.mark.parametrize("name", ["change_member", "remove_member"])
def test_a_membership_of_another_study_is_not_there(admin, study, name):
    add_annotator(other := make_study(["a", "b"]))
    foreign = other.memberships.get()
    url = reverse(f"studies:{name}", args=[study.slug, foreign.pk])
    assert admin.post(url, {"role": "researcher"}).status_code == 404
    assert Membership.objects.get(pk=foreign.pk).role == "annotator"


def test_a_study_without_members_says_what_to_do(admin, study):
    assert "The study has no members yet" in members_page(admin, study).text
