"""Raw data: every event and every ranking, under pseudonyms, row by row."""

import csv
import hashlib
import io
import json
import zipfile

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.exchange import raw
from annotate.exchange.columns import TABLES
from annotate.judging.models import Judgement, Skip, Withdrawal
from annotate.studies.exclusions import decide
from annotate.studies.models import Membership
from annotate.studies.pseudonyms import give_pseudonyms, pseudonyms
from tests.support.factories import add_annotator, make_study
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.truths import first_turn, rank_by, same_truth, skipped
from tests.support.work import file_made
from tests.support.worked import worked_study

pytestmark = pytest.mark.django_db


made_study = made_once(lambda: worked_study(photographs=False))


def read(study, name, **options):
    return b"".join(raw.content(study, name, **options)).decode()


def table(study, name, **options):
    return list(csv.DictReader(io.StringIO(read(study, name, **options))))


def test_every_event_is_there_once_and_in_order(study):
    rows = json.loads(read(study, "events.json"))
    kinds = [row["kind"] for row in rows]
    assert kinds.count("judgement") == Judgement.objects.count()
    assert kinds.count("skip") == Skip.objects.count() == 1
    assert kinds.count("withdrawal") == Withdrawal.objects.count() == 2
    logs = {}
    for row in rows:
        logs.setdefault((row["image"], row["annotator"]), []).append(row["event"])
    assert all(log == list(range(1, len(log) + 1)) for log in logs.values())


def test_an_answer_that_they_look_the_same_has_this_reason():
    study = make_study(["a", "b"])
    turn = first_turn(study)
    skipped(turn, "same")
    [row] = json.loads(read(study, "events.json"))
    assert (row["kind"], row["reason"], row["recall"]) == ("judgement", "same", "equal")


def test_an_event_says_all_that_is_known_of_it(study):
    [skip] = [row for row in json.loads(read(study, "events.json")) if row["kind"] == "skip"]
    stored = Skip.objects.get()
    assert skip["study"] == study.name
    assert skip["annotator"] == "annotator-2"
    assert skip["left_method"] == stored.screen.left.method.name
    assert skip["right_method"] == stored.screen.right.method.name
    assert (skip["reason"], skip["text"]) == ("broken", "=the image is\nnot there")
    assert skip["recall"] is skip["seconds"] is skip["ends"] is None
    timed = Judgement.objects.filter(aids__ground_truth=1.5).order_by("pk").first()
    [row] = [
        row
        for row in json.loads(read(study, "events.json"))
        if row["at"] == timed.created.isoformat()
    ]
    assert row["seconds"] == timed.seconds_taken
    assert (row["reason"], row["text"]) == (None, None)
    assert row["aids"] == {"ground_truth": 1.5}
    assert row["first_side"] == timed.screen.first
    assert row["seen"] == {"first": timed.screen.first, "left": 2, "right": 1.5}
    assert skip["seen"] == {}
    assert {name: row[name] for name in timed.verdicts} == timed.verdicts


def test_a_withdrawn_answer_is_not_in_force_and_its_withdrawal_names_it(study):
    rows = json.loads(read(study, "events.json"))
    place = {(row["image"], row["annotator"], row["event"]): row for row in rows}
    withdrawals = [row for row in rows if row["kind"] == "withdrawal"]
    ended = [place[row["image"], row["annotator"], row["ends"]] for row in withdrawals]
    assert [row["in_force"] for row in ended] == [False, False]
    assert [row["screen"] for row in ended] == [row["screen"] for row in withdrawals]
    assert {row["in_force"] for row in rows if row not in ended} == {True, None}
    assert all(row["in_force"] is None for row in withdrawals)


def test_results_that_look_alike_are_named_together(study):
    for row in json.loads(read(study, "events.json")):
        for side in ("left", "right"):
            alike = ["b", "twin"] if row[f"{side}_method"] in ("b", "twin") else None
            assert row[f"{side}_alike"] == (alike or [row[f"{side}_method"]])


