"""Researchers make entrances, read what became of people, pay them, and erase their ids."""

import csv
import json
import re
import zipfile
from datetime import timedelta
from io import BytesIO, StringIO

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.serializers import serialize
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.accounts.privacy.personal_data import erase, everything_about
from annotate.audit.models import Act, AuditEntry
from annotate.exchange.raw import FILES, write_zip
from annotate.judging import effort
from annotate.publication.papers import methods_text
from annotate.recruiting import services
from annotate.recruiting.models import Arrival, Entrance
from annotate.recruiting.questions import as_lines, read_lines
from annotate.recruiting.selectors import figures_of, minutes_of
from annotate.reports.services import available_runs
from rankings.agreement.report import Settings
from tests.support.factories import make_run
from tests.support.kept import keep_report
from tests.support.made_once import made_once
from tests.support.participants import (
    PRACTICE,
    admitted,
    agree,
    answer,
    answer_all,
    arrival_in,
    code_on,
    crowd_study,
    ids,
    link,
    make_entrance,
)

pytestmark = pytest.mark.django_db
made_study = made_once(crowd_study)

FORM = {
    "name": "Prolific",
    "platform": "prolific",
    "places": 40,
    "unit": "pairs",
    "size": 40,
    "n_checks": 6,
    "checks_at_least": 0.5,
    "after_checks": "review",
    "keep_days": 60,
    "min_width": 900,
    "min_height": 600,
    "input": "any",
    "contact": "Ana, ana@example.org",
}


def make(browser, study, **fields):
    return browser.post(reverse("recruiting:entrances", args=[study.slug]), FORM | fields)


def test_a_researcher_makes_an_entrance_without_an_admin(researcher, study):
    assert make(researcher, study).status_code == 302
    entrance = Entrance.objects.get()
    assert len(entrance.slug) == 16
    assert (entrance.person_parameter, entrance.submission_parameter) == (
        "PROLIFIC_PID",
        "SESSION_ID",
    )
    codes = [entrance.code_of(outcome) for outcome in ("completed", "checks", "full", "late")]
    assert all(codes)
    assert len({*codes}) == 4
    page = researcher.get(reverse("recruiting:entrances", args=[study.slug])).text
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}" in page
    assert codes[0] in page
    assert AuditEntry.objects.filter(act=Act.ENTRANCE_MADE, study=study).exists()


def test_a_new_entrance_asks_for_five_fields_and_for_the_contact_once(researcher, study):
    address = reverse("recruiting:entrances", args=[study.slug])
    page = researcher.get(address).text
    asked = r'<(?:input|select|textarea)[^>]*name="(\w+)"[^>]*id="id_'
    at_once, folded = page.split("<details>", 1)
    names = ["name", "platform", "places", "unit", "size"]
    assert sorted(re.findall(asked, at_once)) == sorted([*names, "contact"])
    assert len(re.findall(asked, folded)) > 20
    assert make(researcher, study, contact="").status_code == 422
    assert not Entrance.objects.exists()
    assert make(researcher, study, contact="Ana, room 7").status_code == 302
    study.refresh_from_db()
    assert study.contact == "Ana, room 7"
    at_once, _ = researcher.get(address).text.split("<details>", 1)
    assert 'name="contact"' not in at_once


def test_a_folded_setting_with_an_error_is_unfolded(researcher, study):
    assert "<details open>" in make(researcher, study, n_checks=2).text


def test_an_entrance_opens_once_participants_are_told_whom_to_ask(researcher, study):
    entrance = make_entrance(study, state="paused")
    url = reverse("recruiting:set_state", args=[study.slug, entrance.pk])
    page = researcher.post(url, {"state": "open"}, follow=True)
    assert "Say first whom participants can ask" in page.text
    assert 'name="contact"' in page.text
    entrance.refresh_from_db()
    assert entrance.state == "paused"
    person = User.objects.get(memberships__study=study, memberships__role="researcher")
    person.email = "ana@example.org"
    person.save(update_fields=["email"])
    researcher.post(url, {"state": "open"})
    entrance.refresh_from_db()
    assert entrance.state == "open"
    assert "ana@example.org" in Client().get(link(entrance), ids()).text


@pytest.mark.parametrize(
    "fields",
    [
        {"n_checks": 2},
        {"size": 4},
        {"way_back": "http://app.prolific.com/?cc={code}"},
        {"way_back": "https://evil.example/?cc={code}"},
        {"way_back": "https://app.prolific.com@evil.example/{code}"},
        {"asked": "before | age | How old?"},
        {"asked": "\n".join(["before | text | Why?"] * 6)},
        {"code_full": "<b>"},
        {"places": 0},
    ],
)
def test_what_cannot_be_is_refused_on_the_form(researcher, study, fields):
    assert make(researcher, study, **fields).status_code == 422
    assert not Entrance.objects.exists()


