"""Changing the settings of a study, sharing its images out, and making another one like it."""

import json
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter

import pytest
from django.db import connection, models
from django.urls import reverse

from annotate.audit.models import Act, AuditEntry
from annotate.design.setup.forms import DesignForm, LookForm
from annotate.design.setup.services import begin
from annotate.exchange.bundles.records import decoded, encoded
from annotate.judging import services as judging
from annotate.judging.image_allocation import is_answered, n_images_of, own_progress
from annotate.judging.models import Assignment
from annotate.studies import services
from annotate.studies.api import NewStudySerializer, StudySerializer
from annotate.studies.errors import StudyRefused
from annotate.studies.forms import SettingsForm
from annotate.studies.models import Study
from annotate.studies.settings import BY_NAME, NOT_SETTINGS, SETTINGS, Lock, usual
from tests.support.factories import add_annotator, make_admin, make_study
from tests.support.pages import flat
from tests.support.truths import rank_everything, same_truth

pytestmark = pytest.mark.django_db
AB = same_truth([["a"], ["b"]])


def form_of(study, **changes):
    """Return what a browser sends when the page is stored with changes."""
    given = {name: getattr(study, name) for name in ("name", *BY_NAME)} | changes
    return {
        name: value for name, value in given.items() if value is not None and value is not False
    }


def another_value(name):
    """Return a value that a setting may have and does not have usually."""
    field, usual_value = Study._meta.get_field(name), usual(name)
    if name == "match_protocol":
        return "iou"
    if field.choices:
        return next(value for value, _ in field.choices if value != usual_value)
    if isinstance(field, models.BooleanField):
        return not usual_value
    if isinstance(field, models.FloatField):
        return 0.6
    return 4 if isinstance(field, models.IntegerField) else "Another text?"


def answered_study(**settings):
    study = make_study(["a", "b"], images=2, **settings)
    rank_everything(study, add_annotator(study), AB)
    return study


def test_before_the_first_answer_everything_may_change(admin):
    study = make_study(["a", "b"])
    url = reverse("studies:settings", args=[study.slug])
    sent = form_of(
        study, name="Another", recall_question="More?", ground_truth="always", n_checks=0
    )
    assert admin.post(url, sent).status_code == 302
    study.refresh_from_db()
    assert (study.name, study.recall_question) == ("Another", "More?")
    assert (study.ground_truth, study.n_checks) == ("always", 0)


def test_the_address_stays_when_the_name_changes(admin):
    study = make_study(["a", "b"])
    slug = study.slug
    url = reverse("studies:settings", args=[slug])
    response = admin.post(url, form_of(study, name="Another name"))
    assert response["Location"] == reverse("studies:detail", args=[slug])
    assert admin.get(response["Location"]).status_code == 200


@pytest.mark.parametrize(
    "setting",
    [one for one in SETTINGS if one.locks_at is Lock.FIRST_ANSWER],
    ids=attrgetter("name"),
)
def test_what_gives_answers_their_meaning_is_locked_by_the_first(admin, setting):
    study, name = answered_study(), setting.name
    before, after = getattr(study, name), another_value(name)
    with pytest.raises(StudyRefused, match="Duplicate the study"):
        services.change_settings(study=study, is_answered=is_answered, **{name: after})
    # The page shows it and does not take it.
    url = reverse("studies:settings", args=[study.slug])
    assert admin.get(url).context["form"].fields[name].disabled
    admin.post(url, form_of(study, **{name: after}))
    assert getattr(Study.objects.get(pk=study.pk), name) == before


def test_an_answer_that_was_taken_back_locks_too():
    study = make_study(["a", "b"])
    annotator = add_annotator(study)
    rank_everything(study, annotator, AB)
    judging.undo(study=study, annotator=annotator, screen_id="")
    with pytest.raises(StudyRefused):
        services.change_settings(study=study, is_answered=is_answered, recall_question="More?")


