"""Programs whose standard output cannot be written, or whose reader leaves, end without a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = [
    ("protocols", "list"),
    ("rankings", "power", "--people", "3", "--images", "4"),
    ("rankings", "consensus", "-"),
]


def run(command, out, *, close=False):
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
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


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_reader_that_leaves_is_no_fault(command):
    code, said = run(command, subprocess.PIPE, close=True)
    assert code == 0
    assert "Traceback" not in said
    assert "Exception ignored" not in said
