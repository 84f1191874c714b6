"""Bundles for Codabench: its rules, its worker's steps, and what participants must not learn."""

import io
import json
import sys
import zipfile
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from subprocess import CompletedProcess
from unittest import mock

import pytest
import yaml

from protocols.codabench import packages, scoring, writing
from protocols.codabench.rules import require_accepted
from protocols.codabench.scoring import score
from protocols.codabench.settings import settings_of, settings_of_bundle
from protocols.codabench.values import SettingsError, read_yaml, shipped
from protocols.codabench.worker import run_program
from protocols.codabench.writing import write_bundle
from protocols.command_line.main import main
from protocols.command_line.sources import read_truth
from protocols.core.base import Scene
from protocols.core.regions import Region
from tests.support import commands
from tests.support.archives import zip_bytes, zip_file
from tests.support.shared import shared_path

SETS = ("east-argman", "ccswt-dec29", "ccswt-jan05a", "ccswt-jan10", "fcn-blocks")
SLUGS = ("iou", "deteval", "icdar13", "evaltex", "tiou", "cleval", "tedeval")
PHASE = {"name": "Test", "start": "2027-03-01 08:00Z", "end": "2027-03-02 08:00Z"}
LATER_PHASE = {"name": "Final", "start": "2027-03-02 08:00:01Z", "end": "2027-03-04 08:00Z"}
SETTINGS = {
    "title": "Words",
    "overview": "Find words.",
    "terms": "Research only.",
    "format": "ltrb",
    "protocols": ["iou"],
    "phases": [PHASE | {"truth": "bundle"}],
}
WORDS = [
    Scene((Region.from_box(0, 0, 99, 39, text="a"),), None, "img_1"),
    Scene((Region.from_box(0, 0, 50, 20, text="b"),), None, "img_2"),
]
OTHERS = [replace(of, truth=(Region.from_box(7, 7, 31, 33, text="c"),) * 3) for of in WORDS]


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


def tried(submission, truth=WORDS, *, here=True, **changes):
    """The outcome of a submission; ``here`` runs the program in this process, which is faster."""
    files = parts(written(truth, **changes)[0])
    with mock.patch("subprocess.run", run_in_this_process) if here else nullcontext():
        return run_program(files["programs/1.zip"], files.get("truth/0.zip"), submission)


def run_in_this_process(command, cwd, **_):
    settings = json.loads((cwd / "settings.json").read_text())
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = scoring.main(command[2:], settings)
    return CompletedProcess(command, code, out.getvalue().encode(), err.getvalue().encode())


# Codabench's rules


def changed(content, path, value):
    content = deepcopy(content)
    *keys, last = path.split(".")
    of = content
    for key in keys:
        of = of[int(key) if key.isdigit() else key]
    if value is None:
        del of[last]
    else:
        of[int(last) if last.isdigit() else last] = value
    return content


