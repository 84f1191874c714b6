"""``python -m protocols`` as scripts use it."""

import csv
import json
import os
import signal
import subprocess
import sys
import zipfile

import pytest

from protocols import registry
from protocols.command_line.main import main
from protocols.loading.sources import looked_file
from tests.support import commands
from tests.support.archives import zip_file
from tests.support.cases import cases, listed

TRUTH = {
    "gt_img_1.txt": '0,0,99,39,"one"\r\n200,0,299,39,"two"\r\n',
    "gt_img_2.txt": "0,0,99,39,###\r\n",
}
HALF = {"res_img_1.txt": "0,0,99,39\r\n", "res_img_2.txt": ""}


def run(*arguments, stdin=""):
    return commands.run_here(main, *arguments, stdin=stdin)


def run_alone(*arguments):
    """In an interpreter of its own: what writes to the shell or starts processes."""
    return commands.run("protocols", *arguments)


def test_who_reads_no_further_gets_no_traceback():
    command = [sys.executable, "-m", "protocols", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listing:
        listing.stdout.close()
        assert listing.stderr.read() == b""
    assert listing.returncode == 0


@pytest.fixture
def truth(tmp_path):
    return zip_file(tmp_path / "gt.zip", TRUTH)


@pytest.fixture
def half(tmp_path):
    return zip_file(tmp_path / "half.zip", HALF)


def test_a_file_is_read_again_when_another_stands_at_its_path(tmp_path, monkeypatch):
    """One interpreter, three files called gt.zip: of two folders, and one rewritten."""
    found = []
    for folder, n_words in (("a", 1), ("b", 2), ("b", 3)):
        zip_file(tmp_path / folder / "gt.zip", {"gt_1.txt": "0,0,9,9,word\r\n" * n_words})
        monkeypatch.chdir(tmp_path / folder)
        found.append(looked_file("gt.zip", "truth").archive.n_regions)
    assert found == [1, 2, 3]


def test_a_folder_is_read_as_the_zip_of_its_files(truth, half, tmp_path):
    """Photographs and hidden files among them are passed over; a changed file is read again."""
    folders = []
    for path in (truth, half):
        folders.append(tmp_path / "folders" / path.stem)
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folders[-1])
        folders[-1].joinpath("drawn.jpg").write_bytes(b"no photograph")
        folders[-1].joinpath(".DS_Store").write_bytes(b"clutter")

    def scored(gt, results):
        out = tmp_path / "scores.csv"
        run("score", "--protocol", "iou", "--truth", gt, "--results", results, "--out", out)
        return out.read_text()

    as_zips = scored(truth, half)
    assert scored(*folders) == as_zips
    for path in folders[1].glob("*.txt"):
        path.write_text("")
    assert scored(*folders) != as_zips
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run("errors", "--truth", empty, "--results", half).returncode == 2


