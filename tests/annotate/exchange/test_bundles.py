"""A study as one zip, and back: nothing is lost, and nothing is believed that does not add up."""

import hashlib
import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.datasets.models import Dataset, Image, Method, Result, image_storage
from annotate.exchange.bundles import CHECKSUMS, MANIFEST, STUDY
from annotate.exchange.bundles.reading import import_study
from annotate.exchange.bundles.records import plain_fields
from annotate.exchange.bundles.writing import NotExported, write_bundle
from annotate.imports.errors import NotLoaded
from annotate.judging.methods import add_method, withdraw_method
from annotate.judging.models import Assignment, Judgement, Screen, Skip, Withdrawal
from annotate.judging.services import start
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.exclusions import decide, left_out
from annotate.studies.models import Membership, Study, StudyImage
from annotate.studies.pseudonyms import pseudonyms
from tests.support.archives import encrypted_zip, link_zip
from tests.support.factories import add_researcher, make_admin, make_method, make_result, make_study
from tests.support.worked import empty_the_site, n_rows, worked_study

pytestmark = pytest.mark.django_db


def bundle_of(study, **options) -> bytes:
    stream = io.BytesIO()
    write_bundle(study, stream, **options)
    return stream.getvalue()


def members_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members: dict[str, bytes]) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream


def summed(members: dict[str, bytes]) -> dict[str, bytes]:
    """The same with fitting checksums, as somebody makes who wants to deceive."""
    others = {name: content for name, content in members.items() if name != CHECKSUMS}
    sums = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in others.items()]
    return {**others, CHECKSUMS: "".join(sums).encode()}


def lines_of(members, part):
    return [json.loads(line) for line in members[part].splitlines()]


def as_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def forget_photographs():
    shutil.rmtree(image_storage().location)


@pytest.fixture
def study():
    return worked_study()


@pytest.fixture
def members(study):
    """A bundle on a site that is empty again."""
    found = members_of(bundle_of(study, photographs=True))
    empty_the_site()
    forget_photographs()
    return found


def refused(members) -> str:
    """Import what must be refused; return the sentence, after looking that nothing was loaded."""
    before = n_rows()
    source = zipped(members) if isinstance(members, dict) else io.BytesIO(members)
    with pytest.raises(NotLoaded) as refusal:
        import_study(source)
    assert n_rows() == before
    if not Image.objects.exists():
        folder = Path(image_storage().location)
        assert not [path for path in folder.rglob("*") if path.is_file()]
    sentence = str(refusal.value)
    assert sentence.endswith("Nothing was loaded.")
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("photographs", [True, False])
def test_a_study_goes_out_and_comes_back_the_same(study, photographs):
    """The second bundle is equal byte by byte, so nothing it holds was lost or changed."""
    if not photographs:
        # Without them, their sizes are not kept on a site that does not have them.
        Image.objects.update(sha256="", content_type="", width=None, height=None)
        forget_photographs()
    before = {name: n for name, n in n_rows().items() if name not in ("Import", "User")}
    first = bundle_of(study, photographs=photographs)
    assert bundle_of(study, photographs=photographs) == first
    empty_the_site()
    if photographs:
        forget_photographs()
    loaded = import_study(io.BytesIO(first))
    assert loaded.notes == []
    assert {name: n_rows()[name] for name in before} == before
    again = bundle_of(loaded.study, photographs=photographs)
    assert members_of(again) == members_of(first)
    assert again == first
    assert (loaded.counts["photographs"] > 0) == photographs


def test_who_is_left_out_stays_left_out_on_another_site(study):
    steady, admin = study.assignments.first().annotator, make_admin()
    decide(study=study, person=steady, is_excluded=True, reason="too quick", by=admin)
    first = bundle_of(study)
    assert b"too quick" in members_of(first)["report.json"]
    Image.objects.update(sha256="", content_type="", width=None, height=None)
    first = bundle_of(study)
    empty_the_site()
    loaded = import_study(io.BytesIO(first))
    assert loaded.notes == []
    last = loaded.study.exclusions.last()
    # An admin of another site is nobody here.
    assert (last.is_excluded, last.reason, last.created_by) == (True, "too quick", None)
    assert set(left_out(loaded.study)) == {last.person_id}
    assert members_of(bundle_of(loaded.study)) == members_of(first)