def test_an_admin_may_send_people_back_to_another_host(admin, study):
    assert make(admin, study, way_back="https://our.example/{code}").status_code == 302


def test_a_name_is_of_one_entrance(researcher, study):
    make(researcher, study)
    assert make(researcher, study).status_code == 422


def test_changes_and_states_are_in_the_log(researcher, study):
    entrance = make_entrance(study)
    address = reverse("recruiting:entrance", args=[study.slug, entrance.pk])
    assert researcher.get(address).status_code == 200
    assert researcher.post(address, FORM | {"places": 12, "slug": entrance.slug}).status_code == 302
    entrance.refresh_from_db()
    assert entrance.places == 12
    state = reverse("recruiting:set_state", args=[study.slug, entrance.pk])
    assert researcher.post(state, {"state": "paused"}).status_code == 302
    assert researcher.post(state, {"state": "gone"}).status_code == 404
    acts = AuditEntry.objects.filter(act=Act.ENTRANCE_CHANGED).order_by("pk")
    assert "places" in acts[0].details["settings"]
    assert acts[1].details == {"state": "paused"}


def test_questions_are_written_a_line_each():
    text = "before | choice | Which device? | laptop; telephone\nafter | text | Anything odd?"
    assert as_lines(read_lines(text)) == text
    assert read_lines(text)[0]["choices"] == ["laptop", "telephone"]


def test_figures_count_people_by_what_became_of_them(study):
    entrance = make_entrance(study, places=5, reward="2.00", pay_floor="9.00")
    finished = admitted(entrance, ids("a"))
    answer_all(finished)
    admitted(entrance, ids("b"), taught=False)
    admitted(entrance, ids("c"), taught=False)
    Arrival.objects.filter(participant="c").update(deadline=timezone.now() - timedelta(minutes=1))
    # Twenty minutes for 2.00 are 6.00 an hour.
    done = Arrival.objects.get(participant="a")
    Arrival.objects.filter(pk=done.pk).update(consented=done.ended - timedelta(minutes=20))
    agree(Client(), entrance, ids("d"), leave="no_consent")
    [figures] = figures_of(study)
    assert (figures.n_taken, figures.n_began, figures.n_finished) == (2, 3, 1)
    assert (figures.n_under_way, figures.n_timed_out, figures.n_turned_away) == (1, 1, 1)
    assert figures.median_minutes == pytest.approx(20)
    assert float(figures.hourly_pay) == pytest.approx(6)
    assert figures.is_paid_too_little


def test_minutes_are_promised_by_the_pace_of_the_study(study, monkeypatch):
    monkeypatch.setattr(effort, "ENOUGH_TIMES", 6)
    entrance = make_entrance(study, size=30, n_checks=3)
    # 30 pairs of 10 s, and two minutes of introduction.
    assert minutes_of(entrance) == 2 + 5
    answer_all(admitted(make_entrance(study)))
    # Six answers of 4 s are known now.
    assert minutes_of(entrance) == 2 + 2
    entrance.minutes = 11
    assert minutes_of(entrance) == 11


def rows_of(browser, entrance, kind, **sent):
    address = reverse("recruiting:payment", args=[entrance.study.slug, entrance.pk, kind])
    response = browser.get(address, sent)
    assert response["Content-Type"].startswith("text/csv")
    return list(csv.reader(StringIO(response.text)))


def test_payment_lists_are_in_the_shape_of_prolific(researcher, study):
    entrance = make_entrance(study)
    answer_all(admitted(entrance, ids("a")))
    admitted(entrance, ids("b"), taught=False)
    assert rows_of(researcher, entrance, "approve") == [["a"]]
    assert rows_of(researcher, entrance, "bonus", bonus="1.5") == [["a", "1.50"]]
    assert rows_of(researcher, entrance, "bonus", bonus="-1") == []
    head, first, second = rows_of(researcher, entrance, "list")
    of_first = dict(zip(head, first, strict=True))
    assert of_first["id"] == "a"
    assert of_first["annotator"] == "annotator-1"
    assert (of_first["outcome"], of_first["code"]) == ("completed", entrance.code_completed)
    assert (of_first["pairs"], of_first["checks"], of_first["checks_right"]) == ("6", "3", "3")
    assert dict(zip(head, second, strict=True))["outcome"] == "in progress"


