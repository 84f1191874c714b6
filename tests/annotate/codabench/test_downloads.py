"""Loading what an organiser downloads from Codabench: which submissions, under which names, once."""

import io
import json
import zipfile

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from annotate.codabench.downloads import receive
from annotate.codabench.submissions import read_results
from annotate.datasets.models import Method
from annotate.imports import staging
from annotate.imports.errors import NotLoaded
from annotate.imports.models import Import
from annotate.scoring.models import ProtocolRun
from tests.support.archives import zip_bytes, zip_file
from tests.support.codabench import (
    BOARD,
    OWNERS,
    PHASE,
    RESULTS,
    as_csv,
    bundle_file,
    entry,
    name_of,
    submission,
)


def received(dataset, *paths, phase=None, **more):
    def file(path):
        return path.name, io.BytesIO(path.read_bytes())

    more = {name: file(path) for name, path in more.items()}
    return receive(dataset, map(file, paths), phase=phase, **more)


def counted(download):
    return [of for of in download.submissions if of.reason]


def left_behind():
    return [path for path in staging.folder().rglob("*") if path.is_file()]


def test_owners_are_read_even_if_their_names_look_like_the_rest(bulk, dataset):
    found = [(of.number, of.owner, of.phase) for of in received(dataset, bulk).submissions]
    assert found == [
        *((9, "anna", 1), (11, "anna", 2), (12, "anna", 2)),
        *((13, "b.team", 2), (14, "x_PhaseId9_y", 2), (15, "zoe", 2)),
    ]


def test_entries_that_are_no_submissions_are_named(bulk, dataset):
    assert received(dataset, bulk).others == ["failed.txt", "notes/readme.md"]


def test_without_results_the_last_of_each_owner_counts_in_the_last_phase(bulk, dataset):
    found = counted(received(dataset, bulk))
    assert [of.number for of in found] == [12, 13, 14, 15]
    assert {of.reason for of in found} == {"last of its owner"}
    assert sorted(of.method for of in found) == ["Team 1", "Team 2", "Team 3", "Team 4"]
    assert [of.method for of in found] == [of.method for of in counted(received(dataset, bulk))]


def test_an_earlier_entry_of_an_owner_has_the_name_of_the_one_that_counts(bulk, dataset):
    methods = {of.number: of.method for of in received(dataset, bulk).submissions}
    assert methods[11] == methods[12]


def test_another_phase_can_be_named_and_must_have_submissions(bulk, dataset):
    assert [of.number for of in counted(received(dataset, bulk, phase=1))] == [9]
    with pytest.raises(NotLoaded, match="no submission of phase 7"):
        received(dataset, bulk, phase=7)


def test_with_results_the_leaderboard_counts_and_names_that_are_not_unique_are_left_out(
    bulk, results, dataset
):
    download = received(dataset, bulk, results=results)
    found = counted(download)
    assert [of.number for of in found] == [11, 13, 15]
    assert {of.reason for of in found} == {"on the leaderboard"}
    assert found[0].method == "EAST"
    assert all(of.method.startswith("Team ") for of in found[1:])
    assert (dict(found[0].scores), dict(found[1].scores)) == ({"iou F-score": "0.9"}, {})
    assert download.without == ["77 (gone)"]


def test_results_as_csv_say_the_same_as_json():
    text = as_csv(RESULTS[BOARD])
    of_json, *others = (
        read_results(name, io.BytesIO(content))
        for name, content in (
            ("results.json", json.dumps(RESULTS).encode()),
            (f"{BOARD}.csv", text.encode()),
            (f"{BOARD} (1).csv", text.encode()),
            ("Street.zip", zip_bytes({f"{BOARD}.csv": text})),
        )
    )
    assert len(of_json) == 4
    assert others == [of_json] * 3


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", "[1]"),
        ("a.json", "{"),
        ("a.json", '{"B - P(2)": {"a-1": 3}}'),
        ("a.json", '{"Submissions": {}}'),
        ("submissions.csv", "Submission ID,Owner\n1,anna\n"),
        ("B - P(2).csv", "Username,fact_sheet_answers\nanna-1,open('x')\n"),
        ("B - P(2).csv", "Username,fact_sheet_answers\nanna-1," + "-" * 20_000 + "1\n"),
        ("B - P(2).csv", b"PK\3\4 cut off"),
    ],
)
def test_other_results_are_refused(name, content):
    content = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(NotLoaded, match=r"is not the JSON or CSV of Codabench's results"):
        read_results(name, io.BytesIO(content))


def test_a_file_that_holds_no_submission_is_refused_and_nothing_stays(tmp_path, dataset, bulk):
    with pytest.raises(NotLoaded, match="no submission"):
        received(dataset, zip_file(tmp_path / "other.zip", {"a.zip": "x"}))
    with pytest.raises(NotLoaded, match="cannot be read"):
        receive(dataset, [("other.zip", io.BytesIO(b"no zip"))])
    with pytest.raises(NotLoaded, match="codabench write"):
        received(dataset, bulk, bundle=bulk)
    assert left_behind() == []


def test_the_file_of_one_submission_counts_alone_whatever_its_name(tmp_path, dataset):
    one = zip_file(tmp_path / "results.zip", {"res_img_1.txt": "0,0,9,9\n"})
    named = tmp_path / name_of(31, "anna")
    named.write_bytes(submission(9))
    [of] = counted(received(dataset, one))
    assert (of.number, of.owner, of.file, of.method) == (0, "", "results.zip", "Team 1")
    [of] = counted(received(dataset, named))
    assert (of.number, of.owner, of.fault) == (31, "anna", "")