def test_a_bundle_of_the_first_version_is_still_read(members):
    """It had no decisions on whose rankings count, and no numbers of pseudonyms."""
    manifest, settings = json.loads(members[MANIFEST]), json.loads(members["study.json"])
    del settings["pseudonyms"], manifest["counts"]["exclusions"]
    manifest["version"] = 1
    old = {name: content for name, content in members.items() if "exclusions" not in name}
    old |= {MANIFEST: json.dumps(manifest).encode(), "study.json": json.dumps(settings).encode()}
    loaded = import_study(zipped(summed(old)))
    assert not loaded.study.exclusions.exists()
    assert sorted(pseudonyms(loaded.study).values())[0] == "annotator-1"


def test_the_report_of_the_loaded_study_is_the_bundles(members, tmp_path):
    loaded = import_study(zipped(members))
    out = tmp_path / "report.json"
    call_command("export_report", loaded.study.slug, "--format", "json", "--out", str(out))
    # A report is dated; the bundle's date is that of the last answer.
    today, then = (
        json.loads(text)["header"]["date"] for text in (out.read_text(), members["report.json"])
    )
    assert out.read_bytes().replace(today.encode(), then.encode()) == members[
        "report.json"
    ].replace(today.encode(), then.encode())
    call_command("replay", "--check")


def test_photographs_come_along_and_are_the_same(members):
    import_study(zipped(members))
    for image in Image.objects.all():
        with image_storage().open(image.stored_name) as file:
            assert hashlib.sha256(file.read()).hexdigest() == image.sha256


def test_without_photographs_their_size_stays_only_where_the_site_has_them(study):
    content = bundle_of(study)
    Study.objects.update(name="other", slug="other")
    Dataset.objects.update(name="other", slug="other")
    loaded = import_study(io.BytesIO(content))
    assert loaded.study.dataset.images.exclude(sha256="").count() == 3
    empty_the_site()
    loaded = import_study(io.BytesIO(content))
    assert not loaded.study.dataset.images.exclude(sha256="").exists()


def test_a_study_comes_beside_other_data(study):
    content = bundle_of(study)
    Study.objects.update(name="other", slug="other")
    Dataset.objects.update(name="other", slug="other")
    rows = n_rows()
    import_study(io.BytesIO(content))
    assert n_rows()["Judgement"] == 2 * rows["Judgement"]
    assert study.assignments.count() == Assignment.objects.count() / 2


def test_nobody_signs_in_as_somebody_of_a_bundle(members):
    import_study(zipped(members))
    people = User.objects.all()
    assert sorted(person.username for person in people) == [
        "annotator-1.street-signs",
        "annotator-2.street-signs",
        "annotator-3.street-signs",
        "researcher-1.street-signs",
    ]
    for person in people:
        assert not person.is_active
        assert not person.has_usable_password()
        assert not person.is_staff
        assert not person.is_superuser


def test_no_name_is_in_a_bundle_unless_it_was_asked_for(study):
    name = Membership.objects.first().person.username
    inside = b"".join(members_of(bundle_of(study)).values())
    assert name.encode() not in inside
    # What a browser says of itself may tell whose it is.
    assert b"Example 1.0" not in inside
    with_names = b"".join(members_of(bundle_of(study, names=True)).values())
    assert name.encode() in with_names
    assert b"Example 1.0" in with_names


def test_a_bundle_with_names_can_be_loaded_and_takes_over_nobodys_account(study):
    content = bundle_of(study, names=True)
    person = study.memberships.filter(role="annotator").first().person
    Study.objects.update(name="other", slug="other")
    Dataset.objects.update(name="other", slug="other")
    loaded = import_study(io.BytesIO(content))
    assert not loaded.study.memberships.filter(person=person).exists()
    assert User.objects.filter(username=f"{person.username}.street-signs").exists()


def test_methods_that_came_and_went_stay_known(study):
    """A withdrawn method is hidden and not forgotten; one that came later is placed or waits."""
    Image.objects.update(sha256="", content_type="", width=None, height=None)
    withdraw_method(study=study, method=study.methods.get(name="d"))
    late = make_method(study.dataset, "late")
    for image in study.images.in_order():
        make_result(image, late)
    add_method(study=study, method=late)
    assert Assignment.objects.exclude(hidden=[]).exists()
    content = bundle_of(study)
    empty_the_site()
    assert bundle_of(import_study(io.BytesIO(content)).study) == content


def test_work_goes_on_where_it_was(members):
    """The pair that waited waits; only the account must be given back to a person."""
    study = import_study(zipped(members)).study
    person = User.objects.get(username="annotator-3.street-signs")
    Membership.objects.create(study=study, person=person, role="annotator")
    waiting = Screen.objects.get(assignment__annotator=person, state="waiting")
    assert start(study=study, annotator=person).screen == waiting