def test_payment_lists_are_in_the_shape_of_mechanical_turk(researcher, study):
    entrance = make_entrance(study, "mturk", after_checks="end", checks_at_least=1)
    good = {"workerId": "W1", "assignmentId": "A1"}
    answer_all(admitted(entrance, good))
    bad = admitted(entrance, {"workerId": "W2", "assignmentId": "A2"})
    answer_all(bad, lambda screen: dict.fromkeys(("recall", "precision", "preference"), "equal"))
    head, first, second = rows_of(researcher, entrance, "approve")
    assert head == ["AssignmentId", "WorkerId", "Approve", "Reject"]
    assert first == ["A1", "W1", "x", ""]
    assert second[:3] == ["A2", "W2", ""]
    assert "known answer" in second[3]
    assert rows_of(researcher, entrance, "review")[1][::3] == ["W2", "checks"]


def test_the_address_for_another_platform_names_its_parameters(researcher, study):
    make_entrance(study, platform="custom", person_parameter="who", submission_parameter="visit")
    page = researcher.get(reverse("recruiting:entrances", args=[study.slug])).text
    assert "?who=…&amp;visit=…" in page
    assert "Replace each … with" in page


def test_a_preview_walks_the_whole_way_and_stores_nothing(researcher, study):
    entrance = make_entrance(study)
    at = reverse("recruiting:preview", args=[study.slug, entrance.pk, "start"])
    for step in ("lesson", "tried", "done"):
        page = researcher.post(at, PRACTICE) if step == "done" else researcher.get(at)
        assert page.status_code == 200
        following = reverse("recruiting:preview", args=[study.slug, entrance.pk, step])
        assert following in page.text
        assert "<button" not in page.text or step != "lesson"
        at = following
    assert code_on(researcher.get(at)) == "· · ·"
    assert f'href="{reverse("recruiting:entrances", args=[study.slug])}"' in researcher.get(at).text
    tried = reverse("recruiting:preview", args=[study.slug, entrance.pk, "tried"])
    assert researcher.post(tried).status_code == 422
    assert not Arrival.objects.exists()
    assert not study.first_visits.exists()
    assert researcher.get(at.replace("done", "x")).status_code == 404


# The ids of platforms

SECRET = "Zq7participantZq7"  # nosec
SUBMISSION = "Zq7submissionZq7"


@pytest.fixture
def visited(study, caplog):
    """An entrance by which a person came whose ids can be searched for."""
    entrance = make_entrance(study)
    with caplog.at_level("DEBUG"):
        browser = Client()
        browser.get(link(entrance), ids(SECRET, SUBMISSION))
        agree(browser, entrance, ids(SECRET, SUBMISSION))
        browser.get(link(entrance), ids(SECRET, SUBMISSION))
    return entrance


def rows_with(text):
    """Return the models with a row that holds this text anywhere, sessions and caches included."""
    found = set()
    for model in apps.get_models(include_auto_created=True):
        for row in model._base_manager.all():
            if text in serialize("json", [row]) or text in decoded(row):
                found.add(model.__name__)
    return found


def decoded(row):
    return json.dumps(row.get_decoded()) if hasattr(row, "get_decoded") else ""


def test_ids_stand_in_one_table_and_in_no_log(visited, caplog, study, researcher):
    for text in (SECRET, SUBMISSION):
        assert rows_with(text) == {"Arrival"}
        assert text not in caplog.text
    from django.db import connection

    tables = {"annotate_arrival"}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # nosec
            if any(SECRET in str(value) for row in cursor.fetchall() for value in row):
                tables.add(table)
    assert tables == {"annotate_arrival"}


def bytes_in(content):
    """Return what a file holds, with the entries of a zip unpacked."""
    if not zipfile.is_zipfile(BytesIO(content)):
        return content
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return b"".join(name.encode() + archive.read(name) for name in archive.namelist())


