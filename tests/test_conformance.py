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


@pytest.mark.parametrize(
    ("wrong", "code", "beyond"), [(False, 0, "| 60 | 0e+00 | 0 |"), (True, 1, "| 60 | 2e-01 | 1 |")]
)
def test_every_image_of_a_program_is_compared(wrong, code, beyond, tmp_path, capsys):
    home = tmp_path / "iou"
    home.mkdir()
    home.joinpath("script.py").write_text(f"WRONG = {wrong}\n{SCRIPT}")
    given = ["--originals", str(tmp_path), "--data", str(tmp_path), "--python", sys.executable]
    assert conformance.main(given) == code
    said = capsys.readouterr()
    assert beyond in said.out
    assert "deteval is left out" in said.err


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
def test_a_program_gets_the_regions_that_we_read(wrong, code, n_beyond, tmp_path, capsys):
    home = tmp_path / "paddleocr-iou"
    home.mkdir()
    home.joinpath("eval_det_iou.py").write_text(f"WRONG = {wrong}\n{EVALUATOR}")
    given = ["--originals", str(tmp_path), "--data", str(tmp_path), "--python", sys.executable]
    assert conformance.main(given) == code
    # 60 images, and the figures over all of them.
    line = capsys.readouterr().out.splitlines()[2]
    assert "| drawn | 61 |" in line
    assert f"| {n_beyond} | – | – |" in line


def test_a_program_that_fails_is_named_with_its_needs(tmp_path, capsys):
    tmp_path.joinpath("pycocotools").mkdir()
    tmp_path.joinpath("python").write_text("#!/bin/sh\necho no module >&2\nexit 1\n")
    tmp_path.joinpath("python").chmod(0o755)
    assert (
        conformance.main(["--originals", str(tmp_path), "--python", str(tmp_path / "python")]) == 0
    )
    assert "pycocotools did not run (it needs pycocotools): no module" in capsys.readouterr().err


def test_the_manifest_names_project_version_call_and_protocol():
    for of in conformance.originals():
        assert of.project.startswith("https://"), of.name
        assert of.call in conformance.CALLS
        assert of.protocol == "" or registry.get(of.protocol, of.parameters)
        assert of.call in ("rrc", "hiertext", "coco") or of.script in original_calls.CALLS
        assert of.version
        assert of.needs
    assert json.loads(conformance.MANIFEST.read_text())["iou"]["protocol"] == "iou"
