"""The recipes of docs/how-to/extend.md, followed word for word on a copy of the repository.

All are followed on one copy, each with its own check; then style, contracts of imports, migrations, and
types next to the tests that the changes reach find nothing that a recipe has not said.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import cases

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "how-to" / "extend.md"
# A block, and the place of an insertion in the line above it.
STEP = re.compile(
    r"(?:In `(?P<file>[^`\n]+)`, (?:before `(?P<place>[^`\n]+)`|at the end):\n\n)?"
    r"^(?P<fence>`{3,})(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
AFTERWARDS = [
    "ruff check .",
    "ruff format --check .",
    "lint-imports",
    "python manage.py makemigrations --check --dry-run",
    "python manage.py check --fail-level WARNING",
]
# Where a change of one place has made another one fail, without the lane of releases.
REACHED = [
    "tests/test_architecture.py",
    "tests/test_docs.py",
    "tests/test_docstrings.py",
    "tests/test_languages.py",
    "tests/test_names_in_documents.py",
    "tests/test_prose.py",
    "tests/test_reference_doc.py",
    "tests/annotate/test_names.py",
    "tests/annotate/reports/test_declared_once.py",
    "tests/annotate/reports/test_report.py",
    "tests/annotate/studies/test_settings.py",
    "tests/protocols/test_protocols.py",
    "tests/rankings/test_rounding.py",
]


def recipes() -> dict[str, str]:
    """Return the text of each recipe by its heading."""
    parts = re.split(r"^## (Add .+)$", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run a line in a copy of all that is under version control, and of what mypy has found so far."""
    copy = tmp_path_factory.mktemp("copy") / "repository"
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    for name in filter(None, names):
        if (ROOT / name).exists():
            copy.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    if ROOT.joinpath(".mypy_cache").exists():
        shutil.copytree(ROOT / ".mypy_cache", copy / ".mypy_cache")
    copy.joinpath(".venv").symlink_to(sys.prefix)
    programs = f"{sys.prefix}/bin{os.pathsep}{os.environ['PATH']}"
    left_out = ("DJANGO_SETTINGS_MODULE", "PYTHONDONTWRITEBYTECODE")
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in left_out and not name.startswith("PYTEST_")
    }
    environment |= {"PATH": programs, "DATA_DIR": str(copy / "var"), "DATABASE_URL": ""}

    def run_it(line: str) -> str:
        done = subprocess.run(
            ["bash", "-c", line], cwd=copy, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{line}\n{done.stdout[-6000:]}\n{done.stderr[-2000:]}"
        return done.stdout

    run_it("git init -q && git add -A && git -c user.name=x -c user.email=x@y.z commit -qm x")
    run_it.copy = copy
    return run_it


def follow(recipe: str, copy: Path) -> list[str]:
    """Write the files and insertions of a recipe; return its commands."""
    commands = []
    for step in STEP.finditer(recipe):
        if step["language"] == "sh":
            commands += step["text"].splitlines()
        elif step["title"]:
            copy.joinpath(step["title"]).write_text(step["text"], encoding="utf-8")
        else:
            assert step["file"], f"no place for {step['text']}"
            path = copy / step["file"]
            path.write_text(inserted(path.read_text("utf-8"), step["place"], step["text"]), "utf-8")
    return commands


def inserted(text: str, place: str | None, new: str) -> str:
    """Return a text with a new part before the line that has a text; None: at its end."""
    if place is None:
        return f"{text}\n\n{new}"
    lines = text.splitlines(keepends=True)
    [at] = [number for number, line in enumerate(lines) if place in line]
    return "".join([*lines[:at], new, *lines[at:]])


def test_recipes_are_all_that_their_changes_need(run):
    for recipe in recipes().values():
        for command in follow(recipe, run.copy):
            run(command)
    for command in AFTERWARDS:
        run(command)
    tests = (
        "pytest -q --hypothesis-profile=quick -m 'not release and not browser'"
        f" -p no:playwright -p no:base_url {' '.join(REACHED)}"
    )
    run(f"mypy & {tests}; found=$?; wait $! && exit $found")


@cases("recipe", recipes().values())
def test_a_recipe_has_files_and_its_own_check(recipe):
    steps = list(STEP.finditer(recipe))
    assert steps[-1]["language"] == "sh"
    assert "pytest " in steps[-1]["text"]
    assert all(step["title"] or step["file"] or step["language"] == "sh" for step in steps)


@cases(("place", "said"), [(None, "a\nb\n\n\nnew\n"), ("b", "a\nnew\nb\n")])
def test_a_part_is_inserted_where_it_is_said(place, said):
    assert inserted("a\nb\n", place, "new\n") == said