def test_a_submission_that_is_too_large_or_damaged_refuses_no_other(tmp_path, dataset, settings):
    settings.STAGED_FILE_MAX_BYTES = 5000
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("res_img_1.txt", "0,0,9,9\n" * 1000)
    entries = {
        name_of(21, "anna"): stream.getvalue(),
        name_of(22, "zoe"): submission(9),
        name_of(23, "b.team"): submission(8),
    }
    content = bytearray(zip_bytes(entries))
    content[content.index(name_of(23, "b.team").encode()) + 80] ^= 0xFF
    [large, good, damaged] = receive(dataset, [("bulk.zip", io.BytesIO(content))]).submissions
    assert "is larger than" in large.fault
    assert good.fault == ""
    assert damaged.fault != ""
    assert len(left_behind()) == 2


def test_one_refused_zip_refuses_nothing_else_and_a_second_load_changes_nothing(
    bulk, dataset, capsys
):
    with pytest.raises(CommandError, match="1 of 4 submissions were refused"):
        call_command("load_codabench", "signs", bulk)
    said = capsys.readouterr().out
    assert "14: It is no zip. Nothing was loaded." in said
    assert "no submission: failed.txt" in said
    assert "13: loaded; images without a file, which count as empty: 1" in said
    assert Method.objects.count() == 3
    with pytest.raises(CommandError):
        call_command("load_codabench", "signs", bulk)
    assert capsys.readouterr().out.count("was loaded before") == 3
    assert Method.objects.count() == 3
    assert Import.objects.count() == 3
    assert left_behind() == []


def test_a_submission_whose_lines_are_wrong_is_refused_with_its_sentence(tmp_path, dataset, capsys):
    entries = {
        name_of(21, "anna"): zip_bytes({"res_img_1.txt": "1,1,2\n"}),
        name_of(22, "zoe"): submission(9),
    }
    with pytest.raises(CommandError, match="1 of 2"):
        call_command("load_codabench", "signs", zip_file(tmp_path / "bulk.zip", entries))
    assert "21: 1 fault. First: submission-21.zip" in capsys.readouterr().out
    assert [of.name for of in Method.objects.all()] == [
        of.method for of in counted(received(dataset, tmp_path / "bulk.zip")) if of.number == 22
    ]


def test_no_user_name_is_stored(bulk, results, bundle, dataset):
    call_command("load_codabench", "signs", bulk, results=results, bundle=bundle)
    stored = str([list(of._default_manager.values()) for of in apps.get_models()])
    assert "EAST" in stored
    assert not [owner for owner in OWNERS if owner in stored]
    assert left_behind() == []


def test_a_dry_run_lists_and_loads_nothing(bulk, results, dataset, capsys):
    call_command("load_codabench", "signs", bulk, results=results, dry_run=True)
    said = capsys.readouterr().out
    assert "11 anna: EAST (on the leaderboard, iou F-score 0.9)" in said
    assert "on the leaderboard, without a zip: 77 (gone)" in said
    assert not Method.objects.exists()


def test_the_bundle_says_what_is_scored_and_differing_scores_are_reported(
    bulk, results, bundle, dataset, capsys
):
    call_command("load_codabench", "signs", bulk, results=results, bundle=bundle)
    said = capsys.readouterr().out
    # EAST finds both words: 1.0; Codabench's leaderboard says 0.9.
    assert "11: loaded; DIFFERS: iou F-score: 0.9 on Codabench, 1.0 here" in said
    [run] = ProtocolRun.objects.all()
    assert (run.protocol, run.overall["EAST"]["f_score"]) == ("iou", 1.0)
    call_command("load_codabench", "signs", bulk, results=results, bundle=bundle)
    assert ProtocolRun.objects.count() == 1
    assert "11: was loaded before; DIFFERS: iou F-score: 0.9" in capsys.readouterr().out


@pytest.mark.parametrize(("theirs", "differs"), [("0.6667", False), ("0.6666", True)])
def test_scores_are_compared_above_the_rounding_of_the_bundle_on_the_images_of_the_phase(
    tmp_path, dataset, capsys, theirs, differs
):
    bundle = bundle_file(tmp_path / "bundle.zip", phases=[PHASE | {"images": ["img_1"]}])
    # One of two boxes is right on img_1: recall 1, precision 1 / 2.
    entries = {name_of(11, "anna"): zip_bytes({"res_img_1.txt": "0,0,9,9\n50,50,60,60\n"})}
    results = tmp_path / "results.json"
    results.write_text(json.dumps({BOARD: {"anna-11": entry("EAST", theirs)}}))
    bulk = zip_file(tmp_path / "bulk.zip", entries)
    call_command("load_codabench", "signs", bulk, results=results, bundle=bundle)
    assert ("DIFFERS" in capsys.readouterr().out) is differs


def test_a_phase_that_the_bundle_does_not_have_is_said(tmp_path, bulk, results, dataset, capsys):
    other = bundle_file(tmp_path / "other.zip", phases=[PHASE | {"name": "Other"}])
    call_command("load_codabench", "signs", bulk, results=results, bundle=other)
    assert "11: loaded; the bundle has no phase Final" in capsys.readouterr().out
