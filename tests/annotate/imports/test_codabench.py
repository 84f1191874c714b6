"""Loading what an organiser downloads from Codabench: which submissions, under which names, once."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotate.datasets.models import Method
from annotate.imports.codabench import chosen, read_download, read_results
from annotate.imports.errors import NotLoaded
from annotate.imports.models import Draft, DraftFile, Import
from tests.support.archives import zip_bytes, zip_file
from tests.support.factories import make_dataset, make_image

OWNERS = ("anna", "b.team", "x_PhaseId9_y")


def name_of(number, owner, phase=2):
    return f"{number}_{owner}_PhaseId{phase}_2027-03-01_59-58_results.zip"


def submission(left):
    return zip_bytes({"res_img_1.txt": f"{left},0,{left + 9},9\n"})


BULK = {
    name_of(9, "anna", phase=1): submission(1),
    name_of(11, "anna"): submission(2),
    name_of(12, "anna"): submission(3),
    name_of(13, "b.team"): submission(4),
    name_of(14, "x_PhaseId9_y"): b"no zip",
    name_of(15, "zoe"): submission(5),
    "failed.txt": "nothing",
}


def entry(method, score):
    return {"fact_sheet_answers": {"method": method}, "233 images(1)-iou F-score": score}


RESULTS = {
    "Leaderboard - Final(2)": {
        "anna-11": entry("EAST", "0.7616"),
        "b.team-13": entry("FCN", ""),
        "zoe-15": entry("fcn", "0.1"),
    },
}


@pytest.fixture
def bulk(tmp_path):
    return zip_file(tmp_path / "bulk_submissions.zip", BULK)


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(RESULTS))
    return path


@pytest.fixture
def dataset(db):
    dataset = make_dataset("signs")
    make_image(dataset, "img_1", [(0, 0, 9, 9)])
    return dataset


def test_owners_are_read_even_if_their_names_look_like_the_rest(bulk):
    found = [(of.number, of.owner, of.phase) for of in read_download(bulk)]
    assert found == [
        *((9, "anna", 1), (11, "anna", 2), (12, "anna", 2)),
        *((13, "b.team", 2), (14, "x_PhaseId9_y", 2), (15, "zoe", 2)),
    ]


def test_without_results_the_last_of_each_owner_counts_in_the_last_phase(bulk):
    found = chosen(read_download(bulk))
    assert [of.number for of in found] == [12, 13, 14, 15]
    assert sorted(of.method for of in found) == ["Team 1", "Team 2", "Team 3", "Team 4"]
    assert [of.method for of in found] == [of.method for of in chosen(read_download(bulk))]


def test_another_phase_can_be_named_and_must_have_submissions(bulk):
    assert [of.number for of in chosen(read_download(bulk), phase=1)] == [9]
    with pytest.raises(NotLoaded, match="no submission of phase 7"):
        chosen(read_download(bulk), phase=7)


def test_with_results_the_leaderboard_counts_and_names_that_are_not_unique_are_left_out(
    bulk, results
):
    found = chosen(read_download(bulk), read_results(results.read_text(), "results.json"), seed=1)
    assert [of.number for of in found] == [11, 13, 15]
    assert found[0].method == "EAST"
    assert all(of.method.startswith("Team ") for of in found[1:])
    assert (dict(found[0].scores), dict(found[1].scores)) == ({"iou F-score": "0.7616"}, {})


@pytest.mark.parametrize("text", ["[1]", "{", '{"B - P(2)": {"a-1": 3}}'])
def test_other_json_is_refused(text):
    with pytest.raises(NotLoaded, match="is not the JSON of Codabench's results"):
        read_results(text, "results.json")


def test_a_zip_without_submissions_is_refused(tmp_path):
    with pytest.raises(NotLoaded, match="has no submission"):
        read_download(zip_file(tmp_path / "other.zip", {"res_img_1.txt": ""}))


def test_one_refused_zip_refuses_nothing_else_and_a_second_load_changes_nothing(
    bulk, dataset, capsys
):
    with pytest.raises(CommandError, match="1 of 4 submissions were refused"):
        call_command("load_codabench", "signs", bulk)
    said = capsys.readouterr().out
    assert "14: submission-14.zip is no zip. Nothing was loaded." in said
    assert Method.objects.count() == 3
    with pytest.raises(CommandError):
        call_command("load_codabench", "signs", bulk)
    assert capsys.readouterr().out.count("was loaded before") == 3
    assert Method.objects.count() == 3
    assert Import.objects.count() == 3


def test_no_user_name_is_stored(bulk, results, dataset):
    call_command("load_codabench", "signs", bulk, results=results)
    stored = str([list(of.objects.values()) for of in (Method, Import, Draft, DraftFile)])
    assert "EAST" in stored
    assert not [owner for owner in (*OWNERS, "zoe") if owner in stored]


def test_a_dry_run_lists_and_loads_nothing(bulk, results, dataset, capsys):
    call_command("load_codabench", "signs", bulk, results=results, dry_run=True)
    assert "11 anna: EAST (on the leaderboard, iou F-score 0.7616)" in capsys.readouterr().out
    assert not Method.objects.exists()