LATER = {"index": 1, "start": "2027-03-02 08:00:01", "end": "2027-03-03 08:00:00"}
WRONG = [
    ("version", None, "version: is missing"),
    ("version", 2.0, "version: must be 2"),
    ("version", "3", "version: must be 2"),
    ("title", None, "title: is missing"),
    ("title", "t" * 257, "title: must have 1 to 256 characters"),
    ("image", None, "image: is missing"),
    ("image", "pages/terms.md", "image: must be a PNG, JPEG, GIF or WebP"),
    ("image", "other.png", "image: must be a file of the bundle"),
    ("terms", None, "terms: is missing"),
    ("terms", "empty.md", "terms: must have content"),
    ("terms", "latin.md", "terms: must be UTF-8"),
    ("pages", None, "pages: is missing"),
    ("pages.0.file", "other.md", "pages.1.file: must be a file of the bundle"),
    ("pages.0.file", "empty.md", "pages.1.file: must have content"),
    ("tasks", None, "tasks: is missing"),
    ("tasks", [], "tasks: must have 1 to"),
    ("tasks.0.index", None, "tasks.1.index: is missing"),
    ("tasks.0.name", None, "tasks.1.name: is missing"),
    ("tasks.0.scoring_program", None, "tasks.1.scoring_program: is missing"),
    ("tasks.0.scoring_program", "programs", "tasks.1.scoring_program: must be a zip of the bundle"),
    (
        "tasks.0.reference_data",
        "../truth.zip",
        "tasks.1.reference_data: must be a zip of the bundle",
    ),
    ("phases", [], "phases: must have 1 to"),
    ("phases.0.name", None, "phases.1.name: is missing"),
    ("phases.0.start", None, "phases.1.start: is missing"),
    ("phases.0.start", datetime(2027, 3, 1), "phases.1.start: must be text"),
    ("phases.0.start", "2027-03-01 08:00:00+01:00", "phases.1.start: must be a quoted time in UTC"),
    ("phases.0.end", None, "phases.1.end: is missing"),
    ("phases.0.end", "2027-02-01 08:00:00", "phases.1.end: must be at least a minute after"),
    ("phases.0.end", "2027-03-01 08:00:59", "phases.1.end: must be at least a minute after"),
    ("phases.0.tasks", [7], "phases.1.tasks: there is no task 7"),
    ("phases.0.tasks", [], "phases.1.tasks: must have 1 to"),
    ("phases.0.max_submissions", 0, "phases.1.max_submissions: must be from 1"),
    ("phases.0.max_submissions_per_day", None, "phases.1.max_submissions_per_day: is missing"),
    ("phases.0.execution_time_limit", None, "phases.1.execution_time_limit: is missing"),
    ("phases.0.hide_output", None, "phases.1.hide_output: is missing"),
    ("phases.0.starting_kit", "kit", "phases.1.starting_kit: must be a zip of the bundle"),
    ("leaderboards", None, "leaderboards: is missing"),
    ("leaderboards", [], "leaderboards: must have 1 to"),
    ("leaderboards.0.title", "t" * 65, "leaderboards.1.title: must have 1 to 64"),
    ("leaderboards.0.key", "t" * 37, "leaderboards.1.key: must have 1 to 36"),
    ("leaderboards.0.columns", [], "leaderboards.1.columns: must have 1 to"),
    ("leaderboards.0.primary_index", 5, "leaderboards.1.primary_index: must be the index"),
    ("leaderboards.0.submission_rule", "Best", "leaderboards.1.submission_rule: must be one of"),
    ("leaderboards.0.columns.0.title", "t" * 37, "columns.1.title: must have 1 to 36"),
    ("leaderboards.0.columns.0.key", "t" * 37, "columns.1.key: must have 1 to 36"),
    ("leaderboards.0.columns.0.sorting", "up", "columns.1.sorting: must be one of desc, asc"),
    ("leaderboards.0.columns.0.computation", "avg", "columns.1.computation: must be left out"),
    ("docker_image", "i" * 129, "docker_image: must have 1 to 128"),
    ("queue", "main", "queue: must be the UUID"),
    ("fact_sheet.method.selection", None, "fact_sheet.method.selection: is missing"),
    ("fact_sheet.method.other", "", "fact_sheet.method.other: there is no such setting"),
    ("fact_sheet.method.is_required", True, "fact_sheet.method.is_required: must be text"),
    ("fact_sheet.method.key", "name", "fact_sheet.method.key: must be method"),
    ("fact_sheet.method.type", "date", "fact_sheet.method.type: must be one of checkbox"),
    ("reward", "r" * 257, "reward: must have 0 to 256"),
    ("forum_enabled", None, "forum_enabled: is missing"),
    ("auto_run_submissions", "yes", "auto_run_submissions: must be true or false"),
]


@pytest.fixture(scope="module")
def accepted():
    files = parts(written()[0]) | {"empty.md": b"", "latin.md": "é".encode("latin-1")}
    return yaml.safe_load(files["competition.yaml"]), files


def test_what_is_written_is_accepted(accepted):
    content, files = accepted
    require_accepted(content, files, files.__getitem__)


@pytest.mark.parametrize(
    ("path", "value", "said"), WRONG, ids=[f"{p}={v!s:.12}" for p, v, _ in WRONG]
)
def test_each_rule_is_refused_with_its_key(accepted, path, value, said):
    content, files = accepted
    with pytest.raises(SettingsError) as refusal:
        require_accepted(changed(content, path, value), files, files.__getitem__)
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, None),
        ({"start": "2027-03-02 08:00:00"}, "phases.2.start: must be at least a second after"),
        ({"index": 0}, None),
    ],
)
def test_phases_follow_each_other_in_the_order_of_their_index(accepted, change, said):
    content, files = accepted
    content = deepcopy(content)
    content["phases"].append(content["phases"][0] | LATER | change)
    with pytest.raises(SettingsError, match=said) if said else nullcontext():
        require_accepted(content, files, files.__getitem__)


