"""Bundles in which something does not add up: nothing of them is believed or loaded."""

import hashlib
import json
import random
import zipfile

import pytest

from annotate.exchange.bundles import CHECKSUMS, MANIFEST, STUDY, VERSION
from annotate.exchange.bundles.reading import import_study
from tests.support.archives import encrypted_zip, link_zip
from tests.support.bundles import (
    as_lines,
    bundle_of,
    forget_photographs,
    lines_of,
    members_of,
    refused,
    summed,
    zipped,
)
from tests.support.judges import with_judges
from tests.support.made_once import taken_back
from tests.support.worked import worked_study

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made_members(module_data):
    """A bundle of a study that is no longer there."""
    with taken_back():
        members = members_of(bundle_of(with_judges(worked_study()), photographs=True))
    forget_photographs()
    return members


@pytest.fixture
def members(made_members, db):
    return dict(made_members)


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


@pytest.mark.parametrize("version", [VERSION + 1, 0, "1", None])
def test_another_version_is_refused(members, version):
    manifest = json.loads(members[MANIFEST]) | {"version": version}
    sentence = refused(summed({**members, MANIFEST: json.dumps(manifest).encode()}))
    assert f"this site reads version {VERSION} alone" in sentence


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
    noise = random.Random(1).randbytes(19_200_000)
    assert "16 MiB" in refused({**members, "results-0002.jsonl": noise})


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04", link_zip(), encrypted_zip()])
def test_what_is_no_bundle_is_refused(content):
    refused(content)


def test_an_address_of_another_page_is_refused(members):
    settings = json.loads(members[STUDY]) | {"slug": "new"}
    assert "another page" in refused(summed({**members, STUDY: json.dumps(settings).encode()}))


@pytest.mark.parametrize(
    "found",
    [
        [],
        {"beauty": {"decided": [], "withdrawn": [], "held": []}},
        {"recall": {"decided": []}},
        {"recall": {"decided": [], "withdrawn": [], "held": [["p"]]}},
        {"recall": {"decided": {}, "withdrawn": [], "held": []}},
    ],
)
def test_a_look_without_decisions_by_criterion_is_refused(members, found):
    look = {"number": 1, "due": 3, "taken": None, "n_counted": None, "found": found}
    settings = json.loads(members[STUDY]) | {"looks": [look]}
    refused(summed({**members, STUDY: json.dumps(settings).encode()}))


def test_rankings_that_the_events_do_not_lead_to_are_refused(members):
    rows = lines_of(members, "assignments-0001.jsonl")
    ranked = next(row for row in rows if row["rankings"])
    ranked["rankings"]["recall"].reverse()
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
        change_first_event(seen={"first": "left", "left": 1, "right": 0}),
        change_first_event(seen=[]),
        change_first_event(recall="", precision="", preference=""),
        change_first_event(kind="withdrawal", ends=99),
        change_first("judges-0001.jsonl", criteria=["taste"]),
        change_first("judges-0001.jsonl", parts=5),
        change_first("judges-0001.jsonl", pairs="sample:many"),
        change_first("judges-0001.jsonl", images=["unknown"]),
        change_first("judges-0001.jsonl", key="secret"),
        change_first("judge_answers-0001.jsonl", judge="unknown"),
        change_first("judge_answers-0001.jsonl", right="unknown"),
        change_first("judge_answers-0001.jsonl", preference="left"),
        change_first("judge_answers-0001.jsonl", recall="up"),
        change_first("judge_answers-0001.jsonl", outcome="refused"),
        change_first("judge_answers-0001.jsonl", pictures=5),
        change_first("selections-0001.jsonl", images=["unknown"]),
        change_first("earlier_truths-0001.jsonl", truth={"version": 9}),
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