def test_what_changes_no_meaning_stays_open(admin):
    study = answered_study()
    url = reverse("studies:settings", args=[study.slug])
    sent = form_of(study, name="New", min_annotators=2, max_annotators=4, break_minutes=40)
    assert admin.post(url, sent).status_code == 302
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
def test_a_wrong_setting_is_shown_again_with_its_reason(admin, changes, field):
    study = make_study(["a", "b"])
    url = reverse("studies:settings", args=[study.slug])
    response = admin.post(url, form_of(study, **changes))
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert "<h1>Settings</h1>" in flat(response.text)
    assert Study.objects.get(pk=study.pk).name == study.name


def test_a_name_that_is_taken_is_refused(admin):
    study, other = make_study(["a", "b"]), make_study(["a", "b"])
    url = reverse("studies:settings", args=[study.slug])
    assert admin.post(url, form_of(study, name=other.name)).status_code == 422
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
            return judging.start(study=study, annotator=person).turn
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as pool:
        list(pool.map(begin, people))
    taken = list(Assignment.objects.filter(study=study).values_list("image", flat=True))
    assert len(taken) == len(set(taken))


def test_every_field_of_a_study_is_declared_once_as_a_setting_or_as_none():
    fields = [field.name for field in Study._meta.concrete_fields]
    declared = [*(setting.name for setting in SETTINGS), *NOT_SETTINGS]
    assert sorted(declared) == sorted(fields)


class TestEverySettingIs:
    """A setting that a place forgets is named by the test of that place."""

    def test_in_a_part_of_the_page_of_settings(self):
        shown = [field.name for _, fields in SettingsForm().groups for field in fields]
        assert sorted(shown) == sorted(["name", *BY_NAME])

    def test_in_a_step_of_a_new_study(self):
        asked = [*DesignForm.base_fields, *LookForm.base_fields]
        assert sorted(asked) == sorted([*BY_NAME, "seed"])

    def test_in_a_copy_of_the_study(self):
        study = make_study(["a", "b"], ends_by="budget", answer_budget=4)
        new = begin(
            person=make_admin(),
            dataset=study.dataset,
            name="A copy",
            methods=list(study.methods.all()),
            like=study,
        )
        assert new.settings.keys() == {"name", "seed", *BY_NAME}

    def test_shown_and_taken_by_the_api(self):
        assert BY_NAME.keys() <= StudySerializer().fields.keys()
        taken = NewStudySerializer().fields
        assert BY_NAME.keys() <= taken.keys()
        assert not any(taken[name].required for name in BY_NAME)

    @pytest.mark.parametrize("name", BY_NAME)
    def test_read_from_a_bundle_as_it_was_written(self, name):
        study = Study(**{name: another_value(name)})
        row = json.loads(json.dumps(encoded(study, leave_out=["created"])))
        assert getattr(decoded(Study, row), name) == another_value(name)

    @pytest.mark.parametrize("name", BY_NAME)
    def test_changed_and_logged(self, name):
        needs = {
            "agreement_percent": {"max_annotators": 2, "min_annotators": 1},
            "ends_by": {"answer_budget": 4},
            "answer_budget": {"ends_by": "budget"},
        }
        changes = {name: another_value(name)} | needs.get(name, {})
        study = make_study(["a", "b", "c", "d", "e"], state="draft")
        services.change_settings(study=study, is_answered=is_answered, **changes)
        assert getattr(Study.objects.get(pk=study.pk), name) == another_value(name)
        [entry] = AuditEntry.objects.filter(act=Act.STUDY_CHANGED)
        assert name in entry.details["settings"]


def test_what_is_no_setting_cannot_be_changed_as_one():
    with pytest.raises(KeyError):
        services.change_settings(
            study=make_study(["a", "b"]), is_answered=is_answered, state="closed"
        )


def test_matches_are_coloured_by_a_protocol_that_matches_regions():
    with pytest.raises(StudyRefused, match="matches regions"):
        services.change_settings(
            study=make_study(["a", "b"]), is_answered=is_answered, match_protocol="none such"
        )
