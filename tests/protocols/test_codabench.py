"""Bundles for Codabench: its rules, its worker's steps, and what participants must not learn."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
import yaml

from protocols.codabench import packages, scoring, worker, writing
from protocols.codabench.rules import require_accepted
from protocols.codabench.scoring import score, truth_as_json, truth_of_json
from protocols.codabench.settings import settings_of, settings_of_bundle
from protocols.codabench.values import SettingsError, read_yaml, shipped
from protocols.codabench.worker import run_program
from protocols.codabench.writing import write_bundle
from protocols.command_line.main import main
from protocols.core.base import Scene
from protocols.core.regions import Region
from protocols.loading.sources import looked_truth
from tests.support import commands
from tests.support.archives import picture_bytes, zip_bytes, zip_file
from tests.support.shared import shared_path

SETS = ("east-argman", "ccswt-dec29", "ccswt-jan05a", "ccswt-jan10", "fcn-blocks")
SLUGS = ("iou", "deteval", "icdar13", "evaltex", "tiou", "cleval", "tedeval")
PHASE = {"name": "Test", "start": "2027-03-01 08:00 UTC", "end": "2027-03-02 08:00 UTC"}
FINAL = {"name": "Final", "start": "2027-03-02 08:00:01 UTC", "end": "2027-03-04 08:00 UTC"}
SETTINGS = {
    "title": "Words",
    "overview": "Find words.",
    "terms": "Research only.",
    "format": "ltrb",
    "protocols": ["iou"],
    "phases": [PHASE | {"truth": "bundle"}],
}
HERE = {"phases": [PHASE | {"truth": "here"}]}
WORDS = (
    Scene((Region.from_box(0, 0, 99, 39, text="a"),), None, "img_1"),
    Scene((Region.from_box(0, 0, 50, 20, text="b"),), None, "img_2"),
)
OTHERS = tuple(replace(of, truth=(Region.from_box(7, 7, 31, 33, text="c"),) * 3) for of in WORDS)


def run(*arguments):
    return commands.run_here(main, "codabench", *arguments)


def settings_for(truth=WORDS, **changes):
    return settings_of(SETTINGS | changes, [of.name for of in truth])


def written(truth=WORDS, **changes):
    stream = io.BytesIO()
    warnings = write_bundle(stream, settings_for(truth, **changes), truth)
    return stream.getvalue(), warnings


def parts(bundle):
    with zipfile.ZipFile(io.BytesIO(bundle)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def bundle_parts(truth=WORDS, **changes):
    return _bundle_parts(truth_as_json(truth), json.dumps(changes))


@cache
def _bundle_parts(truth, changes):
    return parts(written(truth_of_json(truth), **json.loads(changes))[0])


def tried(submission, truth=WORDS, *, here=True, python=sys.executable, **changes):
    """The outcome of a submission; ``here`` runs the program in this process, which is faster."""
    files = bundle_parts(truth, **changes)
    with mock.patch("subprocess.run", run_in_this_process) if here else nullcontext():
        return run_program(
            files["programs/1.zip"], files.get("truth/0.zip"), submission, python=python
        )


def run_in_this_process(command, cwd, **_):
    settings = json.loads((cwd / "settings.json").read_text())
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = scoring.main(command[2:], settings)
    return subprocess.CompletedProcess(
        command, code, out.getvalue().encode(), err.getvalue().encode()
    )


# Codabench's rules


def changed(content, path, value):
    content = deepcopy(content)
    *keys, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    of = content
    for key in keys:
        of = of[key]
    if value is None:
        del of[last]
    else:
        of[last] = value
    return content


MISSING = {
    "": ("version", "title", "image", "terms", "pages", "tasks", "leaderboards", "forum_enabled"),
    "tasks.0.": ("index", "name", "scoring_program"),
    "phases.0.": ("name", "start", "end", "max_submissions_per_day", "execution_time_limit"),
    "phases.0.hide_": ("output", "prediction_output", "score_output"),
    "fact_sheet.method.": ("selection",),
}
WRONG = [
    ("version", 2.0, "must be 2"),
    ("version", "3", "must be 2"),
    ("title", "t" * 257, "must have 1 to 256 characters"),
    ("image", "pages/terms.md", "must be a PNG, JPEG, GIF or WebP"),
    ("image", "other.png", "must be a file of the bundle"),
    ("terms", "empty.md", "must have content"),
    ("terms", "latin.md", "must be UTF-8"),
    ("pages.0.file", "other.md", "must be a file of the bundle"),
    ("pages.0.file", "empty.md", "must have content"),
    ("tasks", [], "must have 1 to"),
    ("tasks.0.scoring_program", "programs", "must be a zip of the bundle"),
    ("tasks.0.reference_data", "../truth.zip", "must be a zip of the bundle"),
    ("phases", [], "must have 1 to"),
    ("phases.0.start", datetime(2027, 3, 1), "must be text"),
    ("phases.0.start", "2027-03-01 08:00:00+01:00", "must be a quoted time in UTC"),
    ("phases.0.end", "2027-02-01 08:00:00", "must be at least a minute after"),
    ("phases.0.end", "2027-03-01 08:00:59", "must be at least a minute after"),
    ("phases.0.tasks", [7], "there is no task 7"),
    ("phases.0.tasks", [], "must have 1 to"),
    ("phases.0.max_submissions", 0, "must be from 1"),
    ("phases.0.starting_kit", "kit", "must be a zip of the bundle"),
    ("leaderboards", [], "must have 1 to"),
    ("leaderboards.0.title", "t" * 65, "must have 1 to 64"),
    ("leaderboards.0.key", "t" * 37, "must have 1 to 36"),
    ("leaderboards.0.columns", [], "must have 1 to"),
    ("leaderboards.0.primary_index", 5, "must be the index"),
    ("leaderboards.0.submission_rule", "Best", "must be one of"),
    ("leaderboards.0.columns.0.title", "t" * 37, "must have 1 to 36"),
    ("leaderboards.0.columns.0.key", "t" * 37, "must have 1 to 36"),
    ("leaderboards.0.columns.0.sorting", "up", "must be one of desc, asc"),
    ("leaderboards.0.columns.0.computation", "avg", "there is no such setting"),
    ("docker_image", "i" * 129, "must have 1 to 128"),
    ("queue", "main", "must be the UUID"),
    ("fact_sheet.method.other", "", "there is no such setting"),
    ("fact_sheet.method.is_required", True, "must be text"),
    ("fact_sheet.method.key", "name", "must be method"),
    ("fact_sheet.method.type", "date", "must be one of checkbox"),
    ("reward", "r" * 257, "must have 0 to 256"),
    ("auto_run_submissions", "yes", "must be true or false"),
]


@pytest.fixture(scope="module")
def accepted():
    files = bundle_parts() | {"empty.md": b"", "latin.md": "é".encode("latin-1")}
    return yaml.safe_load(files["competition.yaml"]), files


def refusal_of(content, files):
    try:
        require_accepted(content, files, files.__getitem__)
    except SettingsError as refusal:
        return str(refusal)
    return ""


def test_what_is_written_is_accepted_and_each_rule_is_refused_with_its_key(accepted):
    content, files = accepted
    assert refusal_of(content, files) == ""
    missing = [
        (f"{path}{name}", None, "is missing") for path, names in MISSING.items() for name in names
    ]
    for path, value, why in (*missing, *WRONG):
        key = ".".join(str(int(of) + 1) if of.isdigit() else of for of in path.split("."))
        assert f"{key}: {why}" in refusal_of(changed(content, path, value), files)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("2027-03-02 08:00:01", ""),
        ("2027-03-02 08:00:00", "phases.1.start: must be at least a second after"),
        ("2027-03-01 12:00:00", "phases.1.start: must be at least a second after"),
    ],
)
def test_phases_follow_each_other_in_the_order_of_their_index(accepted, start, said):
    content, files = deepcopy(accepted[0]), accepted[1]
    later = {"index": 1, "start": start, "end": "2027-03-03 08:00:00"}
    content["phases"].insert(0, content["phases"][0] | later)
    assert refusal_of(content, files)[: len(said) or None] == said


@pytest.mark.parametrize(
    ("path", "change", "said"),
    [
        ("tasks", {}, "tasks.2.index: 0 is there twice"),
        ("leaderboards.0.columns", {"key": "b"}, "columns.2.index: 0 is there twice"),
        ("leaderboards.0.columns", {"index": 1}, "columns.2.key: iou_f_score is there twice"),
    ],
)
def test_no_key_or_index_is_there_twice(accepted, path, change, said):
    content, files = accepted
    of = content["tasks"] if path == "tasks" else content["leaderboards"][0]["columns"]
    assert said in refusal_of(changed(content, path, [*of, of[0] | change]), files)


def test_all_keys_are_written_and_never_left_to_defaults(accepted):
    content, _ = accepted
    rules = shipped("rules.yaml")
    assert set(rules) - set(content) == {"queue"}
    assert set(rules["phases"]["each"]) - set(content["phases"][0]) == {"public_data"}
    for switch in (
        *("can_participants_make_submissions_public", "make_programs_available"),
        *("make_input_data_available", "enable_detailed_results"),
    ):
        assert content[switch] is False


def test_the_last_phase_hides_output_and_keeps_its_truth_unless_told_otherwise():
    content = yaml.safe_load(bundle_parts(phases=[PHASE, FINAL])["competition.yaml"])
    hidden = ("hide_output", "hide_prediction_output", "hide_score_output")
    assert [[of[name] for name in hidden] for of in content["phases"]] == [[False] * 3, [True] * 3]
    assert ["reference_data" in of for of in content["tasks"]] == [True, False]
    assert [of["tasks"] for of in content["phases"]] == [[0], [1]]


# Settings


def test_times_of_paris_are_written_in_utc_and_quoted():
    """09:30 on the day when clocks change at 02:00 is 07:30 in UTC."""
    start = {"start": "2027-03-28 09:30 Europe/Paris", "end": "2027-04-01 00:00 UTC"}
    files = bundle_parts(phases=[PHASE | start])
    assert b"start: '2027-03-28 07:30:00'\n" in files["competition.yaml"]


def phase(**changes):
    return {"phases": [PHASE | changes]}


def protocol(**changes):
    return {"protocols": [{"protocol": "iou"} | changes]}


TOUCHING = [PHASE, PHASE | {"start": PHASE["end"], "end": "2027-04-01 00:00 UTC"}]
REFUSED = [
    (phase(start="2027-03-01 08:00"), "phases.1.start: must be a time of day with its time zone"),
    (phase(start="2027-03-01 UTC"), "phases.1.start: must be a time of day with its time zone"),
    (phase(start="2027-03-01 08:00 Mars/Crater"), "phases.1.start: must be a time of day with"),
    (phase(end="2027-03-28 02:30 Europe/Paris"), "phases.1.end: must be written in UTC"),
    (phase(start="2027-03-01 8:00 UTC"), "phases.1.start: must be a time of day with its time"),
    ({"phases": TOUCHING}, "phases.2.start: must be at least a second after the end of Test"),
    (phase(end="2027-03-01 08:00:59 UTC"), "phases.1.end: must be at least a minute"),
    (phase(images=["img_9"]), "phases.1.images: there is no ground truth for the image img_9"),
    (phase(images={"share": 2}), "phases.1.images.share: must be from"),
    (phase(images=[]), "phases.1.images: must be all, a list of names, or a share"),
    (phase(detailed_results=True), "phases.1.detailed_results: would show"),
    (phase(submissions=0), "phases.1.submissions: must be from 1"),
    (protocol(protocol="iuo"), "protocols.1: there is no protocol 'iuo' (did you mean 'iou'?)"),
    (protocol(protocol="table-structure"), "protocols.1: table-structure needs table cells"),
    (protocol(protocol="no-ground-truth"), "protocols.1: no-ground-truth needs the results of"),
    (protocol(protocol="average-precision"), "fields: must be confidence, which average-preci"),
    (protocol(protocol="end-to-end"), "fields: must be text, which end-to-end needs"),
    (protocol(short="s" * 30), "is longer than 36 characters; give a short"),
    (protocol(figures=["f1"]), "protocols.1.figures: must be some of"),
    (protocol(parameters={"min_iou": 2}), "protocols.1: min_iou must be"),
    ({"protocols": ["iou", "iou"]}, "protocols.2: the column iou_f_score is there twice; give a"),
    ({"queue": "ours"}, "queue: must be the UUID"),
    ({"title": " "}, "title: must have 1 to 256"),
    ({"titel": "t"}, "titel: there is no such setting (did you mean 'title'?)"),
    ({"format": "coco-json"}, "format: must be one of ltrb, quad, polygon"),
]


@pytest.mark.parametrize(("change", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_wrong_settings_are_refused_with_their_key(change, said):
    with pytest.raises(SettingsError) as refusal:
        written(**change)
    assert said in str(refusal.value)


def test_an_empty_value_of_a_form_is_the_default():
    assert written(queue="", contact_email="", digits="") == written()


BARE = [replace(of, truth=(Region.from_box(0, 0, 9, 9),)) for of in WORDS]


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        (BARE, "protocols: cleval cannot be computed: the ground truth has no"),
        ([], "phases.1.images: the dataset has no image with ground truth"),
        ([replace(WORDS[0], name="a/b")], "format: “a/b” cannot be the name"),
    ],
)
def test_truth_that_does_not_fit_is_refused(truth, said):
    with pytest.raises(SettingsError, match=said):
        written(truth, protocols=["cleval"])


def test_a_first_figure_that_an_empty_submission_does_not_have_is_refused(monkeypatch):
    monkeypatch.setattr(writing, "score", lambda *_: {})
    with pytest.raises(SettingsError, match="iou_f_score, the first, is not defined"):
        written()


def test_warnings_name_what_gives_the_truth_away_and_what_is_too_large(monkeypatch):
    monkeypatch.setattr(writing, "_LARGE_BYTES", 100)
    both = [PHASE | {"detailed_results": True}, FINAL]
    size, *said = written(phases=both, digits=17, rule="best")[1]
    assert size.endswith("MB, which Codabench may refuse")
    assert said == [
        "figures with 17 digits can give the number of words away",
        "Test: detailed results show all teams the figures of each image",
        "Final: the truth of 2 of its images is in the bundle, for another phase",
        "Final: without scores, Codabench cannot choose the best submission",
    ]


def test_a_share_is_drawn_by_its_seed_and_its_phase_has_no_other_truth():
    truth = [Scene((Region.from_box(at, 0, 900 + at, 9),), None, f"img_{at}") for at in range(20)]
    drawn = PHASE | {"truth": "bundle", "images": {"share": 0.25, "seed": 3}}
    packed = parts(written(truth, phases=[drawn])[0])["truth/0.zip"]
    assert len(json.loads(parts(packed)["truth.json"])) == 5
    again = parts(written(truth[::-1], phases=[drawn])[0])["truth/0.zip"]
    drawn["images"]["seed"] = 4
    other = parts(written(truth, phases=[drawn])[0])["truth/0.zip"]
    assert packed == again != other


def test_a_bundle_keeps_what_scores_after_the_download_need():
    phases = [PHASE | {"images": ["img_2"]}, FINAL]
    tight = protocol(parameters={"min_iou": 0.7}, short="tight")
    bundle, _ = written(phases=phases, digits=3, **tight)
    for packed in (bundle, parts(bundle)["programs/1.zip"]):
        kept = settings_of_bundle(io.BytesIO(packed))
        assert kept.columns == settings_for(**tight).columns
        # With the parameters that had their defaults.
        assert kept.given["protocols"][0]["parameters"] == kept.protocols[0].parameters()
        assert (kept.given["digits"], kept.given["format"]) == (3, "ltrb")
        assert [(of["name"], of["images"], of["truth"]) for of in kept.phases] == [
            *(("Test", ["img_2"], "bundle"), ("Final", ["img_1", "img_2"], "here")),
        ]
    with pytest.raises(SettingsError, match="bundle: must be a zip of text-protocols codabench"):
        settings_of_bundle(io.BytesIO(zip_bytes({"settings.json": "{}"})))


def test_sizes_of_images_are_written_only_for_a_protocol_that_reads_them():
    sized = tuple(replace(of, width=640, height=480) for of in WORDS)
    assert written(sized) == written()
    panoptic = bundle_parts(sized, protocols=["panoptic-quality"])["truth/0.zip"]
    assert truth_of_json(parts(panoptic)["truth.json"])[0].width == 640


def test_truth_is_read_as_it_was_written():
    line = Region.from_box(0, 0, 99, 39, text="a b", id="line")
    word = Region.from_box(0, 0, 9, 9, text="é", ignored=True, parent="line")
    scene = Scene((word,), None, "img", 640, 480, {"line": line})
    assert truth_of_json(truth_as_json([scene])) == [scene]


# The worker's steps

GOOD = {"res_img_1.txt": "0,0,99,39\n", "res_img_2.txt": "0,0,50,20\n"}
GUARD = Path(__file__).parent.parent / "support" / "guard.py"


@pytest.fixture
def guarded(tmp_path):
    """A Python without network, scipy, Django and working copies; any use is an error."""
    path = tmp_path / "python"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {GUARD} "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import scipy",
        "import django",
        f"open({scoring.__file__!r})",
    ],
)
def test_the_guard_stops_what_a_worker_may_not_have(guarded, code):
    program = zip_bytes({"score.py": code, "metadata.yaml": "command: python3 score.py"})
    outcome = run_program(program, None, zip_bytes(GOOD), python=guarded)
    assert "RuntimeError: blocked" in outcome.stderr


def test_a_submission_is_scored_as_a_worker_does(guarded):
    """One of two words is found, and one of two detections fits."""
    submission = zip_bytes(GOOD | {"res_img_2.txt": "200,200,250,240\n"})
    outcome = tried(submission, here=False, python=guarded)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (0, "Scored 2 images.\n", "")
    assert dict(outcome.scores) == {"iou_f_score": 0.5}
    assert set(outcome.files) == {"scores.json"}
    assert tried(submission).files == outcome.files


SAME = [
    {f"submit/{name}": text for name, text in GOOD.items()},
    GOOD | {"__MACOSX/._res_img_1.txt": b"\0\5\26\7", ".DS_Store": b"\0"},
    {name: "\ufeff" + text.replace("\n", "\r\n") for name, text in GOOD.items()},
]


def require_blind(submission, truth, others, **changes):
    """Fail if anything but figures depends on the truth; return the scores of both."""
    one, other = (tried(submission, of, **changes) for of in (truth, others))
    assert (one.code, one.stdout, one.stderr) == (other.code, other.stdout, other.stderr)
    assert list(one.files) == list(other.files)
    assert list(one.scores) == list(other.scores)
    return one.scores, other.scores


@pytest.mark.parametrize("entries", SAME, ids=["folder", "macos", "windows"])
def test_harmless_differences_change_no_figure(entries):
    assert require_blind(zip_bytes(entries), WORDS, OTHERS) == (
        *({"iou_f_score": 1.0}, {"iou_f_score": 0.0}),
    )


BAD = {
    "another file": (GOOD | {"README.md": "Hello."}, "README.md"),
    "an unknown image": (
        {"res_img_999.txt": "0,0,9,9\n"},
        "res_img_999.txt: the dataset has no image",
    ),
    "three numbers": ({"res_img_1.txt": "1,1,2\n"}, "res_img_1.txt, line 1"),
    "not a number": ({"res_img_1.txt": "nan,1,2,2\n"}, "res_img_1.txt, line 1"),
    "right < left": ({"res_img_1.txt": "9,1,2,2\n"}, "res_img_1.txt, line 1"),
    "no file": ({}, "The submission holds no result file"),
    "too many boxes": ({"res_img_1.txt": "0,0,9,9\n" * 1001}, "1001 boxes; at most 1000"),
    "ground truth": ({"gt_img_1.txt": "0,0,9,9,a\n"}, "gt_img_1.txt"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_fault_is_refused_with_one_sentence_that_does_not_depend_on_the_truth(bad):
    entries, said = BAD[bad]
    submission = zip_bytes(entries)
    outcome = tried(submission)
    assert outcome.code == 2
    assert said in outcome.stderr
    assert (outcome.stdout, outcome.stderr.count("\n"), dict(outcome.files)) == ("", 1, {})
    for other in (tried(submission, OTHERS), tried(submission, **HERE)):
        assert replace(other, seconds=outcome.seconds) == outcome


@pytest.mark.release
def test_a_million_boxes_are_refused(guarded):
    many = zip_bytes({"res_img_1.txt": "0,0,9,9\n" * 1_000_000})
    outcome = tried(many, here=False, python=guarded)
    assert outcome.stderr == "res_img_1.txt: 1000000 boxes; at most 1000 are accepted.\n"


def test_a_phase_without_truth_counts_images():
    assert not [name for name in bundle_parts(**HERE) if name.startswith("truth/")]
    outcome = tried(zip_bytes({"res_img_1.txt": ""}), **HERE)
    assert (outcome.stdout, dict(outcome.scores)) == ("Checked 1 images.\n", {"images": 1})


def test_images_that_a_phase_leaves_out_are_skipped():
    one = {"phases": [PHASE | {"truth": "bundle", "images": ["img_1"]}]}
    outcome = tried(zip_bytes(GOOD), **one)
    assert (outcome.stdout, dict(outcome.scores)) == ("Scored 1 images.\n", {"iou_f_score": 1.0})


def everything_in(content):
    """The bytes of all files of a zip, and of the zips in it."""
    if content[:2] != b"PK":
        return content
    return b"\n".join(everything_in(of) for of in parts(content).values())


def test_a_bundle_without_truth_has_no_line_of_it():
    secret = (Region.from_box(8123457, 4567891, 8999999, 4999999, text="sekret"),)
    bundle = written([replace(WORDS[0], truth=secret)], **HERE)[0]
    held = everything_in(bundle)
    assert not any(of in held for of in (b"8123457", b"4567891", b"sekret"))
    assert bundle == written(WORDS[:1], **HERE)[0]


def test_any_other_failure_gives_a_code_and_nothing_else():
    broken = zip_bytes({"truth.json": '{"img_1": "sekret"}'})
    outcome = run_program(bundle_parts()["programs/1.zip"], broken, zip_bytes(GOOD))
    assert (outcome.code, outcome.stdout, dict(outcome.files)) == (1, "", {})
    assert outcome.stderr.startswith("The submission could not be scored; tell the organisers: ")
    assert "sekret" not in outcome.stderr


def test_another_python_is_told_which_image_is_needed(guarded):
    program = parts(bundle_parts()["programs/1.zip"])
    settings = json.loads(program["settings.json"]) | {"python": "3.9"}
    program = zip_bytes(program | {"settings.json": json.dumps(settings)})
    # On this Python, the check leaves out the packages.
    assert run_program(program, None, zip_bytes(GOOD)).code == 0
    outcome = run_program(program, None, zip_bytes(GOOD), python=guarded)
    said = "This needs Python 3.9, as in python:3.12-slim-bookworm.\n"
    assert (outcome.code, outcome.stderr) == (1, said)


def test_full_digits_and_details_are_written_where_asked():
    detailed = [PHASE | {"truth": "bundle", "detailed_results": True}]
    truth = [replace(of, truth=(*of.truth, Region.from_box(500, 500, 520, 509))) for of in WORDS]
    found = zip_bytes({"res_img_1.txt": "0,0,99,39\n"})
    outcome = tried(found, truth, phases=detailed, digits=17)
    # One of four words, and one of one detection: 2 * (1/4) / (5/4).
    assert outcome.scores["iou_f_score"] == 0.4
    assert "<td>img_1<td>0.5" in outcome.files["detailed_results.html"].decode()


def test_scoring_is_a_function_that_another_host_can_call():
    results = {"img_1": WORDS[0].truth}
    assert score(WORDS, results, settings_for().columns, 3) == {"iou_f_score": 0.667}


# The commands


@pytest.fixture
def given(tmp_path):
    (tmp_path / "settings.yaml").write_text(yaml.safe_dump(SETTINGS | {"docker_image": "ours:1"}))
    truth = {"gt_img_1.txt": '0,0,99,39,"a"\n', "gt_img_2.txt": '0,0,50,20,"b"\n'}
    zip_file(tmp_path / "gt.zip", truth)
    zip_file(tmp_path / "good.zip", GOOD)
    return tmp_path


def write(given, *more):
    out = given / "bundle.zip"
    return run("write", given / "settings.yaml", "--truth", given / "gt.zip", "--out", out, *more)


def refused(done):
    assert (done.returncode, done.stdout) == (2, "")
    return " ".join(done.stderr.split())


def test_the_same_input_gives_the_same_bytes(given):
    assert write(given).returncode == 0
    first = (given / "bundle.zip").read_bytes()
    assert write(given).returncode == 0
    assert (given / "bundle.zip").read_bytes() == first
    assert first == written(docker_image="ours:1")[0]


def test_pictures_and_public_data_are_read_beside_the_settings(given):
    files = {"image": "our.webp", "public_data": "photographs.zip", "docker_image": "ours:1"}
    (given / "our.webp").write_bytes(picture_bytes(kind="WEBP"))
    zip_file(given / "photographs.zip", {"img_1.jpg": picture_bytes()})
    (given / "settings.yaml").write_text(yaml.safe_dump(SETTINGS | files))
    assert write(given).returncode == 0
    held = parts((given / "bundle.zip").read_bytes())
    assert held["logo.webp"] == (given / "our.webp").read_bytes()
    assert held["public_data.zip"] == (given / "photographs.zip").read_bytes()
    (given / "our.webp").unlink()
    assert "our.webp cannot be read: No such file" in refused(write(given))


def test_the_check_prints_what_participants_see(given, monkeypatch):
    phases = {"phases": [PHASE, FINAL], "docker_image": "ours:1"}
    (given / "settings.yaml").write_text(yaml.safe_dump(SETTINGS | phases))
    write(given)
    zip_file(given / "bad.zip", {"res_img_999.txt": ""})
    check = ("check", given / "bundle.zip", "--submission", given / "good.zip", given / "bad.zip")
    fault = "res_img_999.txt: the dataset has no image of this name."
    lines = [
        "bundle.zip: Codabench's rules are kept",
        *("Test, an empty submission: Scored 2 images.", "    iou_f_score = 0.0"),
        *("Test, good.zip: Scored 2 images.", "    iou_f_score = 1.0"),
        f"Test, bad.zip: {fault}",
        "Final, an empty submission (hidden from participants): Checked 1 images.",
        "    images = 1",
        *("Final, good.zip (hidden from participants): Checked 2 images.", "    images = 2"),
        f"Final, bad.zip (hidden from participants): {fault}",
    ]
    assert run(*check).stdout.splitlines() == lines
    monkeypatch.setattr(worker, "_SLOW_SECONDS", 0)
    with mock.patch("subprocess.run", run_in_this_process):
        slow = run(*check).stdout.splitlines()
    assert [line for line in slow if "the public queue stops at 600 s" not in line] == lines
    assert len(slow) == len(lines) + 6


def test_the_check_refuses_what_is_no_bundle(given):
    zip_file(given / "other.zip", {"a.txt": ""})
    (given / "bad.zip").write_bytes(b"no zip")
    write(given)
    for arguments, said in [
        (["bad.zip"], "bad.zip: cannot be read: File is not a zip file"),
        (["none.zip"], "none.zip: cannot be read"),
        (["other.zip"], "competition.yaml: is missing at the top of the zip"),
        (["bundle.zip", "--submission", "bad.zip"], "bad.zip: must be a zip"),
    ]:
        assert said in refused(run("check", *(given / of if "." in of else of for of in arguments)))


def test_the_check_refuses_truth_that_cannot_be_read(given):
    write(given)
    files = parts((given / "bundle.zip").read_bytes())
    zip_file(given / "bundle.zip", files | {"truth/0.zip": zip_bytes({"truth.json": "[1]"})})
    done = run("check", given / "bundle.zip")
    assert (done.returncode, done.stdout.count("\n")) == (2, 1)
    assert "truth/0.zip: the ground truth cannot be read" in " ".join(done.stderr.split())


def test_the_example_is_accepted_for_a_dataset():
    example = read_yaml(run("write", "--example").stdout, "example")
    assert set(shipped("settings.yaml")) - set(example) == {
        *("image", "public_data", "docker_image", "queue"),
    }
    assert write_bundle(io.BytesIO(), settings_of(example, ["img_1", "img_2"]), WORDS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title: [", "settings.yaml: the file, line 2: not YAML"),
        ("- a", "settings.yaml: the file: must be a mapping"),
        ("title: x", "settings.yaml: overview: is missing"),
        (None, "settings.yaml cannot be read: No such file"),
    ],
)
def test_bad_settings_end_in_2_and_leave_no_bundle(given, text, said):
    path = given / "settings.yaml"
    path.unlink() if text is None else path.write_text(f"{text}\n")
    assert said in refused(write(given))
    assert not (given / "bundle.zip").exists()


@pytest.mark.parametrize(
    ("given_settings", "line"),
    [
        ({}, b"10,10,110,50\r\n"),
        (
            {"format": "quad", "fields": "text", "protocols": ["end-to-end"]},
            b"10,10,110,10,110,50,10,50,text\r\n",
        ),
        (
            {"format": "polygon", "fields": "confidence", "protocols": ["average-precision"]},
            b"10,10,110,10,110,50,10,50,0.9\r\n",
        ),
    ],
    ids=["ltrb", "quad", "polygon"],
)
def test_the_starting_kit_checks_its_example(given_settings, line, tmp_path):
    kit = parts(bundle_parts(**given_settings)["starting_kit.zip"])
    assert parts(kit["example.zip"]) == {f"res_{of.name}.txt": line for of in WORDS}
    with zipfile.ZipFile(zip_file(tmp_path / "kit.zip", kit)) as packed:
        packed.extractall(tmp_path)
    command = kit["README.md"].decode().split("    python3 ")[1].split()
    command = [sys.executable, command[0], "example.zip"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Checked 2 images.\n", "")


def test_two_images_of_one_name_are_refused(given):
    zip_file(given / "gt.zip", {f"{of}/gt_img_1.txt": "0,0,9,9,a\n" for of in "ab"})
    said = "gt.zip > b/gt_img_1.txt: found a second file for img_1"
    assert refused(write(given)).startswith(said)


def test_missing_wheels_are_named(given):
    (given / "settings.yaml").write_text(yaml.safe_dump(SETTINGS))
    wheel = "numpy-2.4.6-cp312-cp312-manylinux_2_28_x86_64.whl"
    zip_file(given / "wheels" / wheel, {"numpy/x.py": ""})
    said = refused(write(given, "--packages", given / "wheels"))
    assert "wheels has no shapely-*-cp3*-manylinux*.whl" in said


def test_wheels_are_unpacked_without_what_is_not_imported(tmp_path):
    for name in ("numpy", "shapely"):
        used = {f"{name}/a.so": b"1", f"{name}.libs/b.so": b"2"}
        entries = used | {f"{name}/tests/t.py": "", f"{name}/a.pyi": ""}
        zip_file(tmp_path / f"{name}-2.1.0-cp312-cp312-manylinux_2_28_x86_64.whl", entries)
    found = packages.unpacked(tmp_path, ["numpy", "shapely"])
    assert found.python == "3.12"
    assert sorted(found.files) == [
        *("numpy.libs/b.so", "numpy/a.so", "shapely.libs/b.so", "shapely/a.so"),
    ]


def test_wheels_that_pip_cannot_fetch_are_named(monkeypatch):
    monkeypatch.setattr(packages.sys, "executable", "/bin/false")
    with pytest.raises(SettingsError, match="packages: pip did not get numpy=="):
        packages.downloaded(["numpy"])


def test_scipy_is_packed_only_where_a_parameter_needs_it():
    one, other = (settings_for(**protocol(parameters={"matching": of})) for of in ("best", "most"))
    assert packages.needed(one.protocols) == ["numpy", "shapely"]
    assert packages.needed(other.protocols) == ["numpy", "scipy", "shapely"]


# Real data

# Its shims need an environment, which the worker does not have.
PYENV = ":".join(map(str, Path.home().glob(".pyenv/versions/3.12.*/bin")))
# F-score of iou, deteval and tiou.
UNROUNDED = {
    "east-argman": (0.7615830115830118, 0.7203391132899829, 0.6104886976951952),
    "fcn-blocks": (0.4526710402999063, 0.6513796230824636, 0.34536329982342345),
}


@cache
def icdar2013():
    """The ground truth, and another: each image has the regions of the next."""
    regions = looked_truth(str(shared_path("data", "icdar2013", "gt.zip")))[0].archive.regions
    truth = tuple(Scene(of, None, name) for name, of in regions.items())
    following = (*truth[1:], truth[0])
    return truth, tuple(
        replace(of, truth=other.truth) for of, other in zip(truth, following, strict=True)
    )


@pytest.mark.release
@pytest.mark.parametrize("name", SETS)
def test_figures_are_those_of_the_command_score(name, tmp_path, guarded):
    """In the worker's steps, for the seven protocols; some unrounded figures are given by hand."""
    folder, figures = shared_path("data", "icdar2013"), ("f_score", "recall", "precision")
    protocols = [{"protocol": slug, "figures": list(figures)} for slug in SLUGS]
    submission = (folder / f"{name}.zip").read_bytes()
    options = {"protocols": protocols, "digits": 17}
    outcome = tried(submission, icdar2013()[0], here=False, python=guarded, **options)
    out = tmp_path / "scores.json"
    arguments = ["--truth", folder / "gt.zip", "--results", folder / f"{name}.zip", "--out", out]
    commands.run_here(main, "score", "--protocol", ",".join(SLUGS), "--jobs", 1, *arguments)
    expected = {
        f"{row['protocol']}_{figure}": row[figure]
        for row in json.loads(out.read_text())
        if row["image"] == "*"
        for figure in figures
    }
    assert dict(outcome.scores) == expected
    for slug, figure in zip(("iou", "deteval", "tiou"), UNROUNDED.get(name, ()), strict=False):
        assert outcome.scores[f"{slug}_f_score"] == pytest.approx(figure, abs=1e-15)


