"""Every benchmark is run on little data by `make benchmarks-check`, and stamps its own page."""

import re
from pathlib import Path

from benchmarks import pages
from tests.support.cases import cases

ROOT = Path(__file__).resolve().parents[1]
# Modules that others import or run.
_PARTS = {"__init__", "original_calls", "own_site", "pages"}
# The address of a database may hold a password.
URL = ["--postgres", "postgres://me:secret@host/x"]


def modules():
    return {path.stem for path in ROOT.glob("benchmarks/*.py")} - _PARTS


def test_every_benchmark_is_in_the_check():
    [recipe] = re.findall(
        r"^benchmarks-check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M
    )
    assert set(re.findall(r"-m benchmarks\.(\w+)", recipe)) == modules()


@cases("name", sorted(modules()))
def test_a_benchmark_can_write_its_page(name):
    assert "pages.run(main)" in (ROOT / f"benchmarks/{name}.py").read_text()


def test_a_page_has_command_commit_machine_date_and_output():
    page = pages.page_of("benchmarks.x", "Measure x.\n\nMore.", URL, ["1 ms"], pages.commit_now())
    lines = page.splitlines()
    assert lines[:3] == ["# `benchmarks.x`", "", "Measure x."]
    assert re.match(
        r"`python -m benchmarks\.x --postgres URL --write`, \d{1,2} [A-Z]\w+ 20\d\d, commit "
        r"[0-9a-f]{7,}.*: \d+ cores",
        lines[4],
    )
    assert lines[6:] == ["```text", "1 ms", "```"]