def test_a_study_that_nobody_has_worked_on_goes_out_and_comes_back():
    content = bundle_of(make_study(["a", "b"], name="Empty"))
    empty_the_site()
    assert bundle_of(import_study(io.BytesIO(content)).study) == content


def test_the_order_of_the_zip_does_not_matter(members):
    import_study(zipped(dict(sorted(members.items(), reverse=True))))


def test_long_lists_are_split(study, monkeypatch):
    monkeypatch.setattr("annotate.exchange.bundles.writing.PART_BYTES", 2000)
    content = bundle_of(study)
    parts = [name for name in members_of(content) if name.startswith("assignments-")]
    assert len(parts) > 1
    Image.objects.update(sha256="", content_type="", width=None, height=None)
    content = bundle_of(study)
    empty_the_site()
    assert bundle_of(import_study(io.BytesIO(content)).study) == content


def test_the_command_goes_out_and_comes_back(study, tmp_path, capsys):
    out = tmp_path / "study.zip"
    call_command("export_study", study.slug, "--out", str(out), "--images")
    assert out.read_bytes() == bundle_of(study, photographs=True)
    assert [path.name for path in tmp_path.glob("*.zip*")] == ["study.zip"]
    empty_the_site()
    call_command("import_study", str(out))
    assert "Rankings: identical." in capsys.readouterr().out
    receipt = Dataset.objects.get().imports.get()
    assert receipt.files[0]["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()


def test_the_commands_refuse_with_an_exit_code(tmp_path):
    for arguments in (
        ["export_study", "nothing", "--out", str(tmp_path / "x.zip")],
        ["import_study", str(tmp_path / "x.zip")],
    ):
        with pytest.raises(CommandError) as refusal:
            call_command(*arguments)
        assert refusal.value.returncode == 2


def test_a_photograph_that_is_missing_stops_the_export(study, tmp_path):
    forget_photographs()
    with pytest.raises(NotExported, match="is missing in the site's storage"):
        bundle_of(study, photographs=True)
    with pytest.raises(CommandError):
        call_command("export_study", study.slug, "--out", str(tmp_path / "x.zip"), "--images")
    assert not list(tmp_path.glob("*x.zip*"))
    bundle_of(study)


def test_researchers_download_what_the_command_writes(client, study):
    client.force_login(add_researcher(study))
    url = reverse("exchange:bundle", args=[study.slug])
    assert client.get(url).getvalue() == bundle_of(study)
    assert client.get(url, {"images": "yes"}).getvalue() == bundle_of(study, photographs=True)
    assert client.get(url, {"names": "yes"}).getvalue() == bundle_of(study, names=True)
    forget_photographs()
    assert client.get(url, {"images": "yes"}).status_code == 409


def test_a_bundle_knows_every_reference_of_what_it_holds():
    """A new reference between rows has to be written and read; new plain fields come along."""
    known = {
        Dataset: set(),
        Image: {"dataset"},
        Method: {"dataset"},
        Result: {"image", "method"},
        ProtocolRun: {"dataset"},
        Score: {"run", "result"},
        Study: {"dataset"},
        StudyImage: {"study", "image"},
        Membership: {"study", "person"},
        Assignment: {"study", "image", "annotator"},
        Screen: {"assignment", "left", "right"},
        Judgement: {"assignment", "screen"},
        Skip: {"assignment", "screen"},
        Withdrawal: {"assignment", "judgement", "skip"},
    }
    for model, references in known.items():
        plain = {field.name for field in plain_fields(model)}
        assert {field.name for field in model._meta.concrete_fields} - plain == references | {"id"}
    assert {field.name for field in Study._meta.many_to_many} == {"methods", "images"}


# What is refused


def test_a_changed_file_is_refused(members):
    for name in members:
        if name != CHECKSUMS:
            assert (
                "does not fit its checksum"
                in refused({**members, name: members[name].replace(b"e", b"f", 1) + b" "})
                or name == MANIFEST
            )


def test_changed_checksums_are_refused(members):
    sums = members[CHECKSUMS]
    changed = (b"0" if sums[:1] != b"0" else b"1") + sums[1:]
    assert "does not fit its checksum" in refused({**members, CHECKSUMS: changed})
    assert "is no checksum" in refused({**members, CHECKSUMS: b"nothing\n"})


def test_a_missing_file_is_refused(members):
    for name in members:
        without = {key: content for key, content in members.items() if key != name}
        assert "is missing" in refused(without)


def test_a_part_that_was_left_out_with_its_checksum_is_missed(members):
    for name in members:
        if name not in (CHECKSUMS, MANIFEST):
            without = {key: content for key, content in members.items() if key != name}
            refused(summed(without))


@pytest.mark.parametrize("version", [3, 0, "1", None])
def test_another_version_is_refused(members, version):
    manifest = json.loads(members[MANIFEST]) | {"version": version}
    sentence = refused(summed({**members, MANIFEST: json.dumps(manifest).encode()}))
    assert "this site reads versions 1 and 2" in sentence


@pytest.mark.parametrize(
    "name", ["extra.txt", "../evil.txt", "/etc/passwd", "images-1.jsonl", "photographs/x", "a\\b"]
)
def test_a_foreign_entry_is_refused(members, name):
    refused(summed({**members, name: b"{}"}))


def test_an_entry_that_is_there_twice_is_refused(members):
    stream = zipped(members)
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile(stream, "a") as archive,
    ):
        archive.writestr(STUDY, members[STUDY])
    assert "twice" in refused(stream.getvalue())