def test_csv_and_json_say_the_same(study):
    for name in ("events", "rankings"):
        rows = json.loads(read(study, f"{name}.json"))
        lines = table(study, f"{name}.csv")
        assert len(rows) == len(lines)
        for row, line in zip(rows, lines, strict=True):
            assert list(row) == list(line)
            for column, value in row.items():
                if isinstance(value, str) and not value.startswith("="):
                    assert line[column] == value
                elif value is None:
                    assert line[column] == ""
                elif not isinstance(value, str):
                    assert json.loads(line[column]) == value


def test_a_spreadsheet_runs_nothing(study):
    [skip] = [row for row in table(study, "events.csv") if row["kind"] == "skip"]
    assert skip["text"] == "'=the image is\nnot there"


def test_rankings_are_the_complete_ones(study):
    rows = json.loads(read(study, "rankings.json"))
    complete = study.assignments.filter(state="complete")
    assert len(rows) == 3 * complete.count()
    assert {row["annotator"] for row in rows} == {"annotator-1", "annotator-2"}
    assert all(
        row["buckets"] == [["a"], ["b", "twin"], ["c"], ["d"]]
        for row in rows
        if row["annotator"] == "annotator-1"
    )


def test_pseudonyms_follow_the_order_of_membership_and_leak_no_name(study):
    names = pseudonyms(study)
    first, second = Membership.objects.filter(study=study, role="annotator").order_by("created")
    assert names[first.person_id] == "annotator-1"
    assert names[second.person_id] == "annotator-2"
    # One has left after an answer, one only follows the study.
    assert sorted(names.values()) == [
        "annotator-1",
        "annotator-2",
        "annotator-3",
        "researcher-1",
    ]
    for name in raw.FILES:
        assert first.person.username not in read(study, name)
    assert first.person.username in read(study, "rankings.csv", names=True)
    add_annotator(study)
    assert pseudonyms(study)[first.person_id] == "annotator-1"


def test_pseudonyms_do_not_shift_when_somebody_leaves():
    study = make_study(["a", "b"])
    people = [add_annotator(study) for _ in range(3)]
    give_pseudonyms(study)
    before = pseudonyms(study)
    Membership.objects.filter(person=people[0]).delete()
    assert {person: pseudonyms(study)[person] for person in before} == before
    newcomer = add_annotator(study)
    assert pseudonyms(study)[newcomer.pk] == "annotator-4"


def test_every_decision_on_who_counts_is_a_row(study):
    rows = table(study, "exclusions.csv")
    assert [(row["annotator"], row["excluded"], row["by"]) for row in rows] == [
        ("annotator-2", "true", "researcher-1"),
        ("annotator-2", "false", "researcher-1"),
    ]
    # A spreadsheet must not execute text that a user wrote.
    assert [row["reason"] for row in rows] == ["'=answers with one key", "a stuck key"]
    person = User.objects.get(pk=study.exclusions.first().person_id)
    decide(study=study, person=person, is_excluded=True, reason="again", by=person)
    counted = {(row["annotator"], row["in_reports"]) for row in table(study, "rankings.csv")}
    assert counted == {("annotator-1", "true"), ("annotator-2", "false")}


def test_the_dictionary_explains_every_column(study):
    rows = table(study, "dictionary.csv")
    for name in TABLES:
        explained = [row["column"] for row in rows if row["table"] == name]
        assert explained == read(study, f"{name}.csv").splitlines()[0].split(",")
    assert all(row["meaning"] and row["values"] for row in rows)


def test_a_study_without_answers_gives_headers_and_empty_lists():
    study = make_study(["a", "b"])
    assert read(study, "events.json") == "[]\n"
    assert read(study, "rankings.csv").splitlines() == [
        ",".join(column.name for column in TABLES["rankings"])
    ]


