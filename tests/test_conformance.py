"""The bench that runs published programs: here with a program of our own in place of one."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import conformance, original_calls
from protocols import registry

ROOT = Path(__file__).resolve().parents[1]
# The same options and files; the second lowers one recall.
SCRIPT = f"""
import json, runpy, sys, zipfile
sys.path.insert(0, {str(ROOT)!r})
try:
    runpy.run_module("protocols", run_name="__main__")
except SystemExit:
    pass
for argument in sys.argv:
    if argument.startswith("-o=") and WRONG:
        path = argument[3:] + "/results.zip"
        with zipfile.ZipFile(path) as made:
            samples = {{name: json.loads(made.read(name)) for name in made.namelist()}}
        samples["1.json"]["recall"] += 0.25
        with zipfile.ZipFile(path, "w") as made:
            for name, sample in samples.items():
                made.writestr(name, json.dumps(sample))
"""


@pytest.fixture(autouse=True)
def folder_of_pages(tmp_path, monkeypatch):
    folder = tmp_path / "pages"
    folder.mkdir()
    monkeypatch.setattr(conformance.pages, "FOLDER", folder)
    return folder


@pytest.mark.parametrize(
    ("wrong", "code", "beyond"), [(False, 0, " 60 | 0e+00 | 0 |"), (True, 1, " 60 | 2e-01 | 1 |")]
)
def test_every_image_of_a_program_is_compared(wrong, code, beyond, tmp_path, capsys):
    home = tmp_path / "iou"
    home.mkdir()
    home.joinpath("script.py").write_text(f"WRONG = {wrong}\n{SCRIPT}")
    given = ["--originals", str(tmp_path), "--data", str(tmp_path), "--only", "iou", "deteval"]
    assert conformance.main(given) == code
    said = capsys.readouterr()
    assert beyond in said.out
    assert f"deteval did not run (it needs numpy): {tmp_path / 'deteval'} is no folder" in said.err


# Counts of our own protocol; the second misses a match of the first image.
EVALUATOR = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region

class DetectionIoUEvaluator:
    n = 0
    def evaluate_image(self, truth, found):
        sides = [
            tuple(Region(tuple(sum(of["points"], [])), ignored=of.get("ignore", False)) for of in side)
            for side in (truth, found)
        ]
        [score] = registry.get("iou-toolkits").score([Scene(*sides)])
        self.n += 1
        tally = score.tally
        matched = tally.recalled - (WRONG and self.n == 1)
        return {{"gtCare": tally.n_truth, "detCare": tally.n_detections, "detMatched": matched}}

    def combine_results(self, counted):
        m, t, n = (sum(of[key] for of in counted) for key in ("detMatched", "gtCare", "detCare"))
        r, p = m / t if t else 0, m / n if n else 0
        return {{"recall": r, "precision": p, "hmean": 2 * r * p / (r + p) if r + p else 0}}
"""


@pytest.mark.parametrize(("wrong", "code", "n_beyond"), [(False, 0, 0), (True, 1, 1)])
def test_a_program_gets_the_regions_that_we_read(
    wrong, code, n_beyond, tmp_path, capsys, monkeypatch
):
    # Without its package, so that ours in the folder takes its place.
    entry = json.loads(conformance.MANIFEST.read_text())["paddleocr-iou"]
    listed = {name: of for name, of in entry.items() if name not in ("packages", "alone", "inside")}
    manifest = tmp_path / "originals.json"
    manifest.write_text(json.dumps({"paddleocr-iou": listed}))
    monkeypatch.setattr(conformance, "MANIFEST", manifest)
    home = tmp_path / "paddleocr-iou"
    home.mkdir()
    home.joinpath("eval_det_iou.py").write_text(f"WRONG = {wrong}\n{EVALUATOR}")
    folders = ["--originals", str(tmp_path), "--data", str(tmp_path)]
    assert conformance.main([*folders, "--only", "paddleocr-iou"]) == code
    # 60 images, and the figures over all of them.
    line = capsys.readouterr().out.splitlines()[2]
    assert "| drawn 61 |" in line
    assert f"| {n_beyond} | – |" in line


def test_rows_of_other_versions_and_of_programs_that_were_not_run_stay(
    folder_of_pages, tmp_path, capsys
):
    cells = {of.name: of.cells for of in conformance.originals()}

    def kept(name, version=""):
        protocol, program = cells[name]
        return conformance.row(protocol, program + version, "data", "0", "0", "–", "old") + "\n"

    old = [kept("popeval"), kept("iou"), kept("iou", " beta")]
    head = conformance.row(*conformance.HEAD) + "\n" + conformance.row(*["---"] * 7) + "\n"
    folder_of_pages.joinpath("conformance.md").write_text(head + "".join(old))
    tmp_path.joinpath("iou").mkdir()
    tmp_path.joinpath("iou", "script.py").write_text(f"WRONG = False\n{SCRIPT}")
    conformance.main(
        ["--originals", str(tmp_path), "--data", str(tmp_path), "--only", "iou", "deteval"]
    )
    said = capsys.readouterr().out.splitlines(keepends=True)
    assert said[:2] == head.splitlines(keepends=True)
    # In the order of the manifest: both versions of IoU, then PopEval.
    assert [old[2], old[0]] == [line for line in said if line.endswith("| old |\n")]
    assert len(said) == 5
    assert sum("| drawn 60 |" in line for line in said) == 1


