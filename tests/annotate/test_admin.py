"""Rescue work: every table opens, searches and shows its rows, and the log stays the log."""

import io

import pytest
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.access import permitted
from annotate.accounts.models import Preferences
from annotate.accounts.services import invite
from annotate.api.models import GivenAnswer
from annotate.api.tokens.services import create_token
from annotate.audit.models import Act, AuditEntry
from annotate.datasets.facts import fill_facts
from annotate.datasets.mending import mend
from annotate.datasets.models import Selection
from annotate.design.setup.models import NewStudy
from annotate.imports import drafts
from annotate.imports.models import Finding
from annotate.jobs import workers
from annotate.jobs.models import Job
from annotate.judges.services import count_picture
from annotate.judging import services as judging
from annotate.leaderboards import services as leaderboards
from annotate.publication.services import publish
from annotate.recruiting.services import Ids, admit
from annotate.scoring.causes import explain
from annotate.scoring.services import score_protocol
from annotate.stopping.services import take_looks
from annotate.studies.exclusions import decide
from annotate.studies.models import Study
from rankings.agreement.report import Settings
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_admin,
    make_person,
    make_study,
)
from tests.support.judges import answer_all, make_judge, release
from tests.support.kept import keep_report
from tests.support.made_once import made_once
from tests.support.participants import make_entrance
from tests.support.truths import rank_everything, same_truth, skipped, undone

pytestmark = pytest.mark.django_db
TRUTH = same_truth([["a"], ["b"], ["c"]])
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
# All others of ours are written once.
CHANGED_HERE = {"Dataset", "Membership", "Method", "Preferences", "Study", "Worker"}
WRITTEN_ONCE = [
    model
    for model in MODELS
    if model._meta.app_label == "annotate" and model.__name__ not in CHANGED_HERE
]


def make_everything():
    """At least one row in every table of ours."""
    study = make_study(["a", "b", "c"], images=2)
    explain(score_protocol(dataset=study.dataset, slug="iou"))
    fill_facts(study.dataset)
    Selection.objects.create(dataset=study.dataset, name="two")
    image = study.images.first()
    mend(image=image, regions=image.truth_regions[:-1], version=1, reason="none", person=None)
    leaderboards.publish(dataset=study.dataset, person=None)
    entrance = make_entrance(study)
    annotator = add_annotator(study)
    turn = judging.start(study=study, annotator=annotator).turn
    judging.pin_note(screen_id=turn.screen.public_id, annotator=annotator, text="Is this text?")
    turn = skipped(turn, "other", text="")
    undone(turn)
    rank_everything(study, add_annotator(study), TRUTH)
    take_looks()
    Preferences.objects.create(person=annotator)
    study.dataset.imports.create(kind="dataset", files=[], counts={})
    kept = keep_report(study=study, settings=Settings(), runs=[], person=make_admin())
    publish(report=kept, person=None, title="A report")
    admit(entrance=entrance, ids=Ids("5f3c0a", "s1"))
    invite(study=study, role="annotator")
    NewStudy.objects.create(person=annotator, dataset=study.dataset)
    decide(study=study, person=annotator, is_excluded=True, reason="a test", by=make_admin())
    create_token(person=annotator, name="a script", scopes=["read"])
    GivenAnswer.objects.create(person=annotator, key="a key", request_sha256="0" * 64)
    draft = drafts.open_draft(person=None, dataset=study.dataset)
    file = drafts.add_file(draft=draft, stream=io.BytesIO(b"no zip"), name="a.zip")
    Finding.objects.create(draft=draft, file=file, severity="error", code="A1", archive="a.zip")
    judge = make_judge(study)
    answer_all(judge, lambda task: {"recall": "left", "precision": "left"})
    release(study)
    count_picture(judge=judge, token="", n_bytes=1)
    Job.objects.create(kind="imports.check")
    workers.arrive("a machine, process 1")
    return study, make_admin("rescuer")


made_everything = made_once(make_everything)


@pytest.fixture
def everything(made_everything):
    return made_everything[0]


@pytest.fixture
def rescuer(client, made_everything):
    client.force_login(made_everything[1])
    return client


def address(model, page, *arguments):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


def test_every_table_of_ours_is_registered():
    ours = apps.get_app_config("annotate").get_models()
    assert [model for model in ours if not admin.site.is_registered(model)] == []


def test_the_fixture_fills_every_table_of_ours(everything):
    empty = [
        m._meta.label
        for m in apps.get_app_config("annotate").get_models()
        if not m.objects.exists()
    ]
    assert empty == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_every_list_search_and_row_opens(rescuer, django_assert_max_num_queries, model):
    with django_assert_max_num_queries(22):
        assert rescuer.get(address(model, "changelist")).status_code == 200
    registered = admin.site._registry[model]
    if registered.search_fields:
        assert rescuer.get(address(model, "changelist"), {"q": "a"}).status_code == 200
    elif model._meta.app_label == "annotate":
        pytest.fail("it cannot be searched")
    assert registered.list_filter or model._meta.app_label != "annotate"
    row = model._base_manager.first()
    if row is not None:
        with django_assert_max_num_queries(40):
            assert rescuer.get(address(model, "change", row.pk)).status_code == 200