@pytest.mark.parametrize("n_workers", [1, 2])
def test_ctrl_c_ends_with_one_line_and_exit_code_130(tmp_path, n_workers):
    words = [f"{30 * at},0,{30 * at + 25},25" for at in range(400)]
    entries = {f"gt_img_{at}.txt": "".join(f'{word},"a"\n' for word in words) for at in range(200)}
    truth = zip_file(tmp_path / "gt.zip", entries)
    found = zip_file(tmp_path / "s.zip", {"res_img_1.txt": f"{words[0]}\n"})
    command = [sys.executable, "-m", "protocols", "score", "--protocol", "evaltex,tedeval"]
    files = ["--truth", str(truth), "--results", str(found), "--workers", str(n_workers)]
    with subprocess.Popen(
        [*command, *files],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # The background jobs of a shell ignore Ctrl+C, and their children with them.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as scoring:
        # It has begun to score once it says how the files are read.
        assert "read as" in scoring.stderr.readline()
        os.killpg(scoring.pid, signal.SIGINT)
        said = scoring.stderr.read().splitlines()
    assert scoring.returncode == 130
    assert [line for line in said if "read as" not in line] == ["", "Interrupted."]


def test_an_output_that_cannot_be_written_is_found_before_anything_is_scored(truth, half, tmp_path):
    out = tmp_path / "nowhere" / "scores.csv"
    arguments = ("--truth", truth, "--results", half, "--out", out)
    for command in (("score", "--protocol", "iou"), ("errors",)):
        done = run(*command, *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"{out} cannot be written: No such file or directory\n"
    kept = tmp_path / "kept.csv"
    kept.write_text("earlier")
    refused = run(
        "score", "--protocol", "iou", "--truth", "x.zip", "--results", half, "--out", kept
    )
    assert (refused.returncode, kept.read_text()) == (2, "earlier")
    new = tmp_path / "new.csv"
    run("score", "--protocol", "iou", "--truth", "x.zip", "--results", half, "--out", new)
    assert not new.exists()


def test_list_names_every_protocol_with_defaults_and_ranges():
    listed = json.loads(run("list", "--json").stdout)
    assert [protocol["slug"] for protocol in listed] == list(registry.PROTOCOLS)
    evaltex = next(protocol for protocol in listed if protocol["slug"] == "evaltex")
    assert evaltex["parameters"]["regions"]["choices"] == ["given", "none", "lines"]
    assert list(evaltex["parameters"])[-2:] == ["weight", "empty_precision"]
    assert listed[0]["parameters"]["min_iou"]["default"] == 0.5
    assert listed[0]["parameters"]["min_iou"]["range"] == [0, 1]
    assert "min_area_recall = 0.8 in [0, 1]" in run("list").stdout


@pytest.mark.parametrize("choice", ["DetEva", "deteval", "icdar13"])
def test_the_choice_names_the_protocol_and_quoted_parameters_are_read(truth, half, choice):
    done = run("-g", truth, "-s", half, "-c", choice, "-p", "'{\"AREA_RECALL_CONSTRAINT\": 0.7}'")
    assert json.loads(done.stdout.removeprefix("Calculated!")) == {
        "recall": 0.5,
        "precision": 1.0,
        "hmean": 2 / 3,
    }


def test_a_standard_output_that_cannot_be_written_is_called_so(truth, half):
    """Here it is one without a descriptor, as in some notebooks; a full disk is another."""
    done = run("score", "--protocol", "iou", "--truth", truth, "--results", half)
    assert done.returncode == 2
    assert "The standard output cannot be written: " in done.stderr


def test_the_results_of_each_image_are_written(truth, half, tmp_path):
    out = tmp_path / "made" / "here"
    run("-g", truth, "-s", half, "-o", out, "-c", "DetEva")
    with zipfile.ZipFile(out / "results.zip") as archive:
        method = json.loads(archive.read("method.json"))
        first, second = (json.loads(archive.read(f"{n}.json")) for n in (1, 2))
    assert method["calculated"] is True
    assert first["pairs"] == [{"gt": 0, "det": 0, "type": "OO"}]
    assert first["recallMat"] == [[1.0], [0.0]]
    assert first["detPolPoints"] == [[0, 0, 99, 39]]
    assert second["gtDontCare"] == [0]
    assert (second["recall"], second["precision"]) == (0, 0)


@cases(
    "arguments",
    [
        [],
        ["-g", "gt.zip"],
        ["-g"],
        ["-g", "a", "-s", "b", "-p", "{"],
        ["-g", "a", "-s", "b", "-c", "map"],
        ["-g", "a", "-s", "b", "-x", "1"],
        ["-g", "a", "-s", "b", "-p", '{"GT_SAMPLE_NAME_2_ID": "("}'],
    ],
)
def test_bad_usage_is_a_usage_line_and_status_2(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert "usage: text-protocols -g gt.zip" in done.stderr


def test_score_writes_a_row_per_image_and_the_official_figures(truth, half, tmp_path):
    none = zip_file(tmp_path / "none.zip", {"res_img_1.txt": ""})
    out = tmp_path / "scores.csv"
    files = ("--truth", truth, "--results", half, none, "--out", out)
    done = run("score", "--protocol", "iou,icdar13", *files)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "2/2 none"
    rows = {
        (row["protocol"], row["method"], row["image"]): (row["recall"], row["precision"])
        for row in csv.DictReader(out.read_text().splitlines())
    }
    assert len(rows) == 2 * 2 * 3
    assert rows["iou", "half", "*"] == ("0.5", "1.0")
    assert rows["iou", "half", "img_2"] == ("1.0", "1.0")
    assert rows["icdar13", "none", "img_1"] == ("0.0", "0.0")


def test_broken_lines_of_ignored_text_are_counted(tmp_path, capsys):
    found = zip_file(tmp_path / "r.zip", {"res_img_2.txt": "0,0,99,0,99,39,0,39\n"})
    broken = zip_file(
        tmp_path / "b.zip",
        {"gt_img_1.txt": "5,5,###\n", "gt_img_2.txt": "0,0,99,0,99,39,0,39,one\n"},
    )
    given = ["score", "--protocol", "iou", "--truth", str(broken), "--results", str(found)]
    given += ["--out", str(tmp_path / "scores.csv")]
    assert main(given) == 2
    refusal = capsys.readouterr().err
    assert "line 1" in refusal
    assert "--drop-broken-ignored" in refusal
    assert main([*given, "--drop-broken-ignored"]) == 0
    assert "b.zip: 1 broken line of ignored text left out" in capsys.readouterr().err


def test_score_writes_what_adds_up_to_the_overall_figures(truth, half, tmp_path):
    out = tmp_path / "scores.csv"
    run("score", "--protocol", "iou", "--truth", truth, "--results", half, "--out", out, "--sums")
    rows = {row["image"]: row for row in csv.DictReader(out.read_text().splitlines())}
    overall = rows.pop("*")
    for name, above, below in (
        ("recall", "recalled", "n_truth"),
        ("precision", "precise", "n_detections"),
    ):
        totals = [sum(float(row[column]) for row in rows.values()) for column in (above, below)]
        assert totals == [float(overall[above]), float(overall[below])]
        assert totals[0] / totals[1] == float(overall[name])


def test_score_prints_without_a_file_and_writes_json(truth, half, tmp_path):
    done = run_alone(
        "score", "--protocol", "iou", "--truth", truth, "--results", half, "--workers", "1"
    )
    columns = "protocol,method,image,recall,precision,f_score,signature"
    assert done.stdout.splitlines()[0] == columns
    out = tmp_path / "scores.json"
    run("score", "--protocol", "iou", "--truth", truth, "--results", half, "--out", out)
    assert json.loads(out.read_text())[2]["image"] == "*"


def test_scenes_are_scored_with_their_matches():
    scene = {
        "name": "s",
        "truth": [
            {"id": "g", "rect": [0, 0, 99, 39]},
            {"rect": [200, 0, 299, 39], "ignored": True},
        ],
        "detections": [{"id": "d", "points": [0, 0, 99, 0, 99, 39, 0, 39]}],
    }
    [answer] = json.loads(run("scenes", "--protocol", "iou", "-", stdin=json.dumps([scene])).stdout)
    assert answer["matches"] == [
        {
            "truth": ["g"],
            "detections": ["d"],
            "kind": "one-to-one",
            "recall_credit": 1.0,
            "precision_credit": 1.0,
        }
    ]
    assert answer["unmatched"] == [{"side": "truth", "region": 1, "reason": "an ignored region"}]
    assert (answer["recall"], answer["f_score"]) == (1.0, 1.0)


@cases(("arguments", "stdin", "named"), listed(__file__, "bad_input_is_one_sentence_and_status_2"))
def test_bad_input_is_one_sentence_and_status_2(arguments, stdin, named):
    done = run(*arguments, stdin=stdin)
    assert done.returncode == 2
    assert named in done.stderr
    assert done.stderr.count("\n") == 1


def test_all_protocols_are_scored_and_say_what_the_data_lack(truth, half, tmp_path):
    out = tmp_path / "scores.csv"
    done = run("score", "--protocol", "all", "--truth", truth, "--results", half, "--out", out)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert {row["protocol"] for row in rows} == set(registry.PROTOCOLS)
    assert len(rows) == 3 * len(registry.PROTOCOLS)
    lacking = {row["protocol"] for row in rows if row["image"] == "*" and not row["recall"]}
    assert lacking == {
        "average-precision",
        "cleval-end-to-end",
        "end-to-end",
        "popeval",
        "table-structure",
        "no-ground-truth",
    }
    assert "popeval: undefined, since the results have no transcriptions" in done.stderr
    assert (
        "no-ground-truth: undefined, since it needs the results of several methods" in done.stderr
    )


def test_a_scheduler_that_does_not_answer_is_said(truth, half):
    done = run_alone(
        *("score", "--protocol", "iou", "--truth", truth, "--results", half),
        *("--scheduler", "nonsense"),
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("No Dask scheduler answered at 'nonsense' within 5 s.")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--results", "{half}", "{half}"], "half.zip and half.zip are both results of half"),
        (["--results", "{half}", "{other}"], "half.zip and res_half.zip are both results of half"),
        (["--results", "{stranger}"], "stranger.zip > res_img_9.txt: found regions for img_9"),
        (["--results", "{half}", "--parameters", "[]"], "must be a JSON object"),
        (["--results", "{half}", "--parameters", '{"min": 1}'], "no parameter 'min'"),
    ],
)
def test_score_refuses_what_it_cannot_tell_apart(truth, half, tmp_path, arguments, named):
    stranger = zip_file(tmp_path / "stranger.zip", {"res_img_9.txt": ""})
    other = zip_file(tmp_path / "res_half.zip", HALF)
    files = {"{half}": half, "{stranger}": stranger, "{other}": other}
    given = [files.get(argument, argument) for argument in arguments]
    done = run("score", "--protocol", "iou", "--truth", truth, *given)
    assert done.returncode == 2
    assert named in done.stderr
    assert str(tmp_path) not in done.stderr


def test_a_scene_may_change_parameters_for_itself():
    scene = {"gt": [{"rect": [0, 0, 100, 50]}], "det": [{"rect": [0, 0, 100, 26]}]}
    given = json.dumps([scene, {**scene, "params": {"min_iou": 0.6}}])
    answers = json.loads(run("scenes", "--protocol", "iou", "-", stdin=given).stdout)
    assert [answer["recall"] for answer in answers] == [1.0, 0.0]


def test_masks_lines_and_cells_are_read_in_scenes():
    scene = {
        "truth": [{"id": "m", "mask": {"x": 5, "y": 5, "rows": ["111", "101"]}, "region": "line"}],
        "detections": [{"poly": [[5, 5], [8, 5], [8, 7], [5, 7]]}],
        "regions": {"line": {"rect": [0, 0, 20, 20]}},
        "width": 30,
        "height": 30,
    }
    [answer] = json.loads(
        run("scenes", "--protocol", "evaltex", "-", stdin=json.dumps([scene])).stdout
    )
    # Five pixels in a box of six.
    assert answer["precision"] == pytest.approx(5 / 6)


def test_a_choice_of_the_stand_alone_script_may_be_any_protocol(tmp_path):
    truth = zip_file(tmp_path / "gt.zip", {"gt_img_1.txt": "0,0,99,0,99,39,0,39,word"})
    results = zip_file(tmp_path / "s.zip", {"res_img_1.txt": "0,0,99,0,99,39,0,39"})
    read = zip_file(tmp_path / "r.zip", {"res_img_1.txt": "0,0,99,0,99,39,0,39,word"})
    sure = zip_file(tmp_path / "c.zip", {"res_img_1.txt": "0,0,99,0,99,39,0,39,0.9"})
    for slug, protocol in registry.PROTOCOLS.items():
        submission = {"detected text": read, "confidences": sure}.get(protocol.needs, results)
        extra = ["-p", '{"LTRB": false}']
        done = run("-g", truth, "-s", submission, "-c", slug, "-o", tmp_path / slug, *extra)
        assert done.returncode == 0, (slug, done.stderr)
        figures = json.loads(done.stdout.removeprefix("Calculated!"))
        assert set(figures) >= {"recall", "precision", "hmean"}, slug
        if protocol.has_matches and protocol.needs != "cells":
            assert figures["recall"] == pytest.approx(1.0), slug
        with zipfile.ZipFile(tmp_path / slug / "results.zip") as archive:
            sample = json.loads(
                archive.read("1.json" if "1.json" in archive.namelist() else "img_1.json")
            )
        assert sample["gtPolPoints"] == [[0, 0, 99, 0, 99, 39, 0, 39]]


def test_graphs_give_figures_against_each_threshold(truth, half):
    done = run("graphs", "--truth", truth, "--results", half, "--steps", "4")
    graphs = json.loads(done.stdout)
    assert [graph["parameter"] for graph in graphs["graphs"]] == [
        "min_area_recall",
        "min_area_precision",
    ]
    assert [point["threshold"] for point in graphs["graphs"][0]["points"]] == [0.25, 0.5, 0.75, 1]
    # One of two words is found exactly, whatever the thresholds.
    assert (graphs["recall"], graphs["precision"]) == (0.5, 1.0)
    refused = run("graphs", "--protocol", "count", "--truth", truth, "--results", half)
    assert (refused.returncode, "no threshold" in refused.stderr) == (2, True)


def test_tables_are_scored_from_folders(tmp_path):
    square = '<Coords points="0,0 0,100 100,100 100,0"/>'
    for name in ("truth", "results"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "a.xml").write_text(f"<document><table>{square}</table></document>")
    folders = ["--truth", tmp_path / "truth", "--results", tmp_path / "results"]
    done = run("tables", "--track", "A", *folders)
    assert json.loads(done.stdout)["overall"]["weighted_average_f1"] == 1.0
    (tmp_path / "results" / "b.xml").write_text("<document/>")
    refused = run("tables", "--track", "A", *folders)
    assert refused.returncode == 2
    assert "b" in refused.stderr


def test_slot_errors_and_votes_are_read_from_json(tmp_path):
    item = {"spans": [[0, 10]], "labels": ["dog"]}
    other = {"spans": [[0, 10]], "labels": ["cat"]}
    case = {"name": "c", "documents": [{"references": [item], "predictions": [other]}]}
    [answer] = json.loads(run("slot-error", "-", stdin=json.dumps([case])).stdout)
    assert answer["result"]["D"] == 1
    (tmp_path / "parents.txt").write_text("dog\tmammal\ncat\tmammal\n")
    done = run("slot-error", "-", "--ontology", tmp_path / "parents.txt", stdin=json.dumps([case]))
    # By hand: 2 * 0.65 / (1.65 + 1.65).
    [[pair]] = json.loads(done.stdout)[0]["result"]["pairs"]
    assert pair[2] == pytest.approx(1.3 / 3.3)
    table = {"kind": "table", "systems": [[1, 1, 0], [1, 0, 0]]}
    votes = json.loads(run("no-ground-truth", "-", stdin=json.dumps([table])).stdout)
    assert votes[0]["result"]["systems"][1]["precision"] == pytest.approx(0.75)
    assert run("slot-error", "-", stdin="[3]").returncode == 2
    assert run("no-ground-truth", "-", stdin="{}").returncode == 2


PRICES = {"gt_img_1.txt": "0,0,99,0,99,39,0,39,one\n0,50,99,50,99,90,0,90,10,000\n"}


@pytest.fixture
def prices(tmp_path):
    return zip_file(tmp_path / "prices.zip", PRICES)


@pytest.mark.parametrize("command", ["score", "graphs"])
def test_where_two_readings_are_possible_commands_refuse_with_the_options(
    command, prices, tmp_path
):
    quads = zip_file(tmp_path / "s.zip", {"res_img_1.txt": "0,0,99,0,99,39,0,39\n"})
    arguments = [command, "--protocol", "iou", "--truth", prices, "--results", quads]
    done = run(*arguments)
    assert done.returncode == 2
    assert "prices.zip > gt_img_1.txt, line 2" in done.stderr
    assert done.stderr.endswith("Name it: --truth-format polygon or quad.\n")
    if command == "graphs":
        assert run(*arguments, "--truth-format", "quad").returncode == 0


QUADS = {
    "gt_img_1.txt": "10,10,110,10,110,30,10,30,TOTAL\n"
    "10,40,110,40,110,60,10,60,CASH\n"
    '10,70,110,70,110,90,10,90,"3,180.00"\n'
}
READ_QUADS = QUADS["gt_img_1.txt"].replace('"', "")


def read_as_told(tmp_path, results, *options, protocol="end-to-end", truth=QUADS):
    """Score results in a zip, or of any other file; return the figures over all images, and what was said."""
    truth = zip_file(tmp_path / "gt.zip", truth)
    if isinstance(results, str):
        results = zip_file(tmp_path / "res.zip", {"res_img_1.txt": results})
    out = tmp_path / "out.json"
    files = ("--truth", str(truth), "--results", str(results), "--out", out)
    done = run("score", "--protocol", protocol, *files, *options)
    if done.returncode:
        assert (done.returncode, out.exists()) == (2, False)
        return None, done.stderr
    *_, overall = json.loads(out.read_text())
    assert overall["image"] == "*"
    return (overall["recall"], overall["precision"], overall["f_score"]), done.stderr


# The ground truth itself shows that it has quadrilaterals.
@pytest.mark.parametrize("options", [["--truth-format", "quad"], []])
def test_results_with_texts_of_numbers_are_not_read_as_polygons_in_silence(tmp_path, options):
    figures, said = read_as_told(tmp_path, READ_QUADS, *options)
    assert figures is None
    assert "res_img_1.txt, line 3" in said
    assert said.endswith("Name it: --results-format quad or polygon.\n")
    named = (*options, "--results-format", "quad")
    assert read_as_told(tmp_path, READ_QUADS, *named)[0] == (1, 1, 1)


def test_a_text_behind_a_fifth_point_is_asked_about_where_the_truth_has_quadrilaterals(tmp_path):
    """10,72,EUR: two numbers near the box, and a text."""
    results = READ_QUADS.replace("3,180.00", "10,72,EUR")
    for options in ([], ["--truth-format", "quad"]):
        figures, said = read_as_told(tmp_path, results, *options)
        assert figures is None
        assert said.endswith("Name it: --results-format quad or polygon.\n")


BOX = "10,10,110,30\n"
RING = "10,10,60,10,110,10,110,30,60,30,10,30"


@pytest.mark.parametrize(
    ("results", "asks"),
    [
        ("10,10,110,10,110,30,10,30,Latin,TOTAL\n", "quad or quad-script"),
        ("10,10,110,10,110,30,10,30,0.9,2000\n", "quad or quad-confidence"),
    ],
)
def test_texts_of_results_that_may_be_more_than_texts_are_asked_about(tmp_path, results, asks):
    truth = {"gt_img_1.txt": "10,10,110,10,110,30,10,30,TOTAL"}
    options = ("--truth-format", "quad")
    figures, said = read_as_told(tmp_path, results, *options, protocol="iou", truth=truth)
    assert figures is None
    assert said.endswith(f"Name it: --results-format {asks}.\n")
    for format in asks.split(" or "):
        named = (*options, "--results-format", format)
        assert read_as_told(tmp_path, results, *named, protocol="iou", truth=truth)[0] is not None


@pytest.mark.parametrize(
    ("told", "line", "results", "taken_for"),
    [
        ("quad", READ_QUADS.split("\n")[0], "10,10,110,10,110,30,10,30,0.9\n", "quad"),
        ("quad", READ_QUADS.split("\n")[0], "10,10,110,10,110,30,10,30,a,b\n", "quad"),
        ("quad", READ_QUADS.split("\n")[0], "10,10,110,10,110,30,10,30,0.9,a\n", "quad-confidence"),
        ("ltwh", "10,10,100,20,TOTAL", "10,10,100,20\n", "ltwh"),
        # Lines that allow one reading are read by themselves.
        ("polygon", f"{RING},TOTAL", "10,10,110,10,110,30,10,30,0.9\n", "quad"),
        ("polygon", f"{RING},TOTAL", BOX, "ltrb"),
        ("quad", "10,10,110,10,110,30,10,30,TOTAL", BOX, "ltrb"),
        ("quad", "10,10,110,10,110,30,10,30,TOTAL", BOX.replace("\n", ",0.9\n"), "ltrb"),
        ("quad", "10,10,110,10,110,30,10,30,TOTAL", f"{RING}\n", "polygon"),
        ("quad-script", "10,10,110,10,110,30,10,30,Latin,TOTAL", f"{RING}\n", "polygon"),
        ("ltrb", "10,10,110,30,TOTAL", "10,10,110,10,110,30,10,30\n", "quad"),
    ],
)  # fmt: skip
def test_results_are_read_by_themselves_and_in_doubt_as_the_truth_was_said_to_be(
    tmp_path, told, line, results, taken_for
):
    options, truth = ("--truth-format", told), {"gt_img_1.txt": line}
    figures, said = read_as_told(tmp_path, results, *options, protocol="count", truth=truth)
    assert figures is not None
    assert "res.zip: read as " in said
    assert said.partition("res.zip: ")[2].partition("\n")[0].endswith(f"({taken_for})")


def test_boxes_by_their_sides_are_read_by_every_command(tmp_path):
    """From 50,10 and 100 wide: as corners it would be 50 wide, half of the true box."""
    truth, sides = {"gt_img_1.txt": "50,10,100,20,TOTAL\n"}, "50,10,100,20\n"

    def figures(results, *options):
        return read_as_told(tmp_path, results, *options, protocol="iou", truth=truth)[0]

    told = ("--truth-format", "ltwh")
    assert figures(sides, *told) == figures(sides, "--format", "ltwh") == (1, 1, 1)
    assert figures("50,10,150,30\n", *told, "--results-format", "ltrb") == (1, 1, 1)
    figures(sides, *told)
    done = run(f"-g={tmp_path / 'gt.zip'}", f"-s={tmp_path / 'res.zip'}", "--format=ltwh")
    assert json.loads(done.stdout.removeprefix("Calculated!"))["hmean"] == 1


def test_results_in_another_format_than_lines_are_read_whatever_the_truth_was_said_to_be(tmp_path):
    results = tmp_path / "res.csv"
    results.write_text("image,left,top,right,bottom,confidence\nimg_1,10,10,110,30,0.9\n")
    figures, _ = read_as_told(tmp_path, results, "--truth-format", "quad", protocol="iou")
    assert figures == (pytest.approx(1 / 3), 1, 0.5)


def test_a_format_that_does_not_exist_is_refused_with_those_there_are(prices, half):
    done = run("graphs", "--truth", prices, "--results", half, "--format", "boxes")
    assert (done.returncode, "there is no format 'boxes'; formats: ltrb, ltwh" in done.stderr) == (
        2,
        True,
    )


def test_the_stand_alone_script_asks_too(prices, tmp_path):
    quads = zip_file(tmp_path / "s.zip", {"res_img_1.txt": "0,0,99,0,99,39,0,39\n"})
    done = run(f"-g={prices}", f"-s={quads}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("Name it: --format=quad or polygon.\n")
    said = run(f"-g={prices}", f"-s={quads}", "--format=quad")
    assert json.loads(said.stdout.removeprefix("Calculated!"))["recall"] == 0.5
    assert run(f"-g={prices}", f"-s={quads}", "--format=csv").returncode == 2


def test_confidences_and_texts_together_are_read_as_the_scripts_do(truth, tmp_path):
    sure = zip_file(
        tmp_path / "s.zip", {"res_img_1.txt": "0,0,99,39,0.9,one\n200,0,299,39,0.5,two"}
    )
    parameters = '{"LTRB": true, "CONFIDENCES": true, "TRANSCRIPTION": true}'
    done = run(f"-g={truth}", f"-s={sure}", "-p", parameters)
    assert json.loads(done.stdout.removeprefix("Calculated!"))["AP"] == 1


REPEATED = [
    ("iou,iou", "{}", ["iou"]),
    ("count,iou,count", "{}", ["count", "iou"]),
    ("iou:art,iou,iou:art", "{}", ["iou:art", "iou"]),
    # With these parameters IOU is its variant.
    ("iou,iou:art", '{"matching": "best"}', ["iou:art"]),
    ("iou,iou:art", '{"iou": {"matching": "best"}}', ["iou:art"]),
    ("no-ground-truth,no-ground-truth", "{}", ["no-ground-truth"]),
]


@pytest.mark.parametrize(("protocols", "parameters", "once"), REPEATED)
def test_a_protocol_that_is_named_twice_is_scored_once(
    truth, half, tmp_path, protocols, parameters, once
):
    none = zip_file(tmp_path / "none.zip", {"res_img_1.txt": ""})
    out = tmp_path / "scores.csv"
    done = run(
        *("score", "--protocol", protocols, "--truth", truth, "--results", half, none),
        *("--parameters", parameters, "--workers", "1", "--out", out),
    )
    assert done.returncode == 0, done.stderr
    overall = [line.split(",")[:2] for line in out.read_text().splitlines() if ",*," in line]
    assert overall == [[slug, method] for method in ("half", "none") for slug in once]


def test_two_protocols_of_one_name_with_other_parameters_are_refused(truth, half):
    """Their rows would look the same: both are the best matching, with other thresholds."""
    done = run(
        *("score", "--protocol", "iou,iou:art", "--truth", truth, "--results", half),
        *("--parameters", '{"iou": {"matching": "best", "min_iou": 0.7}}'),
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "two of the protocols are iou:art with different parameters" in done.stderr


@pytest.mark.parametrize("command", ["score", "errors", "graphs"])
def test_ground_truth_without_images_is_refused(command, tmp_path):
    nothing = zip_file(tmp_path / "nothing.zip", {})
    done = run(
        *(command, "--protocol", "evaltex", "--truth", str(nothing), "--results", str(nothing))
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing.zip has no images, so that nothing can be scored" in done.stderr


def test_errors_says_what_each_cause_costs_and_names_every_region(tmp_path, truth):
    """Of two words the second is found by a box of half its size, and one false box is there."""
    results = zip_file(
        tmp_path / "half.zip",
        {
            "res_img_1.txt": "0,0,99,39\n200,0,249,39\n500,0,599,39\n",
            "res_img_2.txt": "0,0,99,39\n",
        },
    )
    done = run("errors", "--truth", truth, "--results", results, "--out", tmp_path / "rows.csv")
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.stdout.startswith("half: recall 0.5000, precision 0.3333, F 0.4000\n")
    assert ["too", "tight", "1", "1", "+0.5000", "+0.3333", "+0.4000"] in lines
    assert ["background", "0", "1", "+0.0000", "+0.1667", "+0.1000"] in lines
    assert ["don't", "care", "1", "1", "+0.0000", "+0.0000", "+0.0000"] in lines
    with open(tmp_path / "rows.csv", newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [
        (row["image"], row["side"], row["region"], row["cause"], row["partners"]) for row in rows
    ] == [
        ("img_1", "truth", "1", "too tight", "1"),
        ("img_1", "detection", "1", "too tight", "1"),
        ("img_1", "detection", "2", "background", ""),
        ("img_2", "truth", "0", "don't care", ""),
        ("img_2", "detection", "0", "don't care", ""),
    ]
    [method] = json.loads(run("errors", "--truth", truth, "--results", results, "--json").stdout)[
        "methods"
    ]
    assert (method["method"], method["recall"]) == ("half", 0.5)
    assert [cost["cause"] for cost in method["costs"] if cost["recall"]] == ["too tight"]
    assert method["regions"][0] == {
        "image": "img_1", "side": "truth", "region": 1, "cause": "too tight", "credit": 0.0,
        "partners": [1],
    }  # fmt: skip


def test_errors_refuses_a_protocol_that_has_no_credits_of_regions(truth, half):
    done = run("errors", "--protocol", "cleval", "--truth", truth, "--results", half)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cleval does not add up the credits of single regions" in done.stderr