def test_a_program_that_is_a_package_has_an_environment_and_what_differs_is_no_error(
    tmp_path, monkeypatch, capsys
):
    made = []

    def python_of(folder, packages, *, alone):
        made.append((folder.name, *packages, *alone))
        program = folder / "lib" / "python3.11" / "site-packages" / "text_det_metric"
        program.mkdir(parents=True)
        program.joinpath("main.py").write_text(PAIRS)
        return sys.executable

    monkeypatch.setattr(conformance, "python_of", python_of)
    folders = ["--environments", str(tmp_path / "made"), "--data", str(tmp_path)]
    assert conformance.main([*folders, "--only", "text-det-metric"]) == 0
    assert made == [("text-det-metric", "shapely==2.2.0", "text-det-metric==0.0.8")]
    line = capsys.readouterr().out.splitlines()[2]
    assert "text-det-metric](https://github.com/SWHL/TextDetMetric), 0.0.8 | drawn 61 |" in line
    # The figures of no image agree, nor do those of all.
    assert "| 9e+00 | 61: it counts pairs" in line


# A program that gives 9 for each figure.
PAIRS = """
class TextDetMetric:
    def evaluate_image(self, truth, found):
        return {"recall": 9, "precision": 9, "hmean": 9}
    def combine_results(self, counted):
        return {"recall": 9, "precision": 9, "hmean": 9}
"""


def test_boxes_are_given_to_deteval_with_their_last_pixel(tmp_path):
    program = tmp_path / "evaldetection"
    program.write_text(
        f"#!{sys.executable}\n"
        "import re, sys\n"
        "found, truth = (open(path).read() for path in sys.argv[1:])\n"
        'wide = re.findall(\'width="([0-9]+)" height="([0-9]+)"\', found)[0]\n'
        "n = truth.count('taggedRectangle x')\n"
        'print(f\'<score r="{wide[0]}" p="{wide[1]}" hmean="{n}" noGT="1"/>\')\n'
    )
    program.chmod(0o755)
    box = {"points": [10, 5, 109, 5, 109, 24, 10, 24], "ignored": False}
    scene = {"truth": [box, box | {"ignored": True}], "detections": [box]}
    assert original_calls.deteval_wolf(str(tmp_path), [scene]) == [[100.0, 20.0, 1.0], None]


def test_votes_and_their_boxes_are_given_to_the_program(tmp_path, monkeypatch):
    def by_pixels(_command, _home, given):
        figures = []
        for image in json.loads(given):
            votes = [_marked(of) for of in image["methods"]]
            points = [(x, y) for x in range(image["width"]) for y in range(image["height"])]
            said = {of: (1 + sum(of in own for own in votes)) / (len(votes) + 2) for of in points}
            shared = [sum(said[of] for of in own) for own in votes]
            figures.append(
                [
                    value
                    for own, of in zip(votes, shared, strict=True)
                    for value in (of / len(own) if own else None, of / sum(said.values()))
                ]
            )
        return json.dumps(figures), 0.0

    monkeypatch.setattr(conformance, "run", by_pixels)
    [original] = (of for of in conformance.originals() if of.call == "votes")
    [compared] = conformance.compare_votes(original, tmp_path, "", tmp_path)
    assert len(compared.deviations) == 60
    assert max(compared.deviations) < 1e-12


def _marked(detections):
    return {
        (x, y)
        for of in detections
        for x in range(of["polygon"][0][0], of["polygon"][2][0])
        for y in range(of["polygon"][0][1], of["polygon"][2][1])
    }


def test_a_program_that_fails_is_named_with_its_needs(tmp_path, capsys):
    tmp_path.joinpath("iou").mkdir()
    tmp_path.joinpath("python").write_text("#!/bin/sh\necho no module >&2\nexit 1\n")
    tmp_path.joinpath("python").chmod(0o755)
    given = ["--originals", str(tmp_path), "--only", "iou", "--python", str(tmp_path / "python")]
    assert conformance.main(given) == 0
    assert "iou did not run (it needs numpy, Polygon3): no module" in capsys.readouterr().err


def test_the_manifest_names_project_version_call_and_protocol():
    for of in conformance.originals():
        assert of.project.startswith("https://"), of.name
        assert of.call in conformance.CALLS
        assert of.protocol == "" or registry.get(of.protocol, of.parameters)
        assert of.call in ("rrc", "hiertext") or of.script in original_calls.CALLS
        # A program inside an environment needs one; the version is that of the package.
        assert of.inside is None or of.packages or of.alone
        pins = {pin.partition("==")[2] for pin in (*of.packages, *of.alone)}
        assert of.inside is None or of.version.rpartition(" ")[2] in pins
        assert of.version
        assert of.needs
    assert json.loads(conformance.MANIFEST.read_text())["iou"]["protocol"] == "iou"