@pytest.mark.release
def test_a_bare_python_of_the_default_image_scores_in_time():
    python = shutil.which("python3.12", path=f"{PYENV}:{os.environ['PATH']}")
    if python is None:
        pytest.skip("needs Python 3.12")
    truth, slugs, stream = icdar2013()[0], ["iou", "deteval", "tiou"], io.BytesIO()
    settings = settings_for(truth, protocols=slugs, digits=17)
    try:
        wheels = packages.downloaded(packages.needed(settings.protocols))
    except SettingsError as refusal:
        pytest.skip(str(refusal))
    write_bundle(stream, settings, truth, packages=wheels)
    files = parts(stream.getvalue())
    submission = shared_path("data", "icdar2013", "east-argman.zip").read_bytes()
    outcome = run_program(files["programs/1.zip"], files["truth/0.zip"], submission, python=python)
    assert tuple(outcome.scores.values()) == pytest.approx(UNROUNDED["east-argman"], abs=1e-15)
    assert outcome.seconds < 10
    assert len(stream.getvalue()) < 25_000_000


@pytest.mark.release
@pytest.mark.parametrize("name", SETS)
def test_nothing_but_figures_depends_on_real_truth(name):
    """For a set, for the same files written otherwise, and for the set with each fault."""
    truth, others = icdar2013()
    given = parts(shared_path("data", "icdar2013", f"{name}.zip").read_bytes())
    protocols = ["iou", "deteval", "tiou"]
    scores, of_others = require_blind(zip_bytes(given), truth, others, protocols=protocols)
    assert scores.keys() == {f"{slug}_f_score" for slug in protocols}
    assert all(scores[key] > of_others[key] for key in scores)
    with_marks = {name: b"\xef\xbb\xbf" + text for name, text in given.items()}
    in_folder = {f"submit/{name}": text for name, text in given.items()}
    for same in (with_marks, in_folder | {"__MACOSX/._res_img_1.txt": b"\0"}):
        assert require_blind(zip_bytes(same), truth, others, protocols=protocols)[0] == scores
    for entries, _ in BAD.values():
        one = zip_bytes(given | entries if entries else {})
        assert require_blind(one, truth, others, protocols=protocols) == ({}, {})
