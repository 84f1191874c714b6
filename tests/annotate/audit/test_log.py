"""The log says who did what, cannot be changed, and is read in pages."""

import pytest
from django.core.management import call_command
from django.db.models import ProtectedError
from django.urls import reverse
from django.utils.html import strip_tags

from annotate.audit.models import Act, AuditEntry
from annotate.audit.services import acting, record
from annotate.imports.errors import NotLoaded
from annotate.judging import methods
from annotate.scoring.services import score_protocol
from annotate.studies.services import change_role, create_study, remove_member, set_state
from rankings.agreement.report import Settings
from tests.support.archives import zip_file
from tests.support.factories import (
    add_researcher,
    make_admin,
    make_method,
    make_person,
    make_study,
)
from tests.support.kept import keep_report
from tests.support.loads import load_dataset, load_results

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_study(["a", "b", "c"])


def last():
    return AuditEntry.objects.first()


def logged(n=1):
    """The newest acts, the oldest of them first."""
    return [entry.act for entry in AuditEntry.objects.all()[:n]][::-1]


# It cannot be changed


def test_an_entry_cannot_be_changed_or_removed(study):
    entry = record(Act.STUDY_CHANGED, study=study)
    with pytest.raises(TypeError):
        entry.save()
    with pytest.raises(TypeError):
        entry.delete()
    with pytest.raises(TypeError):
        AuditEntry.objects.update(what="else")
    with pytest.raises(TypeError):
        AuditEntry.objects.all().delete()


def test_who_is_in_the_log_cannot_be_deleted():
    person = make_person()
    record(Act.ERASED, about=person)
    with pytest.raises(ProtectedError):
        person.delete()


# The actor


def test_a_command_acts_for_nobody(study):
    record(Act.STUDY_CHANGED, study=study)
    assert last().actor is None


def test_the_innermost_person_acts():
    outer, inner = make_person(), make_person()
    with acting(lambda: outer):
        with acting(lambda: inner):
            record(Act.SCORED)
        record(Act.SCORED)
    record(Act.SCORED)
    actors = AuditEntry.objects.order_by("pk").values_list("actor", flat=True)
    assert list(actors) == [inner.pk, outer.pk, None]


def test_who_makes_a_request_acts(client, study):
    admin = make_admin()
    client.force_login(admin)
    client.post(reverse("studies:set_state", args=[study.slug]), {"state": "closed"})
    assert (last().actor, last().act, last().study) == (admin, Act.STUDY_CLOSED, study)


def test_a_long_name_is_cut_not_refused():
    assert len(record(Act.SCORED, what="x" * 1000).what) == 300


# Every administrative act


def test_loading_is_logged_and_what_failed_is_not(tmp_path):
    admin = make_admin()
    truth = zip_file(tmp_path / "gt.zip", {"gt_img_1.txt": '0,0,9,9,"a"\n'})
    dataset = load_dataset(name="Signs", truth=truth, person=admin).dataset
    assert (last().act, last().actor, last().what) == (Act.DATASET_LOADED, admin, "Signs")
    results = zip_file(tmp_path / "east.zip", {"res_img_1.txt": "0,0,9,9\n"})
    load_results(dataset, {"east": results}, person=admin)
    assert last().act == Act.RESULTS_LOADED
    n_before = AuditEntry.objects.count()
    with pytest.raises(NotLoaded):
        load_results(dataset, {"east": results})
    assert AuditEntry.objects.count() == n_before


def test_scoring_is_logged(study):
    score_protocol(dataset=study.dataset, slug="iou")
    assert last().act == Act.SCORED
    assert last().details["protocol"] == "IOU"


def test_setting_up_opening_and_closing_are_logged_once_each(study):
    made = create_study(
        name="Another", dataset=study.dataset, methods=list(study.dataset.methods.all())
    )
    for state in ("open", "open", "closed"):
        set_state(study=made, state=state, on_blank_pages=True)
    assert logged(3) == [Act.STUDY_CREATED, Act.STUDY_OPENED, Act.STUDY_CLOSED]


def test_members_and_roles_are_logged_with_whom_they_concern(study):
    membership = study.memberships.get(person=add_researcher(study))
    change_role(membership=membership, role="annotator")
    assert last().about == membership.person
    assert last().details == {"before": "researcher", "role": "annotator"}
    remove_member(membership=membership)
    assert logged(2) == [Act.ROLE_CHANGED, Act.MEMBER_REMOVED]