def test_a_part_without_a_checksum_is_refused(members):
    assert "has no checksum" in refused({**members, "results-0002.jsonl": b""})


def test_a_bomb_is_refused(members):
    assert "at most" in refused({**members, "results-0002.jsonl": b" " * 50_000_000})


def test_a_large_list_is_refused_without_a_high_ratio(members):
    noise = b"".join(hashlib.sha256(str(i).encode()).digest() for i in range(600_000))
    assert "16 MiB" in refused({**members, "results-0002.jsonl": noise})


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04", link_zip(), encrypted_zip()])
def test_what_is_no_bundle_is_refused(content):
    refused(content)


def test_names_that_are_taken_are_refused(study):
    content = bundle_of(study)
    assert "There is a dataset named" in refused(content)
    Dataset.objects.update(name="other", slug="other")
    assert "There is a study named “Street signs”" in refused(content)
    Study.objects.update(name="other")
    assert "(at street-signs)" in refused(content)


def test_an_address_of_another_page_is_refused(members):
    settings = json.loads(members[STUDY]) | {"slug": "new"}
    assert "another page" in refused(summed({**members, STUDY: json.dumps(settings).encode()}))


def test_rankings_that_the_events_do_not_lead_to_are_refused(members):
    rows = lines_of(members, "assignments-0001.jsonl")
    ranked = next(row for row in rows if row["rankings"])
    ranked["rankings"]["recall"].reverse()
    sentence = refused(summed({**members, "assignments-0001.jsonl": as_lines(rows)}))
    assert "lead to other rankings" in sentence


def test_answers_that_do_not_lead_to_the_rankings_are_refused(members):
    rows = lines_of(members, "assignments-0001.jsonl")
    ranked = next(row for row in rows if row["rankings"])
    for event in ranked["events"]:
        event["recall"] = "equal" if event["recall"] else ""
    sentence = refused(summed({**members, "assignments-0001.jsonl": as_lines(rows)}))
    assert "lead to other rankings" in sentence


def test_a_report_that_the_data_do_not_give_is_refused(members):
    report = json.loads(members["report.json"])
    report["criteria"]["recall"]["rows"][0]["score"] += 1
    sentence = refused(summed({**members, "report.json": json.dumps(report).encode()}))
    assert "is not the one in report.json" in sentence


def test_a_report_of_other_software_is_noted_and_not_refused(members):
    manifest = json.loads(members[MANIFEST]) | {"software": "text-detection-rankings 0.0.1"}
    report = json.loads(members["report.json"])
    report["criteria"]["recall"]["rows"][0]["score"] += 1
    report["header"]["software"] = "text-detection-rankings 0.0.1"
    changed = {MANIFEST: json.dumps(manifest).encode(), "report.json": json.dumps(report).encode()}
    notes = import_study(zipped(summed(members | changed))).notes
    assert len(notes) == 2
    assert "software" in notes[0]


def change_first(part, **fields):
    def change(members):
        rows = lines_of(members, part)
        rows[0] |= fields
        return summed({**members, part: as_lines(rows)})

    return change


def change_first_event(**fields):
    def change(members):
        rows = lines_of(members, "assignments-0001.jsonl")
        rows[0]["events"][0] |= fields
        return summed({**members, "assignments-0001.jsonl": as_lines(rows)})

    return change