@pytest.mark.parametrize("model", WRITTEN_ONCE, ids=lambda model: model._meta.label)
def test_what_was_written_once_cannot_be_added_changed_or_deleted(rescuer, model):
    row = model._base_manager.first()
    before = list(model._base_manager.values())
    assert rescuer.post(address(model, "add"), {}).status_code == 403
    assert rescuer.post(address(model, "change", row.pk), {}).status_code == 403
    assert rescuer.post(address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    sent = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    rescuer.post(address(model, "changelist"), sent)
    assert list(model._base_manager.values()) == before


def test_queries_of_a_list_do_not_grow_with_its_rows(rescuer, everything):
    url = reverse("admin:annotate_judgement_changelist")

    def n_queries():
        with CaptureQueriesContext(
            connection,
        ) as counted:
            rescuer.get(url)
        return len(counted)

    few = n_queries()
    rank_everything(everything, add_annotator(everything), TRUTH)
    assert n_queries() == few


def test_people_are_not_deleted_here(rescuer):
    person = make_person()
    url = reverse("admin:auth_user_delete", args=[person.pk])
    assert rescuer.post(url, {"post": "yes"}).status_code == 403
    assert User.objects.filter(pk=person.pk).exists()


def test_a_change_here_is_in_the_log_without_names(rescuer, everything):
    dataset = everything.dataset
    form = {"name": "Renamed", "slug": "renamed", "line_format": "ltrb", "box_convention": "points"}
    url = reverse("admin:annotate_dataset_change", args=[dataset.pk])
    assert rescuer.post(url, form).status_code == 302
    entry = AuditEntry.objects.first()
    assert (entry.act, entry.actor.username) == (Act.RESCUED, "rescuer")
    assert entry.what == f"dataset {dataset.pk} changed"
    assert "Name" in entry.details["fields"]


def test_the_log_is_english_whoever_changes_something_here(rescuer):
    person = make_person()
    form = {"username": person.username, "date_joined_0": "2026-11-22", "date_joined_1": "12:00:00"}
    url = reverse("admin:auth_user_change", args=[person.pk])
    answer = rescuer.post(url, form, headers={"accept-language": "fr"})
    assert answer.status_code == 302
    assert AuditEntry.objects.first().what == f"user {person.pk} changed"


@pytest.mark.parametrize("kept", ["is_staff", "is_superuser"])
def test_an_admin_who_loses_one_of_both_statuses_loses_every_permission(rescuer, kept):
    person = make_admin()
    form = {
        "username": person.username,
        "is_active": "on",
        kept: "on",
        "date_joined_0": "2026-11-22",
        "date_joined_1": "12:00:00",
    }
    url = reverse("admin:auth_user_change", args=[person.pk])
    answer = rescuer.post(url, form, follow=True)
    assert "This account has neither now" in answer.text
    person = User.objects.get(pk=person.pk)
    assert person.is_active
    assert not person.has_perm("annotate.load_data")
    assert not person.has_perm("annotate.manage_people")
    assert not permitted(person, "annotate.follow_study", Study).exists()


# Access


@pytest.mark.parametrize("make", [make_person, lambda: add_researcher(make_study(["a", "b"]))])
def test_for_everybody_else_there_is_nothing(client, make):
    client.force_login(make())
    assert client.get("/rescue/", follow=True).status_code == 404


def test_signing_in_goes_through_the_account_library(client):
    response = client.get("/rescue/", follow=True)
    assert response.redirect_chain[-1][0].startswith(reverse("account_login"))
    assert client.post("/rescue/login/", {"username": "x", "password": "y"}).status_code == 302


def test_the_second_factor_stands_before_rescue_work(client):
    admin_person = make_admin("boss")
    Authenticator.objects.create(user=admin_person, type="totp", data={"secret": "A" * 32})
    client.post(reverse("account_login"), {"login": "boss", "password": "pw"})
    response = client.get("/rescue/", follow=True)
    assert response.redirect_chain[-1][0].startswith(reverse("mfa_authenticate"))


def test_the_secret_of_a_second_factor_is_not_shown(rescuer):
    key = Authenticator.objects.create(user=make_person(), type="totp", data={"secret": "A" * 32})
    assert "A" * 32 not in rescuer.get(address(Authenticator, "change", key.pk)).text


def test_rescue_pages_run_under_the_policy(rescuer):
    response = rescuer.get("/rescue/annotate/judgement/")
    assert "unsafe-inline" not in response["Content-Security-Policy"]