@pytest.mark.parametrize("part", ["tasks", "leaderboards.0.columns"])
def test_nothing_has_an_index_twice(accepted, part):
    content, files = accepted
    of = content["tasks"] if part == "tasks" else content["leaderboards"][0]["columns"]
    with pytest.raises(SettingsError, match="is there twice"):
        require_accepted(changed(content, part, [*of, of[0]]), files, files.__getitem__)


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


# Settings


def test_times_of_paris_are_written_in_utc_and_quoted():
    """09:30 on the day when clocks change at 02:00 is 07:30 in UTC."""
    bundle, _ = written(
        phases=[PHASE | {"start": "2027-03-28 09:30 Europe/Paris", "end": "2027-04-01 00:00Z"}]
    )
    assert b"start: '2027-03-28 07:30:00'\n" in parts(bundle)["competition.yaml"]


REFUSED = [
    (
        {"phases": [PHASE | {"start": "2027-03-01 08:00"}]},
        "phases.1.start: needs a time of day and a time zone",
    ),
    (
        {"phases": [PHASE | {"start": "2027-03-01 08:00 Mars/Crater"}]},
        "phases.1.start: there is no time zone",
    ),
    (
        {"phases": [PHASE | {"end": "2027-03-28 02:30 Europe/Paris"}]},
        "phases.1.end: must be written in UTC",
    ),
    ({"phases": [PHASE | {"start": "2027-03-01 8:00Z"}]}, "phases.1.start: must be a time such as"),
    (
        {"phases": [PHASE, PHASE | {"start": PHASE["end"], "end": "2027-04-01 00:00Z"}]},
        "phases.2.start: must be at",
    ),
    (
        {"phases": [PHASE | {"end": "2027-03-01 08:00:59Z"}]},
        "phases.1.end: must be at least a minute",
    ),
    (
        {"phases": [PHASE | {"images": ["img_9"]}]},
        "phases.1.images: there is no ground truth for the image img_9",
    ),
    ({"phases": [PHASE | {"images": {"share": 2}}]}, "phases.1.images.share: must be from"),
    ({"phases": [PHASE | {"detailed_results": True}]}, "phases.1.detailed_results: would show"),
    ({"phases": [PHASE | {"submissions": 0}]}, "phases.1.submissions: must be from 1"),
    ({"protocols": ["iuo"]}, "protocols.1: there is no protocol 'iuo' (did you mean 'iou'?)"),
    ({"protocols": ["table-structure"]}, "protocols.1: table-structure needs table cells"),
    (
        {"protocols": ["no-ground-truth"]},
        "protocols.1: no-ground-truth needs the results of several",
    ),
    (
        {"protocols": ["average-precision"]},
        "fields: must be confidence, which average-precision needs",
    ),
    ({"protocols": ["end-to-end"]}, "fields: must be text, which end-to-end needs"),
    (
        {"protocols": ["iou", "iou"]},
        "protocols.2: the column iou_f_score is there twice; give a short",
    ),
    (
        {"protocols": [{"protocol": "iou", "short": "s" * 30}]},
        "is longer than 36 characters; give a short",
    ),
    (
        {"protocols": [{"protocol": "iou", "figures": ["f1"]}]},
        "protocols.1.figures: must be some of",
    ),
    (
        {"protocols": [{"protocol": "iou", "parameters": {"min_iou": 2}}]},
        "protocols.1: min_iou must be",
    ),
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


def test_a_protocol_whose_truth_has_no_texts_is_refused():
    bare = [replace(of, truth=(Region.from_box(0, 0, 9, 9),)) for of in WORDS]
    with pytest.raises(
        SettingsError, match="protocols: cleval cannot be computed: the ground truth has no"
    ):
        written(bare, protocols=["cleval"])


def test_a_first_figure_that_an_empty_submission_does_not_have_is_refused(monkeypatch):
    monkeypatch.setattr(writing, "score", lambda *_: {})
    with pytest.raises(SettingsError, match="iou_f_score, the first, is not defined"):
        written()


def test_warnings_name_what_gives_the_truth_away():
    both = [
        PHASE | {"truth": "bundle", "detailed_results": True},
        PHASE | {"name": "End", "truth": "here"},
    ]
    both[1] |= {"start": "2027-03-02 08:01Z", "end": "2027-03-03 08:00Z"}
    _, said = written(phases=both, digits=17, rule="best")
    assert said == [
        "figures with 17 digits can give the number of words away",
        "Test: detailed results show all teams the figures of each image",
        "End: the truth of 2 of its images is in the bundle, for another phase",
        "End: without scores, Codabench cannot choose the best submission",
    ]


def test_a_share_is_drawn_by_its_seed_and_its_phase_has_no_other_truth():
    truth = [Scene((Region.from_box(at, 0, 900 + at, 9),), None, f"img_{at}") for at in range(20)]
    phase = PHASE | {"truth": "bundle", "images": {"share": 0.25, "seed": 3}}
    files = parts(written(truth, phases=[phase])[0])
    held = json.loads(parts(files["truth/0.zip"])["truth.json"])
    assert len(held) == 5
    again = parts(written(truth, phases=[phase])[0])
    assert again["truth/0.zip"] == files["truth/0.zip"]


def test_a_bundle_keeps_what_scores_after_the_download_need():
    phases = [PHASE | {"truth": "bundle", "images": ["img_2"]}, PHASE | LATER_PHASE]
    iou = {"protocol": "iou", "parameters": {"min_iou": 0.7}, "short": "tight"}
    bundle, _ = written(phases=phases, protocols=[iou], digits=3)
    for packed in (bundle, parts(bundle)["programs/1.zip"]):
        kept = settings_of_bundle(io.BytesIO(packed))
        assert kept.columns == settings_for(protocols=[iou]).columns
        assert (kept.given["digits"], kept.given["format"]) == (3, "ltrb")
        assert [(of["name"], of["images"], of["truth"]) for of in kept.phases] == [
            *(("Test", ["img_2"], "bundle"), ("Final", ["img_1", "img_2"], "here")),
        ]
    with pytest.raises(SettingsError, match="bundle: must be a zip of text-protocols codabench"):
        settings_of_bundle(io.BytesIO(zip_bytes({"settings.json": "{}"})))


# The worker's steps

GOOD = {"res_img_1.txt": "0,0,99,39\n", "res_img_2.txt": "0,0,50,20\n"}


def test_a_submission_is_scored_as_a_worker_does():
    """One of two words is found, and one of two detections fits."""
    outcome = tried(zip_bytes(GOOD | {"res_img_2.txt": "200,200,250,240\n"}), here=False)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (0, "Scored 2 images.\n", "")
    assert dict(outcome.scores) == {"iou_f_score": 0.5}
    assert set(outcome.files) == {"scores.json"}


@pytest.mark.parametrize(
    "entries",
    [
        {f"submit/{name}": text for name, text in GOOD.items()},
        GOOD | {"__MACOSX/._res_img_1.txt": b"\0\5\26\7", ".DS_Store": b"\0"},
        {name: "\ufeff" + text.replace("\n", "\r\n") for name, text in GOOD.items()},
    ],
    ids=["folder", "macos", "windows"],
)
def test_harmless_differences_change_no_figure(entries):
    assert tried(zip_bytes(entries)).files == tried(zip_bytes(GOOD)).files


BAD = {
    "another file": (GOOD | {"README.md": "Hello."}, "README.md"),
    "an unknown image": ({"res_img_9.txt": "0,0,9,9\n"}, "res_img_9.txt: the dataset has no image"),
    "three numbers": ({"res_img_1.txt": "1,1,2\n"}, "res_img_1.txt, line 1"),
    "not a number": ({"res_img_1.txt": "nan,1,2,2\n"}, "res_img_1.txt, line 1"),
    "right < left": ({"res_img_1.txt": "9,1,2,2\n"}, "res_img_1.txt, line 1"),
    "no file": ({}, "The submission holds no result file"),
    "too many boxes": ({"res_img_1.txt": "0,0,9,9\n" * 1001}, "1001 boxes; at most 1000"),
    "ground truth": ({"gt_img_1.txt": "0,0,9,9,a\n"}, "gt_img_1.txt"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_fault_is_refused_with_one_sentence_and_no_score(bad):
    entries, said = BAD[bad]
    outcome = tried(zip_bytes(entries))
    assert outcome.code == 2
    assert said in outcome.stderr
    assert (outcome.stdout, outcome.stderr.count("\n"), dict(outcome.files)) == ("", 1, {})


def test_a_phase_without_truth_checks_the_same_and_counts_images():
    without = {"phases": [PHASE | {"truth": "here"}]}
    files = parts(written(**without)[0])
    assert not [name for name in files if name.startswith("truth/")]
    outcome = tried(zip_bytes({"res_img_1.txt": ""}), **without)
    assert (outcome.stdout, dict(outcome.scores)) == ("Checked 1 images.\n", {"images": 1})
    for entries, _said in BAD.values():
        assert tried(zip_bytes(entries), **without).stderr == tried(zip_bytes(entries)).stderr


def test_images_that_a_phase_leaves_out_are_skipped():
    one = {"phases": [PHASE | {"truth": "bundle", "images": ["img_1"]}]}
    outcome = tried(zip_bytes(GOOD), **one)
    assert (outcome.stdout, dict(outcome.scores)) == ("Scored 1 images.\n", {"iou_f_score": 1.0})


def test_nothing_but_figures_depends_on_the_truth():
    for entries in (GOOD, *(entries for entries, _ in BAD.values())):
        one, other = (tried(zip_bytes(entries), truth) for truth in (WORDS, OTHERS))
        assert (one.code, one.stdout, one.stderr) == (other.code, other.stdout, other.stderr)
        assert set(one.files) == set(other.files)
        assert set(one.scores) == set(other.scores)


def test_a_bundle_without_truth_has_no_line_of_it():
    regions = (Region.from_box(8123457, 4567891, 8999999, 4999999, text="sekret"),)
    truth = [Scene(regions, None, "img_1")]
    here = [PHASE | {"truth": "here"}]

    def bare(content):
        if content[:2] != b"PK":
            return content
        return b"".join(bare(part) for part in parts(content).values())

    assert not any(
        of in bare(written(truth, phases=here)[0]) for of in (b"8123457", b"4567891", b"sekret")
    )
    other = [Scene((Region.from_box(1, 2, 3, 4),), None, "img_1")]
    assert written(truth, phases=here) == written(other, phases=here)


def test_any_other_failure_gives_a_code_and_nothing_else(monkeypatch):
    files = parts(written()[0])
    broken = zip_bytes({"truth.json": '{"img_1": "sekret"}'})
    outcome = run_program(files["programs/1.zip"], broken, zip_bytes(GOOD))
    assert (outcome.code, outcome.stdout, dict(outcome.files)) == (1, "", {})
    assert outcome.stderr.startswith("The submission could not be scored; tell the organisers: ")
    assert "sekret" not in outcome.stderr


def test_another_python_is_told_which_image_is_needed():
    program = parts(parts(written()[0])["programs/1.zip"])
    settings = json.loads(program["settings.json"]) | {"python": "3.9"}
    program = zip_bytes(program | {"settings.json": json.dumps(settings)})
    # A name of its own, so that nothing is fitted to this interpreter.
    outcome = run_program(program, None, zip_bytes(GOOD), python=f"{sys.executable} "[:-1] + "")
    assert outcome.code == 0
    again = run_program(program, None, zip_bytes(GOOD), python="python3")
    assert (again.code, again.stderr) == (
        1,
        "This needs Python 3.9, as in python:3.12-slim-bookworm.\n",
    )


def test_full_digits_and_details_are_written_where_asked():
    phase = [PHASE | {"truth": "bundle", "detailed_results": True}]
    truth = [replace(of, truth=(*of.truth, Region.from_box(500, 500, 520, 509))) for of in WORDS]
    outcome = tried(zip_bytes({"res_img_1.txt": "0,0,99,39\n"}), truth, phases=phase, digits=17)
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


def test_the_same_input_gives_the_same_bytes(given):
    assert write(given).returncode == 0
    first = (given / "bundle.zip").read_bytes()
    assert write(given).returncode == 0
    assert (given / "bundle.zip").read_bytes() == first
    assert first == written(docker_image="ours:1")[0]


def test_the_check_prints_what_participants_see(given):
    write(given)
    zip_file(given / "bad.zip", {"res_img_9.txt": ""})
    said = run("check", given / "bundle.zip", "--submission", given / "good.zip", given / "bad.zip")
    assert said.stdout.splitlines() == [
        "bundle.zip: Codabench's rules are kept",
        "Test, an empty submission: Scored 2 images.",
        "    iou_f_score = 0.0",
        "Test, good.zip: Scored 2 images.",
        "    iou_f_score = 1.0",
        "Test, bad.zip: res_img_9.txt: the dataset has no image of this name.",
    ]


def test_the_example_is_accepted_for_a_dataset(tmp_path):
    shown = run("write", "--example")
    settings = settings_of(read_yaml(shown.stdout, "example"), ["img_1", "img_2"])
    stream = io.BytesIO()
    write_bundle(stream, settings, WORDS)
    assert len(parts(stream.getvalue())) > 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title: [", "settings.yaml: the file, line 2: not YAML"),
        ("- a", "settings.yaml: the file: must be a mapping"),
        ("title: x", "settings.yaml: overview: is missing"),
    ],
)
def test_bad_settings_end_in_2_and_leave_no_bundle(given, text, said):
    (given / "settings.yaml").write_text(text + "\n")
    refused = write(given)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert said in " ".join(refused.stderr.split())
    assert not (given / "bundle.zip").exists()


def test_missing_wheels_are_named(given):
    (given / "settings.yaml").write_text(yaml.safe_dump(SETTINGS))
    zip_file(
        given / "wheels" / "numpy-2.4.6-cp312-cp312-manylinux_2_28_x86_64.whl", {"numpy/x.py": ""}
    )
    refused = write(given, "--packages", given / "wheels")
    assert refused.returncode == 2
    assert "wheels has no shapely-*-cp3*-manylinux*.whl" in " ".join(refused.stderr.split())


def test_wheels_are_unpacked_without_what_is_not_imported(tmp_path):
    for name in ("numpy", "shapely"):
        entries = {
            f"{name}/a.so": b"1",
            f"{name}/tests/t.py": "",
            f"{name}/a.pyi": "",
            f"{name}.libs/b.so": b"2",
        }
        zip_file(tmp_path / f"{name}-2.1.0-cp312-cp312-manylinux_2_28_x86_64.whl", entries)
    found = packages.unpacked(tmp_path, ["numpy", "shapely"])
    assert found.python == "3.12"
    assert sorted(found.files) == [
        "numpy.libs/b.so",
        "numpy/a.so",
        "shapely.libs/b.so",
        "shapely/a.so",
    ]


def test_scipy_is_packed_only_where_a_parameter_needs_it():
    one, other = (
        settings_for(protocols=[{"protocol": "iou", "parameters": {"matching": of}}])
        for of in ("best", "heaviest")
    )
    assert packages.needed(one.protocols) == ["numpy", "shapely"]
    assert packages.needed(other.protocols) == ["numpy", "scipy", "shapely"]


# Real data

UNROUNDED = {
    "east-argman": {
        "iou": 0.7615830115830118,
        "deteval": 0.7203391132899829,
        "tiou": 0.6104886976951952,
    },
    "fcn-blocks": {
        "iou": 0.4526710402999063,
        "deteval": 0.6513796230824636,
        "tiou": 0.34536329982342345,
    },
}


@pytest.mark.release
@pytest.mark.parametrize("name", SETS)
def test_figures_are_those_of_the_command_score(name, tmp_path):
    """In the worker's steps, for the seven protocols; some unrounded figures are also given by hand."""
    folder = shared_path("data", "icdar2013")
    truth, results = folder / "gt.zip", folder / f"{name}.zip"
    protocols = [
        {"protocol": slug, "figures": ["f_score", "recall", "precision"]} for slug in SLUGS
    ]
    regions = read_truth(str(truth)).regions
    images = [Scene(of, None, image) for image, of in regions.items()]
    outcome = tried(results.read_bytes(), images, protocols=protocols, digits=17, here=False)
    out = tmp_path / "scores.json"
    arguments = ["--truth", truth, "--results", results, "--out", out, "--jobs", 1]
    commands.run_here(main, "score", "--protocol", ",".join(SLUGS), *arguments)
    expected = {
        f"{row['protocol']}_{figure}": row[figure]
        for row in json.loads(out.read_text())
        if row["image"] == "*"
        for figure in ("f_score", "recall", "precision")
    }
    assert dict(outcome.scores) == expected
    for slug, figure in UNROUNDED.get(name, {}).items():
        assert outcome.scores[f"{slug}_f_score"] == pytest.approx(figure, abs=1e-15)
