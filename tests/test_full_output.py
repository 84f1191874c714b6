"""Programs whose standard output cannot be written, or whose reader leaves, end without a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.archives import zip_file
from tests.support.cases import cases

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = [
    ("protocols", "list"),
    ("rankings", "power", "--people", "3", "--images", "4"),
    ("rankings", "consensus", "-"),
    ("text_rankings.site", "manage", "help"),
]


def run(command, out, *, close=False):
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": ""},
        stdin=subprocess.PIPE,
        stdout=out,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        if close:
            program.stdout.close()
            program.stdout = None
        _, said = program.communicate('[[[["a"]], [["a"]]]]')
    return program.returncode, said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_full_disk_is_said_in_a_sentence(command):
    with Path("/dev/full").open("w") as full:
        code, said = run(command, full)
    assert code == 2
    assert said.splitlines()[-1] == (
        "The standard output cannot be written: No space left on device"
    )
    assert "Traceback" not in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_folder_for_results_on_a_full_disk_is_named(tmp_path):
    for name, line in (("gt", "0,0,99,0,99,39,0,39,word"), ("res", "0,0,99,0,99,39,0,39")):
        zip_file(tmp_path / f"{name}.zip", {f"{name}_img_1.txt": line})
    (tmp_path / "results.zip").symlink_to("/dev/full")
    given = ["-g", tmp_path / "gt.zip", "-s", tmp_path / "res.zip", "-o", tmp_path, "-c", "IoU"]
    code, said = run(("protocols", *map(str, given)), subprocess.DEVNULL)
    assert (code, said) == (2, f"{tmp_path}: No space left on device\n")


@cases("command", COMMANDS)
def test_a_reader_that_leaves_is_no_fault(command):
    code, said = run(command, subprocess.PIPE, close=True)
    assert code == 0
    assert "Traceback" not in said
    assert "Exception ignored" not in said