def test_the_number_of_queries_does_not_grow_with_the_annotators():
    study = make_study(["a", "b", "c"], images=2)
    counts = []
    for _ in range(2):
        rank_by(2, study, same_truth([["a"], ["b"], ["c"]]))
        with CaptureQueriesContext(
            connection,
        ) as queries:
            read(study, "events.csv")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_page_explains_and_links_every_file(researcher, study):
    page = flat(researcher.get(reverse("exchange:raw", args=[study.slug])).text)
    for column in (*TABLES["events"], *TABLES["rankings"]):
        assert f"<code>{column.name}</code>" in page
    for name in raw.FILES:
        assert reverse("exchange:raw_file", args=[study.slug, name]) in page
    assert reverse("exchange:raw", args=[study.slug]) in (
        researcher.get(reverse("reports:report", args=[study.slug]), {"open": "made"}).text
    )


@pytest.mark.parametrize("name", raw.FILES)
def test_a_download_is_what_the_command_writes_and_what_the_checksum_says(
    researcher, study, tmp_path, name
):
    response = researcher.get(reverse("exchange:raw_file", args=[study.slug, name]))
    assert response.streaming
    downloaded = response.getvalue()
    out = tmp_path / name
    call_command("export_raw", study.slug, "--file", name, "--out", str(out))
    assert out.read_bytes() == downloaded
    line = researcher.get(reverse("exchange:raw_file", args=[study.slug, f"{name}.sha256"])).text
    assert line == f"{hashlib.sha256(downloaded).hexdigest()}  {name}\n"


def test_names_are_given_to_who_asks_for_them(researcher, study):
    person = Membership.objects.filter(study=study, role="annotator").first().person
    url = reverse("exchange:raw_file", args=[study.slug, "rankings.csv"])
    assert person.username not in researcher.get(url).getvalue().decode()
    assert person.username in researcher.get(url, {"names": "yes"}).getvalue().decode()


def test_the_zip_holds_all_files_and_their_checksums(researcher, study):
    url = reverse("exchange:raw_zip", args=[study.slug])
    content = file_made(researcher, url).getvalue()
    assert content == file_made(researcher, url).getvalue()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sums = archive.read(raw.CHECKSUMS).decode().splitlines()
        assert [line.split("  ")[1] for line in sums] == list(raw.FILES)
        for line in sums:
            digest, name = line.split("  ")
            assert hashlib.sha256(archive.read(name)).hexdigest() == digest


def test_the_tables_of_a_large_study_come_as_work_alone(researcher, study, monkeypatch):
    monkeypatch.setattr(raw, "MAX_RANKINGS_AT_ONCE", 0)
    for name in ("events.csv", "events.csv.sha256"):
        response = researcher.get(reverse("exchange:raw_file", args=[study.slug, name]))
        assert response.status_code == 409
        assert "Request all of them in one zip" in response.text
    zip_url = reverse("exchange:raw_zip", args=[study.slug])
    assert file_made(researcher, zip_url).getvalue()[:2] == b"PK"


def test_the_command_writes_a_folder_with_checksums(study, tmp_path):
    call_command("export_raw", study.slug, "--out", str(tmp_path / "raw"))
    written = {path.name for path in (tmp_path / "raw").iterdir()}
    assert written == {*raw.FILES, raw.CHECKSUMS}


@pytest.mark.parametrize("arguments", [["nothing", "--out", "x"], ["STUDY"]])
def test_the_command_refuses_in_one_sentence(study, arguments):
    with pytest.raises(CommandError) as refusal:
        call_command("export_raw", *[study.slug if one == "STUDY" else one for one in arguments])
    assert refusal.value.returncode == 2
    assert "\n" not in str(refusal.value)


def test_a_file_that_there_is_not_is_404(researcher, study):
    for name in ("other.csv", "other.csv.sha256"):
        assert (
            researcher.get(reverse("exchange:raw_file", args=[study.slug, name])).status_code == 404
        )
