"""The benchmarks of the site run on a site of their own; no time is judged."""

import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]


def run(*arguments: str) -> str:
    # The settings of this test run are not theirs.
    own = ("DATABASE_URL", "DATA_DIR", "POSTGRES_URL", "DJANGO_SETTINGS_MODULE")
    environment = {name: value for name, value in os.environ.items() if name not in own}
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_t22_some_annotators_answer_for_two_seconds():
    printed = run("benchmarks.load", "--seconds", "2", "--annotators", "3", "--think", "0.1")
    assert "3 annotators for 2 s" in printed
    assert "SQLite" in printed
    for what in ("5xx", "other than 200", "lock errors", "unlike their log"):
        [line] = [line for line in printed.splitlines() if what in line]
        assert line.partition("target")[0].split()[-1] == "0"


def test_a_server_that_cannot_be_reached_is_named_and_left_out():
    nowhere = "postgres://nobody@127.0.0.1:1/none"
    arguments = ("--seconds", "1", "--annotators", "1", "--think", "0.1", "--postgres", nowhere)
    printed = run("benchmarks.load", *arguments)
    assert "PostgreSQL cannot be used" in printed
    assert "SQLite" in printed


def test_a_few_screens_of_the_server_are_timed():
    printed = run("benchmarks.page", "--skip-browser", "--server-screens", "10")
    assert "10 methods, 10 screens" in printed
    assert "50 methods, 10 screens" in printed
    assert "target: at most 12" in printed