def test_methods_that_come_and_go_are_logged(study):
    method = study.methods.first()
    methods.withdraw_method(study=study, method=method)
    methods.add_method(study=study, method=method)
    assert logged(2) == [Act.METHOD_WITHDRAWN, Act.METHOD_ADDED]


def test_keeping_a_report_is_logged(study):
    admin = make_admin()
    keep_report(study=study, settings=Settings(), runs=[], person=admin)
    assert (last().act, last().actor, last().study) == (Act.REPORT_KEPT, admin, study)


def test_a_study_from_a_bundle_is_logged(study, tmp_path):
    call_command("export_study", study.slug, "--out", str(tmp_path / "bundle.zip"))
    study.name, study.slug = "moved", "moved"
    study.save()
    study.dataset.name = study.dataset.slug = "moved"
    study.dataset.save()
    call_command("import_study", str(tmp_path / "bundle.zip"))
    assert last().act == Act.STUDY_LOADED


# The pages


def page(client, **asked):
    return client.get(reverse("audit:log"), asked)


@pytest.fixture
def admin_client(client):
    client.force_login(make_admin("boss"))
    return client


def test_the_log_filters_by_person_act_and_day(admin_client):
    ana, ben = make_person("ana"), make_person("ben")
    record(Act.SCORED, actor=ana, what="one")
    record(Act.ERASED, about=ana, what="two")
    record(Act.SCORED, actor=ben, what="three")

    def shown(**asked):
        return [entry.what for entry in page(admin_client, **asked).context["entries"]]

    assert shown() == ["three", "two", "one"]
    assert shown(person="ana") == ["two", "one"]
    assert shown(act="scored") == ["three", "one"]
    assert shown(person="ana", act="scored") == ["one"]
    today = last().created.date().isoformat()
    assert len(shown(since=today, until=today)) == 3
    assert shown(until="2001-01-01") == []
    assert "matches this filter" in page(admin_client, until="2001-01-01").text


@pytest.mark.parametrize(
    "asked",
    [
        {"act": "nonsense"},
        {"since": "soon"},
        {"before": "-1"},
        {"since": "2026-02-02", "until": "1"},
    ],
)
def test_a_filter_that_cannot_be_read_filters_nothing(admin_client, asked):
    record(Act.SCORED, what="one")
    response = page(admin_client, **asked)
    assert response.status_code == 200
    assert len(response.context["entries"]) == 1


def test_details_are_shown_in_words(admin_client):
    record(
        Act.SCORED,
        details={"settings": ["name", "seed"], "listed": False, "download": True, "run": 1},
    )
    shown = " ".join(strip_tags(page(admin_client).text).split())
    # PostgreSQL has an order of its own.
    for words in ("settings: name, seed", "listed: no", "download: yes", "run: 1"):
        assert words in shown, words


def test_a_long_log_is_read_in_pages_without_gap_or_repeat(admin_client):
    for number in range(120):
        record(Act.SCORED, what=str(number))
    seen, before = [], None
    while True:
        shown = page(admin_client, **({"before": before} if before else {})).context
        seen += [entry.what for entry in shown["entries"]]
        before = shown["older_than"]
        if before is None:
            break
        record(Act.SCORED, what="meanwhile")
    assert seen == [str(number) for number in reversed(range(120))]


def test_the_log_of_a_study_holds_its_own_entries_alone(client, study):
    other = make_study(["a", "b"])
    record(Act.STUDY_CHANGED, study=study, what="own")
    record(Act.STUDY_CHANGED, study=other, what="foreign")
    record(Act.SCORED, what="of the site")
    client.force_login(add_researcher(study))
    shown = client.get(reverse("audit:study", args=[study.slug])).context["entries"]
    assert {entry.study for entry in shown} == {study}
    assert client.get(reverse("audit:study", args=[other.slug])).status_code == 404
    assert page(client).status_code == 404


def test_entries_outlive_the_study(study):
    record(Act.STUDY_CHANGED, study=study, what="kept")
    study.delete()
    assert AuditEntry.objects.get(what="kept").study is None


def test_methods_of_another_dataset_log_nothing(study):
    stranger = make_method(make_study(["x", "y"]).dataset)
    n_before = AuditEntry.objects.count()
    with pytest.raises(Exception, match="not a method of"):
        methods.add_method(study=study, method=stranger)
    assert AuditEntry.objects.count() == n_before
