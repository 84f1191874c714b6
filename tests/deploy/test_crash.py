"""A short run of `make crash`: what was acknowledged is there, whatever was killed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_site_whose_processes_are_killed_loses_nothing():
    command = [sys.executable, "-m", "tests.crash", "--on", "sqlite", "--annotators", "3"]
    command += ["--images", "60"]
    faults = [
        "--only",
        "both sites",
        "the second site",
        "the first worker",
        "a load half-way",
        "a bundle",
        "a restore",
    ]
    done = subprocess.run(
        [*command, *faults], cwd=ROOT, capture_output=True, text=True, timeout=1200, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 faults found" in done.stdout
    assert " 0 people came by a link" not in done.stdout
    assert "all loads and jobs ended well" in done.stdout