@pytest.mark.parametrize(
    "change",
    [
        change_first("images-0001.jsonl", position="first"),
        change_first("images-0001.jsonl", position=10**30),
        change_first("images-0001.jsonl", colour="red"),
        change_first("images-0001.jsonl", name=None),
        change_first("images-0001.jsonl", name="n" * 500),
        change_first("images-0001.jsonl", name="zero\0byte"),
        change_first("images-0001.jsonl", name="half \ud800 of a pair"),
        change_first("images-0001.jsonl", width=7),
        change_first("images-0001.jsonl", sha256=""),
        change_first("images-0001.jsonl", sha256="../../etc/passwd"),
        change_first("images-0001.jsonl", content_type="text/html"),
        change_first("truth-0001.jsonl", truth={"version": 1, "regions": [{"points": [1]}]}),
        change_first("truth-0001.jsonl", image="another"),
        change_first("methods-0001.jsonl", name="b"),
        change_first("methods-0001.jsonl", slug="no slug"),
        change_first("results-0001.jsonl", sha256="0" * 64),
        change_first("results-0001.jsonl", regions={"version": 9}),
        change_first("results-0001.jsonl", regions=[]),
        change_first("results-0001.jsonl", method="unknown"),
        change_first("results-0001.jsonl", had_file="yes"),
        change_first("runs-0001.jsonl", origin="guessed"),
        change_first("runs-0001.jsonl", created="2020-01-01T00:00:00"),
        change_first("runs-0001.jsonl", created="yesterday"),
        change_first("scores-0001.jsonl", run=9),
        change_first("scores-0001.jsonl", run=0),
        change_first("scores-0001.jsonl", recall=1.5),
        change_first("scores-0001.jsonl", recall=float("nan")),
        change_first("scores-0001.jsonl", recall=[1]),
        change_first("members-0001.jsonl", role="owner"),
        change_first("members-0001.jsonl", person="unknown"),
        change_first("assignments-0001.jsonl", annotator="unknown"),
        change_first("assignments-0001.jsonl", items=[["a"], ["a"]]),
        change_first("assignments-0001.jsonl", items=[[]]),
        change_first("assignments-0001.jsonl", items="abc"),
        change_first("assignments-0001.jsonl", items=[["a"], ["b"]]),
        change_first("assignments-0001.jsonl", hidden=[7]),
        change_first("assignments-0001.jsonl", unsettled=["taste"]),
        change_first("assignments-0001.jsonl", state="done"),
        change_first("assignments-0001.jsonl", rankings=None),
        change_first("assignments-0001.jsonl", screens=[]),
        change_first("assignments-0001.jsonl", events=[]),
        change_first_event(kind="guess"),
        change_first_event(number=2),
        change_first_event(screen=99),
        change_first_event(recall="up"),
        change_first_event(recall="", precision="", preference=""),
        change_first_event(kind="withdrawal", ends=99),
    ],
)
def test_damage_behind_fitting_checksums_is_refused_all_the_same(members, change):
    refused(change(members))


@pytest.mark.parametrize(
    "line", [b"", b"[]", b"{", b"null", b"[" * 100_000, b'{"name": 1e999}', b"\xff"]
)
def test_lines_that_are_no_objects_are_refused(members, line):
    part = members["images-0001.jsonl"]
    changed = summed({**members, "images-0001.jsonl": line + b"\n" + part})
    assert "images-0001.jsonl, line 1" in refused(changed)


def test_a_photograph_that_is_none_is_refused(members):
    """Its hash and name fit, its bytes are a page."""
    page = b"<script>alert(1)</script>"
    digest = hashlib.sha256(page).hexdigest()
    rows = lines_of(members, "images-0001.jsonl")
    old = rows[0]["sha256"]
    rows[0]["sha256"] = digest
    without = {name: content for name, content in members.items() if not name.endswith(old)}
    changed = {f"photographs/{digest}": page, "images-0001.jsonl": as_lines(rows)}
    assert "photograph" in refused(summed(without | changed))


def test_a_photograph_of_no_image_is_refused(members):
    content = members[next(name for name in members if name.startswith("photographs/"))] + b" "
    digest = hashlib.sha256(content).hexdigest()
    assert "of no image" in refused(summed({**members, f"photographs/{digest}": content}))


def test_people_named_twice_or_strangely_are_refused(members):
    settings = json.loads(members[STUDY])
    for people in ([*settings["people"], settings["people"][0]], ["a b/c"], [{}], "abc"):
        changed = json.dumps(settings | {"people": people}).encode()
        refused(summed({**members, STUDY: changed}))
