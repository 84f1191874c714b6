"""Changing the settings of a study, sharing its images out, and making another one like it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.urls import reverse

from annotate.audit.models import Act, AuditEntry
from annotate.judging import services as judging
from annotate.judging.image_allocation import is_answered, n_images_of, own_progress
from annotate.judging.models import Assignment
from annotate.studies import services
from annotate.studies.errors import StudyRefused
from annotate.studies.forms import SettingsForm
from annotate.studies.models import Study
from tests.support.factories import add_annotator, make_admin, make_study
from tests.support.truths import rank_everything, same_truth

pytestmark = pytest.mark.django_db
AB = same_truth([["a"], ["b"]])


@pytest.fixture
def admin_client(client):
    client.force_login(make_admin())
    return client


def form_of(study, **changes):
    """Return what a browser sends when the page is stored with changes."""
    names = [
        "name",
        "min_annotators",
        "max_annotators",
        *services.LOCKED_BY_ANSWERS,
        "break_minutes",
        "break_screens",
    ]
    given = {name: getattr(study, name) for name in names} | changes
    return {
        name: value for name, value in given.items() if value is not None and value is not False
    }


def answered_study(**settings):
    study = make_study(["a", "b"], images=2, **settings)
    rank_everything(study, add_annotator(study), AB)
    return study


def test_before_the_first_answer_everything_may_change(admin_client):
    study = make_study(["a", "b"])
    url = reverse("studies:settings", args=[study.slug])
    sent = form_of(
        study, name="Another", recall_question="More?", ground_truth="always", n_checks=0
    )
    assert admin_client.post(url, sent).status_code == 302
    study.refresh_from_db()
    assert (study.name, study.recall_question) == ("Another", "More?")
    assert (study.ground_truth, study.n_checks) == ("always", 0)


def test_the_address_stays_when_the_name_changes(admin_client):
    study = make_study(["a", "b"])
    slug = study.slug
    url = reverse("studies:settings", args=[slug])
    response = admin_client.post(url, form_of(study, name="Another name"))
    assert response["Location"] == reverse("studies:detail", args=[slug])
    assert admin_client.get(response["Location"]).status_code == 200


@pytest.mark.parametrize("name", services.LOCKED_BY_ANSWERS)
def test_what_gives_answers_their_meaning_is_locked_by_the_first(admin_client, name):
    study = answered_study()
    before = getattr(study, name)
    after = {
        "strategy": "balanced",
        "ground_truth": "always",
        "match_protocol": "iou",
        "n_checks": 1,
        "same_for_all": False,
        "keep_camera": False,
    }.get(name, "Another question?")
    assert after != before
    with pytest.raises(StudyRefused, match="Duplicate the study"):
        services.change_settings(study=study, is_answered=is_answered, **{name: after})
    # The page shows it and does not take it.
    url = reverse("studies:settings", args=[study.slug])
    assert admin_client.get(url).context["form"].fields[name].disabled
    admin_client.post(url, form_of(study, **{name: after}))
    assert getattr(Study.objects.get(pk=study.pk), name) == before


def test_an_answer_that_was_taken_back_locks_too():
    study = make_study(["a", "b"])
    annotator = add_annotator(study)
    rank_everything(study, annotator, AB)
    judging.undo(study=study, annotator=annotator, screen_id="")
    with pytest.raises(StudyRefused):
        services.change_settings(study=study, is_answered=is_answered, recall_question="More?")


def test_what_changes_no_meaning_stays_open(admin_client):
    study = answered_study()
    url = reverse("studies:settings", args=[study.slug])
    sent = form_of(study, name="New", min_annotators=2, max_annotators=4, break_minutes=40)
    assert admin_client.post(url, sent).status_code == 302
    study.refresh_from_db()
    assert (study.name, study.min_annotators, study.max_annotators) == ("New", 2, 4)
    [entry] = AuditEntry.objects.filter(act=Act.STUDY_CHANGED)
    assert entry.details["settings"] == [
        "name",
        "min_annotators",
        "max_annotators",
        "break_minutes",
    ]
    assert study.break_minutes == 40


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"min_annotators": 0}, "min_annotators"),
        ({"min_annotators": 3, "max_annotators": 2}, "max_annotators"),
        ({"break_minutes": 0}, "break_minutes"),
        ({"ground_truth": "perhaps"}, "ground_truth"),
        ({"match_protocol": "none such"}, "match_protocol"),
    ],
)
def test_a_wrong_setting_is_shown_again_with_its_reason(admin_client, changes, field):
    study = make_study(["a", "b"])
    url = reverse("studies:settings", args=[study.slug])
    response = admin_client.post(url, form_of(study, **changes))
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert "<h1>Settings</h1>" in response.text
    assert Study.objects.get(pk=study.pk).name == study.name


def test_a_name_that_is_taken_is_refused(admin_client):
    study, other = make_study(["a", "b"]), make_study(["a", "b"])
    url = reverse("studies:settings", args=[study.slug])
    assert admin_client.post(url, form_of(study, name=other.name)).status_code == 422
    with pytest.raises(StudyRefused, match="already"):
        services.change_settings(study=study, is_answered=is_answered, name=other.name)


def test_images_that_are_shared_out_go_to_so_many_people_and_no_more():
    study = make_study(["a", "b"], images=5, min_annotators=1, max_annotators=2)
    people = [add_annotator(study) for _ in range(3)]
    for person in people:
        rank_everything(study, person, AB)
    taken = Assignment.objects.filter(study=study).values_list("image", flat=True)
    per_image = [list(taken).count(image.pk) for image in study.images.all()]
    assert per_image == [2] * 5
    # The first found all five free, the second too; for the third nothing was left.
    assert [n_images_of(study, person) for person in people] == [5, 5, 0]


def test_progress_counts_the_images_that_a_person_can_have():
    study = make_study(["a", "b"], images=4, min_annotators=1, max_annotators=1)
    first, second = add_annotator(study), add_annotator(study)
    judging.start(study=study, annotator=first)
    assert [n_images_of(study, person) for person in (first, second)] == [4, 3]
    [own] = own_progress(Study.objects.filter(pk=study.pk), second)
    assert (own.n_images, own.n_done, own.n_left) == (3, 0, 3)


def test_whoever_finds_nothing_left_is_told_so(client):
    study = make_study(["a", "b"], images=1, min_annotators=1, max_annotators=1)
    first, second = add_annotator(study), add_annotator(study)
    judging.start(study=study, annotator=first)
    client.force_login(second)
    response = client.get(reverse("judging:judge", args=[study.slug]))
    assert response.status_code == 200
    assert "judging/own.html" in [template.name for template in response.templates]


@pytest.mark.django_db(transaction=True)
def test_two_at_the_same_moment_do_not_get_the_same_last_image():
    study = make_study(["a", "b"], images=6, min_annotators=1, max_annotators=1)
    people = [add_annotator(study) for _ in range(6)]

    def begin(person):
        try:
            return judging.start(study=study, annotator=person)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as pool:
        list(pool.map(begin, people))
    taken = list(Assignment.objects.filter(study=study).values_list("image", flat=True))
    assert len(taken) == len(set(taken))


def test_every_setting_is_in_a_part_of_the_page():
    form = SettingsForm()
    assert sorted(field.name for _, fields in form.groups for field in fields) == sorted(
        form.fields
    )
