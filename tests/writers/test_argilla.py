"""Argilla's client writes verdicts that are read here, and rankings whose order it loses, which are refused.

`make writers` runs it. A server adds ids of its own to what the client writes, and nothing that is read.
"""

import subprocess
from pathlib import Path

import pytest

from rankings.command_line.answer_files import read_answer_file
from rankings.errors import RankingError
from tests.support.environments import python_of

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("scripts") / "argilla_.py"
# The client imports requests, and does not name it.
PACKAGES = ("argilla==2.8.0", "requests==2.34.2")


def test_verdicts_of_argillas_client_are_read_and_its_rankings_refused(tmp_path):
    python = python_of(ROOT / "var" / "writers" / "argilla", PACKAGES)
    subprocess.run([python, SCRIPT], cwd=tmp_path, check=True)
    rows = [row for _, row in read_answer_file(str(tmp_path / "verdicts.json")).rows]
    first, second = (f"00000000-0000-0000-0000-00000000000{at}" for at in (1, 2))
    names = ("image", "method_a", "method_b", "annotator", "criterion", "verdict")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("street.jpg", "east", "craft", first, "recall", "left"),
        ("street.jpg", "east", "craft", second, "recall", "equal"),
    ]
    with pytest.raises(RankingError, match=r"without ranks and statuses.*server API"):
        read_answer_file(str(tmp_path / "rankings.json"))