def test_ids_are_in_no_export_but_the_payment_list(study, researcher, tmp_path):
    entrance = make_entrance(study)
    answer_all(admitted(entrance, ids(SECRET, SUBMISSION)))
    make_run(study, "Forward", {f"method-{at}": at / 4 for at in range(4)})
    names = ["exchange:raw", "reports:report", "studies:detail", "evidence:annotators"]
    addresses = [reverse(name, args=[study.slug]) for name in (*names, "audit:study")]
    for name in FILES:
        addresses.append(reverse("exchange:raw_file", args=[study.slug, name]) + "?names=yes")
    addresses += [
        reverse("reports:export", args=[study.slug, kind]) for kind in ("json", "csv", "tex")
    ]
    for address in addresses:
        response = researcher.get(address)
        assert response.status_code == 200, address
        text = response.getvalue() if response.streaming else response.content
        assert b"Zq7" not in text, address
    researcher.post(reverse("reports:kept_reports", args=[study.slug]))
    assert "Zq7" not in json.dumps(study.kept_reports.get().data)
    bundle, raw, paper = (tmp_path / name for name in ("bundle.zip", "raw.zip", "paper.zip"))
    call_command("export_study", study.slug, out=bundle, names=True)
    with raw.open("wb") as stream:
        write_zip(study, stream, names=True)
    call_command("export_report", study.slug, format="paper", out=paper)
    for file in (bundle, raw, paper):
        assert b"Zq7" not in bytes_in(file.read_bytes()), file.name
    assert SECRET in str(rows_of(researcher, entrance, "list"))


def test_ids_are_erased_by_a_button(visited, study, researcher):
    address = reverse("recruiting:erase", args=[study.slug, visited.pk])
    assert researcher.post(address).status_code == 302
    assert rows_with(SECRET) == rows_with(SUBMISSION) == set()
    assert AuditEntry.objects.get(act=Act.IDS_ERASED).details == {"people": 1}


def test_ids_are_erased_after_the_days_of_the_entrance(visited):
    visited.keep_days = 10
    visited.save()
    Arrival.objects.update(consented=timezone.now() - timedelta(days=9))
    assert services.forget_ids() == 0
    Arrival.objects.update(consented=timezone.now() - timedelta(days=11))
    assert services.forget_ids() == 1
    assert services.forget_ids() == 0
    assert rows_with(SECRET) == set()


def test_ids_go_with_the_rest_of_a_persons_data(visited):
    person = Arrival.objects.get().person
    assert SECRET in json.dumps(everything_about(person), default=str)
    erase(person)
    assert rows_with(SECRET) == set()


def test_no_address_of_a_visitor_is_kept(study):
    entrance = make_entrance(study)
    browser = Client(REMOTE_ADDR="203.0.113.77", headers={"user-agent": "Zq7Browser"})
    agree(browser, entrance)
    for text in ("203.0.113.77", "Zq7Browser"):
        assert rows_with(text) == set()
    assert arrival_in(browser).answers == []


def test_progress_reaches_the_payment_list_before_the_end(researcher, study):
    entrance = make_entrance(study)
    browser = admitted(entrance)
    answer(browser)
    head, row = rows_of(researcher, entrance, "list")
    assert dict(zip(head, row, strict=True))["pairs"] == "1"


def test_reports_and_papers_say_how_people_were_found(researcher, study):
    entrance = make_entrance(study, places=5)
    finished = admitted(entrance, ids("a"))
    answer_all(finished)
    done = Arrival.objects.get(participant="a")
    Arrival.objects.filter(pk=done.pk).update(consented=done.ended - timedelta(minutes=20))
    admitted(entrance, ids("b"), taught=False)
    Arrival.objects.filter(participant="b").update(deadline=timezone.now() - timedelta(minutes=1))
    agree(Client(), entrance, ids("d"), leave="no_consent")
    make_run(study, "IOU", {})
    page = researcher.get(reverse("reports:report", args=[study.slug]), {"open": "made"}).text
    said = (
        f"{entrance.name}: 1 not admitted, 2 agreed, 1 finished, 1 out of time, median 20.0 minutes"
    )
    assert said in page
    kept = keep_report(
        study=study, settings=Settings(min_annotators=1), runs=available_runs(study), person=None
    )
    assert f"by a link, without an account: {said}" in methods_text(kept.data).markdown


def test_a_figure_shows_the_flow_of_participants(researcher, study):
    page = reverse("figures:figures", args=[study.slug])
    names = [figure.name for figure in researcher.get(page).context["figures"]]
    assert "participants" not in names
    entrance = make_entrance(study, places=5)
    answer_all(admitted(entrance, ids("a")))
    admitted(entrance, ids("b"), taught=False)
    agree(Client(), entrance, ids("d"), leave="no_consent")
    *_, figure = researcher.get(page).context["figures"]
    assert figure.rows[0][:4] == (entrance.name, "1", "2", "1")
    for said in ("Came by a link: 3", "Not admitted: 1", "no consent: 1", "in progress: 1"):
        assert said in figure.alt
    assert "Counted in reports: 1" in figure.alt
    text = json.dumps(figure.drawings)
    assert "Agreed to take part: 2" in text
